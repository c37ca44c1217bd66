// SPDX-License-Identifier: MIT

import Foundation

/// A run of the command under valgrind: its instructions, and how often it calls functions.
///
/// The command's Swift runtime is linked statically, so valgrind also counts the calls of the runtime's functions.
struct CountedRun {
    let instructions: Int
    private let calls: [String: Int]

    private static let allocations = ["malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign"]

    var allocations: Int { calls(of: Self.allocations) }

    /// Runs the command, without random hashes: with them the lengths of searches in tables differ.
    init(_ command: String, _ arguments: [String], valgrind: String) throws {
        let counts = FileManager.default.temporaryDirectory.appending(path: "payloadgen-\(getpid()).callgrind")
        defer { try? FileManager.default.removeItem(at: counts) }
        let options = ["--tool=callgrind", "--callgrind-out-file=\(counts.path)", command]
        _ = try Child(valgrind, options + arguments, environment: ["SWIFT_DETERMINISTIC_HASHING": "1"])
        (instructions, calls) = Self.read(try String(contentsOf: counts, encoding: .utf8))
    }

    func calls(of functions: [String]) -> Int { functions.reduce(0) { $0 + (calls[$1] ?? 0) } }

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
