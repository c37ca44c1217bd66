// SPDX-License-Identifier: MIT

import JSON
import SourceText

/// Writes a payload and counts the bytes of each field.
///
/// The cost of a field is that of its key, its value and their punctuation, with the comma before it. All other bytes
/// are the structure.
struct PayloadWriter: ~Copyable {
    /// The field that is the placeholder for Braze's own data.
    static let campaignField = "ab.c"

    var buffer = ByteBuffer(capacity: 2048)
    /// The fields of the message, once it is whole.
    private(set) var fields: [Payload.Field] = []
    /// The number of ``fields`` of this message; after them are fields of the previous one.
    private(set) var fieldCount = 0
    /// The ranges of named texts inside fields, such as the address of the image.
    private(set) var parts: [Payload.Part] = []
    /// The cost of all fields, and that of the placeholder for Braze's own data.
    private(set) var costs = (all: 0, standIn: 0)
    private var needsComma = false
    private var fieldStart = 0
    private var valueStart = 0

    mutating func begin() {
        buffer.removeAll()
        fieldCount = 0
        if !parts.isEmpty { parts.removeAll(keepingCapacity: true) }
        costs = (0, 0)
        needsComma = false
        openBrace()
    }

    /// Ends the payload.
    mutating func end() {
        closeObject()
        fields.removeLast(fields.count - fieldCount)
    }

    /// Opens an object as a member of the object that is open.
    mutating func openObject(_ key: StaticString) {
        writeWord(key)
        openBrace()
    }

    /// Closes the object that was opened last.
    mutating func closeObject() {
        buffer.append(UInt8(ascii: "}"))
        needsComma = true
    }

    /// Removes everything after a position, such as an object that stayed empty.
    mutating func takeBack(to mark: Mark) {
        buffer.truncate(to: mark.count)
        needsComma = mark.needsComma
    }

    /// A position to go back to.
    struct Mark {
        fileprivate let count: Int
        fileprivate let needsComma: Bool
    }

    /// The position after what is written.
    var mark: Mark { Mark(count: buffer.count, needsComma: needsComma) }

    // MARK: - Fields

    /// Begins a field with its key; its value is written into ``buffer`` before ``endField(_:isBlank:)``.
    mutating func beginField(_ key: String) {
        fieldStart = buffer.count
        writeKey(key)
        valueStart = buffer.count
    }

    /// Begins a field whose key needs no escapes.
    mutating func beginField(word key: StaticString) {
        fieldStart = buffer.count
        writeWord(key)
        valueStart = buffer.count
    }

    /// Begins a field whose key is JSON already.
    mutating func beginField(json key: borrowing ByteBuffer) {
        fieldStart = buffer.count
        innerKey(json: key)
        valueStart = buffer.count
    }

    mutating func endField(_ name: String, isBlank: Bool = false) {
        needsComma = true
        let range = SourceRange(valueStart, buffer.count)
        let cost = buffer.count - fieldStart
        costs.all += cost
        // Most messages have the same fields as the previous one, whose names are then kept.
        let isKept =
            fieldCount < fields.count
            && fields[fieldCount].move(name, to: range, cost: cost, isBlank: isBlank)
        if !isKept {
            fields.removeLast(fields.count - fieldCount)
            fields.append(Payload.Field(name: name, range: range, cost: cost, isBlank: isBlank))
        }
        fieldCount += 1
    }

    /// Ends the placeholder for Braze's own data.
    mutating func endStandIn() {
        endField(Self.campaignField)
        costs.standIn = buffer.count - fieldStart
    }

    // MARK: - Inside a field

    /// Writes a member inside the value of a field.
    mutating func innerKey(_ key: String) { writeKey(key) }

    /// Begins a member whose key is JSON already, inside the value of a field.
    mutating func innerKey(json key: borrowing ByteBuffer) {
        writeComma()
        key.withUnsafeBytes { buffer.append($0) }
        buffer.append(UInt8(ascii: ":"))
    }

    /// Ends a value that was written into ``buffer``.
    mutating func endInnerValue() { needsComma = true }

    /// Writes a text; one with a name is added to ``parts``.
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

    private mutating func writeWord(_ key: StaticString) {
        writeComma()
        buffer.append(UInt8(ascii: "\""))
        buffer.append(UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
        buffer.append(UInt8(ascii: "\""))
        buffer.append(UInt8(ascii: ":"))
    }

    private mutating func writeComma() {
        if needsComma { buffer.append(UInt8(ascii: ",")) }
        needsComma = false
    }
}
