// SPDX-License-Identifier: MIT

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
    /// For texts, the standard library's `contains(_:)`, `split(separator:)` and `replacing(_:with:)` need iOS 16 and
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

    /// The first line, cut to a number of Unicode scalars; `…` at the end means that something is left out.
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
            // Invalid bytes become U+FFFD, which makes the result differ from the input.
            self.init(decoding: bytes, as: UTF8.self)
            guard utf8.elementsEqual(bytes) else { return nil }
        }
    }
}
