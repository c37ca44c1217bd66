// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The findings about files that the YAML parser rejects.
enum YAMLMessages {
    static let tooDeep = "nested deeper than \(DocumentNode.depthLimit) levels"

    /// The finding about a syntax error: its probable cause if one is found, otherwise the message of the parser.
    static func finding(for fault: YAMLParser.Fault, in file: SourceFile, rule: RuleID) -> Diagnostic {
        guard let mark = fault.mark else {
            return Diagnostic(
                rule, "invalid YAML: \(fault.problem)", at: SourcePlace(wholeFile: file), severity: .error)
        }
        let noticed = sourcePlace(mark, in: file)
        if fault.isAboutDepth { return Diagnostic(rule, tooDeep, at: noticed, severity: .error) }
        // The mistake is a key without a colon, but the parser notices it only on the next line.
        let isKey =
            fault.problem == "could not find expected ':'" && fault.context.map { $0.mark.line < mark.line } ?? false
        let isAlias = fault.problem == "found undefined alias" || fault.context?.text.holds("alias") ?? false
        let context = fault.context.map { Diagnostic.Related($0.text, at: sourcePlace($0.mark, in: file)) }
        let place = isKey || isAlias ? context?.place ?? noticed : noticed
        // A mistake after the place where the parser stopped cannot be the reason.
        let end = place.range.isEmpty ? file.bytes.count : Int(place.range.end)
        if let mistake = YAMLDiagnosis.mistake(in: file, before: end) {
            return Diagnostic(
                rule, mistake.message, at: SourcePlace(file, mistake.range), severity: .error,
                fixes: mistake.fix.map { [$0] } ?? [])
        }
        let message: String
        if isKey {
            let isComment = file.bytes[Int(place.range.start)...].starts(with: "//".utf8)
            message =
                "this line has no colon after its key, expected ':'"
                + (isComment ? "; comments begin with '#'" : ", as in 'KEY: VALUE'")
        } else if isAlias {
            message = "'*' begins an alias in YAML, so a text that begins with it needs quotes"
        } else {
            message = words(of: fault.problem, at: place)
        }
        let isContextElsewhere = !isKey && !isAlias && fault.context?.mark != mark
        return Diagnostic(
            rule, message, at: place, severity: .error, related: isContextElsewhere ? context.map { [$0] } ?? [] : [])
    }

    private static func sourcePlace(_ mark: YAMLParser.Mark, in file: SourceFile) -> SourcePlace {
        var offsets = YAMLOffsets(file)
        let offset = offsets.offset(of: mark)
        return SourcePlace(file, SourceRange(offset, min(offset + 1, file.bytes.count)))
    }

    private static func words(of problem: String, at place: SourcePlace) -> String {
        let offset = Int(place.range.start)
        guard offset < place.file.bytes.count else { return "invalid YAML: \(problem)" }
        switch place.file.bytes[offset] {
        case UInt8(ascii: "\t"): return "found a tab, expected spaces as indentation"
        case UInt8(ascii: "@"), UInt8(ascii: "`"), UInt8(ascii: "%"):
            let character = place.file.text(in: place.range)
            return "a plain YAML value cannot begin with '\(character)'; put it in quotes"
        case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"):
            guard problem == "did not find expected node content" else { return "invalid YAML: \(problem)" }
            return "a plain YAML value cannot begin with '\(place.file.text(in: place.range))'; put it in quotes"
        default: return "invalid YAML: \(problem)"
        }
    }
}
