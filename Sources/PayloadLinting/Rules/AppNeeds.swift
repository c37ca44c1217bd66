// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadKit

/// What a push needs of an app besides its extensions; the findings are those of `App.undeclaredNeeds`.
extension Rule {
    static let appNeeds: [Rule] = [
        need(
            .entitlementMissing,
            "Missing entitlement",
            source: "https://github.com/binwiederhier/ntfy-ios/pull/21",
            """
            Without com.apple.developer.usernotifications.time-sensitive a time-sensitive push arrives as an active one, \
            which no Focus lets through, and without com.apple.developer.usernotifications.critical-alerts a critical one \
            is silent on a muted device. The entitlements of the configuration of releases count. Info where they are \
            not known.
            """,
            app: #""entitlements": {"com.apple.developer.usernotifications.time-sensitive": false}"#,
            failing: "push: {title: Last hour, interruption_level: ⟦time-sensitive⟧}",
            passing: "push: {title: Last hour, interruption_level: active}"
        ),
        need(
            .schemeUnregistered,
            "Unregistered URL scheme",
            source: "https://github.com/braze-inc/braze-docs/pull/5057",
            """
            A tap on a link, or on a button with one, opens the app only where CFBundleURLTypes of its Info.plist lists \
            the scheme. Schemes of the system, and of other apps that LSApplicationQueriesSchemes lists, need nothing. Of \
            web links only a domain that is much like an associated domain of the app is reported. Info where the \
            Info.plist is not known.
            """,
            app: #""url_schemes": ["bookdemo"]"#,
            failing: "push: {title: Hi, uri: ⟦'bokdemo://lab'⟧}",
            passing: "push: {title: Hi, uri: 'bookdemo://lab'}"
        ),
        need(
            .soundMissing,
            "Missing sound",
            source: "https://github.com/OneSignal/OneSignal-iOS-SDK/issues/88",
            """
            iOS plays the default sound where the bundle of the app, or its Library/Sounds, has no file of that name, and \
            where the file is longer than 30 seconds or not linear PCM, IMA4, µLaw or aLaw in a caf, aiff or wav file. \
            The target's resources in an Xcode project, or in the project.yml of XcodeGen, count. Info where they are \
            not known.
            """,
            app: #""sounds": [{"name": "chime.caf"}]"#,
            failing: "push: {title: Hi, sound: ⟦chimes.caf⟧}",
            passing: "push: {title: Hi, sound: chime.caf}"
        ),
        need(
            .localizedKeyMissing,
            "Missing localization key",
            source: .remotePayload,
            """
            The system looks for the keys title_loc_key, subtitle_loc_key and loc_key in the tables Localizable.strings, \
            .stringsdict and .xcstrings of the app, and shows the key where it finds none. Each '%@' in the text takes one \
            of the arguments. The target's resources in an Xcode project, or in the project.yml of XcodeGen, count. \
            Info where they are not known.
            """,
            app: #""strings": {"ORDER_READY": 1}"#,
            failing: "push: {title: Hi, loc_key: ⟦ORDER_REDY⟧, loc_args: [A]}",
            passing: "push: {title: Hi, loc_key: ORDER_READY, loc_args: [A]}"
        ),
    ]

    private static func need(
        _ id: RuleID,
        _ name: String,
        source: RuleSource,
        _ rationale: String,
        app member: String,
        failing: String,
        passing: String
    ) -> Rule {
        let app = RuleExample.File(
            "app.json", "{\"version\": 3, \"name\": \"App\", \(member), \"extensions\": []}\n")
        return Rule(
            RuleDescription(
                id,
                name: name,
                source: source,
                rationale: rationale,
                failing: [.campaign(failing, with: [app])],
                passing: [.campaign(passing, with: [app])]
            ),
            .match { campaign, linted in campaign.needFindings(linted.apps) }
        )
    }
}
