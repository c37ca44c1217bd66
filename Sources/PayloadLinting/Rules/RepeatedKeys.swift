// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import JSONTexts
import PayloadKit

extension RuleMessage {
    fileprivate static func twice(_ key: String) -> RuleMessage {
        "the key '\(key)' occurs twice, and the last value counts; expected it once"
    }
}

extension LintedCampaign {
    /// The findings about keys that occur twice in an object of a `$json:` value.
    var repeatedPairKeys: [Finding] {
        extras.flatMap { extra -> [Finding] in
            guard case .json(let value) = extra.value else { return [] }
            guard value.holdsLiquid else {
                return Self.repeatedKeys(of: value.text).map { repeated in
                    finding(repeated.key, in: value, repeated.range, first: repeated.first)
                }
            }
            guard let text = text(of: value), text.isWhole,
                let drafts = TemplateDrafts(text, fill: { _, _, _ in [UInt8(ascii: "0")] })?.drafts
            else { return [] }
            // Conditions may exclude each other, so that only what every path has is certain.
            let repeatedByDraft = drafts.map(Self.repeatedKeys)
            guard let first = repeatedByDraft.first else { return [] }
            return first.filter { repeated in repeatedByDraft.allSatisfy { $0.contains(repeated) } }.map { repeated in
                finding(repeated.key, in: value, repeated.range, first: repeated.first)
            }
        }
    }

    /// The findings about keys that occur twice in an object of the fixtures, where reading them has not found any.
    var repeatedFixtureKeys: [Finding] {
        guard let (file, _) = campaign?.fixturesDocument, let document = try? JSONDocument(file) else { return [] }
        let known = Set(diagnostics.filter { $0.rule == .duplicateKey }.compactMap(\.place?.range))
        return document.duplicateKeys.filter { !known.contains($0.place.range) }.map { repeated in
            Finding(
                .twice(repeated.key), at: repeated.place,
                related: [Diagnostic.Related("first defined here", at: repeated.first)])
        }
    }

    private func finding(_ key: String, in value: TemplateText, _ range: SourceRange, first: SourceRange) -> Finding {
        Finding(
            .twice(key), at: value.place(of: range),
            related: [Diagnostic.Related("first defined here", at: value.place(of: first))])
    }

    /// A key that occurs twice in an object: both ranges are those in the template.
    private struct RepeatedKey: Equatable {
        var key: String
        var range: SourceRange
        var first: SourceRange
    }

    private static func repeatedKeys(of text: String) -> [RepeatedKey] {
        guard let document = try? JSONDocument(SourceFile(path: "value", text: text)) else { return [] }
        return document.duplicateKeys.map { RepeatedKey(key: $0.key, range: $0.place.range, first: $0.first.range) }
    }

    /// The repeated keys of a possible output that the template has twice.
    private static func repeatedKeys(of draft: TemplateDraft) -> [RepeatedKey] {
        repeatedKeys(of: draft.text).compactMap { repeated in
            guard let range = draft.range(ofText: repeated.range), let first = draft.range(ofText: repeated.first),
                range != first
            else { return nil }
            return RepeatedKey(key: repeated.key, range: range, first: first)
        }
    }
}

extension TemplateDraft {
    /// The range in the template of a part of the output; nil where the part holds a placeholder.
    fileprivate func range(ofText range: SourceRange) -> SourceRange? {
        guard let last = range.offsets.last, places.indices.contains(last),
            !values.contains(where: { $0.overlaps(range.offsets) })
        else { return nil }
        return SourceRange(places[range.offsets.lowerBound], places[last] + 1)
    }
}
