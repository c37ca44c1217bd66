// SPDX-License-Identifier: MIT

package import AppBundles
package import DiagnosticSources
package import PayloadKit

/// What is reported about each message of a campaign: what `lint` finds in the campaign, and what is found in the
/// message.
package struct MessageFindings: Sendable {
    /// The findings that are the same for all messages.
    private let campaignFindings: [Diagnostic]

    private let notes: [Diagnostic]
    private let apps: [App]
    private let levels: RuleLevels

    /// Prepares the findings about the messages of a campaign.
    ///
    /// - Parameters:
    ///   - campaignFindings: those of ``AuthorFindings``, and why the campaign has no app.
    ///   - renderer: the campaign.
    ///   - apps: the apps that a message has to fit.
    package init(campaignFindings: [Diagnostic], _ renderer: CampaignRenderer, apps: [App]) {
        self.campaignFindings = campaignFindings
        self.apps = apps
        levels = renderer.options.rules
        notes = renderer.staticFindings(app: nil).filter { $0.severity == .info }
    }

    /// The findings about a message, each once, without the warnings of its payload.
    ///
    /// - Parameters:
    ///   - outcome: the outcome of the message.
    ///   - payload: its payload, which may be known where it fails its checks; nil where there is none.
    /// - Returns: why it cannot be sent, then the findings in the campaign, then how it fits the apps.
    package func about(_ outcome: Outcome, _ payload: Payload?) -> [Diagnostic] {
        let errors = if case .failed(let error) = outcome { error.diagnostics } else { [Diagnostic]() }
        // A finding of `lint` with the same rule and place as one of the message is about the same fault.
        let messageFindings = errors + (payload?.warnings ?? [])
        let found = errors + campaignFindings.filter { !$0.isCovered(by: messageFindings) }
        guard let payload else { return found }
        // What depends on no user was found before the message was rendered.
        let appFindings = levels.apply(to: apps.flatMap { $0.check(payload) }).filter { finding in
            !found.contains { $0.isSame(as: finding) }
        }
        return found + notes + appFindings
    }
}

extension Diagnostic {
    /// Whether both are of one rule and place.
    package func isSame(as other: Diagnostic) -> Bool {
        guard let place, let otherPlace = other.place else { return false }
        return rule == other.rule && place.file.path == otherPlace.file.path && place.range == otherPlace.range
    }

    /// Whether one of other findings is of the same rule and place, and at least as severe.
    package func isCovered(by others: [Diagnostic]) -> Bool {
        others.contains { $0.isSame(as: self) && $0.severity >= severity }
    }
}
