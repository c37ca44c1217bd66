// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Reads property lists in OpenStep form, `{ key = value; }`, and the key-value pairs of `.strings` files.
struct OpenStepReader {
    /// The reason why a text is not an OpenStep property list, and the place of the error.
    struct Fault: Error {
        var message: PlistMessage
        var range: Range<Int>
    }

    private let file: SourceFile
    private let text: [UInt8]
    private var position: Int
    private(set) var nodes: [PlistNode] = []

    init(_ file: SourceFile, from start: Int) {
        self.file = file
        text = file.utf8
        position = start
    }

    /// Reads the whole text: one object, or key-value pairs without braces.
    mutating func read() throws(Fault) {
        try skipBlank()
        let start = position
        if peek() == UInt8(ascii: "{") || peek() == UInt8(ascii: "(") || peek() == UInt8(ascii: "<") {
            try value(key: nil, parent: nil, depth: 0)
        } else {
            if peek() == UInt8(ascii: "[") { throw Fault(message: .json, range: start..<(start + 1)) }
            let root = add(.dictionary, key: nil, parent: nil, start)
            while position < text.count { try pair(in: root, depth: 0) }
            finish(root)
        }
        try skipBlank()
        if position < text.count { throw expected("nothing after the list") }
    }

    private mutating func value(key: PlistNode.Key?, parent: Int?, depth: Int) throws(Fault) {
        guard depth <= PlistBuilder.Limit.depth else {
            throw Fault(message: .tooDeep(limit: PlistBuilder.Limit.depth), range: position..<(position + 1))
        }
        guard nodes.count < PlistBuilder.Limit.nodes else {
            throw Fault(message: .tooMany(limit: PlistBuilder.Limit.nodes), range: position..<(position + 1))
        }
        let start = position
        switch peek() {
        case UInt8(ascii: "{"):
            let node = add(.dictionary, key: key, parent: parent, start)
            position += 1
            try skipBlank()
            while peek() != UInt8(ascii: "}") { try pair(in: node, depth: depth + 1) }
            position += 1
            finish(node)
        case UInt8(ascii: "("):
            let node = add(.array, key: key, parent: parent, start)
            position += 1
            try skipBlank()
            while peek() != UInt8(ascii: ")") {
                try value(key: nil, parent: node, depth: depth + 1)
                try skipBlank()
                if peek() == UInt8(ascii: ",") {
                    position += 1
                    try skipBlank()
                } else if peek() != UInt8(ascii: ")") {
                    throw expected("',' or ')'")
                }
            }
            position += 1
            finish(node)
        case UInt8(ascii: "<"):
            guard let end = text[start...].firstIndex(of: UInt8(ascii: ">")) else { throw expected("'>' after data") }
            position = end + 1
            finish(add(.data, key: key, parent: parent, start))
        default:
            let string = try string(expecting: "a value")
            let node = add(.string, key: key, parent: parent, start)
            nodes[node].text = string
            finish(node)
        }
    }

    /// Reads a key-value pair `key = value;`, or `key;` for a key that is its own value.
    private mutating func pair(in parent: Int, depth: Int) throws(Fault) {
        let start = position
        let name = try string(expecting: "a key")
        let range = file.storedRange(ofUTF8: start..<position)
        let key = PlistNode.Key(text: name, range: range, contentRange: range)
        try skipBlank()
        switch peek() {
        case UInt8(ascii: "="):
            position += 1
            try skipBlank()
            try value(key: key, parent: parent, depth: depth)
            try skipBlank()
        case UInt8(ascii: ";"):
            let node = add(.string, key: key, parent: parent, start)
            nodes[node].text = name
            finish(node)
        case UInt8(ascii: ":"):
            throw Fault(message: .json, range: position..<(position + 1))
        case nil where nodes.count == 1 && nodes[0].parent == nil:
            throw Fault(message: .plainText, range: start..<(start + 1))
        default:
            throw expected("'=' after key '\(name.shortened)'")
        }
        guard peek() == UInt8(ascii: ";") else { throw expected("';'") }
        position += 1
        try skipBlank()
    }

    private mutating func string(expecting what: String) throws(Fault) -> String {
        guard let first = peek() else { throw expected(what) }
        if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") { return try quoted(first) }
        let start = position
        while let byte = peek(), Self.isUnquoted(byte) { position += 1 }
        guard position > start else { throw expected(what) }
        return String(decoding: text[start..<position], as: UTF8.self)
    }

    private mutating func quoted(_ quote: UInt8) throws(Fault) -> String {
        let start = position
        position += 1
        var bytes: [UInt8] = []
        while let byte = peek() {
            position += 1
            if byte == quote { return String(decoding: bytes, as: UTF8.self) }
            guard byte == UInt8(ascii: "\\"), let escaped = peek() else {
                bytes.append(byte)
                continue
            }
            position += 1
            switch escaped {
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "U"), UInt8(ascii: "u"):
                let digits = text[position...].prefix(4)
                let scalar = UInt32(String(decoding: digits, as: UTF8.self), radix: 16).flatMap(Unicode.Scalar.init)
                bytes.append(contentsOf: UTF8.encode(scalar ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter)
                position += digits.count
            default: bytes.append(escaped)
            }
        }
        throw Fault(message: .openString, range: start..<(start + 1))
    }

    /// Skips white space and comments between tokens.
    private mutating func skipBlank() throws(Fault) {
        while let byte = peek() {
            if PlistScalars.isBlank(byte) || byte == 0x0C || byte == 0x0B {
                position += 1
            } else if text[position...].starts(with: "//".utf8) {
                position = text[position...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? text.count
            } else if text[position...].starts(with: "/*".utf8) {
                guard let end = text[(position + 2)...].firstRange(ofBytes: "*/".utf8)?.lowerBound else {
                    throw Fault(message: .openComment, range: position..<(position + 2))
                }
                position = end + 2
            } else {
                return
            }
        }
    }

    private func peek() -> UInt8? { position < text.count ? text[position] : nil }

    private static func isUnquoted(_ byte: UInt8) -> Bool {
        byte.isNameByte || "$/.".utf8.contains(byte)
    }

    private func expected(_ what: String) -> Fault {
        guard position < text.count else {
            return Fault(message: .openStep(found: "the end", expected: what), range: text.count..<text.count)
        }
        let scalar = String(decoding: text[position...].prefix(4), as: UTF8.self).unicodeScalars.first
        let width = scalar.map { UTF8.width($0) } ?? 1
        let found = scalar.map { "'\($0)'" } ?? "a byte"
        let end = Swift.min(position + width, text.count)
        return Fault(message: .openStep(found: found, expected: what), range: position..<end)
    }

    private mutating func add(_ kind: PlistNode.Kind, key: PlistNode.Key?, parent: Int?, _ start: Int) -> Int {
        let index = nodes.count
        let range = file.storedRange(ofUTF8: start..<start)
        nodes.append(
            PlistNode(index: index, parent: parent, key: key, kind: kind, range: range, contentRange: range)
        )
        if let parent { nodes[parent].children.append(index) }
        return index
    }

    private mutating func finish(_ index: Int) {
        let end = UInt32(clamping: file.storedOffset(ofUTF8: position))
        nodes[index].range.end = end
        nodes[index].contentRange.end = end
    }
}
