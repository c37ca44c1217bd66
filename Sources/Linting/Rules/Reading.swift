// SPDX-License-Identifier: MIT

import PropertyLists

extension Rule {
    /// The rules that reading a property list keeps by itself.
    static let reading: [Rule] = [plistSyntax, plistFormat, duplicateKey, emptyKey, keyWhitespace]

    private static let plistSyntax = Rule(
        RuleDescription(
            id: PlistRule.syntax.rawValue,
            name: "Property list syntax",
            summary: "a file that is no property list",
            rationale: """
                The system does not load a bundle whose Info.plist it cannot read. The first fault of XML ends reading; \
                above that the grammar of property lists goes on and tells each fault. An internal DTD subset is refused, \
                as entities in it can grow without bound. Text in <data> that is no base64 is a warning, as the system \
                reads it as no bytes. Silent for the forms that Foundation reads without harm: a missing declaration, \
                DOCTYPE or <plist>, attributes, hexadecimal integers.
                """,
            severity: PlistRule.syntax.severity,
            failing: [
                RuleExample([RuleExample.plist("\n\t<key>A</key>\n\t<string>b⟦</sting>⟧")]),
                RuleExample([
                    RuleExample.File(
                        "Info.plist",
                        "<plist>\n<dict>\n\t<key>A</key>\n\t<real>⟦0,6⟧</real>\n\t<key>B</key>\n⟦</dict>⟧\n</plist>\n"
                    )
                ]),
            ],
            passing: [RuleExample([RuleExample.plist("\n\t<key>A</key>\n\t<string>b</string>")])]
        ),
        .reading
    )

    private static let plistFormat = Rule(
        RuleDescription(
            id: PlistRule.format.rawValue,
            name: "Property list format",
            summary: "a binary or OpenStep property list where XML is expected",
            rationale: """
                Both are read all the same, but differences between versions cannot be reviewed, and findings have no \
                place in the file. Silent inside of .app and .appex, where Xcode writes binary.
                """,
            severity: PlistRule.format.severity,
            failing: [RuleExample([RuleExample.File("Info.plist", "⟦⟧{ A = b; }\n")])],
            passing: [RuleExample([RuleExample.File("Demo.app/Info.plist", "{ A = b; }\n")])]
        ),
        .reading
    )

    private static let duplicateKey = Rule(
        RuleDescription(
            id: PlistRule.duplicateKey.rawValue,
            name: "Duplicate key",
            summary: "the same key twice in one dictionary",
            rationale: """
                The last one counts, silently, so that a setting that is plain to see may do nothing. Keys are compared \
                byte by byte.
                """,
            severity: PlistRule.duplicateKey.severity,
            failing: [
                RuleExample([RuleExample.plist("\n\t<key>A</key>\n\t<true/>\n\t<key>⟦A⟧</key>\n\t<false/>")])
            ],
            passing: [
                RuleExample([RuleExample.plist("\n\t<key>A</key>\n\t<true/>\n\t<!-- <key>A</key> <false/> -->")])
            ]
        ),
        .reading
    )

    private static let emptyKey = Rule(
        RuleDescription(
            id: PlistRule.emptyKey.rawValue,
            name: "Empty key",
            summary: "a key without text",
            rationale: "Xcode's editor leaves such a key when a row is added and not filled in. Nothing reads it.",
            severity: PlistRule.emptyKey.severity,
            failing: [RuleExample([RuleExample.plist("\n\t⟦<key></key>⟧\n\t<true/>")])],
            passing: [RuleExample([RuleExample.plist("\n\t<key>A</key>\n\t<true/>")])]
        ),
        .reading
    )

    private static let keyWhitespace = Rule(
        RuleDescription(
            id: PlistRule.keyWhitespace.rawValue,
            name: "White space in a key",
            summary: "a key that begins or ends with white space",
            rationale: "The white space is part of the key, so that the system does not find it under its name.",
            severity: PlistRule.keyWhitespace.severity,
            failing: [RuleExample([RuleExample.plist("\n\t<key>⟦ A ⟧</key>\n\t<true/>")])],
            passing: [RuleExample([RuleExample.plist("\n\t<key>A B</key>\n\t<true/>")])]
        ),
        .reading
    )
}
