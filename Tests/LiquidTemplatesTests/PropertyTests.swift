// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import PayloadgenTestSupport
import Testing

@testable import LiquidTemplates

/// What holds for every input, tried on many that a seed makes.
@Suite struct PropertyTests {
    /// Pieces that random templates are made of.
    private static let pieces = [
        "{{", "}}", "{%", "%}", "{%-", "-%}", "-", "%", "{", "}", " ", "\n", "a", "'", "\"", "日本", "\u{0}", "|", ".",
        "[", "]",
        "if a", "endif", "for i in (1..3)", "endfor", "liquid\n", "raw", "endraw", "comment", "endcomment",
        "assign a = b",
        "upcase", ": 1", "(1..9)", "==", "and", "case", "when", "cycle 'a'", "include 'p'", "break", "tablerow i in a",
    ]

    private static func source(_ random: inout SplitMix) -> String {
        (0..<Int.random(in: 1...40, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
    }

    @Test func `tokens of a template tile it up to an opening without an end`() {
        var random = SplitMix(seed: 7)
        for _ in 0..<3000 {
            let source = Array(Self.source(&random).utf8)
            source.withUnsafeBufferPointer { bytes in
                var tokenizer = TemplateTokenizer(bytes, to: bytes.count)
                var end = 0
                while let token = tokenizer.next() {
                    #expect(token.start == end)
                    #expect(token.end > token.start && token.end <= bytes.count)
                    end = tokenizer.position
                    #expect(token.end == end || token.end - token.start == 2)
                }
                #expect(end == bytes.count)
            }
        }
    }

    @Test func `tokens of markup are ascending and leave out nothing but white space`() {
        var random = SplitMix(seed: 8)
        for _ in 0..<3000 {
            let source = Array(Self.source(&random).utf8)
            source.withUnsafeBufferPointer { bytes in
                var lexer = ExpressionLexer(bytes, from: 0, to: bytes.count)
                var end = 0
                while case let token = lexer.next() {
                    let isGapBlank = bytes[end..<token.start].allSatisfy(\.isRubySpace)
                    #expect(token.start >= end && isGapBlank)
                    if token.kind == .end { break }
                    #expect(token.end > token.start)
                    end = token.end
                }
            }
        }
    }

    @Test func `random templates are rendered within their limits or refused`() {
        var random = SplitMix(seed: 9)
        var input = RenderInput(partials: MemoryPartials(["p": "{% include 'p' %}a"]), errorPolicy: .inline)
        input.limits.outputBytes = 1000
        input.limits.scores.nodes = 1000
        var renderer = Renderer(input)
        for _ in 0..<2000 {
            var source = Array(Self.source(&random).utf8)
            if Bool.random(using: &random) {
                let index = Int.random(in: source.indices, using: &random)
                source[index] = UInt8.random(in: 0...255, using: &random)
            }
            for mode in ErrorMode.allCases {
                guard let template = try? Template(source, mode: mode) else { continue }
                _ = try? renderer.render(template)
                #expect(renderer.output.count <= 1000)
            }
        }
    }

    @Test func `nodes and expressions are inside the source, in its order`() {
        var random = SplitMix(seed: 10)
        for _ in 0..<2000 {
            let source = Array(Self.source(&random).utf8)
            for mode in ErrorMode.allCases {
                guard let template = try? Template(source, mode: mode) else { continue }
                expectPlaces(of: template.root, within: source.count)
            }
        }
    }

    private func expectPlaces(of block: BlockSyntax, within count: Int) {
        for node in block.nodes {
            #expect(Int(node.range.end) <= count)
            for expression in node.expressions { #expect(Int(expression.range.end) <= count) }
            for block in node.blocks { expectPlaces(of: block, within: count) }
        }
        for (node, next) in zip(block.nodes, block.nodes.dropFirst()) {
            #expect(node.range.end <= next.range.start)
        }
    }

    @Test func `the time to read a template grows with its length alone`() throws {
        let line =
            "{% if a == 'b' %}{{ user.name | upcase | default: 'x' }}{% else %}text{% endif %}{% assign c = d[0] %}\n"
        // The time of this thread alone, as other tests run at the same time.
        func now() -> Int {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return time.tv_sec * 1_000_000_000 + time.tv_nsec
        }
        func time(_ count: Int) throws -> Int {
            let source = Array(String(repeating: line, count: count).utf8)
            let times = try (0..<3).map { _ in
                let start = now()
                _ = try Template(source)
                return now() - start
            }
            return times.min() ?? 0
        }
        let once = try time(100)
        // Work in proportion takes 4 and 16 times as long, in the square 16 and 256 times; a shared cache has room
        // between.
        #expect(try time(400) < once * 14)
        #expect(try time(1600) < once * 128)
    }
}
