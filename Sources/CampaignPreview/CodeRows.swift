// SPDX-License-Identifier: MIT

import PayloadKit

/// A template or a file, split into numbered lines with syntax colours from the engine's own tokens.
struct CodeRows {
    /// A part of the text with one colour, as its CSS class.
    private struct Span {
        var range: Range<Int>
        var style: String
    }

    private let bytes: [UInt8]
    /// The line number in the file at which each line of the text starts, from 1.
    private let lineNumbers: [Int]
    /// The coloured parts of the text, in ascending order and without overlap.
    private let spans: [Span]
    /// The ranges of findings in the text.
    private let marks: [(range: Range<Int>, isError: Bool)]
    /// How far a message got in each line of the file, by line number.
    private let trail: [Int: LineMark]
    /// The outputs `{{ … }}` in ascending order: the range in the text, and the offset in the file.
    private let outputs: [(range: Range<Int>, place: Int)]

    /// The size in bytes above which a text gets no colours, so that typing stays fast.
    private static let colourLimit = 200_000

    /// Creates the lines of a template.
    ///
    /// - Parameters:
    ///   - text: the template.
    ///   - findings: the findings in the template.
    ///   - trail: how far a message got in each line of the file, by line number.
    ///   - outputs: the ranges of the template's outputs.
    init(
        _ text: TemplateText,
        findings: [Diagnostic],
        trail: [Int: LineMark] = [:],
        outputs: [Range<Int>] = []
    ) {
        self.trail = trail
        bytes = Array(text.text.utf8)
        self.outputs = outputs.map { ($0, Int(text.place(of: SourceRange($0)).range.start)) }
        var numbers: [Int] = []
        var start = 0
        for line in Self.lines(of: bytes) {
            numbers.append(text.place(of: SourceRange(start, start)).start.line)
            start = line.upperBound + 1
        }
        lineNumbers = numbers
        spans = Self.spans(of: text)
        // For each byte of the text, its offset in the file, where findings have their places.
        var places: [Int] = []
        if !findings.isEmpty, bytes.count <= Self.colourLimit {
            places = bytes.indices.map { Int(text.place(of: SourceRange($0, $0 + 1)).range.start) }
        }
        marks = findings.filter { $0.severity > .info }.compactMap { finding in
            guard let range = finding.place?.range.offsets else { return nil }
            guard let first = places.firstIndex(where: { $0 >= range.lowerBound }) else { return nil }
            let last = places.lastIndex { $0 < range.upperBound } ?? first
            return (first..<max(last + 1, first), finding.severity == .error)
        }
    }

    /// Creates the lines of a draft's whole file.
    ///
    /// - Parameters:
    ///   - draft: the draft.
    ///   - trail: how far a message got in each line of the file, by line number.
    init(_ draft: CampaignDraft, trail: [Int: LineMark] = [:]) {
        self.trail = trail
        outputs = []
        let text = LineText(draft.file.bytes)
        bytes = text.utf8
        lineNumbers = Array(1...max(1, text.lines.count))
        let isSame = bytes == draft.file.bytes
        var spans: [Span] = []
        if isSame, bytes.count <= Self.colourLimit {
            let texts = (draft.campaign?.push.texts ?? []).filter { $0.file.path == draft.path }
            for text in texts {
                for span in Self.spans(of: text) {
                    let range = text.place(of: SourceRange(span.range)).range.offsets
                    spans.append(Span(range: range, style: span.style))
                }
            }
            spans.sort { $0.range.lowerBound < $1.range.lowerBound }
            spans = spans.reduce(into: []) { kept, span in
                if span.range.lowerBound >= kept.last?.range.upperBound ?? 0 { kept.append(span) }
            }
        }
        self.spans = spans
        let findings = isSame ? draft.findings.filter { $0.severity > .info && $0.place?.file.path == draft.path } : []
        marks = findings.compactMap { finding in
            finding.place.map { ($0.range.offsets, finding.severity == .error) }
        }
    }

    private static func spans(of text: TemplateText) -> [Span] {
        guard text.holdsLiquid, text.text.utf8.count <= colourLimit else { return [] }
        let template = Template.reading(text.text, environment: BrazeEnvironment.standard).template
        return (template?.tokens ?? []).map { Span(range: $0.range.offsets, style: $0.kind.style) }
    }

    private static func lines(of bytes: [UInt8]) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        var start = 0
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
            lines.append(start..<index)
            start = index + 1
        }
        lines.append(start..<bytes.count)
        return lines
    }

    /// The lines as values for the page's template.
    var rows: [PageModel] {
        var previous = 0
        return Self.lines(of: bytes).enumerated().map { index, line in
            let number = lineNumbers[min(index, lineNumbers.count - 1)]
            let next = index + 1 < lineNumbers.count ? lineNumbers[index + 1] : number
            let mark = mark(of: number..<max(next, number + 1), in: line)
            defer { previous = number }
            return [
                "mark": mark?.style, "number": number > previous ? "\(number)" : "", "groups": groups(of: line),
            ]
        }
    }

    /// The mark of a row: that of its own lines or, for a row that begins with a tag such as an end tag, that of the
    /// next marked line.
    private func mark(of numbers: Range<Int>, in line: Range<Int>) -> LineMark? {
        if trail.isEmpty { return nil }
        let ownMarks = numbers.compactMap { trail[$0] }
        if let mark = ownMarks.max(by: { $0.rawValue < $1.rawValue }) { return mark }
        guard bytes[line].starts(with: Array("{%".utf8)) else { return nil }
        guard let last = lineNumbers.last, numbers.upperBound <= last else { return nil }
        return (numbers.upperBound...last).lazy.compactMap { trail[$0] }.first
    }

    /// The coloured parts of a line, in groups: one for each output, and one for each text between outputs.
    private func groups(of line: Range<Int>) -> [PageModel] {
        // The zero-width space keeps the height of an empty line.
        if line.isEmpty { return [["at": nil as Int?, "parts": [Self.part("\u{200B}", [])]]] }
        var groups: [PageModel] = []
        func add(_ range: Range<Int>, at place: Int?) {
            if !range.isEmpty { groups.append(["at": place, "parts": parts(of: range)]) }
        }
        var start = line.lowerBound
        for output in outputs where output.range.overlaps(line) {
            let range = output.range.clamped(to: line)
            add(start..<range.lowerBound, at: nil)
            add(range, at: output.place)
            start = range.upperBound
        }
        add(start..<line.upperBound, at: nil)
        return groups
    }

    private func parts(of line: Range<Int>) -> [PageModel] {
        var cuts: Set<Int> = [line.lowerBound, line.upperBound]
        let coloured = spans.filter { $0.range.overlaps(line) }
        let found = marks.filter { $0.range.overlaps(line) }
        for range in coloured.map(\.range) + found.map(\.range) {
            cuts.insert(max(range.lowerBound, line.lowerBound))
            cuts.insert(min(range.upperBound, line.upperBound))
        }
        let sorted = cuts.sorted()
        return zip(sorted, sorted.dropFirst()).filter { $0 < $1 }.map { start, end in
            var styles: [String] = []
            if let span = coloured.first(where: { $0.range.contains(start) }) { styles.append(span.style) }
            if let mark = found.first(where: { $0.range.contains(start) }) {
                styles.append(mark.isError ? "sq e" : "sq")
            }
            return Self.part(String(decoding: bytes[start..<end], as: UTF8.self), styles)
        }
    }

    private static func part(_ text: String, _ styles: [String]) -> PageModel {
        ["kind": styles.isEmpty ? nil : styles.joined(separator: " "), "text": ExactText(text)]
    }
}

extension TemplateToken.Kind {
    /// The CSS class that colours the token.
    fileprivate var style: String {
        switch self {
        case .punctuation: "p"
        case .keyword: "k"
        case .attribute: "a"
        case .filter: "f"
        case .string: "s"
        case .number: "d"
        case .name: "v"
        case .comment: "c"
        }
    }
}

extension LineMark {
    /// The CSS class that marks the row.
    fileprivate var style: String {
        switch self {
        case .missed: "off"
        case .passed: "on"
        case .ended: "hit"
        }
    }
}
