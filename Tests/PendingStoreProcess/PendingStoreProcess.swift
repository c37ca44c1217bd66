// SPDX-License-Identifier: MIT

import ExtensionAnalytics
import Foundation

/// A process for the crash tests, which shares a store with others and is killed.
///
/// - `PendingStoreProcess save FOLDER COUNT [file-size BYTES | user ID]` saves records with the ids 0 to `COUNT - 1`,
///   and ends with 1 and the reason if one cannot be saved.
/// - `PendingStoreProcess flush FOLDER LOG` writes the ids of every batch to the log, as if it sent them, and
///   acknowledges them.
@main
struct PendingStoreProcess {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4 else { return end("usage: PendingStoreProcess save|flush FOLDER COUNT|LOG") }
        let folder = URL(filePath: arguments[2], directoryHint: .isDirectory)
        do {
            if arguments[1] == "flush" {
                try flush(folder, to: arguments[3])
            } else {
                let store = try PendingStore(folder: folder, durability: .process)
                if arguments.count == 6, let number = UInt32(arguments[5]) { restrict(arguments[4], number) }
                try save(Int(arguments[3]) ?? 0, in: store)
            }
        } catch {
            end("\(error)")
        }
    }

    private static func save(_ count: Int, in store: PendingStore) throws {
        for number in 0..<count {
            var bytes = uuid_t(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
            withUnsafeMutableBytes(of: &bytes) {
                $0.storeBytes(of: UInt64(number).bigEndian, toByteOffset: 8, as: UInt64.self)
            }
            let content = PendingRecord.Content.event(name: "Played", properties: ["number": .integer(number)])
            try store.save(
                try PendingRecord(content, user: .brazeID("5f1a9c0e7d3b4a6c8e2f0b11"), id: UUID(uuid: bytes))
            )
        }
    }

    private static func flush(_ folder: URL, to path: String) throws {
        let store = try PendingStore(existing: folder)
        let log = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var batches = store.batches(of: 75)
        while let batch = try batches.next() {
            // The test waits for this line before it kills the process, so that it is killed while it sends.
            write(STDOUT_FILENO, "\n", 1)
            // The line break in front separates the ids from a line that an earlier process could not finish.
            let lines = "\n" + batch.records.map { $0.id.uuidString + "\n" }.joined()
            guard write(log, lines, lines.utf8.count) == lines.utf8.count else {
                return end("the log cannot be written")
            }
            try store.acknowledge(batch)
        }
    }

    /// Sets a limit or a user with which the process cannot write the records.
    private static func restrict(_ what: String, _ number: UInt32) {
        if what == "user" { _ = setuid(number) }
        guard what == "file-size" else { return }
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: rlim_t(number), rlim_max: rlim_t(number))
        #if canImport(Darwin)
            setrlimit(RLIMIT_FSIZE, &limit)
        #else
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #endif
    }

    private static func end(_ message: String) {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(1)
    }
}
