// SPDX-License-Identifier: MIT

import Foundation

/// What one user of a batch costs: the difference between two runs of the command under valgrind, by the number of
/// users.
///
/// The command is counted and not a program that imports the library, as only the command has the path from lines to
/// records.
struct BatchMeasurement {
    /// The name in the thresholds.
    static let name = "batch-user"

    let cost: Thresholds.Cost

    /// So many that what else differs between two runs, such as the order of threads, is under a hundredth of the difference.
    private static let users = (few: 200, many: 20_200)
    private static let retains = ["swift_retain", "swift_retain_n"]

    /// Runs the command.
    init(command: String, valgrind: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "payloadgen-batch-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let few = try Self.run(command, valgrind, Self.users.few, in: folder)
        let many = try Self.run(command, valgrind, Self.users.many, in: folder)
        let users = Self.users.many - Self.users.few
        func ofOne(_ count: (CountedRun) -> Int) -> Double { Double(count(many) - count(few)) / Double(users) }
        cost = Thresholds.Cost(
            allocations: ofOne(\.allocations),
            instructions: (many.instructions - few.instructions) / users,
            retains: ofOne { $0.calls(of: Self.retains) }
        )
    }

    private static func run(_ command: String, _ valgrind: String, _ users: Int, in folder: URL) throws -> CountedRun {
        let profiles = folder.appending(path: "\(users).ndjson")
        let generator = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "generate-profiles")
        // Not through this process, as a child's memory is counted from what its parent had.
        _ = try Child("/bin/sh", ["-c", #"exec "$0" "$1" >"$2""#, generator.path, String(users), profiles.path])
        let arguments = [
            "render", "templates/lab-progress.campaign.yml", "--profiles", profiles.path, "--trigger-properties",
            "examples/trigger/lab-progress.json", "--now", "2026-11-20T09:00:00Z", "--jobs", "1", "--exit-zero",
            "--output", "/dev/null",
        ]
        return try CountedRun(command, arguments, valgrind: valgrind)
    }
}
