// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import JSONTexts
import Testing

@testable import ExtensionAnalytics

/// What Braze would refuse, cut or ignore is refused when a record is created; a stored record is the same when it is
/// read.
@Suite struct PendingRecordTests {
    static let time = Date(timeIntervalSince1970: 1_795_165_200.25)

    @Test(
        arguments: [
            (.event(name: ""), .empty, ["name"]),
            (.event(name: "$sale"), .dollarPrefix, ["name"]),
            (.event(name: text(256)), .tooLong(count: 256, limit: 255), ["name"]),
            (.event(name: "a", properties: ["event_name": "b"]), .reservedName, ["properties", "event_name"]),
            (.event(name: "a", properties: ["time": 1]), .reservedName, ["properties", "time"]),
            (.event(name: "a", properties: ["$x": 1]), .dollarPrefix, ["properties", "$x"]),
            (.event(name: "a", properties: ["x": .number(.nan)]), .notFinite, ["properties", "x"]),
            (.event(name: "a", properties: ["x": [.time(time)]]), .timeInArray, ["properties", "x", "0"]),
            (.event(name: "a", properties: ["x": .time(.distantFuture)]), .timeOutOfRange, ["properties", "x"]),
            (.customAttributes([:]), .malformed(expected: "at least one attribute"), ["attributes"]),
            (.customAttributes(["email": .set("a@b")]), .reservedName, ["attributes", "email"]),
            (.customAttributes(["a": .set(["inc": 1])]), .reservedName, ["attributes", "a", "inc"]),
            (.userAttribute(.email("")), .empty, ["email"]),
            (.userAttribute(.email("$null")), .nullMarker, ["email"]),
            (.userAttribute(.email("ana")), .malformed(expected: "an e-mail address"), ["email"]),
            (
                .userAttribute(.dateOfBirth(year: 2001, month: 2, day: 29)),
                .malformed(expected: "a calendar date"), ["dob"]
            ),
        ] as [(PendingRecord.Content, PendingRecordError.Fault, [String])]
    ) func `refuses what Braze does not take`(
        _ content: PendingRecord.Content,
        _ fault: PendingRecordError.Fault,
        _ path: [String]
    ) {
        #expect(throws: PendingRecordError(fault, at: path)) { try PendingRecord(content) }
    }

    @Test func `of several faults the first by its name is reported`() {
        let names = (0..<40).map { "x\(1_000 + $0)" }
        let values = Dictionary(uniqueKeysWithValues: names.map { ($0, PropertyValue.number(.nan)) })
        #expect(throws: PendingRecordError(.notFinite, at: ["properties", "x1000"])) {
            try PendingRecord(.event(name: "a", properties: values))
        }
        #expect(throws: PendingRecordError(.notFinite, at: ["attributes", "x1000"])) {
            try PendingRecord(.customAttributes(values.mapValues { .set($0) }))
        }
    }

    @Test func `bounds the size and the nesting of properties`() {
        var deep: PropertyValue = 1
        for _ in 0..<100_000 { deep = ["a": deep] }
        #expect(throws: PendingRecordError.self) { try PendingRecord(.event(name: "a", properties: ["a": deep])) }
        while case .object(let members) = deep, let inner = members["a"] { deep = inner }
        let many = Dictionary(uniqueKeysWithValues: (0..<500).map { ("\($0)", PropertyValue.string(Self.text(255))) })
        #expect(throws: PendingRecordError.self) { try PendingRecord(.event(name: "a", properties: many)) }
    }

    @Test func `reserved names can be left out`() throws {
        var event = PendingRecord.Content.event(name: "a", properties: ["time": 1, "event_name": "b", "score": 2])
        let removed = event.removeReservedNames()
        #expect(removed.map(\.path) == [["properties", "event_name"], ["properties", "time"]])
        #expect(try PendingRecord(event).content == .event(name: "a", properties: ["score": 2]))
        var attributes = PendingRecord.Content.customAttributes(["email": .unset, "plan": .set("gold")])
        #expect(attributes.removeReservedNames().map(\.path) == [["attributes", "email"]])
        #expect(attributes == .customAttributes(["plan": .set("gold")]))
        #expect(attributes.removeReservedNames().isEmpty)
    }

    @Test func `finds what the guides mean to be replaced`() throws {
        func placeholder(_ content: PendingRecord.Content) throws -> String? { try PendingRecord(content).placeholder }
        #expect(try placeholder(.event(name: "YOUR-EVENT-NAME")) == "YOUR-EVENT-NAME")
        #expect(try placeholder(.event(name: "a", properties: ["YOUR_KEY": 1])) == "YOUR_KEY")
        let attribute = ["YOUR-CUSTOM-ATTRIBUTE-KEY": AttributeChange.set("YOUR-CUSTOM-ATTRIBUTE-VALUE")]
        #expect(try placeholder(.customAttributes(attribute)) == "YOUR-CUSTOM-ATTRIBUTE-KEY")
        #expect(try placeholder(.customAttributes(["plan": .set("YOUR-PLAN")])) == "YOUR-PLAN")
        #expect(try placeholder(.event(name: "Your event", properties: ["a": "YOUR-event"])) == nil)
    }

    @Test func `attributes of a record have a size altogether`() {
        let value = PropertyValue.array((0..<99).map { _ in .string(Self.text(255)) })
        let changes = (0..<60).map { ("a\($0)", AttributeChange.set(value)) }
        #expect(throws: PendingRecordError.self) {
            try PendingRecord(.customAttributes(Dictionary(uniqueKeysWithValues: changes)))
        }
    }

    @Test func `counts scalars and takes the longest text`() throws {
        let longest = String(repeating: "é", count: 255)
        _ = try PendingRecord(.event(name: longest, properties: [longest: .string(longest)]))
    }

    @Test(
        arguments: [
            .event(name: "Played"),
            .event(
                name: "Played \"x\"\n",
                properties: [
                    "text": "é", "integer": -7, "number": 5.0, "large": 1e300, "flag": true,
                    "at": .time(time), "list": ["a", 1, ["b": false]], "object": ["since": .time(time)],
                ]
            ),
            .customAttributes([
                "set": .set(["a": ["b": 1]]), "inc": .increment(by: -2), "add": .add(["a"]), "remove": .remove(["b"]),
                "unset": .unset,
            ]),
        ] as [PendingRecord.Content]
    ) func `reads back what it stores`(_ content: PendingRecord.Content) throws {
        for user in [nil, .brazeID("b"), .externalID("e"), .alias(name: "n", label: "l")] as [UserIdentifier?] {
            try expectStored(try PendingRecord(content, user: user, time: Self.time))
        }
    }

    @Test func `knows every field of the profile`() throws {
        let attributes: [UserAttribute] = [
            .country("FR"), .currentLocation(latitude: 48, longitude: 2.3), .dateOfFirstSession(Self.time),
            .dateOfLastSession(Self.time), .dateOfBirth(year: 2000, month: 2, day: 29), .email("ana@example.com"),
            .emailSubscription(.optedIn), .emailOpenTrackingDisabled(true), .emailClickTrackingDisabled(false),
            .facebook(["id": "1", "likes": ["a"], "num_friends": 3]), .firstName("Ana"), .gender(.preferNotToSay),
            .homeCity("Lyon"), .language("fr"), .lastName("Lima"), .markedEmailAsSpamAt(Self.time),
            .phone("+4915112345678"), .pushSubscription(.unsubscribed),
            .pushTokens([.init(appID: "a", token: "t"), .init(appID: "a", token: "t", deviceID: "d")]),
            .subscriptionGroups([.init(id: "g", isSubscribed: true), .init(id: "h", isSubscribed: false)]),
            .timeZone("Europe/Paris"), .twitter(["screen_name": "ana"]),
        ]
        #expect(Set(attributes.map(\.field)) == Set(UserAttribute.Field.allCases))
        for attribute in attributes { try expectStored(PendingRecord(.userAttribute(attribute), time: Self.time)) }
        for field in UserAttribute.Field.allCases { try expectStored(PendingRecord(.userAttribute(.unset(field)))) }
    }

    @Test func `times are ISO 8601 in UTC`() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.000Z"), (-0.001, "1969-12-31T23:59:59.999Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"), (1_795_165_200.25, "2026-11-20T09:00:00.250Z"),
            (-62_167_219_200, "0000-01-01T00:00:00.000Z"), (32_535_215_999.999, "3000-12-31T23:59:59.999Z"),
        ] {
            #expect(Date(timeIntervalSince1970: seconds).iso8601 == text)
            #expect(Date(iso8601: text)?.iso8601 == text)
        }
        #expect(Date(iso8601: "2026-02-30T00:00:00.000Z") == nil)
        #expect(Date.distantFuture.iso8601 == nil)
    }

    private func expectStored(_ record: PendingRecord, _ location: SourceLocation = #_sourceLocation) throws {
        let read = try PendingRecord(stored: record.stored)
        #expect(read == record, sourceLocation: location)
        #expect(read.stored == record.stored, sourceLocation: location)
    }

    private static func text(_ count: Int) -> String { String(repeating: "a", count: count) }
}

extension PendingRecord {
    /// The bytes of the file for the record.
    var stored: [UInt8] {
        var json = JSONWriter()
        write(into: &json)
        return json.buffer.withUnsafeBytes { Array($0) }
    }
}
