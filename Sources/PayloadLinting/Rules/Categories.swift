// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
import DiagnosticSources
import PlistDocuments

extension RuleMessage {
    fileprivate static let noCategory: RuleMessage =
        "no UNNotificationExtensionCategory, expected the categories that the extension shows"
    fileprivate static let emptyCategory: RuleMessage = "the category is empty, expected the category of a push"
    fileprivate static func categoryOfNothing(_ text: String, targets: [String]) -> RuleMessage {
        let build = targets.isEmpty ? "the build" : "the build of \(targets.quoted(atMost: 3))"
        return "the category '\(text)' becomes an empty text in \(build), expected the category of a push"
    }
    fileprivate static let emptyCategories: RuleMessage = "the array of categories is empty, expected at least one"
    fileprivate static func wrongType(_ kind: PlistNode.Kind, inArray: Bool) -> RuleMessage {
        "a category is \(kind.article), expected \(inArray ? "a string" : "a string or an array of strings")"
    }
    fileprivate static func listed(_ names: [String]) -> RuleMessage {
        "the system takes this text for one category; expected an array of the strings \(names.quoted(atMost: 8))"
    }
    fileprivate static func blanks(_ name: String, _ what: String) -> RuleMessage {
        "category '\(name)' \(what); pushes have to name it exactly like this"
    }
    fileprivate static let placeholder: RuleMessage =
        "'myNotificationCategory' is the placeholder of Xcode's template, expected a category that is sent"
    fileprivate static func twice(_ name: String) -> RuleMessage {
        "category '\(name)' occurs twice in the array; expected it once"
    }
    fileprivate static func claimedTwice(_ name: String) -> RuleMessage {
        "category '\(name)' is claimed by another extension of the app as well; which one the system chooses is not defined"
    }
    fileprivate static func comparedUnclaimed(_ name: String, _ near: String) -> RuleMessage {
        "code compares with the category '\(name)', which no content extension claims; did you mean '\(near)'?"
    }
    fileprivate static func writtenUnclaimed(_ name: String, _ near: String) -> RuleMessage {
        "code sets the category '\(name)', which no content extension claims; did you mean '\(near)'?"
    }
}

extension RuleID {
    fileprivate static let categoryMissing = RuleID(
        "category-missing", .error, "a content extension without a category, or with an empty one")
    fileprivate static let categoryType = RuleID(
        "category-type", .error,
        "a category that is neither a string nor an array of strings, or a text that lists several")
}

extension Rule {
    static let categories: [Rule] =
        categoryValues + [categoryWhitespace, categoryPlaceholder, categoryDuplicate, categoryInCode]

    private static let categoryValues: [Rule] = [
        Rule(
            .categoryMissing,
            source: .extensionCategory,
            rationale: """
                The system chooses an extension only by the category of the push. Without a category, the extension is \
                never shown. The rule is silent where a syntax error hides values.
                """,
            failing: [
                [.contentExtension(category: "", attributesKey: "<key>⟦NSExtensionAttributes⟧</key>")],
                [.withCategory("⟦<string></string>⟧")], [.withCategory("⟦<array/>⟧")],
            ],
            passing: [[.withCategory("<string>lab_progress</string>")]],
            .propertyList(categoryFindings)
        ),
        Rule(
            .categoryType,
            source: .extensionCategory,
            rationale: """
                Apple documents the type as a string or an array of strings. The system does not split a text at its \
                commas, so a text with several categories matches none of them.
                """,
            failing: [
                [.withCategory("⟦<true/>⟧")],
                [.withCategory("<string>⟦lab_progress, lab_register⟧</string>")],
                [.withCategory("<array>\n\t\t\t\t<integer>⟦1⟧</integer>\n\t\t\t</array>")],
            ],
            passing: [[.withCategory("<array>\n\t\t\t\t<string>a</string>\n\t\t\t</array>")]],
            .propertyList(categoryFindings)
        ),
    ]

    /// The findings about missing, empty or mistyped categories of a content extension.
    private static func categoryFindings(_ list: LintedPlist) -> [Finding] {
        guard list.contentExtension != nil else { return [] }
        guard let node = list.plist.attribute(BundleKey.category) else {
            return list.isComplete ? [Finding(.noCategory, at: list.attributesPlace, rule: .categoryMissing)] : []
        }
        if node.kind == .array, node.children.isEmpty {
            let place = list.document.place(node.range)
            return list.isComplete ? [Finding(.emptyCategories, at: place, rule: .categoryMissing)] : []
        }
        let values = node.kind == .array ? list.document.children(of: node) : [node]
        return values.compactMap { value in
            let place = list.place(of: value)
            guard value.kind == .string else {
                return Finding(.wrongType(value.kind, inArray: node.kind == .array), at: place, rule: .categoryType)
            }
            let empty = list.targetsLeavingNothing(of: value.text)
            if !empty.isEmpty {
                // If there is only one target, its name adds nothing to the message.
                let names = list.targets.count == 1 ? [] : empty
                return Finding(.categoryOfNothing(value.text, targets: names), at: place, rule: .categoryMissing)
            }
            let listed = App.categories(in: value.text)
            if listed.count > 1 { return Finding(.listed(listed), at: place, rule: .categoryType) }
            return value.text.isEmpty ? Finding(.emptyCategory, at: place, rule: .categoryMissing) : nil
        }
    }

    private static let categoryWhitespace = Rule(
        RuleID("category-whitespace", .warning, "a category with white space or control characters"),
        source: .extensionCategory,
        rationale: """
            The category of a push has to match byte for byte. White space at either end is probably a mistake. White \
            space inside works, but is unusual, and is reported as info.
            """,
        failing: [
            [.withCategory("<string>⟦lab_progress ⟧</string>")],
            [.withCategory("<string>⟦User Actions⟧</string>")],
        ],
        passing: [[.withCategory("<string>user-actions</string>")]],
        .propertyList { list in
            guard list.contentExtension != nil else { return [] }
            return list.plist.categories.compactMap { node in
                let text = node.text
                if text.isEmpty { return nil }
                if text.trimmed.utf8.count != text.utf8.count {
                    return Finding(.blanks(text, "begins or ends with white space"), at: list.place(of: node))
                }
                if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
                    return Finding(.blanks(text, "contains a control character"), at: list.place(of: node))
                }
                guard text.unicodeScalars.contains(where: \.properties.isWhitespace) else { return nil }
                return Finding(.blanks(text, "contains white space"), at: list.place(of: node), severity: .info)
            }
        }
    )

    private static let categoryPlaceholder = Rule(
        RuleID("category-placeholder", .warning, "the category of Xcode's template"),
        source: .extensionCategory,
        rationale: """
            Xcode's template claims 'myNotificationCategory'. Campaigns do not send this category, so the extension is \
            never shown.
            """,
        failing: [[.withCategory("<string>⟦myNotificationCategory⟧</string>")]],
        passing: [[.withCategory("<string>lab_progress</string>")]],
        .propertyList { list in
            guard list.contentExtension != nil else { return [] }
            let name = "myNotificationCategory"
            return list.plist.categories.filter { $0.text == name && !list.usedCategories.contains(name) }.map {
                Finding(.placeholder, at: list.place(of: $0))
            }
        }
    )

    private static let categoryDuplicate = Rule(
        .categoryDuplicate,
        source: .contentExtension,
        rationale: """
            If two extensions claim a category, the system chooses one of them, and Apple does not document which. The \
            rule is silent for extensions whose app is not known.
            """,
        failing: [
            [.withCategory("<array><string>a</string><string>⟦a⟧</string></array>")],
            [
                .app(), .contentExtension("One/Info.plist"),
                .withCategory("<string>⟦lab_progress⟧</string>", "Two/Info.plist"),
            ],
        ],
        passing: [
            [.withCategory("<array><string>a</string><string>A</string></array>")],
            [.contentExtension("One/Info.plist"), .contentExtension("Two/Info.plist")],
        ],
        .match,
        .propertyList { list in
            guard list.contentExtension != nil else { return [] }
            return repeated(list.plist.categories.map(list.plist.placed)).map { first, again in
                Finding(.twice(again.value), at: again.place, related: .note("first listed here", at: first.place))
            }
        },
        .app { app in
            // Each extension counts once for a category: another check reports repetitions within one array.
            let claims = app.contentExtensions.flatMap { candidate in
                candidate.categories.unique { Array($0.value.utf8) }
            }
            return repeated(claims).map { first, again in
                Finding(
                    .claimedTwice(again.value), at: again.place, related: .note("also claimed here", at: first.place))
            }
        }
    )

    private static let categoryInCode = Rule(
        RuleID("category-in-code", .error, "a misspelt category in the code of an extension"),
        source: .actionableTypes,
        rationale: """
            If a content extension compares the category with a misspelt name, it shows nothing for the right one. If \
            a service extension misspells it, the system shows the push without the content extension; that is \
            reported as a warning. The rule reports a name that is much like a category of a content extension, if the \
            same code does not also name that category. It is silent for categories that an extension claims or code \
            registers.
            """,
        failing: [
            RuleExample(
                .labWithCode(
                    """
                    if ([notification.request.content.categoryIdentifier ⟦isEqualToString⟧:@"lab_progres"]) {
                        id a = userInfo[@"a"];
                      }
                    """
                ))
        ],
        passing: [
            RuleExample(
                .labWithCode(
                    """
                    if ([notification.request.content.categoryIdentifier isEqualToString:@"lab_progress"]) {
                        id a = userInfo[@"a"];
                      }
                    """
                ))
        ],
        .app { app in
            let claimed = app.contentExtensions.flatMap(\.categories).map(\.value)
            guard !claimed.contains(where: App.holdsBuildSetting) else { return [] }
            let known = Set(claimed + app.registeredCategories.map(\.identifier))
            /// The names in code that are similar to a claimed category which the code does not contain.
            func misspelt(_ names: [TargetCode.Name], of claimed: [String]) -> [(name: TargetCode.Name, near: String)] {
                let given = Set(names.map(\.text))
                return names.filter { !known.contains($0.text) }.compactMap { name in
                    nearestName(to: name.text, in: claimed.filter { !given.contains($0) }).map { (name, $0) }
                }
            }
            return app.extensions.flatMap { candidate -> [Finding] in
                guard let code = candidate.code else { return [] }
                switch candidate.kind {
                case .content:
                    return misspelt(code.comparedCategories, of: candidate.categories.map(\.value)).map { name, near in
                        Finding(.comparedUnclaimed(name.text, near), at: name.place)
                    }
                case .service:
                    return misspelt(code.writtenCategories, of: claimed).map { name, near in
                        Finding(.writtenUnclaimed(name.text, near), at: name.place, severity: .warning)
                    }
                default: return []
                }
            }
        }
    )

    /// The values that repeat an earlier value, each with its first occurrence.
    ///
    /// Values are compared byte by byte. Empty values and values with build settings are skipped.
    private static func repeated(_ values: [Placed<String>]) -> [(first: Placed<String>, again: Placed<String>)] {
        var seen: [[UInt8]: Placed<String>] = [:]
        return values.compactMap { value in
            guard !value.value.isEmpty, !App.holdsBuildSetting(value.value) else { return nil }
            let bytes = Array(value.value.utf8)
            if let first = seen[bytes] { return (first, value) }
            seen[bytes] = value
            return nil
        }
    }
}

extension RuleExample.File {
    fileprivate static func withCategory(_ value: String, _ path: String = "Info.plist") -> RuleExample.File {
        .contentExtension(path, category: "<key>UNNotificationExtensionCategory</key>\n\t\t\t\(value)")
    }
}
