// SPDX-License-Identifier: MIT

/// A source text with the name that people know it by.
///
/// Lines end with LF, CR LF or a lone CR.
public final class SourceFile: Sendable {
    /// The path as it is shown in messages, such as `templates/lab.campaign.yml` or `<stdin>`.
    public let path: String

    /// The bytes as stored.
    public let bytes: [UInt8]

    /// The offset of the first byte of each line; never empty.
    private let lineStarts: [Int]

    /// Creates a source from its bytes.
    public init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
        lineStarts = Self.lineStarts(in: bytes)
    }

    /// Creates a source from text.
    public convenience init(path: String, text: String) {
        self.init(path: path, bytes: Array(text.utf8))
    }

    /// The number of lines, at least 1.
    public var lineCount: Int { lineStarts.count }

    /// The place of a byte offset; offsets behind the end are taken as the end.
    public func position(of offset: Int) -> SourcePosition {
        let offset = Swift.min(Swift.max(offset, 0), bytes.count)
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        var column = 1
        for index in lineStarts[low]..<offset where bytes[index] & 0xC0 != 0x80 { column += 1 }
        return SourcePosition(offset: offset, line: low + 1, column: column)
    }

    /// The bytes of a line (from 1) without its line break; empty for a line that does not exist.
    public func line(_ number: Int) -> ArraySlice<UInt8> {
        guard number >= 1, number <= lineStarts.count else { return [] }
        var end = number < lineStarts.count ? lineStarts[number] : bytes.count
        let start = lineStarts[number - 1]
        while end > start, bytes[end - 1] == UInt8(ascii: "\n") || bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return bytes[start..<end]
    }

    /// The offset of the first byte of a line (from 1), cut to the lines that exist.
    public func offset(ofLine number: Int) -> Int {
        lineStarts[Swift.min(Swift.max(number, 1), lineStarts.count) - 1]
    }

    /// The text of a range, with U+FFFD for bytes that are not UTF-8.
    public func text(in range: SourceRange) -> String {
        String(decoding: bytes[range.offsets.clamped(to: 0..<bytes.count)], as: UTF8.self)
    }

    private static func lineStarts(in bytes: [UInt8]) -> [Int] {
        var starts = [0]
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\r"), index < bytes.count, bytes[index] == UInt8(ascii: "\n") { index += 1 }
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { starts.append(index) }
        }
        return starts
    }
}
