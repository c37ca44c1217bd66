// SPDX-License-Identifier: MIT

import AppDeclarations
import BrazeLiquid
import DiagnosticSources
public import LiquidTemplates

extension Campaign {
    /// Reads the templates, so that the message can be rendered for any number of users.
    ///
    /// - Throws: all syntax errors of Liquid, with their places in the campaign's file.
    public func renderer(options: RenderOptions) throws(InputError) -> CampaignRenderer {
        try CampaignRenderer(self, options: options)
    }
}

/// Renders one campaign for users.
///
/// A renderer never changes and may be shared between threads. To render for many users, use one ``session()`` for each
/// thread, which reuses its memory.
public struct CampaignRenderer: Sendable {
    /// The campaign that is rendered.
    public var campaign: Campaign { shared.campaign }

    /// The campaign, in the shared form that payloads keep.
    let shared: SharedCampaign

    /// The options of rendering, the same for every user.
    public let options: RenderOptions

    private(set) var message: CompiledMessage

    /// The fields of a profile that the templates may read.
    let profileFields: ProfileFields

    /// The values that every message has in addition to the profile: the context of the options, the content blocks,
    /// the fixtures, the event, and the names and ids of the campaign.
    private let base: RenderContext

    /// The severity of the finding about a missing value that a text prints; nil if it is not reported.
    let missingSeverity: Severity?

    /// Whether a template reads `most_recently_used_device`, which an export does not always name.
    let readsDevice: Bool

    /// The types of custom attributes, in a fixed order, so that the attributes they add are always in the same order.
    let attributeTypes: [(name: String, type: AttributeType)]

    init(_ campaign: Campaign, options: RenderOptions) throws(InputError) {
        shared = SharedCampaign(campaign, besides: options.externalCategories)
        self.options = options
        let environment = options.errorMode == .lax ? BrazeEnvironment.standard : BrazeEnvironment.strict
        message = CompiledMessage(campaign, environment: environment, mode: options.errorMode)
        guard message.diagnostics.isEmpty else { throw InputError(.invalid, message.diagnostics) }
        missingSeverity =
            switch options.missingPolicy {
            case .failing: .error
            case .collecting: options.rules.levels(at: campaign.file.path).severity(of: .missingValue, .warning)
            case .ignoring: nil
            }
        attributeTypes = campaign.attributeTypes.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { ($0.key, $0.value) }
        var own = LiquidObject.Builder()
        let identity = campaign.identity
        for (name, value) in [
            ("name", identity.name), ("api_id", identity.apiID), ("message_name", identity.messageName),
            ("message_api_id", identity.messageAPIID), ("dispatch_id", identity.dispatchID),
        ] {
            if let value { own.set(name, .string(value)) }
        }
        base = RenderContext(namespaces: [("campaign", LiquidObject(own))])
            .laid(over: options.context)
            .laid(over: campaign.resources)
            .laid(overTriggerProperties: .empty, eventProperties: options.eventProperties)
        var blocks = LiquidObject.empty
        if case .object(let sources)? = base.fixtures["content_blocks"] { blocks = sources }
        let analyses = message.texts.compactMap { $0.template?.analysis() }
        readsDevice = analyses.readDevice(contentBlocks: blocks, environment: environment, mode: options.errorMode)
        profileFields = ProfileFields(
            analyses.dataReads(contentBlocks: blocks, environment: environment, mode: options.errorMode)
        )
    }

    /// A renderer that also checks the key-value pairs that an app's extension reads; this renderer if it already
    /// checks them.
    func requiring(_ app: App) -> CampaignRenderer {
        let external = options.externalCategories
        if campaign.requiresAll(of: app, besides: external) { return self }
        // These templates were read without errors before, so the fallback is never used.
        return (try? CampaignRenderer(campaign.requiring(app, besides: external), options: options)) ?? self
    }

    /// A copy of this renderer in which texts that need no rendering replace all texts with Liquid.
    func replacingTexts(_ text: (CompiledText) -> CompiledText) -> CampaignRenderer {
        var renderer = self
        renderer.message = message.replacing(text)
        return renderer
    }

    /// Renders the message for one user.
    ///
    /// - Parameters:
    ///   - profile: the user.
    ///   - triggerProperties: `api_trigger_properties`; a property of the profile takes precedence.
    /// - Returns: the payload, or the reason that there is none.
    public func render(_ profile: Profile, triggerProperties: LiquidObject = .empty) -> Outcome {
        var session = session()
        return session.render(profile, triggerProperties: triggerProperties)
    }

    /// Creates a session to render for many users.
    public func session() -> RenderSession { RenderSession(self) }

    /// The values that every message has in addition to the profile, with the properties of the API trigger.
    func base(triggerProperties: LiquidObject) -> RenderContext {
        RenderContext.empty.laid(overTriggerProperties: triggerProperties, eventProperties: .empty).laid(over: base)
    }

    /// The values that the templates can read.
    ///
    /// - Parameters:
    ///   - profile: the user.
    ///   - base: the result of ``base(triggerProperties:)``.
    /// - Returns: the values of the base, except where the user has values of the same names; custom attributes are
    ///   converted to their types.
    func context(for profile: Profile, over base: RenderContext) -> RenderContext {
        var context = profile.context.laid(over: base)
        if options.overridesNow { context.now = nil }
        if !attributeTypes.isEmpty {
            let attributes = context.members(of: "custom_attribute")
            context.setMembers(attributes.typed(attributeTypes), of: "custom_attribute")
        }
        return context
    }
}

extension LiquidObject {
    /// The object with values converted to types that an export cannot express: texts become times, and missing
    /// booleans become false.
    fileprivate func typed(_ types: [(name: String, type: AttributeType)]) -> LiquidObject {
        var builder = Builder(self)
        for (name, type) in types {
            switch (type, self[name] ?? .null) {
            case (.time, .string(let text)):
                if let time = Time(attribute: text) { builder.set(name, .time(time)) }
            case (.boolean, .null): builder.set(name, .bool(false))
            default: continue
            }
        }
        return LiquidObject(builder)
    }
}

/// A campaign that many payloads keep: each retains one object instead of every part of the campaign.
final class SharedCampaign: Sendable {
    let campaign: Campaign

    /// What the campaign requires of an app, with the category as it is written in the campaign.
    let categoryUse: CategoryUse

    init(_ campaign: Campaign, besides externalCategories: [String]) {
        self.campaign = campaign
        categoryUse = campaign.use(of: campaign.push.category?.text, besides: externalCategories)
    }
}
