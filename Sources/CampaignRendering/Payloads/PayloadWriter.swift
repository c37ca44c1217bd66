// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts

/// Writes a payload and counts the bytes of each field.
///
/// The cost of a field includes its key, its value and their punctuation, with the comma before it. All remaining bytes
/// are the structure.
struct PayloadWriter: ~Copyable {
    /// The name of the field with the placeholder for Braze's own data.
    static let campaignField = FieldName("ab.c")

    var buffer = ByteBuffer(capacity: 2048)
    /// The fields so far.
    private var entries = UncountedList<Entry>()
    /// Whether a field has blank text that has to be reported.
    private(set) var hasBlank = false
    /// The names of fields whose keys were rendered; keeps them alive.
    private var renderedNames: [FieldName] = []
    /// The ranges of named texts inside fields, such as the address of the image.
    private(set) var parts: [Payload.Part] = []
    /// The cost of all fields, and of the placeholder for Braze's own data alone.
    private(set) var costs = (all: 0, placeholder: 0)
    private var needsComma = false
    private var fieldStart = 0
    private var valueStart = 0

    /// A field of the payload, or adjacent fields that are the same in every message.
    ///
    /// The names are kept elsewhere, so that most messages allocate nothing for their fields.
    private enum Entry: BitwiseCopyable {
        case field(Field)
        case constants(Uncounted<ConstantFields>, end: Int, hasComma: Bool)

        var fieldCount: Int {
            switch self {
            case .field: 1
            case .constants(let constants, _, _): constants.with { $0.fieldCount }
            }
        }
    }

    private struct Field: BitwiseCopyable {
        let name: Uncounted<FieldName>
        let start: Int
        let end: Int
        let cost: Int
        let isBlank: Bool
        /// The index of the campaign's key-value pair.
        let pair: Int?
    }

    /// The fields so far; each call creates a new array.
    var fields: [Payload.Field] {
        var fields: [Payload.Field] = []
        fields.reserveCapacity((0..<entries.count).reduce(0) { $0 + entries[$1].fieldCount })
        for index in 0..<entries.count {
            switch entries[index] {
            case .constants(let constants, let end, let hasComma):
                constants.with { $0.appendFields(to: &fields, endingAt: end, withComma: hasComma) }
            case .field(let field):
                fields.append(
                    Payload.Field(
                        name: field.name.with { $0.text },
                        range: SourceRange(field.start, field.end),
                        cost: field.cost,
                        isBlank: field.isBlank,
                        pair: field.pair
                    )
                )
            }
        }
        return fields
    }

    /// The names of the fields that are blank.
    var blank: [String] { hasBlank ? fields.filter(\.isBlank).map(\.name) : [] }

    mutating func begin() {
        buffer.removeAll()
        entries.removeAll()
        hasBlank = false
        if !renderedNames.isEmpty { renderedNames.removeAll() }
        if !parts.isEmpty { parts.removeAll(keepingCapacity: true) }
        costs = (0, 0)
        needsComma = false
        openBrace()
    }

    /// Ends the payload.
    mutating func end() { closeObject() }

    /// Keeps the name of a field alive until the next payload.
    mutating func keep(_ name: FieldName) -> Uncounted<FieldName> {
        renderedNames.append(name)
        return Uncounted(name)
    }

    /// Opens an object as a member of the current object.
    ///
    /// - Parameter key: the key as JSON, with its colon.
    @inline(__always)
    mutating func openObject(json key: StaticString) {
        writeKey(json: key)
        openBrace()
    }

    /// Closes the current object.
    mutating func closeObject() {
        buffer.append(UInt8(ascii: "}"))
        needsComma = true
    }

    /// Removes the bytes after a position, such as an object without members; no field may have ended since.
    mutating func truncate(to mark: Mark) {
        buffer.truncate(to: mark.count)
        needsComma = mark.needsComma
    }

    /// A position that ``truncate(to:)`` can return to.
    struct Mark {
        fileprivate let count: Int
        fileprivate let entryCount: Int
        fileprivate let needsComma: Bool
    }

    /// The position at the end of what has been written.
    var mark: Mark { Mark(count: buffer.count, entryCount: entries.count, needsComma: needsComma) }

    /// Whether no field was written after a position.
    func isWithoutFields(after mark: Mark) -> Bool { entries.count == mark.entryCount }

    // MARK: - Fields

    /// Begins a field with its key; its value is written into ``buffer`` before ``endField(_:isBlank:pair:)``.
    mutating func beginField(_ key: String) {
        fieldStart = buffer.count
        writeKey(key)
        valueStart = buffer.count
    }

    /// Begins a field; its key is given as JSON, with its colon.
    @inline(__always)
    mutating func beginField(json key: StaticString) {
        fieldStart = buffer.count
        writeKey(json: key)
        valueStart = buffer.count
    }

    mutating func beginField(_ key: borrowing MemberKey) {
        fieldStart = buffer.count
        innerKey(key)
        valueStart = buffer.count
    }

    /// Ends a field.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - isBlank: whether the field is reported as blank.
    ///   - pair: for a key-value pair, its index in the campaign.
    mutating func endField(_ name: Uncounted<FieldName>, isBlank: Bool = false, pair: Int? = nil) {
        needsComma = true
        let cost = buffer.count &- fieldStart
        costs.all &+= cost
        if isBlank { hasBlank = true }
        let end = buffer.count
        entries.append(
            .field(Field(name: name, start: valueStart, end: end, cost: cost, isBlank: isBlank, pair: pair))
        )
    }

    /// Writes fields that are the same in every message.
    mutating func write(_ constants: Uncounted<ConstantFields>) {
        let start = buffer.count
        let hasComma = needsComma
        constants.with { $0.write(into: &buffer, withComma: hasComma) }
        costs.all &+= buffer.count &- start
        needsComma = true
        entries.append(.constants(constants, end: buffer.count, hasComma: hasComma))
    }

    /// Ends the placeholder for Braze's own data.
    mutating func endPlaceholder() {
        endField(Uncounted(Self.campaignField))
        costs.placeholder = buffer.count - fieldStart
    }

    // MARK: - Inside a field

    /// Writes a member inside the value of a field.
    mutating func innerKey(_ key: String) { writeKey(key) }

    mutating func innerKey(_ key: borrowing MemberKey) {
        key.write(into: &buffer, withComma: needsComma)
        needsComma = false
    }

    /// Writes a text inside the value of a field; a text with a name is added to ``parts``.
    mutating func innerString(_ value: String, part name: String? = nil) {
        let start = buffer.count
        buffer.appendJSON(value)
        if let name { notePart(name, from: start) }
        needsComma = true
    }

    /// Adds the value from an offset to the end to ``parts``, under a name.
    mutating func notePart(_ name: String, from start: Int) {
        parts.append(Payload.Part(name: name, range: SourceRange(start, buffer.count)))
    }

    mutating func innerBool(_ value: Bool) {
        buffer.append(value ? "true" : "false")
        needsComma = true
    }

    mutating func openBrace() {
        buffer.append(UInt8(ascii: "{"))
        needsComma = false
    }

    private mutating func writeKey(_ key: String) {
        writeComma()
        buffer.appendJSON(key)
        buffer.append(UInt8(ascii: ":"))
    }

    /// Inlined, so that the compiler knows the number of bytes where it copies them.
    @inline(__always)
    private mutating func writeKey(json key: StaticString) {
        writeComma()
        buffer.append(UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
    }

    @inline(__always)
    private mutating func writeComma() {
        if needsComma { buffer.append(UInt8(ascii: ",")) }
        needsComma = false
    }
}

/// A key in the form in which each message contains it: the comma before it, the key as JSON, and the colon.
struct MemberKey: ~Copyable {
    private var json = ByteBuffer(capacity: 32)

    init(_ key: String) {
        json.append(UInt8(ascii: ","))
        json.appendJSON(key)
        json.append(UInt8(ascii: ":"))
    }

    @inline(__always)
    func write(into buffer: inout ByteBuffer, withComma hasComma: Bool) {
        json.withUnsafeBytes { json in
            let skipped = hasComma ? 0 : 1
            if let start = json.baseAddress { buffer.append(padded: start + skipped, json.count - skipped) }
        }
    }
}

/// The name of a payload's field, such as `title` or `extras.next_session_name`.
///
/// It is an object, so that a payload can refer to it without a reference count.
final class FieldName: Sendable {
    let text: String

    init(_ text: String) { self.text = text }
}

/// Adjacent fields that are the same in every message, written once and copied into each payload.
///
/// It is a class for the same reason as ``CompiledText``.
final class ConstantFields: Sendable {
    /// The members, each with the comma before it.
    private let json: ByteBuffer
    private let fields: [Field]

    private struct Field {
        let name: FieldName
        /// Offsets in ``json``: of the comma before the field, of the value, and of its end.
        let start: Int
        let valueStart: Int
        let end: Int
    }

    /// Writes fields whose ``CompiledMessage/Field/isConstant`` is true, with their options.
    init(_ fields: ArraySlice<CompiledMessage.Field>) {
        var json = ByteBuffer(capacity: 64)
        self.fields = fields.flatMap { [$0] + $0.options }.map { field in
            let start = json.count
            field.key.write(into: &json, withComma: true)
            let valueStart = json.count
            if let text = field.text?.counted {
                text.json.withUnsafeBytes { json.append($0) }
            } else {
                field.constant.withUnsafeBytes { json.append($0) }
            }
            return Field(name: field.name, start: start, valueStart: valueStart, end: json.count)
        }
        self.json = json
    }

    /// Writes the fields.
    ///
    /// There is no comma before them if they are the first members of their object.
    @inline(__always)
    func write(into buffer: inout ByteBuffer, withComma hasComma: Bool) {
        json.withUnsafeBytes { buffer.append(UnsafeBufferPointer(rebasing: $0[(hasComma ? 0 : 1)...])) }
    }

    /// The number of fields.
    var fieldCount: Int { fields.count }

    /// Adds these fields to the list of a payload's fields.
    func appendFields(to list: inout [Payload.Field], endingAt end: Int, withComma hasComma: Bool) {
        let offset = end - json.count
        for field in fields {
            let start = !hasComma && field.start == 0 ? 1 : field.start
            list.append(
                Payload.Field(
                    name: field.name.text,
                    range: SourceRange(offset + field.valueStart, offset + field.end),
                    cost: field.end - start,
                    isBlank: false,
                    pair: nil
                )
            )
        }
    }
}
