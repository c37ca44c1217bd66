// SPDX-License-Identifier: MIT

import ArgumentParser

/// A command of `payloadgen`: it holds its options, calls the library, and says how it ended.
protocol Command: ParsableCommand {
    /// Whether and where to use colour.
    var color: ColorOption { get }

    /// Does the work.
    func perform(on console: Console) throws(CommandFailure) -> ExitStatus
}

extension Command {
    /// Does the work, and tells on standard error why where it fails.
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
