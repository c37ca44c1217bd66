// SPDX-License-Identifier: MIT

import AppBundles
import Files
import Linting
import PayloadKit
import SourceText

/// What the library throws, as the end of a command.
extension CommandFailure {
    init(_ error: CampaignError) {
        self.init(error.reason == .missing ? .missingInput : .unreadableInput, error.diagnostics)
    }

    init(_ error: AppError) {
        self.init(error.reason == .missing ? .missingInput : .unreadableInput, error.diagnostics)
    }

    init(_ error: ConfigurationError) {
        self.init(.brokenConfiguration, error.diagnostics)
    }

    init(_ error: FileError) {
        let status: ExitStatus =
            switch (error.operation, error.reason) {
            case (.write, _): .unwritableOutput
            case (.read, .missing): .missingInput
            case (.read, _): .unreadableInput
            }
        self.init(status, error.description)
    }

    init(_ error: LintError) {
        self.init(.missingInput, "no file or folder '\(error.path)'")
    }

    /// Findings without a place are told as plain messages.
    private init(_ status: ExitStatus, _ diagnostics: [Diagnostic]) {
        if diagnostics.count == 1, diagnostics[0].place == nil {
            self.init(status, diagnostics[0].message)
        } else {
            self.init(status, .findings(diagnostics))
        }
    }
}
