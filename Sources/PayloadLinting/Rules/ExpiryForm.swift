// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadKit

extension RuleMessage {
    fileprivate static func midnight(_ date: String) -> RuleMessage {
        "'expiry' has no time of day, so the push expires when \(date) begins in UTC; expected '\(date)T23:59:59Z' or another time with its zone"
    }
}

extension Rule {
    static let expiryForm = Rule(
        RuleID("expiry-form", .warning, "an expiry without a time of day"),
        source: .applePushObject,
        rationale: "Such a time is midnight in UTC at the start of the day, which is the evening before in America.",
        failing: [.campaign("push: {title: Hi, expiry: ⟦2026-12-31⟧}")],
        passing: [.campaign("push: {title: Hi, expiry: '2026-12-31T20:00:00+01:00'}")],
        .campaign { campaign in
            guard case .time(let time)? = campaign.campaign?.push["expiry"], let place = time.place else { return [] }
            let text = place.file.text(in: place.range).filter { $0 != "'" && $0 != "\"" }
            guard text.utf8.count == 10 else { return [] }
            return [Finding(.midnight(text), at: place)]
        }
    )
}
