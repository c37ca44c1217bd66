// SPDX-License-Identifier: MIT

/// The position of a cursor in a YAML text that may be invalid, derived from its indentation.
struct LineOutline: Sendable, Equatable {
    /// The keys above the mapping or value that contains the cursor.
    var path: [String] = []

    /// Whether a key is being written, and not the value at ``path``.
    var isKey = true

    /// The part of the key or value before the cursor.
    var word = ""

    /// Whether there is already a colon after the key.
    var hasColon = false

    /// Reads the lines up to a cursor.
    ///
    /// - Parameters:
    ///   - bytes: the text.
    ///   - offset: the offset of the cursor.
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
            // A line that is indented below a value continues that value.
            if isKey, path.isEmpty, !line.value.isEmpty, !line.value.hasPrefix("#") { isKey = false }
            path.insert(key, at: 0)
            indent = line.indent
        }
    }

    /// A line, with its indentation and its key.
    private struct Line {
        /// The number of columns before its text, including dashes.
        let indent: Int
        /// The text after the indentation and dashes.
        let content: String
        /// The key at the start of the text; nil for none.
        let key: String?
        /// The text after the colon of the key.
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
