// SPDX-License-Identifier: MIT

import BinaryPlists
import DiagnosticSources
import Foundation
import Testing

@testable import ExtensionAnalytics

/// Records that the guides' code has left in `UserDefaults` are moved to a store; none is lost, whenever a process
/// ends.
@Suite struct TakeOverTests {
    private static let time = Date(timeIntervalSince1970: 1_795_165_200)
    private static var played: [String: Any] { ["event_name": "Played", "score": 1] }

    private let scratch = Scratch()

    private func withDefaults(_ body: (UserDefaults, PendingStore) throws -> Void) throws {
        let name = "analytics-\(UUID().uuidString)"
        let defaults = try #require(UserDefaults(suiteName: name))
        defer { defaults.removePersistentDomain(forName: name) }
        try body(defaults, try PendingStore(folder: scratch.folder, durability: .process))
    }

    @Test func `saves before it removes, and leaves what cannot be read`() throws {
        try withDefaults { defaults, store in
            defaults.set([Self.played, "poison"] as [Any], forKey: "pending_custom_events")
            defaults.set([["plan": "gold"]], forKey: "pending_custom_attributes")
            let found = try store.takeOver(defaults, time: Self.time)
            #expect(found.records.count == 2 && found.faults.count == 1)
            #expect(defaults.array(forKey: "pending_custom_events")?.count == 1)
            #expect(defaults.object(forKey: "pending_custom_attributes") == nil)
            #expect(try store.ids() == Set(found.records.map(\.id)))
            #expect(try store.takeOver(defaults, time: Self.time).records.isEmpty)
            #expect(try store.ids().count == 2)
        }
    }

    /// Most events of an extension are equal, because the guides store no time.
    @Test func `an equal event that comes later is a record of its own`() throws {
        try withDefaults { defaults, store in
            for count in 1...3 {
                defaults.set([Self.played], forKey: "pending_custom_events")
                _ = try store.takeOver(defaults, time: Self.time)
                #expect(defaults.object(forKey: "pending_custom_events") == nil)
                #expect(try store.ids().count == count)
            }
        }
    }

    @Test func `a process that ended before it removed has saved what is not saved again`() throws {
        try withDefaults { defaults, store in
            var numbering = DefaultsNumbering()
            let element = PlistValue.dictionary([("event_name", .string("Played")), ("score", .integer(1))])
            let elements = DefaultsElements { $0 == .events ? [.array([element])] : [] }
            numbering.update(elements, time: Self.time)
            try store.write(numbering.json, to: ".defaults.json")
            let saved = DefaultsImport(elements, numbering, time: Self.time).records
            for record in saved { try store.save(record) }

            defaults.set([Self.played, Self.played], forKey: "pending_custom_events")
            let found = try store.takeOver(defaults, time: Self.time).records
            #expect(found.count == 2 && found.first == saved.first)
            #expect(try store.ids() == Set(found.map(\.id)))
            #expect(defaults.object(forKey: "pending_custom_events") == nil)

            // The process ended during the removal, and an equal event was appended after that.
            numbering.beginRemoval(of: [.events: [0]])
            try store.write(numbering.json, to: ".defaults.json")
            defaults.set([Self.played], forKey: "pending_custom_events")
            _ = try store.takeOver(defaults, time: Self.time)
            #expect(try store.ids().count == 3)
        }
    }

    @Test func `a damaged numbering loses nothing`() throws {
        try withDefaults { defaults, store in
            for text in ["", "{", "{\"version\":9}"] {
                try Data(text.utf8).write(to: scratch.folder.appending(path: ".defaults.json"))
                // The file of a process that ended while it wrote the numbering.
                try Data(text.utf8).write(to: scratch.folder.appending(path: "..defaults.json"))
                defaults.set([Self.played], forKey: "pending_custom_events")
                #expect(try store.takeOver(defaults, time: Self.time).records.count == 1)
            }
            #expect(try store.ids().count == 3)
        }
    }

    @Test func `defaults without records write nothing`() throws {
        try withDefaults { defaults, store in
            _ = try store.takeOver(defaults)
            #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path) == ["quarantine"])
        }
    }

    @Test func `what is too deep is reported and stays`() throws {
        try withDefaults { defaults, store in
            let deep = (0..<600).reduce([] as [Any]) { inner, _ in [inner] }
            defaults.set(deep, forKey: "pending_custom_events")
            let found = try store.takeOver(defaults)
            #expect(found.records.isEmpty)
            #expect(found.faults.map(\.reason) == ["the value is nested too deeply or too large to be read"])
            #expect(defaults.object(forKey: "pending_custom_events") != nil)
        }
    }
}
