// SPDX-License-Identifier: MIT

import BinaryPlists
import DiagnosticSources
import Foundation

extension UserAttribute {
    /// Reads a user attribute as the guides' code stores it: data that contains a property list or a keyed archive.
    init(guideData data: ArraySlice<UInt8>) throws(ElementError) {
        // Every object takes at least one byte, so only data that refers to the same objects many times has more
        // objects than bytes. With this limit, the time to read all data of a file is proportional to the file's size.
        let limits = PlistValue.BinaryLimits(depth: 16, objects: data.count)
        guard let root = try? PlistValue(binary: Array(data), limits: limits), case .dictionary(let members) = root
        else {
            throw ElementError("the data is not a binary property list of keys and values")
        }
        if case .string("NSKeyedArchiver")? = root["$archiver"] {
            self = try Self.archived(root)
            return
        }
        // The guides' code writes a missing address as an empty dictionary. Reading it as an address would erase the
        // one at Braze.
        guard let (name, value) = members.first, members.count == 1 else {
            throw ElementError("expected one user attribute, found \(members.count)")
        }
        guard let field = Field(guideName: name) else { throw ElementError(Self.unknown(name)) }
        var found = try Self.associatedValue(value, of: name, field)
        if field == .dateOfBirth, case .time(let time) = found { found = try Self.day(of: time, name) }
        guard let attribute = UserAttribute(guideField: field, found) else {
            throw ElementError("the user attribute '\(name)' is \(found.words), expected \(field.expectedWords)")
        }
        self = attribute
    }

    private static func unknown(_ name: String) -> String {
        let near = nearestName(to: name, in: Field.allCases.map(\.rawValue))
        let hint =
            near.map { "did you mean '\($0)'?" } ?? "expected the name of a field in /users/track, such as 'first_name'"
        return "the user attribute '\(name)' is not known, \(hint)"
    }

    /// Unwraps the dictionary that Swift writes for an enum case: `{"email": {"_0": "a@example.com"}}`; if the
    /// associated value has a label, the key is the label instead of `_0`.
    private static func associatedValue(
        _ value: PlistValue,
        of name: String,
        _ field: Field
    ) throws(ElementError) -> PropertyValue {
        guard case .dictionary(let members) = value else { return try PropertyValue(value, of: name) }
        guard let (label, inner) = members.first else {
            throw ElementError(
                "the user attribute '\(name)' has no value; it is left out, as sending it would erase the value at Braze"
            )
        }
        let isWrapped = members.count == 1 && (label == "_0" || !field.takesObject)
        return try PropertyValue(isWrapped ? inner : value, of: name)
    }

    /// The day of a date of birth that is stored as a time; throws if it cannot be known.
    ///
    /// Such a time is midnight in the device's time zone or in UTC. Only for midnight in UTC is it known which day is
    /// meant.
    private static func day(of time: Date, _ name: String) throws(ElementError) -> PropertyValue {
        let midnight = "T00:00:00.000Z"
        guard let text = time.iso8601 else { return .time(time) }
        guard text.hasSuffix(midnight) else {
            throw ElementError(
                """
                the user attribute '\(name)' is \(text), and which day that is depends on the time zone; expected midnight in \
                UTC, or text such as '1990-12-31'
                """)
        }
        return .string(String(text.dropLast(midnight.utf8.count)))
    }

    /// Converts a value to the form that `/users/track` expects; nil if the value does not fit the field.
    ///
    /// For some fields, the guides' code stores the form of Braze's SDK, which is different.
    private init?(guideField field: Field, _ value: PropertyValue) {
        switch (field, value) {
        case (.gender, .string(let text)):
            guard let gender = Gender(guideName: text) else { return nil }
            self = .gender(gender)
        case (.emailSubscription, .string("optedIn")): self = .emailSubscription(.optedIn)
        case (.pushSubscription, .string("optedIn")): self = .pushSubscription(.optedIn)
        default: self.init(field, value)
        }
    }

    /// Reads the archive of the class in the guides' Objective-C code, by its members `userField` and `attributeType`;
    /// the name of the class does not matter.
    private static func archived(_ archive: PlistValue) throws(ElementError) -> UserAttribute {
        guard case .array(let objects)? = archive["$objects"] else { throw ElementError("the archive has no objects") }
        func object(_ value: PlistValue?) -> PlistValue? {
            guard case .reference(let index)? = value else { return value }
            return objects.indices.contains(index) ? objects[index] : nil
        }
        let root = object(archive["$top"]?["root"])
        // 0 means the e-mail address, the only type of attribute in the guides.
        guard case .integer(0)? = root?["attributeType"] else {
            throw ElementError("the archive contains no e-mail address")
        }
        // A mutable string is archived as an object that contains the text, an immutable one as the text itself.
        let field = object(root?["userField"])
        guard case .string(let text)? = field?["NS.string"] ?? field else {
            throw ElementError("the archive contains no text")
        }
        return .email(text)
    }
}

extension UserAttribute.Field {
    /// Other names that apps use for the fields, in lower case and without separators.
    private static let otherNames: [String: Self] = [
        "phonenumber": .phone, "mobile": .phone, "mobilenumber": .phone, "emailaddress": .email,
        "dateofbirth": .dateOfBirth, "birthdate": .dateOfBirth, "birthday": .dateOfBirth, "firstname": .firstName,
        "emailsubscription": .emailSubscription, "emailsubscriptionstate": .emailSubscription,
        "pushsubscription": .pushSubscription, "pushnotificationsubscriptionstate": .pushSubscription,
        "pushsubscriptionstate": .pushSubscription, "location": .currentLocation,
    ]

    /// The field that the name of an enum case or of a key means, such as `first_name`, `firstName` or `phone_number`;
    /// nil for an unknown name.
    init?(guideName name: String) {
        let wanted = Self.folded(name)
        let field = Self.allCases.first { Self.folded($0.rawValue) == wanted } ?? Self.otherNames[wanted]
        guard let field else { return nil }
        self = field
    }

    private static func folded(_ name: String) -> String { name.lowercased().filter { $0 != "_" && $0 != "-" } }

    /// Whether the value of the field is an object with several members.
    fileprivate var takesObject: Bool { self == .currentLocation || self == .facebook || self == .twitter }

    /// The values that the field accepts, in words for messages.
    fileprivate var expectedWords: String {
        switch self {
        case .currentLocation: "a latitude and a longitude"
        case .facebook, .twitter: "keys and values"
        case .dateOfFirstSession, .dateOfLastSession, .markedEmailAsSpamAt: "a time"
        case .dateOfBirth: "a date, or text such as '1990-12-31'"
        case .emailOpenTrackingDisabled, .emailClickTrackingDisabled: "true or false"
        case .emailSubscription, .pushSubscription: "'opted_in', 'subscribed' or 'unsubscribed'"
        case .gender: "'M', 'F', 'O', 'N' or 'P'"
        case .pushTokens: "a list of tokens"
        case .subscriptionGroups: "a list of groups"
        default: "text"
        }
    }
}

extension UserAttribute.Gender {
    /// Reads a gender: a letter of `/users/track`, or the name of a case in Braze's SDK.
    fileprivate init?(guideName name: String) {
        switch name.lowercased() {
        case "m", "male": self = .male
        case "f", "female": self = .female
        case "o", "other": self = .other
        case "n", "notapplicable": self = .notApplicable
        case "p", "prefernottosay": self = .preferNotToSay
        default: return nil
        }
    }
}

extension PropertyValue {
    /// The type of the value in words, for messages; for a text, also its first characters.
    fileprivate var words: String {
        switch self {
        case .string(let text): "the text '\(String(text.unicodeScalars.prefix(40)))'"
        case .integer, .number: "a number"
        case .boolean: "true or false"
        case .time: "a time"
        case .array: "a list"
        case .object: "an object"
        }
    }
}
