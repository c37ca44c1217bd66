// SPDX-License-Identifier: MIT

import Foundation
import SourceText
import Testing

@testable import Analytics

/// What the guides' code has left in `UserDefaults`, in the forms of Swift and Objective-C.
@Suite struct DefaultsImportTests {
    private static let time = Date(timeIntervalSince1970: 1_795_165_200)

    private static var played: [String: Any] {
        [
            "event_name": "Played", "won": true, "score": 1, "ratio": 0.5, "at": time, "tags": ["a"], "in": ["a": "b"],
        ]
    }

    private static func preferences(
        _ arrays: [String: Any],
        _ format: PropertyListSerialization.PropertyListFormat = .binary
    ) throws -> Data {
        try PropertyListSerialization.data(fromPropertyList: arrays, format: format, options: 0)
    }

    private static func plist(_ members: [String: Any]) throws -> Data { try preferences(members) }

    private func content(_ key: String, _ element: Any) throws -> [PendingRecord.Content] {
        try DefaultsImport(Self.preferences([key: [element]]), time: Self.time).records.map(\.content)
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func `keeps the types of what Swift saved`(_ format: PropertyListSerialization.PropertyListFormat) throws {
        let arrays = [
            "pending_custom_events": [Self.played], "pending_custom_attributes": [["plan": "gold", "count": 0]],
        ]
        let found = try DefaultsImport(Self.preferences(arrays, format), user: .externalID("ana"), time: Self.time)
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
        let name = try Self.plist(["first_name": "Ana"])
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

    /// Each of them would stop the guides' code from sending anything, or would be lost, or would erase an address.
    @Test func `leaves what cannot be read, and removes exactly what was converted`() throws {
        let poison: [Any] = [
            "text", ["score": 1], ["event_name": 7], ["event_name": "Hijacked", "time": "now"],
            ["event_name": "Data", "x": Data([1])], ["event_name": ""],
        ]
        let attributes: [Any] = [
            try Self.plist([:]), try Self.plist(["email": "$null"]), try Self.plist(["shoe": "42"]),
            try Self.plist(["email": "a@b", "first_name": "A"]), Data([1, 2]), Data(), "text",
        ]
        let arrays: [String: Any] = [
            "pending_custom_events": poison + [Self.played] + poison + [Self.played],
            "other": ["kept": [1, true, 0.5]],
            "pending_custom_attributes": "no array",
            "pending_user_attributes": attributes + [try Self.plist(["email": "ana@example.com"])],
        ]
        let preferences = try Self.preferences(arrays)
        let found = try DefaultsImport(preferences, time: Self.time)
        #expect(found.records.count == 3)
        #expect(found.faults.count == 2 * poison.count + attributes.count + 1)
        #expect(Set(found.records.map(\.id)).count == 3, "equal elements are records of their own")

        let ids = Set(found.records.map(\.id))
        let (rest, removed) = try DefaultsImport.removing(ids.union([UUID()]), from: preferences)
        #expect(removed == ids)
        let expected: [String: Any] = [
            "pending_custom_events": poison + poison, "other": ["kept": [1, true, 0.5]],
            "pending_custom_attributes": "no array", "pending_user_attributes": attributes,
        ]
        #expect(try BinaryPlist(preferences: rest)?.hash == BinaryPlist(preferences: Self.preferences(expected))?.hash)
        #expect(try DefaultsImport(rest, time: Self.time).records.isEmpty)
    }

    @Test func `an id comes from the element, whatever stands around it`() throws {
        let one = try DefaultsImport(Self.preferences(["pending_custom_events": [Self.played]]), time: Self.time)
        let other = try DefaultsImport(
            Self.preferences(["pending_custom_events": [["event_name": "A"], Self.played]], .xml),
            time: .distantPast.addingTimeInterval(1e9)
        )
        #expect(one.records.last?.id == other.records.last?.id)
    }

    @Test func `refuses what holds no keys`() {
        for bytes in [Data(), Data("bplist00".utf8), Data("<plist><array/></plist>".utf8), Data("{}[".utf8)] {
            #expect(throws: DefaultsImportError.self) { try DefaultsImport(bytes, time: Self.time) }
        }
    }

    @Test func `never traps on damaged preferences`() throws {
        let preferences = [UInt8](
            try Self.preferences([
                "pending_custom_events": [Self.played],
                "pending_user_attributes": [try Self.plist(["email": String(repeating: "é", count: 40)])],
            ])
        )
        var generator = Numbers(state: 7)
        for _ in 0..<20_000 {
            var damaged = preferences
            for _ in 0...Int.random(in: 0..<3, using: &generator) {
                damaged[Int.random(in: damaged.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            let found = try? DefaultsImport(Data(damaged), time: Self.time)
            #expect((found?.records.count ?? 0) <= 100)
        }
    }

    @Test func `takes UserDefaults over, saving before removing`() throws {
        let name = "analytics-\(UUID().uuidString)"
        let defaults = try #require(UserDefaults(suiteName: name))
        defer { defaults.removePersistentDomain(forName: name) }
        defaults.set([Self.played, "poison"] as [Any], forKey: "pending_custom_events")
        defaults.set([["plan": "gold"]], forKey: "pending_custom_attributes")
        let scratch = Scratch()
        let store = try PendingStore(folder: scratch.folder)
        let found = try store.takeOver(defaults, time: Self.time)
        #expect(found.records.count == 2 && found.faults.count == 1)
        #expect(defaults.array(forKey: "pending_custom_events")?.count == 1)
        #expect(defaults.object(forKey: "pending_custom_attributes") == nil)
        // As if the process had ended between saving and removing.
        defaults.set([Self.played], forKey: "pending_custom_events")
        _ = try store.takeOver(defaults, time: Self.time)
        #expect(try store.ids() == Set(found.records.map(\.id)))
        #expect(defaults.object(forKey: "pending_custom_events") == nil)
    }
}

/// The guides' Objective-C class.
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

extension BinaryPlist {
    /// Equal for equal property lists.
    fileprivate var hash: UUID { ElementHash(.events, self).id }
}

/// Numbers that are the same with every run: SplitMix64.
private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
