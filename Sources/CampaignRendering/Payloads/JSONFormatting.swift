// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts

/// Copies one value from a reader to a writer.
///
/// Numbers keep their digits and members keep their order; of the escapes in texts, only those that JSON requires stay.
/// The recursion is bounded by the reader's depth limit.
func copyJSON(_ json: inout JSONReader, to writer: inout JSONWriter) throws(JSONError) {
    switch try json.readValue() {
    case .null: writer.null()
    case .bool(let bool): writer.bool(bool)
    case .integer, .bigInteger, .double:
        writer.raw(token(of: json))
    case .string(let text):
        // A text without escapes is copied.
        if text.hasEscapes { writer.string(json.string(text)) } else { writer.raw(token(of: json)) }
    case .array:
        writer.beginArray()
        while try json.nextElement() { try copyJSON(&json, to: &writer) }
        writer.endArray()
    case .object:
        writer.beginObject()
        while let key = try json.nextKey() {
            // A key without escapes is copied, too.
            if key.hasEscapes {
                writer.key(json.string(key))
            } else {
                writer.key(raw: bytes(key.quotedRange, of: json))
            }
            try copyJSON(&json, to: &writer)
        }
        writer.endObject()
    }
}

private func token(of json: borrowing JSONReader) -> UnsafeBufferPointer<UInt8> { bytes(json.tokenRange, of: json) }

private func bytes(_ range: SourceRange, of json: borrowing JSONReader) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: json.bytes[range.offsets])
}

/// Writes JSON as ``copyJSON(_:to:)`` does, without white space between its parts, and reuses its memory.
///
/// A batch does this for each user. It checks the whole text first and then copies everything between the white space,
/// which takes fewer instructions than reading and writing each part.
struct JSONMinifier: ~Copyable {
    private var buffer = ByteBuffer()
    private var marks = TextMarks()

    /// Calls `body` with the bytes of the last result.
    func withUnsafeBytes(_ body: (UnsafeBufferPointer<UInt8>) -> Void) { buffer.withUnsafeBytes(body) }

    /// Writes a text without white space between its parts, in place of the last result.
    ///
    /// - Throws: why the text is not JSON.
    mutating func minify(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
        buffer.removeAll()
        var json = JSONReader(bytes, reusing: &marks)
        defer { json.returnMarks(to: &marks) }
        // A device discards a payload with a number that does not fit a double.
        json.requiresFiniteNumbers = true
        let range = try json.skipValue().offsets
        try json.finish()
        // The text is valid JSON: outside strings, each quote starts a string, and white space is only between tokens.
        var (copied, index) = (range.lowerBound, range.lowerBound)
        while index < range.upperBound {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                if let end = json.endOfPlainString(at: index) {
                    index = end
                    continue
                }
                json.move(to: index)
                if case .string(let text) = try json.readValue(), text.hasEscapes {
                    buffer.append(UnsafeBufferPointer(rebasing: bytes[copied..<index]))
                    buffer.appendJSON(json.string(text))
                    copied = json.position
                }
                index = json.position
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
                buffer.append(UnsafeBufferPointer(rebasing: bytes[copied..<index]))
                index += 1
                copied = index
            default: index += 1
            }
        }
        buffer.append(UnsafeBufferPointer(rebasing: bytes[copied..<index]))
    }
}
