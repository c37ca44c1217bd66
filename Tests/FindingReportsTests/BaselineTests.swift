// SPDX-License-Identifier: MIT

import DiagnosticSources
import FindingReports
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

    private func finding(_ severity: Severity, _ message: String, in text: String, at offset: Int = 6) -> Diagnostic {
        let file = SourceFile(path: "a.campaign.yml", text: text)
        let range = offset == 0 ? SourceRange(0, 0) : SourceRange(offset, offset + 1)
        return Diagnostic(RuleID("r", .error, ""), message, at: SourcePlace(file, range), severity: severity)
    }

    @Test func `a finding that is more severe than the known one is new`() throws {
        let text = "push: {title: Hi}\n"
        let known = Baseline([finding(.warning, "found 1 key", in: text)])
        let stored = try Baseline(SourceFile(path: "baseline.json", bytes: known.json))
        for severity in [Severity.info, .warning] {
            #expect(stored.compare([finding(severity, "found 2 keys", in: text)]).new.isEmpty)
        }
        let worse = stored.compare([finding(.error, "found 2 keys", in: text)])
        #expect(worse.new.count == 1 && worse.knownCount == 0 && worse.goneCount == 0)
    }

    @Test func `a baseline without severities covers the same messages, and findings of info`() throws {
        let text = "push: {title: Hi}\n"
        let known = Baseline([finding(.error, "found 1 key", in: text)])
        let json = String(decoding: known.json, as: UTF8.self).replacing(#""severity": "error","#, with: "")
        #expect(!json.contains("severity"))
        let stored = try Baseline(SourceFile(path: "baseline.json", text: json))
        #expect(stored.compare([finding(.error, "found 1 key", in: text)]).new.isEmpty)
        #expect(stored.compare([finding(.info, "found 2 keys", in: text)]).new.isEmpty)
        #expect(stored.compare([finding(.error, "found 2 keys", in: text)]).new.count == 1)
    }

    @Test func `a known finding about a whole file stays known when the first line changes`() throws {
        let known = Baseline([finding(.info, "not checked", in: "push: {title: Hi}\n", at: 0)])
        let commented = finding(.info, "not checked", in: "# A comment\npush: {title: Hi}\n", at: 0)
        #expect(known.compare([commented]).new.isEmpty)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"version": 2, "findings": []}"#, #"{"version": 1, "findings": [{}]}"#,
        #"{"version": 1, "findings": [{"fingerprint": "a", "severity": "fatal"}]}"#,
    ])
    func `what is no baseline is told`(text: String) {
        #expect(throws: InputError.self) { try Baseline(SourceFile(path: "b.json", text: text)) }
    }
}
