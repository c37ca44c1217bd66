// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates

extension TagDefinition {
    /// `{% random %}`: prints a random number.
    ///
    /// Without a limit, the number is from 0 up to but not including 1; with one, as in `{% random 6 %}`, an integer
    /// from 0 to 5. It is a hash of the seed, the record ID, the field and the number of earlier uses in the field, so
    /// the same input gives the same output. Source: Braze, "Supported personalization tags".
    static let random = TagDefinition(
        "random",
        summary: "Prints a random number: from 0 up to 1, or an integer below a limit.",
        takesText: true,
        effects: []
    ) { (markup) throws(LiquidError) -> TagMarkup.Expression? in
        let words = markup.words(in: markup.range)
        guard words.count <= 1 else { throw markup.error("expected one limit or nothing") }
        guard let word = words.first else { return nil }
        return try markup.addExpression(word)
    } run: { (limit, values, renderer) throws(LiquidError) in
        let state = try renderer.messageState()
        var hash = StableHash(seed: state.seed)
        hash.combine(state.recordID)
        hash.combine(state.field)
        let bits = hash.finish(occurrence: state.randomCount)
        state.randomCount += 1
        guard let limit else {
            renderer.write(Value.float(Double(bits >> 11) / Double(1 << 53 as UInt64)).text)
            return .proceed
        }
        let count = try values[limit].wholeNumber()
        guard count > 0 else {
            throw LiquidError(.argument, "found \(count) as the limit of 'random', expected a number above 0")
        }
        renderer.write(String(bits.multipliedFullWidth(by: UInt64(count)).high))
        return .proceed
    }
}

extension StableHash {
    fileprivate init(seed: Int) {
        self.init()
        combine(UInt64(bitPattern: Int64(seed)))
    }

    fileprivate mutating func combine(_ text: String) {
        add(text)
        // The separator is a byte that never occurs in UTF-8, so that `ab`, `c` and `a`, `bc` get different hashes.
        add(0xFF as UInt8)
    }

    private mutating func combine(_ number: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) { add(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
    }

    /// The hash for an occurrence, mixed so that each bit depends on every bit of the input.
    fileprivate func finish(occurrence: UInt64) -> UInt64 {
        var copy = self
        copy.combine(occurrence)
        var bits = copy.value
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
