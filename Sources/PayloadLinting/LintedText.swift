// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import LiquidTemplates
import PayloadKit

/// A text of a campaign, with the analysis of its template.
struct LintedText: Sendable {
    /// The text, with its place in a file.
    let source: TemplateText

    /// The readable part of the template; nil if the text contains no Liquid or cannot be read at all.
    let template: Template?

    /// Whether the whole template could be read.
    ///
    /// Only then is a name that does not occur in it known to be absent.
    let isWhole: Bool

    /// What the template reads, sets and calls.
    let analysis: TemplateAnalysis

    /// The parts of the template.
    let parts: TemplateVisitor

    /// The types of the template's values.
    let types: ValueTypes

    /// The ranges of the template that rendering can never reach.
    let unreachable: Intervals

    /// The markup of the template.
    let markups: [TemplateMarkup]

    /// The markup that Liquid ignores without an error.
    let ignored: [IgnoredMarkup]

    /// The outputs and tags with ignored markup.
    private let ignoredMarkups: Intervals

    /// The errors of reading the text.
    let faults: [Diagnostic]

    /// The bytes of the template, with a word written over each output and tag inside of markup; empty if the template
    /// has no tags.
    let coveredBytes: [UInt8]

    /// The values of variables that are set only once.
    let assigned: AssignedValues

    static let environment = BrazeEnvironment.standard

    /// - Parameters:
    ///   - source: the text.
    ///   - attributes: the types of custom attributes.
    ///   - environment: the dialect.
    init(
        _ source: TemplateText,
        attributes: [String: AttributeType],
        environment: Environment = LintedText.environment
    ) {
        self.source = source
        let (template, faults) =
            source.holdsLiquid ? Template.reading(source.text, environment: environment) : (nil, [])
        self.template = template
        isWhole = faults.isEmpty
        self.faults = faults.map { fault in
            Diagnostic(fault.rule, fault.message, at: fault.range.map { source.place(of: $0) } ?? source.place)
        }
        analysis = template?.analysis() ?? TemplateAnalysis()
        parts = TemplateVisitor(template)
        types = ValueTypes(parts.tags, attributes, environment)
        unreachable = Intervals(analysis.unreachable.map(\.offsets))
        let markups = template.map { [parts] in TemplateMarkup.all(in: $0, parts) } ?? []
        self.markups = markups
        ignored = template.map { IgnoredMarkup.all(in: $0, markups) } ?? []
        ignoredMarkups = Intervals(ignored.map(\.markup))
        coveredBytes = analysis.tags.isEmpty ? [] : template?.source.covered ?? []
        assigned = AssignedValues(parts, analysis)
    }

    /// Whether a range overlaps markup that Liquid partly ignores, so that its meaning is not known.
    func isIgnored(_ range: SourceRange) -> Bool { ignoredMarkups.overlaps(range.offsets) }

    /// The comparisons that rendering can reach.
    var comparisons: [ComparedValues] { parts.comparisons.filter { !unreachable.covers($0.range) } }

    /// The uses of a tag of Braze.
    func uses(of tag: String) -> [TagUse] { analysis.tags.filter { $0.name == tag } }

    /// The ranges of text that are printed as written, including text in branches.
    ///
    /// HTML comments are left out, as Braze removes them.
    var literalText: [Range<Int>] {
        guard template != nil else { return source.holdsLiquid ? [] : [0..<source.text.utf8.count] }
        return parts.nodes.flatMap { node -> [Range<Int>] in
            if case .text = node.syntax.kind { partsBetweenComments(node.syntax.range.offsets) } else { [] }
        }
    }

    private func partsBetweenComments(_ range: Range<Int>) -> [Range<Int>] {
        let bytes = self.bytes
        var parts: [Range<Int>] = []
        var start = range.lowerBound
        while let open = bytes[start..<range.upperBound].firstRange(ofBytes: "<!--".utf8) {
            parts.append(start..<open.lowerBound)
            guard
                let close = bytes[open.upperBound..<range.upperBound].firstRange(ofBytes: "-->".utf8)
            else { return parts }
            start = close.upperBound
        }
        return parts + [start..<range.upperBound]
    }

    /// The bytes of the template; empty if there is none.
    var bytes: [UInt8] { template?.source.bytes ?? [] }

    /// The place in the file of a range of the text.
    func place(of range: SourceRange) -> SourcePlace { source.place(of: range) }

    /// The fix that writes a suggested name in place of a misspelt one.
    ///
    /// - Parameters:
    ///   - range: the range of the misspelt name in the text.
    ///   - name: the suggestion; nil if there is none.
    /// - Returns: the fix; none without a suggestion, for a name of one or two bytes, or if the name has escapes in the
    ///   file.
    func renaming(_ range: SourceRange, to name: String?) -> [FixIt] {
        // Many names are similar to a name of one or two letters.
        guard let name, range.offsets.count > 2 else { return [] }
        let place = place(of: range)
        let written = source.file.text(in: place.range)
        guard source.text.utf8.count >= Int(range.end), range.offsets.count == written.utf8.count,
            written.utf8.elementsEqual(source.text.utf8.dropFirst(Int(range.start)).prefix(range.offsets.count))
        else { return [] }
        return [FixIt("write '\(name)'", edits: [FixIt.Edit(place.range, replacement: name)])]
    }
}
