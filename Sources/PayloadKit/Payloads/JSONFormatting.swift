// SPDX-License-Identifier: MIT

import JSON
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
        writer.raw(token(of: json))
    case .string(let text):
        // What needs no escapes stays as it is.
        if text.hasEscapes { writer.string(json.string(text)) } else { writer.raw(token(of: json)) }
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

private func token(of json: borrowing JSONReader) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: json.bytes[json.tokenRange.offsets])
}

/// Writes a JSON text anew, without the white space between its parts.
///
/// - Throws: why it is none.
func minifyJSON(_ bytes: UnsafeBufferPointer<UInt8>, with writer: inout JSONWriter) throws(JSONError) {
    writer.removeAll()
    var json = JSONReader(bytes)
    try copyJSON(&json, to: &writer)
    try json.finish()
}
