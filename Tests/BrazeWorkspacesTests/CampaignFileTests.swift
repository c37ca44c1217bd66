// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadKit
import PayloadgenTestSupport
import Testing

@testable import BrazeWorkspaces

/// Texts from Braze are written into campaign files, and read back as they were.
@Suite struct CampaignFileTests {
    private static func file(_ texts: [String], tags: [String] = ["a"]) -> CampaignFile {
        let campaign = WorkspaceExport.Campaign(id: "c-1", name: texts[0], tags: tags)
        var message = ExportedMessage(id: "m-1", name: texts[1])
        message.title = texts[2].isEmpty ? .none : .text(texts[2])
        message.body = texts[3].isEmpty ? .none : .text(texts[3])
        message.uri = texts[4].isEmpty ? .none : .text(texts[4])
        message.extras = [
            ExportedMessage.Pair(key: "k", value: texts[5]), ExportedMessage.Pair(key: "other-key", value: texts[6]),
        ]
        return CampaignFile(campaign: campaign, step: nil, message: message)
    }

    /// The texts that the campaign in a file has.
    private static func texts(of file: SourceFile) throws -> [String] {
        let campaign = try Campaign(file: file)
        let extras = campaign.push.extras.map { extra in
            let text = extra.value.templates.map(\.text).joined()
            return extra.value.isJSON ? "$json:" + text : text
        }
        return [
            campaign.identity.name ?? "", campaign.identity.messageName ?? "", campaign.push.text("title")?.text ?? "",
            campaign.push.text("body")?.text ?? "", campaign.push.uri?.text ?? "",
        ] + extras
    }

    private static let pieces = [
        "a", "Hi", " ", "  ", ": ", " #", "#", "'", "\"", "\\", "\n", "\n\n", "\t", "\r", "{{", "{{ ${first_name} }}",
        "{% if a %}", "}", "[", "]", ",", "&", "*", "!", "|", ">", "%", "@", "`", "~", "null", "yes", "010", "-", "- ",
        "?", "? ", "---", "...", "😀", "é", "e\u{301}", "\u{85}", "\u{2028}", "\u{FEFF}", "\u{200B}", "\u{0}", "\u{7F}",
        "\u{FFFE}", "\u{10FFFF}", "中文", "$json:", "<!-- x -->", "key: value", "\u{1B}",
    ]

    /// 7 texts for each of 2,900 files, each written into a new file and into an existing one: 20,300 texts in each
    /// way.
    @Test func `every text survives writing and reading`() throws {
        var random = SeededGenerator(seed: 62)
        func text() -> String {
            (0..<Int.random(in: 0...7, using: &random)).map { _ in Self.pieces.randomElement(using: &random) ?? "" }
                .joined()
        }
        var previous: SourceFile?
        var differing = 0
        for _ in 0..<2_900 {
            let texts = (0..<7).map { index in index < 2 || index > 4 || text().isEmpty ? "x" + text() : text() }
            let contents = Self.file(texts)
            let new = SourceFile(path: "a.campaign.yml", text: contents.text)
            if try Self.texts(of: new) != texts { differing += 1 }
            if case .unchanged = contents.update(of: new) {} else { differing += 1 }
            if let old = previous {
                guard case .changed(let bytes) = contents.update(of: old) else {
                    differing += 1
                    continue
                }
                if try Self.texts(of: SourceFile(path: old.path, bytes: bytes)) != texts { differing += 1 }
            }
            previous = new
        }
        #expect(differing == 0)
    }

    private static let written = """
        # Our campaign.
        version: 1
        campaign: {name: Old, api_id: c-1, message_api_id: m-1}   # ids
        app: Shop
        push:
          # The words of marketing.
          title: 'Old title'   # short
          subtitle: Ours
          category: offer
          body: >-
            Folded
            text
          extras:
            k: 010   # a number
            gone: x
          sound: default
        requires: {extras: {k: {type: integer}}}
        tests:
          - name: a
            expect: {extras: {k: "010"}}

        """

    @Test func `only what Braze gives is changed`() throws {
        let file = SourceFile(path: "a.campaign.yml", text: Self.written)
        let contents = Self.file(
            ["New", "V1", "It's new", "One\nTwo: {{ x }}", "", "010", "$json:{\"a\": 1}"], tags: [])
        guard case .changed(let bytes) = contents.update(of: file) else {
            Issue.record("the file is not changed")
            return
        }
        let expected = """
            # Our campaign.
            version: 1
            campaign: {name: New, api_id: c-1, "message_name": "V1", message_api_id: m-1}   # ids
            app: Shop
            push:
              # The words of marketing.
              title: 'It''s new'   # short
              subtitle: Ours
              category: offer
              body: "One\\nTwo: {{ x }}"
              extras:
                k: 010   # a number
                other-key: "$json:{\\"a\\": 1}"
              sound: default
            requires: {extras: {k: {type: integer}}}
            tests:
              - name: a
                expect: {extras: {k: "010"}}

            """
        #expect(
            String(decoding: bytes, as: UTF8.self) == expected.replacing("    other-key:", with: "    \"other-key\":"))
    }

    @Test(arguments: [
        ("version: 1\npush: {rest: body.json}\n", "its message is not under 'push'"),
        ("version: 1\npush: [\n", "it cannot be read"),
        (
            "version: 1\ncampaign: &a {name: N, api_id: c-1}\npush: {title: T}\nfixtures: *a\n",
            "'campaign.message_name', 'campaign.message_api_id' and 'campaign.tags' cannot be changed in the style of the file"
        ),
    ])
    func `a file that cannot be updated stays as it is`(text: String, reason: String) throws {
        let contents = Self.file(["N", "V", "T", "", "", "", ""])
        guard case .refused(let found) = contents.update(of: SourceFile(path: "a.campaign.yml", text: text)) else {
            Issue.record("the file is not refused")
            return
        }
        #expect(found == reason || found.hasPrefix("'campaign"))
    }

    @Test func `an image and its kind are kept where people changed the kind`() throws {
        func updated(_ yaml: String, _ url: ExportedMessage.Text) -> String? {
            var message = ExportedMessage(id: "m", name: nil)
            message.image = url
            let campaign = WorkspaceExport.Campaign(id: "c", name: "N", tags: [])
            let file = SourceFile(path: "a.campaign.yml", text: yaml)
            guard
                case .changed(let bytes) = CampaignFile(campaign: campaign, step: nil, message: message).update(
                    of: file)
            else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
        let head = "campaign: {name: N, api_id: c, message_api_id: m}\n"
        let image = head + "push:\n  title: T\n  image: {url: 'https://e.com/a.png', type: png}\n"
        #expect(
            updated(image, .text("https://e.com/b.gif"))
                == head + "push:\n  title: T\n  image: {url: 'https://e.com/b.gif', type: gif}\n")
        #expect(updated(image, .none) == head + "push:\n  title: T\n")
        #expect(updated(image, .notGiven) == nil)
        #expect(
            updated(head + "push:\n  title: T\n", .text("https://e.com/a"))
                == head + "push:\n  title: T\n  image: {url: \"https://e.com/a\", type: png}\n")
    }
}

/// A random number generator that gives the same numbers in every run.
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
