// SPDX-License-Identifier: MIT

import BrazeLiquid
import Liquid
import SourceText

/// The texts of a push, read once and rendered many times.
struct CompiledMessage: Sendable {
    /// A text with the key and the name that it has in the payload.
    final class Field: Sendable {
        let key: String
        /// The key as JSON.
        let json: ByteBuffer
        let name: String
        let text: CompiledText

        init(key: String, name: String, text: CompiledText) {
            self.key = key
            json = ByteBuffer(json: key)
            self.name = name.detached
            self.text = text
        }
    }

    struct Localization: Sendable {
        let key: String
        let texts: [CompiledText]
        let isList: Bool
    }

    /// A key-value pair; a class for the same reason as ``CompiledText``.
    final class Extra: Sendable {
        /// The name of the field where the key needs no rendering.
        let name: String?
        let key: CompiledText
        /// The place of what the extension requires of the pair, where the key needs no rendering.
        let requirement: Int?
        let value: CompiledText
        let isJSON: Bool

        init(name: String?, key: CompiledText, requirement: Int?, value: CompiledText, isJSON: Bool) {
            self.name = name
            self.key = key
            self.requirement = requirement
            self.value = value
            self.isJSON = isJSON
        }
    }

    struct Button: Sendable {
        let button: PushMessage.Button
        let action: PushMessage.Button.Action?
        let uri: CompiledText?
    }

    private(set) var alert: [Field] = []
    private(set) var localization: [Localization] = []
    private(set) var badge: CompiledText?
    private(set) var badgeNumber: Int?
    private(set) var sound: Field?
    private(set) var threadID: Field?
    private(set) var category: Field?
    private(set) var extras: [Extra] = []
    private(set) var uri: CompiledText?
    private(set) var imageURL: CompiledText?
    private(set) var collapseID: CompiledText?
    private(set) var buttons: [Button] = []

    /// The id of the campaign.
    let apiID: String?

    /// What the extension requires of pairs, and the places there, by the bytes of the key.
    private(set) var contracts: [ExtrasContract] = []
    private(set) var requirements: [[UInt8]: Int] = [:]

    /// What is wrong with the templates.
    private(set) var diagnostics: [Diagnostic] = []

    /// What the templates do and nobody may have meant.
    private(set) var warnings: [Diagnostic] = []

    /// Whether two pairs may render to one key.
    private(set) var hasRenderedKeys = false

    private let environment: Environment
    private let mode: ErrorMode

    init(_ campaign: Campaign, environment: Environment, mode: ErrorMode) {
        let push = campaign.push
        apiID = campaign.identity.apiID?.detached
        for (index, extra) in (campaign.requirements?.extras ?? []).enumerated() {
            requirements[Array(extra.key.utf8)] = index
            contracts.append(ExtrasContract(extra))
        }
        self.environment = environment
        self.mode = mode
        alert = [("title", push.title), ("subtitle", push.subtitle), ("body", push.body)]
            .compactMap { key, text in field(key, text) }
        localization = push.localization.map { part in
            Localization(key: part.key, texts: part.texts.compactMap { compile($0) }, isList: part.isList)
        }
        switch push.badge {
        case .template(let text)?: badge = compile(text)
        case .number(let number)?: badgeNumber = number.value
        case nil: break
        }
        sound = field("sound", push.sound)
        threadID = field("thread-id", push.threadID)
        category = field("category", push.category)
        extras = push.extras.compactMap { extra in
            guard let key = compile(extra.key), let value = compile(extra.value) else { return nil }
            guard key.template == nil else {
                return Extra(name: nil, key: key, requirement: nil, value: value, isJSON: extra.isJSON)
            }
            return Extra(
                name: Payload.Field.extrasPrefix + extra.key.text,
                key: key,
                requirement: requirements[Array(extra.key.text.utf8)],
                value: value,
                isJSON: extra.isJSON
            )
        }
        hasRenderedKeys = extras.contains { $0.name == nil }
        uri = compile(push.uri)
        imageURL = compile(push.image?.url)
        collapseID = compile(push.collapseID)
        buttons = push.buttons.map { button in
            Button(button: button, action: Self.action(of: button), uri: compile(button.uri))
        }
    }

    /// The message with every text replaced by one that needs no rendering.
    func replacing(_ text: (CompiledText, _ isJSON: Bool) -> CompiledText) -> CompiledMessage {
        func plain(_ compiled: CompiledText) -> CompiledText { text(compiled, false) }
        func plain(_ field: Field) -> Field { Field(key: field.key, name: field.name, text: plain(field.text)) }
        var message = self
        message.alert = alert.map(plain)
        message.localization = localization.map { part in
            Localization(key: part.key, texts: part.texts.map(plain), isList: part.isList)
        }
        message.badge = badge.map(plain)
        message.sound = sound.map(plain)
        message.threadID = threadID.map(plain)
        message.category = category.map(plain)
        message.extras = extras.map { extra in
            Extra(
                name: extra.name,
                key: plain(extra.key),
                requirement: extra.requirement,
                value: text(extra.value, extra.isJSON),
                isJSON: extra.isJSON
            )
        }
        message.uri = uri.map(plain)
        message.imageURL = imageURL.map(plain)
        message.collapseID = collapseID.map(plain)
        message.buttons = buttons.map { Button(button: $0.button, action: $0.action, uri: $0.uri.map(plain)) }
        return message
    }

    /// The action that is given, else what Braze's button of that id does.
    private static func action(of button: PushMessage.Button) -> PushMessage.Button.Action? {
        if let action = button.action { return action.value }
        for category in StaticChecks.brazeCategories {
            for known in category.buttons where known.id.utf8.elementsEqual(button.actionID.value.utf8) {
                return known.accepts ? .openApp : .close
            }
        }
        return nil
    }

    private mutating func field(_ key: String, _ text: TemplateText?) -> Field? {
        guard let text, let compiled = compile(text) else { return nil }
        return Field(key: key, name: text.field, text: compiled)
    }

    private mutating func compile(_ text: TemplateText?) -> CompiledText? {
        guard let text else { return nil }
        guard text.holdsLiquid else { return CompiledText(text) }
        do throws(LiquidError) {
            let compiled = try CompiledText(text, environment: environment, mode: mode)
            for filter in compiled.template?.unknownFilters(in: environment) ?? [] { report(filter, in: text) }
            return compiled
        } catch {
            diagnostics.append(
                Diagnostic(
                    rule: error.topic?.rawValue ?? "liquid-syntax",
                    severity: .error,
                    message: error.message,
                    at: error.range.map { text.place(of: $0) } ?? text.place
                )
            )
            return nil
        }
    }

    /// A filter that nobody knows is an error where Liquid is read strictly; else its input passes through.
    private mutating func report(_ filter: FilterCall, in text: TemplateText) {
        let finding = Diagnostic(
            rule: "unknown-filter",
            severity: mode == .strict2 ? .error : .warning,
            message: environment.messageForUnknownFilter(filter.name),
            at: text.place(of: filter.nameRange)
        )
        if finding.severity == .error { diagnostics.append(finding) } else { warnings.append(finding) }
    }
}
