// SPDX-License-Identifier: MIT

/// How a payload is written.
public enum PayloadFormat: String, Sendable, CaseIterable {
    /// The JSON that the device receives.
    case payload
    /// Readable text: the texts, the key-value pairs, the size, the findings.
    case text
    /// The payload as `xcrun simctl push` reads it.
    case simulator
    /// The headers for APNs, and the payload.
    case request
    /// The body of Braze's `POST /messages/send`, with everything rendered.
    case messagesSend = "messages-send"
    /// One record of a batch.
    case record
}
