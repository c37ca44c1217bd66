// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Finds what is refused before the YAML parser reads a file: bytes that are not text, and more of them than are read.
enum YAMLRefusal {
    static let sizeLimit = 4 << 20

    /// The parser compares each directive with all before it, in quadratic time; files that people write have at most
    /// one.
    static let directiveLimit = 40

    static func finding(in file: SourceFile, rule: RuleID) -> Diagnostic? {
        func finding(_ message: String, _ start: Int, _ end: Int) -> Diagnostic {
            Diagnostic(rule, message, at: SourcePlace(file, SourceRange(start, end)), severity: .error)
        }
        let bytes = file.bytes
        guard bytes.count <= sizeLimit else {
            return finding("the file has \(bytes.count) bytes, more than the limit of \(sizeLimit)", 0, 0)
        }
        if let kind = kind(of: bytes) {
            return finding("the file is \(kind); save it as plain text in UTF-8", 0, 0)
        }
        var iterator = bytes.makeIterator()
        var decoder = UTF8()
        var offset = 0
        decoding: while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar):
                let width = UTF8.width(scalar)
                guard isAllowed(scalar) else {
                    let message = "YAML does not allow the control character \(scalar.codePoint)"
                    return finding(message, offset, offset + width)
                }
                offset += width
            case .emptyInput:
                break decoding
            case .error:
                return finding("the file is not UTF-8", offset, offset + 1)
            }
        }
        if let place = directivePastLimit(in: bytes) {
            return finding("more than \(directiveLimit) lines that begin with '%', the limit", place, place + 1)
        }
        return nil
    }

    /// What a file is that word processors and editors save in place of plain text; nil for any other file.
    private static func kind(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: "{\\rtf".utf8) { return "RTF, as TextEdit saves it" }
        let encodings = [TextEncoding.utf16LittleEndian, .utf16BigEndian]
        if encodings.contains(where: { $0.lengthOfByteOrderMark(in: bytes) > 0 }) { return "UTF-16" }
        // Without a byte order mark, every other byte of ASCII characters is 0.
        let start = bytes.prefix(2)
        return start.count == 2 && start.contains(0) && start.contains { $0 != 0 } ? "UTF-16" : nil
    }

    /// The offset of the first directive after the limit; every line that begins with `%` counts.
    private static func directivePastLimit(in bytes: [UInt8]) -> Int? {
        var count = 0
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            if bytes[start] == UInt8(ascii: "%") {
                count += 1
                if count > directiveLimit { return start }
            }
            start = end + 1
        }
        return nil
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x85: true
        case 0x00..<0x20, 0x7F..<0xA0, 0xFFFE, 0xFFFF: false
        default: true
        }
    }
}
