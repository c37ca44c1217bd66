// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadKit

/// What a push needs of an app besides its extensions; the findings are those of `App.undeclaredNeeds`.
extension Rule {
    static let appNeeds: [Rule] = [
        Rule(
            .entitlementMissing,
            source: "https://github.com/binwiederhier/ntfy-ios/pull/21",
            rationale: """
                Without com.apple.developer.usernotifications.time-sensitive a time-sensitive push arrives as an \
                active one, which no Focus lets through, and without \
                com.apple.developer.usernotifications.critical-alerts a critical one is silent on a muted device. The \
                entitlements of the configuration of releases count. Info where they are not known.
                """,
            failing: [
                .campaign(
                    "push: {title: Last hour, interruption_level: ⟦time-sensitive⟧}",
                    with: .declaring(
                        #""entitlements": {"com.apple.developer.usernotifications.time-sensitive": false}"#))
            ],
            passing: [
                .campaign(
                    "push: {title: Last hour, interruption_level: active}",
                    with: .declaring(
                        #""entitlements": {"com.apple.developer.usernotifications.time-sensitive": false}"#))
            ],
            needCheck
        ),
        Rule(
            .schemeUnregistered,
            source: "https://github.com/braze-inc/braze-docs/pull/5057",
            rationale: """
                A tap on a link, or on a button with one, opens the app only where CFBundleURLTypes of its Info.plist \
                lists the scheme. Schemes of the system, and of other apps that LSApplicationQueriesSchemes lists, \
                need nothing. Of web links only a domain that is much like an associated domain of the app is \
                reported. Info where the Info.plist is not known.
                """,
            failing: [
                .campaign(
                    "push: {title: Hi, uri: ⟦'bokdemo://lab'⟧}", with: .declaring(#""url_schemes": ["bookdemo"]"#))
            ],
            passing: [
                .campaign("push: {title: Hi, uri: 'bookdemo://lab'}", with: .declaring(#""url_schemes": ["bookdemo"]"#))
            ],
            needCheck
        ),
        Rule(
            .soundMissing,
            source: "https://github.com/OneSignal/OneSignal-iOS-SDK/issues/88",
            rationale: """
                iOS plays the default sound where the bundle of the app, or its Library/Sounds, has no file of that \
                name, and where the file is longer than 30 seconds or not linear PCM, IMA4, µLaw or aLaw in a caf, \
                aiff or wav file. The target's resources in an Xcode project, or in the project.yml of XcodeGen, \
                count. Info where they are not known.
                """,
            failing: [
                .campaign(
                    "push: {title: Hi, sound: ⟦chimes.caf⟧}", with: .declaring(#""sounds": [{"name": "chime.caf"}]"#))
            ],
            passing: [
                .campaign(
                    "push: {title: Hi, sound: chime.caf}", with: .declaring(#""sounds": [{"name": "chime.caf"}]"#))
            ],
            needCheck
        ),
        Rule(
            .localizedKeyMissing,
            source: .remotePayload,
            rationale: """
                The system looks for the keys title_loc_key, subtitle_loc_key and loc_key in the tables \
                Localizable.strings, .stringsdict and .xcstrings of the app, and shows the key where it finds none. \
                Each '%@' in the text takes one of the arguments. The target's resources in an Xcode project, or in \
                the project.yml of XcodeGen, count. Info where they are not known.
                """,
            failing: [
                .campaign(
                    "push: {title: Hi, loc_key: ⟦ORDER_REDY⟧, loc_args: [A]}",
                    with: .declaring(#""strings": {"ORDER_READY": 1}"#))
            ],
            passing: [
                .campaign(
                    "push: {title: Hi, loc_key: ORDER_READY, loc_args: [A]}",
                    with: .declaring(#""strings": {"ORDER_READY": 1}"#))
            ],
            needCheck
        ),
    ]

    private static let needCheck = Check.match { campaign, linted in campaign.needFindings(linted.apps) }
}

extension [RuleExample.File] {
    /// The file of an app with one more member.
    fileprivate static func declaring(_ member: String) -> [RuleExample.File] {
        [.file("app.json", "{\"version\": 3, \"name\": \"App\", \(member), \"extensions\": []}\n")]
    }
}
