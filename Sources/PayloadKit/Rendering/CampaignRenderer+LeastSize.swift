// SPDX-License-Identifier: MIT

import BrazeLiquid
import JSON
import Liquid
import SourceText

extension CampaignRenderer {
    /// A lower bound for the sizes of all payloads of the campaign.
    ///
    /// It counts the texts that a template always prints, and of branches the shortest. Nil where the campaign gives no
    /// payload.
    public func leastSize() -> SizeBudget? { leastPayload()?.size }

    /// The finding about payloads that are too large for every user; nil where some may fit.
    package func leastSizeFinding() -> Diagnostic? {
        guard let (size, fields) = leastPayload(), size.isOverLimit || size.isOverBudget else { return nil }
        return Diagnostic(
            .payloadSize,
            size.isOverLimit
                ? RenderMessages.overLimit(size, fields, isLeast: true)
                : RenderMessages.overBudget(size, fields, isLeast: true),
            at: place(ofLargest: fields),
            severity: size.isOverLimit ? .error : .warning
        )
    }

    private func leastPayload() -> (size: SizeBudget, fields: [Payload.Field])? {
        var session = replacingTexts { $0.least($1) }.session()
        return session.size(of: .unknown)
    }

    private func place(ofLargest fields: [Payload.Field]) -> SourcePlace {
        let largest = fields.max { $0.cost < $1.cost }
        let text = campaign.push.texts.first { $0.field == largest?.name }
        return text?.place ?? SourcePlace(campaign.file, SourceRange(0, 0))
    }
}

extension CompiledText {
    /// A text that is no longer than any rendered text.
    ///
    /// A number that renders to nothing is left out.
    fileprivate func least(_ role: CompiledMessage.Role) -> CompiledText {
        guard let template else { return self }
        if role == .number { return CompiledText(source.replaced(by: "")) }
        let isJSON = role == .json
        let weight = isJSON ? Self.leastJSONCount : Self.escapedCount
        let runs = template.leastText(weighing: weight)
        guard isJSON else { return CompiledText(source.replaced(by: String(decoding: runs.joined(), as: UTF8.self))) }
        let count = runs.reduce(0) { $0 + weight($1) }
        return CompiledText(source.replaced(by: count < 2 ? "0" : "\"\(String(repeating: "-", count: count - 2))\""))
    }

    /// The bytes of a run inside a JSON string; 0 for white space, as a text of only white space may be left out.
    private static func escapedCount(_ run: ArraySlice<UInt8>) -> Int {
        run.withUnsafeBufferPointer { bytes in
            if PayloadKit.isBlank(bytes) { return 0 }
            var buffer = ByteBuffer(capacity: bytes.count)
            buffer.appendJSONEscaped(bytes)
            return buffer.count
        }
    }

    /// The fewest bytes of a run of JSON after it is minified.
    ///
    /// White space may be outside strings. An escape may become one byte, and may have begun in what Liquid prints
    /// before the run.
    private static func leastJSONCount(_ run: ArraySlice<UInt8>) -> Int {
        let longestEscape = 6
        var count = run.startIndex == 0 ? 0 : 1 - longestEscape
        var position = run.startIndex
        while position < run.endIndex {
            switch run[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): position += 1
            case UInt8(ascii: "\\"):
                count += 1
                let isLong = position + 1 < run.endIndex && run[position + 1] == UInt8(ascii: "u")
                position += isLong ? longestEscape : 2
            default:
                count += 1
                position += 1
            }
        }
        return max(0, count)
    }
}
