// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import JSONTexts
import LiquidTemplates

extension CampaignRenderer {
    /// The finding that the payload is too large for every user, and the findings about branches of conditions whose
    /// text makes it too large.
    ///
    /// If every payload is over APNs' limit, only that is reported.
    package func leastSizeFindings() -> [Diagnostic] {
        guard let (size, fields) = leastPayload() else { return [] }
        if size.isOverLimit {
            let message = RenderMessages.overLimit(size, fields, isLeast: true)
            return [Diagnostic(.payloadSize, message, at: place(ofLargest: fields), severity: .error)]
        }
        let branchFindings = message.texts.flatMap { findings(aboutBranchesOf: $0, least: size) }
        guard size.isOverBudget else { return branchFindings }
        let message = RenderMessages.overBudget(size, fields, isLeast: true)
        return [Diagnostic(.payloadSize, message, at: place(ofLargest: fields), severity: .warning)] + branchFindings
    }

    /// The findings about branches of a text that make every payload with them too large, whatever Liquid prints
    /// elsewhere.
    ///
    /// They are warnings, as conditions elsewhere may prevent such a message.
    private func findings(aboutBranchesOf text: CompiledText, least: SizeBudget) -> [Diagnostic] {
        guard let template = text.template, text.role != .number else { return [] }
        let weight = text.weight
        let own = template.leastText(weighing: weight).reduce(0) { $0 + weight($1) }
        // A field that is empty without the branch also adds its key.
        let longestKey = 256
        var sizes: [Int: SizeBudget] = [:]
        let branches = template.branches(weighing: weight) { count in
            guard least.bytes + count - own > SizeBudget.limit - longestKey else { return false }
            var session = replacingTexts { $0 === text ? text.filled(count) : $0.least() }.session()
            sizes[count] = session.size(of: .unknown)?.size
            return sizes[count]?.isOverLimit ?? false
        }
        return branches.compactMap { branch in
            sizes[branch.weight].map { size in
                let place = text.source.place(of: branch.tag)
                return Diagnostic(.payloadSize, RenderMessages.overLimitInBranch(size), at: place, severity: .warning)
            }
        }
    }

    /// A lower bound for the size of every payload of the campaign, with the fields of that smallest payload.
    ///
    /// It counts the texts that a template always prints, and the shortest branch of each condition. Nil if rendering
    /// ends without a payload.
    package func leastPayload() -> (size: SizeBudget, fields: [Payload.Field])? {
        var session = replacingTexts { $0.least() }.session()
        return session.size(of: .unknown)
    }

    private func place(ofLargest fields: [Payload.Field]) -> SourcePlace {
        let largest = fields.max { $0.cost < $1.cost }
        let text = campaign.push.texts.first { $0.field == largest?.name }
        return text?.place ?? SourcePlace(wholeFile: campaign.file)
    }
}

extension CompiledText {
    /// A text that is at most as long as any rendering of this one.
    ///
    /// For a number, it is empty, as the number may be left out.
    fileprivate func least() -> CompiledText {
        guard let template else { return self }
        if role == .number { return replaced(by: "") }
        let weight = weight
        let runs = template.leastText(weighing: weight)
        guard role == .json else {
            return replaced(by: String(decoding: runs.joined(), as: UTF8.self))
        }
        return filled(runs.reduce(0) { $0 + weight($1) })
    }

    /// A text that takes `count` bytes in the payload, not counting the quotes of a JSON string unless the role is
    /// JSON.
    fileprivate func filled(_ count: Int) -> CompiledText {
        let isJSON = role == .json
        if isJSON, count < 2 { return replaced(by: "0") }
        let filling = String(repeating: "-", count: isJSON ? count - 2 : count)
        return replaced(by: isJSON ? "\"\(filling)\"" : filling)
    }

    private func replaced(by text: String) -> CompiledText { CompiledText(source.replaced(by: text), as: role) }

    /// A function that returns the fewest bytes that a run of text takes in the payload.
    fileprivate var weight: (ArraySlice<UInt8>) -> Int {
        role == .json ? { Self.leastJSONCount($0) } : { Self.escapedCount($0) }
    }

    /// The bytes of a run inside a JSON string; 0 for white space, as a field with only white space may be left out.
    private static func escapedCount(_ run: ArraySlice<UInt8>) -> Int {
        run.withUnsafeBufferPointer { bytes in
            if CampaignRendering.isBlank(bytes) { return 0 }
            var buffer = ByteBuffer(capacity: bytes.count)
            buffer.appendJSONEscaped(bytes)
            return buffer.count
        }
    }

    /// The fewest bytes of a run of JSON after it is minified.
    ///
    /// White space may be outside strings, and is then removed. An escape may become one byte, and may have begun in
    /// what Liquid prints before the run.
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
