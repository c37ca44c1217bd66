// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import ScalarTexts

/// The limits that Braze's pages state for events, custom attributes and user attributes.
///
/// Braze counts characters without defining them; here, they are Unicode scalars.
enum TrackLimits {
    static let nameLength = 255
    static let textLength = 255
    static let arrayCount = 100
    static let propertyBytes = 100 << 10
    /// The maximum number of bytes of all attributes of one record: 1 MiB, far below the 4 MB that a request may have.
    static let recordBytes = 1 << 20
    /// The maximum number of levels of nested values.
    ///
    /// Braze states no limit; this one limits the recursion.
    static let depth = 32
}

extension PendingRecord.Content {
    /// Names of properties and attributes that have another meaning in `/users/track`.
    private static let reservedProperties: Set<String> = ["event_name", "time"]
    private static let reservedAttributes: Set<String> = Set(UserAttribute.Field.allCases.map(\.rawValue)).union([
        "braze_id", "external_id", "user_alias", "push_token_import", "_update_existing_only",
    ])

    /// Removes members whose names Braze or this library uses for something else.
    ///
    /// In an event, these names are `time` and `event_name`; in custom attributes, those of profile fields, identifiers
    /// and options. A record with such a member is refused; without the member, the rest of the record can be saved.
    ///
    /// - Returns: what was removed, in the order of the names.
    @discardableResult
    public mutating func removeReservedNames() -> [PendingRecordError] {
        switch self {
        case .event(let name, var properties):
            let removed = properties.keys.filter(Self.reservedProperties.contains).sorted()
            for key in removed { properties[key] = nil }
            self = .event(name: name, properties: properties)
            return removed.map { PendingRecordError(.reservedName, at: ["properties", $0]) }
        case .customAttributes(var changes):
            let removed = changes.keys.filter(Self.reservedAttributes.contains).sorted()
            for key in removed { changes[key] = nil }
            self = .customAttributes(changes)
            return removed.map { PendingRecordError(.reservedName, at: ["attributes", $0]) }
        case .userAttribute: return []
        }
    }

    func check() throws(PendingRecordError) {
        switch self {
        case .event(let name, let properties):
            try checkName(name, at: ["name"])
            // If there are several faults, the one with the first name is reported, so that each run reports the same
            // one.
            if let key = properties.keys.filter(Self.reservedProperties.contains).min() {
                throw PendingRecordError(.reservedName, at: ["properties", key])
            }
            try PropertyValue.object(properties).check(at: ["properties"])
        case .customAttributes(let changes):
            if changes.isEmpty {
                throw PendingRecordError(.malformed(expected: "at least one attribute"), at: ["attributes"])
            }
            for (name, change) in changes.sorted(by: { $0.key < $1.key }) {
                let path = ["attributes", name]
                try checkName(name, at: path)
                if Self.reservedAttributes.contains(name) { throw PendingRecordError(.reservedName, at: path) }
                try change.check(at: path)
            }
            let bytes = changes.reduce(0) { $0 + $1.key.utf8.count + $1.value.jsonByteCount }
            if bytes > TrackLimits.recordBytes {
                throw PendingRecordError(.tooLarge(bytes: bytes, limit: TrackLimits.recordBytes), at: ["attributes"])
            }
        case .userAttribute(let attribute):
            try attribute.check()
        }
    }
}

extension UserIdentifier {
    func check() throws(PendingRecordError) {
        switch self {
        case .brazeID(let id), .externalID(let id): try checkText(id, at: ["user"])
        case .alias(let name, let label):
            try checkText(name, at: ["user", "alias_name"])
            try checkText(label, at: ["user", "alias_label"])
        }
    }
}

extension AttributeChange {
    fileprivate func check(at path: [String]) throws(PendingRecordError) {
        switch self {
        case .set(let value):
            // Braze would read an object with such a member as a change of the attribute, not as its value.
            if case .object(let members) = value {
                if let key = ["add", "inc", "remove", "update"].first(where: { members[$0] != nil }) {
                    throw PendingRecordError(.reservedName, at: path + [key])
                }
            }
            try value.check(at: path)
        case .add(let texts), .remove(let texts):
            try PropertyValue.array(texts.map { .string($0) }).check(at: path)
        case .increment, .unset: break
        }
    }
}

extension PropertyValue {
    /// Checks a value and all values inside it; `path` leads to the value, for errors.
    fileprivate func check(at path: [String]) throws(PendingRecordError) {
        try check(at: path, depth: 0, isInArray: false)
        let bytes = jsonByteCount
        if bytes > TrackLimits.propertyBytes {
            throw PendingRecordError(.tooLarge(bytes: bytes, limit: TrackLimits.propertyBytes), at: path)
        }
    }

    private func check(at path: [String], depth: Int, isInArray: Bool) throws(PendingRecordError) {
        if depth > TrackLimits.depth { throw PendingRecordError(.tooDeep(limit: TrackLimits.depth), at: path) }
        switch self {
        case .string(let text):
            try checkLength(text, TrackLimits.textLength, at: path)
        case .number(let number):
            if !number.isFinite { throw PendingRecordError(.notFinite, at: path) }
        case .time(let time):
            if isInArray { throw PendingRecordError(.timeInArray, at: path) }
            if time.milliseconds == nil { throw PendingRecordError(.timeOutOfRange, at: path) }
        case .array(let elements):
            if elements.count > TrackLimits.arrayCount {
                let fault = PendingRecordError.Fault.tooManyElements(
                    count: elements.count,
                    limit: TrackLimits.arrayCount
                )
                throw PendingRecordError(fault, at: path)
            }
            for (index, element) in elements.enumerated() {
                try element.check(at: path + ["\(index)"], depth: depth + 1, isInArray: true)
            }
        case .object(let members):
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                try checkName(name, at: path + [name])
                try value.check(at: path + [name], depth: depth + 1, isInArray: isInArray)
            }
        case .integer, .boolean: break
        }
    }
}

extension UserAttribute {
    fileprivate func check() throws(PendingRecordError) {
        let path = [field.rawValue]
        func expect(_ condition: Bool, _ expected: String) throws(PendingRecordError) {
            if !condition { throw PendingRecordError(.malformed(expected: expected), at: path) }
        }
        if case .string(let text) = value { try checkText(text, at: path) }
        switch self {
        case .country(let text):
            try expect(text.isWord(of: 2), "two letters of ISO 3166-1, such as 'FR'")
        case .language(let text):
            try expect(text.isWord(of: 2), "two letters of ISO 639-1, such as 'fr'")
        case .currentLocation(let latitude, let longitude):
            try expect(-90...90 ~= latitude && -180...180 ~= longitude, "a latitude and a longitude in degrees")
        case .dateOfBirth(let year, let month, let day):
            let date = CivilTime(year: year, month: month, day: day)
            try expect(0...3_000 ~= year && date.exists, "a calendar date")
        case .email(let text):
            let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
            let isPlain = !text.utf8.contains { $0 <= 0x20 || $0 == 0x7F }
            try expect(parts.count == 2 && !parts.contains { $0.isEmpty } && isPlain, "an e-mail address")
        case .phone(let text):
            let digits = text.utf8.dropFirst()
            let isNumber = digits.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            try expect(
                text.utf8.first == UInt8(ascii: "+") && 2...15 ~= digits.count && isNumber,
                "a phone number in E.164, such as '+4915112345678'"
            )
        case .timeZone(let text):
            try expect(!text.utf8.contains { $0 <= 0x20 }, "an IANA time zone, such as 'Europe/Paris'")
        case .pushTokens(let tokens):
            for token in tokens {
                try checkText(token.appID, at: path + ["app_id"])
                try checkText(token.token, at: path + ["token"])
            }
        case .subscriptionGroups(let groups):
            for group in groups { try checkText(group.id, at: path + ["subscription_group_id"]) }
        default: break
        }
        try value?.check(at: path)
    }
}

extension String {
    fileprivate func isWord(of count: Int) -> Bool {
        utf8.count == count && utf8.allSatisfy(\.isLetter)
    }
}

private func checkName(_ name: String, at path: [String]) throws(PendingRecordError) {
    if name.isEmpty { throw PendingRecordError(.empty, at: path) }
    if name.utf8.first == UInt8(ascii: "$") { throw PendingRecordError(.dollarPrefix, at: path) }
    try checkLength(name, TrackLimits.nameLength, at: path)
}

private func checkText(_ text: String, at path: [String]) throws(PendingRecordError) {
    if text.isEmpty { throw PendingRecordError(.empty, at: path) }
    if text.utf8.elementsEqual("$null".utf8) { throw PendingRecordError(.nullMarker, at: path) }
    try checkLength(text, TrackLimits.textLength, at: path)
}

private func checkLength(_ text: String, _ limit: Int, at path: [String]) throws(PendingRecordError) {
    let count = text.unicodeScalars.count
    if count > limit { throw PendingRecordError(.tooLong(count: count, limit: limit), at: path) }
}
