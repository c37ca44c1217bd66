// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// A JSON file that was read as a whole, with the place of every value and the members in their order.
///
/// It is for files that people write, where findings need places. Nodes are records in one array. Strings are decoded
/// only when they are used.
public final class JSONDocument: Sendable {
    /// A key that occurs more than once in one object.
    public struct DuplicateKey: Sendable {
        /// The key that occurs more than once.
        public let key: String

        /// The place of the later occurrence, including the quotes.
        public let place: SourcePlace

        /// The place of the first occurrence, including the quotes.
        public let first: SourcePlace
    }

    /// A value of the document; the records of its children follow directly, and its next sibling comes after its last
    /// descendant.
    struct Record {
        var kind: JSONNode.Kind
        var hasEscapes = false
        var range: SourceRange
        var key: JSONText?
        /// The number of children.
        var count: UInt32 = 0
        /// The index after the last record of the node and its descendants.
        var end: UInt32 = 0
    }

    /// The file that was read.
    public let file: SourceFile

    /// The keys that occur more than once in one object, in the order of the file.
    public let duplicateKeys: [DuplicateKey]

    let records: [Record]

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - file: the file, which has to be UTF-8; a byte order mark is skipped.
    ///   - depthLimit: how deep containers may be nested.
    ///   - valueLimit: the most values that the file may hold.
    /// - Throws: why the file is not JSON, and where.
    public init(_ file: SourceFile, depthLimit: Int = 512, valueLimit: Int = .max) throws(JSONError) {
        let recording = try file.bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
            var json = JSONReader(bytes, depthLimit: depthLimit)
            var recording = Recording(valueLimit: valueLimit)
            try recording.record(&json, key: nil)
            try json.finish()
            return recording
        }
        self.file = file
        records = recording.records
        duplicateKeys = recording.duplicates.map { duplicate in
            DuplicateKey(
                key: duplicate.key,
                place: SourcePlace(file, duplicate.range),
                first: SourcePlace(file, duplicate.first)
            )
        }
    }

    /// The outermost value.
    public var root: JSONNode { JSONNode(document: self, index: 0) }
}

/// Collects the records of a document while it is being read.
private struct Recording {
    let valueLimit: Int
    var records: [JSONDocument.Record] = []
    var duplicates: [(key: String, range: SourceRange, first: SourceRange)] = []

    /// Reads a value and appends its records; the reader's depth limit also limits this recursion.
    mutating func record(_ json: inout JSONReader, key: JSONText?) throws(JSONError) {
        let token = try json.readValue()
        let index = records.count
        guard index < valueLimit else { throw json.error(.tooManyValues(limit: valueLimit), at: json.tokenStart) }
        records.append(JSONDocument.Record(kind: .null, range: json.tokenRange, key: key))
        switch token {
        case .null: break
        case .bool: records[index].kind = .bool
        case .integer, .bigInteger, .double: records[index].kind = .number
        case .string(let text):
            records[index].kind = .string
            records[index].hasEscapes = text.hasEscapes
        case .array:
            records[index].kind = .array
            while try json.nextElement() {
                records[index].count += 1
                try record(&json, key: nil)
            }
        case .object:
            records[index].kind = .object
            var firsts: [ExactString: SourceRange] = [:]
            while let key = try json.nextKey() {
                records[index].count += 1
                let name = json.string(key)
                if let first = firsts[ExactString(name)] {
                    duplicates.append((name, key.quotedRange, first))
                } else {
                    firsts[ExactString(name)] = key.quotedRange
                }
                try record(&json, key: key)
            }
        }
        records[index].range.end = UInt32(clamping: json.position)
        records[index].end = UInt32(clamping: records.count)
    }
}

/// A string that is compared by its bytes, unlike `String`, for which canonically equivalent texts are equal.
private struct ExactString: Hashable {
    let string: String

    init(_ string: String) { self.string = string }

    static func == (left: ExactString, right: ExactString) -> Bool {
        left.string.utf8.elementsEqual(right.string.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var string = string
        string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
