// SPDX-License-Identifier: MIT

/// A page in Markdown, read as a list of its code fences.
struct Page: Sendable {
    /// A code fence: three backticks at the start of a line, the language, lines of code, three backticks.
    struct Fence: Sendable {
        let language: String

        /// The lines between the backticks; empty if there are none.
        let lines: [String]

        /// The lines of the fence as one text.
        var text: String { lines.joined(separator: "\n") }

        /// The line number of the first line of code, from 1.
        let line: Int

        /// The line number of the closing backticks.
        var endLine: Int { line + lines.count }
    }

    /// A mistake on a page, with its line number.
    struct Fault: Sendable {
        let line: Int
        let message: String
    }

    /// The path of the page in the repository.
    let path: String

    let lines: [String]

    private(set) var fences: [Fence] = []

    /// Code that the tests would miss: indented fences, a fence that is not closed, commands outside of fences.
    private(set) var faults: [Fault] = []

    /// Reads a page from its text.
    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var start: Int?
        for (index, line) in lines.enumerated() {
            let trimmed = line.drop { $0 == " " || $0 == "\t" }
            if let opening = start, line == "```" {
                let language = String(lines[opening].dropFirst(3))
                let code = Array(lines[(opening + 1)..<index])
                fences.append(Fence(language: language, lines: code, line: opening + 2))
                start = nil
            } else if start == nil, line.hasPrefix("```") {
                start = index
            } else if start == nil, trimmed.hasPrefix("```") || trimmed.hasPrefix("~~~") {
                fault(index, "found a fence that is indented or of '~', expected '```' at the start of the line")
            } else if start == nil, trimmed.hasPrefix("$ ") {
                fault(index, "found a command outside of a fence, expected it in a fence of 'console'")
            }
        }
        if let start { fault(start, "found no end of this fence, expected '```' alone on a line") }
    }

    private mutating func fault(_ index: Int, _ message: String) {
        faults.append(Fault(line: index + 1, message: message))
    }
}
