// SPDX-License-Identifier: MIT

import Foundation

/// What one run of a workload costs.
struct Measurement {
    let allocations: Double
    let kept: Double

    /// Instructions; nil without valgrind.
    let instructions: Int?

    init(_ name: String, _ count: Int, counter: String) throws {
        let program = CommandLine.arguments[0]
        let child = try Child(program, ["measure", name, String(2 * count)], environment: ["LD_PRELOAD": counter])
        let numbers = child.output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard numbers.count == 2 else { Program.fail("no numbers for \(name)") }
        (allocations, kept) = (numbers[0], numbers[1])
        guard let valgrind = Child.path(of: "valgrind") else {
            instructions = nil
            return
        }
        let few = try Self.instructions(valgrind, program, name, count / 10)
        let many = try Self.instructions(valgrind, program, name, count / 10 + count)
        instructions = (many - few) / count
    }

    /// The instructions of a whole run, as valgrind counts them.
    private static func instructions(_ valgrind: String, _ program: String, _ name: String, _ count: Int) throws -> Int
    {
        let options = ["--tool=callgrind", "--callgrind-out-file=/dev/null", program, "measure", name, String(count)]
        let child = try Child(valgrind, options)
        let line = child.errors.split(separator: "\n").last { $0.contains("Collected :") }
        guard let total = line?.split(separator: " ").last.flatMap({ Int($0) }) else {
            Program.fail("valgrind counted nothing\n\(child.errors)")
        }
        return total
    }

    /// What passes the stored thresholds.
    func excess(over limit: Thresholds.Cost, _ name: String) -> [String] {
        var excess: [String] = []
        if kept > 0.01 { excess.append("\(name) leaves \(kept.short) blocks behind, expected none") }
        let cost = Thresholds.Cost(allocations: allocations, instructions: instructions ?? 0)
        return excess + cost.excess(over: limit, name)
    }
}

/// The stored costs, in `Benchmarks/thresholds.json`.
struct Thresholds: Codable {
    struct Cost: Codable {
        /// The allocations; nil where their number differs a little from run to run, as that of a whole process does.
        var allocations: Double?
        var instructions: Int
        /// How often Swift's runtime retains an object; nil where that is not counted.
        var retains: Double?

        /// What passes stored costs; instructions and retains may vary by 3 %.
        func excess(over limit: Self, _ name: String) -> [String] {
            var excess: [String] = []
            if let allocations, let most = limit.allocations, allocations > most + 0.01 {
                excess.append("\(name) makes \(allocations.short) allocations, expected at most \(most.short)")
            }
            if Double(instructions) > Double(limit.instructions) * 1.03 {
                excess.append("\(name) takes \(instructions) instructions, expected about \(limit.instructions)")
            }
            if let retains, let most = limit.retains, retains > most * 1.03 {
                excess.append("\(name) retains \(retains.short) times, expected about \(most.short)")
            }
            return excess
        }
    }

    var runs: [String: Cost] = [:]

    private static let file = URL(filePath: "Benchmarks/thresholds.json")

    static func read() throws -> Thresholds {
        guard let data = try? Data(contentsOf: file) else { return Thresholds() }
        return try JSONDecoder().decode(Thresholds.self, from: data)
    }

    func write() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try (encoder.encode(self) + Data("\n".utf8)).write(to: Self.file)
    }
}
