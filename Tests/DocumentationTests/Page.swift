// SPDX-License-Identifier: MIT

/// A page of Markdown, read as its code fences.
struct Page: Sendable {
    /// A fence: three backticks at the start of a line, the language, lines of code, three backticks.
    struct Fence: Sendable {
        let language: String

        /// The lines between the backticks; none in an empty fence.
        let lines: [String]

        /// The lines as one text.
        var text: String { lines.joined(separator: "\n") }

        /// The line of the first line of code, from 1.
        let line: Int

        /// The line of the closing backticks.
        var endLine: Int { line + lines.count }
    }

    /// A fault and its line.
    struct Fault: Sendable {
        let line: Int
        let message: String
    }

    /// The path in the repository.
    let path: String

    let lines: [String]

    private(set) var fences: [Fence] = []

    /// Code that this reader would miss: indented fences, a fence that is not closed, commands outside of fences.
    private(set) var faults: [Fault] = []

    /// Reads the text of a page.
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
