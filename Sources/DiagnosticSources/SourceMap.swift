// SPDX-License-Identifier: MIT

/// Maps offsets in a text that was read from a file, such as a YAML scalar or a JSON string, to offsets in that file.
///
/// The map is a list of runs. Inside a run, the offsets in text and file advance together, except in an escape. A new
/// run begins where they would diverge: at an escape, or after indentation that is not part of the text.
public struct SourceMap: Sendable, Hashable {
    /// A part of the text that is contiguous in the file.
    public struct Run: Sendable, Hashable {
        /// The offset of the run's first byte in the text.
        public var text: Int

        /// The offset of the run's first byte in the file.
        public var file: Int

        /// The number of bytes of an escape in the file; 0 for a run that is not an escape.
        ///
        /// All text of an escape is mapped to the first byte of the escape.
        public var escapeCount: Int

        /// Creates a run.
        public init(text: Int, file: Int, escapeCount: Int = 0) {
            self.text = text
            self.file = file
            self.escapeCount = escapeCount
        }
    }

    private let runs: [Run]
    private let end: Run

    /// Creates a map.
    ///
    /// - Parameters:
    ///   - runs: the runs, in ascending order.
    ///   - textCount: the length of the text in bytes.
    ///   - fileEnd: the offset in the file after the last byte of the text.
    public init(_ runs: [Run], textCount: Int, fileEnd: Int) {
        self.runs = runs
        end = Run(text: textCount, file: fileEnd)
    }

    /// Creates a map of runs without escapes.
    ///
    /// - Parameters:
    ///   - runs: pairs of text offset and file offset, ascending.
    ///   - textCount: the length of the text in bytes.
    ///   - fileEnd: the offset in the file after the last byte of the text.
    public init(runs: [(text: Int, file: Int)], textCount: Int, fileEnd: Int) {
        self.init(runs.map { Run(text: $0.text, file: $0.file) }, textCount: textCount, fileEnd: fileEnd)
    }

    /// The map of a text that is a whole file.
    public static func identity(count: Int) -> SourceMap {
        SourceMap([Run(text: 0, file: 0)], textCount: count, fileEnd: count)
    }

    /// The offset in the file of an offset in the text; for an offset inside an escape, the offset of the backslash.
    public func fileOffset(of textOffset: Int) -> Int {
        guard textOffset < end.text else { return end.file }
        guard let run = run(at: textOffset) else { return runs.first?.file ?? end.file }
        return run.escapeCount > 0 ? run.file : run.file + (textOffset - run.text)
    }

    /// The range in the file of a range in the text; an escape at either end is included whole.
    public func fileRange(of range: SourceRange) -> SourceRange {
        let start = fileOffset(of: Int(range.start))
        if range.isEmpty { return SourceRange(start, start) }
        let last = Int(range.end) - 1
        if let run = run(at: last), run.escapeCount > 0, last < end.text {
            return SourceRange(start, run.file + run.escapeCount)
        }
        return SourceRange(start, Swift.min(fileOffset(of: last) + 1, Swift.max(start, end.file)))
    }

    /// The last run that starts at or before an offset in the text.
    private func run(at textOffset: Int) -> Run? {
        let next = runs.partitioningIndex { $0.text > textOffset }
        return next > 0 ? runs[next - 1] : nil
    }
}
