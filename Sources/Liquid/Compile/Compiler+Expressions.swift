// SPDX-License-Identifier: MIT

import SourceText

/// Code for values, paths and filters.
extension Compiler {
    /// Whether a part is a given word.
    @inline(__always)
    func isSpelled(_ word: StaticString, _ part: some Syntax) -> Bool {
        let bytes = bytes(of: part)
        return bytes.count == word.utf8CodeUnitCount && ByteSearch.isSame(Bytes(word), bytes, at: 0)
    }

    /// Writes code that pushes the value of an expression.
    mutating func push(_ expression: ExpressionSyntax) {
        let outer = part
        part = expression.cursor.id
        defer { part = outer }
        let cursor = expression.cursor
        switch cursor.kind {
        case .lookup: pushLookup(LookupSyntax(cursor))
        case .blank, .empty: pushConstant(.drop(WordLiteral.shared))
        case .range:
            let range = RangeSyntax(cursor)
            push(range.lower)
            push(range.upper)
            emit(.makeRange)
        case .group: pushMarkup(MarkupSyntax(cursor.first))
        case .string: pushConstant(.string(String(decoding: bytes(of: cursor), as: UTF8.self)))
        default: pushConstant(cursor.literal ?? .null)
        }
    }

    /// Writes code that pushes the value of markup after its filters have run.
    mutating func pushMarkup(_ markup: MarkupSyntax) {
        guard let expression = markup.expression else {
            pushConstant(.null)
            return
        }
        let outer = asksForExistence
        asksForExistence = outer || markup.filters.first.map { isSpelled("default", $0) } ?? false
        push(expression)
        asksForExistence = outer
        for filter in markup.filters { apply(filter, of: markup) }
    }

    private mutating func apply(_ filter: FilterSyntax, of markup: MarkupSyntax) {
        let outer = part
        defer { part = outer }
        var count = 0
        var hasKeywords = false
        for argument in filter.arguments {
            if argument.name == nil {
                push(argument.value)
                count += 1
            } else {
                hasKeywords = true
            }
        }
        if hasKeywords {
            pushKeywords(of: filter)
            count += 1
        }
        part = filter.cursor.id
        guard let index = environment.filterIndex(bytes(of: filter)) else {
            // The reference ignores an unknown filter.
            unknownFilters.append(part)
            if count > 0 { emit(.drop(count: Int32(count))) }
            if environment.requiresKnownFilters { fail(unknownFilter(filter)) }
            return
        }
        let definition = environment.filters[index]
        guard definition.arity.contains(count) else {
            emit(.drop(count: Int32(count)))
            return fail(wrongCount(definition, count))
        }
        if records, definition.name == "default" { countDefault(filter, of: markup, arguments: count) }
        emit(.filter(Int32(index), arguments: Int32(count)))
    }

    /// Writes code that pushes the named arguments of a filter as an object.
    private mutating func pushKeywords(of filter: FilterSyntax) {
        var keys = NameTable()
        var values: [ExpressionSyntax] = []
        for argument in filter.arguments where argument.name != nil {
            // A repeated name keeps its first place and takes the last value.
            let key = keys.number(of: bytes(of: argument))
            if key < values.count { values[key] = argument.value } else { values.append(argument.value) }
        }
        for value in values { push(value) }
        keyLists.append(keys.names.map(\.text))
        emit(.makeObject(keys: Int32(keyLists.count - 1)))
    }

    private mutating func unknownFilter(_ filter: FilterSyntax) -> LiquidError {
        LiquidError(
            .undefinedFilter,
            environment.messageForUnknownFilter(filter.name, &suggestions),
            referenceText: "undefined filter \(filter.name)",
            range: filter.range
        )
    }

    private func wrongCount(_ definition: FilterDefinition, _ count: Int) -> LiquidError {
        let low = definition.arity.lowerBound
        let high = definition.arity.upperBound
        let expected = low == high ? "\(low)" : "\(low) to \(high)"
        let reference = low == high ? "\(low + 1)" : "\(low + 1)..\(high + 1)"
        return LiquidError(
            .argument,
            "'\(definition.name)' has \(count) argument\(count == 1 ? "" : "s"), expected \(expected)",
            referenceText: "wrong number of arguments (given \(count + 1), expected \(reference))",
            range: tree[part].range
        )
    }
}
