// SPDX-License-Identifier: MIT

import BinaryPlists
import DiagnosticSources
import Foundation
import PayloadgenTestSupport
import Testing

@testable import ExtensionAnalytics

/// What the code of Braze's guides leaves in `UserDefaults` is read, in the forms of Swift and Objective-C.
@Suite struct DefaultsImportTests {
    private static let time = Date(timeIntervalSince1970: 1_795_165_200)

    private static var played: [String: Any] {
        [
            "event_name": "Played", "won": true, "score": 1, "ratio": 0.5, "at": time, "tags": ["a"], "in": ["a": "b"],
        ]
    }

    private static func data(_ value: Any) throws -> Data {
        try PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0)
    }

    private static func elements(_ arrays: [String: Any]) throws -> DefaultsElements {
        let root = try PlistValue(binary: Array(try data(arrays)))
        return DefaultsElements { key in root[key.rawValue].map { [$0] } ?? [] }
    }

    private func imported(_ arrays: [String: Any], user: UserIdentifier? = nil) throws -> DefaultsImport {
        let elements = try Self.elements(arrays)
        var numbering = DefaultsNumbering()
        numbering.update(elements, time: Self.time)
        return DefaultsImport(elements, numbering, user: user)
    }

    private func content(_ key: String, _ element: Any) throws -> [PendingRecord.Content] {
        try imported([key: [element]]).records.map(\.content)
    }

    @Test func `keeps the types of what Swift saved`() throws {
        let arrays = [
            "pending_custom_events": [Self.played], "pending_custom_attributes": [["plan": "gold", "count": 0]],
        ]
        let found = try imported(arrays, user: .externalID("ana"))
        #expect(found.faults.isEmpty)
        #expect(
            found.records.map(\.content) == [
                .event(
                    name: "Played",
                    properties: [
                        "won": true, "score": 1, "ratio": 0.5, "at": .time(Self.time), "tags": ["a"], "in": ["a": "b"],
                    ]
                ),
                .customAttributes(["plan": .set("gold"), "count": .set(0)]),
            ]
        )
        #expect(found.records.allSatisfy { $0.user == .externalID("ana") && $0.time == Self.time })
    }

    @Test func `reads user attributes of Swift, also of those that the guides do not have`() throws {
        let email = try PropertyListEncoder().encode(["email": "ana@example.com"])
        #expect(try content("pending_user_attributes", email) == [.userAttribute(.email("ana@example.com"))])
        let name = try Self.data(["first_name": "Ana"])
        #expect(try content("pending_user_attributes", name) == [.userAttribute(.firstName("Ana"))])
    }

    @Test func `reads archives of Objective-C without making objects of them`() throws {
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: ArchivedAttribute("ana@example.com", type: 0),
            requiringSecureCoding: false
        )
        #expect(try content("pending_user_attributes", archive) == [.userAttribute(.email("ana@example.com"))])
        for other in [ArchivedAttribute("ana@example.com", type: 1), ArchivedAttribute(nil, type: 0)] {
            let archive = try NSKeyedArchiver.archivedData(withRootObject: other, requiringSecureCoding: false)
            #expect(try content("pending_user_attributes", archive).isEmpty)
        }
    }

    @Test func `finds events that Objective-C saved among the attributes`() throws {
        let found = try content("pending_custom_attributes", ["event_name": "Played", "score": 1] as [String: Any])
        #expect(found == [.event(name: "Played", properties: ["score": 1])])
    }

    /// Elements that would be lost, would erase an address, or would stop the guides' code from sending anything.
    @Test func `reports what cannot be read, and goes on`() throws {
        let poison: [Any] = [
            "text", ["score": 1], ["event_name": 7], ["event_name": "Data", "x": Data([1])], ["event_name": ""],
        ]
        let attributes: [Any] = [
            try Self.data([:]), try Self.data(["email": "$null"]), try Self.data(["shoe": "42"]),
            try Self.data(["email": "a@b", "first_name": "A"]), Data([1, 2]), Data(), "text", Data("<plist/>".utf8),
        ]
        let found = try imported([
            "pending_custom_events": poison + [Self.played] + poison + [Self.played],
            "pending_custom_attributes": "not an array",
            "pending_user_attributes": attributes + [try Self.data(["email": "ana@example.com"])],
        ])
        #expect(found.records.count == 3)
        #expect(found.faults.count == 2 * poison.count + attributes.count + 1)
        #expect(Set(found.records.map(\.id)).count == 3, "equal elements are records of their own")
    }

    @Test func `a reserved name does not keep the rest of the record back`() throws {
        let found = try imported([
            "pending_custom_events": [["event_name": "Played", "time": "now", "score": 1] as [String: Any]],
            "pending_custom_attributes": [["plan": "gold", "email": "a@example.com"], ["external_id": "ana"]],
        ])
        #expect(
            found.records.map(\.content) == [
                .event(name: "Played", properties: ["score": 1]), .customAttributes(["plan": .set("gold")]),
            ]
        )
        #expect(
            found.omissions.map { "\($0.key.rawValue)[\($0.index ?? -1)] \($0.reason)" } == [
                "pending_custom_events[0] properties.time: found a reserved name, which is left out",
                "pending_custom_attributes[0] attributes.email: found a reserved name, which is left out",
            ]
        )
        #expect(found.faults.map(\.reason) == ["attributes.external_id: found a reserved name"])
    }

    /// An app's enum with more cases than that of the guides, as Swift encodes it.
    private enum GuideAttribute: Codable {
        case email(String?)
        case firstName(String)
        case phoneNumber(value: String)
        case dateOfBirth(Date)
        case gender(String)
        case location(latitude: Double, longitude: Double)
    }

    @Test func `reads what Swift writes for the cases of an enum`() throws {
        let cases: [(GuideAttribute, UserAttribute)] = [
            (.email("ana@example.com"), .email("ana@example.com")), (.firstName("Ana"), .firstName("Ana")),
            (.phoneNumber(value: "+4915112345678"), .phone("+4915112345678")),
            (.dateOfBirth(Self.time - 9 * 3_600), .dateOfBirth(year: 2026, month: 11, day: 20)),
            (.gender("female"), .gender(.female)),
            (.location(latitude: 1.5, longitude: 2), .currentLocation(latitude: 1.5, longitude: 2)),
        ]
        for (written, expected) in cases {
            let data = try PropertyListEncoder().encode(written)
            #expect(try content("pending_user_attributes", data) == [.userAttribute(expected)], "\(written)")
        }
    }

    @Test(arguments: [
        ("phone_number", "+4915112345678", UserAttribute.phone("+4915112345678")),
        ("firstName", "Ana", .firstName("Ana")),
        ("lastName", "Silva", .lastName("Silva")), ("homeCity", "Porto", .homeCity("Porto")),
        ("emailSubscriptionState", "optedIn", .emailSubscription(.optedIn)),
        ("dob", "1990-12-31", .dateOfBirth(year: 1990, month: 12, day: 31)),
    ])
    func `reads the names that apps give fields`(_ name: String, _ value: String, _ expected: UserAttribute) throws {
        #expect(try content("pending_user_attributes", try Self.data([name: value])) == [.userAttribute(expected)])
    }

    @Test func `what cannot be understood is refused with what was expected`() throws {
        let missing = try PropertyListEncoder().encode(GuideAttribute.email(nil))
        let elements: [Any] = [
            try Self.data(["frist_name": "Ana"]), try Self.data(["shoe": "42"]), try Self.data(["dob": 1990]), missing,
            try Self.data(["gender": "x"]),
        ]
        let reasons = try imported(["pending_user_attributes": elements]).faults.map(\.reason)
        #expect(
            reasons == [
                "the user attribute 'frist_name' is not known, did you mean 'first_name'?",
                "the user attribute 'shoe' is not known, expected the name of a field in /users/track, such as 'first_name'",
                "the user attribute 'dob' is a number, expected a date, or text such as '1990-12-31'",
                "the user attribute 'email' has no value; it is left out, as sending it would erase the value at Braze",
                "the user attribute 'gender' is the text 'x', expected 'M', 'F', 'O', 'N' or 'P'",
            ]
        )
    }

    /// Midnight in Tokyo is on the day before in UTC.
    @Test func `a date of birth at another time than midnight in UTC is not read as a day`() throws {
        let midnight = Date(timeIntervalSince1970: 642_870_000)
        let elements = [try PropertyListEncoder().encode(GuideAttribute.dateOfBirth(midnight))]
        let found = try imported(["pending_user_attributes": elements])
        #expect(found.records.isEmpty)
        #expect(
            found.faults.map(\.reason) == [
                "the user attribute 'dateOfBirth' is 1990-05-16T15:00:00.000Z, and which day that is depends on the time zone; "
                    + "expected midnight in UTC, or text such as '1990-12-31'"
            ]
        )
    }

    @Test func `an integer that is too large is not rounded`() throws {
        let imported = try imported(["pending_custom_events": [["event_name": "Played", "n": UInt64.max]]])
        #expect(imported.records.isEmpty)
        let reason = "'n' is 18446744073709551615, which does not fit in a signed integer of 64 bits"
        #expect(imported.faults.map(\.reason) == [reason])
    }

    @Test func `a key that is repeated gives nothing`() {
        let elements = DefaultsElements { $0 == .events ? [.array([]), .array([])] : [] }
        #expect(elements.faults.map(\.reason) == ["the key is repeated"])
    }

    /// Data with 40 levels, each of which refers to the next one twice.
    @Test func `data that stands for more than memory holds is refused`() throws {
        let levels = (0..<UInt8(40)).map { [0xA2, $0 + 1, $0 + 1] as [UInt8] }
        let data = Data(binaryPlist([[0xD1, 41, 1]] + levels.dropFirst() + [[0x08], [0x51, 0x61]]))
        #expect(try content("pending_user_attributes", data).isEmpty)
    }

    @Test func `never traps on damaged data`() throws {
        let data = [UInt8](try Self.data(["email": String(repeating: "é", count: 40)]))
        var random = SplitMix(seed: 7)
        for _ in 0..<5_000 {
            var damaged = data
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                damaged[Int.random(in: damaged.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            let elements = DefaultsElements { $0 == .userAttributes ? [.array([.data(damaged[...])])] : [] }
            var numbering = DefaultsNumbering()
            numbering.update(elements, time: Self.time)
            #expect(DefaultsImport(elements, numbering).records.count <= 1)
        }
    }
}

/// The class of the guides' Objective-C code.
final class ArchivedAttribute: NSObject, NSCoding {
    private let userField: String?
    private let attributeType: Int

    init(_ userField: String?, type: Int) {
        self.userField = userField
        attributeType = type
    }

    init?(coder: NSCoder) { nil }

    func encode(with coder: NSCoder) {
        coder.encode(userField, forKey: "userField")
        coder.encode(attributeType, forKey: "attributeType")
    }
}
