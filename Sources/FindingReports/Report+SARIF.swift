// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts

extension Report {
    /// Writes SARIF 2.1.0 (OASIS standard, 2020), as far as the code scanning of GitHub and GitLab reads it.
    func writeSARIF(into buffer: inout ByteBuffer) {
        let indices = Dictionary(rules.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        let fingerprints = Fingerprints(diagnostics).values
        buffer.writeJSON { json in
            json.beginObject()
            json.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
            json.member("version", "2.1.0")
            json.objects("runs", CollectionOfOne(self)) { json, report in
                json.object("tool") { json in
                    json.object("driver") { $0.driver(report) }
                }
                if let text = report.leftOut.text { json.invocations(note: text) }
                json.member("columnKind", "unicodeCodePoints")
                json.objects("results", zip(report.diagnostics, fingerprints)) { json, finding in
                    json.result(finding.0, ruleIndex: indices[finding.0.rule], fingerprint: finding.1)
                }
            }
            json.endObject()
        }
    }
}

extension JSONWriter {
    fileprivate mutating func driver(_ report: Report) {
        member("name", report.tool.name)
        member("version", report.tool.version)
        if let uri = report.tool.informationURI { member("informationUri", uri) }
        objects("rules", report.rules) { json, rule in
            json.member("id", rule.id.name)
            json.member("name", rule.name)
            json.object("shortDescription") { $0.member("text", rule.id.summary) }
            if let page = rule.page { json.member("helpUri", page) }
            json.object("help") { json in
                json.member("text", rule.help)
                json.member("markdown", rule.help)
            }
            json.object("defaultConfiguration") { $0.member("level", rule.id.severity.sarifLevel) }
        }
    }

    /// Writes the description of the run, with a note on what its configuration leaves out.
    fileprivate mutating func invocations(note: String) {
        objects("invocations", CollectionOfOne(note)) { json, note in
            json.member("executionSuccessful", true)
            json.objects("toolConfigurationNotifications", CollectionOfOne(note)) { json, note in
                json.member("level", Severity.info.sarifLevel)
                json.message("message", note)
            }
        }
    }

    fileprivate mutating func result(_ diagnostic: Diagnostic, ruleIndex: Int?, fingerprint: String) {
        member("ruleId", diagnostic.rule.name)
        if let ruleIndex { member("ruleIndex", ruleIndex) }
        member("level", diagnostic.severity.sarifLevel)
        message("message", diagnostic.message)
        // Code scanning rejects results without a location, so a finding without a file gets the folder as its
        // location.
        objects("locations", CollectionOfOne(diagnostic.place)) { json, place in
            if let place {
                json.physicalLocation(place)
            } else {
                json.object("physicalLocation") { $0.object("artifactLocation") { $0.member("uri", ".") } }
            }
        }
        if !diagnostic.related.isEmpty {
            objects("relatedLocations", diagnostic.related.enumerated()) { json, related in
                json.member("id", related.offset)
                json.physicalLocation(related.element.place)
                json.message("message", related.element.message)
            }
        }
        object("partialFingerprints") { $0.member("primaryLocationLineHash", fingerprint) }
        if let file = diagnostic.place?.file, !diagnostic.fixes.isEmpty {
            objects("fixes", diagnostic.fixes.filter { !$0.edits.isEmpty }) { $0.fix($1, in: file) }
        }
    }

    private mutating func physicalLocation(_ place: SourcePlace) {
        object("physicalLocation") { json in
            json.artifactLocation(place.file)
            json.region("region", place)
        }
    }

    private mutating func artifactLocation(_ file: SourceFile) {
        // A URI reference (RFC 3986), which is relative if the path is.
        let scheme = file.path.utf8.first == UInt8(ascii: "/") ? "file://" : ""
        object("artifactLocation") { $0.member("uri", scheme + file.path.percentEncodedPath) }
    }

    private mutating func region(_ name: String, _ place: SourcePlace) {
        let (start, end) = (place.start, place.end)
        object(name) { json in
            json.member("startLine", start.line)
            json.member("startColumn", start.column)
            json.member("endLine", end.line)
            json.member("endColumn", end.column)
        }
    }

    private mutating func fix(_ fix: FixIt, in file: SourceFile) {
        message("description", fix.message)
        objects("artifactChanges", CollectionOfOne(file)) { json, file in
            json.artifactLocation(file)
            json.objects("replacements", fix.edits) { json, edit in
                json.region("deletedRegion", SourcePlace(file, edit.range))
                json.object("insertedContent") { $0.member("text", edit.replacement) }
            }
        }
    }

    /// Writes a message in which `](` is escaped, because SARIF reads `[text](target)` as a link even in plain text.
    private mutating func message(_ name: String, _ text: String) {
        object(name) { json in
            var escaped = String.UnicodeScalarView()
            var isAfterBracket = false
            for scalar in text.unicodeScalars {
                if scalar == "(", isAfterBracket { escaped.insert("\\", at: escaped.index(before: escaped.endIndex)) }
                escaped.append(scalar)
                isAfterBracket = scalar == "]"
            }
            json.member("text", String(escaped))
        }
    }
}

extension Severity {
    fileprivate var sarifLevel: String {
        switch self {
        case .error: "error"
        case .warning: "warning"
        case .info: "note"
        }
    }
}
