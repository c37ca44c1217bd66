// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import PayloadLinting
import PayloadgenTestSupport
import Testing

@Suite(.needsCases("real-plists/index.json"))
struct RealPlistTests {
    private struct Entry: Decodable {
        struct Finding: Decodable {
            var severity: String
            var rule: String
            var keyPath: String
        }
        var file: String
        var expectedFindings: [Finding]
    }

    @Test func `every expected finding is found, and no error besides`() throws {
        let index = try #require(caseFile("real-plists/index.json"))
        let folder = index.deletingLastPathComponent()
        let entries = try JSONDecoder().decode([Entry].self, from: Data(contentsOf: index))
        #expect(entries.count == 34)
        for entry in entries {
            let findings = try Linter(options: ProjectOptions(workingFolder: folder.path)).lint([entry.file])
            let found = findings.map { "\($0.severity) \($0.rule.name)" }.sorted()
            let expected = entry.expectedFindings.map { "\($0.severity) \($0.rule)" }
            #expect(found == expected.sorted(), "\(entry.file): \(findings.map(\.message))")
            for expected in entry.expectedFindings {
                let name = expected.keyPath.split(separator: ".").last.map(String.init) ?? ""
                let matching = findings.filter { $0.rule.name == expected.rule }
                #expect(matching.contains { isNear($0, key: name) }, "\(entry.file): \(expected.rule)")
            }
        }
    }

    /// Whether the finding stands at the key, or, where the key is missing, anywhere in the file.
    private func isNear(_ finding: Diagnostic, key: String) -> Bool {
        guard let place = finding.place else { return false }
        let text = String(decoding: place.file.bytes, as: UTF8.self)
        guard let range = text.range(of: "<key>\(key)</key>") else { return true }
        let line = text[..<range.lowerBound].filter { $0 == "\n" }.count + 1
        return (line...(line + 40)).contains(place.start.line)
    }

    @Test func `a folder of extensions without one app is checked list by list`() throws {
        let folder = try #require(caseFile("real-plists/index.json")).deletingLastPathComponent()
        let findings = try Linter().lint([folder.path])
        #expect(!findings.contains { $0.rule.name == "category-duplicate" })
        #expect(!findings.contains { $0.rule.name == "no-nsextension" })
    }
}
