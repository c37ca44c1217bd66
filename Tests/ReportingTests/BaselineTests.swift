// SPDX-License-Identifier: MIT

import Reporting
import SourceText
import Testing

@Suite struct BaselineTests {
    private func findings(_ text: String, at needles: [String]) -> [Diagnostic] {
        let file = SourceFile(path: "a.plist", text: text)
        return needles.compactMap { needle in
            text.firstRange(of: needle).map { range in
                let start = text.utf8.distance(from: text.startIndex, to: range.lowerBound)
                let place = SourcePlace(file, SourceRange(start, start + needle.utf8.count))
                return Diagnostic(RuleID("r", .error, ""), "found \(needle)", at: place)
            }
        }
    }

    @Test func `known findings pass, wherever their lines move`() throws {
        let old = findings("<a/>\n<b/>\n", at: ["<a/>", "<b/>"])
        let stored = SourceFile(path: "baseline.json", bytes: Baseline(old).json)
        let moved = findings("\n\n  <b/>\n<c/>\n<a/>", at: ["<a/>", "<b/>", "<c/>"])
        let comparison = try Baseline(stored).compare(moved)
        #expect(comparison.new.map(\.message) == ["found <c/>"])
        #expect(comparison.knownCount == 2)
        #expect(comparison.goneCount == 0)
        #expect(try Baseline(stored).compare([]).goneCount == 2)
        #expect(Baseline(Array(moved.dropLast())).json == Baseline(old).json)
    }

    @Test(arguments: ["", "[]", "{}", #"{"version": 2, "findings": []}"#, #"{"version": 1, "findings": [{}]}"#])
    func `what is no baseline is told`(text: String) {
        #expect(throws: InputError.self) { try Baseline(SourceFile(path: "b.json", text: text)) }
    }
}
