// SPDX-License-Identifier: MIT

import ArgumentParser
import DiagnosticSources
import PayloadLinting

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
        if let retired = RetiredRule.named(rule) {
            try console.print("\(rule) (retired): \(retired.reason)\n")
            return .success
        }
        let description = try RuleDescription.named(rule)
        let id = description.id
        let set = id.set == .strict ? ", with 'rule_set: strict' only" : ""
        var text = "\(id) (\(id.severity.rawValue)\(set)): \(id.summary)\n\n"
        text += description.rationale + "\n"
        text += "\nSource: \(description.source.text)\nPage: \(description.page)\n"
        if let fix = description.fix { text += "\nFix: \(fix)\n" }
        for example in description.failing { text += Self.section("Found:", example) }
        for example in description.passing { text += Self.section("Not found:", example) }
        text += Self.silencing(id)
        try console.print(ShownText(verbatim: text))
        return .success
    }

    /// How to turn a rule off where it reports what is right.
    private static func silencing(_ id: RuleID) -> String {
        guard let rule = Rule.named(id.name) else {
            return "\nIt cannot be turned off: what it reports cannot be used.\n"
        }
        var lines: [(String, String)] = []
        if rule.canBeSuppressed {
            var comments = ["<!-- payloadgen:disable \(id) --> in a property list"]
            if rule.isOfCampaigns {
                comments = [
                    "# payloadgen:disable \(id) on a line before it, or at the end of its line;",
                    "{% comment %}payloadgen:disable \(id){% endcomment %} in Liquid",
                ]
            }
            lines = comments.enumerated().map { ($0 == 0 ? "in one place" : "", $1) }
            lines.append(("in one file", "the same comment before the first content of the file"))
        }
        lines.append(("everywhere", "rules: {\(id): off} in .payloadgen.yml, or --rule \(id)=off"))
        var text = "\nIf it reports what is right, turn it off:\n"
        for (scope, way) in lines {
            text += "  " + scope + String(repeating: " ", count: 14 - scope.count) + way + "\n"
        }
        if id.isAboutUnread { text += "  Its errors are always reported: they say what was not checked.\n" }
        return text
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
