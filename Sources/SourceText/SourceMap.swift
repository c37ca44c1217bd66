// SPDX-License-Identifier: MIT

/// Maps offsets in a text that was read out of a file (a YAML scalar, a JSON string) to offsets in that file.
///
/// The map is a list of runs. Inside a run, text and file advance together; where an escape or an indentation was
/// folded away, a new run begins.
public struct SourceMap: Sendable, Hashable {
    private struct Run: Hashable {
        var text: Int
        var file: Int
    }

    private var runs: [Run]
    private let end: Run

    /// Creates a map.
    ///
    /// - Parameters:
    ///   - runs: pairs of text offset and file offset, ascending.
    ///   - textCount: the length of the text in bytes.
    ///   - fileEnd: the offset in the file behind the last byte of the text.
    public init(runs: [(text: Int, file: Int)], textCount: Int, fileEnd: Int) {
        self.runs = runs.map { Run(text: $0.text, file: $0.file) }
        end = Run(text: textCount, file: fileEnd)
    }

    /// The map of a text that is the whole file.
    public static func identity(count: Int) -> SourceMap {
        SourceMap(runs: [(0, 0)], textCount: count, fileEnd: count)
    }

    /// The offset in the file of an offset in the text.
    public func fileOffset(of textOffset: Int) -> Int {
        guard textOffset < end.text else { return end.file }
        guard let run = runs.last(where: { $0.text <= textOffset }) else { return runs.first?.file ?? end.file }
        return run.file + (textOffset - run.text)
    }

    /// The range in the file of a range in the text.
    public func fileRange(of range: SourceRange) -> SourceRange {
        let start = fileOffset(of: Int(range.start))
        if range.isEmpty { return SourceRange(start, start) }
        return SourceRange(start, fileOffset(of: Int(range.end) - 1) + 1)
    }
}
