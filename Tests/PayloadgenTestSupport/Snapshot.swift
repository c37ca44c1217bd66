// SPDX-License-Identifier: MIT

import Foundation
package import Testing

/// Compares a text with the file `FOLDER/NAME` beside the test's own file.
///
/// A missing file is written and fails the run, so that a new text is read before it counts. With `RECORD_SNAPSHOTS=1`,
/// every file that differs is written anew, and fails the run too.
package func expectSnapshot(
    _ text: String,
    named name: String,
    in folder: String = "Snapshots",
    filePath: String = #filePath,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let file = URL(filePath: filePath).deletingLastPathComponent().appending(path: folder).appending(path: name)
    let stored = try? Data(contentsOf: file)
    let isRecording = ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1"
    if let stored, stored == Data(text.utf8) { return }
    guard let stored, !isRecording else {
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: file)
            Issue.record("recorded \(folder)/\(name): look at it and run again", sourceLocation: sourceLocation)
        } catch {
            Issue.record("\(folder)/\(name) cannot be recorded: \(error)", sourceLocation: sourceLocation)
        }
        return
    }
    let expected = String(decoding: stored, as: UTF8.self)
    Issue.record(
        "\(folder)/\(name) differs\n\(firstDifference(expected: expected, found: text))",
        sourceLocation: sourceLocation
    )
}

/// The first line that differs, with its number and both texts.
private func firstDifference(expected: String, found: String) -> String {
    let expected = expected.split(separator: "\n", omittingEmptySubsequences: false)
    let found = found.split(separator: "\n", omittingEmptySubsequences: false)
    let line = zip(expected, found).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    let index = line ?? min(expected.count, found.count)
    func text(_ lines: [Substring]) -> String { index < lines.count ? "'\(lines[index])'" : "the end" }
    return "line \(index + 1): expected \(text(expected)), found \(text(found))"
}
