// SPDX-License-Identifier: MIT

import ArgumentParser
import Foundation

/// Lets every reader of the command read mutated inputs: none may trap, hang or exceed its limits.
@main
struct Fuzz: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "payloadgen-fuzz",
        abstract: "Read mutated inputs with every reader of payloadgen, in processes with limits of time and memory.",
        discussion: "To be run in the root of the package.",
        subcommands: [Search.self, Replay.self, Work.self]
    )

    /// Prints a line immediately, even if standard output is a pipe.
    static func show(_ line: String) {
        print(line)
        fflush(nil)
    }

    static var repository: Repository { Repository(root: FileManager.default.currentDirectoryPath) }

    /// The readers with some names; all readers if there are no names.
    static func readers(_ names: [String]) throws -> [Reader] {
        let all = Reader.all
        let unknown = names.filter { name in !all.contains { $0.name == name } }
        guard unknown.isEmpty else {
            let known = all.map(\.name).joined(separator: ", ")
            throw ValidationError("no reader \(unknown.joined(separator: ", ")), expected one of \(known)")
        }
        return names.isEmpty ? all : all.filter { names.contains($0.name) }
    }
}

/// `search`: reads mutated inputs for some time, and keeps those that fail.
struct Search: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Try mutated inputs; ends with 1 where one fails.",
        discussion: "Those that fail are cut down and written to \(Run.findsFolder)/READER."
    )

    @Option(help: "How long, over all readers; 60 by default.")
    var seconds: Double?

    @Option(help: "How many inputs of each reader, instead of a time.")
    var inputs: Int?

    @Option(help: "What the inputs are made from: the same seed gives the same inputs.")
    var seed: UInt64 = 1

    @Option(help: "How many readers have their turn at once; by default as many as there are processors.")
    var jobs = ProcessInfo.processInfo.activeProcessorCount

    @Option(parsing: .upToNextOption, help: "The readers; all by default.")
    var reader: [String] = []

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let readers = try Fuzz.readers(reader)
        let isClean = Run(repository: Fuzz.repository, seed: seed)(
            readers,
            inputs.map { .inputs($0) } ?? .seconds(seconds ?? 60),
            jobs: max(1, min(jobs, readers.count))
        )
        if !isClean { throw ExitCode.failure }
    }

    func validate() throws {
        if seconds != nil, inputs != nil { throw ValidationError("found --seconds and --inputs, expected one of them") }
    }
}

/// `replay`: reads inputs that failed in an earlier run.
struct Replay: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Read inputs that once failed; ends with 1 where one fails again."
    )

    @Option(help: "The reader of FILE.")
    var reader: String?

    @Argument(help: "Files for --reader; by default all of \(Repository.found)/READER.")
    var file: [String] = []

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        var failed = 0
        var passed = 0
        for reader in try Fuzz.readers(reader.map { [$0] } ?? []) {
            let files = file.isEmpty ? Fuzz.repository.found(reader.name).map(\.path) : file
            let worker = WorkerProcess(reader: reader.name, folder: Run.scratch(reader))
            for path in files {
                guard let bytes = FileManager.default.contents(atPath: path) else {
                    throw ValidationError("no file '\(path)'")
                }
                switch try worker.answer(to: Array(bytes)) {
                case .read(let microseconds, let kilobytes):
                    passed += 1
                    Fuzz.show("passed \(reader.name) \(path): \(microseconds / 1_000) ms, \(kilobytes >> 10) MB")
                case .fault(let fault):
                    failed += 1
                    Fuzz.show("failed \(reader.name) \(path): \(fault.kind.rawValue), \(fault.detail)")
                }
            }
        }
        Fuzz.show("\(passed) passed, \(failed) failed")
        if failed > 0 { throw ExitCode.failure }
    }

    func validate() throws {
        if !file.isEmpty, reader == nil { throw ValidationError("found files without --reader") }
    }
}

/// `work`: the process in which inputs are read, which the other commands start.
struct Work: ParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)

    @Argument var reader: String
    @Argument var folder: String

    func run() throws {
        guard let reader = try Fuzz.readers([reader]).first else { return }
        try Worker(reader, in: folder).run()
    }
}
