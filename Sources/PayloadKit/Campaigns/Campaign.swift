// SPDX-License-Identifier: MIT

public import AppBundles
public import BrazeLiquid
public import DiagnosticSources
package import DocumentFormats

/// A campaign file: the message, what it needs of the app, and its tests.
///
/// A campaign is read once and rendered many times; see ``renderer(options:)``. Everything in it keeps its place in
/// the file, for findings about it.
public struct Campaign: Sendable {
    /// The file.
    public let file: SourceFile

    /// The first key of a file that does not name the version of its format; nil where it does, and for REST bodies.
    package var unversioned: SourcePlace?

    /// The values of `campaign.${…}`.
    public var identity = Identity()

    /// The name of the app in the project's configuration.
    public var app: Placed<String>?

    /// The message.
    public var push: PushMessage

    /// What the message needs of the app; nil when nothing is required.
    public var requirements: Requirements?

    /// What the code of apps reads of the push, by the names of the apps, where a cast or conversion may fail.
    var codeReads: [String: PushReads] = [:]

    /// Types of exported custom attributes.
    public var attributeTypes: [String: AttributeType] = [:]

    /// The attributes that every user has, Braze's and custom ones.
    public var givenAttributes: Set<String> = []

    /// The places of the names of the declared attributes.
    package internal(set) var attributePlaces: [String: SourcePlace] = [:]

    /// The folder of content blocks, relative to the campaign's file.
    public var contentBlocks: Placed<String>?

    /// The file of fixtures, relative to the campaign's file.
    public var fixtures: Placed<String>?

    /// The content blocks and fixtures, as they were read from their files.
    public internal(set) var resources = RenderContext.empty

    /// The content blocks, by their names, each with its place in its own file.
    public internal(set) var blocks: [ContentBlock] = []

    /// The names of content blocks whose files exist and are not read, each with a finding.
    package internal(set) var unreadBlocks: [String] = []

    /// The names of content blocks of the workspace that no text of the campaign reads.
    package internal(set) var otherBlocks: [String] = []

    /// The file of fixtures, as it was read; nil where none was.
    package internal(set) var fixturesDocument: (file: SourceFile, root: DocumentNode)?

    /// The tests, in the order of the file.
    public var tests: [CampaignTest] = []

    /// The findings that do not prevent reading the file, such as those about APNs' rules.
    public internal(set) var findings: [Diagnostic] = []

    /// The values of `campaign.${…}`.
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

        /// The languages of translations that Braze has of the message.
        public var locales: [String] = []
    }

    init(file: SourceFile, push: PushMessage) {
        self.file = file
        self.push = push
    }

    /// Reads the file at a path, and the REST body that it may name.
    ///
    /// - Throws: every fault of the file, with its place.
    public init(contentsOf path: String) throws(InputError) {
        guard let file = DiskFolder.file(at: path) else { throw .missing(path, .campaignSyntax) }
        try self.init(file: file, folder: DiskFolder(around: path))
    }

    /// Reads a campaign.
    ///
    /// - Parameters:
    ///   - file: the file; JSON where its name ends in `.json`, else YAML.
    ///   - folder: the files that it may name; by default none.
    /// - Throws: every fault of the file, with its place.
    public init(file: SourceFile, folder: some CampaignFolder = EmptyFolder()) throws(InputError) {
        let (campaign, diagnostics) = Self.read(file, folder: folder)
        guard let campaign, !diagnostics.contains(where: { $0.severity == .error }) else {
            let lacksFile = diagnostics.contains { $0.rule == .missingFile && $0.severity == .error }
            throw InputError(lacksFile ? .missing : .invalid, diagnostics + (campaign?.findings ?? []))
        }
        self = campaign
        findings = diagnostics + findings
    }

    /// Reads as much of a campaign as can be read.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - folder: the files that it may name.
    ///   - table: the fields that the push may have.
    /// - Returns: the campaign without its invalid parts, nil where nothing could be read; and the faults, to which
    ///   ``findings`` of the campaign have to be added.
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
