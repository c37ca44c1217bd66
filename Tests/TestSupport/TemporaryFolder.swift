// SPDX-License-Identifier: MIT

import Foundation

/// Writes files into a new folder, and removes it afterwards.
///
/// - Parameters:
///   - files: the texts by their paths in the folder.
///   - body: gets the path of the folder.
/// - Throws: what `body` throws, or what keeps the files from being written.
package func withTemporaryFolder(_ files: [String: String], _ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (path, text) in files {
        let file = folder.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: file)
    }
    try body(folder.path)
}
