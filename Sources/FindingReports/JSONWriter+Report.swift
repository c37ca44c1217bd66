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
