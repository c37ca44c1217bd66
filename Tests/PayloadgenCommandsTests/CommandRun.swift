// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestSupport

/// A finished run of the built command, by default in the folder of the fixtures.
struct CommandRun {
    let status: Int32
    let output: String

    /// Standard error, without the note of debug builds about batches.
    let errors: String

    /// The number of notes of debug builds about batches that were left out of ``errors``.
    let debugNoteCount: Int

    /// The status and both outputs as one text, for snapshots.
    var text: String { "exit \(status)\n--- stdout\n\(output)--- stderr\n\(errors)" }

    /// The root of the package.
    static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardizedFileURL

    /// The note on standard error that `greeting.campaign.yml` of the fixtures is not checked against an app.
    static let greetingNote = """
        greeting.campaign.yml:4:13: info: the campaign is not checked against an app: none was found outside of what \
        'exclude' in .payloadgen.yml names (campaign-without-app)
              category: lab_progress
                        ^~~~~~~~~~~~

        """

    /// The folder in which commands run by default.
    static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")

    /// The command, which is built beside the tests.
    static let executable = builtProduct("payloadgen")

    /// Runs the command.
    ///
    /// - Parameters:
    ///   - arguments: the arguments.
    ///   - input: the text on standard input.
    ///   - environment: variables that are added to the environment.
    ///   - folder: the working folder; by default that of the fixtures.
    ///   - processorSeconds: the processor time after which the system ends the command.
    /// - Throws: why the command cannot be run.
    init(
        _ arguments: [String],
        input: String = "",
        environment: [String: String] = [:],
        in folder: URL = fixtures,
        processorSeconds: Int? = nil
    ) throws {
        guard let processorSeconds else {
            try self.init(Self.executable, arguments, input, environment, folder)
            return
        }
        let limited = "ulimit -t \(processorSeconds); exec \"$0\" \"$@\""
        try self.init(
            URL(filePath: "/bin/sh"),
            ["-c", limited, Self.executable.path] + arguments,
            input,
            environment,
            folder
        )
    }

    /// Runs a line of the shell, in which `$PAYLOADGEN` is the command.
    ///
    /// - Throws: why it cannot be run.
    init(shell line: String) throws {
        let environment = ["PAYLOADGEN": Self.executable.path]
        try self.init(URL(filePath: "/bin/sh"), ["-c", line], "", environment, Self.fixtures)
    }

    /// Runs another program that is built with the tests.
    ///
    /// - Throws: why it cannot be run.
    init(program: String, _ arguments: [String], in folder: URL) throws {
        try self.init(builtProduct(program), arguments, "", [:], folder)
    }

    private init(
        _ executable: URL,
        _ arguments: [String],
        _ input: String,
        _ environment: [String: String],
        _ folder: URL
    ) throws {
        let process = Self.process(arguments, executable: executable, environment: environment, in: folder)
        let scratch = try Scratch()
        let outputFile = try scratch.file("stdout")
        let errorFile = try scratch.file("stderr")
        process.standardInput = try scratch.file("stdin", holding: input)
        process.standardOutput = outputFile
        process.standardError = errorFile
        try process.run()
        process.waitUntilExit()
        status = process.terminationStatus
        output = try scratch.text("stdout")
        (errors, debugNoteCount) = Self.withoutDebugNotes(try scratch.text("stderr"))
    }

    /// Standard error without the notes of debug builds about batches, and the number of these notes.
    static func withoutDebugNotes(_ errors: String) -> (text: String, count: Int) {
        let lines = errors.split(separator: "\n", omittingEmptySubsequences: false)
        let ownLines = lines.filter { !$0.hasPrefix("note: this is a debug build, ") }
        return (ownLines.joined(separator: "\n"), lines.count - ownLines.count)
    }

    /// A process for the command that is not started yet.
    static func process(
        _ arguments: [String],
        executable: URL = executable,
        environment: [String: String] = [:],
        in folder: URL = fixtures
    ) -> Process {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ["PATH": "/usr/bin:/bin", "TZ": "Asia/Tokyo", "LC_ALL": "C"].merging(environment) { $1 }
        return process
    }
}

/// A temporary folder that is removed when the value is released.
final class Scratch {
    private let temporary: TemporaryFolder

    init() throws { temporary = try TemporaryFolder() }

    var folder: URL { temporary.url }

    /// The absolute path of a file in the folder.
    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// The text of a file in the folder; empty if the file does not exist.
    func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
    }

    /// Writes a text to a file in the folder; missing folders on the way are created.
    func write(_ name: String, _ text: String) throws { try temporary.write(text, to: name) }

    /// Writes bytes to a file in the folder.
    func write(_ name: String, _ bytes: [UInt8]) throws { try Data(bytes).write(to: folder.appending(path: name)) }

    fileprivate func file(_ name: String, holding text: String = "") throws -> FileHandle {
        try write(name, text)
        return try FileHandle(forUpdating: folder.appending(path: name))
    }
}
