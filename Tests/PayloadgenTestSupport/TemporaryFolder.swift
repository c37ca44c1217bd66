// SPDX-License-Identifier: MIT

package import Foundation

/// A new temporary folder, which is removed when the value is released.
///
/// It is the only one in its parent folder: without a project, the linter looks for apps there, and would find those of
/// other tests.
package final class TemporaryFolder: Sendable {
    package let url: URL
    private let parent: URL

    /// Creates the folder.
    ///
    /// - Throws: why it cannot be created.
    package init() throws {
        parent = FileManager.default.temporaryDirectory.appending(path: "payloadgen-\(UUID().uuidString)")
        url = parent.appending(path: "folder")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: parent) }

    /// Writes a text to a file in the folder; missing folders on the way are created.
    ///
    /// - Throws: why the file cannot be written.
    package func write(_ text: String, to path: String) throws {
        let file = url.appending(path: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }
}

/// Writes files to a new temporary folder, runs a function, and removes the folder.
///
/// - Parameters:
///   - files: the texts by their paths in the folder.
///   - body: gets the path of the folder.
/// - Throws: what `body` throws, or why the files cannot be written.
package func withTemporaryFolder(_ files: [String: String], _ body: (String) throws -> Void) throws {
    let folder = try TemporaryFolder()
    for (path, text) in files { try folder.write(text, to: path) }
    try withExtendedLifetime(folder) { try body(folder.url.path) }
}
