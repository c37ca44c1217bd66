// SPDX-License-Identifier: MIT

import ArgumentParser
import Foundation
import POSIXFiles

/// A command of `payloadgen`: it has options, calls the library, and returns an exit status.
protocol Command: ParsableCommand {
    /// The option `--color`.
    var color: ColorOption { get }

    /// Whether the command reads or writes files, which requires that the working folder exists.
    static var usesFiles: Bool { get }

    /// Runs the command.
    func perform(on console: Console) throws(CommandFailure) -> ExitStatus
}

extension Command {
    static var usesFiles: Bool { true }

    /// Runs the command, and reports a failure on standard error.
    func runAndReport() -> ExitStatus {
        let console = Console(color.color)
        do throws(CommandFailure) {
            if Self.usesFiles { try requireWorkingFolder() }
            return console.status(try perform(on: console))
        } catch {
            console.report(error)
            return console.status(error.status)
        }
    }

    /// Throws an error if the working folder does not exist, because relative paths and projects start from it.
    private func requireWorkingFolder() throws(CommandFailure) {
        guard String.existingWorkingFolder == nil else { return }
        let number = errno
        let message =
            number == ENOENT
            ? "the working folder no longer exists"
            : "cannot find the path of the working folder: \(FileError.message(number))"
        throw CommandFailure(.missingInput, message)
    }
}
