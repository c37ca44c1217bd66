// SPDX-License-Identifier: MIT

import Foundation
import POSIXFiles
import PayloadgenTestSupport
import Testing

/// A process keeps its lock while it replaces the locked file.
@Suite struct FileLockTests {
    @Test func staysLockedWhileItIsReplaced() throws {
        try withTemporaryFolder(["numbers.json": ""]) { folder throws in
            let path = folder + "/numbers.json"
            chmod(path, 0o600)
            do {
                var lock = try FileLock(path)
                for text in ["1", "22", ""] {
                    try lock.replaceContents(Array(text.utf8))
                    #expect(try OpenFile(path).bytes() == Array(text.utf8))
                    let fault = #expect(throws: FileError.self) { _ = try FileLock(path).path }
                    #expect(fault?.reason == .locked)
                }
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["numbers.json"])
                var status = stat()
                #expect(stat(path, &status) == 0 && status.st_mode & 0o7777 == 0o600)
            }
            #expect(try FileLock(path).path == path)
        }
    }

    /// Each task adds 1 to the number in the file, for which it replaces the file.
    @Test func waitsForOthersThatReplaceTheFile() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/count"
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<25 {
                        var lock = try FileLock(path, waits: true)
                        let text = String(decoding: try OpenFile(path).bytes(), as: UTF8.self)
                        try lock.replaceContents(Array(String((Int(text) ?? 0) + 1).utf8))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try OpenFile(path).bytes() == Array("100".utf8))
    }
}
