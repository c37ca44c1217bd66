// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import PayloadgenTestSupport
import PlistDocuments
import Testing

/// The places and rules of the findings in each test file; a file that is not listed has no finding.
private let expectations: [String: [String]] = [
    "01-empty-file": ["1:1-1:1 plist-syntax"],
    "02-whitespace-only": ["1:1-1:1 plist-syntax"],
    "06-empty-plist-tag": ["3:1-3:22 plist-syntax"],
    "07-selfclosed-plist": ["3:1-3:23 plist-syntax"],
    "08-two-roots": ["4:8-4:15 plist-syntax"],
    "09-unclosed-dict": ["7:1-7:9 plist-syntax"],
    "10-mismatched-close": ["6:11-6:19 plist-syntax"],
    "11-missing-value": ["6:1-6:8 plist-syntax"],
    "12-two-keys": ["6:2-6:7 plist-syntax"],
    "13-value-without-key": ["5:2-5:10 plist-syntax"],
    "14-unknown-tag": ["6:2-6:24 boolean-type"],
    "15-bool-text": ["6:8-6:11 plist-syntax"],
    "17-integer-empty": ["6:2-6:21 plist-syntax"],
    "18-integer-float": ["6:11-6:14 plist-syntax"],
    "20-integer-overflow": ["6:11-6:34 plist-syntax"],
    "22-real-bad": ["6:8-6:11 plist-syntax"],
    "24-real-var": ["6:8-6:16 plist-syntax"],
    "26-date-bad": ["6:8-6:18 plist-syntax"],
    "28-date-offset": ["6:8-6:33 plist-syntax"],
    "29-data-bad": ["6:8-6:11 plist-syntax"],
    "32-comment-in-string": ["6:11-6:21 plist-syntax"],
    "33-comment-unterminated": ["5:2-5:6 plist-syntax"],
    "35-cdata-unterminated": ["6:10-6:19 plist-syntax"],
    "36-raw-amp": ["6:14-6:15 plist-syntax"],
    "37-unknown-entity": ["6:10-6:16 plist-syntax"],
    "39-internal-subset": ["2:17-2:18 plist-syntax"],
    "40-internal-subset-unused": ["2:17-2:18 plist-syntax"],
    "41-external-entity": ["2:17-2:18 plist-syntax"],
    "42-billion-laughs": ["2:17-2:18 plist-syntax"],
    "43-duplicate-key": ["7:7-7:8 duplicate-key"],
    "47-latin1-bytes-utf8-decl": ["6:10-6:11 plist-syntax"],
    "48-unknown-encoding": ["1:31-1:38 plist-syntax"],
    "49-utf16-decl-utf8-bytes": ["1:31-1:37 plist-syntax"],
    "50-deep-nesting-600": ["4:3585-4:3592 plist-syntax"],
    "51-deep-nesting-100000": ["4:3585-4:3592 plist-syntax"],
    "54-openstep-dict": ["1:1-1:1 plist-format"],
    "55-openstep-missing-semicolon": ["1:9-1:10 plist-syntax"],
    "56-strings-file": ["1:1-1:1 plist-format"],
    "57-json-object": ["1:5-1:6 plist-syntax"],
    "58-json-array": ["1:1-1:2 plist-syntax"],
    "59-plain-text": ["1:1-1:2 plist-syntax"],
    "60-html": ["1:16-1:22 plist-syntax"],
    "61-binary-ok": ["1:1-1:1 plist-format"],
    "62-binary-truncated": ["1:1-1:1 plist-syntax"],
    "63-binary-magic-only": ["1:1-1:1 plist-syntax"],
    "64-merge-conflict": ["5:1-5:8 plist-syntax"],
    "65-text-between": ["5:2-5:6 plist-syntax"],
    "66-trailing-junk": ["6:1-6:5 plist-syntax"],
    "67-trailing-second-doc": ["6:1-6:6 plist-syntax"],
    "68-uppercase-tags": ["4:1-4:8 plist-syntax"],
    "69-key-whitespace": ["5:7-5:10 key-whitespace"],
    "70-empty-key": ["5:2-5:13 empty-key"],
    "71-nul-byte": ["6:11-6:12 plist-syntax"],
    "74-leading-newline": ["2:1-2:6 plist-syntax"],
    "75-string-nested-tag": ["6:11-6:15 plist-syntax"],
    "76-integer-plus-space": ["6:11-6:15 plist-syntax"],
    "78-real-space": ["6:8-6:13 plist-syntax"],
    "79-data-selfclosed": ["6:2-6:9 plist-syntax"],
    "80-crlf": ["6:11-6:19 plist-syntax"],
]

@Suite(.needsCases("plist-probes"))
struct PlistProbeTests {
    @Test func `every probe is read, and every fault told at its place`() throws {
        let folder = try #require(caseFile("plist-probes"))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".plist") }
        #expect(names.count == 81)
        for name in names.sorted() {
            let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
            let document = PlistDocument(SourceFile(path: name, bytes: bytes))
            let expected = expectations[String(name.dropLast(".plist".count))] ?? []
            #expect(document.diagnostics.map(\.summary) == expected, "\(name)")
        }
    }
}

extension Diagnostic {
    /// The place and the rule, in the form of the tests' tables.
    var summary: String {
        guard let place else { return "- \(rule)" }
        let (start, end) = (place.start, place.end)
        return "\(start.line):\(start.column)-\(end.line):\(end.column) \(rule)"
    }
}
