// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts
import LiquidTemplates

/// The parts of a message for reports in any format, in reading order, with the bytes of each.
package struct MessageDescription: Sendable {
    /// One field.
    package struct Part: Sendable {
        /// The name of the field; for a key-value pair, its key without `extras.`.
        package let name: String

        /// The value: of a text, its characters; of any other value, its JSON.
        package let value: String

        /// The bytes that the field takes in the payload, with its key and punctuation.
        package let cost: Int
    }

    /// Title, subtitle and body.
    package private(set) var texts: [Part] = []

    /// All fields except texts, key-value pairs and the placeholder.
    package private(set) var details: [Part] = []

    /// The key-value pairs.
    package private(set) var extras: [Part] = []

    /// The placeholder for Braze's own data.
    package private(set) var placeholder: Part?

    /// The size of the payload.
    ///
    /// It is the sum of the costs of all parts and of ``SizeBudget/structure``.
    package let size: SizeBudget

    /// Describes the message of a payload.
    package init(_ payload: Payload) { self.init(payload.bytes, payload.fields, payload.size) }

    /// Describes a message.
    ///
    /// - Parameters:
    ///   - bytes: the payload of the message.
    ///   - fields: the fields of the payload.
    ///   - size: the size of the payload.
    package init(_ bytes: [UInt8], _ fields: [Payload.Field], _ size: SizeBudget) {
        self.size = size
        for field in fields {
            let value = field.text(in: bytes) ?? field.json(in: bytes)
            let part = Part(name: field.extraKey ?? field.name, value: value, cost: field.cost)
            if field.extraKey != nil {
                extras.append(part)
            } else if field.name == PayloadWriter.campaignField.text {
                placeholder = part
            } else if ["title", "subtitle", "body"].contains(field.name) {
                texts.append(part)
            } else {
                details.append(part)
            }
        }
    }

    /// The value of a field that is not a key-value pair; nil if the message does not have it.
    package subscript(name: String) -> String? { (texts + details).first { $0.name == name }?.value }

    /// The address and the type of the image that the service extension attaches; nil if there is none.
    package var image: (url: String, type: String)? {
        guard let json = self["image"],
            case .object(let image)? = Array(json.utf8).withUnsafeBufferPointer({ try? Value(json: $0) }),
            case .string(let url)? = image["url"], case .string(let type)? = image["type"]
        else { return nil }
        return (url, type)
    }
}

extension SizeBudget {
    /// A limit of bytes, and how many of them are used.
    package struct Limit: Sendable {
        /// Who sets the limit, such as `APNs`.
        package let name: String

        /// The bytes that count towards it.
        package let used: Int

        /// The limit in bytes.
        package let most: Int

        /// Both numbers, such as `567 of 4,096 bytes`.
        package var text: String {
            "\(RenderMessages.grouped(used)) of \(RenderMessages.grouped(most)) bytes"
                + (used > most ? ", too many" : "")
        }
    }

    /// Both limits: APNs' limit, and the bytes that Braze leaves to the campaign.
    package var limits: [Limit] {
        [Limit(name: "APNs", used: bytes, most: Self.limit), Limit(name: "Braze", used: share, most: budget)]
    }
}

extension Payload.Field {
    /// The text of the field in a payload; nil if it is not a text.
    func text(in payload: [UInt8]) -> String? {
        payload[range.offsets].withUnsafeBufferPointer { value in
            var json = JSONReader(value)
            guard case .string(let text)? = try? json.readValue() else { return nil }
            return json.string(text)
        }
    }

    /// The JSON of the field in a payload.
    func json(in payload: [UInt8]) -> String { String(decoding: payload[range.offsets], as: UTF8.self) }
}
