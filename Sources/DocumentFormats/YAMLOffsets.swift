// SPDX-License-Identifier: MIT

import DiagnosticSources

extension SourceFile {
    /// The offset at which the text begins.
    ///
    /// A byte order mark is skipped, as the YAML parser would count it as text.
    package var textStart: Int { TextEncoding.utf8.lengthOfByteOrderMark(in: bytes) }
}

/// Converts the positions of the YAML parser, which counts characters, to byte offsets in the file.
struct YAMLOffsets {
    private let bytes: [UInt8]
    private var character = 0
    private var offset: Int

    init(_ file: SourceFile) {
        bytes = file.bytes
        offset = file.textStart
    }

    /// The byte offset of a mark of the parser.
    ///
    /// Each call must pass a mark at or after that of the previous call, so that all calls together read the file once.
    mutating func offset(of mark: YAMLParser.Mark) -> Int {
        while character < mark.index, offset < bytes.count {
            repeat { offset += 1 } while isContinuation
            character += 1
        }
        return offset
    }

    /// Whether the byte at the offset is a later byte of a character.
    private var isContinuation: Bool { offset < bytes.count && bytes[offset] & 0xC0 == 0x80 }

    /// The length in bytes of the YAML line break at an offset; 0 if there is none.
    ///
    /// YAML 1.1 has the line breaks LF, CR, CR LF, NEL, LS and PS.
    static func breakLength(in bytes: [UInt8], at position: Int) -> Int {
        guard position < bytes.count else { return 0 }
        switch bytes[position] {
        case UInt8(ascii: "\n"): return 1
        case UInt8(ascii: "\r"): return position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: "\n") ? 2 : 1
        case 0xC2: return position + 1 < bytes.count && bytes[position + 1] == 0x85 ? 2 : 0
        case 0xE2:
            guard position + 2 < bytes.count, bytes[position + 1] == 0x80 else { return 0 }
            return bytes[position + 2] == 0xA8 || bytes[position + 2] == 0xA9 ? 3 : 0
        default: return 0
        }
    }
}
