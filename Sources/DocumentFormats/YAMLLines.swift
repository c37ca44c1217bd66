// SPDX-License-Identifier: MIT

import DiagnosticSources

extension SourceFile {
    /// The offset at which the text begins, after a byte order mark, which the YAML parser would count as text.
    package var textStart: Int { TextEncoding.utf8.lengthOfByteOrderMark(in: bytes) }
}

/// The lines of a file as the YAML parser counts them: besides LF, CR and CR LF, the breaks NEL, LS and PS.
struct YAMLLines {
    private let bytes: [UInt8]
    private let starts: [Int]
    private var last: (line: Int, column: Int, offset: Int)

    init(_ file: SourceFile) {
        bytes = file.bytes
        let start = file.textStart
        last = (1, 1, start)
        var starts = [start]
        var index = start
        while index < bytes.count {
            let length = Self.breakLength(in: bytes, at: index)
            index += Swift.max(length, 1)
            if length > 0 { starts.append(index) }
        }
        self.starts = starts
    }

    /// The offset of the line and column that the parser reports.
    ///
    /// If the positions are in ascending order, all calls together take one pass over the file.
    mutating func offset(line: Int, column: Int) -> Int {
        guard line >= 1, line <= starts.count else { return bytes.count }
        var offset = starts[line - 1]
        var reached = 1
        if last.line == line, last.column <= column { (reached, offset) = (last.column, last.offset) }
        while reached < column, offset < bytes.count {
            offset += 1
            while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
            reached += 1
        }
        last = (line, reached, offset)
        return offset
    }

    /// The length of the line break at an offset, or 0.
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
