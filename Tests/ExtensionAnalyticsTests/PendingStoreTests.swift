// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import ExtensionAnalytics

/// A store loses no record, and a file that cannot be read does not prevent others from being read.
@Suite struct PendingStoreTests {
    private let scratch = Scratch()

    private func records(_ store: PendingStore, limit: Int = 10) throws -> [PendingRecord] {
        var records: [PendingRecord] = []
        var batches = store.batches(of: limit)
        while let batch = try batches.next() { records += batch.records }
        return records
    }

    @Test func `gives records in the order of saving, in batches`() throws {
        let store = try PendingStore(folder: scratch.folder, durability: .process)
        let other = try PendingStore(folder: scratch.folder, durability: .power)
        var saved: [PendingRecord] = []
        for number in 0..<25 {
            // The order is that of saving, although a record saved later may have an earlier time.
            let record = try PendingRecord(
                .event(name: "\(number)"),
                time: Date(timeIntervalSince1970: Double(-number))
            )
            try (number % 2 == 0 ? store : other).save(record)
            saved.append(record)
        }
        var batches = store.batches(of: 10)
        var counts: [Int] = []
        while let batch = try batches.next() { counts.append(batch.records.count) }
        #expect(counts == [10, 10, 5])
        #expect(try records(store) == saved)
    }

    @Test func `saves in the background, and reports why it cannot`() async throws {
        let store = try PendingStore(folder: scratch.folder)
        for number in 0..<5 { try await store.saveInBackground(try PendingRecord(.event(name: "\(number)"))) }
        #expect(try records(store).map(\.name) == ["0", "1", "2", "3", "4"])
        try FileManager.default.removeItem(at: scratch.folder)
        let record = try PendingRecord(.event(name: "a"))
        let error = await #expect(throws: PendingStoreError.self) { try await store.saveInBackground(record) }
        #expect(error?.operation == .save || error?.operation == .read)
    }

    @Test func `keeps the order when the clock was set back`() throws {
        let future = FileName(instant: 1 << 62, id: UUID())
        let first = try PendingRecord(.event(name: "first"), id: future.id)
        _ = try PendingStore(folder: scratch.folder)
        try Data(first.stored).write(to: scratch.folder.appending(path: future.text))
        let store = try PendingStore(folder: scratch.folder)
        try store.save(try PendingRecord(.event(name: "second")))
        #expect(try records(store).map(\.name) == ["first", "second"])
        let last = FileName(instant: .max, id: UUID())
        try Data(try PendingRecord(.event(name: "last"), id: last.id).stored)
            .write(to: scratch.folder.appending(path: last.text))
        try PendingStore(folder: scratch.folder).save(try PendingRecord(.event(name: "behind the last")))
        #expect(try records(store).count == 4)
    }

    /// Opening a pipe would wait for a writer, and reading a device would not end.
    @Test func `what is not a file goes to quarantine unread`() throws {
        let store = try PendingStore(folder: scratch.folder)
        let pipe = FileName(instant: 1, id: UUID()).text
        let device = FileName(instant: 2, id: UUID()).text
        #expect(mkfifo(store.path(pipe), 0o600) == 0)
        #expect(symlink("/dev/zero", store.path(device)) == 0)
        try store.save(try PendingRecord(.event(name: "a")))
        var batches = store.batches(of: 10)
        let batch = try #require(try batches.next())
        #expect(batch.records.count == 1)
        #expect(batch.unreadable.map(\.name) == [pipe, device])
        #expect(batch.unreadable.allSatisfy { $0.isQuarantined })
    }

    @Test func `removes what is acknowledged and nothing else`() throws {
        let store = try PendingStore(folder: scratch.folder)
        let saved = try ["a", "b", "c", "d"].map { try PendingRecord(.event(name: $0)) }
        for record in saved { try store.save(record) }
        var batches = store.batches(of: 2)
        let batch = try #require(try batches.next())
        try store.acknowledge(batch)
        // Another process may have acknowledged the batch first.
        try store.acknowledge(batch)
        #expect(try records(store) == Array(saved[2...]))
        #expect(try store.acknowledge(ids: [saved[0].id, saved[3].id]) == [saved[3].id])
        #expect(try records(store) == [saved[2]])
    }

    @Test(
        arguments: [
            "", "no JSON", "{}", #"{"v":2,"id":"$ID","time":"2026-11-20T09:00:00.000Z","kind":"event"}"#,
            #"{"v":1,"id":"$ID","time":"2026-11-20T09:00:00.000Z","kind":"purchase","name":"a"}"#,
            #"{"v":1,"id":"$ID","time":"2026-11-20T09:00:00.000Z","kind":"user_attribute","name":"shoe","value":1}"#,
            #"{"v":1,"id":"$ID","time":"2026-11-20T09:00:00.000Z","kind":"event","name":"","properties":{}}"#,
            #"{"v":1,"id":"$ID","time":"2026-11-20T09:00:00.000Z","kind":"event","name":"a","properties":{"n":18446744073709551615}}"#,
            #"{"v":1,"id":"$ID","time":"yesterday","kind":"event","name":"a","properties":{}}"#,
            attributes(#"{"a":{"$add":["x",5]}}"#), attributes(#"{"a":{"$add":"x"}}"#),
            attributes(#"{"a":{"$add":["x"],"$remove":["y"]}}"#), attributes(#"{"a":{"$inc":1,"b":2}}"#),
            attributes(#"{"a":{"$inc":1.5}}"#), attributes(#"{"a":1,"a":2}"#),
            attributes(#"{"a":{"$time":"2026-11-20T09:00:00.000Z","b":2}}"#),
            #"{"v":1,"id":"$ID","time":"2026-11-20T09:00:00.000Z","kind":"user_attribute","name":"push_tokens","#
                + #""value":[{"app_id":"a","token":"t","device_id":7}]}"#,
            #"{"v":1,"id":"52F1D9B0-1E35-4F63-9A4B-A3F9C29A8E05","time":"2026-11-20T09:00:00.000Z","kind":"event","#
                + #""name":"another id than its name has","properties":{}}"#,
            String(repeating: "[", count: 100_000),
        ]
    ) func `puts what it does not understand into quarantine`(_ text: String) throws {
        let store = try PendingStore(folder: scratch.folder)
        let id = UUID()
        let text = text.replacing("$ID", with: id.uuidString)
        let name = FileName(instant: 1, id: id).text
        try store.save(try PendingRecord(.event(name: "good")))
        // A file with the same name that was moved to quarantine before is kept too.
        for _ in 0..<2 {
            try Data(text.utf8).write(to: scratch.folder.appending(path: name))
            var batches = store.batches(of: 10)
            let batch = try #require(try batches.next())
            #expect(batch.records.map(\.name) == ["good"])
            #expect(batch.unreadable.map(\.name) == [name])
            #expect(batch.unreadable.allSatisfy { $0.isQuarantined && !$0.reason.isEmpty })
        }
        let kept = try FileManager.default.contentsOfDirectory(atPath: store.quarantine)
        #expect(kept.count == 2 && kept.contains(name))
        #expect(try store.quarantineCount() == 2)
        for file in kept {
            #expect(FileManager.default.contents(atPath: store.quarantine + "/" + file) == Data(text.utf8))
        }
        #expect(try store.restoreQuarantine() == 2)
        #expect(try records(store).count == 1)
    }

    /// A record of custom attributes, as the store writes it.
    private static func attributes(_ json: String) -> String {
        #"{"v":1,"id":"$ID","time":"2026-11-20T09:00:00.000Z","kind":"custom_attributes","attributes":"# + json + "}"
    }

    @Test func `takes no part of a record, and clears up after whoever was ended while saving`() throws {
        let store = try PendingStore(folder: scratch.folder)
        let names = [UUID(), UUID()].map { PendingStore.temporaryPrefix + FileName(instant: 1, id: $0).text }
        for name in names { try Data("{\"v\":1,".utf8).write(to: scratch.folder.appending(path: name)) }
        let past = Date(timeIntervalSinceNow: -200_000)
        let old = scratch.folder.appending(path: names[0]).path
        try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: old)
        #expect(try records(store).isEmpty)
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path)
        #expect(Set(left) == [names[1], "quarantine"])
    }

    @Test func `passes over thousands of records with few names at a time`() throws {
        let store = try PendingStore(folder: scratch.folder, durability: .process)
        let names = (0..<100).map { FileName(instant: UInt64(100 - $0), id: UUID()).text }
        for name in names { try Data().write(to: scratch.folder.appending(path: name)) }
        var found: [String] = []
        while case let next = try store.names(after: found.last ?? "", limit: 7), !next.isEmpty {
            #expect(next.count <= 7)
            found += next
        }
        #expect(found == names.sorted())
    }

    @Test func `is no store without its folders`() {
        #expect(throws: PendingStoreError.self) { try PendingStore(existing: scratch.folder) }
        #expect(throws: PendingStoreError.self) { try PendingStore(folder: URL(filePath: "/dev/null/store")) }
    }
}

extension PendingRecord {
    fileprivate var name: String {
        if case .event(let name, _) = content { name } else { "" }
    }
}

/// A temporary folder that is removed when the value is released.
final class Scratch: Sendable {
    let root = FileManager.default.temporaryDirectory.appending(path: "analytics-\(UUID().uuidString)")

    /// The path of a folder that does not exist yet, nor does its parent.
    var folder: URL { root.appending(path: "group/store") }

    deinit { try? FileManager.default.removeItem(at: root) }
}
