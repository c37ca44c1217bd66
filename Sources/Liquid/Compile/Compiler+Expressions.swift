// SPDX-License-Identifier: MIT

import SourceText

/// Values, paths and filters.
extension Compiler {
    /// Writes code that pushes the value of an expression.
    mutating func push(_ expression: Expression) {
        let outer = place
        place = expression.range
        defer { place = outer }
        switch expression.kind {
        case .literal(let value): emit(.pushConstant, constant(value))
        case .blank, .empty: emit(.pushConstant, constant(.drop(WordLiteral.shared)))
        case .lookup(let lookup): push(lookup)
        case .range(let lower, let upper):
            push(lower)
            push(upper)
            emit(.makeRange)
        case .output(let output): push(output)
        }
    }

    /// Writes code that pushes a value after its filters.
    mutating func push(_ output: Output) {
        if let expression = output.expression {
            let outer = asksForExistence
            asksForExistence = outer || output.filters.first.map { $0.name.spells("default") } ?? false
            push(expression)
            asksForExistence = outer
        } else {
            emit(.pushConstant, constant(.null))
        }
        for filter in output.filters { apply(filter) }
    }

    private mutating func apply(_ filter: FilterCall) {
        let outer = place
        defer { place = outer }
        for argument in filter.positional { push(argument) }
        var count = filter.positional.count
        if !filter.keywords.isEmpty {
            for keyword in filter.keywords { push(keyword.value) }
            keyLists.append(filter.keywords.map(\.name))
            emit(.makeObject, keyLists.count - 1, filter.keywords.count)
            count += 1
        }
        place = filter.nameRange
        guard let index = environment.filterIndex(filter.name) else {
            // The reference passes the value through a filter that it does not know.
            if count > 0 { emit(.drop, count) }
            if environment.requiresKnownFilters { fail(unknownFilter(filter)) }
            return
        }
        let definition = environment.filters[index]
        guard definition.arity.contains(count) else {
            emit(.drop, count)
            return fail(wrongCount(definition, count, filter))
        }
        emit(.filter, index, count)
    }

    private func unknownFilter(_ filter: FilterCall) -> LiquidError {
        LiquidError(
            .undefinedFilter,
            environment.messageForUnknownFilter(filter.name),
            referenceText: "undefined filter \(filter.name)",
            range: filter.nameRange
        )
    }

    private func wrongCount(_ definition: FilterDefinition, _ count: Int, _ filter: FilterCall) -> LiquidError {
        let low = definition.arity.lowerBound
        let high = definition.arity.upperBound
        let expected = low == high ? "\(low)" : "\(low) to \(high)"
        let reference = low == high ? "\(low + 1)" : "\(low + 1)..\(high + 1)"
        return LiquidError(
            .argument,
            "'\(filter.name)' has \(count) arguments, expected \(expected)",
            referenceText: "wrong number of arguments (given \(count + 1), expected \(reference))",
            range: filter.nameRange
        )
    }

    // MARK: lookups

    /// The path of a lookup whose every step is known now; nil for any other.
    mutating func staticPath(_ lookup: Lookup) -> Int? {
        run.removeAll(keepingCapacity: true)
        let root: String
        switch lookup.root {
        case .name(let name):
            if loopField(lookup, name) != nil || isPartialsMember(name) { return nil }
            root = name
        case .attribute(let name):
            root = environment.attributesMember
            run.append(attributeStep(name))
        case .computed, .value, .nothing: return nil
        }
        for segment in lookup.segments {
            switch segment {
            case .key(let key): run.append(step(key))
            case .attribute(let name): run.append(attributeStep(name))
            case .index(let expression):
                guard case .literal(.string(let key)) = expression.kind else { return nil }
                run.append(step(key, .key))
            }
        }
        return path(root, run)
    }

    private func isPartialsMember(_ name: String) -> Bool {
        environment.partialsMember.map { $0.sameBytes(as: name) } ?? false
    }

    private mutating func path(_ root: String, _ steps: [Program.Step] = []) -> Int {
        paths.append(Program.Path(root: Int32(name(root)), steps: add(steps), range: place))
        return paths.count - 1
    }

    private mutating func add(_ run: [Program.Step]) -> Program.Steps {
        steps += run
        return Program.Steps(first: Int32(steps.count - run.count), count: Int32(run.count))
    }

    private mutating func step(_ key: String, _ kind: Program.Step.Kind) -> Program.Step {
        Program.Step(kind: kind, key: Int32(keys.number(of: Name(key))))
    }

    /// `.name`, which for `size`, `first` and `last` also asks values that have no such key.
    private mutating func step(_ key: String) -> Program.Step {
        let kind: Program.Step.Kind =
            switch key {
            case _ where key.spells("size"): .size
            case _ where key.spells("first"): .first
            case _ where key.spells("last"): .last
            default: .key
            }
        return step(key, kind)
    }

    /// `${name}`: the attribute of exactly that name, else the path that the name spells.
    private mutating func attributeStep(_ name: String) -> Program.Step {
        var step = step(name, .attribute)
        guard name.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "[") }) else { return step }
        var spelled: [Program.Step] = []
        for part in name.split(whereSeparator: { $0 == "." || $0 == "[" || $0 == "]" }) {
            var inner = self.step(String(part))
            if let index = Int(part) {
                inner.kind = .element
                inner.index = index
            }
            spelled.append(inner)
        }
        step.spelled = add(spelled)
        return step
    }

    private mutating func push(_ lookup: Lookup) {
        if let path = staticPath(lookup) {
            emit(.pushPath, path, asksForExistence ? 1 : 0)
            return
        }
        var segments = lookup.segments[...]
        switch lookup.root {
        case .name(let name):
            if let field = loopField(lookup, name) {
                emit(.pushLoopField, 0, Int(field.rawValue))
                segments = segments.dropFirst()
            } else if isPartialsMember(name), case .attribute(let partial)? = segments.first {
                emit(.pushConstant, constant(.string(partial)))
                emit(.partialValue)
                segments = segments.dropFirst()
            } else {
                emit(.pushPath, path(name), asksForExistence ? 1 : 0)
            }
        case .attribute(let name):
            emit(.pushPath, path(environment.attributesMember, [attributeStep(name)]), asksForExistence ? 1 : 0)
        case .computed(let expression):
            push(expression)
            emit(.findVariable)
        case .value(let expression): push(expression)
        case .nothing: emit(.pushConstant, constant(.null))
        }
        push(segments)
    }

    /// Writes code that replaces a value by what the steps of a path lead to.
    mutating func push(_ segments: ArraySlice<Lookup.Segment>) {
        for segment in segments {
            switch segment {
            case .index(let expression):
                push(expression)
                emit(.index, asksForExistence ? 1 : 0)
            case .key(let key): emit(.step, Int(add([step(key)]).first), asksForExistence ? 1 : 0)
            case .attribute(let name): emit(.step, Int(add([attributeStep(name)]).first), asksForExistence ? 1 : 0)
            }
        }
    }

    /// The property of the innermost loop that a lookup begins with, where nothing else can be meant.
    private func loopField(_ lookup: Lookup, _ name: String) -> LoopField? {
        guard name.spells("forloop"), loopVariables.last.map({ $0 != nil && $0 != "forloop" }) ?? false,
            case .key(let key)? = lookup.segments.first, let field = LoopField(key), field != .parentloop
        else { return nil }
        return field
    }

    // MARK: conditions

    /// Writes code that falls through when the condition holds; the jumps returned are taken when it does not.
    mutating func test(_ condition: Condition, negated: Bool) -> [Int] {
        var toTrue: [Int] = []
        var toFalse: [Int] = []
        let outer = asksForExistence
        asksForExistence = true
        defer { asksForExistence = outer }
        for (index, term) in condition.terms.enumerated() {
            push(term)
            if index == condition.terms.count - 1 {
                if negated { toTrue.append(emit(.jumpIfTrue)) } else { toFalse.append(emit(.jumpIfFalse)) }
            } else if term.orNext {
                toTrue.append(emit(.jumpIfTrue))
            } else {
                toFalse.append(emit(.jumpIfFalse))
            }
        }
        if negated {
            land(toFalse)
            return toTrue
        }
        land(toTrue)
        return toFalse
    }

    private mutating func push(_ term: Condition.Term) {
        guard let comparison = term.comparison else { return push(term.left) }
        let right = term.right ?? Expression(.literal(.null), term.left.range)
        compare(term.left, comparison, right)
    }

    /// Writes code that pushes the outcome of a comparison.
    mutating func compare(_ left: Expression, _ comparison: Condition.Operator, _ right: Expression) {
        if comparison == .equal || comparison == .notEqual {
            let negation = comparison == .notEqual ? 1 : 0
            for (word, other) in [(left, right), (right, left)] {
                switch word.kind {
                case .blank:
                    push(other)
                    emit(.testBlank, negation)
                    return
                case .empty:
                    push(other)
                    emit(.testEmpty, negation)
                    return
                default: break
                }
            }
        }
        push(left)
        push(right)
        switch comparison {
        case .unknown(let word):
            emit(.drop, 1)
            fail(
                LiquidError(
                    .argument,
                    "found '\(word)', expected a comparison",
                    referenceText: "Unknown operator \(word)",
                    range: left.range
                )
            )
        default: emit(.compare, comparison.code)
        }
    }
}

extension Condition.Operator {
    /// The operand of ``Instruction/Operation/compare``.
    fileprivate var code: Int {
        switch self {
        case .equal: 0
        case .notEqual: 1
        case .less: 2
        case .greater: 3
        case .lessOrEqual: 4
        case .greaterOrEqual: 5
        case .contains, .unknown: 6
        }
    }
}

/// The words `blank` and `empty` where they are compared with anything but `==` and `!=`: true, equal to nothing.
final class WordLiteral: Drop {
    static let shared = WordLiteral()
    let text = ""

    func property(_ name: String) -> Value? { nil }
}
