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

    // MARK: lookups

    /// The path of a lookup whose every step is known now; nil for any other.
    mutating func staticPath(_ lookup: Int) -> Int? {
        let first = steps.count
        if let root = addSteps(of: lookup) { return path(root, from: first) }
        steps.truncate(to: first)
        return nil
    }

    /// Adds the steps of a lookup and yields the name that they start from; nil where a step must be computed.
    private mutating func addSteps(of lookup: Int) -> Int? {
        let root = lookup + 1
        let name: Int
        switch tree[root].kind {
        case .variable:
            if loopField(lookup) != nil || isPartialsMember(root) { return nil }
            name = self.name(root)
        case .attribute: name = addAttribute(tree[root])
        default: return nil
        }
        var segment = root + 1
        let end = tree.endOfPart(lookup)
        while segment < end {
            switch tree[segment].kind {
            case .index:
                guard tree[segment + 1].kind == .string else { return nil }
                steps.append(step(bytes(of: segment + 1), .key))
            case .attributeKey: steps.append(attributeStep(source.attribute(tree[segment])))
            default: steps.append(step(bytes(of: segment)))
            }
            segment = tree.endOfPart(segment)
        }
        return name
    }

    /// Adds the step to an attribute, and yields the name that it starts from.
    private mutating func addAttribute(_ root: SyntaxTree.Part) -> Int {
        steps.append(attributeStep(source.attribute(root)))
        return names.number(of: Name(environment.attributesMember))
    }

    private func isPartialsMember(_ part: Int) -> Bool {
        environment.partialsMember.map { $0.isSpelled(by: bytes(of: part)) } ?? false
    }

    /// The path of a name and the steps behind it, which are those from `first` on.
    private mutating func path(_ root: Int, from first: Int) -> Int {
        let steps = Program.Steps(first: Int32(first), count: Int32(steps.count - first))
        paths.append(Program.Path(root: Int32(root), steps: steps, range: tree[part].range))
        return paths.count - 1
    }

    private mutating func step(_ key: Bytes, _ kind: Program.Step.Kind) -> Program.Step {
        Program.Step(kind: kind, key: Int32(keys.number(of: key)))
    }

    /// `.name`, which for `size`, `first` and `last` also asks values that have no such key.
    private mutating func step(_ key: Bytes) -> Program.Step {
        let kind: Program.Step.Kind =
            switch key.count {
            case 4 where ByteSearch.isSame(Bytes("size"), key, at: 0): .size
            case 4 where ByteSearch.isSame(Bytes("last"), key, at: 0): .last
            case 5 where ByteSearch.isSame(Bytes("first"), key, at: 0): .first
            default: .key
            }
        return step(key, kind)
    }

    /// `${name}`: the attribute of exactly that name, else the path that the name spells.
    private mutating func attributeStep(_ name: String) -> Program.Step {
        var step = Program.Step(kind: .attribute, key: Int32(keys.number(of: Name(name))))
        guard name.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "[") }) else { return step }
        let first = spellings.count
        for part in name.split(whereSeparator: { $0 == "." || $0 == "[" || $0 == "]" }) {
            var text = String(part)
            var inner = text.withUTF8 { self.step($0) }
            if let index = Int(part) {
                inner.kind = .element
                inner.index = index
            }
            spellings.append(inner)
        }
        step.spelled = Program.Steps(first: Int32(first), count: Int32(spellings.count - first))
        return step
    }

    private mutating func pushLookup(_ lookup: Int) {
        let existence = asksForExistence ? 1 : 0
        if let path = staticPath(lookup) {
            emit(.pushPath, path, existence)
            return
        }
        let root = lookup + 1
        var steps = tree.endOfPart(root)
        switch tree[root].kind {
        case .variable:
            if let field = loopField(lookup) {
                emit(.pushLoopField, 0, Int(field.rawValue))
                steps += 1
            } else if isPartialsMember(root), steps < tree.endOfPart(lookup), tree[steps].kind == .attributeKey {
                emit(.pushConstant, constant(.string(source.attribute(tree[steps]))))
                emit(.partialValue)
                steps += 1
            } else {
                let path = path(name(root), from: self.steps.count)
                emit(.pushPath, path, existence)
            }
        case .attribute:
            let first = self.steps.count
            let path = path(addAttribute(tree[root]), from: first)
            emit(.pushPath, path, existence)
        case .computed:
            push(root + 1)
            emit(.findVariable)
        case .root: push(root + 1)
        default: emit(.pushConstant, constant(.null))
        }
        pushSteps(of: lookup, from: steps)
    }

    /// Writes code that replaces a value by what the steps of a path lead to, from one of them on.
    mutating func pushSteps(of lookup: Int, from first: Int) {
        var segment = first
        let end = tree.endOfPart(lookup)
        while segment < end {
            switch tree[segment].kind {
            case .index:
                push(segment + 1)
                emit(.index, asksForExistence ? 1 : 0)
            case .attributeKey: emit(attributeStep(source.attribute(tree[segment])))
            default: emit(step(bytes(of: segment)))
            }
            segment = tree.endOfPart(segment)
        }
    }

    private mutating func emit(_ step: Program.Step) {
        steps.append(step)
        emit(.step, steps.count - 1, asksForExistence ? 1 : 0)
    }

    /// The property of the innermost loop that a lookup begins with, where nothing else can be meant.
    private func loopField(_ lookup: Int) -> LoopField? {
        guard knowsLoop.last == true, isSpelled("forloop", lookup + 1), tree[lookup].size > 2,
            tree[lookup + 2].kind == .key, let field = LoopField(text(of: lookup + 2)), field != .parentloop
        else { return nil }
        return field
    }

    // MARK: conditions

    /// Writes code that falls through to the body of a branch when its condition holds; the jumps returned are taken when
    /// it does not.
    mutating func testCondition(of branch: Int, negated: Bool) -> (JumpList, body: Int) {
        var toTrue = JumpList()
        var toFalse = JumpList()
        let outer = asksForExistence
        asksForExistence = true
        defer { asksForExistence = outer }
        var term = branch + 1
        while tree[term].kind == .term {
            pushTerm(term)
            let next = tree.endOfPart(term)
            let isLast = tree[next].kind != .term
            if isLast ? negated : tree[term].flags.contains(.or) {
                emit(.jumpIfTrue, to: &toTrue)
            } else {
                emit(.jumpIfFalse, to: &toFalse)
            }
            term = next
        }
        land(negated ? toFalse : toTrue)
        return (negated ? toTrue : toFalse, term)
    }

    private mutating func pushTerm(_ term: Int) {
        let left = term + 1
        let right = tree.endOfPart(left)
        let comparison = SyntaxTree.Comparison(rawValue: tree[term].detail) ?? .none
        if comparison == .none { return push(left) }
        compare(left, comparison, right < tree.endOfPart(term) ? right : nil)
        if comparison == .unknown { failUnknownOperator(of: term) }
    }

    /// Writes code that pushes the outcome of a comparison; of an operator that is unknown, the left side alone.
    mutating func compare(_ left: Int, _ comparison: SyntaxTree.Comparison, _ right: Int?) {
        let isNegated = comparison == .notEqual
        if comparison == .equal || isNegated {
            if let test = wordTest(left) {
                pushSide(right, of: left)
                emit(test, isNegated ? 1 : 0)
                return
            }
            if let right, let test = wordTest(right) {
                push(left)
                emit(test, isNegated ? 1 : 0)
                return
            }
        }
        push(left)
        pushSide(right, of: left)
        if comparison == .unknown { emit(.drop, 1) } else { emit(.compare, comparison.code) }
    }

    /// The right side of a comparison, which is nil where it is missing.
    private mutating func pushSide(_ right: Int?, of left: Int) {
        if let right { return push(right) }
        let outer = part
        part = left
        emit(.pushConstant, constant(.null))
        part = outer
    }

    private mutating func failUnknownOperator(of term: Int) {
        let word = text(of: term)
        fail(
            LiquidError(
                .argument,
                "found '\(word)', expected a comparison",
                referenceText: "Unknown operator \(word)",
                range: tree[term].range
            )
        )
    }

    /// What a comparison with the word `blank` or `empty` becomes.
    private func wordTest(_ part: Int) -> Instruction.Operation? {
        switch tree[part].kind {
        case .blank: .testBlank
        case .empty: .testEmpty
        default: nil
        }
    }
}

extension SyntaxTree.Comparison {
    /// The operand of ``Instruction/Operation/compare``.
    fileprivate var code: Int { Int(rawValue) - 1 }
}

/// The words `blank` and `empty` where they are compared with anything but `==` and `!=`: true, equal to nothing.
final class WordLiteral: Drop {
    static let shared = WordLiteral()
    let text = ""

    func property(_ name: String) -> Value? { nil }
}
