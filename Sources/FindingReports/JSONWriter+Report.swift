// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts

extension ByteBuffer {
    /// Appends pretty JSON with a final line break, escaped so that it can be shown in a log.
    mutating func writeJSON(_ body: (inout JSONWriter) -> Void) {
        var json = JSONWriter(pretty: true)
        json.escapesForDisplay = true
        body(&json)
        json.buffer.append("\n")
        json.buffer.withUnsafeBytes { append($0) }
    }
    /// Appends an object in version 1 of this project's own format, with the program that wrote it.
    mutating func writeJSON(of tool: Report.Tool, _ body: (inout JSONWriter) -> Void) {
        writeJSON { json in
            json.object { json in
                json.member("version", 1)
                json.object("tool") { json in
                    json.member("name", tool.name)
                    json.member("version", tool.version)
                }
                body(&json)
            }
        }
    }
}
