// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts

extension Report {
    /// Writes the findings as JSON, in version 1 of this project's format.
    func writeJSON(into buffer: inout ByteBuffer) {
        buffer.writeJSON(of: tool) { json in
            json.objects("results", diagnostics) { $0.result($1) }
            json.object("summary") { json in
                json.member("errors", count(of: .error))
                json.member("warnings", count(of: .warning))
                json.member("infos", count(of: .info))
                if let baselineCount { json.member("baseline", baselineCount) }
                for part in leftOut.parts { json.member(part.name, part.count) }
            }
        }
    }
}

extension JSONWriter {
    /// Writes the members of the object for a finding.
    ///
    /// - Parameters:
    ///   - diagnostic: the finding.
    ///   - more: writes additional members of the object.
    mutating func result(_ diagnostic: Diagnostic, more: (inout JSONWriter) -> Void = { _ in }) {
        member("rule", diagnostic.rule.name)
        member("severity", diagnostic.severity.rawValue)
        member("message", diagnostic.message)
        place(diagnostic.place)
        objects("related", diagnostic.related) { json, related in
            json.member("message", related.message)
            json.place(related.place)
        }
        objects("fixes", diagnostic.place == nil ? [] : diagnostic.fixes) { json, fix in
            json.member("message", fix.message)
            json.objects("edits", fix.edits) { json, edit in
                if let file = diagnostic.place?.file { json.ends(of: SourcePlace(file, edit.range)) }
                json.member("replacement", edit.replacement)
            }
        }
        more(&self)
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
