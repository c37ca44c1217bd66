// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// The outcome of one message.
public enum Outcome: Sendable {
    /// The message is sent.
    case rendered(Payload)
    /// The template aborts the message with `{% abort_message %}`.
    case aborted(reason: String)
    /// The message cannot be sent.
    case failed(RenderError)
}

/// The reason a message cannot be sent.
public struct RenderError: Error, Sendable {
    /// What was found and what was expected: lower case, no full stop.
    public var message: String

    /// The rule that the message breaks; nil if rendering itself failed.
    public var rule: RuleID?

    /// The field, such as `title` or `extras.next_session_name`.
    public var field: String?

    /// The place of the error, usually in the campaign's file; nil if it is not known.
    public var place: SourcePlace?

    /// Other places that explain the error.
    public var related: [Diagnostic.Related] = []

    /// The other errors that prevent the message from being sent.
    public var others: [RenderError] = []

    /// Creates an error.
    public init(_ message: String, rule: RuleID? = nil, field: String? = nil, at place: SourcePlace? = nil) {
        self.message = message
        self.rule = rule
        self.field = field
        self.place = place
    }

    /// The error and all ``others`` as findings.
    public var diagnostics: [Diagnostic] { [diagnostic] + others.flatMap(\.diagnostics) }

    /// The error as a finding, without ``others``.
    var diagnostic: Diagnostic {
        Diagnostic(
            rule ?? .renderError,
            field.map { "\($0): \(message)" } ?? message,
            at: place,
            severity: .error,
            related: related,
            // The subject tells several missing pairs at one place apart.
            subject: rule == .extrasContract ? field : nil
        )
    }
}

/// The end of a message before its payload is complete.
enum Interruption: Error {
    case aborted(reason: String)
    case failed(RenderError)

    /// The outcome of the message.
    var outcome: Outcome {
        switch self {
        case .aborted(let reason): .aborted(reason: reason)
        case .failed(let error): .failed(error)
        }
    }
}
