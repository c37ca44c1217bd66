// SPDX-License-Identifier: MIT

import Foundation
import PayloadKit
import Testing

@testable import CampaignPreview

/// The list of branches, the people who take them, and the people who are added for the other branches.
@Suite struct BranchTests {
    private static let campaign = """
        version: 1
        push:
          title: |-
            {%- if custom_attribute.${level} > 9 -%}
            Champion
            {%- elsif custom_attribute.${level} > 4 -%}
            Well done
            {%- else -%}
            Hello
            {%- endif -%}
          body: |-
            {%- if ${first_name} == 'Nobody' -%}
            {% abort_message('nobody') %}
            {%- endif -%}
            Dear {{ ${first_name} | default: 'you' }}
            {%- if api_trigger_properties.${gift} != blank %}, a gift{% endif %}
        """

    private static func profiles(_ levels: [Int]) -> String {
        levels.enumerated().map { number, level in
            #"{"external_id": "u\#(number)", "first_name": "N\#(number)", "custom_attributes": {"level": \#(level)}}"#
        }
        .joined(separator: "\n")
    }

    private func scene(
        _ folder: PreviewFolder,
        _ project: PreviewProject? = nil,
        _ query: String = "",
        _ values: [(name: String, value: String)] = []
    ) throws -> Scene {
        let project = try project ?? folder.project()
        return try Scene(project, PageView(query: query), DraftRequest(values), patience: 600)
    }

    private func key(_ label: String, in scene: Scene) throws -> String {
        try #require(scene.branches?.all.first { $0.label == label }, "\(label)").key
    }

    @Test func `branches name who takes them, their share and what the others need`() throws {
        let scene = try scene(PreviewFolder(Self.campaign, Self.profiles([1, 2, 3, 7])))
        let branches = try #require(scene.branches)
        func branch(_ label: String) throws -> Branch { try #require(branches.all.first { $0.label == label }) }
        let low = try branch("else")
        #expect(low.takers == 3)
        #expect(low.people.map(\.name) == ["N0", "N1", "N2", "Nobody known"])
        #expect(low.takers == 3 && branches.profileCount == 4)
        let high = try branch("if custom_attribute.${level} > 9")
        #expect(!high.isReached)
        #expect(high.conditions == ["custom_attribute.${level} is more than 9"])
        #expect(high.place.start.line == 4)
    }

    @Test func `few profiles reach what all of them reach`() throws {
        let levels = (0..<500).map { $0 == 321 ? 12 : $0 == 400 ? 6 : 1 }
        let folder = try PreviewFolder(Self.campaign, Self.profiles(levels))
        let scene = try scene(folder, nil, "branches=1")
        let cover = try #require(scene.cover)
        #expect(cover.isDone)
        #expect(cover.seen == 500)
        #expect(cover.chosen.contains(322))
        #expect(cover.chosen.contains(401))
        #expect(cover.chosen.count <= 4)
        #expect(scene.recipients.map(\.person.number) == cover.chosen)
        let all = try #require(scene.branches)
        #expect(all.profileCount == 500)
        #expect(all.all.first { $0.label == "else" }?.takers == 498)
        // No person can be left out: without any of them, a branch is missing.
        let branches = scene.recipients.map { Set($0.record?.branches ?? []) }
        for index in branches.indices {
            let others = branches.indices.filter { $0 != index }.reduce(into: Set<Int>()) { $0.formUnion(branches[$1]) }
            #expect(!branches[index].isSubset(of: others))
        }
    }

    @Test func `a search goes on where it stopped`() throws {
        let folder = try PreviewFolder(Self.campaign, Self.profiles(Array(repeating: 1, count: 300) + [12]))
        let project = try folder.project()
        let view = PageView(query: "branches=1")
        var seen: [Int] = []
        for _ in 0..<500 {
            let scene = try Scene(project, view, DraftRequest(), patience: 0)
            let cover = try #require(scene.cover)
            seen.append(cover.seen)
            if cover.isDone {
                #expect(cover.chosen.contains(301))
                break
            }
        }
        #expect(seen.count > 10)
        #expect(seen.last == 301)
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func `a person is added who reaches what nobody reached`() throws {
        let folder = try PreviewFolder(Self.campaign, Self.profiles([1]))
        let project = try folder.project()
        let label = "if custom_attribute.${level} > 9"
        let before = try scene(folder, project)
        let after = try scene(folder, project, "person=1", [("add", try key(label, in: before))])
        #expect(after.selected.person.number == -1)
        #expect(after.selected.person.detail == label)
        #expect(after.selected.payload?.text(of: "title") == "Champion")
        #expect(after.selected.payload?.text(of: "body") == "Dear N0")
        #expect(after.branches?.all.first { $0.label == label }?.isReached == true)
        // The added person remains while the page is used, and is not written to any file.
        let later = try scene(folder, project, "person=-1")
        #expect(later.selected.payload?.text(of: "title") == "Champion")
        #expect(folder.text == Self.campaign)
        let removed = try scene(folder, project, "person=-1", [("remove", "-1")])
        #expect(removed.recipients.allSatisfy { $0.person.number >= 0 })
        #expect(removed.selected.person.number == 1)
    }

    @Test func `a person for a property of the trigger has properties of their own`() throws {
        let folder = try PreviewFolder(Self.campaign, Self.profiles([1]))
        let project = try folder.project()
        let label = "if api_trigger_properties.${gift} != blank"
        let key = try key(label, in: try scene(folder, project))
        let given = try scene(folder, project, "person=1", [("add", key)])
        #expect(given.selected.payload?.text(of: "body") == "Dear N0, a gift")
        #expect(given.selected.person.hasOwnTrigger)
        #expect(given.profileText.contains("gift"))
        let values = [(name: "trigger:gift", value: "a book")]
        let all = try scene(folder, project, "", values)
        let none = try #require(all.branches?.all.first { $0.label.hasPrefix("none of the choices of if api_trigger") })
        #expect(!none.isReached)
        let blank = try scene(folder, project, "person=1", values + [("add", none.key)])
        #expect(blank.selected.payload?.text(of: "body") == "Dear N0")
        #expect(blank.branches?.all.first { $0.key == none.key }?.isReached == true)
    }

    @Test func `what nobody can reach is reported`() throws {
        let campaign = Self.campaign.replacing("${level} > 9", with: "${level} contains 1 and 1 == 2")
        let folder = try PreviewFolder(campaign, Self.profiles([1]))
        let project = try folder.project()
        let key = try key("if custom_attribute.${level} contains 1 and 1 == 2", in: try scene(folder, project))
        let scene = try scene(folder, project, "", [("add", key)])
        #expect(scene.problems.contains { $0.hasPrefix("no profile was found that reaches") })
        #expect(scene.people.added.isEmpty)
        #expect(
            try self.scene(folder, project, "", [("add", "x")]).problems == [
                "the templates no longer have this branch: load the page again"
            ])
    }

    @Test func `lines are marked by what the message did`() throws {
        let folder = try PreviewFolder(Self.campaign, Self.profiles([7]))
        let passed = try scene(folder, nil, "person=1").marks()
        #expect(passed[4] == .passed)
        #expect(passed[5] == .missed)
        #expect(passed[7] == .passed)
        #expect(passed[9] == .missed)
        #expect(passed[15] == .passed)
        let ended = try scene(folder, nil, "person=1", [("profile:$:first_name", "Nobody")]).marks()
        #expect(ended[13] == .ended)
        #expect(ended[15] == .missed)
    }

    @Test func `a profile is replaced by JSON, and a faulty text changes nothing`() throws {
        let folder = try PreviewFolder()
        let good = #"{"external_id": "b", "first_name": "Bea"}"#
        let shown = try scene(folder, nil, "person=1", [("profile-json", good)])
        #expect(shown.selected.payload?.text(of: "title") == "Hi Bea")
        #expect(shown.profileText == good)
        let faulty = try scene(folder, nil, "person=1", [("profile-json", good), ("profile-json", "{\n\"a\": ")])
        #expect(faulty.selected.payload?.text(of: "title") == "Hi Bea")
        #expect(faulty.profileJSON?.problem?.hasPrefix("line 2, column ") == true)
        #expect(faulty.profileText == "{\n\"a\": ")
        let both = try scene(folder, nil, "person=1", [("profile-json", good), ("profile:$:first_name", "Cleo")])
        #expect(both.selected.payload?.text(of: "title") == "Hi Cleo")
        #expect(both.profileText.contains("Cleo"))
        #expect(try scene(folder, nil, "person=1").profileText.contains(#""last_name": "Silva""#))
        let redacted = try folder.project { $0.redacts = true }
        let sample = try scene(folder, redacted, "person=1").profileText
        #expect(sample.contains(#""level": 5"#))
        #expect(!sample.contains(#""level": 3"#))
    }
}
