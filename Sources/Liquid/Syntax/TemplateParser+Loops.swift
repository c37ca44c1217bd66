// SPDX-License-Identifier: MIT

/// The parts that `for` and `tablerow` share.
extension TemplateParser {
    mutating func addOption(_ option: LoopSyntax.Option, _ offsets: Range<Int>) {
        tree.add(.option, offsets, detail: option.rawValue)
    }

    mutating func addLaxOption(_ option: LoopSyntax.Option, _ value: Range<Int>) throws(LiquidError) {
        let part = tree.add(.option, value, detail: option.rawValue)
        try laxValue(value)
        tree.close(part)
    }

    mutating func addStrictOption(_ option: LoopSyntax.Option) throws(LiquidError) {
        let part = tree.add(.option, token.start, token.end, detail: option.rawValue)
        try strictValue()
        tree.close(part, end: endOfLastToken)
    }

    /// The end of one or more adjacent fragments; nil where there are none.
    func fragmentsEnd(_ start: Int, _ end: Int) -> Int? {
        var position = start
        while let stop = fragmentEnd(position, end) { position = stop }
        return position > start ? position : nil
    }

    /// Reads the variable, the word `in` and the collection.
    mutating func strictLoopStart(_ tag: TagToken, keepsCollection: Bool) throws(LiquidError) {
        try addWord()
        guard try take(word: "in") else {
            throw syntaxError(
                tag,
                "found \(describe(token)), expected 'in'",
                "For loops require an 'in' clause"
            )
        }
        let start = token.start
        guard keepsCollection else { return _ = try strictValue() }
        let collection = tree.add(.name, start, start)
        try strictValue()
        tree[collection].end = UInt32(truncatingIfNeeded: endOfLastToken)
    }
}
