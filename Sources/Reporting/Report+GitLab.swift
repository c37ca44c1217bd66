// SPDX-License-Identifier: MIT

import JSON
import SourceText

extension Report {
    /// The code quality report of GitLab, a part of the Code Climate format.
    ///
    /// Every entry needs a path: findings without a file get the first line of the folder.
    func writeCodeQuality(into buffer: inout ByteBuffer) {
        let fingerprints = Fingerprints(diagnostics).values
        buffer.writeJSON { json in
            json.beginArray()
            for (diagnostic, fingerprint) in zip(diagnostics, fingerprints) {
                json.beginObject()
                json.member("description", diagnostic.message)
                json.member("check_name", diagnostic.rule.name)
                json.member("fingerprint", fingerprint)
                json.member("severity", diagnostic.severity.codeQualitySeverity)
                json.object("location") { json in
                    json.member("path", diagnostic.place?.file.path ?? ".")
                    json.object("lines") { json in
                        json.member("begin", diagnostic.place?.start.line ?? 1)
                        json.member("end", diagnostic.place?.end.line ?? 1)
                    }
                }
                json.endObject()
            }
            json.endArray()
        }
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
