// SPDX-License-Identifier: MIT

public import AppBundles
package import Documents
public import Liquid
public import SourceText

/// One entry of the `tests` of a campaign: a user, and the expected message.
public struct CampaignTest: Sendable {
    /// The name.
    public var name: String

    /// The path of the profile, relative to the campaign's file; nil for a user without any data.
    public var profile: Placed<String>?

    /// The path of a context with values that the profile does not have, relative to the campaign's file.
    public var context: Placed<String>?

    /// `api_trigger_properties`.
    public var triggerProperties: LiquidObject?

    /// `event_properties`.
    public var eventProperties: LiquidObject?

    /// What `now` means.
    public var now: Time?

    /// The seed of `{% random %}`.
    public var seed: Int?

    /// What is expected.
    public var expectation: Expectation

    /// The place of the whole test.
    public var place: SourcePlace

    /// What a test expects.
    ///
    /// All expectations that are given have to be met.
    public struct Expectation: Sendable {
        /// The reason of an abort.
        public var aborted: Placed<String>?

        /// The rule, or a part of the message, of a failure.
        public var failed: Placed<String>?

        /// The bounds of the payload's size in bytes.
        public var bytes: Placed<ClosedRange<Int>>?

        /// The place where the test requires the whole payload to equal the stored one; nil where it does not.
        public var snapshot: SourcePlace?

        /// Key-value pairs that are sent.
        package var extras: DocumentNode?

        /// Other members of the payload.
        package var members: [DocumentMember] = []

        /// The place of the expectation.
        public var place: SourcePlace

        /// Whether every payload meets the expectation: it is empty, holds only conditions such as `{contains: ''}`, or
        /// bounds the size by no less than APNs does.
        package var isEmpty: Bool {
            let expectsSize = bytes.map { $0.value.lowerBound > 0 || $0.value.upperBound < SizeBudget.limit } ?? false
            return aborted == nil && failed == nil && !expectsSize && snapshot == nil
                && extras?.expectsNothing ?? true && members.allSatisfy(\.value.expectsNothing)
        }

        /// The keys that are not members of a payload.
        package static let keys = ["aborted", "failed", "bytes", "snapshot", "extras"]
    }
}

extension DocumentNode {
    /// Whether every value meets the expectation, so that it tests nothing.
    fileprivate var expectsNothing: Bool {
        guard let members else { return false }
        guard let matcher = PayloadMatcher(self) else { return members.allSatisfy(\.value.expectsNothing) }
        return matcher.isEmpty
    }
}
