// SPDX-License-Identifier: MIT

import AppBundles
import PropertyLists
import SourceText

extension RuleMessage {
    fileprivate static let noRatio: RuleMessage =
        "no UNNotificationExtensionInitialContentSizeRatio, expected the initial height divided by the width"
    fileprivate static func wrongType(_ found: String) -> RuleMessage {
        "the initial content size ratio is \(found), expected a <real> or an <integer>"
    }
    fileprivate static func zero(_ text: String) -> RuleMessage {
        "the initial content size ratio is \(text), so the content starts without any height"
    }
    fileprivate static func impossible(_ text: String) -> RuleMessage {
        "the initial content size ratio is \(text), expected a number above 0"
    }
    fileprivate static func tiny(_ text: String) -> RuleMessage {
        "the initial content size ratio is \(text), so the content starts almost without height"
    }
    fileprivate static func huge(_ text: String, meant: String?) -> RuleMessage {
        "the initial content size ratio is \(text), so the content is \(text) times as high as wide\(meant.map { "; did you mean \($0)?" } ?? "")"
    }
}

extension Rule {
    static let ratios: [Rule] = [ratioMissing, ratioType, ratioNotPositive, ratioTiny, ratioHuge]

    private static let ratioMissing = Rule(
        RuleDescription(
            RuleID("ratio-missing", .error, "a content extension without an initial content size ratio"),
            name: "Ratio missing",
            source: .sizeRatio,
            rationale: """
                Apple requires the key: the system derives the first size of the view from it, before any code of \
                the extension runs. Silent where a syntax error hides values.
                """,
            failing: [
                RuleExample([
                    RuleExample.contentExtension(ratio: "", attributesKey: "<key>⟦NSExtensionAttributes⟧</key>")
                ])
            ],
            passing: [RuleExample([.withRatio("<real>0.6</real>")])]
        ),
        .propertyList { list in
            guard list.contentExtension != nil, list.isComplete, list.plist.attribute(BundleKey.ratio) == nil
            else { return [] }
            return [Finding(.noRatio, at: list.attributesPlace)]
        }
    )

    private static let ratioType = Rule(
        RuleDescription(
            RuleID("ratio-type", .error, "an initial content size ratio that is not a number"),
            name: "Ratio type",
            source: .sizeRatio,
            rationale: """
                Apple documents the type as Number; how the system reads a string is not documented. Silent for \
                build settings, which unresolved-build-setting reports.
                """,
            failing: [RuleExample([.withRatio("⟦<string>0.6</string>⟧")])],
            passing: [RuleExample([.withRatio("<integer>1</integer>")])]
        ),
        .propertyList { list in
            guard list.contentExtension != nil, let node = list.plist.attribute(BundleKey.ratio) else { return [] }
            switch node.kind {
            case .integer, .real:
                return []
            case .string where App.holdsBuildSetting(node.text):
                return []
            case .string:
                let found = list.document.file.text(in: node.range)
                return [Finding(.wrongType(found), at: list.document.place(node.range))]
            default:
                return [Finding(.wrongType(node.kind.article), at: list.place(of: node))]
            }
        }
    )

    static let ratioNotPositive = Rule(
        RuleDescription(
            RuleID("ratio-not-positive", .warning, "an initial content size ratio of 0, below 0, NaN or infinite"),
            name: "Ratio not positive",
            source: .sizeRatio,
            rationale: """
                Zero is used on purpose to start collapsed and is a warning; a negative ratio, NaN and infinity are not \
                sizes and are errors.
                """,
            failing: [
                RuleExample([.withRatio("<integer>⟦0⟧</integer>")]), RuleExample([.withRatio("<real>⟦-0.5⟧</real>")]),
            ],
            passing: [RuleExample([.withRatio("<real>1.4</real>")])]
        ),
        .propertyList { list in
            ratio(list) { number, text in
                if number == 0 { return (.zero(text), .warning) }
                return number > 0 && number.isFinite ? nil : (.impossible(text), .error)
            }
        }
    )

    static let ratioTiny = Rule(
        RuleDescription(
            RuleID("ratio-tiny", .info, "an initial content size ratio above 0 and under 0.05"),
            name: "Tiny ratio",
            source: .sizeRatio,
            rationale: """
                It is a known way to start collapsed, but may also be a percentage by mistake. Silent where code of the \
                extension sets preferredContentSize, as the ratio is then only the size before that.
                """,
            failing: [RuleExample([.withRatio("<real>⟦0.01⟧</real>")])],
            passing: [RuleExample([.withRatio("<real>0.05</real>")])]
        ),
        .propertyList { list in
            ratio(list) { number, text in number > 0 && number < 0.05 ? (.tiny(text), .info) : nil }
        }
    )

    private static let ratioHuge = Rule(
        RuleDescription(
            RuleID("ratio-huge", .warning, "an initial content size ratio above 10"),
            name: "Huge ratio",
            source: .sizeRatio,
            rationale: """
                It is the height divided by the width; 10 is higher than any screen. Mostly a percentage by mistake, or the \
                height in points.
                """,
            failing: [RuleExample([.withRatio("<integer>⟦60⟧</integer>")])],
            passing: [RuleExample([.withRatio("<real>1.5</real>")])]
        ),
        .propertyList { list in
            ratio(list) { number, text in
                guard number > 10, number.isFinite else { return nil }
                let meant = number <= 300 ? String(number / 100) : nil
                return (.huge(text, meant: meant), .warning)
            }
        }
    )

    /// Checks the ratio, if it is a number.
    private static func ratio(
        _ list: LintedPlist,
        _ judge: (Double, String) -> (message: RuleMessage, severity: Severity)?
    ) -> [Finding] {
        guard list.contentExtension != nil, let node = list.plist.attribute(BundleKey.ratio), let number = node.number,
            let judgement = judge(number, node.text)
        else { return [] }
        return [Finding(judgement.message, at: list.place(of: node), severity: judgement.severity)]
    }
}

extension RuleExample.File {
    fileprivate static func withRatio(_ value: String) -> RuleExample.File {
        RuleExample.contentExtension(
            ratio: "<key>UNNotificationExtensionInitialContentSizeRatio</key>\n\t\t\t\(value)"
        )
    }
}
