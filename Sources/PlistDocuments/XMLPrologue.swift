// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Determines the encoding of an XML file, and checks that its DOCTYPE declares no entities, before the file is parsed.
enum XMLPrologue {
    /// An encoding that this project does not read, with the range of its name.
    struct EncodingFault {
        var message: PlistMessage
        var range: Range<Int>
    }

    /// A character in a DOCTYPE that is not accepted.
    struct DoctypeFault {
        var message: PlistMessage
        var range: Range<Int>
        /// Whether the character is in quotes, where XML allows it.
        var isQuoted: Bool
    }

    enum Encoding {
        case known(TextEncoding)
        case fault(EncodingFault)
    }

    /// The encoding of the bytes of a file.
    ///
    /// The byte order mark decides first, then the pattern of the first bytes, then the XML declaration; without any of
    /// these, the encoding is UTF-8.
    static func encoding(of bytes: [UInt8]) -> Encoding {
        // UTF-32 has to be checked before UTF-16, because its byte order mark begins with that of UTF-16.
        let wideStarts: [[UInt8]] = [[0xFF, 0xFE, 0, 0], [0, 0, 0xFE, 0xFF], [0x3C, 0, 0, 0], [0, 0, 0, 0x3C]]
        if wideStarts.contains(where: { bytes.starts(with: $0) }) {
            return .fault(EncodingFault(message: .utf32, range: 0..<0))
        }
        for encoding in [TextEncoding.utf8, .utf16LittleEndian, .utf16BigEndian]
        where bytes.starts(with: encoding.byteOrderMark) {
            return .known(encoding)
        }
        // Without a byte order mark, CoreFoundation recognizes UTF-16 only in one byte order, and only if there is no
        // XML declaration.
        if bytes.starts(with: [0, 0x3C, 0]) || bytes.starts(with: [0x3C, 0, 0x3F, 0]) {
            return .fault(EncodingFault(message: .unmarkedUTF16, range: 0..<0))
        }
        if bytes.starts(with: [0x3C, 0]), bytes.dropFirst(3).first == 0 { return .known(.utf16LittleEndian) }
        guard let range = declaredEncoding(in: bytes) else { return .known(.utf8) }
        let name = String(decoding: bytes[range], as: UTF8.self)
        switch name.uppercased() {
        case "UTF-8", "UTF8", "US-ASCII", "ASCII": return .known(.utf8)
        case "ISO-8859-1", "ISO8859-1", "ISO_8859-1", "LATIN1", "LATIN-1", "L1": return .known(.latin1)
        case "WINDOWS-1252", "CP1252": return .known(.windows1252)
        case let wide where wide.hasPrefix("UTF-16") || wide.hasPrefix("UTF-32") || wide == "UTF16":
            return .fault(EncodingFault(message: .wrongEncoding(name), range: range))
        default:
            return .fault(EncodingFault(message: .unknownEncoding(name.shortened), range: range))
        }
    }

    /// The range of the encoding's name in `<?xml … encoding="…"?>`; nil if the declaration has none.
    private static func declaredEncoding(in bytes: [UInt8]) -> Range<Int>? {
        let start = bytes.prefix { PlistScalars.isBlank($0) }.count
        guard bytes[start...].starts(with: "<?xml".utf8) else { return nil }
        let limit = Swift.min(bytes.count, start + 1024)
        guard let end = firstIndex(of: "?>", in: bytes[start..<limit]),
            let word = firstIndex(of: "encoding", in: bytes[start..<end])
        else { return nil }
        var index = word + 8
        while index < end, PlistScalars.isBlank(bytes[index]) || bytes[index] == UInt8(ascii: "=") { index += 1 }
        guard index < end, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") else { return nil }
        let name = index + 1
        guard let quote = bytes[name..<end].firstIndex(of: bytes[index]) else { return nil }
        return name..<quote
    }

    /// The first part of a DOCTYPE that is not accepted; nil if there is none.
    ///
    /// This is an internal subset, or a character that Foundation takes for the start of a subset or the end of the
    /// DOCTYPE. It is checked before parsing, because libxml2 reports a DOCTYPE only after reading the declarations in
    /// it.
    static func doctypeFault(in text: [UInt8], from start: Int) -> DoctypeFault? {
        var index = start
        while index < text.count {
            let rest = text[index...]
            if PlistScalars.isBlank(text[index]) {
                index += 1
            } else if rest.starts(with: "<!--".utf8) {
                guard let end = firstIndex(of: "-->", in: rest.dropFirst(4)) else { return nil }
                index = end + 3
            } else if rest.starts(with: "<?".utf8) {
                guard let end = firstIndex(of: "?>", in: rest.dropFirst(2)) else { return nil }
                index = end + 2
            } else if rest.starts(with: "<!DOCTYPE".utf8) {
                return fault(inDoctype: rest)
            } else {
                return nil
            }
        }
        return nil
    }

    /// The place of the first tag that is longer than `limit` bytes, as the range of its `<`; nil if there is none.
    ///
    /// libxml2 compares all attributes of a tag with each other, which takes quadratic time.
    static func overlongTag(in text: [UInt8], from start: Int, limit: Int) -> Range<Int>? {
        var index = start
        while let tag = text[index...].firstIndex(of: UInt8(ascii: "<")) {
            let rest = text[tag...]
            if rest.starts(with: "<!--".utf8) {
                index = firstIndex(of: "-->", in: rest) ?? text.count
            } else if rest.starts(with: "<![CDATA[".utf8) {
                index = firstIndex(of: "]]>", in: rest) ?? text.count
            } else {
                index = end(ofTag: rest.dropFirst().prefix(limit))
                if index == tag + 1 + limit { return tag..<(tag + 1) }
            }
        }
        return nil
    }

    /// The offset at which a tag ends or becomes invalid; the end of the text if it does neither.
    private static func end(ofTag text: ArraySlice<UInt8>) -> Int {
        var quote: UInt8?
        for index in text.indices {
            let byte = text[index]
            if byte == UInt8(ascii: "<") { return index }
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return index
            }
        }
        return text.endIndex
    }

    private static func fault(inDoctype text: ArraySlice<UInt8>) -> DoctypeFault? {
        var quote: UInt8?
        for index in text.indices {
            let byte = text[index]
            let isMark = byte == UInt8(ascii: "[") || byte == UInt8(ascii: ">")
            if let open = quote {
                if isMark {
                    return DoctypeFault(message: .markInDoctype(byte), range: index..<(index + 1), isQuoted: true)
                }
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if isMark {
                guard byte == UInt8(ascii: "[") else { return nil }
                return DoctypeFault(message: .internalSubset, range: index..<(index + 1), isQuoted: false)
            }
        }
        return nil
    }
}

/// The offset of the first occurrence of an ASCII mark; nil if there is none.
func firstIndex(of mark: String, in text: ArraySlice<UInt8>) -> Int? {
    let mark = Array(mark.utf8)
    guard let first = mark.first else { return text.startIndex }
    var index = text.startIndex
    while let candidate = text[index...].firstIndex(of: first) {
        if text[candidate...].starts(with: mark) { return candidate }
        index = candidate + 1
    }
    return nil
}

/// The offset of the last occurrence of an ASCII mark; nil if there is none.
func lastIndex(of mark: String, in text: ArraySlice<UInt8>) -> Int? {
    let mark = Array(mark.utf8)
    var index = text.endIndex - mark.count
    while index >= text.startIndex {
        if text[index...].starts(with: mark) { return index }
        index -= 1
    }
    return nil
}
