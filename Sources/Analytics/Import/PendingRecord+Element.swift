// SPDX-License-Identifier: MIT

import BinaryPlists
import Foundation
import SourceText

extension PendingRecord.Content {
    /// Reads an element of one of the guides' arrays.
    init(_ key: DefaultsImport.Key, _ element: PlistValue) throws(ElementError) {
        switch (key, element) {
        case (.userAttributes, .data(let data)):
            self = .userAttribute(try UserAttribute(guideData: data))
        case (.userAttributes, _):
            throw ElementError("expected data")
        case (.events, .dictionary(let members)):
            self = try Self.event(members)
        case (.customAttributes, .dictionary(let members)):
            // The older Objective-C code saves events here.
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

/// The key of an event's name among its properties.
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
    fileprivate init(_ value: PlistValue, of key: String) throws(ElementError) {
        switch value {
        case .boolean(let flag): self = .boolean(flag)
        case .integer(let integer): self = .integer(integer)
        case .real(let number): self = .number(number)
        case .string(let text): self = .string(text)
        case .date(let seconds): self = .time(Date(timeIntervalSinceReferenceDate: seconds))
        case .array(let elements):
            var values: [PropertyValue] = []
            for element in elements { values.append(try PropertyValue(element, of: key)) }
            self = .array(values)
        case .dictionary(let members): self = .object(try dictionary(members))
        case .data: throw ElementError("'\(key)' is data, which Braze does not take")
        case .null, .reference: throw ElementError("'\(key)' has no value")
        }
    }
}

extension UserAttribute {
    /// Reads a user attribute as the guides store it: a property list, or a keyed archive, inside of data.
    fileprivate init(guideData data: ArraySlice<UInt8>) throws(ElementError) {
        // Every object takes at least a byte: data with more objects than bytes refers to some of them many times.
        // Counted like this, all data of a file together cannot take longer to read than its bytes suggest.
        let limits = PlistValue.BinaryLimits(depth: 16, objects: data.count)
        guard let root = try? PlistValue(binary: Array(data), limits: limits), case .dictionary(let members) = root
        else {
            throw ElementError("the data is not a binary property list of keys and values")
        }
        if case .string("NSKeyedArchiver")? = root["$archiver"] {
            self = try Self.archived(root)
            return
        }
        // An empty one is how the guides write an address that is missing: setting it would erase the one at Braze.
        guard let (name, value) = members.first, members.count == 1 else {
            throw ElementError("expected one user attribute, found \(members.count)")
        }
        guard let field = Field(rawValue: name),
            let attribute = UserAttribute(field, try PropertyValue(value, of: name))
        else { throw ElementError("the user attribute '\(name)' is not known, or of another type") }
        self = attribute
    }

    /// Reads an archive of the guides' Objective-C class, whatever its name: `userField` and `attributeType`.
    private static func archived(_ archive: PlistValue) throws(ElementError) -> UserAttribute {
        guard case .array(let objects)? = archive["$objects"] else { throw ElementError("the archive has no objects") }
        func object(_ value: PlistValue?) -> PlistValue? {
            guard case .reference(let index)? = value else { return value }
            return objects.indices.contains(index) ? objects[index] : nil
        }
        let root = object(archive["$top"]?["root"])
        // The only type that the guides have is the e-mail address.
        guard case .integer(0)? = root?["attributeType"] else {
            throw ElementError("the archive holds no e-mail address")
        }
        // A string that can change is an object of its own.
        let field = object(root?["userField"])
        guard case .string(let text)? = field?["NS.string"] ?? field else {
            throw ElementError("the archive holds no text")
        }
        return .email(text)
    }
}
