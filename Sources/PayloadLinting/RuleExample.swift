// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// Files that show what a rule reports or accepts.
public struct RuleExample: Sendable {
    /// A file of an example.
    public struct File: Sendable {
        /// The path.
        public let path: String

        /// The text.
        public let text: String

        /// The ranges of bytes in the text where the rule has findings.
        public let ranges: [SourceRange]

        static func file(_ path: String, _ marked: String) -> File { File(path, marked) }

        /// Creates a file from a text in which `⟦` and `⟧` enclose the findings.
        public init(_ path: String, _ marked: String) {
            self.path = path
            var text = String.UnicodeScalarView()
            var ranges: [SourceRange] = []
            var open: [Int] = []
            var offset = 0
            for scalar in marked.unicodeScalars {
                switch scalar {
                case "⟦":
                    open.append(ranges.count)
                    ranges.append(SourceRange(offset, offset))
                case "⟧":
                    guard let index = open.popLast() else { continue }
                    ranges[index].end = UInt32(clamping: offset)
                default:
                    text.append(scalar)
                    offset += UTF8.width(scalar)
                }
            }
            self.text = String(text)
            self.ranges = ranges
        }
    }

    /// The files, which together are one project.
    public let files: [File]

    /// The text of the first file after the fix; nil where there is none.
    public let fixed: String?

    /// Creates an example.
    public init(_ files: [File], fixed: String? = nil) {
        self.files = files
        self.fixed = fixed
    }
}

extension RuleExample: ExpressibleByArrayLiteral {
    /// Creates an example without a fix.
    public init(arrayLiteral files: File...) { self.init(files) }

    /// Creates an example of one file and what the fix makes of it.
    init(_ file: File, fixed: File) { self.init([file], fixed: fixed.text) }
}
