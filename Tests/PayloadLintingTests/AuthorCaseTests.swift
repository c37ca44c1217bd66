// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import PayloadLinting
import PayloadgenTestSupport
import Testing

/// Mistakes that authors make, and odd campaigns that are right, from Braze's documentation and from practice.
///
/// A mistake has a finding of its rule at its line; what is right has no warning.
@Suite struct AuthorCaseTests {
    struct Case: Decodable, Sendable, CustomStringConvertible {
        struct Expectation: Decodable, Sendable {
            let severity: String
            let file: String
            let line: Int
            let rule: String
        }

        let id: String
        let files: [String: String]

        /// The finding about the mistake; nil where there is none.
        let expect: Expectation?

        var description: String { id }
    }

    static let cases: [Case] = {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Snapshots/author-cases.json")
        return (try? JSONDecoder().decode([Case].self, from: Data(contentsOf: path))) ?? []
    }()

    @Test func `there are mistakes and odd campaigns`() {
        #expect(Self.cases.count { $0.expect != nil } >= 60)
        #expect(Self.cases.count { $0.expect == nil } >= 60)
    }

    @Test(arguments: cases)
    func `a mistake is found, and what is right is left alone`(_ example: Case) throws {
        try withTemporaryFolder(example.files) { folder in
            let findings = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."])
            // The cases were written before texts that people see needed a default.
            let counted = findings.filter {
                $0.rule.name != "missing-default" || example.expect?.rule == "missing-default"
            }
            let found = counted.filter { $0.severity > .info || example.expect?.severity == "info" }.map { finding in
                let path = finding.place?.file.path ?? "-"
                return "\(finding.severity.rawValue) \(path):\(finding.place?.start.line ?? 0) \(finding.rule.name)"
            }
            if let expected = example.expect {
                let wanted = "\(expected.severity) \(expected.file):\(expected.line) \(expected.rule)"
                #expect(found.contains(wanted), "\(found)")
            } else {
                #expect(found == [])
            }
        }
    }
}
