// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts
import LiquidTemplates

extension Payload {
    /// The payload alone.
    ///
    /// - Parameter pretty: whether each member is on a line of its own.
    /// - Returns: UTF-8 without a line break at its end.
    public func json(pretty: Bool = false) -> [UInt8] {
        pretty ? Self.formatted(bytes) : bytes
    }

    /// The payload for `xcrun simctl push`.
    ///
    /// - Parameters:
    ///   - bundleID: the app that receives it.
    ///   - pretty: whether each member is on a line of its own.
    /// - Returns: UTF-8 without a line break at its end.
    public func simulatorJSON(bundleID: String, pretty: Bool = false) -> [UInt8] {
        var buffer = ByteBuffer(capacity: bytes.count + 64)
        buffer.append("{\"Simulator Target Bundle\":")
        buffer.appendJSON(bundleID)
        buffer.append(UInt8(ascii: ","))
        bytes[1...].withUnsafeBufferPointer { buffer.append($0) }
        let json = buffer.withUnsafeBytes { Array($0) }
        return pretty ? Self.formatted(json) : json
    }

    /// The request to APNs: its headers, and the payload.
    ///
    /// - Parameters:
    ///   - bundleID: the app's identifier, which is the topic.
    ///   - pretty: whether each member is on a line of its own.
    /// - Returns: UTF-8 without a line break at its end.
    public func requestJSON(bundleID: String, pretty: Bool = false) -> [UInt8] {
        var json = JSONWriter(into: ByteBuffer(capacity: bytes.count + 256))
        json.beginObject()
        json.key("headers")
        json.beginObject()
        json.member("apns-topic", bundleID)
        for header in headers.all { json.member(header.name, header.value) }
        json.endObject()
        json.key("payload")
        bytes.withUnsafeBufferPointer { json.raw($0) }
        json.endObject()
        let result = json.buffer.withUnsafeBytes { Array($0) }
        return pretty ? Self.formatted(result) : result
    }

    /// JSON with each member on a line of its own; text that is not JSON is returned unchanged.
    static func formatted(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBufferPointer { bytes in
            var json = JSONReader(bytes)
            var writer = JSONWriter(into: ByteBuffer(capacity: bytes.count * 2), pretty: true)
            do throws(JSONError) {
                try copyJSON(&json, to: &writer)
            } catch {
                return Array(bytes)
            }
            return writer.buffer.withUnsafeBytes { Array($0) }
        }
    }
}

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
