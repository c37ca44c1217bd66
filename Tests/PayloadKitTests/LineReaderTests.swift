// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadgenTestSupport
import Testing

@testable import CampaignRendering

@Suite struct LineReaderTests {
    /// What became of a line that is not blank.
    private enum Line: Equatable {
        case text(Int, [UInt8])
        /// Passed over, with the hash that decides its shard.
        case oversized(Int, UInt64)
    }

    private static let limit = 100

    /// Lines around the limit, some of them blank, some after a carriage return.
    private static func text(_ random: inout SplitMix) -> [UInt8] {
        var text: [UInt8] = Int.random(in: 0..<2, using: &random) == 0 ? [0xEF, 0xBB, 0xBF] : []
        for _ in 0..<Int.random(in: 0..<12, using: &random) {
            let count = [0, 1, 30, limit - 1, limit, limit + 1, 3 * limit].randomElement(using: &random) ?? 0
            let byte = "x\t\u{0}".utf8.randomElement(using: &random) ?? 0
            text += [UInt8](repeating: byte, count: count)
            if Int.random(in: 0..<4, using: &random) == 0 { text.append(UInt8(ascii: "\r")) }
            text.append(UInt8(ascii: "\n"))
        }
        if Int.random(in: 0..<2, using: &random) == 0 { text.removeLast(min(1, text.count)) }
        return text
    }

    /// What the lines of a text are, without any reader.
    private static func expected(_ text: [UInt8]) -> [Line] {
        let text = text.starts(with: [0xEF, 0xBB, 0xBF]) ? text[3...] : text[...]
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.enumerated().compactMap { index, line in
            if line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { return nil }
            guard line.count > limit else { return .text(index + 1, Array(line)) }
            var hash = StableHash()
            hash.add(line)
            return .oversized(index + 1, hash.value)
        }
    }

    @Test func `which lines there are does not depend on how the bytes arrive`() {
        var random = SplitMix(seed: 13)
        for _ in 0..<400 {
            let text = Self.text(&random)
            var reader = LineReader(path: "p", file: nil, lineLimit: Self.limit, pieceCount: 40)
            var block = LineBlock()
            var rest = text[...]
            var lines: [Line] = []
            var waits = Int.random(in: 0..<3, using: &random)
            while true {
                let isFilled = reader.fill(&block) { room in
                    if waits > 0, !rest.isEmpty {
                        waits -= 1
                        return nil
                    }
                    waits = Int.random(in: 0..<3, using: &random)
                    let piece = rest.prefix(1 + Int.random(in: 0..<room.count, using: &random))
                    room.copyBytes(from: piece)
                    rest = rest.dropFirst(piece.count)
                    return piece.count
                }
                if !isFilled, rest.isEmpty { break }
                if !isFilled { continue }
                if let line = block.oversized {
                    if !line.isBlank { lines.append(.oversized(block.firstLine, line.hash.value)) }
                } else {
                    block.forEachLine { lines.append(.text($1, Array($0))) }
                }
            }
            #expect(lines == Self.expected(text))
        }
    }
}
