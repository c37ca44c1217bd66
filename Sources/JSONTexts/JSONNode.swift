// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// A value in a ``JSONDocument``.
public struct JSONNode: Sendable {
    /// The type of a value.
    public enum Kind: String, Sendable, Hashable {
        case null
        case bool
        case number
        case string
        case array
        case object
    }

    /// The document that holds the value.
    public let document: JSONDocument

    let index: Int

    private var record: JSONDocument.Record { document.records[index] }

    /// The type of the value.
    public var kind: Kind { record.kind }

    /// The range of the value, with the quotes of a string and the brackets of a container.
    public var range: SourceRange { record.range }

    /// The place of the value in the file.
    public var place: SourcePlace { SourcePlace(document.file, range) }

    /// The text of the value in the file, such as the digits of a number.
    public var source: String { document.file.text(in: range) }

    /// The key of a member; nil for an element and for the outermost value.
    public var key: String? { keyWithMap?.text }

    /// The range of a member's key, including the quotes; nil for an element and for the outermost value.
    public var keyRange: SourceRange? { record.key?.quotedRange }

    /// The place of a member's key; for an element or the outermost value, the place of the value.
    public var keyPlace: SourcePlace { SourcePlace(document.file, keyRange ?? range) }

    /// Whether the value is `null`.
    public var isNull: Bool { kind == .null }

    /// The boolean; nil for a value of another kind.
    public var bool: Bool? { kind == .bool ? source.utf8.first == UInt8(ascii: "t") : nil }

    /// The integer; nil for a value of another kind, and for a number with a fraction, an exponent or more than 64
    /// bits.
    public var integer: Int? { kind == .number ? Int(source) : nil }

    /// The number as the nearest double; nil for a value of another kind.
    public var double: Double? { kind == .number ? Double(source) : nil }

    /// The string; nil for a value of another kind.
    public var string: String? { stringWithMap?.text }

    /// The string with a map from its bytes to the file; nil for a value of another kind.
    public var stringWithMap: (text: String, map: SourceMap)? {
        guard kind == .string else { return nil }
        return document.decoded(SourceRange(start: range.start + 1, end: range.end - 1), hasEscapes: record.hasEscapes)
    }

    /// The key of a member with a map from its bytes to the file; nil for an element and for the outermost value.
    public var keyWithMap: (text: String, map: SourceMap)? {
        record.key.map { document.decoded($0.range, hasEscapes: $0.hasEscapes) }
    }

    /// The number of members or elements.
    public var count: Int { Int(record.count) }

    /// The members of an object or the elements of an array, in the order of the file; empty for a scalar value.
    public var children: Children { Children(document: document, index: index + 1, end: Int(record.end)) }

    /// The members of an object in the order of the file, each with its ``key``; empty for other kinds of values.
    public var members: Children { kind == .object ? children : .none(in: document) }

    /// The elements of an array in the order of the file; empty for other kinds of values.
    public var elements: Children { kind == .array ? children : .none(in: document) }

    /// The member with a key, or the last such member if there are several; nil if there is none.
    public subscript(_ key: String) -> JSONNode? {
        var found: JSONNode?
        for member in members where member.key?.utf8.elementsEqual(key.utf8) == true { found = member }
        return found
    }

    /// Siblings in a document: the members of an object or the elements of an array.
    public struct Children: Sequence, IteratorProtocol, Sendable {
        let document: JSONDocument
        var index: Int
        let end: Int

        static func none(in document: JSONDocument) -> Children { Children(document: document, index: 0, end: 0) }

        /// Returns the next sibling; nil after the last one.
        public mutating func next() -> JSONNode? {
            guard index < end else { return nil }
            defer { index = Int(document.records[index].end) }
            return JSONNode(document: document, index: index)
        }
    }
}

extension JSONDocument {
    /// Decodes the string in a range without its quotes; returns it with a map from its bytes to the file.
    func decoded(_ range: SourceRange, hasEscapes: Bool) -> (text: String, map: SourceMap) {
        guard hasEscapes else {
            let run = SourceMap.Run(text: 0, file: Int(range.start))
            let map = SourceMap([run], textCount: range.offsets.count, fileEnd: Int(range.end))
            return (file.text(in: range), map)
        }
        var buffer = ByteBuffer(capacity: range.offsets.count)
        var runs: [SourceMap.Run] = []
        file.bytes[range.offsets].withUnsafeBufferPointer { raw in
            var index = 0
            while index < raw.count {
                let isEscape = raw[index] == UInt8(ascii: "\\")
                let run = SourceMap.Run(text: buffer.count, file: Int(range.start) + index)
                guard isEscape else {
                    let end = raw[index...].firstIndex(of: UInt8(ascii: "\\")) ?? raw.count
                    buffer.append(UnsafeBufferPointer(rebasing: raw[index..<end]))
                    runs.append(run)
                    index = end
                    continue
                }
                let escape = JSONEscape(raw, at: index)
                for unit in UTF8.encode(escape.scalar) ?? UTF8.encodedReplacementCharacter { buffer.append(unit) }
                runs.append(SourceMap.Run(text: run.text, file: run.file, escapeCount: escape.count))
                index += escape.count
            }
        }
        return (buffer.string(), SourceMap(runs, textCount: buffer.count, fileEnd: Int(range.end)))
    }
}
