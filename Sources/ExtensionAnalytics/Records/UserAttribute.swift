// SPDX-License-Identifier: MIT

public import Foundation

/// A field of the user's profile that Braze defines, such as the e-mail address, with its value.
///
/// The fields are those of Braze's user attributes object. Only ``unset(_:)`` removes a field. No other case means a
/// missing value, because a missing e-mail address would otherwise erase the one that Braze has.
public enum UserAttribute: Sendable, Hashable {
    /// The user's country: a code of two letters from ISO 3166-1.
    case country(String)
    /// The user's position, in degrees.
    case currentLocation(latitude: Double, longitude: Double)
    case dateOfFirstSession(Date)
    case dateOfLastSession(Date)
    case dateOfBirth(year: Int, month: Int, day: Int)
    case email(String)
    case emailSubscription(Subscription)
    case emailOpenTrackingDisabled(Bool)
    case emailClickTrackingDisabled(Bool)
    /// The user's Facebook profile: an object with `id`, `likes` and `num_friends`.
    case facebook([String: PropertyValue])
    case firstName(String)
    case gender(Gender)
    case homeCity(String)
    /// The user's language: a code of two letters from ISO 639-1.
    case language(String)
    case lastName(String)
    case markedEmailAsSpamAt(Date)
    /// The user's phone number in E.164, such as `+4915112345678`.
    case phone(String)
    case pushSubscription(Subscription)
    case pushTokens([PushToken])
    case subscriptionGroups([SubscriptionGroup])
    /// The user's time zone: a name of the IANA's database, such as `Europe/Paris`.
    case timeZone(String)
    /// The user's Twitter profile: an object with `id`, `screen_name`, `followers_count`, `friends_count` and
    /// `statuses_count`.
    case twitter([String: PropertyValue])
    /// The removal of a field.
    case unset(Field)

    /// A field of the profile; the raw value is its name in `/users/track`.
    public enum Field: String, Sendable, Hashable, CaseIterable {
        case country
        case currentLocation = "current_location"
        case dateOfFirstSession = "date_of_first_session"
        case dateOfLastSession = "date_of_last_session"
        case dateOfBirth = "dob"
        case email
        case emailSubscription = "email_subscribe"
        case emailOpenTrackingDisabled = "email_open_tracking_disabled"
        case emailClickTrackingDisabled = "email_click_tracking_disabled"
        case facebook
        case firstName = "first_name"
        case gender
        case homeCity = "home_city"
        case language
        case lastName = "last_name"
        case markedEmailAsSpamAt = "marked_email_as_spam_at"
        case phone
        case pushSubscription = "push_subscribe"
        case pushTokens = "push_tokens"
        case subscriptionGroups = "subscription_groups"
        case timeZone = "time_zone"
        case twitter
    }

    /// Whether the user wants to get messages.
    public enum Subscription: String, Sendable, Hashable {
        case optedIn = "opted_in"
        case subscribed
        case unsubscribed
    }

    /// The genders that Braze accepts.
    public enum Gender: String, Sendable, Hashable {
        case male = "M"
        case female = "F"
        case other = "O"
        case notApplicable = "N"
        case preferNotToSay = "P"
    }

    /// An APNs push token.
    public struct PushToken: Sendable, Hashable {
        /// The id that Braze has for the app.
        public var appID: String

        /// The push token of the device.
        public var token: String

        /// The id that Braze has for the device; nil if it is not known.
        public var deviceID: String?

        /// Creates a token.
        public init(appID: String, token: String, deviceID: String? = nil) {
            self.appID = appID
            self.token = token
            self.deviceID = deviceID
        }
    }

    /// A subscription group, and whether the user is in it.
    public struct SubscriptionGroup: Sendable, Hashable {
        /// The id that Braze has for the group.
        public var id: String

        /// Whether the user is in the group.
        public var isSubscribed: Bool

        /// Creates the state of a user in a subscription group.
        public init(id: String, isSubscribed: Bool) {
            self.id = id
            self.isSubscribed = isSubscribed
        }
    }
}
