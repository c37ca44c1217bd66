// SPDX-License-Identifier: MIT

/// The outcome of one message.
public enum Outcome: Sendable {
    /// The message is sent.
    case rendered(Payload)
    /// The template aborts the message with `{% abort_message %}`.
    case aborted(reason: String)
    /// The message cannot be sent.
    case failed(RenderError)
}
