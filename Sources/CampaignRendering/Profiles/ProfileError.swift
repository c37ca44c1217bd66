// SPDX-License-Identifier: MIT

public import DiagnosticSources
import JSONTexts

/// The reason that a text is not a valid profile, context or set of properties.
public struct ProfileError: Error, Sendable, Hashable {
    /// What was found and what was expected: lower case, no full stop.
    public var message: String

    /// Where the error is, in bytes from the start of the text.
    public var range: SourceRange

    init(_ message: String, at range: SourceRange) {
        self.message = message
        self.range = range
    }

    init(_ error: JSONError) {
        message = error.message
        range = error.range
    }

    /// The error as a finding in a file.
    public func diagnostic(in file: SourceFile) -> Diagnostic {
        Diagnostic(.profileSyntax, message, at: SourcePlace(file, range))
    }
}
