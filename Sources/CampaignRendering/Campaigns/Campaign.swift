// SPDX-License-Identifier: MIT

public import AppDeclarations
public import BrazeLiquid
public import DiagnosticSources
package import DocumentFormats

/// A campaign file: the message, what it needs of the app, and its tests.
///
/// A campaign is read once and rendered many times; see ``renderer(options:)``. All its parts keep their places in the
/// file, for findings about them.
public struct Campaign: Sendable {
    /// The file that the campaign was read from.
    public let file: SourceFile

    /// The place of the file's first key if the file does not name the version of its format; nil if it does, and for
    /// REST bodies.
    package var unversioned: SourcePlace?

    /// The values of `campaign.${…}`, and the tags and languages of the campaign in Braze.
    public var identity = Identity()

    /// The name of the app in the project's configuration.
    public var app: Placed<String>?

    /// The message, before it is rendered.
    public var push: PushMessage

    /// What the message needs of the app; nil if it needs nothing.
    public var requirements: Requirements?

    /// What the code of each app reads from the push, by the app's name; without apps in which no cast or conversion
    /// may fail.
    var codeReads: [String: PushReads] = [:]

    /// Types of exported custom attributes.
    public var attributeTypes: [String: AttributeType] = [:]

    /// The attributes that every user has, both Braze's and custom ones.
    public var givenAttributes: Set<String> = []

    /// The places of the names of the declared attributes.
    package internal(set) var attributePlaces: [String: SourcePlace] = [:]

    /// The folder of content blocks, relative to the campaign's file.
    public var contentBlocks: Placed<String>?

    /// The file of fixtures, relative to the campaign's file.
    public var fixtures: Placed<String>?

    /// The content blocks and fixtures that were read from their files.
    public internal(set) var resources = RenderContext.empty

    /// The content blocks, with their names and their places in their own files.
    public internal(set) var blocks: [ContentBlock] = []

    /// The names of content blocks whose files exist but were not read; there is a finding about each.
    package internal(set) var unreadBlocks: [String] = []

    /// The names of the workspace's content blocks that no text of the campaign reads.
    package internal(set) var otherBlocks: [String] = []

    /// The file of fixtures that was read, with its contents; nil if there is none.
    package internal(set) var fixturesDocument: (file: SourceFile, root: DocumentNode)?

    /// The place of `message_api_id`; nil if the file does not have it.
    package internal(set) var messageIDPlace: SourcePlace?

    /// The tests, in the order of the file.
    public var tests: [CampaignTest] = []

    /// The findings that do not prevent the file from being read, such as findings about APNs' rules.
    public internal(set) var findings: [Diagnostic] = []

    /// The values of `campaign.${…}`, and the tags and languages of the campaign in Braze.
    public struct Identity: Sendable, Hashable {
        /// `campaign.${name}`.
        public var name: String?

        /// `campaign.${api_id}`, and `ab.c` of the payload.
        public var apiID: String?

        /// `campaign.${message_name}`.
        public var messageName: String?

        /// `campaign.${dispatch_id}`.
        public var dispatchID: String?

        /// `campaign.${message_api_id}`.
        public var messageAPIID: String?

        /// The tags of the campaign in Braze.
        public var tags: [String] = []

        /// The languages in which Braze has translations of the message.
        public var locales: [String] = []
    }

    init(file: SourceFile, push: PushMessage) {
        self.file = file
        self.push = push
    }

    /// Reads the file at a path, and the REST body, content blocks and fixtures that it names.
    ///
    /// - Throws: all faults of the files, with their places.
    public init(contentsOf path: String) throws(InputError) {
        guard let file = DiskFolder.file(at: path) else { throw .missing(path, .campaignSyntax) }
        try self.init(file: file, folder: DiskFolder(around: path))
    }

    /// Reads a campaign.
    ///
    /// - Parameters:
    ///   - file: the file; JSON if its name ends in `.json`, else YAML.
    ///   - folder: the folder with the files that the campaign may name; by default it has none.
    /// - Throws: all faults of the files, with their places.
    public init(file: SourceFile, folder: some CampaignFolder = EmptyFolder()) throws(InputError) {
        let (campaign, diagnostics) = Self.read(file, folder: folder)
        guard let campaign, !diagnostics.contains(where: { $0.severity == .error }) else {
            let lacksFile = diagnostics.contains { $0.rule == .missingFile && $0.severity == .error }
            throw InputError(lacksFile ? .missing : .invalid, diagnostics + (campaign?.findings ?? []))
        }
        self = campaign
        findings = diagnostics + findings
    }

    /// Reads the valid parts of a campaign.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - folder: the folder with the files that the campaign may name.
    ///   - table: the fields that the push may have.
    /// - Returns: the campaign without its invalid parts, nil if nothing could be read; and the faults, which do not
    ///   include the campaign's ``findings``.
    package static func read(
        _ file: SourceFile,
        folder: some CampaignFolder,
        table: PushTable = .standard
    ) -> (campaign: Campaign?, diagnostics: [Diagnostic]) {
        let root: DocumentNode
        do {
            guard let node = try DocumentNode.read(file, rule: .campaignSyntax) else {
                let place = SourcePlace(wholeFile: file)
                return (
                    nil,
                    [
                        Diagnostic(.campaignSyntax, "the file is empty", at: place)
                    ]
                )
            }
            root = node
        } catch {
            return (nil, error.diagnostics)
        }
        var reader = CampaignReader(file: file, folder: folder, table: table)
        reader.read(root)
        var campaign = reader.campaign
        campaign.findings = StaticChecks.findings(in: campaign)
        return (campaign, reader.document.diagnostics)
    }
}

/// The declared type of a custom attribute; Braze's export does not contain its type.
public enum AttributeType: String, Sendable, CaseIterable {
    case string
    case number
    /// `true` or `false`; an attribute that is left out is false.
    case boolean
    /// A time, exported as text.
    case time
    case array
    case object
}
