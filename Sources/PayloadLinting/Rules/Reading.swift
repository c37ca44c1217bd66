// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
import DiagnosticSources
import PlistDocuments

extension RuleMessage {
    fileprivate static func notADictionary(_ kind: PlistNode.Kind) -> RuleMessage {
        "the property list is \(kind.article), expected a dictionary"
    }
}

extension Rule {
    /// The rules that are checked while a property list is read.
    static let reading: [Rule] = [plistSyntax, plistFormat, plistPreprocessed, duplicateKey, emptyKey, keyWhitespace]

    private static let plistSyntax = Rule(
        .plistSyntax,
        source: .propertyListDTD,
        rationale: """
            The system does not load a bundle whose Info.plist it cannot read. payloadgen stops at the first XML \
            error, but reports all errors in the grammar of property lists. It refuses an internal DTD subset, whose \
            entities can grow without limit. Text in <data> that is not base64 is a warning, because the system reads \
            it as empty. The rule is silent for the forms that Foundation accepts: a missing declaration, DOCTYPE or \
            <plist>, attributes, hexadecimal integers.
            """,
        failing: [
            [.plist("\n\t<key>A</key>\n\t<string>b⟦</sting>⟧")],
            [
                .file(
                    "Info.plist",
                    "<plist>\n<dict>\n\t<key>A</key>\n\t<real>⟦0,6⟧</real>\n\t<key>B</key>\n⟦</dict>⟧\n</plist>\n"
                )
            ],
        ],
        passing: [[.plist("\n\t<key>A</key>\n\t<string>b</string>")]],
        .reading,
        .propertyList { list in
            let isRead = !list.settings.isEmpty || list.plist.role == .entitlements
            guard isRead, list.isComplete, let root = list.document.root, root.kind != .dictionary else { return [] }
            return [Finding(.notADictionary(root.kind), at: list.place(of: root))]
        }
    )

    private static let plistFormat = Rule(
        .plistFormat,
        source: .apple("foundation/propertylistserialization/propertylistformat"),
        rationale: """
            payloadgen reads both forms. But nobody can review differences between their versions, and findings have \
            no place in the file. The rule is silent inside of .app and .appex, where Xcode writes binary.
            """,
        failing: [[.file("Info.plist", "⟦⟧{ A = b; }\n")]],
        passing: [[.file("Demo.app/Info.plist", "{ A = b; }\n")]],
        .reading
    )

    private static let plistPreprocessed = Rule(
        .plistPreprocessed,
        source: .buildSettings,
        rationale: """
            With the build setting INFOPLIST_PREPROCESS, the C preprocessor makes the bundle's Info.plist from this \
            file. Its macros depend on the configuration, so the values in the bundle are not known. payloadgen reads \
            the first branch of each #if. A category in this branch counts as claimed. If no extension claims the \
            category of a campaign, that is only a warning. The rules about single values, user interaction and the \
            bundle identifier do not apply.
            """,
        failing: [
            [
                .plist(
                    "\n⟦#ifdef BETA⟧\n\t<key>A</key>\n\t<string>b</string>\n#else\n\t<key>A</key>\n\t<string>c</string>"
                        + "\n#endif"
                )
            ]
        ],
        passing: [[.plist("\n\t<key>A</key>\n\t<string>#ifdef BETA</string>")]],
        .reading
    )

    private static let duplicateKey = Rule(
        .duplicateKey,
        source: .infoPlist,
        rationale: """
            Only the last of the two counts, or in a binary property list the first, and the system gives no error. So \
            a setting that is visible in the file may have no effect. Keys are compared byte for byte. The rule also \
            checks objects in '$json:' values and JSON fixtures; in '$json:' values, only keys without Liquid.
            """,
        failing: [
            [.plist("\n\t<key>A</key>\n\t<true/>\n\t<key>⟦A⟧</key>\n\t<false/>")],
            .json("{\"level\": 3, ⟦\"level\"⟧: 4}"),
            .campaign(
                "fixtures: f.json\npush: {title: '{% connected_content https://example.com/ :save r %}{{ r.a }}'}",
                with: [
                    .file(
                        "f.json",
                        """
                        {"connected_content": [{"url": "https://example.com/", "body": {"a": 1, ⟦"a"⟧: 2}}]}
                        """)
                ]),
        ],
        passing: [
            [.plist("\n\t<key>A</key>\n\t<true/>\n\t<!-- <key>A</key> <false/> -->")],
            .json("{\"level\": 3, \"next\": {\"level\": 4}}"),
        ],
        .reading,
        .campaign { campaign in campaign.repeatedPairKeyFindings + campaign.repeatedFixtureKeyFindings }
    )

    private static let emptyKey = Rule(
        .emptyKey,
        source: "https://github.com/xamarin/ios-samples",
        rationale: "Xcode's editor leaves such a key if a row is added but not filled in. Nothing reads it.",
        failing: [[.plist("\n\t⟦<key></key>⟧\n\t<true/>")]],
        passing: [[.plist("\n\t<key>A</key>\n\t<true/>")]],
        .reading
    )

    private static let keyWhitespace = Rule(
        .keyWhitespace,
        source: .propertyListDTD,
        rationale: "The white space is part of the key, so the system does not find it under its name.",
        failing: [[.plist("\n\t<key>⟦ A ⟧</key>\n\t<true/>")]],
        passing: [[.plist("\n\t<key>A B</key>\n\t<true/>")]],
        .reading
    )
}
