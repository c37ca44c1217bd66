// SPDX-License-Identifier: MIT

import SourceText

/// Finds what is refused before the YAML parser reads a file: bytes that are not text, and too many aliases or values.
enum YAMLRefusal {
    /// Aliases of aliases can double the number of nodes with each level; files that people write have few aliases.
    static let aliasLimit = 40

    static let sizeLimit = 4 << 20

    /// A value can take two bytes in the file, but takes several hundred in memory.
    static let separatorLimit = 200_000

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
        if let place = aliasPastLimit(in: bytes) {
            return finding("more than \(aliasLimit) aliases; write the values out", place, place + 1)
        }
        if let place = directivePastLimit(in: bytes) {
            return finding("more than \(directiveLimit) lines that begin with '%', the limit", place, place + 1)
        }
        if let place = separatorPastLimit(in: bytes) {
            return finding("more than \(separatorLimit) values, the limit", place, place + 1)
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

    /// The offset of the character that begins or separates the first value after the limit; such characters in text
    /// count too.
    private static func separatorPastLimit(in bytes: [UInt8]) -> Int? {
        var count = 0
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"): count += 1
            case UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "?"):
                let next = index + 1 < bytes.count ? bytes[index + 1] : 0x20
                if next <= 0x20 { count += 1 }
            default: break
            }
            if count > separatorLimit { return index }
        }
        return nil
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

    /// The offset of the first alias after the limit.
    ///
    /// Only names that an anchor (`&name`) defines are counted, so that `*` in text is not.
    private static func aliasPastLimit(in bytes: [UInt8]) -> Int? {
        var anchors: Set<ArraySlice<UInt8>> = []
        var count = 0
        var index = 0
        while index < bytes.count {
            let sign = bytes[index]
            index += 1
            guard sign == UInt8(ascii: "&") || sign == UInt8(ascii: "*") else { continue }
            let start = index
            while index < bytes.count, bytes[index].isNameByte { index += 1 }
            let name = bytes[start..<index]
            guard !name.isEmpty else { continue }
            if sign == UInt8(ascii: "&") {
                anchors.insert(name)
            } else if anchors.contains(name) {
                count += 1
                if count > aliasLimit { return start - 1 }
            }
        }
        return nil
    }
}
