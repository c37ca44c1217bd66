// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Finds reasons not to give a file to the YAML parser: bytes that are not text, too many bytes, or too many
/// directives.
enum YAMLRefusal {
    static let sizeLimit = 4 << 20

    /// The maximum number of directives (`%YAML`) of a file; the parser compares each one with all before it, in
    /// quadratic time.
    ///
    /// Files that people write have at most one.
    static let directiveLimit = 40

    /// The finding about a file that must not be given to the parser; nil if the parser may read the file.
    static func finding(in file: SourceFile, rule: RuleID) -> Diagnostic? {
        let bytes = file.bytes
        let (message, start): (String, Int)
        if bytes.count > sizeLimit {
            (message, start) = ("the file has \(bytes.count) bytes, more than the limit of \(sizeLimit)", 0)
        } else if let kind = kind(of: bytes) {
            (message, start) = ("the file is \(kind); save it as plain text in UTF-8", 0)
        } else if let place = directivePastLimit(in: bytes) {
            (message, start) = ("more than the limit of \(directiveLimit) lines that begin with '%'", place)
        } else {
            return nil
        }
        return Diagnostic(
            rule, message, at: SourcePlace(file, SourceRange(start, start > 0 ? start + 1 : 0)), severity: .error)
    }

    /// The finding about the first bytes that are not valid text, at which the parser stopped; nil if there are none.
    static func characterFinding(in file: SourceFile, rule: RuleID) -> Diagnostic? {
        var iterator = file.bytes.makeIterator()
        var decoder = UTF8()
        var offset = 0
        while true {
            let (message, width): (String, Int)
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar):
                width = UTF8.width(scalar)
                if isAllowed(scalar) {
                    offset += width
                    continue
                }
                message = "YAML does not allow the control character \(scalar.codePoint)"
            case .emptyInput: return nil
            case .error: (message, width) = ("the file is not UTF-8", 1)
            }
            return Diagnostic(
                rule, message, at: SourcePlace(file, SourceRange(offset, offset + width)), severity: .error)
        }
    }

    /// The format of a file that was saved as RTF or UTF-16 instead of plain text, by its first bytes; nil for any
    /// other file.
    private static func kind(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: "{\\rtf".utf8) { return "RTF, as TextEdit saves it" }
        let encodings = [TextEncoding.utf16LittleEndian, .utf16BigEndian]
        if encodings.contains(where: { $0.lengthOfByteOrderMark(in: bytes) > 0 }) { return "UTF-16" }
        // In UTF-16 without a byte order mark, every other byte of an ASCII text is 0.
        let start = bytes.prefix(2)
        return start.count == 2 && start.contains(0) && start.contains { $0 != 0 } ? "UTF-16" : nil
    }

    /// The offset of the first directive beyond ``directiveLimit``; nil if there is none.
    ///
    /// Every line that begins with `%` counts.
    private static func directivePastLimit(in bytes: [UInt8]) -> Int? {
        var count = 0
        for index in bytes.indices where bytes[index] == UInt8(ascii: "%") {
            let beginsLine = (1...3).contains { length in
                index >= length && YAMLOffsets.breakLength(in: bytes, at: index - length) == length
            }
            if beginsLine || index == 0 { count += 1 }
            if count > directiveLimit { return index }
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
