// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestSupport

/// Runs the scripts of one page in one shell, in a new copy of the repository's files.
///
/// The built `payloadgen` is on the path. Files, variables and the working folder are kept from one script to the next.
/// Standard output comes before standard error in the output of a script; neither is a terminal.
struct PageShell {
    /// The result of running a script: its output and its status.
    struct Result {
        let status: Int
        let printed: [String]
    }

    private let folder = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID().uuidString)")

    /// Runs scripts one after the other.
    ///
    /// - Returns: a result for each script; nil for those after a script that ended the shell.
    /// - Throws: an error if the copy cannot be made or bash cannot be run.
    func run(_ scripts: [String], repository: Repository) throws -> [Result?] {
        defer { try? FileManager.default.removeItem(at: folder) }
        let clone = folder.appending(path: "payloadgen")
        try repository.copy(to: clone)
        let bin = folder.appending(path: "bin")
        try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            at: bin.appending(path: "payloadgen"),
            withDestinationURL: builtProduct("payloadgen")
        )
        for (index, script) in scripts.enumerated() { try Data(script.utf8).write(to: file(index, "sh")) }

        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", Self.loop, "bash", folder.path, "\(scripts.count)"]
        process.currentDirectoryURL = clone
        process.environment = [
            "PATH": "\(bin.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")",
            "HOME": folder.path, "TMPDIR": folder.path, "LC_ALL": "C.UTF-8", "TZ": "Asia/Tokyo",
            "SRCROOT": clone.path + "/examples/BookDemo",  // as in a build phase of Xcode
        ]
        try process.run()
        process.waitUntilExit()
        return scripts.indices.map(result)
    }

    /// A shell program that runs the scripts in one shell, each with the status of the previous one in `$?`.
    private static let loop = """
        for _index in $(seq 0 $(($2 - 1))); do
            (exit ${_status:-0})
            . "$1/$_index.sh" >"$1/$_index.out" 2>"$1/$_index.err" </dev/null
            _status=$?
            echo $_status >"$1/$_index.status"
        done
        """

    private func file(_ index: Int, _ kind: String) -> URL { folder.appending(path: "\(index).\(kind)") }

    private func result(_ index: Int) -> Result? {
        func text(_ kind: String) -> String? { try? String(contentsOf: file(index, kind), encoding: .utf8) }
        guard let status = text("status").flatMap({ Int($0.dropLast()) }), let output = text("out"),
            let errors = text("err")
        else { return nil }
        var lines = (output + errors).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        // The pages show the output of a release build, which has no such notes.
        lines.removeAll { $0.hasPrefix("note: this is a debug build, ") }
        if lines.last == "" { lines.removeLast() }
        return Result(status: status, printed: lines)
    }
}
