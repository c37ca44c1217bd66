// SPDX-License-Identifier: MIT

import BrazeKit
import ExtensionAnalytics
import Foundation

/// Gives Braze's SDK what the extensions have saved; `@objc` lets an app delegate in Objective-C call it.
@objc final class PendingAnalytics: NSObject {
    private let braze: Braze

    /// The external id of the user who is logged in; nil for an anonymous user.
    private let userID: String?

    @objc init(braze: Braze, userID: String?) {
        self.braze = braze
        self.userID = userID
    }

    /// Sends what is saved; what fails stays saved for the next time.
    @objc func send() {
        guard let store = try? PendingStore(appGroup: "group.com.example.bookdemo.push") else { return }
        try? send(from: store)
    }

    /// Logs the records of the user who is logged in, and acknowledges them; the records of other users stay saved.
    private func send(from store: PendingStore) throws {
        var batches = store.batches(of: 75)
        while let batch = try batches.next() {
            let records = batch.records.filter(isOfCurrentUser)
            for record in records { log(record.content) }
            try store.acknowledge(ids: Set(records.map(\.id)))
        }
    }

    /// Whether the SDK would log the record for its own user: one without an external id is about whoever got the push.
    private func isOfCurrentUser(_ record: PendingRecord) -> Bool {
        guard case .externalID(let id)? = record.user else { return true }
        return id == userID
    }

    /// Logs a record as of now, as the SDK takes no time.
    private func log(_ content: PendingRecord.Content) {
        switch content {
        case .event(let name, let properties):
            braze.logCustomEvent(name: name, properties: properties.mapValues(\.sdkValue))
        case .customAttributes(let changes):
            for (key, change) in changes { apply(change, to: key) }
        case .userAttribute(let attribute): set(attribute)
        }
    }

    private func apply(_ change: AttributeChange, to key: String) {
        switch change {
        case .set(let value): set(value, for: key)
        case .increment(let number): braze.user.incrementCustomUserAttribute(key: key, by: number)
        case .add(let elements):
            for element in elements { braze.user.addToCustomAttributeStringArray(key: key, value: element) }
        case .remove(let elements):
            for element in elements { braze.user.removeFromCustomAttributeStringArray(key: key, value: element) }
        case .unset: braze.user.unsetCustomAttribute(key: key)
        }
    }

    private func set(_ value: PropertyValue, for key: String) {
        switch value {
        case .string(let text): braze.user.setCustomAttribute(key: key, value: text)
        case .integer(let number): braze.user.setCustomAttribute(key: key, value: number)
        case .number(let number): braze.user.setCustomAttribute(key: key, value: number)
        case .boolean(let truth): braze.user.setCustomAttribute(key: key, value: truth)
        case .time(let time): braze.user.setCustomAttribute(key: key, value: time)
        case .object(let members):
            braze.user.setCustomAttribute(key: key, dictionary: members.mapValues(\.sdkValue))
        case .array(let elements):
            // The SDK takes arrays of texts, or of objects.
            if let objects = elements.map(\.sdkValue) as? [[String: Any]] {
                braze.user.setCustomAttribute(key: key, array: objects)
            } else {
                braze.user.setCustomAttribute(key: key, array: elements.map { "\($0.sdkValue)" })
            }
        }
    }

    private func set(_ attribute: UserAttribute) {
        let user = braze.user
        switch attribute {
        case .country(let country): user.set(country: country)
        case .currentLocation(let latitude, let longitude):
            user.setLastKnownLocation(latitude: latitude, longitude: longitude, horizontalAccuracy: 0)
        case .dateOfBirth: user.set(dateOfBirth: attribute.birthDate)
        case .email(let email): user.set(email: email)
        case .emailSubscription(let state): user.set(emailSubscriptionState: sdkState(state))
        case .firstName(let name): user.set(firstName: name)
        case .gender(let gender): user.set(gender: sdkGender(gender))
        case .homeCity(let city): user.set(homeCity: city)
        case .language(let language): user.set(language: language)
        case .lastName(let name): user.set(lastName: name)
        case .phone(let number): user.set(phoneNumber: number)
        case .pushSubscription(let state): user.set(pushNotificationSubscriptionState: sdkState(state))
        case .subscriptionGroups(let groups):
            for group in groups {
                group.isSubscribed
                    ? user.addToSubscriptionGroup(id: group.id) : user.removeFromSubscriptionGroup(id: group.id)
            }
        case .unset(let field): unset(field)
        // The SDK has no setter for these: only /users/track takes them.
        case .dateOfFirstSession, .dateOfLastSession, .emailClickTrackingDisabled, .emailOpenTrackingDisabled,
            .facebook, .markedEmailAsSpamAt, .pushTokens, .timeZone, .twitter:
            break
        }
    }

    private func unset(_ field: UserAttribute.Field) {
        let user = braze.user
        switch field {
        case .country: user.set(country: nil)
        case .dateOfBirth: user.set(dateOfBirth: nil)
        case .email: user.set(email: nil)
        case .firstName: user.set(firstName: nil)
        case .gender: user.set(gender: nil)
        case .homeCity: user.set(homeCity: nil)
        case .language: user.set(language: nil)
        case .lastName: user.set(lastName: nil)
        case .phone: user.set(phoneNumber: nil)
        default: break
        }
    }

    private func sdkState(_ state: UserAttribute.Subscription) -> Braze.User.SubscriptionState {
        switch state {
        case .optedIn: .optedIn
        case .subscribed: .subscribed
        case .unsubscribed: .unsubscribed
        }
    }

    private func sdkGender(_ gender: UserAttribute.Gender) -> Braze.User.Gender {
        switch gender {
        case .male: .male
        case .female: .female
        case .other: .other
        case .notApplicable: .notApplicable
        case .preferNotToSay: .preferNotToSay
        }
    }
}
