// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts

extension Report {
    /// Writes GitLab's code quality report, which is a subset of the Code Climate format.
    ///
    /// Every entry needs a path, so findings without a file are reported on the first line of the folder. What is left
    /// out of the report is an entry too, because the format has no other place for it.
    func writeCodeQuality(into buffer: inout ByteBuffer) {
        let fingerprints = Fingerprints(shown).values
        buffer.writeJSON { json in
            json.beginArray()
            if let text = leftOut.text {
                json.entry(text, tool.name, fingerprint: "\(tool.name): \(text)", .info, at: nil)
            }
            for (diagnostic, fingerprint) in zip(shown, fingerprints) {
                json.entry(
                    diagnostic.message, diagnostic.rule.name, fingerprint: fingerprint, diagnostic.severity,
                    at: diagnostic.place)
            }
            json.endArray()
        }
    }
}

extension JSONWriter {
    fileprivate mutating func entry(
        _ description: String,
        _ name: String,
        fingerprint: String,
        _ severity: Severity,
        at place: SourcePlace?
    ) {
        beginObject()
        member("description", description)
        member("check_name", name)
        member("fingerprint", fingerprint)
        member("severity", severity.codeQualitySeverity)
        object("location") { json in
            json.member("path", place?.file.path ?? ".")
            json.object("lines") { json in
                json.member("begin", place?.start.line ?? 1)
                json.member("end", place?.end.line ?? 1)
            }
        }
        endObject()
    }
}

extension Severity {
    fileprivate var codeQualitySeverity: String {
        switch self {
        case .error: "major"
        case .warning: "minor"
        case .info: "info"
        }
    }
}
