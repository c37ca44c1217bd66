// SPDX-License-Identifier: MIT

import SourceText

/// Copies one value from a reader to a writer: numbers as they stand, texts with the escapes that JSON asks for and no
/// more, members in their order.
///
/// The depth limit of the reader bounds the recursion.
func copyJSON(_ json: inout JSONReader, to writer: inout JSONWriter) throws(JSONError) {
    switch try json.readValue() {
    case .null: writer.null()
    case .bool(let bool): writer.bool(bool)
    case .integer, .bigInteger, .double:
        writer.raw(UnsafeBufferPointer(rebasing: json.bytes[json.tokenRange.offsets]))
    case .string(let text): writer.string(json.string(text))
    case .array:
        writer.beginArray()
        while try json.nextElement() { try copyJSON(&json, to: &writer) }
        writer.endArray()
    case .object:
        writer.beginObject()
        while let key = try json.nextKey() {
            writer.key(json.string(key))
            try copyJSON(&json, to: &writer)
        }
        writer.endObject()
    }
}

/// A JSON text without the white space between its parts, or why it is none.
func minifiedJSON(_ bytes: UnsafeBufferPointer<UInt8>) -> Result<String, JSONError> {
    do throws(JSONError) {
        var json = JSONReader(bytes)
        var writer = JSONWriter(into: ByteBuffer(capacity: bytes.count))
        try copyJSON(&json, to: &writer)
        try json.finish()
        return .success(writer.buffer.string())
    } catch {
        return .failure(error)
    }
}
