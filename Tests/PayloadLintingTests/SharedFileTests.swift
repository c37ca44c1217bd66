// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import PayloadLinting
import PayloadgenTestSupport
import Testing

/// Content blocks and fixtures, which campaigns share.
@Suite struct SharedFileTests {
    private func expect(
        _ expected: [String],
        in files: [String: String],
        _ paths: [String] = ["."],
        besides ignored: Set<String> = ["attribute-unchecked"],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try withTemporaryFolder(files) { folder in
            let found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(paths)
                .filter { $0.rule.name != "campaign-without-app" && !ignored.contains($0.rule.name) }
            let places = found.map { finding in
                let start = finding.place?.start
                let path = finding.place?.file.path ?? "-"
                return "\(path):\(start?.line ?? 0):\(start?.column ?? 0) \(finding.rule.name)"
            }
            #expect(places == expected, "\(found)", sourceLocation: sourceLocation)
        }
    }

    private func campaign(_ body: String, _ rest: String = "") -> String {
        "version: 1\n\(rest)push:\n  title: Hi\n  body: |-\n    \(body)\n"
    }

    private let fetch = "{% connected_content https://example.com/a :save r %}{{ r.a }}"

    /// The evidence about the names of attributes is that of the whole project.
    @Test(arguments: [
        ("{}", ["a.campaign.yml:5:27 attribute-near-miss"]), (#"{"open_lesson": 1}"#, []),
    ])
    func `a custom attribute is compared with the profiles of all campaigns`(
        other: String, expected: [String]
    ) throws {
        let tests = "tests: [{name: a, profile: NAME.json, expect: {title: Hi}}]\n"
        let files = [
            "a.campaign.yml": campaign("{{ custom_attribute.${open_lesson} | default: 1 }}"),
            "b.campaign.yml": campaign(
                "{{ custom_attribute.${open_lessons} | default: 1 }}", tests.replacing("NAME", with: "b")),
            "c.campaign.yml": campaign("Hi", tests.replacing("NAME", with: "c")),
            "b.json": #"{"custom_attributes": {"open_lessons": 2}}"#, "c.json": "{\"custom_attributes\": \(other)}",
        ]
        try expect(expected, in: files)
    }

    @Test func `custom attributes that no list has are named once`() throws {
        let files = [
            "a.campaign.yml": campaign("{{ custom_attribute.${city} | default: 1 }}"),
            "b.campaign.yml": campaign("{{ custom_attribute.${pet} | default: 1 }}"),
        ]
        try expect(["a.campaign.yml:5:27 attribute-unchecked"], in: files, besides: [])
    }

    @Test func `a named block is a template, not a property list`() throws {
        let files = ["blocks/a.liquid": "---\nname: a\n---\nBye {{ 'a' | upcas }}\n"]
        let expected = ["blocks/a.liquid:1:1 orphan-block", "blocks/a.liquid:4:14 unknown-filter"]
        try expect(expected, in: files, ["blocks/a.liquid"])
        try expect(expected, in: files, ["blocks"])
    }

    @Test func `a named block shows what its campaigns find in it, and nothing else of them`() throws {
        let files = [
            "a.campaign.yml": campaign("{{ 'a' | upcas }}{{content_blocks.${a}}}", "content_blocks: blocks\n"),
            "blocks/a.liquid": "Bye {{ who }}",
        ]
        try expect(["blocks/a.liquid:1:8 unknown-variable"], in: files, ["blocks/a.liquid"])
    }

    @Test func `a named file of fixtures is not read as a property list`() throws {
        let files = [
            "a.campaign.yml": campaign(fetch, "fixtures: f.yml\n"),
            "f.yml": "connected_content:\n  - {url: 'https://example.com/a', body: {a: 1}, stats: 200}\n",
        ]
        try expect(["f.yml:2:50 campaign-unknown-key"], in: files, ["f.yml"])
    }

    @Test func `a block, fixtures and a profile that are too large are not reported as missing`() throws {
        let files = [
            "a.campaign.yml": campaign(
                "Hi {{content_blocks.${big}}}",
                "content_blocks: blocks\nfixtures: big.yml\ntests: [{name: t, profile: big.json, expect: {}}]\n")
        ]
        try withTemporaryFolder(files) { folder in
            for name in ["blocks/big.liquid", "big.yml", "big.json"] {
                let url = URL(fileURLWithPath: folder + "/" + name)
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data().write(to: url)
                let file = try FileHandle(forWritingTo: url)
                try file.truncate(atOffset: 70 << 20)
                try file.close()
            }
            let found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["a.campaign.yml"])
                .filter { $0.severity == .error }
            #expect(found.count == 3 && found.allSatisfy { $0.message.contains("has more than") }, "\(found)")
        }
    }

    @Test func `a comment in a block or in fixtures suppresses there`() throws {
        let comment = "{% comment %}payloadgen:disable unknown-filter{% endcomment %}"
        let files = [
            "a.campaign.yml": campaign("{{content_blocks.${a}}}", "content_blocks: blocks\nfixtures: f.yml\n"),
            "blocks/a.liquid": "\(comment)Bye {{ 'a' | upcas }}",
            "f.yml": "landing_pages:\n  spring: https://example.com # payloadgen:disable unused-fixture\n",
        ]
        try expect([], in: files)
        try expect([], in: files, ["a.campaign.yml"])
    }

    @Test func `a fixture that another campaign of the project requests is used`() throws {
        let files = [
            "a.campaign.yml": campaign("x", "fixtures: f.yml\n"),
            "b.campaign.yml": campaign(fetch, "fixtures: f.yml\n"),
            "f.yml": "connected_content:\n  - {url: 'https://example.com/a', body: {a: 1}}\n",
        ]
        try expect([], in: files)
        try expect([], in: files, ["a.campaign.yml"])
    }

    @Test(arguments: [
        "https://example.com/{{${user_id}}}", "{{ custom_attribute.${link} }}", "https://example.com/${user_id}",
    ])
    func `Liquid in an address may give any fixture`(address: String) throws {
        let files = [
            "a.campaign.yml": campaign("{% connected_content \(address) :save r %}{{ r.a }}", "fixtures: f.yml\n"),
            "f.yml": "connected_content:\n  - {url: 'https://example.com/*', body: {a: 1}}\n",
        ]
        try expect([], in: files)
    }

    @Test func `a block in the fixtures is a block`() throws {
        let files = [
            "a.campaign.yml": campaign("{{content_blocks.${a}}}", "fixtures: f.yml\n"),
            "f.yml": "content_blocks:\n  a: \"Bye {{ 'a' | upcas }}\"\n",
        ]
        try expect(["f.yml:2:20 unknown-filter"], in: files)
    }
}
