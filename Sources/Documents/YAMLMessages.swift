// SPDX-License-Identifier: MIT

import SourceText
import Yams

/// The messages about files that the YAML parser rejects.
enum YAMLMessages {
    static func finding(for error: any Error, in file: SourceFile, rule: RuleID) -> Diagnostic {
        var lines = YAMLLines(file)
        func place(_ mark: Mark) -> SourcePlace {
            let offset = lines.offset(line: mark.line, column: mark.column)
            return SourcePlace(file, SourceRange(offset, min(offset + 1, file.bytes.count)))
        }
        func finding(_ problem: String, _ context: YamlError.Context?, _ mark: Mark) -> Diagnostic {
            // The key without a colon is the mistake, and the next line is where it is noticed.
            if problem == "could not find expected ':'", let context, context.mark.line < mark.line {
                let place = place(context.mark)
                let isComment = file.bytes[Int(place.range.start)...].starts(with: "//".utf8)
                let hint = isComment ? "; comments begin with '#'" : ", as in 'KEY: VALUE'"
                return Diagnostic(
                    rule, "this line has no colon after its key, expected ':'\(hint)", at: place, severity: .error)
            }
            if problem == "found undefined alias" || context?.text.contains("alias") ?? false {
                return Diagnostic(
                    rule, "'*' begins an alias in YAML, so a text that begins with it needs quotes",
                    at: place(context?.mark ?? mark), severity: .error)
            }
            let place = place(mark)
            var result = Diagnostic(rule, message(problem, at: place), at: place, severity: .error)
            if let context, context.mark.line != mark.line || context.mark.column != mark.column {
                result.related = [Diagnostic.Related(context.text, at: self.place(context.mark, in: file))]
            }
            return result
        }
        switch error {
        case YamlError.scanner(let context, let problem, let mark, _),
            YamlError.parser(let context, let problem, let mark, _),
            YamlError.composer(let context, let problem, let mark, _):
            return finding(problem, context, mark)
        case YamlError.duplicatedKeysInMapping(let keys, let context):
            return duplicate(
                keys, at: lines.offset(line: context.mark.line, column: context.mark.column), in: file)
        default:
            return Diagnostic(
                rule,
                "invalid YAML: \(error)",
                at: SourcePlace(wholeFile: file),
                severity: .error
            )
        }
    }

    private static func place(_ mark: Mark, in file: SourceFile) -> SourcePlace {
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

    /// Reports the first key of a mapping that repeats an earlier one.
    ///
    /// The parser gives the repeated keys and one place of the first of them. All occurrences are searched for in its
    /// column, above and below it.
    private static func duplicate(_ keys: [String], at known: Int, in file: SourceFile) -> Diagnostic {
        let line = file.position(of: known).line
        let column = known - file.offset(ofLine: line)
        var seen: [String: SourceRange] = [:]
        let start = firstLine(ofMappingAt: line, column, in: file)
        for number in stride(from: start, through: file.lineCount, by: 1) {
            let text = file.line(number)
            let indent = text.prefix { $0 == UInt8(ascii: " ") }.count
            if indent == text.count || text[text.startIndex + indent] == UInt8(ascii: "#") { continue }
            if indent < column, number > start { break }
            // The first key may follow the dash of a list.
            guard indent == column || number == start else { continue }
            let rest = text.dropFirst(column)
            let found = keys.lazy.compactMap { key in written(key, at: rest).map { (key, $0) } }.first
            guard let (key, range) = found else { continue }
            if let first = seen[key] { return DocumentMessages.duplicateKey(key, at: range, first: first, in: file) }
            seen[key] = range
        }
        let key = keys.first ?? ""
        let range =
            written(key, at: file.bytes[min(known, file.bytes.count)...])
            ?? SourceRange(known, min(known + key.utf8.count, file.bytes.count))
        let repeated = nextKey(key, inBracketsAfter: range, in: file)
        return DocumentMessages.duplicateKey(key, at: repeated ?? range, first: range, in: file)
    }

    /// The range of a key, with its quotes, at the start of a text; nil where the text begins with something else.
    private static func written(_ key: String, at text: ArraySlice<UInt8>) -> SourceRange? {
        let written =
            switch text.first {
            case UInt8(ascii: "\""): "\"" + key.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
            case UInt8(ascii: "'"): "'" + key.replacing("'", with: "''") + "'"
            default: key
            }
        let rest = text.dropFirst(written.utf8.count)
        let isKey = rest.first { $0 != UInt8(ascii: " ") } == UInt8(ascii: ":")
        guard text.starts(with: written.utf8), isKey else { return nil }
        return SourceRange(text.startIndex, text.startIndex + written.utf8.count)
    }

    /// The next occurrence of a key in the same mapping in brackets; nil where the mapping has none.
    private static func nextKey(_ key: String, inBracketsAfter first: SourceRange, in file: SourceFile) -> SourceRange?
    {
        let bytes = file.bytes
        var depth = 0
        var quote: UInt8?
        var position = Int(first.end)
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if let open = quote {
                if byte == UInt8(ascii: "\\"), open == UInt8(ascii: "\"") { position += 1 }
                if byte == open { quote = nil }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                // Inside of a plain text it is an apostrophe.
                let previous = bytes[..<(position - 1)].last { $0 != UInt8(ascii: " ") } ?? 0
                if ":,[{\n".utf8.contains(previous) { quote = byte }
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth < 0 { return nil }
            case UInt8(ascii: ",") where depth == 0:
                let start = position + bytes[min(position, bytes.count)...].prefix { $0 <= 0x20 }.count
                if let range = written(key, at: bytes[min(start, bytes.count)...]) { return range }
            default: break
            }
        }
        return nil
    }

    /// The line of the first key of a mapping whose keys are in a column.
    private static func firstLine(ofMappingAt line: Int, _ column: Int, in file: SourceFile) -> Int {
        var first = line
        for number in stride(from: line, through: 1, by: -1) {
            let text = file.line(number)
            let indent = text.prefix { $0 == UInt8(ascii: " ") }.count
            if indent == text.count || text[text.startIndex + indent] == UInt8(ascii: "#") { continue }
            if indent == column { first = number }
            if indent >= column { continue }
            let item = text.dropFirst(indent).first == UInt8(ascii: "-")
            return item && indent + 2 == column ? number : first
        }
        return first
    }
}

extension Diagnostic {
    /// The parser's finding, replaced by its probable cause if one is found.
    ///
    /// A mistake after the place where the parser stopped cannot be the cause.
    func explained(in file: SourceFile) -> Diagnostic {
        guard rule != .duplicateKey, let mistake = YAMLDiagnosis.mistake(in: file),
            Int(mistake.range.start) <= Int(place?.range.end ?? 0) || place?.range.isEmpty ?? true
        else { return self }
        return Diagnostic(
            rule,
            mistake.message,
            at: SourcePlace(file, mistake.range),
            severity: severity,
            fixes: mistake.fix.map { [$0] } ?? []
        )
    }
}
