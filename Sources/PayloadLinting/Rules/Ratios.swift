// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
import DiagnosticSources
import PlistDocuments

extension RuleMessage {
    fileprivate static let noRatio: RuleMessage =
        "no UNNotificationExtensionInitialContentSizeRatio, expected the initial height divided by the width"
    fileprivate static func wrongType(_ found: String) -> RuleMessage {
        "the initial content size ratio is \(found), expected a <real> or an <integer>"
    }
    fileprivate static func zero(_ text: String) -> RuleMessage {
        "the initial content size ratio is \(text), so the content starts without any height; expected a number such as 0.6, unless it starts collapsed on purpose"
    }
    fileprivate static func impossible(_ text: String) -> RuleMessage {
        "the initial content size ratio is \(text), expected a number above 0"
    }
    fileprivate static func tiny(_ text: String) -> RuleMessage {
        "the initial content size ratio is \(text), so the content starts almost without height; expected the height divided by the width, not a percentage"
    }
    fileprivate static func huge(_ text: String, meant: String?) -> RuleMessage {
        "the initial content size ratio is \(text), so the content is \(text) times as high as wide\(meant.map { "; did you mean \($0)?" } ?? "")"
    }
}

extension RuleID {
    fileprivate static let ratioMissing = RuleID(
        "ratio-missing", .error, "a content extension without an initial content size ratio")
    fileprivate static let ratioType = RuleID(
        "ratio-type", .error, "an initial content size ratio that is not a number")
    fileprivate static let ratioNotPositive = RuleID(
        "ratio-not-positive", .warning, "an initial content size ratio of 0, below 0, NaN or infinite")
    fileprivate static let ratioTiny = RuleID(
        "ratio-tiny", .info, "an initial content size ratio above 0 and under 0.05")
    fileprivate static let ratioHuge = RuleID("ratio-huge", .warning, "an initial content size ratio above 10")
}

extension Rule {
    static let ratios: [Rule] = [
        Rule(
            .ratioMissing,
            source: .sizeRatio,
            rationale: """
                Apple requires the key. The system needs it to give the view a size before any code of the extension \
                runs. The rule is silent where a syntax error hides values.
                """,
            failing: [[.contentExtension(ratio: "", attributesKey: "<key>⟦NSExtensionAttributes⟧</key>")]],
            passing: [[.withRatio("<real>0.6</real>")]],
            .propertyList(ratioFindings)
        ),
        Rule(
            .ratioType,
            source: .sizeRatio,
            rationale: """
                Apple documents the type as Number. How the system reads a text is not documented. The rule is silent \
                for build settings, which unresolved-build-setting reports.
                """,
            failing: [[.withRatio("⟦<string>0.6</string>⟧")]],
            passing: [[.withRatio("<integer>1</integer>")]],
            .propertyList(ratioFindings)
        ),
        Rule(
            .ratioNotPositive,
            source: .sizeRatio,
            rationale: """
                Zero is a known way to let the view start collapsed, so it is a warning. A negative ratio, NaN and \
                infinity are not sizes, so they are errors.
                """,
            failing: [[.withRatio("<integer>⟦0⟧</integer>")], [.withRatio("<real>⟦-0.5⟧</real>")]],
            passing: [[.withRatio("<real>1.4</real>")]],
            .propertyList(ratioFindings)
        ),
        Rule(
            .ratioTiny,
            source: .sizeRatio,
            rationale: """
                Such a ratio is a known way to let the view start collapsed, but may also be a percentage by mistake. \
                The rule is silent where code of the extension sets preferredContentSize: the ratio then gives the \
                size only until that code runs.
                """,
            failing: [[.withRatio("<real>⟦0.01⟧</real>")]],
            passing: [[.withRatio("<real>0.05</real>")]],
            .propertyList(ratioFindings)
        ),
        Rule(
            .ratioHuge,
            source: .sizeRatio,
            rationale: """
                The ratio is the height divided by the width, and no screen is as high as 10 times its width. Most \
                such values are percentages by mistake, or heights in points.
                """,
            failing: [[.withRatio("<integer>⟦60⟧</integer>")]],
            passing: [[.withRatio("<real>1.5</real>")]],
            .propertyList(ratioFindings)
        ),
    ]

    /// The findings about the initial content size ratio of a content extension.
    private static func ratioFindings(_ list: LintedPlist) -> [Finding] {
        guard list.contentExtension != nil else { return [] }
        guard let node = list.plist.attribute(BundleKey.ratio) else {
            return list.isComplete ? [Finding(.noRatio, at: list.attributesPlace, rule: .ratioMissing)] : []
        }
        let place = list.place(of: node)
        switch node.kind {
        case .integer, .real: break
        case .string where App.holdsBuildSetting(node.text): return []
        case .string:
            let found = list.document.file.text(in: node.range)
            return [Finding(.wrongType(found), at: list.document.place(node.range), rule: .ratioType)]
        default: return [Finding(.wrongType(node.kind.article), at: place, rule: .ratioType)]
        }
        guard let number = node.number else { return [] }
        let text = node.text
        // If the view sets its size in code, the ratio is only the size at the start.
        let isFirstSize = list.code?.setsContentSize ?? false
        if number == 0 { return isFirstSize ? [] : [Finding(.zero(text), at: place, rule: .ratioNotPositive)] }
        if !(number > 0 && number.isFinite) {
            return [Finding(.impossible(text), at: place, severity: .error, rule: .ratioNotPositive)]
        }
        if number < 0.05 { return isFirstSize ? [] : [Finding(.tiny(text), at: place, rule: .ratioTiny)] }
        let meant = number <= 300 ? String(number / 100) : nil
        return number > 10 ? [Finding(.huge(text, meant: meant), at: place, rule: .ratioHuge)] : []
    }
}

extension RuleExample.File {
    fileprivate static func withRatio(_ value: String) -> RuleExample.File {
        .contentExtension(
            ratio: "<key>UNNotificationExtensionInitialContentSizeRatio</key>\n\t\t\t\(value)"
        )
    }
}
