// SPDX-License-Identifier: MIT

public import AppDeclarations
public import DiagnosticSources
package import DocumentFormats
public import LiquidTemplates

/// One entry of the `tests` of a campaign: a user, and the expected message.
public struct CampaignTest: Sendable {
    /// The name of the test in reports.
    public var name: String

    /// The profile; nil for a user without any data.
    public var profile: Input?

    /// The values of the user that the profile does not have.
    public var context: Input?

    /// `api_trigger_properties`.
    public var triggerProperties: LiquidObject?

    /// `event_properties`.
    public var eventProperties: LiquidObject?

    /// The time that templates see as `now`.
    public var now: Time?

    /// The seed of `{% random %}`.
    public var seed: Int?

    /// What the test expects.
    public var expectation: Expectation

    /// The place of the whole test.
    public var place: SourcePlace

    /// What a test expects of its message.
    ///
    /// All expectations that are set have to be met.
    public struct Expectation: Sendable {
        /// The expected reason for an abort.
        public var aborted: Placed<String>?

        /// The expected rule of a failure, or a part of its message.
        public var failed: Placed<String>?

        /// The bounds of the payload's size in bytes.
        public var bytes: Placed<ClosedRange<Int>>?

        /// The place where the test requires the whole payload to equal the stored one; nil if it does not.
        public var snapshot: SourcePlace?

        /// Key-value pairs that have to be sent.
        package var extras: DocumentNode?

        /// The other expected members of the payload, some by the names of fields in a campaign.
        package var members: [DocumentMember] = []

        /// The place of the expectation.
        public var place: SourcePlace

        /// Whether every payload of a message meets the expectation: it is empty, contains only conditions such as
        /// `{contains: ''}`, limits the size no more than APNs does, or accepts any value of something that is always
        /// sent.
        package func isEmpty(for push: PushMessage) -> Bool {
            let expectsSize =
                bytes.map { $0.value.lowerBound > SizeBudget.least || $0.value.upperBound < SizeBudget.limit } ?? false
            let isAnyExtra = extras.map { extras in
                extras.expectsNothing
                    || extras.members?.allSatisfy {
                        $0.value.expectsNothing || $0.expectsAnyValue && push.sendsExtra($0.name)
                    } ?? false
            }
            return aborted == nil && failed == nil && !expectsSize && snapshot == nil && isAnyExtra ?? true
                && members.allSatisfy { member in
                    member.value.expectsNothing || member.expectsAnyValue && push.alwaysSends(member.name)
                }
        }

        /// The keys of an expectation that are not members of a payload.
        package static let keys = ["aborted", "failed", "bytes", "snapshot", "extras"]
    }
}

extension DocumentMember {
    /// Whether the expectation accepts every value that is sent.
    fileprivate var expectsAnyValue: Bool { PayloadMatcher(value)?.expectsAnyValue ?? false }
}

extension PushMessage {
    /// Whether every payload has a member.
    fileprivate func alwaysSends(_ name: String) -> Bool {
        if name == "aps" || sendsExtra(name) { return true }
        guard let field = table[name], field.payloadPath != nil, case .template = field.kind else { return false }
        // A field with blank text is left out, unless it is one that is sent blank.
        if case .leftOut = field.whenBlank { return false }
        return self[name] != nil
    }

    /// Whether every payload has a key-value pair.
    fileprivate func sendsExtra(_ key: String) -> Bool {
        extras.contains { !$0.key.holdsLiquid && $0.key.text == key }
    }
}

extension DocumentNode {
    /// Whether the expectation accepts every value, so that it tests nothing.
    fileprivate var expectsNothing: Bool {
        guard let members else { return false }
        guard let matcher = PayloadMatcher(self) else { return members.allSatisfy(\.value.expectsNothing) }
        return matcher.isEmpty
    }
}
