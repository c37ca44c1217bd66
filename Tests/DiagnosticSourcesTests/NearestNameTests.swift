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

    @Test(arguments: [
        ("open_lesons", "open_lessons"), ("open_lessosn", "open_lessons"), ("openlessons", "open_lessons"),
        ("Open_Lessons", "open_lessons"), ("addres", "address"), ("prénom_actul", "prénom_actuel"),
    ])
    func `a typing mistake is another spelling of a name`(name: String, meant: String) {
        #expect(isTypingMistake(name, of: meant, strictly: true))
        #expect(isTypingMistake(meant, of: name, strictly: false))
    }

    @Test(arguments: [
        ("lesson", "lessons"), ("complete_at", "completed_at"), ("last_curse", "last_course"), ("store_at", "score_at"),
    ])
    func `a plural and a wrong letter are mistakes only where one name is known`(name: String, other: String) {
        #expect(isTypingMistake(name, of: other, strictly: false))
        #expect(isTypingMistake(name, of: other, strictly: true) == (name == "last_curse"))
    }

    @Test(arguments: [
        ("lesson_1", "lesson_2"), ("lesson1", "lesson11"), ("plan_a", "plan_b"), ("vip", "zip"), ("size", "size"),
        ("", ""),
        ("first_at", "last_at"), ("lesson_a", "lesson"), ("a", ""),
    ])
    func `names that differ by a digit, a short word or more are two names`(name: String, other: String) {
        #expect(!isTypingMistake(name, of: other, strictly: false))
    }

    @Test(arguments: [
        ("“Hi”", "Hi"), ("‘it’s’", "it’s"), ("„Hallo“", "Hallo"), ("«Salut»", "Salut"), ("»Hi«", "Hi"), ("“”", ""),
    ])
    func `the text in curly quotes is known`(text: String, inside: String) {
        #expect(text.insideCurlyQuotes.map(String.init) == inside)
    }

    @Test(arguments: ["Hi", "“Hi” and “you”", "’tis", "“Hi", "\"Hi\"", "“", ""])
    func `a text without curly quotes around all of it is none`(text: String) {
        #expect(text.insideCurlyQuotes == nil)
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
