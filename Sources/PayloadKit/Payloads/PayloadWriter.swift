// SPDX-License-Identifier: MIT

import SourceText

/// Writes a payload and keeps account of what each field costs.
///
/// A field costs its key, its value and their punctuation, the comma in front of it included. What is left is the
/// structure, so that both add up to the whole by construction.
struct PayloadWriter: ~Copyable {
    /// The field that stands in for Braze's own data.
    static let campaignField = "ab.c"

    var buffer = ByteBuffer(capacity: 2048)
    private(set) var fields: [Payload.Field] = []
    private var needsComma = false
    private var fieldStart = 0
    private var valueStart = 0

    mutating func begin() {
        buffer.removeAll()
        fields.removeAll(keepingCapacity: true)
        needsComma = false
        openBrace()
    }

    /// Opens an object; with a key as a member of the one that is open.
    mutating func openObject(_ key: String) {
        writeKey(key)
        openBrace()
    }

    /// Closes the object that was opened last.
    mutating func closeObject() {
        buffer.append(UInt8(ascii: "}"))
        needsComma = true
    }

    /// Takes back everything from a position on, such as an object that stayed empty.
    mutating func takeBack(to mark: Mark) {
        buffer.truncate(to: mark.count)
        needsComma = mark.needsComma
    }

    /// A position to go back to.
    struct Mark {
        fileprivate let count: Int
        fileprivate let needsComma: Bool
    }

    /// The position behind what is written.
    var mark: Mark { Mark(count: buffer.count, needsComma: needsComma) }

    // MARK: - Fields

    /// Begins a field with its key; its value is written into ``buffer`` before ``endField(_:isBlank:)``.
    mutating func beginField(_ key: String) {
        fieldStart = buffer.count
        writeKey(key)
        valueStart = buffer.count
    }

    /// Begins a field whose key is UTF-8 that is not escaped yet.
    mutating func beginField(utf8 key: UnsafeBufferPointer<UInt8>) {
        fieldStart = buffer.count
        writeComma()
        buffer.appendJSON(utf8: key)
        buffer.append(UInt8(ascii: ":"))
        valueStart = buffer.count
    }

    mutating func endField(_ name: String, isBlank: Bool = false) {
        needsComma = true
        fields.append(
            Payload.Field(
                name: name,
                range: SourceRange(valueStart, buffer.count),
                cost: buffer.count - fieldStart,
                isBlank: isBlank
            )
        )
    }

    mutating func integer(_ key: String, _ value: Int, _ name: String) {
        beginField(key)
        buffer.append(decimal: value)
        endField(name)
    }

    mutating func string(_ key: String, _ value: String, _ name: String) {
        beginField(key)
        buffer.appendJSON(value)
        endField(name)
    }

    // MARK: - Inside a field

    /// Writes a member inside the value of a field.
    mutating func innerKey(_ key: String) { writeKey(key) }

    mutating func innerString(_ value: String) {
        buffer.appendJSON(value)
        needsComma = true
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

    private mutating func writeComma() {
        if needsComma { buffer.append(UInt8(ascii: ",")) }
        needsComma = false
    }
}
