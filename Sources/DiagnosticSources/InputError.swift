// SPDX-License-Identifier: MIT

/// Why an input cannot be used: a campaign, a profile, an app, a configuration or another file.
public struct InputError: Error, Sendable {
    /// The kind of failure.
    public enum Reason: Sendable, Hashable {
        /// A file or folder does not exist or cannot be opened.
        case missing
        /// A file or folder was found, but its kind or its contents are not what was expected.
        case invalid
        /// Several candidates were found where one was expected, or none of them has the given name.
        case ambiguous
    }

    /// The kind of failure.
    public var reason: Reason

    /// The findings that explain the failure, at least one.
    public var diagnostics: [Diagnostic]

    /// Creates an error.
    public init(_ reason: Reason, _ diagnostics: [Diagnostic]) {
        self.reason = reason
        self.diagnostics = diagnostics
    }
}
