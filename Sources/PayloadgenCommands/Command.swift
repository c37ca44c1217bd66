// SPDX-License-Identifier: MIT

import ArgumentParser

/// A command of `payloadgen`: it has options, calls the library, and returns an exit status.
protocol Command: ParsableCommand {
    /// The option `--color`.
    var color: ColorOption { get }

    /// Runs the command.
    func perform(on console: Console) throws(CommandFailure) -> ExitStatus
}

extension Command {
    /// Runs the command, and reports a failure on standard error.
    func status() -> ExitStatus {
        let console = Console(color.color)
        do throws(CommandFailure) {
            return try perform(on: console)
        } catch {
            console.report(error)
            return error.status
        }
    }
}
