// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The markup of outputs: a value with its filters.
extension TemplateParser {
    /// Reads a value with its filters, which may be the markup of an output or tag, or a part of it.
    ///
    /// The lax mode tries the strict rules first, as the reference implementation does.
    mutating func outputMarkup(_ start: Int, _ end: Int, of tag: TagToken? = nil) throws(LiquidError) -> MarkupSyntax {
        let strict = { (parser: inout TemplateParser) throws(LiquidError) in
            try parser.withTokens(start, end) { (parser) throws(LiquidError) in
                try parser.strictOutput(SourceRange(start, end))
            }
        }
        if recovery != nil, let tag { compare(tag, with: strict) }
        do throws(LiquidError) {
            return try strict(&self)
        } catch {
            guard mode == .lax, error.code == .syntax else {
                throw inContext(error, "in \"{{\(text(start, end))}}\"", line: line)
            }
            return try laxOutput(start, end)
        }
    }

    /// A syntax error with the markup that the reference implementation prints after its text; any other error
    /// unchanged.
    func inContext(_ error: LiquidError, _ context: String, line: Int) -> LiquidError {
        guard error.code == .syntax else { return error }
        return error.inContext(context).placed(line: line)
    }

    private mutating func strictOutput(_ range: SourceRange) throws(LiquidError) -> MarkupSyntax {
        if isAt(.end) { return MarkupSyntax(expression: nil, filters: [], range: range) }
        let expression = try strictValue()
        var filters: [FilterSyntax] = []
        while take(.pipe) {
            let name = try expect(.word, .filterName)
            let hasArguments = take(.colon) && !(allowsNoArgument && endsArguments)
            filters.add(
                FilterSyntax(
                    name: word(name.start, name.end),
                    nameRange: name.range,
                    arguments: hasArguments ? try strictArguments() : []
                )
            )
        }
        try expect(.end, .end)
        return MarkupSyntax(expression: expression, filters: filters, range: range)
    }

    private var endsArguments: Bool { isAt(.pipe) || isAt(.end) }

    /// Whether a colon or comma may end the arguments of a filter.
    private var allowsNoArgument: Bool { mode == .strict2 || isComparing }

    private mutating func strictArguments() throws(LiquidError) -> [FilterSyntax.Argument] {
        var arguments: [FilterSyntax.Argument] = []
        repeat {
            if allowsNoArgument, endsArguments { break }
            var name: NameSyntax?
            if isAt(.word), isFollowed(by: UInt8(ascii: ":")) {
                name = try expectName()
                advance()
            }
            arguments.add(FilterSyntax.Argument(name: name, value: try strictValue()))
        } while take(.comma)
        return arguments
    }

    private mutating func laxOutput(_ start: Int, _ end: Int) throws(LiquidError) -> MarkupSyntax {
        let range = SourceRange(start, end)
        guard let name = firstFragment(start, end) else {
            return MarkupSyntax(expression: nil, filters: [], range: range)
        }
        let expression = try laxValue(name)
        var filters: [FilterSyntax] = []
        if let pipe = ByteSearch.first(UInt8(ascii: "|"), in: Bytes(rebasing: bytes[0..<end]), from: name.upperBound) {
            var position = skipSpace(pipe + 1, end)
            while position < end {
                let stop = filterEnd(position, end)
                if stop == position {
                    position += 1
                    continue
                }
                if let filter = try laxFilter(position, stop) { filters.add(filter) }
                position = stop
            }
        }
        return MarkupSyntax(expression: expression, filters: filters, range: range)
    }

    /// The end of a run of white space, fragments and commas, which the reference implementation takes as one filter
    /// with its arguments.
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

    private mutating func laxFilter(_ start: Int, _ end: Int) throws(LiquidError) -> FilterSyntax? {
        guard let nameStart = (start..<end).first(where: { bytes[$0].isWordByte }) else { return nil }
        var nameEnd = nameStart
        while nameEnd < end, bytes[nameEnd].isWordByte { nameEnd += 1 }
        var arguments: [FilterSyntax.Argument] = []
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
            arguments.add(try laxArgument(argument, stop))
            position = stop
        }
        return FilterSyntax(
            name: word(nameStart, nameEnd),
            nameRange: SourceRange(nameStart, nameEnd),
            arguments: arguments
        )
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

    private mutating func laxArgument(_ start: Int, _ end: Int) throws(LiquidError) -> FilterSyntax.Argument {
        if bytes[start].isWordByte {
            let keyEnd = ByteClass.endOfName(in: bytes, from: start, to: end)
            let colon = skipSpace(keyEnd, end)
            let value = skipSpace(colon + 1, end)
            if colon < end, bytes[colon] == UInt8(ascii: ":"), value < end,
                quotedEnd(value, end) == end || fragmentEnd(value, end, wholeRun: true) == end
            {
                return FilterSyntax.Argument(name: name(start..<keyEnd), value: try laxValue(value..<end))
            }
        }
        return FilterSyntax.Argument(name: nil, value: try laxValue(start..<end))
    }
}
