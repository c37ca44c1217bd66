// SPDX-License-Identifier: MIT

import Testing

@testable import CampaignLanguageServer

@Suite struct LineOutlineTests {
    /// Where the cursor `^` is in a text, as the outline sees it.
    private func outline(_ text: String) throws -> LineOutline {
        let bytes = Array(text.utf8)
        let cursor = try #require(bytes.lastIndex(of: UInt8(ascii: "^")))
        return LineOutline(Array(bytes[..<cursor] + bytes[(cursor + 1)...]), before: cursor)
    }

    @Test(
        arguments: [
            ("pu^", "", "pu", false), ("push:\n  ti^", "push", "ti", false), ("push:\n  ti^tle: x", "push", "ti", true),
            ("push:\n  title: a\n  extras:\n    k^", "push.extras", "k", false),
            ("a:\n  b: 1\npush:\n\n  # c: d\n  ^", "push", "", false),
            ("tests:\n  - na^", "tests", "na", false), ("tests:\n  - name: x\n    pro^", "tests", "pro", false),
            ("tests:\n- name: x\n  expect:\n    by^", "tests.expect", "by", false),
            ("tests:\n  - expect:\n      extras:\n        k^", "tests.expect.extras", "k", false),
            ("\"push\":\n  ti^", "push", "ti", false), ("a:\r\n  b^\r\n", "a", "b", false),
        ]
    )
    func `keys`(text: String, path: String, word: String, hasColon: Bool) throws {
        let outline = try outline(text)
        #expect(outline.isKey)
        #expect(outline.path.joined(separator: ".") == path)
        #expect(outline.word == word)
        #expect(outline.hasColon == hasColon)
    }

    @Test(
        arguments: [
            ("push:\n  category: la^", "push.category", "la"), ("push:\n  body: |\n    Hi th^", "push.body", "Hi th"),
            ("push:\n  body: \"Hi\n    th^", "push.body", "th"), ("app: ^", "app", ""),
        ]
    )
    func `values`(text: String, path: String, word: String) throws {
        let outline = try outline(text)
        #expect(!outline.isKey)
        #expect(outline.path.joined(separator: ".") == path)
        #expect(outline.word == word)
    }
}
