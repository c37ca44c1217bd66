// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestSupport
import Testing

@testable import ExtensionAnalytics

/// Nothing is lost when two processes share a store and one is killed again and again, or when a store cannot be
/// written.
///
/// `make test-crash` runs it with 100,000 records and processes from a release build, and shows its figures.
@Suite(.serialized) struct CrashTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let isLong = environment["PAYLOADGEN_CRASH_RECORDS"] != nil
    private static let recordCount = environment["PAYLOADGEN_CRASH_RECORDS"].flatMap { Int($0) } ?? 3_000

    private let scratch = Scratch()

    @Test func `nothing is lost while the sender is killed, and nothing is sent that was not saved`() throws {
        let store = try PendingStore(folder: scratch.folder)
        let log = scratch.folder.deletingLastPathComponent().appending(path: "log").path
        let started = Date()
        let saver = try Child(["save", scratch.folder.path, "\(Self.recordCount)"])
        var kills = 0
        while saver.isRunning || kills < 300 {
            let isSaved = !saver.isRunning
            let sender = try Child(["flush", scratch.folder.path, log])
            // Most processes are killed while they send, some while they start.
            if UInt.random(in: 0..<4) > 0 { sender.waitUntilReady() }
            usleep(UInt32.random(in: 0..<10_000))
            let isKilled = sender.kill()
            if isKilled { kills += 1 } else if isSaved { break }
        }
        #expect(saver.wait() == 0)
        #expect(try Child(["flush", scratch.folder.path, log]).wait() == 0)
        let seconds = Date().timeIntervalSince(started)

        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        let sent = lines.compactMap { UUID(uuidString: String($0))?.number }
        var first = Set<UInt64>()
        let order = sent.filter { first.insert($0).inserted }
        #expect(order.count == Self.recordCount, "what was saved is sent")
        #expect(order == Array(0..<UInt64(Self.recordCount)), "as it was saved, and nothing else")
        #expect(try store.ids().isEmpty)
        let kept = try FileManager.default.contentsOfDirectory(atPath: store.quarantine)
        #expect(kept.isEmpty)
        #expect(kills > 0)
        report(
            """
            \(Self.recordCount) records saved, sender killed \(kills) times in \(tenths(seconds)) s; \
            \(order.count) sent, \(sent.count - order.count) of them more than once; \
            \(Self.recordCount - order.count) lost, \(kept.count) in quarantine
            """
        )
    }

    @Test func `a file that cannot grow gives an error and loses nothing`() throws {
        let store = try storeWithOneRecord()
        let limited = try Child(["save", scratch.folder.path, "5", "file-size", "60"])
        #expect(limited.wait() == 1)
        #expect(limited.errors.contains("cannot save") && limited.errors.contains("File too large"))
        try expectOneRecord(store)
        report("a limit of 60 bytes a file: \(limited.errors)")
    }

    @Test(.enabled(if: isLong && mount("-V"), "needs a machine that mounts; make test-crash")) func `a full disk`()
        throws
    {
        let store = try PendingStore(folder: scratch.folder)
        guard mount("-t", "tmpfs", "-o", "size=256k", "tmpfs", scratch.folder.path) else {
            return report("full disk: SKIPPED, this machine mounts no tmpfs")
        }
        defer { _ = run("/bin/umount", [scratch.folder.path]) }
        try FileManager.default.createDirectory(atPath: store.quarantine, withIntermediateDirectories: true)
        let saver = try Child(["save", scratch.folder.path, "1000"])
        #expect(saver.wait() == 1)
        #expect(saver.errors.contains("No space left on device"))
        var batches = store.batches(of: 1_000)
        let batch = try #require(try batches.next())
        #expect(batch.unreadable.isEmpty)
        #expect(try store.ids().count == batch.records.count)
        let saved = batch.records.count
        #expect(batch.records.map(\.id.number) == Array(0..<UInt64(saved)))
        // Removing acknowledged records frees space on the disk.
        try store.acknowledge(batch)
        try store.save(batch.records[0])
        report("full disk: \(saved) records saved, then \(saver.errors)")
    }

    @Test(.enabled(if: getuid() == 0, "needs root, to become another user")) func `another user's folder`() throws {
        let store = try storeWithOneRecord()
        for folder in [scratch.folder, scratch.folder.deletingLastPathComponent(), scratch.root] {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        }
        let other = try Child(["save", scratch.folder.path, "5", "user", "65534"])
        #expect(other.wait() == 1)
        #expect(other.errors.contains("cannot save") && other.errors.contains("Permission denied"))
        try expectOneRecord(store)
        report("another user's folder: \(other.errors)")
    }

    private func storeWithOneRecord() throws -> PendingStore {
        let store = try PendingStore(folder: scratch.folder)
        try store.save(try PendingRecord(.event(name: "before")))
        return store
    }

    /// Expects that the store has the record that was saved before, and no other.
    private func expectOneRecord(_ store: PendingStore) throws {
        var batches = store.batches(of: 10)
        let batch = try #require(try batches.next())
        #expect(batch.records.count == 1 && batch.unreadable.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path).count == 2)
    }

    private func report(_ line: String) {
        if Self.isLong { print("test-crash: \(line)") }
    }

    private func tenths(_ seconds: Double) -> String { "\(Double(Int(seconds * 10)) / 10)" }
}

/// A process that shares a store with the test.
private final class Child {
    private static let executable: URL = {
        let path = ProcessInfo.processInfo.environment["PAYLOADGEN_PENDING_PROCESS"]
        return path.map { URL(filePath: $0) } ?? builtProduct("PendingStoreProcess")
    }()

    private let process = Process()
    private let output = Pipe()
    private let errorOutput = Pipe()

    init(_ arguments: [String]) throws {
        process.executableURL = Self.executable
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = errorOutput
        try process.run()
    }

    var isRunning: Bool { process.isRunning }

    lazy var errors: String = {
        let bytes = (try? errorOutput.fileHandleForReading.readToEnd()) ?? Data()
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
    }()

    func waitUntilReady() { _ = try? output.fileHandleForReading.read(upToCount: 1) }

    /// Kills the process; returns whether it was still running.
    func kill() -> Bool {
        let isKilled = systemKill(process.processIdentifier, SIGKILL) == 0
        process.waitUntilExit()
        return isKilled && process.terminationReason == .uncaughtSignal
    }

    func wait() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }
}

/// Calls `kill(2)`, as the name `kill` means a method inside `Child`.
private func systemKill(_ process: Int32, _ number: Int32) -> Int32 { kill(process, number) }

private func mount(_ arguments: String...) -> Bool { run("/bin/mount", arguments) }

private func run(_ path: String, _ arguments: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
}

extension UUID {
    /// The number from which a process made the id.
    fileprivate var number: UInt64 {
        withUnsafeBytes(of: uuid) { UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self)) }
    }
}
