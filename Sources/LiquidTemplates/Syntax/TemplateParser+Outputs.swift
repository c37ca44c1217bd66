// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The markup of outputs: a value with its filters.
extension TemplateParser {
    /// Reads a value with its filters.
    ///
    /// The lax mode tries the strict rules first, as the reference does.
    mutating func outputMarkup(_ start: Int, _ end: Int) throws(LiquidError) {
        let markup = tree.add(.markup, start, end)
        let outer = mayReadAgain
        if mode == .lax { mayReadAgain = true }
        do throws(LiquidError) {
            defer { mayReadAgain = outer }
            try withTokens(start, end) { (parser) throws(LiquidError) in try parser.strictOutput() }
        } catch {
            guard mode == .lax, error.code == .syntax else {
                throw inContext(error, "in \"{{\(text(start, end))}}\"", line: line)
            }
            tree.truncate(to: tree.first(in: markup))
            try laxOutput(start, end)
        }
        tree.close(markup)
    }

    /// A syntax error with the markup that the reference prints after its text.
    func inContext(_ error: LiquidError, _ context: String, line: Int) -> LiquidError {
        guard error.code == .syntax else { return error }
        return error.inContext(context).placed(line: line)
    }

    private mutating func strictOutput() throws(LiquidError) {
        if isAt(.end) { return }
        try strictValue()
        while try take(.pipe) {
            let name = try expect(.word)
            let filter = tree.add(.filter, name.start, name.end)
            if try take(.colon), !(mode == .strict2 && endsArguments) { try strictArguments() }
            tree.close(filter)
        }
        try expect(.end)
    }

    private var endsArguments: Bool { isAt(.pipe) || isAt(.end) }

    private mutating func strictArguments() throws(LiquidError) {
        repeat {
            // The mode `strict2` allows a comma after the last argument.
            if mode == .strict2, endsArguments { return }
            if isAt(.word), isFollowed(by: UInt8(ascii: ":")) {
                let key = try expect(.word)
                try advance()
                let argument = tree.add(.argument, key.start, key.end)
                try strictValue()
                tree.close(argument)
            } else {
                try strictValue()
            }
        } while try take(.comma)
    }

    private mutating func laxOutput(_ start: Int, _ end: Int) throws(LiquidError) {
        guard let name = firstFragment(start, end) else { return }
        try laxValue(name)
        guard let pipe = ByteSearch.first(UInt8(ascii: "|"), in: Bytes(rebasing: bytes[0..<end]), from: name.upperBound)
        else { return }
        var position = skipSpace(pipe + 1, end)
        while position < end {
            let stop = filterEnd(position, end)
            if stop == position {
                position += 1
                continue
            }
            try laxFilter(position, stop)
            position = stop
        }
    }

    /// The end of a run of white space, fragments and commas, which the reference takes as one filter with its
    /// arguments.
    private mutating func filterEnd(_ start: Int, _ end: Int) -> Int {
        var position = start
        while position < end {
            if bytes[position].isRubySpace || bytes[position] == UInt8(ascii: ",") {
                position += 1
            } else if let stop = fragmentEnd(position, end) {
                position = stop
            } else {
                break
            }
        }
        return position
    }

    private mutating func laxFilter(_ start: Int, _ end: Int) throws(LiquidError) {
        guard let nameStart = (start..<end).first(where: { bytes[$0].isWordByte }) else { return }
        var nameEnd = nameStart
        while nameEnd < end, bytes[nameEnd].isWordByte { nameEnd += 1 }
        let filter = tree.add(.filter, nameStart, nameEnd)
        var position = start
        while position < end {
            guard bytes[position] == UInt8(ascii: ":") || bytes[position] == UInt8(ascii: ",") else {
                position += 1
                continue
            }
            let argument = skipSpace(position + 1, end)
            guard let stop = argumentEnd(argument, end) else {
                position += 1
                continue
            }
            try addLaxArgument(argument, stop)
            position = stop
        }
        tree.close(filter)
    }

    /// The end of a fragment, or of `key: fragment`.
    private mutating func argumentEnd(_ start: Int, _ end: Int) -> Int? {
        var keyEnd = start
        while keyEnd < end, bytes[keyEnd].isWordByte { keyEnd += 1 }
        let colon = skipSpace(keyEnd, end)
        if keyEnd > start, colon < end, bytes[colon] == UInt8(ascii: ":"),
            let stop = fragmentEnd(skipSpace(colon + 1, end), end)
        {
            return stop
        }
        return fragmentEnd(start, end)
    }

    private mutating func addLaxArgument(_ start: Int, _ end: Int) throws(LiquidError) {
        if bytes[start].isWordByte {
            let keyEnd = ByteClass.endOfName(in: bytes, from: start, to: end)
            let colon = skipSpace(keyEnd, end)
            let value = skipSpace(colon + 1, end)
            if colon < end, bytes[colon] == UInt8(ascii: ":"), value < end,
                quotedEnd(value, end) == end || fragmentEnd(value, end, wholeRun: true) == end
            {
                let argument = tree.add(.argument, start, keyEnd)
                try laxValue(value..<end)
                return tree.close(argument)
            }
        }
        try laxValue(start..<end)
    }
}
