// SPDX-License-Identifier: MIT

package import LiquidTemplates

/// A message that its author is still working on.
package struct MessageDraft: Sendable {
    /// The outcome, as `render` reports it.
    package let outcome: Outcome

    /// The payload, even if it does not pass its checks: Braze does not run them, and would send it.
    ///
    /// Nil where the message was aborted, or where Liquid failed.
    package let payload: Payload?
}

extension RenderSession {
    /// Renders the message for one user, and keeps the payload even if it does not pass its checks.
    ///
    /// - Parameters:
    ///   - profile: the user.
    ///   - triggerProperties: `api_trigger_properties`; a property of the profile takes precedence.
    /// - Returns: the outcome and the payload.
    package mutating func draft(_ profile: Profile, triggerProperties: LiquidObject = .empty) -> MessageDraft {
        do throws(Interruption) {
            let parts = try write(profile, triggerProperties)
            let payload = payload(parts, recipient: profile.externalID)
            return MessageDraft(outcome: error().map { .failed($0) } ?? .rendered(payload), payload: payload)
        } catch {
            return MessageDraft(outcome: error.outcome, payload: nil)
        }
    }
}
