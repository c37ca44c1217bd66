// SPDX-License-Identifier: MIT

import ArgumentParser
import Linting
import SourceText

/// `payloadgen explain`.
struct Explain: Command {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        _superCommandName: Payloadgen.name,
        abstract: "Explain a rule: what it finds, and why it matters.",
        discussion: "Example: payloadgen explain category-missing"
    )

    @Argument(help: "The rule, as findings name it.")
    var rule: String

    @OptionGroup var color: ColorOption

    static var usesFiles: Bool { false }

    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        let description = try RuleDescription.named(rule)
        var text = "\(description.id) (\(description.id.severity.rawValue)): \(description.id.summary)\n\n"
        text += description.rationale + "\n"
        if let fix = description.fix { text += "\nFix: \(fix)\n" }
        for example in description.failing { text += Self.section("Found:", example) }
        for example in description.passing { text += Self.section("Not found:", example) }
        try console.print(ShownText(verbatim: text))
        return .success
    }

    private static func section(_ title: String, _ example: RuleExample) -> String {
        var text = "\n\(title)\n"
        for file in example.files { text += "  \(file.path)\n" + lines(of: file) }
        return text
    }

    /// The lines of a file, indented, with a mark under each finding.
    private static func lines(of file: RuleExample.File) -> String {
        let source = SourceFile(path: file.path, text: file.text)
        let indent = "    "
        var text = ""
        for number in 1...source.lineCount {
            let line = String(decoding: source.line(number), as: UTF8.self)
            if number == source.lineCount, line.isEmpty { break }
            text += indent + line + "\n"
            for range in file.ranges {
                let start = source.position(of: Int(range.start))
                guard start.line == number else { continue }
                let end = source.position(of: Int(range.end))
                let last = end.line == number ? end.column : line.unicodeScalars.count + 1
                text += indent + blank(line, upTo: start.column)
                text += "^" + String(repeating: "~", count: max(0, last - start.column - 1)) + "\n"
            }
        }
        return text
    }

    /// Spaces as wide as the start of a line; tabs stay tabs.
    private static func blank(_ line: String, upTo column: Int) -> String {
        String(String.UnicodeScalarView(line.unicodeScalars.prefix(column - 1).map { $0 == "\t" ? "\t" : " " }))
    }
}
