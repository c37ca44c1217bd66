// SPDX-License-Identifier: MIT

import Foundation

/// The kinds of a received push, such as a push from Braze, a silent push or a Push Story; several can apply.
///
/// The rules are those of Braze's SDK. They need only the payload, so an extension can apply them without the SDK.
public struct PushKind: OptionSet, Sendable, Hashable {
    /// The kinds as bits.
    public let rawValue: Int

    /// Creates a set of kinds.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Braze sent the push: `ab` is an object with members.
    public static let braze = PushKind(rawValue: 1)

    /// Braze sent the push to wake the app: `aps.content-available` is 1.
    ///
    /// A push with an alert can wake the app too; its alert is shown nonetheless.
    public static let silent = PushKind(rawValue: 2)

    /// The push has an image, a sound or a video: `ab.att` is an object.
    public static let rich = PushKind(rawValue: 4)

    /// The push is a Push Story: `ab.ab_carousel` is true, and the category is that of Push Stories.
    public static let story = PushKind(rawValue: 8)

    /// The push lets Braze find out whether the app is still installed: it has `appboy_uninstall_tracking`.
    ///
    /// It shows nothing to the user.
    public static let uninstallTracking = PushKind(rawValue: 16)

    /// The category of Push Stories.
    public static let storyCategory = "ab_cat_push_story_v2"

    /// Determines the kinds of a push.
    ///
    /// - Parameter userInfo: the payload, such as `notification.request.content.userInfo`.
    public init(_ userInfo: [AnyHashable: Any]) {
        self = []
        guard let braze = userInfo["ab"] as? [AnyHashable: Any], !braze.isEmpty else { return }
        let aps = userInfo["aps"] as? [AnyHashable: Any] ?? [:]
        insert(.braze)
        if isOne(aps["content-available"]) { insert(.silent) }
        if braze["att"] is [AnyHashable: Any] { insert(.rich) }
        if isOne(braze["ab_carousel"]), aps["category"] as? String == Self.storyCategory { insert(.story) }
        if isOne(userInfo["appboy_uninstall_tracking"]) { insert(.uninstallTracking) }
    }
}

/// Whether a value is 1 or true, which mean the same in payloads.
private func isOne(_ value: Any?) -> Bool {
    (value as? NSNumber)?.doubleValue == 1 || value as? Bool == true || value as? Int == 1
}
