// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The messages about files that the YAML parser rejects.
enum YAMLMessages {
    static let tooDeep = "nested deeper than \(DocumentNode.depthLimit) levels"

    /// The finding about a fault, or about its probable cause if one is found.
    static func finding(for fault: YAMLParser.Fault, in file: SourceFile, rule: RuleID) -> Diagnostic {
        guard let mark = fault.mark else {
            return Diagnostic(
                rule, "invalid YAML: \(fault.problem)", at: SourcePlace(wholeFile: file), severity: .error)
        }
        let place = place(mark, in: file)
        if fault.isAboutDepth { return Diagnostic(rule, tooDeep, at: place, severity: .error) }
        return finding(for: fault, at: place, mark, rule).explained(in: file)
    }

    private static func finding(
        for fault: YAMLParser.Fault,
        at place: SourcePlace,
        _ mark: YAMLParser.Mark,
        _ rule: RuleID
    ) -> Diagnostic {
        let (context, file) = (fault.context, place.file)
        // The key without a colon is the mistake, and the next line is where it is noticed.
        if fault.problem == "could not find expected ':'", let context, context.mark.line < mark.line {
            let place = Self.place(context.mark, in: file)
            let isComment = file.bytes[Int(place.range.start)...].starts(with: "//".utf8)
            let hint = isComment ? "; comments begin with '#'" : ", as in 'KEY: VALUE'"
            return Diagnostic(
                rule, "this line has no colon after its key, expected ':'\(hint)", at: place, severity: .error)
        }
        if fault.problem == "found undefined alias" || context?.text.holds("alias") ?? false {
            return Diagnostic(
                rule, "'*' begins an alias in YAML, so a text that begins with it needs quotes",
                at: context.map { Self.place($0.mark, in: file) } ?? place, severity: .error)
        }
        var result = Diagnostic(rule, message(fault.problem, at: place), at: place, severity: .error)
        if let context, context.mark != mark {
            result.related = [Diagnostic.Related(context.text, at: Self.place(context.mark, in: file))]
        }
        return result
    }

    private static func place(_ mark: YAMLParser.Mark, in file: SourceFile) -> SourcePlace {
        var lines = YAMLLines(file)
        let offset = lines.offset(line: mark.line, column: mark.column)
        return SourcePlace(file, SourceRange(offset, min(offset + 1, file.bytes.count)))
    }

    private static func message(_ problem: String, at place: SourcePlace) -> String {
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

extension Diagnostic {
    /// The parser's finding, replaced by its probable cause if one is found.
    ///
    /// A mistake after the place where the parser stopped cannot be the cause.
    func explained(in file: SourceFile) -> Diagnostic {
        let end = Int(place?.range.end ?? 0)
        let isPlaced = !(place?.range.isEmpty ?? true)
        guard let mistake = YAMLDiagnosis.mistake(in: file, before: isPlaced ? end : file.bytes.count) else {
            return self
        }
        return Diagnostic(
            rule,
            mistake.message,
            at: SourcePlace(file, mistake.range),
            severity: severity,
            fixes: mistake.fix.map { [$0] } ?? []
        )
    }
}
