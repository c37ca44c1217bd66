// SPDX-License-Identifier: MIT

package import Foundation

/// A new folder, which goes away with its value.
///
/// It is alone in its parent: without a project, the linter looks for apps there, and would find those of other tests.
package final class TemporaryFolder: Sendable {
    package let url: URL
    private let parent: URL

    /// Makes the folder.
    ///
    /// - Throws: what keeps it from being made.
    package init() throws {
        parent = FileManager.default.temporaryDirectory.appending(path: "payloadgen-\(UUID().uuidString)")
        url = parent.appending(path: "folder")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: parent) }

    /// Writes a file, in a folder that may be new.
    ///
    /// - Throws: what keeps it from being written.
    package func write(_ text: String, to path: String) throws {
        let file = url.appending(path: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }
}

/// Writes files into a new folder, and removes it afterwards.
///
/// - Parameters:
///   - files: the texts by their paths in the folder.
///   - body: gets the path of the folder.
/// - Throws: what `body` throws, or what keeps the files from being written.
package func withTemporaryFolder(_ files: [String: String], _ body: (String) throws -> Void) throws {
    let folder = try TemporaryFolder()
    for (path, text) in files { try folder.write(text, to: path) }
    try withExtendedLifetime(folder) { try body(folder.url.path) }
}
