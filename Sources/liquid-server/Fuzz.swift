// SPDX-License-Identifier: MIT

import Foundation
import Liquid
import SourceText

/// Reads and renders mutated templates for a while: none may trap, hang or pass its limits.
///
/// The template under test stands in `current` before it is run, so that it is there after a trap.
struct Fuzz: ~Copyable {
    private static let current = FileManager.default.temporaryDirectory.appending(path: "liquid-fuzz-current.liquid")
    /// What is spliced into templates: the bytes and words that mean something.
    private static let words: [[UInt8]] = [
        "{{", "}}", "{%", "%}", "-%}", "{%-", "{%raw%}", "{% if a %}", "{% endif %}", "{% for i in (1..9) %}",
        "{% endfor %}",
        "{% liquid\n", "{% comment %}", "{% case a %}{% when", "{% include 'p' %}", "{% render 'p' %}",
        "| date: '%9999Y'",
        "| times: 99999999999999999999", "| split: ''", "| slice: -9223372036854775808", "(1..1000000000000)", "..",
        "[", "]",
        "'", "\"", "nil", "blank", " and ", " contains ", "forloop.parentloop", "\0", "\u{301}", "👨‍👩‍👧",
        "9223372036854775807",
        "{% tablerow i in a cols: 0 %}", "{% cycle a: ", "{% increment a %}", "offset: continue",
        "| sort | uniq | reverse",
    ].map { Array($0.utf8) }

    private let corpus: [[UInt8]]
    private var random: Generator
    private var renderer: Renderer

    /// Runs for a time and says what it did; ends the program with 1 where a template takes longer than it may.
    static func run(seconds: Int, seed: UInt64, files: [String]) {
        let corpus = files.compactMap { FileManager.default.contents(atPath: $0).map { [UInt8]($0) } }
        var fuzz = Fuzz(corpus: corpus.isEmpty ? [Array("{{ a }}".utf8)] : corpus, seed: seed)
        let clock = ContinuousClock()
        let end = clock.now + .seconds(seconds)
        var count = 0
        var slowest = Duration.zero
        while clock.now < end {
            let start = clock.now
            fuzz.runOnce()
            let elapsed = clock.now - start
            slowest = max(slowest, elapsed)
            if elapsed > .seconds(20) { Console.fail("took \(elapsed): \(Self.current.path)") }
            count += 1
        }
        Console.write("fuzz: \(count) templates from seed \(seed) in \(seconds) s, the slowest took \(slowest)")
    }

    private init(corpus: [[UInt8]], seed: UInt64) {
        self.corpus = corpus
        random = Generator(state: seed)
        var input = RenderInput(
            partials: MemoryPartials(["p": "{% include 'p' %}{{ a }}{% break %}"]),
            errorPolicy: .inline
        )
        input.limits.outputBytes = 1 << 20
        input.limits.stringBytes = 1 << 18
        input.limits.renderScore = 20_000
        input.limits.totalRenderScore = 20_000
        renderer = Renderer(input)
    }

    private mutating func runOnce() {
        let source = mutated()
        try? Data(source).write(to: Self.current)
        for mode in ErrorMode.allCases {
            guard let template = try? Template(source, mode: mode) else { continue }
            _ = template.analysis()
            _ = try? renderer.render(template, data: data)
            if renderer.output.count > 1 << 20 { Console.fail("passed the limit of output: \(Self.current.path)") }
        }
    }

    private var data: LiquidObject {
        let list = Value.array([.integer(1), .string("b"), .null, .float(1.5), .bool(false)])
        return LiquidObject([
            (key: "a", value: list), (key: "b", value: .string("日本 <b>x</b>")), (key: "i", value: .integer(.max)),
            (key: "o", value: .object(LiquidObject([(key: "a", value: list)]))),
        ])
    }

    /// A template of the corpus with some of its bytes changed, or random bytes.
    private mutating func mutated() -> [UInt8] {
        if random.below(20) == 0 { return (0..<random.below(200)).map { _ in UInt8(random.below(128)) } }
        var source = corpus[random.below(corpus.count)]
        for _ in 0...random.below(6) {
            let start = random.below(source.count + 1)
            let end = min(source.count, start + random.below(12))
            switch random.below(6) {
            case 0: source.removeSubrange(start..<end)
            case 1: source.insert(UInt8(random.below(256)), at: start)
            case 2: source.insert(contentsOf: source[start..<end], at: start)
            case 3:
                let other = corpus[random.below(corpus.count)]
                let from = random.below(other.count + 1)
                source.insert(contentsOf: other[from..<min(other.count, from + random.below(60))], at: start)
            default: source.insert(contentsOf: Self.words[random.below(Self.words.count)], at: start)
            }
        }
        return source
    }
}

/// Numbers that a seed alone determines: SplitMix64.
private struct Generator {
    var state: UInt64

    mutating func below(_ limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((bits ^ (bits >> 31)).multipliedFullWidth(by: UInt64(max(limit, 1))).high)
    }
}
