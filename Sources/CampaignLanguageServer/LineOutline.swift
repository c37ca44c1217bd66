// SPDX-License-Identifier: MIT

/// Where a cursor is in a YAML text: the keys above it and the word before it, found by indentation even if the text is
/// invalid.
struct LineOutline: Sendable, Equatable {
    /// The keys above the mapping or value that contains the cursor.
    var path: [String] = []

    /// Whether a key is being written at the cursor; otherwise, the value at ``path`` is.
    var isKey = true

    /// The part of the key or value that is before the cursor.
    var word = ""

    /// Whether the key at the cursor already has a colon.
    var hasColon = false

    /// Finds where a cursor is, from the lines up to it.
    ///
    /// - Parameters:
    ///   - bytes: the text.
    ///   - offset: the offset of the cursor in bytes.
    init(_ bytes: [UInt8], before offset: Int) {
        let lines = bytes[..<offset].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { Line(String(decoding: $0, as: UTF8.self)) }
        guard let current = lines.last else { return }
        let rest = bytes[offset...].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        hasColon = String(decoding: rest.drop { $0 != UInt8(ascii: ":") && $0 > 0x20 }, as: UTF8.self).hasPrefix(":")
        var indent = current.indent
        word = current.content
        if let key = current.key {
            path = [key]
            (isKey, word) = (false, current.value)
        }
        for line in lines.dropLast().reversed() {
            guard indent > 0 else { break }
            guard let key = line.key, line.indent < indent else { continue }
            // A line that is indented more than a value continues the value, so it has no key.
            if isKey, path.isEmpty, !line.value.isEmpty, !line.value.hasPrefix("#") { isKey = false }
            path.insert(key, at: 0)
            indent = line.indent
        }
    }

    /// A line of the text, with its indentation and its key.
    private struct Line {
        /// The column of the line's text: the number of spaces and dashes before it.
        let indent: Int
        /// The text after the indentation and dashes.
        let content: String
        /// The key at the start of the text; nil if there is none.
        let key: String?
        /// The text after the key's colon; empty if there is none.
        let value: String

        init(_ line: String) {
            var rest = Substring(line.hasSuffix("\r") ? String(line.dropLast()) : line)
            var indent = rest.prefix { $0 == " " }.count
            rest = rest.dropFirst(indent)
            while rest.hasPrefix("- ") {
                let marks = 1 + rest.dropFirst().prefix { $0 == " " }.count
                indent += marks
                rest = rest.dropFirst(marks)
            }
            self.indent = indent
            content = String(rest)
            let end = rest.firstIndex(of: ":").flatMap { colon -> Substring.Index? in
                let next = rest[rest.index(after: colon)...]
                return next.isEmpty || next.hasPrefix(" ") ? colon : nil
            }
            key = rest.hasPrefix("#") ? nil : end.map { rest[..<$0].trimmingQuotes }
            value = end.map { String(rest[rest.index(after: $0)...].drop { $0 == " " }) } ?? ""
        }
    }
}

extension Substring {
    /// The text without the quotes around it.
    fileprivate var trimmingQuotes: String {
        for quote in ["\"", "'"] where count > 1 && hasPrefix(quote) && hasSuffix(quote) {
            return String(dropFirst().dropLast())
        }
        return String(self)
    }
}
