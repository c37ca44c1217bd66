// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import POSIXFiles
import PayloadKit
import PayloadLinting

/// Turns errors of the library into failures of a command, with the exit status for each kind.
extension CommandFailure {
    init(_ error: InputError) {
        let status: ExitStatus =
            switch error.reason {
            case .missing: .missingInput
            case .invalid:
                error.diagnostics.contains { $0.rule == .configurationSyntax } ? .brokenConfiguration : .unreadableInput
            case .ambiguous: .usage
            }
        self.init(status, error.diagnostics)
    }

    /// Creates the failure for an invalid configuration of the project.
    init(configuration error: InputError) { self.init(.brokenConfiguration, error.diagnostics) }

    /// Creates the failure for an error about a file; `path` replaces its path in the message.
    init(_ error: FileError, _ path: String? = nil) {
        let status: ExitStatus =
            switch (error.operation, error.reason) {
            case (.write, _): .unwritableOutput
            case (.read, .missing): .missingInput
            case (.read, _): .unreadableInput
            }
        self.init(status, path.map { FileError(error.operation, $0, error.reason).description } ?? error.description)
    }

    /// A single finding without a place is reported as a plain message, without a rule.
    private init(_ status: ExitStatus, _ diagnostics: [Diagnostic]) {
        if diagnostics.count == 1, diagnostics[0].place == nil {
            self.init(status, diagnostics[0].message)
        } else {
            self.init(status, .findings(diagnostics))
        }
    }
}

/// Returns a value that is read from an input, or throws the failure of the command if it cannot be read.
func orFail<Result>(
    input value: @autoclosure () throws(InputError) -> Result
) throws(CommandFailure) -> Result {
    do throws(InputError) { return try value() } catch { throw CommandFailure(error) }
}

/// Returns the result of reading or writing a file, or throws the failure of the command if this fails.
///
/// - Parameters:
///   - value: reads or writes the file.
///   - path: the path that the message shows; nil for the path in the error.
/// - Returns: the result.
/// - Throws: the failure, with the exit status for the error.
func orFail<Result>(
    file value: @autoclosure () throws(FileError) -> Result,
    shownAs path: String? = nil
) throws(CommandFailure) -> Result {
    do throws(FileError) { return try value() } catch { throw CommandFailure(error, path) }
}
