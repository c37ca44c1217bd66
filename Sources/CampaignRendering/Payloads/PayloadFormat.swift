// SPDX-License-Identifier: MIT

/// A form in which a payload can be printed.
public enum PayloadFormat: String, Sendable, CaseIterable {
    /// The JSON that the device receives.
    case payload
    /// Readable text: the texts, the key-value pairs, the size, the findings.
    case text
    /// The payload as `xcrun simctl push` reads it.
    case simulator
    /// The headers of the request to APNs, and the payload.
    case request
    /// The body of Braze's `POST /messages/send`, with everything rendered.
    case messagesSend = "messages-send"
    /// The payload as one record of a batch.
    case record
}
