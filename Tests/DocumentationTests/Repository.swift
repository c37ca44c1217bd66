// SPDX-License-Identifier: MIT

import Foundation

/// The files of this repository that git tracks, as a clone has them.
struct Repository: Sendable {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL

    /// The paths of the tracked files that exist, sorted.
    private(set) var paths: [String]

    /// Asks git for the files.
    ///
    /// - Throws: an error if git cannot be run or this is not its work tree.
    init() throws {
        let list = try run("git ls-files -z", in: root)
        let root = root
        paths = list.split(separator: "\0").map(String.init)
            .filter { FileManager.default.fileExists(atPath: root.appending(path: $0).path) }.sorted()
    }

    /// The repository reduced to the files of one folder, which are copied fast.
    func only(_ folder: String) -> Repository {
        var repository = self
        repository.paths.removeAll { !$0.hasPrefix(folder) }
        return repository
    }

    /// All pages in Markdown, without those that are data of tests.
    var pages: [String] { paths.filter { $0.hasSuffix(".md") && !$0.hasPrefix("Tests/") } }

    /// The text of a file.
    ///
    /// - Throws: an error if it cannot be read.
    func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// Copies the files into a new folder.
    ///
    /// - Throws: an error if a file cannot be copied.
    func copy(to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let list = folder.appendingPathExtension("list")
        defer { try? FileManager.default.removeItem(at: list) }
        try Data(paths.joined(separator: "\0").utf8).write(to: list)
        _ = try run("tar --null -T '\(list.path)' -cf - | tar -xf - -C '\(folder.path)'", in: root)
    }

    /// Compares a fence with the sources from which it may be quoted: a source has its lines in order, all indented by
    /// the same amount.
    ///
    /// For Swift, the sources are those that the tests build; for other languages, the files that are shipped.
    ///
    /// - Returns: nil if a source has the lines, otherwise the nearest source with the differences.
    /// - Throws: an error if a source cannot be read.
    func nearestSource(to fence: Page.Fence) throws -> String? {
        let quoted = fence.lines
        let isSwift = fence.language == "swift"
        let folders = isSwift ? ["examples/", "Tests/DocumentationTests/Samples/"] : ["examples/", "templates/"]
        let endings = fence.language == "yaml" ? [".yml", ".yaml"] : [".\(fence.language)"]
        var nearest = (equal: 0, text: "none begins like it")
        for path in paths where folders.contains(where: path.hasPrefix) && endings.contains(where: path.hasSuffix) {
            let lines = try text(path).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            for start in lines.indices where quoted.first.map(lines[start].hasSuffix) == true {
                let indentation = lines[start].count - (quoted.first?.count ?? 0)
                guard lines[start].prefix(indentation).allSatisfy({ $0 == " " }) else { continue }
                let found = lines[start..<min(start + quoted.count, lines.count)].map {
                    $0.prefix(indentation).allSatisfy { $0 == " " } ? String($0.dropFirst(indentation)) : $0
                }
                if found == quoted { return nil }
                let equal = zip(found, quoted).count { $0 == $1 }
                if equal > nearest.equal {
                    nearest = (
                        equal, "the nearest is \(path):\(start + 1)\n\(difference(expected: quoted, found: found))"
                    )
                }
            }
        }
        return nearest.text
    }
}

/// Runs a shell command in a folder, and returns what it prints.
///
/// - Throws: an error if it does not end with the status 0.
private func run(_ line: String, in folder: URL) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = ["-c", "set -o pipefail; \(line)"]
    process.currentDirectoryURL = folder
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CommandError(line: line, status: process.terminationStatus) }
    return String(decoding: bytes, as: UTF8.self)
}

private struct CommandError: Error {
    let line: String
    let status: Int32
}

/// The lines of two texts in one list, marked with `-` if only the expected text has them and with `+` if only the
/// found text does.
func difference(expected: [String], found: [String]) -> String {
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in found.difference(from: expected) {
        switch change {
        case .remove(let offset, _, _): removed.insert(offset)
        case .insert(let offset, _, _): inserted.insert(offset)
        }
    }
    var lines: [String] = []
    var (left, right) = (0, 0)
    while left < expected.count || right < found.count {
        if removed.contains(left) {
            lines.append("- " + expected[left])
            left += 1
        } else if inserted.contains(right) {
            lines.append("+ " + found[right])
            right += 1
        } else {
            lines.append("  " + expected[left])
            left += 1
            right += 1
        }
    }
    return lines.joined(separator: "\n")
}
