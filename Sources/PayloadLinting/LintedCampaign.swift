// SPDX-License-Identifier: MIT

package import AppDeclarations
import BrazeLiquid
package import DiagnosticSources
import DocumentFormats
import InAppScenarios
import LiquidTemplates
import POSIXFiles
package import PayloadKit

/// The input of rules about campaigns: a campaign, its texts, and the findings of reading it and matching it with apps.
package struct LintedCampaign: Sendable {
    /// The file of the campaign, template, content block or scenario.
    package let file: SourceFile

    /// The campaign, or the readable part of it; nil if nothing could be read.
    package private(set) var campaign: Campaign?

    /// The apps that the campaign is checked against, or why there are none.
    private(set) var match = AppMatch.none

    /// The apps that the campaign is checked against; several if each of them claims its category.
    package var apps: [App] { match.apps }

    /// Whether the whole campaign could be read, so that a part that seems to be missing is really missing.
    private(set) var isWhole = true

    /// For a campaign, whether the user named this file, rather than a folder that contains it; true for every other
    /// kind.
    package private(set) var isExplicitInput = true

    /// The kind of the file.
    ///
    /// Files of all kinds are checked as a ``LintedCampaign``, but only those of the kind `campaign` have a push.
    enum Kind: Equatable {
        case campaign, template, block
        case scenario(profile: ScenarioProfile)
    }

    /// The profile that a scenario names.
    enum ScenarioProfile: Equatable {
        /// The scenario names no profile.
        case none
        /// The profile is missing or cannot be read.
        case unread
        case export
        /// The profile has the short form, and content blocks with these names.
        case shortForm(blocks: [String])
    }

    /// The kind of the file.
    let kind: Kind

    /// Whether the file is a campaign.
    var isCampaign: Bool { kind == .campaign }

    /// The findings of reading the campaign and its texts, of matching it with its app, and of preparing it for
    /// rendering.
    package private(set) var diagnostics: [Diagnostic]

    /// The file's own texts that Liquid renders, in the order of the payload.
    private(set) var texts: [LintedText] = []

    /// The key-value pairs of the campaign.
    var extras: [PushMessage.Extra] { campaign?.push.extras ?? [] }

    /// The findings about how the campaign fits its apps, before comments suppress any.
    var matchFindings: [Diagnostic] {
        campaign?.matchFindings(
            match.apps, of: match.candidates, besides: externalCategories, sent: sentCategories, isWhole: isWhole) ?? []
    }

    /// The content blocks in the folder and the fixtures, and the blocks in contexts and profiles that the texts read.
    private(set) var blocks: [LintedText] = []

    /// The names of ``blocks``.
    private(set) var blockNames: [String] = []

    /// The texts of translations in the fixtures, which Liquid renders too.
    private(set) var translations: [LintedText] = []

    /// The texts of fixtures that Liquid renders because a tag has `:rerender`.
    private(set) var rerendered: [LintedText] = []

    /// All texts that Liquid renders: first the file's own ``texts``, then those of content blocks and fixtures.
    private(set) var templates: [LintedText] = []

    /// The keys at the root of the contexts and profiles of tests, including the kinds of fixtures that these files
    /// contain.
    private(set) var givenFixtures: Set<String> = []

    /// The files that the tests read, by the paths in the tests.
    private(set) var testFiles: [String: SourceFile] = [:]

    /// The reasons why files of tests are missing, by the paths in the tests.
    private(set) var missingTestFiles: [String: TestInputs.Fault] = [:]

    /// The names for which tests, their files, or the profile and context of the campaign give values, by namespace.
    private(set) var givenNames: [String: Set<String>] = [:]

    /// A profile that the campaign is rendered for, in addition to the profiles of tests.
    var profile: SourceFile?

    /// A context that the campaign is rendered with, in addition to the contexts of tests.
    var context: SourceFile?

    /// The scenario, if the whole file could be read; nil for other files.
    var scenario: ScenarioFile?

    /// For each of ``texts``, the id of the scenario's message that contains it; empty for other files.
    private(set) var messages: [String] = []

    /// The app that a scenario names.
    var declaredApp: DeclaredApp?

    /// The names of variables in the data that are outside Braze's namespaces.
    private(set) var dataNames: Set<String>

    /// Categories that are known not to need an extension of the app.
    private(set) var externalCategories: [String] = []

    /// The number of campaigns in the project that are known to send each category.
    var sentCategories: [String: Int] = [:]

    /// The attributes that every user has.
    private(set) var givenAttributes: Set<String> = []

    /// The registry of the Braze workspace; nil if no workspace is known.
    package let registry: WorkspaceRegistry?

    /// The types of custom attributes for rules about types.
    ///
    /// A type in the campaign replaces the type in the workspace.
    private static func attributeTypes(
        _ campaign: Campaign?,
        _ registry: WorkspaceRegistry?
    ) -> [String: AttributeType] {
        let own = campaign?.attributeTypes ?? [:]
        guard let types = registry?.attributeTypes else { return own }
        return own.isEmpty ? types : types.merging(own) { $1 }
    }

    /// The index in ``texts`` of each text, by field.
    private var textsByField: [String: Int] = [:]

    /// Reads a campaign, and checks everything that is the same for all users.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - read: the campaign and the findings of reading it; nil to read the file.
    ///   - folder: the files that the campaign may refer to.
    ///   - isExplicitInput: whether the user named the file itself.
    ///   - options: the budget and the external categories; nothing is rendered, so the time has no effect.
    ///   - dataNames: the names of variables in the data that are outside Braze's namespaces.
    ///   - findApps: returns the apps that the campaign is checked against, or why there are none.
    package init(
        _ file: SourceFile,
        read: (campaign: Campaign?, diagnostics: [Diagnostic])? = nil,
        folder: some CampaignFolder = EmptyFolder(),
        isExplicitInput: Bool = false,
        options: RenderOptions = RenderOptions(now: Time(seconds: 0)),
        dataNames: Set<String> = [],
        apps findApps: (Campaign) -> AppMatch = { _ in .none }
    ) {
        let (read, reading) = read ?? Campaign.read(file, folder: folder)
        let match = read.map(findApps) ?? .none
        let campaign = read?.requiring(match.apps, besides: options.externalCategories)
        self.init(file, campaign, reading, folder, match, isExplicitInput: isExplicitInput, options, dataNames)
    }

    /// Checks a campaign that has already been read, for the user that it is rendered for or for the users of its
    /// tests.
    ///
    /// - Parameters:
    ///   - campaign: the campaign.
    ///   - folder: the files that the campaign may refer to.
    ///   - match: the apps that the campaign is checked against; the campaign already requires their key-value pairs.
    ///   - options: the budget and the external categories.
    ///   - profile: a profile that the campaign is rendered for.
    ///   - context: a context that the campaign is rendered with.
    ///   - runsTests: whether the campaign's tests are run, so that the content blocks of their files are read.
    ///   - dataNames: the names of variables in the data that are outside Braze's namespaces.
    package init(
        _ campaign: Campaign,
        folder: some CampaignFolder,
        match: AppMatch = .none,
        options: RenderOptions,
        profile: SourceFile? = nil,
        context: SourceFile? = nil,
        runsTests: Bool = false,
        dataNames: Set<String> = []
    ) {
        let given = runsTests ? nil : TestInputs(context: context, profile: profile)
        self.init(campaign.file, campaign, [], folder, match, isExplicitInput: true, options, dataNames, given: given)
        (self.profile, self.context) = (profile, context)
    }

    /// Checks a template that does not belong to a campaign.
    ///
    /// - Parameters:
    ///   - file: the file of the template.
    ///   - profile: the profile that the template is rendered for.
    ///   - context: the context that the template is rendered with.
    ///   - dataNames: the names of variables in the data that are outside Braze's namespaces.
    ///   - registry: the registry of the Braze workspace.
    package init(
        template file: SourceFile,
        profile: SourceFile? = nil,
        context: SourceFile? = nil,
        dataNames: Set<String>,
        registry: WorkspaceRegistry? = nil
    ) {
        let source = TemplateText(
            field: "template",
            text: String(decoding: file.bytes, as: UTF8.self),
            file: file,
            range: SourceRange(0, file.bytes.count),
            map: .identity(count: file.bytes.count)
        )
        let attributes = Self.attributeTypes(nil, registry)
        let text = LintedText(source, attributes: attributes)
        let blocks = Self.blocks(TestInputs(context: context, profile: profile).blocks, readBy: [text], attributes)
        self.init(
            .template, file, registry, texts: [text], blocks: blocks, diagnostics: blocks.flatMap(\.text.faults),
            dataNames: dataNames)
        self.context = context
    }

    /// Checks a content block that no campaign reads.
    ///
    /// - Parameters:
    ///   - file: the file of the block.
    ///   - keepsNewline: whether the newline that ends the file is part of the block.
    ///   - registry: the registry of the Braze workspace.
    package init(block file: SourceFile, keepsNewline: Bool, registry: WorkspaceRegistry? = nil) {
        let suffix = ".liquid"
        let name = file.path.fileName.hasSuffix(suffix) ? String(file.path.fileName.dropLast(suffix.count)) : file.path
        let source = ContentBlock(name, in: file, keepsNewline: keepsNewline).text
        let block = LintedText(source, attributes: Self.attributeTypes(nil, registry))
        let faults = [ContentBlock.fault(in: file)].compactMap(\.self) + block.faults
        self.init(.block, file, registry, blocks: [(name, block)], diagnostics: faults)
    }

    /// Checks the texts of a scenario of in-app messages.
    ///
    /// - Parameters:
    ///   - file: the file of the scenario.
    ///   - extras: the key-value pairs of the scenario's messages, each with the id of its message.
    ///   - profile: what is known about the profile that the scenario names.
    ///   - inputs: the files of this profile.
    ///   - registry: the registry of the Braze workspace.
    ///   - diagnostics: the findings of reading the scenario, except findings in the values of key-value pairs.
    init(
        scenario file: SourceFile,
        extras: [(message: String, pair: DocumentMember)],
        profile: ScenarioProfile,
        inputs: TestInputs,
        registry: WorkspaceRegistry?,
        diagnostics: [Diagnostic]
    ) {
        let attributes = Self.attributeTypes(nil, registry)
        let own = extras.compactMap { message, pair -> (message: String, text: LintedText)? in
            guard let scalar = pair.value.scalar else { return nil }
            let range = pair.value.range
            let source = TemplateText(
                field: "extras." + pair.name, text: scalar.text, file: file, range: range, map: scalar.map)
            return (message, LintedText(source, attributes: attributes))
        }
        let texts = own.map(\.text)
        let blocks = Self.blocks(inputs.blocks, readBy: texts, attributes)
        self.init(
            .scenario(profile: profile), file, registry, texts: texts, messages: own.map(\.message), blocks: blocks,
            diagnostics: diagnostics + (texts + blocks.map(\.text)).flatMap(\.faults), dataNames: inputs.dataNames,
            givenFixtures: inputs.givenFixtures)
    }

    private init(
        _ kind: Kind,
        _ file: SourceFile,
        _ registry: WorkspaceRegistry?,
        texts: [LintedText] = [],
        messages: [String] = [],
        blocks: [NamedBlock] = [],
        diagnostics: [Diagnostic] = [],
        dataNames: Set<String> = [],
        givenFixtures: Set<String> = []
    ) {
        self.kind = kind
        self.file = file
        self.registry = registry
        self.texts = texts
        self.messages = messages
        (blockNames, self.blocks) = (blocks.map(\.name), blocks.map(\.text))
        self.diagnostics = diagnostics
        self.givenFixtures = givenFixtures
        self.dataNames = dataNames
        templates = texts + self.blocks
    }

    private init(
        _ file: SourceFile,
        _ campaign: Campaign?,
        _ reading: [Diagnostic],
        _ folder: some CampaignFolder,
        _ match: AppMatch,
        isExplicitInput: Bool,
        _ options: RenderOptions,
        _ dataNames: Set<String>,
        given: TestInputs? = nil
    ) {
        kind = .campaign
        self.file = file
        registry = folder.workspace?.registry
        self.campaign = campaign
        self.match = match
        externalCategories = options.externalCategories
        givenAttributes = options.givenAttributes.union(campaign?.givenAttributes ?? [])
        self.isExplicitInput = isExplicitInput
        guard let campaign else {
            diagnostics = reading
            isWhole = false
            self.dataNames = dataNames
            return
        }
        let inputs = TestInputs(campaign.tests, in: folder)
        let attributes = Self.attributeTypes(campaign, registry)
        texts = campaign.push.texts.map { LintedText($0, attributes: attributes) }
        let campaignBlocks = campaign.blocks.map { ($0.name, LintedText($0.text, attributes: attributes)) }
        let contextBlocks = Self.blocks((given ?? inputs).blocks, readBy: texts + campaignBlocks.map(\.1), attributes)
        let named: [NamedBlock] = campaignBlocks + contextBlocks
        (blockNames, blocks) = (named.map(\.name), named.map(\.text))
        translations = Self.translations(of: campaign).map { LintedText($0, attributes: attributes) }
        rerendered = RerenderedTexts.all(in: campaign, (texts + blocks).flatMap(\.fixtureRequests)).map {
            LintedText($0, attributes: attributes, environment: BrazeEnvironment.rerender)
        }
        (testFiles, missingTestFiles, givenFixtures) = (inputs.files, inputs.missing, inputs.givenFixtures)
        givenNames = inputs.givenNames.merging(given?.givenNames ?? [:]) { $0.union($1) }
        for test in campaign.tests {
            givenNames["api_trigger_properties", default: []].formUnion(test.triggerProperties?.keys ?? [])
            givenNames["event_properties", default: []].formUnion(test.eventProperties?.keys ?? [])
        }
        self.dataNames = dataNames.union(inputs.dataNames)
        templates = texts + blocks + translations + rerendered
        textsByField = Dictionary(first: texts.enumerated().map { ($1.source.field, $0) })
        let partFaults = (blocks + translations + rerendered).flatMap(\.faults)
        do throws(InputError) {
            let renderer = try campaign.renderer(options: options)
            // Rules about missing parts do not apply if a part could not be read.
            let isRead = !reading.contains { $0.severity == .error }
            let own =
                isRead ? renderer.ownFindings(of: campaign) + renderer.leastSizeFindings() : campaign.findings
            diagnostics = reading + match.findings + own + partFaults
            isWhole = isRead
        } catch {
            diagnostics = reading + match.findings + campaign.findings + error.diagnostics + partFaults
            isWhole = false
        }
    }

    /// The content blocks that the texts and blocks mention, with the places of the names.
    package var blockMentions: [(name: String, place: SourcePlace)] {
        templates.flatMap { text in text.blockUses.map { ($0.name, text.place(of: $0.range)) } }
    }

    /// The paths of the files whose texts are checked with the campaign.
    var filePaths: Set<String> {
        let fixtures = [campaign?.fixturesDocument?.file.path].compactMap(\.self)
        return Set([file.path] + fixtures + templates.map(\.source.file.path))
    }

    /// A content block with its name.
    private typealias NamedBlock = (name: String, text: LintedText)

    /// The content blocks that texts read, directly or in other content blocks.
    private static func blocks(
        _ blocks: [ContentBlock],
        readBy texts: [LintedText],
        _ attributes: [String: AttributeType]
    ) -> [NamedBlock] {
        guard !blocks.isEmpty else { return [] }
        let blocksByName = Dictionary(grouping: blocks) { Array($0.name.utf8) }
        var read: [NamedBlock] = []
        var names: Set<[UInt8]> = []
        var open = texts
        while let text = open.popLast() {
            for name in text.blockUses.map(\.name) where names.insert(Array(name.utf8)).inserted {
                let found = (blocksByName[Array(name.utf8)] ?? []).map {
                    LintedText($0.text, attributes: attributes)
                }
                read += found.map { (name, $0) }
                open += found
            }
        }
        return read
    }

    /// The content blocks that no text reads, directly or in other content blocks.
    var unreadBlocks: [LintedText] {
        let read = indicesOfBlocks(readBy: texts + translations + rerendered)
        return blocks.indices.filter { !read.contains($0) }.map { blocks[$0] }
    }

    /// The content blocks that texts read, directly or in other content blocks.
    func blocks(readBy texts: [LintedText]) -> [LintedText] {
        indicesOfBlocks(readBy: texts).sorted().map { blocks[$0] }
    }

    /// The indices of the content blocks that texts read; all indices if a text may read any block.
    private func indicesOfBlocks(readBy texts: [LintedText]) -> Set<Int> {
        var unread = Dictionary(grouping: blocks.indices) { Array(blockNames[$0].utf8) }
        var read: Set<Int> = []
        var open = texts
        while let text = open.popLast(), !unread.isEmpty {
            for partial in text.analysis.partials {
                guard let name = partial.name else { return Set(blocks.indices) }
                let found = unread.removeValue(forKey: Array(name.utf8)) ?? []
                read.formUnion(found)
                open += found.map { blocks[$0] }
            }
        }
        return read
    }

    /// The texts of translations in the fixtures.
    private static func translations(of campaign: Campaign) -> [TemplateText] {
        guard let (file, root) = campaign.fixturesDocument else { return [] }
        return root["translations"]?.texts(in: file, field: "translations") ?? []
    }

    /// The content extension of an app that shows the push: one that claims the push's category, or the category that
    /// is certainly meant; nil if there is none, or if the category is known only after rendering.
    func contentExtension(in app: App) -> App.Extension? {
        category(in: app).flatMap { app.contentExtensions(claiming: $0).first }
    }

    /// The category of the push, or the category of the app that is certainly meant; nil if the push has none, or if it
    /// is known only after rendering.
    func category(in app: App) -> String? {
        guard let campaign, campaign.push.category != nil else { return nil }
        return campaign.categories(in: app, besides: externalCategories).first ?? nil
    }

    /// The key-value pairs that the campaign has to send, because it declares so or because its apps require them.
    var requirements: [RequiredExtra] { campaign?.requirements?.extras ?? [] }

    /// The analysed text of a field.
    func text(of source: TemplateText) -> LintedText? {
        textsByField[source.field].map { texts[$0] }
    }
}
