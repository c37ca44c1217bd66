// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// Writes JSON, compact or pretty, and adds commas, colons and line breaks.
///
/// ```swift
/// var json = JSONWriter(pretty: true)
/// json.beginObject()
/// json.member("name", "Ana")
/// json.key("tags")
/// json.beginArray()
/// json.string("new")
/// json.endArray()
/// json.endObject()
/// json.buffer.string()
/// ```
///
/// Pretty output indents by two spaces and keeps empty containers on one line. Opening and closing calls have to match,
/// which the writer does not check.
public struct JSONWriter: ~Copyable {
    /// The JSON written so far.
    public var buffer: ByteBuffer

    /// Whether each member and element is on a line of its own.
    public let isPretty: Bool

    /// Whether strings are written by ``ByteBuffer/appendShownJSON(_:)``, so that they are safe to show in logs.
    package var escapesForDisplay = false

    private var depth = 0
    /// Whether the next value needs a comma, because its container already has a value.
    private var needsComma = false
    /// Whether a key was just written, so that the next value belongs to it.
    private var isAfterKey = false

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - buffer: the buffer to append to; its contents are kept.
    ///   - pretty: whether each member and element gets a line of its own.
    public init(into buffer: consuming ByteBuffer = ByteBuffer(), pretty: Bool = false) {
        self.buffer = buffer
        isPretty = pretty
    }

    /// Opens an object.
    public mutating func beginObject() { begin(UInt8(ascii: "{")) }

    /// Closes the object that was opened last.
    public mutating func endObject() { end(UInt8(ascii: "}")) }

    /// Opens an array.
    public mutating func beginArray() { begin(UInt8(ascii: "[")) }

    /// Closes the array that was opened last.
    public mutating func endArray() { end(UInt8(ascii: "]")) }

    /// Writes the key of the next value.
    public mutating func key(_ key: String) {
        prepare()
        appendString(key)
        buffer.append(UInt8(ascii: ":"))
        if isPretty { buffer.append(UInt8(ascii: " ")) }
        isAfterKey = true
    }

    /// Writes the key of the next value, given as JSON with its quotes and its colon.
    package mutating func key(json key: StaticString) {
        prepare()
        buffer.append(UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
        if isPretty { buffer.append(UInt8(ascii: " ")) }
        isAfterKey = true
    }

    /// Writes the key of the next value, given as JSON that was read, with its quotes but without its colon.
    package mutating func key(raw bytes: UnsafeBufferPointer<UInt8>) {
        prepare()
        buffer.append(bytes)
        buffer.append(UInt8(ascii: ":"))
        if isPretty { buffer.append(UInt8(ascii: " ")) }
        isAfterKey = true
    }

    /// Writes a string.
    public mutating func string(_ string: String) {
        prepare()
        appendString(string)
    }

    /// Writes a string, given its UTF-8.
    public mutating func string(utf8 bytes: UnsafeBufferPointer<UInt8>) {
        prepare()
        buffer.appendJSON(utf8: bytes)
    }

    /// Writes an integer.
    public mutating func integer(_ integer: Int) {
        prepare()
        buffer.append(decimal: integer)
    }

    /// Writes a double in its shortest form; `null` if it is not finite.
    public mutating func double(_ double: Double) {
        prepare()
        buffer.appendJSON(double)
    }

    /// Writes `true` or `false`.
    public mutating func bool(_ bool: Bool) {
        prepare()
        buffer.append(bool ? "true" : "false")
    }

    /// Writes `null`.
    public mutating func null() {
        prepare()
        buffer.append("null")
    }

    /// Writes JSON text unchanged, such as the digits of a number that was read.
    public mutating func raw(_ bytes: UnsafeBufferPointer<UInt8>) {
        prepare()
        buffer.append(bytes)
    }

    /// Writes a key with a string.
    public mutating func member(_ key: String, _ string: String) {
        self.key(key)
        self.string(string)
    }

    /// Writes a key with an integer.
    public mutating func member(_ key: String, _ integer: Int) {
        self.key(key)
        self.integer(integer)
    }

    /// Writes a key with `true` or `false`.
    public mutating func member(_ key: String, _ bool: Bool) {
        self.key(key)
        self.bool(bool)
    }

    /// Writes a key with a string, or with `null` if there is none.
    package mutating func member(_ key: String, optional string: String?) {
        self.key(key)
        if let string { self.string(string) } else { null() }
    }

    /// Writes an object, with its key unless it is an element; `body` writes its members.
    @inlinable
    package mutating func object(_ key: String? = nil, _ body: (inout JSONWriter) -> Void) {
        if let key { self.key(key) }
        beginObject()
        body(&self)
        endObject()
    }

    /// Writes an array, with its key unless it is an element; `body` writes each element.
    ///
    /// Without inlining, each element would be copied to the heap.
    @inlinable
    package mutating func array<Element>(
        _ key: String? = nil,
        _ elements: some Sequence<Element>,
        _ body: (inout JSONWriter, Element) -> Void
    ) {
        if let key { self.key(key) }
        beginArray()
        for element in elements { body(&self, element) }
        endArray()
    }

    /// Writes an array of objects, with its key unless it is an element; `body` writes the members of each.
    @inlinable
    package mutating func objects<Element>(
        _ key: String? = nil,
        _ elements: some Sequence<Element>,
        _ body: (inout JSONWriter, Element) -> Void
    ) {
        array(key, elements) { json, element in json.object { body(&$0, element) } }
    }

    /// Runs `body` with ``escapesForDisplay`` set, so that what it writes is safe to show in logs.
    package mutating func escapingForDisplay(_ body: (inout JSONWriter) -> Void) {
        escapesForDisplay = true
        body(&self)
        escapesForDisplay = false
    }

    /// Ends a value at the top level: the next value starts without a comma.
    public mutating func endValue() {
        needsComma = false
    }

    /// Removes everything that was written and keeps the memory.
    public mutating func removeAll() {
        buffer.removeAll()
        depth = 0
        needsComma = false
        isAfterKey = false
    }

    @inline(__always)
    private mutating func appendString(_ string: String) {
        if escapesForDisplay { buffer.appendShownJSON(string) } else { buffer.appendJSON(string) }
    }

    private mutating func begin(_ bracket: UInt8) {
        prepare()
        buffer.append(bracket)
        depth += 1
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8) {
        depth -= 1
        if needsComma, isPretty { breakLine() }
        buffer.append(bracket)
        needsComma = true
    }

    /// Writes what the next value needs before it: a comma, a line break and indentation.
    @inline(__always)
    private mutating func prepare() {
        if isAfterKey {
            isAfterKey = false
        } else {
            if needsComma { buffer.append(UInt8(ascii: ",")) }
            if depth > 0, isPretty { breakLine() }
        }
        needsComma = true
    }

    private mutating func breakLine() {
        buffer.append(UInt8(ascii: "\n"))
        for _ in 0..<Swift.max(0, depth) { buffer.append("  ") }
    }
}
