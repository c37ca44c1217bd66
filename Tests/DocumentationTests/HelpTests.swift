// SPDX-License-Identifier: MIT

import ArgumentParser
import Foundation
import PayloadgenCommands
import Testing

/// The help of every command ends with an example, which runs without an error.
@Suite struct HelpTests {
    private static let commands = [Payloadgen.self] + all(below: Payloadgen.self)

    private static func all(below command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        command.configuration.subcommands.flatMap { [$0] + all(below: $0) }
    }

    @Test func `the example of every command runs in the repository`() throws {
        let examples = try Self.commands.map { command in
            let paragraphs = command.configuration.discussion.components(separatedBy: "\n\n")
            let last = try #require(paragraphs.last, "\(command)")
            let title = "Example: "
            try #require(last.hasPrefix(title), "the help of \(command) ends with '\(last)'")
            return String(last.dropFirst(title.count))
        }
        // Each example begins in the root of the repository; for `track`, there is an empty store.
        let scripts = examples.map { "( mkdir -p pending/quarantine; set -e; \($0) )" }
        let results = try PageShell().run(scripts, repository: try Repository())
        for (example, result) in zip(examples, results) {
            let result = try #require(result)
            #expect(result.status == 0, "'\(example)' ended with \(result.status): \(result.printed)")
            #expect(!result.printed.isEmpty || example.contains(" > "), "'\(example)' printed nothing")
        }
    }

    @Test func `the options that are used most come first`() {
        let help = Payloadgen.helpMessage(for: Payloadgen.configuration.subcommands[0], columns: 120)
        let order = [
            "--profile ", "--profiles ", "--format ", "--app ", "--trigger-properties ", "--jobs ", "--max-work ",
        ]
        let places = order.map { help.range(of: "  \($0)")?.lowerBound }
        #expect(!places.contains(nil))
        #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted())
    }
}
