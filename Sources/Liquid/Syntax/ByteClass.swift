// SPDX-License-Identifier: MIT

/// What a byte can begin or continue in an expression: one look into a table of 256 entries.
struct ByteClass {
    private let rawValue: UInt8

    private static let nameByte: UInt8 = 0x80

    /// The token that the byte begins; ``ExpressionLexer/Kind/end`` for a byte that begins none.
    var tokenKind: ExpressionLexer.Kind { ExpressionLexer.Kind(rawValue: rawValue & 0x7F) ?? .end }

    /// Whether the byte may stand inside a name: letters, digits, `_` and `-`.
    var isNameByte: Bool { rawValue & Self.nameByte != 0 }

    @inline(__always)
    static func of(_ byte: UInt8) -> ByteClass { table[Int(byte)] }

    /// The offset behind the run of name bytes that begins at `start`.
    @inline(__always)
    static func endOfName(in bytes: Bytes, from start: Int, to end: Int) -> Int {
        var position = start
        while position < end, of(bytes[position]).isNameByte { position += 1 }
        return position
    }

    private static let table: [ByteClass] = (0...255).map { (byte: UInt8) in
        ByteClass(rawValue: kind(of: byte).rawValue | (byte.isWordByte || byte == UInt8(ascii: "-") ? nameByte : 0))
    }

    private static func kind(of byte: UInt8) -> ExpressionLexer.Kind {
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
    /// ASCII letters, digits and `_`, which is what Ruby's `\w` takes.
    @inline(__always)
    var isWordByte: Bool { isDigit || (self | 0x20) &- 0x61 < 26 || self == UInt8(ascii: "_") }
}
