// SPDX-License-Identifier: MIT

import BrazeLiquid
import JSON
import Liquid
import SourceText

extension CampaignRenderer {
    /// What every payload of the campaign weighs at least: no user gets one that is smaller.
    ///
    /// Of a template the texts that are printed for everybody count, of branches the shortest. Nil where no payload comes of
    /// the campaign.
    public func leastSize() -> SizeBudget? { leastPayload()?.size }

    /// The finding about a payload that fits for no user; nil where it may fit.
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
        return session.weigh(.unknown)
    }

    private func place(ofLargest fields: [Payload.Field]) -> SourcePlace {
        let largest = fields.max { $0.cost < $1.cost }
        let text = campaign.push.texts.first { $0.field == largest?.name }
        return text?.place ?? SourcePlace(campaign.file, SourceRange(0, 0))
    }
}

extension CompiledText {
    /// A text of which rendering gives no shorter one.
    ///
    /// A number that renders to nothing is left out.
    fileprivate func least(_ role: CompiledMessage.Role) -> CompiledText {
        guard let template else { return self }
        if role == .number { return CompiledText(source.saying("")) }
        let isJSON = role == .json
        let weight = isJSON ? Self.leastJSONCount : Self.escapedCount
        let runs = template.leastText(weighing: weight)
        guard isJSON else { return CompiledText(source.saying(String(decoding: runs.joined(), as: UTF8.self))) }
        let count = runs.reduce(0) { $0 + weight($1) }
        return CompiledText(source.saying(count < 2 ? "0" : "\"\(String(repeating: "-", count: count - 2))\""))
    }

    /// The bytes of a run inside of a JSON string; none of a run of white space, as a text of nothing else may be left out.
    private static func escapedCount(_ run: ArraySlice<UInt8>) -> Int {
        run.withUnsafeBufferPointer { bytes in
            if PayloadKit.isBlank(bytes) { return 0 }
            var buffer = ByteBuffer(capacity: bytes.count)
            buffer.appendJSONEscaped(bytes)
            return buffer.count
        }
    }

    /// The bytes that a run of JSON takes at least once it is minified.
    ///
    /// White space may be outside of strings. An escape may become one byte, and may have begun in what Liquid prints
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
