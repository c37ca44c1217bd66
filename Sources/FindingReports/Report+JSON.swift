// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts

extension Report {
    /// Writes the findings as JSON, in version 1 of this project's format.
    func writeJSON(into buffer: inout ByteBuffer) {
        buffer.writeJSON { json in
            json.beginObject()
            json.member("version", 1)
            json.object("tool") { json in
                json.member("name", tool.name)
                json.member("version", tool.version)
            }
            json.array("results", diagnostics) { $0.result($1) }
            json.object("summary") { json in
                json.member("errors", count(of: .error))
                json.member("warnings", count(of: .warning))
                json.member("infos", count(of: .info))
                if let baselineCount { json.member("baseline", baselineCount) }
                for part in leftOut.parts { json.member(part.name, part.count) }
            }
            json.endObject()
        }
    }
}

extension JSONWriter {
    /// Writes a finding as an object.
    ///
    /// - Parameters:
    ///   - diagnostic: the finding.
    ///   - more: writes further members of the object.
    mutating func result(_ diagnostic: Diagnostic, more: (inout JSONWriter) -> Void = { _ in }) {
        beginObject()
        member("rule", diagnostic.rule.name)
        member("severity", diagnostic.severity.rawValue)
        member("message", diagnostic.message)
        place(diagnostic.place)
        array("related", diagnostic.related) { json, related in
            json.beginObject()
            json.member("message", related.message)
            json.place(related.place)
            json.endObject()
        }
        array("fixes", diagnostic.place == nil ? [] : diagnostic.fixes) { json, fix in
            json.beginObject()
            json.member("message", fix.message)
            json.array("edits", fix.edits) { json, edit in
                json.beginObject()
                if let file = diagnostic.place?.file { json.ends(of: SourcePlace(file, edit.range)) }
                json.member("replacement", edit.replacement)
                json.endObject()
            }
            json.endObject()
        }
        more(&self)
        endObject()
    }

    /// Writes the members `file`, `start` and `end` of a place; each is `null` if there is no place.
    private mutating func place(_ place: SourcePlace?) {
        guard let place else {
            for name in ["file", "start", "end"] {
                key(name)
                null()
            }
            return
        }
        member("file", place.file.path)
        ends(of: place)
    }
}
