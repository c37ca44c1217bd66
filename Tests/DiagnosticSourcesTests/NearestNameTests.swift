// SPDX-License-Identifier: MIT

import DiagnosticSources
import Testing

@Suite struct NearestNameTests {
    static let keys = ["category", "title", "subtitle", "thread_id", "badge"]

    @Test(arguments: [
        ("catgory", "category"), ("cateogry", "category"), ("Title", "title"), ("THREAD_ID", "thread_id"),
        ("badg", "badge"), ("threadid", "thread_id"),
    ])
    func `a misspelt name finds its neighbour`(name: String, expected: String) {
        #expect(nearestName(to: name, in: Self.keys) == expected)
    }

    @Test(arguments: ["", "x", "buttons", "title"])
    func `a name that is far, or right, gets no suggestion`(name: String) {
        #expect(nearestName(to: name, in: Self.keys) == nil)
    }

    @Test func `an endless name is not compared`() {
        #expect(nearestName(to: String(repeating: "title", count: 10_000), in: Self.keys) == nil)
    }

    @Test func `the first of equally near candidates wins`() {
        #expect(nearestName(to: "bat", in: ["cat", "hat"]) == "cat")
    }

    @Test func `distance counts scalars and takes a swap as one edit`() {
        #expect(editDistance("ab", "ba") == 1)
        #expect(editDistance("日本", "日") == 1)
        #expect(editDistance("kitten", "sitting") == 3)
        #expect(editDistance("", "") == 0)
        #expect(editDistance("", "abc") == 3)
        #expect(editDistance("com.apple.usernotifications", "com.apple.usernotification") == 1)
    }

    @Test func `names are compared for the findings that are shown`() {
        var suggestions = Suggestions()
        for _ in 0..<mostShownFindings { #expect(suggestions.nearest(to: "tilte", in: ["title"]) == "title") }
        #expect(suggestions.nearest(to: "tilte", in: ["title"]) == nil)
    }
}
