// SPDX-License-Identifier: MIT

import BinaryPlists
import DiagnosticSources
import Foundation

extension PendingRecord.Content {
    /// Creates the contents of a record from an element of one of the guides' arrays.
    init(_ key: DefaultsImport.Key, _ element: PlistValue) throws(ElementError) {
        switch (key, element) {
        case (.userAttributes, .data(let data)):
            self = .userAttribute(try UserAttribute(guideData: data))
        case (.userAttributes, _):
            throw ElementError("expected data")
        case (.events, .dictionary(let members)):
            self = try Self.event(members)
        case (.customAttributes, .dictionary(let members)):
            // The guides' older Objective-C code saves events under this key too.
            if members.contains(where: { $0.key.utf8.elementsEqual(eventNameKey.utf8) }) {
                self = try Self.event(members)
                return
            }
            self = .customAttributes(try dictionary(members).mapValues { .set($0) })
        case (.events, _), (.customAttributes, _):
            throw ElementError("expected a dictionary")
        }
    }

    private static func event(_ members: [(key: String, value: PlistValue)]) throws(ElementError) -> Self {
        var properties = try dictionary(members)
        guard let name = properties.removeValue(forKey: eventNameKey) else {
            throw ElementError("'\(eventNameKey)' is missing")
        }
        guard case .string(let text) = name else { throw ElementError("'\(eventNameKey)' is not a string") }
        return .event(name: text, properties: properties)
    }
}

/// The key of an event's name in an element.
private let eventNameKey = "event_name"

private func dictionary(
    _ members: [(key: String, value: PlistValue)]
) throws(ElementError) -> [String: PropertyValue] {
    var values: [String: PropertyValue] = [:]
    for (key, value) in members where values.updateValue(try PropertyValue(value, of: key), forKey: key) != nil {
        throw ElementError("'\(key)' is repeated")
    }
    return values
}

extension PropertyValue {
    /// Converts a value of a property list; throws for a type that Braze does not accept.
    init(_ value: PlistValue, of key: String) throws(ElementError) {
        switch value {
        case .boolean(let flag): self = .boolean(flag)
        case .integer(let integer): self = .integer(integer)
        case .largeInteger(let integer):
            throw ElementError("'\(key)' is \(integer), which does not fit in a signed integer of 64 bits")
        case .real(let number): self = .number(number)
        case .string(let text): self = .string(text)
        case .date(let seconds): self = .time(Date(timeIntervalSinceReferenceDate: seconds))
        case .array(let elements):
            var values: [PropertyValue] = []
            for element in elements { values.append(try PropertyValue(element, of: key)) }
            self = .array(values)
        case .dictionary(let members): self = .object(try dictionary(members))
        case .data: throw ElementError("'\(key)' is data, which Braze does not accept")
        case .null, .reference: throw ElementError("'\(key)' has no value")
        }
    }
}
