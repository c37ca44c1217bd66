// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import PayloadKit
import PayloadLinting
import PayloadgenTestSupport
import Testing

@testable import PayloadgenCommands

/// What is reported about fixes of files that another program changes at the same time.
@Suite struct FixingTests {
    private static func finding(_ path: String, _ text: String) -> Diagnostic {
        let file = SourceFile(path: path, text: text)
        let fix = FixIt("write 'b'", edits: [FixIt.Edit(SourceRange(0..<1), replacement: "b")])
        return Diagnostic(.campaignSyntax, "a", at: SourcePlace(file, SourceRange(0..<1)), fixes: [fix])
    }

    @Test(arguments: [
        (
            "title: “Sale: today”\n  body: {{ ${city} }}",
            "the file has another error, in line 3, to be fixed first: YAML"
        ),
        ("body: {{ ${city} }}\n  title: {a: b", "the file has another error, in line 4, to be fixed first: "),
    ])
    func `another error that prevents a fix is named`(push: String, reason: String) throws {
        try withTemporaryFolder(["a.campaign.yml": "version: 1\npush:\n  \(push)\n"]) { folder throws in
            let linter = Linter(options: ProjectOptions(workingFolder: folder))
            var lines: [String] = []
            _ = try Fixing.fix(linter.lint(["."]), log: { lines.append($0.text) }) { () throws(CommandFailure) in [] }
            #expect(lines.count == 1 && lines[0].contains("not done: \(reason)"), "\(lines)")
        }
    }

    /// Another program writes the file before each of the first `changes` fixes.
    @Test(arguments: [(1, "made 1 fix in 1 file"), (.max, "note: '{}' is not fixed: another program changed it")])
    func `a file that others keep changing is reported`(changes: Int, expected: String) throws {
        try withTemporaryFolder([:]) { folder throws in
            let path = folder + "/a.txt"
            var round = 0
            func lint() -> [Diagnostic] {
                guard (try? Data(contentsOf: URL(filePath: path))) != Data("b".utf8) else { return [] }
                round += 1
                try? Data((round <= changes ? "a\(round)" : "a").utf8).write(to: URL(filePath: path))
                return [Self.finding(path, "a")]
            }
            var lines: [String] = []
            let left = try Fixing.fix(lint(), log: { lines.append($0.text) }) { () throws(CommandFailure) in lint() }
            #expect(lines.count == 1 && lines[0].hasPrefix(expected.replacing("{}", with: path)), "\(lines)")
            #expect(left.isEmpty == (changes == 1))
        }
    }
}
