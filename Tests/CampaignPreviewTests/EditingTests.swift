// SPDX-License-Identifier: MIT

import PayloadKit
import Testing

@testable import CampaignPreview

/// An edit changes only the bytes of the value that it is about.
@Suite struct EditingTests {
    private func edited(_ yaml: String, _ field: String, _ text: String) -> String? {
        let file = SourceFile(path: "hello.campaign.yml", text: yaml)
        let campaign = ReadCampaign(file, in: DiskFolder(around: file.path))
        let edited = FieldEdit.edited(campaign, setting: field, to: text)
        return edited.map { String(decoding: $0.file.bytes, as: UTF8.self) }
    }

    private static let styles: [(String, String, String?)] = [
        ("push: {title: Hi there}", "Hi you", "push: {title: Hi you}"),
        ("push: {title: 'Hi'}", "It's", "push: {title: 'It''s'}"),
        ("push: {title: \"a\\tb\\u00e9\"}", "a\té!", nil),
        ("push: {title: \"Say\"}", "Say \"it\"\n", "push: {title: \"Say \\\"it\\\"\\n\"}"),
        ("push:\n  title: Hi # why\n  body: x\n", "Hi: you", "push:\n  title: \"Hi: you\" # why\n  body: x\n"),
        (
            "push:\n  title: |-\n    one\n    two\n  body: x\n", "one\nand\ntwo",
            "push:\n  title: |-\n    one\n    and\n    two\n  body: x\n"
        ),
        ("push:\n  title: Hi\n", "", nil),
        ("push:\n  title: Hi\n", "{{ ${first_name} }}", "push:\n  title: \"{{ ${first_name} }}\"\n"),
    ]

    @Test func `a field keeps the style of the file where it can`() throws {
        for (yaml, text, wanted) in Self.styles {
            let result = try #require(edited(yaml, "title", text), "\(yaml)")
            if let wanted { #expect(result == wanted) }
            let read = try Campaign(file: SourceFile(path: "hello.campaign.yml", text: "version: 1\n" + result))
            #expect(read.push.text("title")?.text == text)
        }
    }

    @Test func `a text with a prefix for JSON keeps it`() throws {
        let yaml = "push:\n  extras:\n    a: '$json:{\"b\": 1}'\n"
        #expect(edited(yaml, "extras.a", "{\"b\": 2}") == "push:\n  extras:\n    a: '$json:{\"b\": 2}'\n")
    }

    @Test func `a field that is not there cannot be set`() {
        #expect(edited("push: {title: Hi}", "body", "x") == nil)
    }

    @Test func `a value that is used in several places is not edited in one of them`() {
        let yaml = "push: {title: &t Hi, body: *t, sound: ding}\ntests: [{name: a, expect: {title: *t}}]\n"
        #expect(edited(yaml, "title", "Ho") == nil)
        #expect(edited(yaml, "body", "Ho") == nil)
        #expect(edited(yaml, "sound", "dong") == yaml.replacing("ding", with: "dong"))
    }

    private static let additions: [(String, String, String?)] = [
        ("push:\n  title: Hi # why\n  badge: 1\n", "body", "push:\n  title: Hi # why\n  body: \"\"\n  badge: 1\n"),
        ("push:\n  # Texts.\n  body: Hi\n", "title", "push:\n  # Texts.\n  title: \"\"\n  body: Hi\n"),
        (
            "push:\n  title: Hi\n  body: |-\n    one\n    two\n\ntests: []\n", "extras.level",
            "push:\n  title: Hi\n  body: |-\n    one\n    two\n  extras:\n    level: \"\"\n\ntests: []\n"
        ),
        ("push:\n    extras:\n        a: b", "extras.no", "push:\n    extras:\n        a: b\n        \"no\": \"\""),
        ("push:\r\n  title: Hi\r\n", "body", "push:\r\n  title: Hi\r\n  body: \"\"\r\n"),
        ("push: {title: Hi, badge: 1}", "body", "push: {title: Hi, \"body\": \"\", badge: 1}"),
        ("push: {badge: 1}", "title", "push: {\"title\": \"\", badge: 1}"),
        ("push: {title: Hi}", "extras.a b", "push: {title: Hi, \"extras\": {\"a b\": \"\"}}"),
        ("{\"push\": {\"extras\": {}}}", "extras.a", "{\"push\": {\"extras\": {\"a\": \"\"}}}"),
        ("push: {title: Hi}", "title", nil), ("push: {title: Hi}", "extras.", nil), ("push: {title: Hi}", "badge", nil),
        ("push: {rest: body.json}", "title", nil), ("push: Hi", "title", nil),
        ("push: {title: Hi, extras: {a: b}}", "extras.a", nil),
    ]

    @Test func `a field is added in the style of the file`() throws {
        for (yaml, field, wanted) in Self.additions {
            let file = SourceFile(path: "hello.campaign.yml", text: yaml)
            let added = FieldAddition.added(ReadCampaign(file, in: DiskFolder(around: file.path)), field)
            #expect(added.map { String(decoding: $0.file.bytes, as: UTF8.self) } == wanted, "\(yaml) \(field)")
            if let added {
                let text = "It's \"so\""
                #expect(FieldEdit.edited(added, setting: field, to: text)?.text(of: field)?.text == text)
            }
        }
    }

    @Test(arguments: ["\n", "\r\n", "\r"], ["", "\u{FEFF}"])
    func `line breaks and the byte order mark stay`(lineBreak: String, mark: String) {
        let old = mark + ["one", "two", "three", ""].joined(separator: lineBreak)
        let file = LineText(Array(old.utf8))
        #expect(file.text == "one\ntwo\nthree\n")
        #expect(file.replacing(with: file.text) == Array(old.utf8))
        #expect(
            file.replacing(with: "one\r\n2\r\nthree\r\n")
                == Array((mark + ["one", "2", "three", ""].joined(separator: lineBreak)).utf8))
        let more = mark + ["zero", "one", "two", "three", "four"].joined(separator: lineBreak)
        #expect(file.replacing(with: "zero\none\ntwo\nthree\nfour") == Array(more.utf8))
    }

    @Test func `a line with another line break than the rest keeps it`() {
        let old = "a\nb\r\nc\nd"
        #expect(LineText(Array(old.utf8)).replacing(with: "A\nb\nc\nD") == Array("A\nb\r\nc\nD".utf8))
    }

    @Test func `canonically equal letters are different bytes`() {
        let file = LineText(Array("caf\u{E9}".utf8))
        #expect(file.replacing(with: "cafe\u{301}") == Array("cafe\u{301}".utf8))
    }

    private static let merges: [(String, String, String, String?)] = [
        ("a b c d e", "A b c d e", "a b c d E", "A b c d E"),
        ("a b c d e", "a b c d e x", "y a b c d e", "y a b c d e x"),
        ("a b c d e", "a c d e", "a b c d E", "a c d E"),
        ("a b c d e", "a B c d e", "a B c d e", "a B c d e"),
        ("a b c d e", "a B c d e", "a X c d e", nil),
        ("a b c d e", "a B c d e", "a b C d e", nil),
        ("a b c d e", "a x b c d e", "a y b c d e", nil),
    ]

    @Test func `changes apart from each other are merged`() {
        func lines(_ text: String) -> [[UInt8]] { text.split(separator: " ").map { Array($0.utf8) } }
        for (base, mine, theirs, wanted) in Self.merges {
            #expect(LineHunk.merged(lines(base), lines(mine), lines(theirs)) == wanted.map(lines), "\(mine)")
        }
    }

    @Test func `random edits give the text of the editor`() {
        var generator = SeededGenerator(state: 7)
        for _ in 0..<200 {
            func text() -> [[UInt8]] {
                (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                    [UInt8.random(in: 97...100, using: &generator)]
                }
            }
            let (old, new) = (text(), text())
            let bytes = Array(old.joined(separator: Array("\r\n".utf8)))
            let file = LineText(bytes)
            let result = LineText(file.replacing(with: new.isEmpty ? [[]] : new))
            #expect(result.lines == (new.isEmpty ? [[]] : new))
        }
    }
}

/// A random number generator that gives the same numbers in every run.
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 33)
    }
}
