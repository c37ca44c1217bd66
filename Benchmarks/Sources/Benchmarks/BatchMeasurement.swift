// SPDX-License-Identifier: MIT

import Foundation

/// What one user of a batch costs: the difference between two runs of the command under valgrind, by the number of
/// users.
///
/// The command is counted and not a program that imports the library, as only the command has the path from lines to
/// records. Its Swift runtime is linked statically, so valgrind also counts the calls of the runtime's functions.
struct BatchMeasurement {
    /// The name in the thresholds.
    static let name = "batch-user"

    let cost: Thresholds.Cost

    private static let users = (few: 200, many: 1_200)
    private static let retains = ["swift_retain", "swift_retain_n"]
    private static let allocations = ["malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign"]

    /// Runs the command.
    init(command: String, valgrind: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "payloadgen-batch-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let few = try Self.run(command, valgrind, Self.users.few, in: folder)
        let many = try Self.run(command, valgrind, Self.users.many, in: folder)
        let users = Self.users.many - Self.users.few
        func calls(_ names: [String]) -> Double {
            let count = names.reduce(0) { $0 + (many.calls[$1] ?? 0) - (few.calls[$1] ?? 0) }
            return Double(count) / Double(users)
        }
        cost = Thresholds.Cost(
            allocations: calls(Self.allocations),
            instructions: (many.instructions - few.instructions) / users,
            retains: calls(Self.retains)
        )
    }

    /// The instructions of a run, and its calls by the name of the function.
    private static func run(
        _ command: String,
        _ valgrind: String,
        _ users: Int,
        in folder: URL
    ) throws -> (instructions: Int, calls: [String: Int]) {
        let profiles = folder.appending(path: "\(users).ndjson")
        let generator = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "generate-profiles")
        try Data(Child(generator.path, [String(users)]).output.utf8).write(to: profiles)
        let counts = folder.appending(path: "\(users).callgrind")
        let arguments = [
            "--tool=callgrind", "--callgrind-out-file=\(counts.path)", command, "render",
            "templates/lab-progress.campaign.yml", "--profiles", profiles.path, "--trigger-properties",
            "examples/trigger/lab-progress.json", "--now", "2026-11-20T09:00:00Z", "--jobs", "1", "--exit-zero",
            "--output", "/dev/null",
        ]
        _ = try Child(valgrind, arguments)
        return Self.read(try String(contentsOf: counts, encoding: .utf8))
    }

    /// Reads the format of callgrind: `fn=(id) name` and `cfn=(id) name` give each id its name once, `calls=` follows
    /// the `cfn=` of the function that is called, and `totals:` is the last line.
    private static func read(_ text: String) -> (instructions: Int, calls: [String: Int]) {
        var names: [Substring: Substring] = [:]
        var calls: [Substring: Int] = [:]
        var instructions = 0
        var callee: Substring = ""
        for line in text.split(separator: "\n") {
            if line.hasPrefix("fn=") || line.hasPrefix("cfn=") {
                let parts = line.drop { $0 != "(" }.split(separator: " ", maxSplits: 1)
                guard let id = parts.first else { continue }
                if parts.count == 2 { names[id] = parts[1] }
                if line.hasPrefix("c") { callee = id }
            } else if line.hasPrefix("calls=") {
                let count = line.dropFirst("calls=".count).prefix { $0 != " " }
                calls[callee, default: 0] += Int(count) ?? 0
            } else if line.hasPrefix("totals:") {
                instructions = line.split(separator: " ").last.flatMap { Int($0) } ?? 0
            }
        }
        // A function that calls itself is listed as `name'2` too.
        let byName = calls.map { id, count in (String((names[id] ?? "").prefix { $0 != "'" }), count) }
        return (instructions, Dictionary(byName, uniquingKeysWith: +))
    }
}
