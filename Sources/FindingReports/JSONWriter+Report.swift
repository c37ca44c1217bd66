// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts

extension ByteBuffer {
    /// Appends pretty JSON with a final line break, escaped so that it can be shown in a log.
    mutating func writeJSON(_ body: (inout JSONWriter) -> Void) {
        var json = JSONWriter(pretty: true)
        json.isShown = true
        body(&json)
        json.buffer.append("\n")
        json.buffer.withUnsafeBytes { append($0) }
    }
}

extension JSONWriter {
    /// Writes a key with an array, for which `body` writes each element.
    mutating func array<Element>(
        _ key: String,
        _ elements: some Sequence<Element>,
        _ body: (inout JSONWriter, Element) -> Void
    ) {
        self.key(key)
        beginArray()
        for element in elements { body(&self, element) }
        endArray()
    }

    /// Writes a key with an object, for which `body` writes the members.
    mutating func object(_ key: String, _ body: (inout JSONWriter) -> Void) {
        self.key(key)
        beginObject()
        body(&self)
        endObject()
    }
}
