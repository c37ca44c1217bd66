// SPDX-License-Identifier: MIT

/// Tests for classes of ASCII bytes, such as digits and letters.
extension UInt8 {
    /// Whether the byte is `0` to `9`.
    @inlinable @inline(__always)
    package var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    /// The value of `0` to `9`; nil for any other byte.
    @inlinable @inline(__always)
    package var digit: Int? { isDigit ? Int(self &- UInt8(ascii: "0")) : nil }

    /// Whether the byte is `a` to `z`.
    @inlinable @inline(__always)
    package var isLowerLetter: Bool { self &- UInt8(ascii: "a") < 26 }

    /// Whether the byte is `A` to `Z`.
    @inlinable @inline(__always)
    package var isUpperLetter: Bool { self &- UInt8(ascii: "A") < 26 }

    /// Whether the byte is `a` to `z` or `A` to `Z`.
    @inlinable @inline(__always)
    package var isLetter: Bool { (self | 0x20).isLowerLetter }

    /// The byte in lower case: `A` to `Z` become `a` to `z`.
    @inlinable @inline(__always)
    package var lowercased: UInt8 { isUpperLetter ? self | 0x20 : self }

    /// Whether `\w` matches the byte in regular expressions: letters, digits and `_`.
    @inlinable @inline(__always)
    package var isWordByte: Bool { nameClass >= UInt8(ascii: "2") }

    /// Whether the byte may be inside a Liquid name: letters, digits, `_` and `-`.
    @inlinable @inline(__always)
    package var isNameByte: Bool { nameClass >= UInt8(ascii: "1") }

    /// Whether the byte is a letter or `_`, with which a Liquid name begins.
    @inlinable @inline(__always)
    package var isWordStart: Bool { nameClass == UInt8(ascii: "3") }

    /// Whether the byte is unreserved in URLs (RFC 3986), so that it is never escaped: letters, digits and `-._~`.
    @inlinable @inline(__always)
    package var isUnreserved: Bool {
        isNameByte || self == UInt8(ascii: ".") || self == UInt8(ascii: "~")
    }

    /// The class of the byte: `3` if it may begin a word, `2` for a digit, `1` for `-`, which may be inside a name, and
    /// `.` for every other byte.
    ///
    /// Every byte of a name in a template is looked up here. The table is a literal because its memory needs no
    /// initialization; it has 256 bytes, so every byte has an entry.
    @inlinable @inline(__always)
    var nameClass: UInt8 {
        let classes: StaticString = """
            ................................\
            .............1..2222222222......\
            .33333333333333333333333333....3\
            .33333333333333333333333333.....\
            ................................\
            ................................\
            ................................\
            ................................
            """
        return classes.utf8Start[Int(self)]
    }
}

extension ArraySlice<UInt8> {
    /// The range of the first occurrence of a pattern; nil if there is none.
    ///
    /// `firstRange(of:)` of the standard library needs iOS 16 and macOS 13.
    package func firstRange(ofBytes pattern: String.UTF8View) -> Range<Int>? {
        let pattern = Array(pattern)
        let found = withUnsafeBufferPointer { text in
            pattern.withUnsafeBufferPointer { ByteSearch.first($0, in: text, from: 0) }
        }
        return found.map { startIndex + $0..<startIndex + $0 + pattern.count }
    }
}

extension String {
    /// Whether the text contains another text, compared byte by byte.
    ///
    /// The standard library's `contains(_:)`, `split(separator:)` and `replacing(_:with:)` of texts need iOS 16 and
    /// macOS 13.
    package func holds(_ text: String) -> Bool { Array(utf8)[...].firstRange(ofBytes: text.utf8) != nil }

    /// The parts of the text between the occurrences of a separator, compared byte by byte, including empty parts.
    package func parts(between separator: String) -> [String] {
        var parts: [String] = []
        var rest = Array(utf8)[...]
        while !separator.isEmpty, let range = rest.firstRange(ofBytes: separator.utf8) {
            parts.append(String(decoding: rest[..<range.lowerBound], as: UTF8.self))
            rest = rest[range.upperBound...]
        }
        return parts + [String(decoding: rest, as: UTF8.self)]
    }

    /// The text, cut to a number of Unicode scalars; `…` at the end marks a cut.
    package func shortened(to count: Int) -> String { ending(unicodeScalars.prefix(count)) }

    /// The first line, cut to a number of Unicode scalars; `…` at the end shows that the line was cut or that more
    /// lines follow.
    package func firstLine(upTo count: Int) -> String {
        ending(unicodeScalars.prefix(count).prefix { $0 != "\n" && $0 != "\r" })
    }

    private func ending(_ start: Substring.UnicodeScalarView) -> String {
        start.endIndex == endIndex ? self : String(start) + "…"
    }

    /// Decodes UTF-8; bytes that are not UTF-8 become U+FFFD.
    ///
    /// Takes half the time of `init(decoding:as:)` for up to 15 bytes, which Swift stores in the string itself, because
    /// this initialiser is inlined.
    @inlinable @inline(__always)
    package init(utf8 bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress, bytes.count <= 15 else {
            self.init(decoding: bytes, as: UTF8.self)
            return
        }
        self.init(unsafeUninitializedCapacity: bytes.count) { room in
            room.baseAddress?.initialize(from: start, count: bytes.count)
            return bytes.count
        }
    }

    /// Decodes UTF-8; nil if a byte is invalid.
    package init?(validUTF8 bytes: [UInt8]) {
        if #available(iOS 18, macOS 15, *) {
            self.init(validating: bytes, as: UTF8.self)
        } else {
            // Invalid bytes become U+FFFD, so the text then differs from the input.
            self.init(decoding: bytes, as: UTF8.self)
            guard utf8.elementsEqual(bytes) else { return nil }
        }
    }
}
