// SPDX-License-Identifier: MIT

public import ArgumentParser
import DiagnosticSources
import Foundation
import POSIXFiles

#if !Command
    #error("the command and the plugins need the package trait 'Command', which is on unless 'traits:' leaves it out")
#endif

/// The command `payloadgen`, whose subcommands do the work.
public struct Payloadgen: ParsableCommand {
    /// The name of the command.
    static let name = "payloadgen"

    /// The version, as `--version` prints it.
    static let version = "0.1.0"

    /// The name, the help, and the subcommands.
    public static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Renders Braze push campaigns for iOS, and checks their payloads against the app.",
        discussion: """
            Exit codes: 0 clean; 1 findings, or a message that does not render or pass its checks; 2 some profiles of a \
            batch failed; 3 abort_message ended the message; 64 wrong usage; 65 invalid input; 66 an input is missing; \
            69 Braze cannot be reached; 70 internal error; 74 output cannot be written; 77 Braze refuses the key; 78 broken \
            configuration.

            Example: payloadgen init demo && cd demo && payloadgen test
            """,
        version: version,
        subcommands: [
            Render.self, Lint.self, TestCommand.self, PreviewCommand.self, LanguageServerCommand.self, Pull.self,
            Eval.self, AppCommand.self, Generate.self, Track.self, Simulate.self, Attributes.self, Rules.self,
            Explain.self, SchemaCommand.self, Init.self,
        ]
    )

    /// Creates the command.
    public init() {}

    /// Runs the subcommand that the arguments name, and ends the process with its exit status.
    ///
    /// - Parameter arguments: the arguments without the program's own name.
    public static func end(with arguments: [String]) -> Never {
        // Closed standard streams are opened first, so that no other file gets their descriptors.
        guard Descriptor.occupyStandardStreams() else { Foundation.exit(ExitStatus.internalError.rawValue) }
        signal(SIGPIPE, SIG_IGN)
        // If this signal is ignored, writing beyond the limit of file sizes (`ulimit -f`) fails like writing to a full
        // disk, and does not end the process.
        signal(SIGXFSZ, SIG_IGN)
        signal(SIGINT) { _ in _exit(ExitStatus.interrupted.rawValue) }
        let status = run(arguments)
        if status == .interrupted { InterruptSignal.endProcess() }
        Foundation.exit(status.rawValue)
    }

    /// Prepares to run a command in this process; calling the result runs the command and returns its exit code.
    ///
    /// - Parameter arguments: the arguments without the program's own name; they must name a command and not ask for
    ///   help.
    /// - Returns: the function that runs the command.
    /// - Throws: an error about wrong arguments.
    package static func prepared(_ arguments: [String]) throws -> () -> Int32 {
        guard let command = try parsed(arguments) as? any Command else {
            throw ValidationError("expected a command to run")
        }
        return { command.runAndReport().rawValue }
    }

    /// Reads the arguments.
    ///
    /// - Throws: an error about wrong arguments, or about an option with one value that is given twice.
    private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
        let arguments = CoverageOptions.completed(arguments)
        let command = try command(of: arguments)
        if let option = OptionNames.repeatedOption(in: arguments, for: type(of: command)) {
            throw CommandFailure(.usage, "'\(option)' is given twice, expected it once, as it takes one value")
        }
        return command
    }

    /// Reads the arguments of a command.
    ///
    /// If the first argument names a command, that command reads the other arguments, and the result is used if they
    /// are valid. Starting at the root takes longer: the parser reflects over the root and its own completion commands,
    /// which doubles the time of a short run. Help and errors come from the root, with the full names of the commands.
    private static func command(of arguments: [String]) throws -> any ParsableCommand {
        if let name = arguments.first,
            let type = configuration.subcommands.first(where: { $0.configuration.commandName == name }),
            let command = try? type.parseAsRoot(Array(arguments.dropFirst())) as? any Command
        {
            return command
        }
        return try parseAsRoot(arguments)
    }

    private static func run(_ arguments: [String]) -> ExitStatus {
        // This shortcut skips the parser, which reflects over its own commands first; that takes most of the time of
        // such a short run.
        if arguments == ["--version"] { return printed(version) }
        do {
            var parsed = try parsed(arguments)
            if let command = parsed as? any Command { return command.runAndReport() }
            try parsed.run()
            return .success
        } catch let failure as CommandFailure {
            Console(.auto).report(failure)
            return failure.status
        } catch {
            return report(shown(error, arguments))
        }
    }

    /// The error with a message in which each wrong argument is on one line.
    ///
    /// The parser quotes arguments unchanged; a line break in one would look like the end of the message.
    private static func shown(_ error: any Error, _ arguments: [String]) -> any Error {
        let shown = arguments.map { ShownText($0).text }
        guard shown != arguments else { return error }
        do {
            _ = try parseAsRoot(CoverageOptions.completed(shown))
            return error
        } catch {
            return error
        }
    }

    /// Prints the help, the version, or an error about wrong arguments; returns the exit status.
    private static func report(_ error: any Error) -> ExitStatus {
        let console = Console(.auto)
        guard exitCode(for: error) == .success else {
            let words = fullMessage(for: error)
            let title = "Error: "
            let lines = ShownText.lines(of: words.hasPrefix(title) ? "error: " + words.dropFirst(title.count) : words)
            console.log(lines.joined(separator: "\n"))
            return .usage
        }
        return printed(message(for: error))
    }

    /// Prints a text that the user asked for.
    private static func printed(_ text: String) -> ExitStatus {
        let console = Console(.auto)
        do throws(CommandFailure) {
            try console.print(ShownText(verbatim: text + "\n"))
            return .success
        } catch {
            console.report(error)
            return error.status
        }
    }
}
