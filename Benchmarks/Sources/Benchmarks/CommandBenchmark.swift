// SPDX-License-Identifier: MIT

import Foundation

/// How long the command takes from start to end, and how much memory a batch takes at most.
struct CommandBenchmark {
    let command: String

    private static let runs = 40
    private static let profileCount = 100_000

    func report() throws {
        print("\ncommand")
        let single = [
            "render", "templates/lab-progress.campaign.yml", "--profile", "examples/profiles/ana.json",
            "--trigger-properties", "examples/trigger/lab-progress.json", "--app", "examples/BookDemo", "--now",
            "2026-11-20T09:00:00Z",
        ]
        try printTime("--version", ["--version"])
        try printTime("render, one user", single)
        try reportBatch()
    }

    /// The shortest of many runs: what disturbs a run makes it longer only.
    private func printTime(_ name: String, _ arguments: [String]) throws {
        var shortest = Double.infinity
        for _ in 0..<Self.runs { shortest = min(shortest, try Child(command, arguments).seconds) }
        print("\(name), start to end".padded(34) + "\((shortest * 1_000).short) ms")
    }

    private func reportBatch() throws {
        let line =
            try String(contentsOf: URL(filePath: "examples/profiles/many.ndjson"), encoding: .utf8)
            .split(separator: "\n").first ?? ""
        let file = FileManager.default.temporaryDirectory.appending(path: "payloadgen-benchmark.ndjson")
        defer { try? FileManager.default.removeItem(at: file) }
        let text = String(repeating: line + "\n", count: Self.profileCount)
        try Data(text.utf8).write(to: file)
        let arguments = [
            "render", "templates/lab-register.campaign.yml", "--profiles", file.path, "--app", "examples/BookDemo",
            "--output", "/dev/null",
        ]
        for jobs in ["1", "2"] {
            let child = try Child(command, arguments + ["--jobs", jobs])
            let rate = Int(Double(Self.profileCount) / child.seconds)
            print("\(Self.profileCount) users, \(jobs) job\(jobs == "1" ? "" : "s")".padded(34) + "\(rate) a second")
        }
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        print("most memory of a batch".padded(34) + "\(usage.ru_maxrss >> 10) MiB")
    }
}
