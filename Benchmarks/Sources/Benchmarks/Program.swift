// SPDX-License-Identifier: MIT

import Foundation

/// `Benchmarks COMMAND COUNTER` measures renders, parses and the command, prints a table, and fails where a
/// stored threshold is passed; `--record` stores what was measured.
///
/// `Benchmarks measure NAME COUNT` is the part that runs under the counter of allocations and under valgrind.
@main
struct Program {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "measure", arguments.count == 3, let count = Int(arguments[2]) {
            let (allocations, kept) = try Workload(arguments[1]).measure(count)
            return print(allocations, kept)
        }
        guard arguments.count >= 2 else { fail("usage: Benchmarks COMMAND COUNTER [--record]") }
        let isRecording = arguments.contains("--record")
        try run(command: arguments[0], counter: arguments[1], isRecording: isRecording)
    }

    static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("error: \(message)\n".utf8))
        exit(1)
    }

    private static func run(command: String, counter: String, isRecording: Bool) throws {
        let thresholds = try Thresholds.read()
        var measured = Thresholds()
        var excess: [String] = []
        print("per run".padded(16) + "allocations".padded(14) + "kept".padded(8) + "instructions")
        for (name, count) in Workload.counts {
            let result = try Measurement(name, count, counter: counter)
            let instructions = result.instructions.map { String($0) } ?? "(no valgrind)"
            print(
                name.padded(16) + result.allocations.short.padded(14) + result.kept.short.padded(8) + instructions
            )
            measured.runs[name] = Thresholds.Cost(
                allocations: result.allocations,
                instructions: result.instructions ?? thresholds.runs[name]?.instructions ?? 0
            )
            if let limit = thresholds.runs[name] { excess += result.excess(over: limit, name) }
        }
        let benchmark = CommandBenchmark(command: command)
        if let valgrind = Child.path(of: "valgrind") {
            for (name, cost) in try benchmark.costs(valgrind: valgrind) {
                print(name.padded(38) + String(cost.instructions))
                measured.runs[name] = cost
                if let limit = thresholds.runs[name] { excess += cost.excess(over: limit, name) }
            }
            let cost = try BatchMeasurement(command: command, valgrind: valgrind).cost
            print(
                "\none user of a batch: \((cost.allocations ?? 0).short) allocations, \((cost.retains ?? 0).short) retains, "
                    + "\(cost.instructions) instructions"
            )
            measured.runs[BatchMeasurement.name] = cost
            if let limit = thresholds.runs[BatchMeasurement.name] {
                excess += cost.excess(over: limit, BatchMeasurement.name)
            }
        }
        try benchmark.report()
        if isRecording { return try measured.write() }
        if !excess.isEmpty { fail(excess.joined(separator: "\nerror: ")) }
    }
}

extension String {
    func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}

extension Double {
    /// The number with at most two places.
    var short: String {
        let hundredths = (self * 100).rounded()
        return hundredths.truncatingRemainder(dividingBy: 100) == 0 ? "\(Int(hundredths / 100))" : "\(hundredths / 100)"
    }
}
