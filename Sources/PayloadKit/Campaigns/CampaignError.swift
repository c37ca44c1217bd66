// SPDX-License-Identifier: MIT

public import SourceText

/// Why a campaign, a profile or another input cannot be used.
public struct CampaignError: Error, Sendable {
    /// The kind of failure.
    public enum Reason: Sendable, Hashable {
        /// The file is not there, or cannot be opened.
        case missing
        /// The file is not what it should be.
        case invalid
    }

    /// The kind of failure.
    public var reason: Reason

    /// What was found, at least one finding.
    public var diagnostics: [Diagnostic]

    /// Creates an error.
    public init(_ reason: Reason, _ diagnostics: [Diagnostic]) {
        self.reason = reason
        self.diagnostics = diagnostics
    }

    static func missing(_ path: String) -> CampaignError {
        CampaignError(
            .missing,
            [Diagnostic(.campaignSyntax, "cannot read '\(path)'", at: nil)]
        )
    }
}
