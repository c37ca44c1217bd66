// SPDX-License-Identifier: MIT

/// What bytes can begin or continue in an expression.
enum ByteClass {
    /// The offset after the run of name bytes that begins at `start`.
    @inline(__always)
    static func endOfName(in bytes: Bytes, from start: Int, to end: Int) -> Int {
        var position = start
        while position < end, bytes[position].isNameByte { position += 1 }
        return position
    }

    /// The token that a byte begins; ``ExpressionLexer/Kind/end`` for a byte that begins none.
    ///
    /// The compiler makes a table of it.
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
    /// White space, quotes, `,` and `|`: a fragment of lax expressions ends there, unless a quoted string begins.
    @inline(__always)
    var mayEndFragment: Bool {
        // A `switch`, of which the compiler makes one test of a bit.
        switch self {
        case 0x09...0x0D, 0x20, UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: ","), UInt8(ascii: "|"): true
        default: false
        }
    }
}
