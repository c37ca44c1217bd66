// SPDX-License-Identifier: MIT

import AppDeclarations
import BrazeLiquid
import DiagnosticSources
import DocumentFormats
import LiquidDocumentValues
import LiquidTemplates

/// Reads the nodes of a campaign file into a ``Campaign``.
struct CampaignReader {
    var document: DocumentReader
    private(set) var campaign: Campaign
    private let folder: any CampaignFolder

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - file: the campaign.
    ///   - folder: the folder with the files that the campaign may name.
    ///   - table: the fields that the campaign's push may have.
    init(file: SourceFile, folder: any CampaignFolder, table: PushTable) {
        document = DocumentReader(campaign: file)
        campaign = Campaign(file: file, push: PushMessage(table: table))
        self.folder = folder
    }

    mutating func read(_ root: DocumentNode) {
        if root["push"] == nil, let payload = root.member("aps") {
            return document.report(
                """
                found an APNs payload, expected a campaign, from which payloads are made: the texts of its alert belong in \
                'push', such as 'push: {title: …, body: …}', and keys beside 'aps' in 'extras' of 'push'
                """,
                at: payload.keyRange
            )
        }
        if document.file.isTable {
            return document.report(
                "found a table (CSV), expected a campaign; users are read with --profiles, as JSON with one user on each line",
                at: root.range
            )
        }
        if let export = root.apiResponse {
            return document.report(
                """
                found \(export) from Braze's REST API, expected a campaign; 'payloadgen pull --from DIR' makes campaign files \
                of the responses in a folder
                """,
                at: .wholeFile
            )
        }
        let isBareREST =
            root["messages"] != nil || root["apple_push"] != nil
            || (root.members ?? []).contains { $0.value["apple_push"] != nil }
        if isBareREST, root["push"] == nil { return readBareREST(root) }
        if root["version"] == nil, root["push"] != nil, let first = root.members?.first {
            campaign.unversioned = SourcePlace(document.file, first.keyRange)
        }
        guard let root = document.checked(root, .campaign(campaign.push.table)) else { return }
        if let node = root["campaign"] {
            campaign.identity = identity(node)
            campaign.messageIDPlace = node["message_api_id"].map { document.place($0.range) }
        }
        campaign.app = placedText(root["app"])
        if let node = root["push"] { readPush(node) }
        campaign.requirements = root["requires"].map { document.requirements($0) }
        for attribute in root.members("attributes") {
            campaign.attributeTypes[attribute.name] = attribute.value.choice("type")
            if attribute.value.bool("always") == true { campaign.givenAttributes.insert(attribute.name) }
            campaign.attributePlaces[attribute.name] = SourcePlace(document.file, attribute.keyRange)
        }
        if let node = root["content_blocks"] { readContentBlocks(node) }
        if let workspace = folder.workspace, campaign.identity.isPulled { complete(with: workspace) }
        if let node = root["fixtures"] { readFixtures(node) }
        readTests(root.elements("tests"))
    }

    // MARK: - The message

    private mutating func readPush(_ node: DocumentNode) {
        guard let rest = node["rest"] else {
            var reader = PushReader(document: document, table: campaign.push.table)
            reader.read(node)
            document = reader.document
            campaign.push = reader.push
            return
        }
        for member in node.members ?? [] where member.name != "rest" {
            document.report(
                "'\(member.name)' beside 'rest': the message comes only from the REST body",
                at: member.keyRange
            )
        }
        let path = rest.scalar?.text ?? ""
        guard let file = folder.file(at: path) else {
            return document.report(missing: path, folder.fileRefusal(of: path), folder, at: rest.range)
        }
        do {
            guard let root = try DocumentNode.read(file, rule: .campaignSyntax) else {
                return document.report("'\(path)' is empty", at: rest.range)
            }
            readREST(root, in: file)
        } catch {
            for diagnostic in error.diagnostics { document.report(diagnostic) }
        }
    }

    private mutating func readREST(_ root: DocumentNode, in file: SourceFile) {
        var reader = RESTReader(file: file, table: campaign.push.table)
        reader.read(root)
        for diagnostic in reader.push.document.diagnostics { document.report(diagnostic) }
        campaign.push = reader.push.push
        if campaign.identity.apiID == nil { campaign.identity.apiID = reader.campaignID }
    }

    private mutating func readBareREST(_ root: DocumentNode) {
        document.report(
            "a REST body alone does not say what the app has to support; a campaign file with 'push: {rest: FILE}' can, under 'requires'",
            at: .wholeFile,
            severity: .info
        )
        readREST(root, in: document.file)
    }

    // MARK: - Parts beside the message

    private func identity(_ node: DocumentNode) -> Campaign.Identity {
        var identity = Campaign.Identity()
        identity.name = node.text("name")
        identity.apiID = node.text("api_id")
        identity.messageName = node.text("message_name")
        identity.messageAPIID = node.text("message_api_id")
        identity.dispatchID = node.text("dispatch_id")
        identity.tags = node.elements("tags").compactMap { $0.scalar?.text }
        identity.locales = node.elements("locales").compactMap { $0.scalar?.text }
        return identity
    }

    private mutating func readContentBlocks(_ node: DocumentNode) {
        campaign.contentBlocks = placedText(node)
        guard let path = campaign.contentBlocks?.value else { return }
        guard let names = blockNames(in: path) else {
            return document.report(
                missing: path, folder.folderRefusal(of: path), kind: "the folder ", folder, at: node.range)
        }
        for name in names { readBlock(name, in: path, at: node.range) }
        setBlocks(at: node.range)
    }

    private static let blockSuffix = ".liquid"

    /// The names of the content blocks in a folder; nil if the folder does not exist.
    private func blockNames(in path: String) -> [String]? {
        folder.names(in: path)?.filter { name in
            name.utf8.count > Self.blockSuffix.utf8.count && name.hasSuffix(Self.blockSuffix)
        }.map { String($0.dropLast(Self.blockSuffix.count)) }
    }

    private mutating func readBlock(_ name: String, in path: String, at range: SourceRange) {
        let path = (path.utf8.last == UInt8(ascii: "/") ? path : path + "/") + name + Self.blockSuffix
        guard let file = folder.file(at: path) else {
            if let refusal = folder.refusal(of: path) {
                document.report(refusal, at: range)
                campaign.unreadBlocks.append(name)
            }
            return
        }
        if let fault = ContentBlock.fault(in: file) { document.report(fault) }
        campaign.blocks.append(ContentBlock(name, in: file, keepsNewline: folder.keepsNewlineOfBlocks))
    }

    /// Makes the content blocks that were read available to templates.
    private mutating func setBlocks(at range: SourceRange) {
        var blocks = LiquidObject.Builder()
        for block in campaign.blocks { blocks.set(block.name, .string(block.text.text)) }
        do throws(LiquidError) {
            try campaign.resources.set("content_blocks", .object(LiquidObject(blocks)))
        } catch {
            document.report(error.message, at: range)
        }
    }

    // MARK: - The workspace

    /// Completes a pulled campaign with what the configuration sets for it, and with those of the workspace's content
    /// blocks that the campaign reads.
    private mutating func complete(with workspace: Workspace) {
        for match in workspace.matches where match.fits(campaign.identity) {
            if campaign.push.category == nil, let category = match.category {
                campaign.push["category"] = .text(category)
            }
            campaign.app = campaign.app ?? match.app
            campaign.requirements = campaign.requirements ?? match.requirements
        }
        guard campaign.contentBlocks == nil, let names = blockNames(in: workspace.blocks) else { return }
        campaign.contentBlocks = Placed(workspace.blocks)
        // A workspace may have hundreds of blocks, and most campaigns read none.
        var unread = names
        var texts = campaign.push.texts.map(\.text)
        while let text = texts.popLast() {
            guard text.holds("content_blocks") else { continue }
            let read = unread.filter { text.holds($0) }
            unread.removeAll { read.contains($0) }
            for name in read {
                let count = campaign.blocks.count
                readBlock(name, in: workspace.blocks, at: .wholeFile)
                texts += campaign.blocks[count...].map(\.text.text)
            }
        }
        campaign.otherBlocks = unread
        setBlocks(at: .wholeFile)
    }

    private mutating func readFixtures(_ node: DocumentNode) {
        campaign.fixtures = placedText(node)
        guard let path = campaign.fixtures?.value else { return }
        guard let file = folder.file(at: path) else {
            return document.report(missing: path, folder.fileRefusal(of: path), folder, at: node.range)
        }
        var fixtures = DocumentReader(campaign: file)
        do throws(InputError) {
            let nothing = DocumentNode(.mapping([]), range: .wholeFile)
            let root = try DocumentNode.read(file, rule: .campaignSyntax) ?? nothing
            campaign.fixturesDocument = (file, root)
            for member in fixtures.checked(root.withoutNullMembers, .fixtures)?.members ?? [] {
                do throws(LiquidError) {
                    let value = resource(member, fixtures.data(member.value), in: file)
                    try campaign.resources.set(member.name, value, checksForm: false)
                } catch {
                    fixtures.report(error.message, at: member.value.range)
                }
            }
        } catch {
            for diagnostic in error.diagnostics { document.report(diagnostic) }
        }
        for diagnostic in fixtures.diagnostics { document.report(diagnostic) }
    }

    /// The value of one kind of fixtures; content blocks are merged with the blocks of the folder.
    private mutating func resource(_ member: DocumentMember, _ data: Value, in file: SourceFile) -> Value {
        let value = data.resolvingTimes()
        guard member.name == "content_blocks", case .object(let blocks) = value else { return value }
        for block in member.value.members ?? [] {
            guard let scalar = block.value.scalar else { continue }
            campaign.blocks.removeAll { $0.name.utf8.elementsEqual(block.name.utf8) }
            campaign.blocks.append(ContentBlock(block.name, scalar, at: block.value.range, in: file))
        }
        guard case .object(let folder)? = campaign.resources.fixtures[member.name] else { return value }
        return .object(blocks.laid(over: folder))
    }

    private func placedText(_ node: DocumentNode?) -> Placed<String>? {
        node?.scalar.map { Placed($0.text, at: node.map { document.place($0.range) }) }
    }

    // MARK: - Tests

    private mutating func readTests(_ elements: [DocumentNode]) {
        var snapshots: [String: SourcePlace] = [:]
        for (index, element) in elements.enumerated() {
            let test = test(element, index: index)
            campaign.tests.append(test)
            guard let place = test.expectation.snapshot else { continue }
            if let first = snapshots.updateValue(place, forKey: test.snapshotName) {
                document.report(
                    "two tests share the snapshot '\(test.snapshotName)', expected different names",
                    at: place.range,
                    related: [Diagnostic.Related("the first", at: first)]
                )
            }
        }
    }

    private mutating func test(_ node: DocumentNode, index: Int) -> CampaignTest {
        let place = document.place(node.range)
        let name = "tests[\(index)]"
        let expectation = node["expect"].map { readExpectation($0, name + ".expect") }
        return CampaignTest(
            name: node.text("name") ?? name,
            profile: node["profile"].flatMap { CampaignTest.Input($0, in: document.file) },
            context: node["context"].flatMap { CampaignTest.Input($0, in: document.file) },
            triggerProperties: node["trigger_properties"].map { document.properties($0).resolvingTimes() },
            eventProperties: node["event_properties"].map { document.properties($0).resolvingTimes() },
            now: node.time("now"),
            seed: node.integer("seed"),
            expectation: expectation ?? CampaignTest.Expectation(place: place),
            place: place
        )
    }
}

extension DocumentReader {
    /// A reader of a file that is a campaign, or a part of one.
    init(campaign file: SourceFile) {
        self.init(
            file: file, syntaxRule: .campaignSyntax, unknownKeyRule: .campaignUnknownKey, synonyms: .campaign)
    }

    /// Reports a missing file or folder, and suggests the most similar name in the same folder.
    ///
    /// If `refusal` gives the reason that an existing path is not read, that reason is reported instead.
    fileprivate mutating func report(
        missing path: String,
        _ refusal: String?,
        kind: String = "",
        _ folder: any CampaignFolder,
        at range: SourceRange
    ) {
        if let refusal { return report(refusal, at: range) }
        let fault = "cannot read \(kind)'\(path)'"
        var path = Substring(path)
        while path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
        let end = path.lastIndex(of: "/")
        let parent = end.map { String(path[..<$0]) } ?? "."
        let name = String(end.map { path[path.index(after: $0)...] } ?? path)
        let near = nearestName(to: name, in: folder.names(in: parent) ?? [])
        let hint = didYouMean(near, else: folder.hint(at: String(path)))
        report(fault + hint, at: range, rule: .missingFile)
    }
}

extension DocumentNode {
    /// The mapping without members whose value is empty or null; these count as missing.
    fileprivate var withoutNullMembers: DocumentNode {
        guard let members else { return self }
        var node = self
        node.content = .mapping(members.filter { !($0.value.scalar?.isNullMark ?? false) })
        return node
    }
}

extension DocumentNode {
    /// What a response of Braze's REST API about campaigns or Canvases contains; nil for any other document.
    fileprivate var apiResponse: String? {
        if self["push"] != nil { return nil }
        if self["steps"]?.elements != nil, self["variants"]?.elements != nil { return "the details of a Canvas" }
        if self["campaigns"]?.elements != nil || self["canvases"]?.elements != nil { return "a list of campaigns" }
        let messages = members("messages")
        let isExport = !messages.isEmpty && messages.allSatisfy { $0.value["channel"] != nil }
        return isExport ? "the details of a campaign" : nil
    }
}

extension SourceFile {
    /// Whether the file looks like a table: its first two lines have the same number of values, at least two.
    var isTable: Bool {
        let lines = bytes.prefix(10_000).split(separator: UInt8(ascii: "\n"), maxSplits: 2).prefix(2)
        guard lines.count == 2, let first = lines[0].first, !"{[#\"".utf8.contains(first) || path.hasSuffix(".csv")
        else {
            return false
        }
        return ",;\t".utf8.contains { mark in
            let counts = lines.map { line in line.count { $0 == mark } }
            return counts[0] > 0 && counts[0] == counts[1]
        } && !lines[0].contains(UInt8(ascii: ":"))
    }
}

/// Reads the expectations of tests.
extension CampaignReader {
    mutating func readExpectation(_ node: DocumentNode, _ name: String) -> CampaignTest.Expectation {
        var expectation = CampaignTest.Expectation(place: document.place(node.range))
        let members = node.members ?? []
        for member in members {
            let place = document.place(member.value.range)
            switch member.name {
            case "aborted": expectation.aborted = member.value.scalar.map { Placed($0.text, at: place) }
            case "failed": expectation.failed = member.value.scalar.map { Placed($0.text, at: place) }
            case "bytes": expectation.bytes = bounds(member.value, name + ".bytes").map { Placed($0, at: place) }
            case "snapshot": if node.bool("snapshot") == true { expectation.snapshot = place }
            case "extras": expectation.extras = member.value
            default: expectation.members.append(member)
            }
        }
        if let ending = members.first(where: { $0.name == "aborted" || $0.name == "failed" }),
            let other = members.first(where: { $0.name != ending.name })
        {
            document.report(
                "'\(other.name)' beside '\(ending.name)': a message that is not sent has no payload",
                at: other.keyRange
            )
        }
        return expectation
    }

    private mutating func bounds(_ node: DocumentNode, _ name: String) -> ClosedRange<Int>? {
        if case .integer(let count)? = node.scalar?.value { return count...count }
        let low = node.integer("at_least") ?? 0
        let high = node.integer("at_most") ?? .max
        guard low <= high else {
            document.report("'\(name)': at_least \(low) is above at_most \(high)", at: node.range)
            return nil
        }
        return low...high
    }
}
