// SPDX-License-Identifier: MIT

import Foundation
import Synchronization

/// Gives mutated inputs to readers, and keeps those that fail.
struct Run: Sendable {
    /// How long a run takes, or how many inputs it tries.
    enum Extent {
        /// This many seconds for all readers together.
        case seconds(Double)
        /// This many inputs for each reader, so that slow and fast machines try the same ones.
        case inputs(Int)
    }

    /// The folder for inputs that fail, with a folder for each reader, which is emptied when the reader's inputs begin.
    static let findsFolder = ".build/fuzz"

    /// The most failing inputs of one reader that are minimized; the others are only counted.
    private static let findsLimit = 8

    let repository: Repository
    let seed: UInt64

    /// The results of one reader, as a row of the table.
    struct Row: Sendable {
        let reader: String
        var inputs = 0
        var slowest = 0
        var largest = 0
        var finds = 0
    }

    /// Tries the readers one after the other, several at once, and prints a table of the results.
    ///
    /// - Returns: whether no input failed, and each reader was tried.
    func callAsFunction(_ readers: [Reader], _ extent: Extent, jobs: Int) -> Bool {
        let rows = Mutex<[Int: Row]>([:])
        let next = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: jobs) { _ in
            while true {
                let index = next.add(1, ordering: .relaxed).oldValue
                guard index < readers.count else { return }
                let row = row(readers[index], share(of: extent, readers: readers.count, jobs: jobs))
                rows.withLock { $0[index] = row }
            }
        }
        let table = rows.withLock { rows in readers.indices.compactMap { rows[$0] } }
        Fuzz.show(Self.text(table, seed: seed))
        return table.allSatisfy { $0.finds == 0 && $0.inputs > 0 }
    }

    /// The part of the time or of the inputs for one reader.
    private func share(of extent: Extent, readers: Int, jobs: Int) -> Extent {
        switch extent {
        case .seconds(let seconds): .seconds(seconds * Double(jobs) / Double(readers))
        case .inputs: extent
        }
    }

    private func row(_ reader: Reader, _ extent: Extent) -> Row {
        var row = Row(reader: reader.name)
        let finds = Self.findsFolder + "/" + reader.name
        try? FileManager.default.removeItem(atPath: finds)
        let worker = WorkerProcess(reader: reader.name, folder: Self.scratch(reader))
        let found = repository.found(reader.name).map(\.bytes)
        var mutator = Mutator(
            reader.form,
            sizeLimit: reader.sizeLimit,
            seeds: reader.seeds(repository),
            raw: found
        )
        let start = seed ^ reader.name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        var known: [WorkerProcess.Fault] = []
        let began = Date()
        func isAtEnd() -> Bool {
            switch extent {
            case .seconds(let seconds): -began.timeIntervalSinceNow >= seconds
            case .inputs(let count): row.inputs >= count
            }
        }
        while !isAtEnd(), known.count < Self.findsLimit {
            let input = mutator.input(row.inputs, seed: start)
            do {
                switch try worker.answer(to: input) {
                case .read(let microseconds, let kilobytes):
                    row.slowest = max(row.slowest, microseconds)
                    row.largest = max(row.largest, kilobytes)
                case .fault(let fault):
                    row.finds += 1
                    if known.contains(where: fault.isSame) { break }
                    known.append(fault)
                    try keep(minimized(input, fault, worker), fault, reader, number: row.inputs, in: finds)
                }
            } catch {
                Fuzz.show("fuzz: \(reader.name): \(error)")
                row.finds += 1
                return row
            }
            row.inputs += 1
        }
        return row
    }

    private func minimized(_ input: [UInt8], _ fault: WorkerProcess.Fault, _ worker: WorkerProcess) -> [UInt8] {
        var minimizer = Minimizer(seconds: 30) { candidate in
            guard case .fault(let found)? = try? worker.answer(to: candidate) else { return false }
            return found.isSame(as: fault)
        }
        return minimizer.smallest(input)
    }

    private func keep(
        _ input: [UInt8],
        _ fault: WorkerProcess.Fault,
        _ reader: Reader,
        number: Int,
        in folder: String
    ) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = "\(folder)/\(number)-\(fault.kind.rawValue)"
        try Data(input).write(to: URL(filePath: file))
        Fuzz.show("fuzz: \(reader.name): \(fault.kind.rawValue), \(fault.detail): \(file), \(input.count) bytes")
    }

    /// The path of the folder in which a worker for a reader runs.
    static func scratch(_ reader: Reader) -> String {
        FileManager.default.temporaryDirectory.appending(path: "payloadgen-fuzz-\(UUID().uuidString)").path
    }

    private static func text(_ rows: [Row], seed: UInt64) -> String {
        func padded(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: max(0, width - text.count)) + text
        }
        let width = rows.map(\.reader.count).max() ?? 0
        let head = ["reader".padding(toLength: width, withPad: " ", startingAt: 0)]
        var lines = [head + [padded("inputs", 8), padded("slowest", 11), padded("memory", 8), padded("finds", 6)]]
        for row in rows {
            lines.append([
                row.reader.padding(toLength: width, withPad: " ", startingAt: 0), padded("\(row.inputs)", 8),
                padded("\(row.slowest / 1_000) ms", 11), padded("\(row.largest >> 10) MB", 8),
                padded("\(row.finds)", 6),
            ])
        }
        let inputs = rows.reduce(0) { $0 + $1.inputs }
        let finds = rows.reduce(0) { $0 + $1.finds }
        return lines.map { $0.joined(separator: " ") }.joined(separator: "\n")
            + "\nfuzz: \(inputs) inputs from seed \(seed), \(finds) finds"
    }
}
