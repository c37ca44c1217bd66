// SPDX-License-Identifier: MIT

/// Classes of bytes in expressions.
enum ByteClass {
    /// The offset after the run of name bytes that begins at `start`.
    @inline(__always)
    static func endOfName(in bytes: Bytes, from start: Int, to end: Int) -> Int {
        var position = start
        while position < end, bytes[position].isNameByte { position += 1 }
        return position
    }

    /// The kind of token that begins with a byte; ``ExpressionLexer/Kind/end`` for a byte that begins none.
    ///
    /// The optimiser turns the `switch` into a table.
    @inline(__always)
    static func tokenKind(of byte: UInt8) -> ExpressionLexer.Kind {
        switch byte {
        case UInt8(ascii: "|"): .pipe
        case UInt8(ascii: "."): .dot
        case UInt8(ascii: ":"): .colon
        case UInt8(ascii: ","): .comma
        case UInt8(ascii: "["): .openSquare
        case UInt8(ascii: "]"): .closeSquare
        case UInt8(ascii: "("): .openRound
        case UInt8(ascii: ")"): .closeRound
        case UInt8(ascii: "?"): .question
        case UInt8(ascii: "-"): .dash
        case UInt8(ascii: "="), UInt8(ascii: "!"), UInt8(ascii: "<"), UInt8(ascii: ">"): .comparison
        case UInt8(ascii: "\""), UInt8(ascii: "'"): .string
        default: byte.isDigit ? .number : byte.isWordByte ? .word : .end
        }
    }
}

extension UInt8 {
    /// Whether the byte may end a fragment of a lax expression: white space, quotes, `,` and `|`.
    ///
    /// A quote ends it unless it begins a quoted string.
    @inline(__always)
    var mayEndFragment: Bool {
        // The optimiser turns this `switch` into a test of one bit.
        switch self {
        case 0x09...0x0D, 0x20, UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: ","), UInt8(ascii: "|"): true
        default: false
        }
    }
}
