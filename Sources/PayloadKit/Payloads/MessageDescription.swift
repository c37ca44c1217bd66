// SPDX-License-Identifier: MIT

import JSON
import SourceText

/// What people are told of a message, whatever the form: its parts in the order they are read in, and what each costs.
package struct MessageDescription: Sendable {
    /// One field.
    package struct Part: Sendable {
        /// The name of the field, that of a pair without `extras.`.
        package let name: String

        /// The text, or the JSON of what is no text.
        package let value: String

        /// The bytes that it takes in the payload.
        package let cost: Int
    }

    /// Title, subtitle and body.
    package private(set) var texts: [Part] = []

    /// What is neither a text nor a pair.
    package private(set) var details: [Part] = []

    /// The key-value pairs.
    package private(set) var extras: [Part] = []

    /// The stand-in for Braze's own data.
    package private(set) var standIn: Part?

    /// What the payload weighs; with ``SizeBudget/structure`` the costs of all parts add up to it.
    package let size: SizeBudget

    /// Describes a message.
    ///
    /// - Parameters:
    ///   - bytes: its payload.
    ///   - fields: the fields in it.
    ///   - size: how large it is.
    package init(_ bytes: [UInt8], _ fields: [Payload.Field], _ size: SizeBudget) {
        self.size = size
        for field in fields {
            let value = field.text(in: bytes) ?? field.json(in: bytes)
            let part = Part(name: field.extraKey ?? field.name, value: value, cost: field.cost)
            if field.extraKey != nil {
                extras.append(part)
            } else if field.name == PayloadWriter.campaignField {
                standIn = part
            } else if ["title", "subtitle", "body"].contains(field.name) {
                texts.append(part)
            } else {
                details.append(part)
            }
        }
    }
}

extension SizeBudget {
    /// What may be used up to a limit, and what is.
    package struct Limit: Sendable {
        /// Whose limit it is.
        package let name: String

        /// The bytes that count against it.
        package let used: Int

        /// The most that is taken, in bytes.
        package let most: Int

        /// Both numbers, such as `567 of 4,096 bytes`.
        package var text: String {
            "\(RenderMessages.grouped(used)) of \(RenderMessages.grouped(most)) bytes"
                + (used > most ? ", too many" : "")
        }
    }

    /// Both limits: that of APNs, and what Braze leaves to the campaign.
    package var limits: [Limit] {
        [Limit(name: "APNs", used: bytes, most: Self.limit), Limit(name: "Braze", used: share, most: budget)]
    }
}

extension Payload.Field {
    /// The text that the field holds in a payload; nil where it is no text.
    func text(in payload: [UInt8]) -> String? {
        payload[range.offsets].withUnsafeBufferPointer { value in
            var json = JSONReader(value)
            guard case .string(let text)? = try? json.readValue() else { return nil }
            return json.string(text)
        }
    }

    /// What the field holds in a payload, as it is written there.
    func json(in payload: [UInt8]) -> String { String(decoding: payload[range.offsets], as: UTF8.self) }
}
