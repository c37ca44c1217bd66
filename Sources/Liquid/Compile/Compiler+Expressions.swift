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
            asksForExistence = outer || (!output.filters.isEmpty && output.filters[0].name.spells("default"))
            push(expression)
            asksForExistence = outer
        } else {
            emit(.pushConstant, constant(.null))
        }
        for index in output.filters.indices { apply(output.filters[index]) }
    }

    private mutating func apply(_ filter: FilterCall) {
        let outer = place
        defer { place = outer }
        for index in filter.positional.indices { push(filter.positional[index]) }
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
            "'\(filter.name)' has \(count) argument\(count == 1 ? "" : "s"), expected \(expected)",
            referenceText: "wrong number of arguments (given \(count + 1), expected \(reference))",
            range: filter.nameRange
        )
    }

    // MARK: lookups

    /// The path of a lookup whose every step is known now; nil for any other.
    mutating func staticPath(_ lookup: Lookup) -> Int? {
        let first = steps.count
        if let root = addSteps(of: lookup) { return path(root, from: first) }
        steps.removeLast(steps.count - first)
        return nil
    }

    /// Adds the steps of a lookup and yields the name that they start from; nil where a step must be computed.
    private mutating func addSteps(of lookup: Lookup) -> String? {
        let root: String
        switch lookup.root {
        case .name(let name):
            if loopField(lookup, name) != nil || isPartialsMember(name) { return nil }
            root = name
        case .attribute(let name):
            root = environment.attributesMember
            steps.append(attributeStep(name))
        case .computed, .value, .nothing: return nil
        }
        for segment in lookup.segments {
            switch segment {
            case .key(let key): steps.append(step(key))
            case .attribute(let name): steps.append(attributeStep(name))
            case .index(let expression):
                guard case .literal(.string(let key)) = expression.kind else { return nil }
                steps.append(step(key, .key))
            }
        }
        return root
    }

    private func isPartialsMember(_ name: String) -> Bool {
        environment.partialsMember.map { $0.sameBytes(as: name) } ?? false
    }

    /// The path of a name and the steps behind it, which are those from `first` on.
    private mutating func path(_ root: String, from first: Int) -> Int {
        let steps = Program.Steps(first: Int32(first), count: Int32(steps.count - first))
        paths.append(Program.Path(root: Int32(name(root)), steps: steps, range: place))
        return paths.count - 1
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
        let first = spellings.count
        for part in name.split(whereSeparator: { $0 == "." || $0 == "[" || $0 == "]" }) {
            var inner = self.step(String(part))
            if let index = Int(part) {
                inner.kind = .element
                inner.index = index
            }
            spellings.append(inner)
        }
        step.spelled = Program.Steps(first: Int32(first), count: Int32(spellings.count - first))
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
                emit(.pushPath, path(name, from: steps.count), asksForExistence ? 1 : 0)
            }
        case .attribute(let name):
            steps.append(attributeStep(name))
            let path = path(environment.attributesMember, from: steps.count - 1)
            emit(.pushPath, path, asksForExistence ? 1 : 0)
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
            case .key(let key): emit(step(key))
            case .attribute(let name): emit(attributeStep(name))
            }
        }
    }

    private mutating func emit(_ step: Program.Step) {
        steps.append(step)
        emit(.step, steps.count - 1, asksForExistence ? 1 : 0)
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
        for index in condition.terms.indices {
            push(condition.terms[index])
            if index == condition.terms.count - 1 {
                if negated { toTrue.append(emit(.jumpIfTrue)) } else { toFalse.append(emit(.jumpIfFalse)) }
            } else if condition.terms[index].orNext {
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
        if let right = term.right {
            compare(term.left, comparison, right)
        } else {
            compare(term.left, comparison, Expression(.literal(.null), term.left.range))
        }
    }

    /// Writes code that pushes the outcome of a comparison.
    mutating func compare(_ left: Expression, _ comparison: Condition.Operator, _ right: Expression) {
        if let test = left.wordTest, let negation = comparison.negation {
            push(right)
            emit(test, negation)
            return
        }
        if let test = right.wordTest, let negation = comparison.negation {
            push(left)
            emit(test, negation)
            return
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
                    range: range(of: word, behind: left.range)
                )
            )
        default: emit(.compare, comparison.code)
        }
    }

    /// Where an operator stands; its left side where that is written in another way than it is read.
    private func range(of word: String, behind left: SourceRange) -> SourceRange {
        let bytes = source.original[Int(left.end)...].drop(while: \.isRubySpace)
        guard bytes.starts(with: word.utf8) else { return left }
        return SourceRange(bytes.startIndex, bytes.startIndex + word.utf8.count)
    }
}

extension Expression {
    /// What a comparison with the word `blank` or `empty` becomes.
    fileprivate var wordTest: Instruction.Operation? {
        switch kind {
        case .blank: .testBlank
        case .empty: .testEmpty
        default: nil
        }
    }
}

extension Condition.Operator {
    /// Whether a test for equality is negated: 1 if so, else 0; nil for any other comparison.
    fileprivate var negation: Int? {
        switch self {
        case .equal: 0
        case .notEqual: 1
        default: nil
        }
    }

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
