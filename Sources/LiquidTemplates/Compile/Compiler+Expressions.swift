// SPDX-License-Identifier: MIT

import DiagnosticSources

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
        let cursor = expression.cursor.borrowed
        switch cursor.kind {
        case .lookup: pushLookup(LookupSyntax(cursor))
        case .blank, .empty: pushConstant(.drop(WordLiteral.shared))
        case .range:
            let range = RangeSyntax(cursor)
            push(range.lower)
            push(range.upper)
            emit(.makeRange)
        case .group: pushMarkup(MarkupSyntax(cursor.first))
        case .string: pushConstant(.string(String(utf8: bytes(of: cursor))))
        default: pushConstant(cursor.literal ?? .null)
        }
    }

    /// Writes code that pushes the value of markup after its filters have run.
    mutating func pushMarkup(_ markup: MarkupSyntax) {
        let markup = markup.borrowed
        guard let expression = markup.expression else {
            pushConstant(.null)
            return
        }
        let outer = asksForExistence
        var filters = markup.filters
        asksForExistence = outer || filters.first.map { isSpelled("default", $0) } ?? false
        push(expression)
        asksForExistence = outer
        while let filter = filters.next() { apply(filter, of: markup) }
    }

    private mutating func apply(_ filter: FilterSyntax, of markup: MarkupSyntax) {
        let filter = filter.borrowed
        let outer = part
        defer { part = outer }
        var count = 0
        var hasKeywords = false
        var arguments = filter.arguments
        while let argument = arguments.next() {
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
            lists.unknownFilters.append(part)
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
            parts[here - 1] = part
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
        instructions.truncate(to: first)
        parts.truncate(to: first)
        // The constants of instructions that follow one another do so in the table too.
        let values = UnsafeBufferPointer(rebasing: constants.elements[Int(start)..<Int(start) + count])
        let work = FilterWork.ArgumentBytes(values, of: environment.functions.base + filter)
        return Program.FilterCall(filter: Int32(filter), constants: start, count: Int32(count), work: work)
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
            range: tree[part].range
        )
    }

    /// The instruction for a comparison with the word `blank` or `empty`; nil for any other expression.
    func wordTest(_ expression: ExpressionSyntax) -> ((_ isNegated: Bool) -> Instruction)? {
        switch expression.cursor.kind {
        case .blank: Instruction.testBlank
        case .empty: Instruction.testEmpty
        default: nil
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
        instructions.truncate(to: first)
        parts.truncate(to: first)
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
        steps.truncate(to: first)
        return nil
    }

    /// Adds the steps of a lookup and returns the name that it starts from; nil if a step must be computed.
    private mutating func addSteps(of lookup: LookupSyntax) -> Int? {
        let lookup = lookup.borrowed
        let root = lookup.rootPart
        let name: Int
        switch root.kind {
        case .variable:
            if loopField(of: lookup) != nil || isPartialsMember(root) { return nil }
            name = self.name(root)
        case .attribute: name = addAttribute(root)
        default: return nil
        }
        var segments = lookup.steps
        while let segment = segments.next() {
            switch segment.cursor.kind {
            case .index:
                guard segment.index.cursor.kind == .string else { return nil }
                steps.append(step(bytes(of: segment.index), .key))
            case .attributeKey: steps.append(attributeStep(segment.cursor.attribute))
            default: steps.append(step(bytes(of: segment)))
            }
        }
        return name
    }

    /// Adds the step for an attribute, and returns the name of the member that holds attributes.
    private mutating func addAttribute(_ root: SyntaxCursor) -> Int {
        steps.append(attributeStep(root.attribute))
        return names.number(of: Name(environment.attributesMember))
    }

    /// Whether a variable is the member of the dialect whose attributes are partials.
    @inline(__always)
    func isPartialsMember(_ part: SyntaxCursor) -> Bool {
        environment.partialsMember.map { $0.isSpelled(by: bytes(of: part)) } ?? false
    }

    /// Adds a path with the root `root` and the steps from index `first` to the last, and returns its index.
    @inline(__always)
    private mutating func path(_ root: Int, from first: Int) -> Int32 {
        let count = steps.count &- first
        let steps = Program.Steps(first: Int32(truncatingIfNeeded: first), count: Int32(truncatingIfNeeded: count))
        work &+= count &* Self.workOfInstruction
        paths.append(Program.Path(root: Int32(truncatingIfNeeded: root), steps: steps, range: tree[part].range))
        return Int32(truncatingIfNeeded: paths.count &- 1)
    }

    private mutating func step(_ key: Bytes, _ kind: Program.Step.Kind) -> Program.Step {
        Program.Step(kind: kind, key: Int32(keys.number(of: key)))
    }

    /// A step `.name`; `size`, `first` and `last` also work on values without such a key.
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

    /// The step of `${name}`: the attribute with exactly this name or, if there is none, the path that the name spells.
    private mutating func attributeStep(_ name: String) -> Program.Step {
        var step = Program.Step(kind: .attribute, key: Int32(keys.number(of: Name(name))))
        guard name.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "[") }) else { return step }
        let first = lists.spellings.count
        for part in name.split(whereSeparator: { $0 == "." || $0 == "[" || $0 == "]" }) {
            var text = String(part)
            var inner = text.withUTF8 { self.step($0) }
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
        let lookup = lookup.borrowed
        let root = lookup.rootPart
        var steps = lookup.steps
        switch root.kind {
        case .variable:
            if let field = loopField(of: lookup) {
                emit(.pushLoopField(field))
                _ = steps.next()
            } else if isPartialsMember(root), let first = steps.first, first.cursor.kind == .attributeKey {
                pushConstant(.string(first.cursor.attribute))
                emit(.partialValue)
                _ = steps.next()
            } else {
                let path = path(name(root), from: self.steps.count)
                emit(.pushPath(path, mayMiss: asksForExistence))
            }
        case .attribute:
            let first = self.steps.count
            let path = path(addAttribute(root), from: first)
            emit(.pushPath(path, mayMiss: asksForExistence))
        case .computed:
            push(ExpressionSyntax(root.first))
            emit(.findVariable)
        case .root: push(ExpressionSyntax(root.first))
        default: pushConstant(.null)
        }
        pushSteps(steps)
    }

    /// Writes code that replaces the value on the stack by the value at the end of a path.
    mutating func pushSteps(_ steps: SyntaxSequence<LookupSyntax.Step>) {
        let mayMiss = asksForExistence
        var jumps = JumpList()
        for segment in steps {
            switch segment.cursor.kind {
            case .index:
                push(segment.index)
                emit({ .index(mayMiss: mayMiss, endTo: $0) }, to: &jumps)
            case .attributeKey: emit(attributeStep(segment.cursor.attribute), endTo: &jumps)
            default: emit(step(bytes(of: segment)), endTo: &jumps)
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
        guard knowsLoop.last == true, isSpelled("forloop", NameSyntax(lookup.rootPart)), let step = lookup.steps.first,
            step.cursor.kind == .key, let field = LoopField(step.text)
        else { return nil }
        return field
    }
}

/// The value of the words `blank` and `empty` in comparisons other than `==` and `!=`: it is true, and equal to
/// nothing.
final class WordLiteral: Drop {
    static let shared = WordLiteral()
    let text = ""

    func property(_ name: String) -> Value? { nil }
}
