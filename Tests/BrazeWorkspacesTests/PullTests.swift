// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestSupport
import Testing

@testable import BrazeWorkspaces

/// Runs `pull` against a stand-in for Braze's API, and compares the files that it writes.
@Suite struct PullTests {
    @Test func `a workspace is written, and a second pull writes nothing`() throws {
        let braze = try StandIn()
        let first = try braze.pull()
        #expect(first.export.failure == nil)
        let files = braze.files
        #expect(files.keys.filter { $0.hasPrefix("campaigns/") && $0.hasSuffix(".yml") }.count == 6)
        #expect(files["campaigns/campaign-1-spring--00000001/variation-2.campaign.yml"] != nil)
        #expect(files["canvases/canvas-0--00000000/step-0--step-0.campaign.yml"] != nil)
        #expect(
            files["content_blocks/block_001.liquid"]?.hasSuffix("Line 1\n{{${first_name} | default: 'you'}}") == true)
        #expect(files["catalogs/products/schema.yaml"]?.contains("selections:\n- gifts") == true)
        #expect(files["custom_attributes/registry.yaml"]?.contains("- name: attribute_0119\n  type: time") == true)
        #expect(files["events/registry.yaml"]?.contains("- name: event 2") == true)
        // The files have neither e-mails and headers nor values that change without an edit.
        for text in files.values {
            #expect(!["s3cret", "last_sent", "inclusion_count", "num_items"].contains(where: text.contains))
        }
        #expect(try braze.pull().plan.changes.isEmpty)
        #expect(braze.files == files)
    }

    @Test func `a text that has changed in Braze changes one line, and what people added stays`() throws {
        let braze = try StandIn()
        try braze.pull()
        let path = "campaigns/campaign-1-spring--00000001/variation-1.campaign.yml"
        let pulled = try #require(braze.files[path])
        let edited = pulled.replacing("push:\n", with: "app: Shop  # ours\npush:\n  category: offer\n")
        try braze.folder.write(edited, to: "ws/" + path)
        #expect(try braze.pull().plan.changes.isEmpty)
        try braze.replace("\"Offer 1\"", by: "\"Last call: 'now' # {{ ${city} }}\"")
        let changed = try braze.pull()
        #expect(
            changed.plan.changes.map(\.path.fileNames)
                == [["variation-1.campaign.yml"], ["variation-2.campaign.yml"]].map { $0 })
        let expected = edited.replacing("\"Offer 1\"", with: "\"Last call: 'now' # {{ ${city} }}\"")
        #expect(braze.files[path] == expected)
    }

    static let faults: [(kind: String, failure: PullFailure.Kind)] = [
        ("401", .refused), ("403", .refused), ("404", .unreachable), ("429", .unreachable), ("429-far", .unreachable),
        ("429-retry-after", .unreachable), ("500", .unreachable), ("502-html", .unreachable), ("html", .unreachable),
        ("not-success", .unreachable), ("broken-json", .unreachable), ("redirect", .unreachable),
        ("drop", .unreachable),
    ]

    @Test(arguments: faults)
    func `a fault ends pulling with its reason, and what was whole is written`(
        kind: String,
        failure: PullFailure.Kind
    ) throws {
        let braze = try StandIn()
        try braze.fault("/content_blocks/info", kind)
        let pulled = try braze.pull()
        let found = try #require(pulled.export.failure)
        #expect(found.kind == failure)
        #expect(!found.message.contains(StandIn.key))
        if kind != "drop" {
            #expect(found.message.contains("stand-in-") || kind == "429-far")
        }
        // The parts that were read before the failure are complete, the others are missing, and no file is incomplete.
        #expect(braze.files.keys.contains { $0.hasPrefix("campaigns/") })
        #expect(!braze.files.keys.contains { $0.hasPrefix("custom_attributes/") || $0.contains("payloadgen-") })
        #expect(pulled.plan.gone.isEmpty)
    }

    @Test(arguments: ["429", "429-retry-after", "429-reset", "500", "502-html", "drop"])
    func `a fault that passes is waited for`(kind: String) throws {
        let braze = try StandIn("campaigns=1,events=1")
        try braze.fault("/campaigns/details", kind, times: 2)
        let pulled = try braze.pull()
        #expect(pulled.export.failure == nil)
        if kind == "429" { #expect(pulled.waits == [1, 2]) }
        if kind == "429-reset" { #expect(pulled.waits.allSatisfy { (1...3).contains($0) } && pulled.waits.count == 2) }
    }

    @Test func `a request is tried again five times at most`() throws {
        let braze = try StandIn("campaigns=0")
        try braze.fault("/campaigns/list", "500")
        #expect(try braze.pull().requests == 6)
    }

    @Test func `a server that does not answer is given up`() throws {
        let braze = try StandIn("campaigns=0")
        try braze.fault("/campaigns/list", "stall")
        let failure = try #require(try braze.pull(timeout: 1).export.failure)
        #expect(failure.kind == .unreachable)
        #expect(failure.message.contains("does not answer within 1 second"))
    }

    @Test(arguments: ["/content_blocks/list", "/custom_attributes", "/events/list"])
    func `pages that repeat end the list`(path: String) throws {
        let braze = try StandIn("campaigns=1,blocks=3,attributes=120,events=600")
        try braze.fault(path, "repeat")
        let pulled = try braze.pull()
        #expect(pulled.export.failure == nil)
        #expect(pulled.requests < 40)
    }

    @Test func `a link to another origin is not followed`() throws {
        let braze = try StandIn()
        try braze.fault("/custom_attributes", "link-elsewhere")
        let failure = try #require(try braze.pull().export.failure)
        #expect(failure.message.contains("is not at http://127.0.0.1"))
    }

    @Test func `a response that repeats the key is redacted`() throws {
        let braze = try StandIn("campaigns=1")
        try braze.fault("/campaigns/details", "key-in-body")
        let pulled = try braze.pull()
        #expect(pulled.isKeyRepeated)
        #expect(braze.files.values.contains { $0.contains("[redacted]") })
        #expect(!braze.files.values.contains { $0.contains(StandIn.key) })
    }

    @Test func `a wrong key is refused without being shown`() throws {
        let braze = try StandIn("campaigns=1")
        let failure = try #require(try braze.pull(key: "11111111-wrong").export.failure)
        #expect(failure.kind == .refused)
        #expect(!failure.message.contains("11111111"))
    }

    @Test func `an interruption keeps what was read`() throws {
        let braze = try StandIn()
        try braze.pull()
        let before = braze.files
        let pulled = try braze.pull(prunes: true, isInterrupted: { true })
        #expect(pulled.export.failure?.kind == .interrupted)
        #expect(pulled.plan.changes.isEmpty && pulled.plan.gone.isEmpty)
        #expect(braze.files == before)
    }

    @Test func `what is gone stays, and --prune removes it where git has it unchanged`() throws {
        let braze = try StandIn()
        try braze.pull()
        try braze.git("init", "-q")
        try braze.git("add", "-A")
        try braze.git("commit", "-qm", "pulled")
        let edited = "campaigns/campaign-2-spring--00000002/variation-1.campaign.yml"
        try braze.folder.write((braze.files[edited] ?? "") + "# ours\n", to: "ws/" + edited)
        try braze.change { space in
            var campaigns = space["campaigns"] as? [String: Any] ?? [:]
            campaigns = campaigns.filter { !$0.key.hasPrefix("00000002") }
            space["campaigns"] = campaigns
            space["attributes"] = Array((space["attributes"] as? [Any] ?? []).dropLast())
        }
        let before = braze.files
        let kept = try braze.pull()
        #expect(kept.plan.gone.count == 3)
        #expect(kept.plan.changes.isEmpty)
        #expect(braze.files == before)
        let pruned = try braze.pull(prunes: true)
        #expect(pruned.plan.gone.count == 1)
        let gone = Set(before.keys).subtracting(braze.files.keys)
        #expect(gone == ["campaigns/campaign-2-spring--00000002/variation-2.campaign.yml"])
        #expect(braze.files["custom_attributes/registry.yaml"]?.contains("attribute_0119") == false)
    }

    @Test func `drafts and archived campaigns are left out unless they are asked for`() throws {
        let braze = try StandIn("campaigns=3")
        try braze.change { space in
            var campaigns = space["campaigns"] as? [String: [String: Any]] ?? [:]
            for (id, campaign) in campaigns {
                var campaign = campaign
                if id.hasPrefix("00000000") { campaign["draft"] = true }
                if id.hasPrefix("00000001") { campaign["archived"] = true }
                if id.hasPrefix("00000002") {
                    campaign["has_post_launch_draft"] = true
                    campaign["draft_details"] = campaign.merging(["tags": ["edited"]]) { $1 }
                }
                campaigns[id] = campaign
            }
            space["campaigns"] = campaigns
        }
        let live = try braze.pull()
        #expect(live.export.notes.contains { $0.contains("is a draft") })
        #expect(
            Set(
                braze.files.keys.filter { $0.hasPrefix("campaigns/") && $0.hasSuffix("1.campaign.yml") }.map {
                    $0.prefix(20)
                }
            ).count == 1)
        var selection = PullSelection()
        (selection.includesDrafts, selection.includesArchived) = (true, true)
        try braze.pull(selection)
        #expect(braze.files.values.count { $0.contains("tags: [\"edited\"]") } == 2)
        #expect(braze.files.keys.count { $0.hasSuffix("variation-1.campaign.yml") } == 3)
    }

    @Test func `the languages of translations are written`() throws {
        let braze = try StandIn("campaigns=1")
        try braze.replace("\"Offer 0\"", by: "\"{% translation id_0 %}Offer{% endtranslation %}\"")
        try braze.change { $0["translations"] = ["00000000-0001-4000-8000-000000000001": ["fr", "de-AT"]] }
        #expect(try braze.pull().export.failure == nil)
        #expect(braze.files.values.count { $0.contains("locales: [\"de-AT\", \"fr\"]") } == 1)
    }

    @Test func `a changed file is shown as a diff of its lines`() throws {
        let braze = try StandIn("campaigns=1")
        try braze.pull()
        try braze.replace("\"Offer 0\"", by: "\"Offer X\"")
        let diff = try braze.pull(writes: false).plan.diff(isForPeople: false)
        #expect(diff.contains("\n-  title: \"Offer 0\"\n+  title: \"Offer X\"\n"))
        #expect(diff.split(separator: "\n").count { $0.hasPrefix("-  ") || $0.hasPrefix("+  ") } == 4)
        #expect(braze.files.values.contains { $0.contains("Offer 0") })
    }
}

extension String {
    fileprivate var fileNames: [String] { [URL(filePath: self).lastPathComponent] }
}
