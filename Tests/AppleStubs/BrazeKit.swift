// SPDX-License-Identifier: MIT
// swift-format-ignore-file

// The signatures of Braze's Swift SDK that the examples use, as its reference documents them.

@_exported import Foundation

public class Braze {
    public class Configuration {
        public init(apiKey: String, endpoint: String) {}
    }

    public init(configuration: Configuration) {}

    public let user = User()

    public func changeUser(
        userId: String,
        sdkAuthSignature: String? = nil,
        fileID: String = #fileID,
        line: UInt = #line
    ) {}

    public func logCustomEvent(
        name: String,
        properties: [String: Any]? = nil,
        fileID: String = #fileID,
        line: UInt = #line
    ) {}

    public class User {
        public enum Gender: String, Sendable { case male, female, other, unknown, notApplicable, preferNotToSay }

        public enum SubscriptionState: Sendable { case optedIn, subscribed, unsubscribed }

        public func set(country: String?, fileID: String = #fileID, line: UInt = #line) {}
        public func set(dateOfBirth: Date?, fileID: String = #fileID, line: UInt = #line) {}
        public func set(email: String?, fileID: String = #fileID, line: UInt = #line) {}
        public func set(firstName: String?, fileID: String = #fileID, line: UInt = #line) {}
        public func set(gender: Gender?, fileID: String = #fileID, line: UInt = #line) {}
        public func set(homeCity: String?, fileID: String = #fileID, line: UInt = #line) {}
        public func set(language: String?, fileID: String = #fileID, line: UInt = #line) {}
        public func set(lastName: String?, fileID: String = #fileID, line: UInt = #line) {}
        public func set(phoneNumber: String?, fileID: String = #fileID, line: UInt = #line) {}
        public func set(emailSubscriptionState: SubscriptionState, fileID: String = #fileID, line: UInt = #line) {}
        public func set(
            pushNotificationSubscriptionState: SubscriptionState,
            fileID: String = #fileID,
            line: UInt = #line
        ) {}
        public func addToSubscriptionGroup(id: String, fileID: String = #fileID, line: UInt = #line) {}
        public func removeFromSubscriptionGroup(id: String, fileID: String = #fileID, line: UInt = #line) {}
        public func setLastKnownLocation(latitude: Double, longitude: Double, horizontalAccuracy: Double) {}

        public func setCustomAttribute(key: String, value: Bool, fileID: String = #fileID, line: UInt = #line) {}
        public func setCustomAttribute(key: String, value: Date, fileID: String = #fileID, line: UInt = #line) {}
        public func setCustomAttribute(key: String, value: Double, fileID: String = #fileID, line: UInt = #line) {}
        public func setCustomAttribute(key: String, value: Int, fileID: String = #fileID, line: UInt = #line) {}
        public func setCustomAttribute(key: String, value: String, fileID: String = #fileID, line: UInt = #line) {}
        public func setCustomAttribute(
            key: String,
            dictionary: [String: Any?]?,
            merge: Bool = false,
            fileID: String = #fileID,
            line: UInt = #line
        ) {}
        public func setCustomAttribute(key: String, array: [String]?, fileID: String = #fileID, line: UInt = #line) {}
        public func setCustomAttribute(
            key: String,
            array: [[String: Any?]]?,
            fileID: String = #fileID,
            line: UInt = #line
        ) {}
        public func unsetCustomAttribute(key: String, fileID: String = #fileID, line: UInt = #line) {}
        public func incrementCustomUserAttribute(
            key: String,
            by increment: Int,
            fileID: String = #fileID,
            line: UInt = #line
        ) {}
        public func addToCustomAttributeStringArray(
            key: String,
            value: String,
            fileID: String = #fileID,
            line: UInt = #line
        ) {}
        public func removeFromCustomAttributeStringArray(
            key: String,
            value: String,
            fileID: String = #fileID,
            line: UInt = #line
        ) {}
    }
}
