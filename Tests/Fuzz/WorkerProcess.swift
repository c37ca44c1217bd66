// SPDX-License-Identifier: MIT

import Foundation

/// A worker from the view of its parent process, which starts it when it is needed, and again after it has ended.
final class WorkerProcess {
    /// The result of reading an input.
    enum Answer {
        /// The input was read, with this processor time and this much memory in use at most.
        case read(microseconds: Int, kilobytes: Int)
        case fault(Fault)
    }

    /// A failure that no input may cause.
    struct Fault: Sendable {
        /// What happened; inputs that fail in the same way have the same kind.
        enum Kind: String, Sendable {
            case trap, hang, time, memory, output
        }

        let kind: Kind
        let detail: String

        /// Whether two inputs fail in the same way, as far as messages show it; numbers and names in these are ignored.
        func isSame(as other: Fault) -> Bool { signature == other.signature }

        private var signature: String {
            let words = detail.filter { !$0.isNumber }.prefix { $0 != "'" && $0 != "\"" }
            return kind == .time || kind == .memory || kind == .hang ? kind.rawValue : kind.rawValue + words
        }
    }

    /// The longest time to wait for an answer, in seconds, for a reader that waits forever without using the processor.
    private static var patience: Double { 10 * Double(Worker.secondsLimit) }

    private let reader: String
    private let folder: String
    private var process: Process?
    private var requests: Int32 = -1
    private var answers: Int32 = -1
    private var pipes: [Foundation.Pipe] = []

    /// Creates a worker, whose process is started later.
    ///
    /// - Parameters:
    ///   - reader: the name of the reader.
    ///   - folder: a folder for the process, which is removed with it.
    init(reader: String, folder: String) {
        self.reader = reader
        self.folder = folder
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Gives an input to the process, and waits for the result.
    func answer(to input: [UInt8]) throws -> Answer {
        if process == nil { try start() }
        let length = (0..<8).map { UInt8(truncatingIfNeeded: input.count >> (56 - 8 * $0)) }
        Pipe.write(length + input, to: requests)
        var line: [UInt8] = []
        let deadline = Date().addingTimeInterval(Self.patience)
        while Date() < deadline {
            var wanted = pollfd(fd: answers, events: Int16(POLLIN), revents: 0)
            if poll(&wanted, 1, 20) > 0 {
                guard let byte = Pipe.read(1, from: answers) else { return .fault(ending()) }
                if byte[0] != UInt8(ascii: "\n") {
                    line += byte
                    continue
                }
                return answer(String(decoding: line, as: UTF8.self))
            }
            if residentKilobytes > Worker.kilobytesLimit {
                stop()
                return .fault(Fault(kind: .memory, detail: "more than \(Worker.kilobytesLimit >> 10) MB in use"))
            }
        }
        stop()
        return .fault(Fault(kind: .hang, detail: "no end after \(Int(Self.patience)) s"))
    }

    private func answer(_ line: String) -> Answer {
        let words = line.split(separator: " ", maxSplits: 1)
        guard words.first == "ok" else {
            return .fault(Fault(kind: .output, detail: words.count > 1 ? String(words[1]) : line))
        }
        let numbers = words[1].split(separator: " ").compactMap { Int($0) }
        if numbers[1] > Worker.kilobytesLimit {
            // A new process starts after this, so that memory kept by this one is not counted for the next input.
            stop()
            return .fault(Fault(kind: .memory, detail: "\(numbers[1] >> 10) MB in use"))
        }
        if numbers[1] > Worker.kilobytesLimit / 2 { stop() }
        return .read(microseconds: numbers[0], kilobytes: numbers[1])
    }

    private func start() throws {
        let (input, output) = (Foundation.Pipe(), Foundation.Pipe())
        let process = Process()
        process.executableURL = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
        process.arguments = ["work", reader, folder]
        // Backtraces are turned off, because they take seconds. The time zone is fixed, so that the result is the same
        // on every machine.
        let environment = ProcessInfo.processInfo.environment
        process.environment = environment.merging(["SWIFT_BACKTRACE": "enable=no", "TZ": "UTC"]) { $1 }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        self.process = process
        pipes = [input, output]
        requests = input.fileHandleForWriting.fileDescriptor
        answers = output.fileHandleForReading.fileDescriptor
    }

    private func stop() {
        guard let process else { return }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        self.process = nil
        pipes = []
    }

    /// The reason why the process ended while it read an input.
    private func ending() -> Fault {
        process?.waitUntilExit()
        let status = process?.terminationStatus ?? 0
        let isSignal = process?.terminationReason == .uncaughtSignal
        process = nil
        pipes = []
        if isSignal, status == SIGPROF {
            return Fault(kind: .time, detail: "more than \(Worker.secondsLimit) s of processor time")
        }
        let errors = FileManager.default.contents(atPath: Worker.errorFile(in: folder)) ?? Data()
        let words = String(decoding: errors.suffix(2_000), as: UTF8.self).split(separator: "\n")
            .last { $0.contains("atal error") || $0.contains("rror:") }
        return Fault(kind: .trap, detail: "\(isSignal ? "signal" : "exit") \(status) \(words ?? "")")
    }

    /// The memory in use, in kilobytes; 0 if the system does not report it.
    private var residentKilobytes: Int {
        guard let process,
            let text = FileManager.default.contents(atPath: "/proc/\(process.processIdentifier)/statm")
        else { return 0 }
        let fields = String(decoding: text, as: UTF8.self).split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) >> 10 : 0
    }
}
