// SPDX-License-Identifier: MIT

import AppBundles
import BrazeLiquid
import Liquid
import SourceText

/// Reads the nodes of a campaign file into a ``Campaign``.
struct CampaignReader {
    var document: DocumentReader
    private(set) var campaign: Campaign
    private let folder: any CampaignFolder

    static let keys = [
        "version", "campaign", "app", "push", "requires", "attributes", "content_blocks", "fixtures", "tests",
    ]

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - file: the campaign.
    ///   - folder: what is around it.
    ///   - table: the fields that its push may have.
    init(file: SourceFile, folder: any CampaignFolder, table: PushTable) {
        document = DocumentReader(
            file: file,
            syntaxRule: CampaignRule.syntax,
            unknownKeyRule: CampaignRule.unknownKey
        )
        campaign = Campaign(file: file, push: PushMessage(table: table))
        self.folder = folder
    }

    mutating func read(_ root: DocumentNode) {
        let isBareREST = root["messages"] != nil || root["apple_push"] != nil
        if isBareREST, root["push"] == nil { return readBareREST(root) }
        let members = document.members(of: root, name: "the campaign", owner: "the campaign", keys: Self.keys)
        guard root.members != nil else { return }
        for member in members {
            let node = member.value
            switch member.name {
            case "version":
                if let version = document.integer(node, "version"), version != 1 {
                    document.report("found version \(version), expected 1", at: node.range)
                }
            case "campaign": readIdentity(node)
            case "app": campaign.app = placedText(node, "app")
            case "push": readPush(node)
            case "requires": readRequirements(node)
            case "attributes": readAttributes(node)
            case "content_blocks": readContentBlocks(node)
            case "fixtures": readFixtures(node)
            case "tests": readTests(node)
            default: break
            }
        }
        if root["push"] == nil {
            let start = SourceRange(start: root.range.start, end: root.range.start)
            document.report(DocumentMessages.missingKey("push", of: "the campaign"), at: start)
        }
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
                "'\(member.name)' beside 'rest': the message comes from the REST body alone",
                at: member.keyRange
            )
        }
        guard let path = document.text(rest, "push.rest") else { return }
        guard let file = folder.file(at: path.text) else {
            return document.report(folder.fault(at: path.text), at: rest.range)
        }
        do {
            guard let root = try DocumentNode.read(file, rule: CampaignRule.syntax) else {
                return document.report("'\(path.text)' holds nothing", at: rest.range)
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
        readREST(root, in: document.file)
        document.report(
            "a bare REST body: nothing is required of the app",
            at: SourceRange(0, 0),
            severity: .info
        )
    }

    // MARK: - Parts around the message

    private mutating func readIdentity(_ node: DocumentNode) {
        let keys = ["name", "api_id", "message_name", "message_api_id", "dispatch_id"]
        for member in document.members(of: node, name: "campaign", owner: "'campaign'", keys: keys) {
            let text = document.text(member.value, "campaign." + member.name)?.text
            switch member.name {
            case "name": campaign.identity.name = text
            case "api_id": campaign.identity.apiID = text
            case "message_name": campaign.identity.messageName = text
            case "message_api_id": campaign.identity.messageAPIID = text
            case "dispatch_id": campaign.identity.dispatchID = text
            default: break
            }
        }
    }

    private mutating func readRequirements(_ node: DocumentNode) {
        var requirements = Requirements(place: document.place(node.range))
        let keys = ["user_interaction", "text_input", "extras"]
        for member in document.members(of: node, name: "requires", owner: "'requires'", keys: keys) {
            let place = document.place(member.value.range)
            switch member.name {
            case "user_interaction":
                requirements.userInteraction = document.bool(member.value, "requires.user_interaction")
                    .map { Placed($0, at: place) }
            case "text_input":
                requirements.textInput = document.bool(member.value, "requires.text_input").map {
                    Placed($0, at: place)
                }
            case "extras": requirements.extras = document.requiredExtras(member.value, "requires.extras")
            default: break
            }
        }
        campaign.requirements = requirements
    }

    private mutating func readAttributes(_ node: DocumentNode) {
        for member in document.members(of: node, name: "attributes") {
            let name = "attributes." + member.name
            for part in document.members(of: member.value, name: name, owner: "'\(name)'", keys: ["type"]) {
                guard part.name == "type" else { continue }
                campaign.attributeTypes[member.name] = document.choice(part.value, name + ".type")
            }
        }
    }

    private mutating func readContentBlocks(_ node: DocumentNode) {
        campaign.contentBlocks = placedText(node, "content_blocks")
        guard let path = campaign.contentBlocks?.value else { return }
        guard let names = folder.names(in: path) else {
            return document.report(
                folder.refusal(of: path) ?? "cannot read the folder '\(path)'",
                at: node.range
            )
        }
        let suffix = ".liquid"
        let prefix = path.utf8.last == UInt8(ascii: "/") ? path : path + "/"
        var blocks = LiquidObject.Builder()
        for name in names where name.utf8.count > suffix.utf8.count && name.hasSuffix(suffix) {
            guard let file = folder.file(at: prefix + name) else {
                if let refusal = folder.refusal(of: prefix + name) { document.report(refusal, at: node.range) }
                continue
            }
            blocks.set(String(name.dropLast(suffix.count)), .string(String(decoding: file.bytes, as: UTF8.self)))
        }
        do throws(LiquidError) {
            try campaign.resources.set("content_blocks", .object(LiquidObject(blocks)))
        } catch {
            document.report(error.message, at: node.range)
        }
    }

    private mutating func readFixtures(_ node: DocumentNode) {
        campaign.fixtures = placedText(node, "fixtures")
        guard let path = campaign.fixtures?.value else { return }
        guard let file = folder.file(at: path) else {
            return document.report(folder.fault(at: path), at: node.range)
        }
        var fixtures = DocumentReader(
            file: file,
            syntaxRule: CampaignRule.syntax,
            unknownKeyRule: CampaignRule.unknownKey
        )
        do throws(DocumentError) {
            if let root = try DocumentNode.read(file, rule: CampaignRule.syntax) {
                let keys = RenderContext.fixtureKeys
                for member in fixtures.members(of: root, name: "the fixtures", owner: "the fixtures", keys: keys)
                where keys.contains(member.name) {
                    do throws(LiquidError) {
                        try campaign.resources.set(member.name, member.value.value.resolvingTimes())
                    } catch {
                        fixtures.report(error.message, at: member.value.range)
                    }
                }
            }
        } catch {
            for diagnostic in error.diagnostics { document.report(diagnostic) }
        }
        for diagnostic in fixtures.diagnostics { document.report(diagnostic) }
    }

    private mutating func placedText(_ node: DocumentNode, _ name: String) -> Placed<String>? {
        document.text(node, name).map { Placed($0.text, at: document.place(node.range)) }
    }

    // MARK: - Tests

    private static let testKeys = [
        "name", "profile", "context", "trigger_properties", "event_properties", "now", "seed", "expect",
    ]

    private mutating func readTests(_ node: DocumentNode) {
        var snapshots: [String: SourcePlace] = [:]
        for (index, element) in document.elements(of: node, name: "tests").enumerated() {
            guard let test = readTest(element, index: index) else { continue }
            campaign.tests.append(test)
            guard let place = test.expectation.snapshot else { continue }
            if let first = snapshots.updateValue(place, forKey: test.snapshotName) {
                document.report(
                    "two tests share the snapshot '\(test.snapshotName)', expected names of their own",
                    at: place.range,
                    related: [Diagnostic.Related("the first", at: first)]
                )
            }
        }
    }

    private mutating func readTest(_ node: DocumentNode, index: Int) -> CampaignTest? {
        let owner = "tests[\(index)]"
        let place = document.place(node.range)
        var test = CampaignTest(name: owner, expectation: CampaignTest.Expectation(place: place), place: place)
        for member in document.members(of: node, name: owner, owner: "'\(owner)'", keys: Self.testKeys) {
            let name = owner + "." + member.name
            switch member.name {
            case "name": test.name = document.text(member.value, name)?.text ?? owner
            case "profile": test.profile = placedText(member.value, name)
            case "context": test.context = placedText(member.value, name)
            case "trigger_properties": test.triggerProperties = properties(member.value, name)
            case "event_properties": test.eventProperties = properties(member.value, name)
            case "now": test.now = document.time(member.value, name)
            case "seed": test.seed = document.integer(member.value, name)
            case "expect": test.expectation = readExpectation(member.value, name)
            default: break
            }
        }
        return node.members == nil ? nil : test
    }

    private mutating func properties(_ node: DocumentNode, _ name: String) -> LiquidObject? {
        guard node.members != nil else {
            document.reportType(node, name, expected: "a mapping")
            return nil
        }
        return node.object.resolvingTimes()
    }
}
