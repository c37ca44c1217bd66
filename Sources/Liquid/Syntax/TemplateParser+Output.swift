// SPDX-License-Identifier: MIT

import SourceText

/// What stands between `{{` and `}}`.
extension TemplateParser {
    /// Reads a value with its filters.
    ///
    /// Lax mode tries the strict rules first, as the reference does.
    mutating func outputMarkup(_ start: Int, _ end: Int) throws(LiquidError) -> Output {
        do throws(LiquidError) {
            return try withTokens(start, end) { (parser) throws(LiquidError) in
                try parser.strictOutput(SourceRange(start, end))
            }
        } catch {
            if mode == .lax, error.code == .syntax { return try laxOutput(start, end) }
            throw inContext(error, "in \"{{\(text(start, end))}}\"", line: line)
        }
    }

    /// A syntax error with the markup that the reference names behind it.
    func inContext(_ error: LiquidError, _ context: String, line: Int) -> LiquidError {
        guard error.code == .syntax else { return error }
        return error.inContext(context).placed(line: line)
    }

    private mutating func strictOutput(_ place: SourceRange) throws(LiquidError) -> Output {
        if looksAt(.end) { return Output(expression: nil, filters: [], range: place) }
        let expression = try strictExpression().asValue
        var filters: [FilterCall] = []
        while take(.pipe) { filters.append(try strictFilter()) }
        try expect(.end)
        return Output(expression: expression, filters: filters, range: place)
    }

    private mutating func strictFilter() throws(LiquidError) -> FilterCall {
        let name = try expect(.word)
        var call = FilterCall(
            name: text(name.start, name.end),
            nameRange: SourceRange(name.start, name.end),
            positional: [],
            keywords: []
        )
        if take(.colon), !(mode == .strict2 && endsArguments) { try strictArguments(&call) }
        return call
    }

    private var endsArguments: Bool { looksAt(.pipe) || looksAt(.end) }

    private mutating func strictArguments(_ call: inout FilterCall) throws(LiquidError) {
        repeat {
            // The strictest mode allows a comma behind the last argument.
            if mode == .strict2, endsArguments { return }
            if looksAt(.word), looksAt(.colon, ahead: 1) {
                let key = try expect(.word)
                cursor += 1
                call.setKeyword(text(key.start, key.end), try strictExpression().asValue)
            } else {
                call.positional.append(try strictExpression().asValue)
            }
        } while take(.comma)
    }

    private mutating func laxOutput(_ start: Int, _ end: Int) throws(LiquidError) -> Output {
        var output = Output(expression: nil, filters: [], range: SourceRange(start, end))
        guard let name = firstFragment(start, end) else { return output }
        output.expression = try laxExpression(name).asValue
        guard let pipe = ByteSearch.first(UInt8(ascii: "|"), in: Bytes(rebasing: bytes[0..<end]), from: name.upperBound)
        else { return output }
        var position = skipSpace(pipe + 1, end)
        while position < end {
            let stop = filterEnd(position, end)
            if stop == position {
                position += 1
                continue
            }
            if let call = try laxFilter(position, stop) { output.filters.append(call) }
            position = stop
        }
        return output
    }

    /// The end of a run of white space, fragments and commas, which is one filter with its arguments.
    private func filterEnd(_ start: Int, _ end: Int) -> Int {
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

    private mutating func laxFilter(_ start: Int, _ end: Int) throws(LiquidError) -> FilterCall? {
        guard let nameStart = (start..<end).first(where: { bytes[$0].isWordByte }) else { return nil }
        var nameEnd = nameStart
        while nameEnd < end, bytes[nameEnd].isWordByte { nameEnd += 1 }
        var call = FilterCall(
            name: text(nameStart, nameEnd),
            nameRange: SourceRange(nameStart, nameEnd),
            positional: [],
            keywords: []
        )
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
            try addLaxArgument(argument, stop, to: &call)
            position = stop
        }
        return call
    }

    /// The end of a fragment, or of `key: fragment`.
    private func argumentEnd(_ start: Int, _ end: Int) -> Int? {
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

    private mutating func addLaxArgument(
        _ start: Int,
        _ end: Int,
        to call: inout FilterCall
    ) throws(LiquidError) {
        if bytes[start].isWordByte {
            let keyEnd = ByteClass.endOfName(in: bytes, from: start, to: end)
            let colon = skipSpace(keyEnd, end)
            let value = skipSpace(colon + 1, end)
            if colon < end, bytes[colon] == UInt8(ascii: ":"), value < end,
                quotedEnd(value, end) == end || fragmentEnd(value, end, wholeRun: true) == end
            {
                call.setKeyword(text(start, keyEnd), try laxExpression(value..<end).asValue)
                return
            }
        }
        call.positional.append(try laxExpression(start..<end).asValue)
    }
}

extension FilterCall {
    /// Adds a named argument; a name that comes again keeps its place and takes the last value.
    fileprivate mutating func setKeyword(_ name: String, _ value: Expression) {
        if let known = keywords.firstIndex(where: { $0.name.sameBytes(as: name) }) {
            keywords[known].value = value
        } else {
            keywords.append((name, value))
        }
    }
}

extension Expression {
    /// Whether the expression is the literal nil.
    var isNull: Bool {
        if case .literal(.null) = kind { true } else { false }
    }

    /// The expression outside of a comparison, where `blank` and `empty` are the empty string.
    var asValue: Expression {
        consuming get { isWord ? Expression(.literal(.string("")), range) : self }
    }

    private var isWord: Bool {
        switch kind {
        case .blank, .empty: true
        default: false
        }
    }
}
