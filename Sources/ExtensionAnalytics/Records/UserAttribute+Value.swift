// SPDX-License-Identifier: MIT

import Foundation

/// A field and a value: the form in which all user attributes are checked, stored and sent.
extension UserAttribute {
    /// The field that the attribute sets or removes.
    public var field: Field {
        switch self {
        case .country: .country
        case .currentLocation: .currentLocation
        case .dateOfFirstSession: .dateOfFirstSession
        case .dateOfLastSession: .dateOfLastSession
        case .dateOfBirth: .dateOfBirth
        case .email: .email
        case .emailSubscription: .emailSubscription
        case .emailOpenTrackingDisabled: .emailOpenTrackingDisabled
        case .emailClickTrackingDisabled: .emailClickTrackingDisabled
        case .facebook: .facebook
        case .firstName: .firstName
        case .gender: .gender
        case .homeCity: .homeCity
        case .language: .language
        case .lastName: .lastName
        case .markedEmailAsSpamAt: .markedEmailAsSpamAt
        case .phone: .phone
        case .pushSubscription: .pushSubscription
        case .pushTokens: .pushTokens
        case .subscriptionGroups: .subscriptionGroups
        case .timeZone: .timeZone
        case .twitter: .twitter
        case .unset(let field): field
        }
    }

    /// The value of the field in the form that Braze accepts; nil if the attribute removes the field.
    var value: PropertyValue? {
        switch self {
        case .country(let text), .email(let text), .firstName(let text), .homeCity(let text), .language(let text),
            .lastName(let text), .phone(let text), .timeZone(let text):
            .string(text)
        case .currentLocation(let latitude, let longitude):
            ["latitude": .number(latitude), "longitude": .number(longitude)]
        case .dateOfFirstSession(let time), .dateOfLastSession(let time), .markedEmailAsSpamAt(let time): .time(time)
        case .dateOfBirth(let year, let month, let day):
            .string([(year, 4), (month, 2), (day, 2)].map(decimal).joined(separator: "-"))
        case .emailSubscription(let state), .pushSubscription(let state): .string(state.rawValue)
        case .emailOpenTrackingDisabled(let flag), .emailClickTrackingDisabled(let flag): .boolean(flag)
        case .facebook(let members), .twitter(let members): .object(members)
        case .gender(let gender): .string(gender.rawValue)
        case .pushTokens(let tokens): .array(tokens.map(\.value))
        case .subscriptionGroups(let groups): .array(groups.map(\.value))
        case .unset: nil
        }
    }

    /// Creates an attribute from a field and its value; nil if the value has the wrong type for the field.
    init?(_ field: Field, _ value: PropertyValue) {
        switch (field, value) {
        case (.country, .string(let text)): self = .country(text)
        case (.currentLocation, .object(let members)):
            guard members.count == 2, let latitude = members["latitude"]?.double,
                let longitude = members["longitude"]?.double
            else { return nil }
            self = .currentLocation(latitude: latitude, longitude: longitude)
        case (.dateOfFirstSession, .time(let time)): self = .dateOfFirstSession(time)
        case (.dateOfLastSession, .time(let time)): self = .dateOfLastSession(time)
        case (.dateOfBirth, .string(let text)):
            let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
                .map { Int(String(decoding: $0, as: UTF8.self)) }
            guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2] else { return nil }
            self = .dateOfBirth(year: year, month: month, day: day)
        case (.email, .string(let text)): self = .email(text)
        case (.emailSubscription, .string(let text)):
            guard let state = Subscription(rawValue: text) else { return nil }
            self = .emailSubscription(state)
        case (.emailOpenTrackingDisabled, .boolean(let flag)): self = .emailOpenTrackingDisabled(flag)
        case (.emailClickTrackingDisabled, .boolean(let flag)): self = .emailClickTrackingDisabled(flag)
        case (.facebook, .object(let members)): self = .facebook(members)
        case (.firstName, .string(let text)): self = .firstName(text)
        case (.gender, .string(let text)):
            guard let gender = Gender(rawValue: text) else { return nil }
            self = .gender(gender)
        case (.homeCity, .string(let text)): self = .homeCity(text)
        case (.language, .string(let text)): self = .language(text)
        case (.lastName, .string(let text)): self = .lastName(text)
        case (.markedEmailAsSpamAt, .time(let time)): self = .markedEmailAsSpamAt(time)
        case (.phone, .string(let text)): self = .phone(text)
        case (.pushSubscription, .string(let text)):
            guard let state = Subscription(rawValue: text) else { return nil }
            self = .pushSubscription(state)
        case (.pushTokens, .array(let elements)):
            let tokens = elements.compactMap(PushToken.init)
            guard tokens.count == elements.count else { return nil }
            self = .pushTokens(tokens)
        case (.subscriptionGroups, .array(let elements)):
            let groups = elements.compactMap(SubscriptionGroup.init)
            guard groups.count == elements.count else { return nil }
            self = .subscriptionGroups(groups)
        case (.timeZone, .string(let text)): self = .timeZone(text)
        case (.twitter, .object(let members)): self = .twitter(members)
        default: return nil
        }
    }
}

extension UserAttribute.PushToken {
    fileprivate var value: PropertyValue {
        var members: [String: PropertyValue] = ["app_id": .string(appID), "token": .string(token)]
        if let deviceID { members["device_id"] = .string(deviceID) }
        return .object(members)
    }

    fileprivate init?(_ value: PropertyValue) {
        guard case .object(let members) = value, let appID = members["app_id"]?.string,
            let token = members["token"]?.string
        else { return nil }
        let deviceID = members["device_id"]?.string
        guard members.count == (deviceID == nil ? 2 : 3) else { return nil }
        self.init(appID: appID, token: token, deviceID: deviceID)
    }
}

extension UserAttribute.SubscriptionGroup {
    fileprivate var value: PropertyValue {
        [
            "subscription_group_id": .string(id),
            "subscription_state": .string(isSubscribed ? "subscribed" : "unsubscribed"),
        ]
    }

    fileprivate init?(_ value: PropertyValue) {
        guard case .object(let members) = value, members.count == 2, let id = members["subscription_group_id"]?.string,
            let state = members["subscription_state"]?.string.flatMap(UserAttribute.Subscription.init),
            state != .optedIn
        else { return nil }
        self.init(id: id, isSubscribed: state == .subscribed)
    }
}

extension PropertyValue {
    fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }

    fileprivate var double: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .number(let number): number
        default: nil
        }
    }
}
