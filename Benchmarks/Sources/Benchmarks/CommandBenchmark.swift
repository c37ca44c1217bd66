// SPDX-License-Identifier: MIT

import Foundation

/// What the command takes from start to end, and how much memory a batch takes at most.
struct CommandBenchmark {
    let command: String

    private static let runs = 40
    private static let profileCount = 100_000

    /// Short runs, by their names in the thresholds; none that reads the whole repository, which grows.
    private static let shortRuns = [
        ("start-version", ["--version"]),
        (
            "start-render",
            [
                "render", "templates/lab-progress.campaign.yml", "--profile", "examples/profiles/ana.json",
                "--trigger-properties", "examples/trigger/lab-progress.json", "--app", "examples/BookDemo", "--now",
                "2026-11-20T09:00:00Z",
            ]
        ),
    ]

    /// What whole short runs cost, from the start of the process to its end.
    func costs(valgrind: String) throws -> [(name: String, cost: Thresholds.Cost)] {
        try Self.shortRuns.map { name, arguments in
            let run = try CountedRun(command, arguments, valgrind: valgrind)
            return (name, Thresholds.Cost(instructions: run.instructions))
        }
    }

    func report() throws {
        print("\ncommand")
        for (name, arguments) in Self.shortRuns { printTime(name, arguments) }
        try reportBatch()
    }

    /// The shortest of many runs: what disturbs a run makes it longer only.
    private func printTime(_ name: String, _ arguments: [String]) {
        let runs = (0..<Self.runs).map { _ in Spawn(command, arguments) }
        let shortest = runs.map(\.seconds).min() ?? 0
        let faults = runs.map(\.pageFaults).min() ?? 0
        print("\(name), start to end".padded(34) + "\((shortest * 1_000).short) ms, \(faults) page faults")
    }

    private func reportBatch() throws {
        let line =
            try String(contentsOf: URL(filePath: "examples/profiles/many.ndjson"), encoding: .utf8)
            .split(separator: "\n").first ?? ""
        let file = FileManager.default.temporaryDirectory.appending(path: "payloadgen-benchmark.ndjson")
        defer { try? FileManager.default.removeItem(at: file) }
        // In blocks, as a child's memory is counted from what its parent had.
        try Data().write(to: file)
        let output = try FileHandle(forWritingTo: file)
        let block = Data(String(repeating: line + "\n", count: 1_000).utf8)
        for _ in 0..<Self.profileCount / 1_000 { try output.write(contentsOf: block) }
        try output.close()
        let arguments = [
            "render", "templates/lab-register.campaign.yml", "--profiles", file.path, "--app", "examples/BookDemo",
            "--output", "/dev/null",
        ]
        var most = 0
        for jobs in ["1", "2"] {
            let batch = Spawn(command, arguments + ["--jobs", jobs])
            let rate = Int(Double(Self.profileCount) / batch.seconds)
            print("\(Self.profileCount) users, --jobs \(jobs)".padded(34) + "\(rate) a second")
            most = max(most, batch.mostKibibytes)
        }
        print("most memory of a batch".padded(34) + "\(most >> 10) MiB")
    }
}

/// A process whose output nobody reads: its time from start to end, its page faults, and the most memory that it had.
private struct Spawn {
    let seconds: Double
    let pageFaults: Int
    let mostKibibytes: Int

    init(_ path: String, _ arguments: [String]) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        defer {
            for word in words { free(word) }
            posix_spawn_file_actions_destroy(&actions)
        }
        let clock = ContinuousClock()
        let start = clock.now
        var child = pid_t()
        guard posix_spawn(&child, path, &actions, nil, &words, environ) == 0 else { Program.fail("cannot run \(path)") }
        var status: Int32 = 0
        var usage = rusage()
        wait4(child, &status, 0, &usage)
        let elapsed = (clock.now - start).components
        if status != 0 { Program.fail("\(path) \(arguments.joined(separator: " ")) failed") }
        seconds = Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18
        pageFaults = Int(usage.ru_minflt)
        mostKibibytes = Int(usage.ru_maxrss)
    }
}
