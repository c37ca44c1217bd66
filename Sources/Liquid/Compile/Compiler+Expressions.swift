// SPDX-License-Identifier: MIT

import SourceText

/// Values, paths and filters.
extension Compiler {
    /// Whether a part is a word.
    func isSpelled(_ word: StaticString, _ part: Int) -> Bool {
        let bytes = bytes(of: part)
        return bytes.count == word.utf8CodeUnitCount && ByteSearch.isSame(Bytes(word), bytes, at: 0)
    }

    /// Writes code that pushes the value of an expression.
    mutating func push(_ expression: Int) {
        let outer = part
        part = expression
        defer { part = outer }
        switch tree[expression].kind {
        case .lookup: pushLookup(expression)
        case .string: emit(.pushConstant, constant(.string(text(of: expression))))
        case .blank, .empty: emit(.pushConstant, constant(.drop(WordLiteral.shared)))
        case .range:
            push(expression + 1)
            push(tree.endOfPart(expression + 1))
            emit(.makeRange)
        case .group: pushMarkup(expression + 1)
        default: emit(.pushConstant, constant(tree.literal(expression, in: source) ?? .null))
        }
    }

    /// Writes code that pushes a value after its filters.
    mutating func pushMarkup(_ markup: Int) {
        let end = tree.endOfPart(markup)
        guard markup + 1 < end else {
            emit(.pushConstant, constant(.null))
            return
        }
        var filter = tree.endOfPart(markup + 1)
        let outer = asksForExistence
        asksForExistence = outer || (filter < end && isSpelled("default", filter))
        push(markup + 1)
        asksForExistence = outer
        while filter < end {
            apply(filter)
            filter = tree.endOfPart(filter)
        }
    }

    private mutating func apply(_ filter: Int) {
        let outer = part
        defer { part = outer }
        var count = 0
        var hasKeywords = false
        var argument = filter + 1
        let end = tree.endOfPart(filter)
        while argument < end {
            if tree[argument].kind == .argument {
                hasKeywords = true
            } else {
                push(argument)
                count += 1
            }
            argument = tree.endOfPart(argument)
        }
        if hasKeywords {
            pushKeywords(of: filter)
            count += 1
        }
        part = filter
        guard let index = environment.filterIndex(bytes(of: filter)) else {
            // The reference passes the value through a filter that it does not know.
            if count > 0 { emit(.drop, count) }
            if environment.requiresKnownFilters { fail(unknownFilter(text(of: filter))) }
            return
        }
        let definition = environment.filters[index]
        guard definition.arity.contains(count) else {
            emit(.drop, count)
            return fail(wrongCount(definition, count))
        }
        emit(.filter, index, count)
    }

    /// Writes code that pushes the named arguments of a filter as an object.
    private mutating func pushKeywords(of filter: Int) {
        var keys = NameTable()
        var values: [Int] = []
        for argument in tree.parts(in: filter) where tree[argument].kind == .argument {
            // A name that comes again keeps its place and takes the last value.
            let key = keys.number(of: bytes(of: argument))
            if key < values.count { values[key] = argument + 1 } else { values.append(argument + 1) }
        }
        for value in values { push(value) }
        keyLists.append(keys.names.map(\.text))
        emit(.makeObject, keyLists.count - 1, values.count)
    }

    private func unknownFilter(_ name: String) -> LiquidError {
        LiquidError(
            .undefinedFilter,
            environment.messageForUnknownFilter(name),
            referenceText: "undefined filter \(name)",
            range: tree[part].range
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
