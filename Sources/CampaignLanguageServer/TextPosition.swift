// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts

/// The units in which the client counts the characters of a line, as agreed at the start of the session.
enum PositionEncoding: String, Sendable {
    case utf8 = "utf-8"
    case utf16 = "utf-16"

    /// The number of units for a byte of UTF-8, so that the units of a text are the sum over its bytes.
    fileprivate func units(_ byte: UInt8) -> Int {
        switch self {
        case .utf8: 1
        case .utf16: byte & 0xC0 == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1
        }
    }
}

/// A position between two characters: the line, and the number of units before it in the line; both from 0.
struct TextPosition: Sendable, Hashable {
    var line: Int
    var character: Int

    var value: ProtocolValue { ["line": .integer(line), "character": .integer(character)] }
}

extension TextPosition {
    /// Reads a position from a message; nil if it is invalid.
    init?(_ node: JSONNode?) {
        guard let line = node?["line"]?.integer, let character = node?["character"]?.integer, line >= 0, character >= 0
        else { return nil }
        self.init(line: line, character: character)
    }
}

extension SourceFile {
    /// The position of an offset in the stored bytes of the file.
    func position(of offset: Int, _ encoding: PositionEncoding) -> TextPosition {
        let line = position(of: offset).line
        let start = utf8Offset(ofStored: self.offset(ofLine: line))
        let end = max(start, utf8Offset(ofStored: offset))
        let character = utf8[start..<end].reduce(0) { $0 + encoding.units($1) }
        return TextPosition(line: line - 1, character: character)
    }

    /// A range as the protocol writes it.
    func range(of range: SourceRange, _ encoding: PositionEncoding) -> ProtocolValue {
        [
            "start": position(of: Int(range.start), encoding).value,
            "end": position(of: Int(range.end), encoding).value,
        ]
    }

    /// The offset in bytes of a position.
    ///
    /// A position after the end of its line becomes that end; a position inside a character becomes its start.
    func offset(of position: TextPosition, _ encoding: PositionEncoding) -> Int {
        guard position.line < lineCount else { return bytes.count }
        let start = utf8Offset(ofStored: offset(ofLine: position.line + 1))
        var end = position.line + 1 < lineCount ? utf8Offset(ofStored: offset(ofLine: position.line + 2)) : utf8.count
        while end > start, utf8[end - 1] == UInt8(ascii: "\n") || utf8[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        var index = start
        var units = 0
        while index < end {
            var next = index + 1
            var count = encoding.units(utf8[index])
            while next < end, utf8[next] & 0xC0 == 0x80 {
                count += encoding.units(utf8[next])
                next += 1
            }
            if units + count > position.character { break }
            units += count
            index = next
        }
        return storedOffset(ofUTF8: index)
    }

    /// Reads a range from a message, as offsets in bytes; nil if it is invalid.
    func offsets(of range: JSONNode?, _ encoding: PositionEncoding) -> Range<Int>? {
        guard let start = TextPosition(range?["start"]), let end = TextPosition(range?["end"]) else { return nil }
        let (first, last) = (offset(of: start, encoding), offset(of: end, encoding))
        return min(first, last)..<max(first, last)
    }
}
