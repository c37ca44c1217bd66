// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Code for values, paths and filters.
extension Compiler {
    /// Writes code that pushes the value of an expression.
    mutating func push(_ expression: ExpressionSyntax) {
        let outer = place
        place = expression.range
        defer { place = outer }
        switch expression.kind {
        case .literal(let value): pushConstant(value)
        case .lookup(let lookup): pushLookup(lookup)
        case .blank, .empty: pushConstant(.drop(WordLiteral.shared))
        case .range(let range):
            push(range.lower)
            push(range.upper)
            emit(.makeRange)
        case .output(let markup): pushMarkup(markup)
        }
    }

    /// Writes code that pushes the value of markup after its filters have run.
    mutating func pushMarkup(_ markup: MarkupSyntax) {
        guard let expression = markup.expression else {
            pushConstant(.null)
            return
        }
        let outer = asksForExistence
        asksForExistence = outer || markup.filters.first?.name == "default"
        push(expression)
        asksForExistence = outer
        for filter in markup.filters { apply(filter, of: markup) }
    }

    private mutating func apply(_ filter: FilterSyntax, of markup: MarkupSyntax) {
        let outer = place
        defer { place = outer }
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
        place = filter.nameRange
        guard let index = environment.filterIndex(bytes(of: filter.nameRange)) else {
            // The reference ignores an unknown filter.
            lists.unknownFilters.append(filter)
            if count > 0 { emit(.drop(count: Int32(count))) }
            if environment.requiresKnownFilters { fail(unknownFilter(filter)) }
            return
        }
        guard environment.functions.base[index].arity.contains(count) else {
            emit(.drop(count: Int32(count)))
            return fail(wrongCount(environment.filters[index], count))
        }
        if records, environment.filters[index].name == "default" {
            countDefault(filter, of: markup, arguments: count)
        }
        guard var call = takeConstants(count, for: index) else {
            emit(.filter(Int32(index), arguments: Int32(count)))
            return
        }
        if case .pushPath(let path, let mayMiss) = instructions[here - 1] {
            call.path = path
            call.mayMiss = mayMiss
            instructions[here - 1] = .applyToPath(Int32(calls.count))
            places[here - 1] = place
        } else {
            emit(.apply(Int32(calls.count)))
        }
        calls.append(call)
    }

    /// Removes the code that pushes the arguments of a filter, and returns the call that reads them in place; nil, and
    /// no change, unless all of them are constants.
    ///
    /// The work of the removed instructions remains charged.
    private mutating func takeConstants(_ count: Int, for filter: Int) -> Program.FilterCall? {
        let first = here - count
        var start: Int32 = 0
        for index in 0..<count {
            guard case .pushConstant(let constant) = instructions[first + index] else { return nil }
            if index == 0 { start = constant }
        }
        removeInstructions(from: first)
        // The constants of instructions that follow one another do so in the table too.
        let work = constants[Int(start)..<Int(start) + count].withUnsafeBufferPointer { values in
            FilterWork.ArgumentBytes(values, of: environment.functions.base + filter)
        }
        return Program.FilterCall(filter: Int32(filter), constants: start, count: Int32(count), work: work)
    }

    /// Writes code that pushes the named arguments of a filter as an object.
    private mutating func pushKeywords(of filter: FilterSyntax) {
        var keys = NameTable()
        var values: [ExpressionSyntax] = []
        for argument in filter.arguments {
            guard let name = argument.name else { continue }
            // A repeated name keeps its first place and takes the last value.
            let key = keys.number(of: Name(name.text))
            if key < values.count { values[key] = argument.value } else { values.append(argument.value) }
        }
        for value in values { push(value) }
        lists.keyLists.append(keys.names.map(\.text))
        emit(.makeObject(keys: Int32(lists.keyLists.count - 1)))
    }

    private mutating func unknownFilter(_ filter: FilterSyntax) -> LiquidError {
        LiquidError(
            .undefinedFilter,
            environment.messageForUnknownFilter(filter.name, &suggestions),
            referenceText: "undefined filter \(filter.name)",
            range: filter.nameRange
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
            range: place
        )
    }

    /// The instruction for a comparison with the word `blank` or `empty`; nil for any other expression.
    func wordTest(_ expression: ExpressionSyntax) -> ((_ isNegated: Bool) -> Instruction)? {
        switch expression.kind {
        case .blank: Instruction.testBlank
        case .empty: Instruction.testEmpty
        case .literal, .lookup, .range, .output: nil
        }
    }
}

/// Tests: conditions that one instruction decides.
extension Compiler {
    /// Removes the code that was written last and returns it as a test, if it pushes whether something is true of one
    /// variable; nil, and no change, for any other code.
    ///
    /// The work of the removed instructions remains charged.
    mutating func takeTest() -> Int32? {
        let relation: Program.Test.Relation
        let first: Int
        switch instructions[here - 1] {
        case .compare(let comparison):
            guard here > 2, case .pushConstant(let constant) = instructions[here - 2] else { return nil }
            relation = .compares(comparison, constant)
            first = here - 3
        case .testBlank(let isNegated):
            relation = .isBlank(isNegated: isNegated)
            first = here - 2
        case .testEmpty(let isNegated):
            relation = .isEmpty(isNegated: isNegated)
            first = here - 2
        default:
            relation = .isTruthy
            first = here - 1
        }
        guard let subject = testSubject(at: first) else { return nil }
        removeInstructions(from: first)
        tests.append(Program.Test(subject: subject, relation: relation))
        return Int32(tests.count - 1)
    }

    /// The variable that an instruction pushes; nil for any other instruction.
    private func testSubject(at index: Int) -> Program.Test.Subject? {
        switch instructions[index] {
        case .pushPath(let path, mayMiss: true): .path(path)
        case .pushLoopField(let field): .loopField(field)
        default: nil
        }
    }
}

/// Code for variables and the paths into their values.
extension Compiler {
    /// The path of a lookup without computed steps; nil for any other lookup.
    mutating func staticPath(_ lookup: LookupSyntax) -> Int32? {
        let first = steps.count
        if let root = addSteps(of: lookup) { return path(root, from: first) }
        steps.removeSubrange(first...)
        return nil
    }

    /// Adds the steps of a lookup and returns the name that it starts from; nil if a step must be computed.
    private mutating func addSteps(of lookup: LookupSyntax) -> Int? {
        let root: Int
        switch lookup.root {
        case .name(let name):
            if loopField(of: lookup) != nil || isPartialsMember(name) { return nil }
            root = names.number(of: Name(name))
        case .attribute(let name): root = addAttribute(name)
        case .computed, .value, .nothing: return nil
        }
        for step in lookup.steps {
            switch step.kind {
            case .index(let index):
                guard index.isQuoted, case .literal(.string(let key)) = index.kind else { return nil }
                steps.append(self.step(Name(key), .key))
            case .attribute(let name): steps.append(attributeStep(name))
            case .key(let key): steps.append(self.step(key))
            }
        }
        return root
    }

    /// Adds the step for an attribute, and returns the name of the member that holds attributes.
    private mutating func addAttribute(_ name: String) -> Int {
        steps.append(attributeStep(name))
        return names.number(of: Name(environment.attributesMember))
    }

    /// Whether a variable is the member of the dialect whose attributes are partials.
    @inline(__always)
    func isPartialsMember(_ name: String) -> Bool {
        environment.partialsMember.map { $0.sameBytes(as: name) } ?? false
    }

    /// Adds a path with the root `root` and the steps from index `first` to the last, and returns its index.
    @inline(__always)
    private mutating func path(_ root: Int, from first: Int) -> Int32 {
        let count = steps.count &- first
        let steps = Program.Steps(first: Int32(truncatingIfNeeded: first), count: Int32(truncatingIfNeeded: count))
        work &+= count &* Self.workOfInstruction
        paths.append(Program.Path(root: Int32(truncatingIfNeeded: root), steps: steps, range: place))
        return Int32(truncatingIfNeeded: paths.count &- 1)
    }

    private mutating func step(_ key: Name, _ kind: Program.Step.Kind) -> Program.Step {
        Program.Step(kind: kind, key: Int32(keys.number(of: key)))
    }

    /// A step `.name`; `size`, `first` and `last` also work on values without such a key.
    private mutating func step(_ key: String) -> Program.Step {
        let kind: Program.Step.Kind =
            switch key {
            case "size": .size
            case "last": .last
            case "first": .first
            default: .key
            }
        return step(Name(key), kind)
    }

    /// The step of `${name}`: the attribute with exactly this name or, if there is none, the path that the name spells.
    private mutating func attributeStep(_ name: String) -> Program.Step {
        var step = Program.Step(kind: .attribute, key: Int32(keys.number(of: Name(name))))
        guard name.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "[") }) else { return step }
        let first = lists.spellings.count
        for part in name.split(whereSeparator: { $0 == "." || $0 == "[" || $0 == "]" }) {
            var inner = self.step(String(part))
            if let index = Int(part) {
                inner.kind = .element
                inner.index = index
            }
            lists.spellings.append(inner)
        }
        step.spelled = Program.Steps(first: Int32(first), count: Int32(lists.spellings.count - first))
        work += (lists.spellings.count - first) * Self.workOfInstruction
        return step
    }

    mutating func pushLookup(_ lookup: LookupSyntax) {
        if let path = staticPath(lookup) {
            emit(.pushPath(path, mayMiss: asksForExistence))
            return
        }
        var steps = lookup.steps[...]
        switch lookup.root {
        case .name(let name):
            if let field = loopField(of: lookup) {
                emit(.pushLoopField(field))
                steps.removeFirst()
            } else if isPartialsMember(name), case .attribute(let partial)? = steps.first?.kind {
                pushConstant(.string(partial))
                emit(.partialValue)
                steps.removeFirst()
            } else {
                let path = path(names.number(of: Name(name)), from: self.steps.count)
                emit(.pushPath(path, mayMiss: asksForExistence))
            }
        case .attribute(let name):
            let first = self.steps.count
            let path = path(addAttribute(name), from: first)
            emit(.pushPath(path, mayMiss: asksForExistence))
        case .computed(let name):
            push(name)
            emit(.findVariable)
        case .value(let value): push(value)
        case .nothing: pushConstant(.null)
        }
        pushSteps(steps)
    }

    /// Writes code that replaces the value on the stack by the value at the end of a path.
    private mutating func pushSteps(_ steps: ArraySlice<LookupSyntax.Step>) {
        let mayMiss = asksForExistence
        var jumps = JumpList()
        for step in steps {
            switch step.kind {
            case .index(let index):
                push(index)
                emit({ .index(mayMiss: mayMiss, endTo: $0) }, to: &jumps)
            case .attribute(let name): emit(attributeStep(name), endTo: &jumps)
            case .key(let key): emit(self.step(key), endTo: &jumps)
            }
        }
        patch(jumps)
    }

    private mutating func emit(_ step: Program.Step, endTo jumps: inout JumpList) {
        var step = step
        step.mayMiss = asksForExistence
        steps.append(step)
        let index = Int32(steps.count - 1)
        emit({ .step(index, endTo: $0) }, to: &jumps)
    }

    /// The property of the innermost `for` that a lookup begins with; nil if it may mean anything else.
    @inline(__always)
    private func loopField(of lookup: LookupSyntax) -> LoopField? {
        guard knowsLoop.last == true, case .name("forloop") = lookup.root,
            case .key(let key)? = lookup.steps.first?.kind
        else { return nil }
        return LoopField(key)
    }
}

/// The value of the words `blank` and `empty` in comparisons other than `==` and `!=`: it is true, and equal to
/// nothing.
final class WordLiteral: Drop {
    static let shared = WordLiteral()
    let text = ""

    func property(_ name: String) -> Value? { nil }
}
