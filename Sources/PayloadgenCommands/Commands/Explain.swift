// SPDX-License-Identifier: MIT

import ArgumentParser
import DiagnosticSources
import PayloadLinting

/// `payloadgen explain`: prints the page about a rule.
struct Explain: Command {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        _superCommandName: Payloadgen.name,
        abstract: "Explain a rule: what it finds, and why it matters.",
        discussion: "Example: payloadgen explain category-missing"
    )

    @Argument(help: "The id of the rule, with which each of its findings ends.")
    var rule: String

    @OptionGroup var color: ColorOption

    static var usesFiles: Bool { false }

    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        if let retired = RetiredRule.named(rule) {
            try console.print("\(rule) (retired): \(retired.reason)\n")
            return .success
        }
        let found = try Rule.ofCommand(rule)
        let id = found.id
        let set = id.set == .strict ? ", with 'rule_set: strict' only" : ""
        var text = "\(id) (\(id.severity.rawValue)\(set)): \(id.summary)\n\n"
        text += found.rationale + "\n"
        text += "\nSource: \(found.source.text)\nPage: \(found.page)\n"
        if let fix = found.fix { text += "\nFix: \(fix)\n" }
        let failing = found.failing
        for (index, example) in failing.enumerated() {
            text += Self.section("Reported:", example, after: index == 0 ? nil : failing.first)
        }
        for example in found.passing { text += Self.section("Not reported:", example, after: failing.first) }
        text += Self.silencing(id)
        try console.print(ShownText(verbatim: text))
        return .success
    }

    /// How to turn a rule off, or suppress a finding, if the rule reports something that is intended.
    private static func silencing(_ id: RuleID) -> String {
        guard let rule = Rule.named(id.name) else {
            return "\nIt cannot be turned off: what it reports cannot be used.\n"
        }
        var lines: [(String, String)] = []
        if rule.canBeSuppressed {
            lines = rule.suppressingComments.enumerated().map { index, found in
                (index == 0 ? "in one place" : "", "\(found.comment) \(found.place)")
            }
            lines.append(("in one file", "the same comment before the first content of the file"))
        }
        lines.append(("everywhere", "rules: {\(id): off} in .payloadgen.yml, or --rule \(id)=off"))
        var text = "\nIf it reports something that is right, turn it off:\n"
        for (scope, way) in lines {
            text += "  " + scope + String(repeating: " ", count: 14 - scope.count) + way + "\n"
        }
        if id.isAboutUnread { text += "  Its errors are always reported: they say what was not checked.\n" }
        return text
    }

    /// The section for an example.
    ///
    /// Of a long file, only the lines around its findings are shown, or else around what is new in the example.
    private static func section(_ title: String, _ example: RuleExample, after first: RuleExample?) -> String {
        var text = "\n\(title)\n"
        for file in example.files {
            let known = first?.files.first { $0.path == file.path }
            text += "  \(file.path)\n" + lines(of: file, after: known)
        }
        return text
    }

    /// The maximum number of lines of a file that is shown completely, and the number of lines that are shown around
    /// each finding or difference in a longer file.
    private static let (wholeFileLines, contextLines) = (20, 3)

    /// The lines of a file that are shown: all of a short file, otherwise those around its findings, or else around
    /// lines that are not in the first example.
    ///
    /// All lines are shown if a long file has neither, and none if it is the same as in the first example.
    private static func shownLines(of source: SourceFile, _ file: RuleExample.File, after known: RuleExample.File?)
        -> Set<Int>
    {
        let all = 1...source.lineCount
        guard source.lineCount > wholeFileLines else { return Set(all) }
        var middle = file.ranges.map { source.position(of: Int($0.start)).line }
        if middle.isEmpty, let known {
            let old = Set(SourceFile(path: known.path, text: known.text).lines)
            middle = zip(all, source.lines).filter { !old.contains($1) }.map(\.0)
            if middle.isEmpty, known.text == file.text { return [] }
        }
        guard !middle.isEmpty else { return Set(all) }
        return Set(middle.flatMap { $0 - contextLines...$0 + contextLines }).intersection(all)
    }

    /// The lines of a file for the page, indented, with a mark under each finding.
    private static func lines(of file: RuleExample.File, after known: RuleExample.File?) -> String {
        let source = SourceFile(path: file.path, text: file.text)
        let shown = shownLines(of: source, file, after: known)
        let indent = "    "
        var text = shown.isEmpty ? indent + "… as above\n" : ""
        for (number, line) in zip(1..., file.shownLines) {
            guard shown.contains(number) else {
                if shown.contains(number - 1) || number == 1, !shown.isEmpty { text += indent + "…\n" }
                continue
            }
            for line in [line.text] + line.marks { text += indent + line + "\n" }
        }
        return text
    }
}

extension SourceFile {
    /// The texts of all lines of the file.
    fileprivate var lines: [String] { (1...lineCount).map { String(decoding: line($0), as: UTF8.self) } }
}
