// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import POSIXFiles
import PayloadKit
import PayloadLinting

/// Makes failures of a command out of errors of the library, with the exit status for each kind.
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

    init(_ error: FileError) {
        let status: ExitStatus =
            switch (error.operation, error.reason) {
            case (.write, _): .unwritableOutput
            case (.read, .missing): .missingInput
            case (.read, _): .unreadableInput
            }
        self.init(status, error.description)
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
