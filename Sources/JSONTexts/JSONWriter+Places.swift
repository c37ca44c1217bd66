// SPDX-License-Identifier: MIT

package import DiagnosticSources

extension JSONWriter {
    /// Writes the members `start` and `end` of a place: each is an object with the `offset` in bytes, the `line` and
    /// the `column`.
    package mutating func ends(of place: SourcePlace) {
        for (name, position) in [("start", place.start), ("end", place.end)] {
            object(name) { json in
                json.member("offset", position.offset)
                json.member("line", position.line)
                json.member("column", position.column)
            }
        }
    }
}
