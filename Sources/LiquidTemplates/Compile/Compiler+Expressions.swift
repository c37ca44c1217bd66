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
    mutating func pushMarkup(_ markup: MarkupSyntax) { compile(markup, prints: nil) }

    /// Writes code that prints a value with its filters; writes nothing if the markup has no value.
    mutating func compileOutput(_ markup: MarkupSyntax) {
        guard let expression = markup.expression else { return }
        guard environment.escapesHTML, !isHTML(markup, expression) else { return compile(markup, prints: place) }
        compile(markup, prints: nil)
        escape()
        emit(.emit)
    }

    /// Writes code that escapes the value on the stack for HTML, if the environment escapes outputs.
    mutating func escape() {
        guard environment.escapesHTML, let filter = environment.filterIndex(HTMLFilters.ofOutputs) else { return }
        emit(.filter(Int32(filter), arguments: 0))
    }

    /// Whether an output is HTML already: the result of a filter that makes HTML, or a partial, which escapes its
    /// outputs.
    private func isHTML(_ markup: MarkupSyntax, _ expression: ExpressionSyntax) -> Bool {
        guard let last = markup.filters.last else {
            guard case .lookup(let lookup) = expression.kind, lookup.steps.count == 1 else { return false }
            return partialName(of: lookup) != nil
        }
        return environment.filterTraits(last.name).contains(.makesHTML)
    }

    /// Writes code for a value with its filters.
    ///
    /// - Parameters:
    ///   - markup: the value and its filters.
    ///   - node: the place of the node that prints the result; nil if the result is pushed.
    private mutating func compile(_ markup: MarkupSyntax, prints node: SourceRange?) {
        guard let expression = markup.expression else { return pushConstant(.null) }
        if markup.filters.isEmpty {
            if let node { print(expression, at: node) } else { push(expression) }
            return
        }
        let outer = asksForExistence
        asksForExistence = outer || markup.filters.first?.name == "default"
        var path = pathToFilter(expression)
        if path == nil { push(expression) }
        asksForExistence = outer
        // The filter that is called last prints the result.
        let last = node == nil ? nil : markup.filters.lastIndex { !isIgnored($0) }
        var hasPrinted = false
        for (index, filter) in markup.filters.enumerated() {
            hasPrinted = apply(filter, of: markup, to: &path, prints: index == last) || hasPrinted
        }
        pushPath(&path)
        if let node, !hasPrinted { emit(.emit, at: node) }
    }

    /// Whether a filter is unknown and has no arguments, so that it gets no code: unknown filters are ignored, as in
    /// the reference implementation.
    private func isIgnored(_ filter: FilterSyntax) -> Bool {
        filter.arguments.isEmpty && !environment.requiresKnownFilters
            && environment.filterIndex(filter.name) == nil
    }

    /// Writes code that prints a value without filters.
    private mutating func print(_ expression: ExpressionSyntax, at node: SourceRange) {
        let outer = place
        place = expression.range
        switch expression.kind {
        case .lookup(let lookup):
            if let path = staticPath(lookup) {
                emit(.emitPath(path))
            } else if lookup.steps.count == 1, let field = loopField(of: lookup) {
                emit(.emitLoopField(field))
            } else if lookup.steps.count == 1, let partial = partialName(of: lookup), recording != .branchesAndSpans {
                // Only a partial that becomes a value keeps its spans.
                pushConstant(.string(partial))
                emit(.emitPartial)
            } else {
                pushLookup(lookup)
                emit(.emit, at: node)
            }
        case .output(let markup): compile(markup, prints: node)
        case .literal, .range, .blank, .empty:
            push(expression)
            emit(.emit, at: node)
        }
        place = outer
    }

    /// A path that is not pushed yet, as the next filter may read it in place.
    private struct PendingPath {
        let path: Int32
        let mayMiss: Bool
        let place: SourceRange
    }

    private mutating func pathToFilter(_ expression: ExpressionSyntax) -> PendingPath? {
        expression.lookup.flatMap { staticPath($0) }
            .map { PendingPath(path: $0, mayMiss: asksForExistence, place: expression.range) }
    }

    private mutating func pushPath(_ path: inout PendingPath?) {
        if let pending = path.take() { emit(.pushPath(pending.path, mayMiss: pending.mayMiss), at: pending.place) }
    }

    /// Writes code that replaces a value by the result of a filter.
    ///
    /// - Parameters:
    ///   - filter: the filter.
    ///   - markup: the value with all its filters, including `filter`.
    ///   - path: the path of the value, if it is not on the stack yet.
    ///   - prints: whether the result is to be printed.
    /// - Returns: whether the result is printed; otherwise it is on the stack.
    private mutating func apply(
        _ filter: FilterSyntax,
        of markup: MarkupSyntax,
        to path: inout PendingPath?,
        prints: Bool
    ) -> Bool {
        let outer = place
        defer { place = outer }
        let index = environment.filterIndex(filter.name)
        let counts = records && filter.name == "default"
        if let index, !counts || filter.arguments.isEmpty, hasConstants(filter),
            environment.functions.base[index].arity.contains(filter.arguments.count)
        {
            if counts { pushPath(&path) }
            place = filter.nameRange
            if counts { countDefault(filter, of: markup, arguments: 0) }
            call(index, filter, on: path.take(), prints: prints)
            return prints
        }
        let count = pushArguments(of: filter, to: &path)
        place = filter.nameRange
        guard let index else {
            // The reference implementation ignores an unknown filter.
            lists.unknownFilters.append(filter)
            if count > 0 { emit(.drop(count: Int32(count))) }
            if environment.requiresKnownFilters {
                pushPath(&path)
                fail(unknownFilter(filter))
            }
            return false
        }
        pushPath(&path)
        guard environment.functions.base[index].arity.contains(count) else {
            emit(.drop(count: Int32(count)))
            fail(wrongCount(environment.filters[index], count))
            return false
        }
        if counts { countDefault(filter, of: markup, arguments: count) }
        let (filter, arguments) = (Int32(index), Int32(count))
        emit(prints ? .filterAndEmit(filter, arguments: arguments) : .filter(filter, arguments: arguments))
        return prints
    }

    /// Whether all arguments of a filter are literals without names.
    private func hasConstants(_ filter: FilterSyntax) -> Bool {
        filter.arguments.allSatisfy { $0.name == nil && $0.value.constant != nil }
    }

    /// Writes the call of a filter with constants, on the value of a path or on the value on the stack.
    ///
    /// The arguments are charged like instructions that push them.
    private mutating func call(_ index: Int, _ filter: FilterSyntax, on path: PendingPath?, prints: Bool) {
        let first = constants.count
        for argument in filter.arguments { constants.append(argument.value.constant ?? .null) }
        work += filter.arguments.count * Self.workOfInstruction
        var call = Program.FilterCall(
            filter: Int32(index),
            constants: Int32(first),
            count: Int32(filter.arguments.count)
        )
        let number = Int32(calls.count)
        if let path {
            (call.path, call.mayMiss) = (path.path, path.mayMiss)
            emit(prints ? .applyToPathAndEmit(number) : .applyToPath(number))
        } else {
            emit(prints ? .applyAndEmit(number) : .apply(number))
        }
        calls.append(call)
    }

    /// Writes code that pushes the arguments of a filter, the named ones as one object; returns the number of values.
    private mutating func pushArguments(of filter: FilterSyntax, to path: inout PendingPath?) -> Int {
        if filter.arguments.isEmpty { return 0 }
        pushPath(&path)
        var count = 0
        for argument in filter.arguments where argument.name == nil {
            push(argument.value)
            count += 1
        }
        if count == filter.arguments.count { return count }
        pushKeywords(of: filter)
        return count + 1
    }

    /// Writes code that pushes the named arguments of a filter as an object.
    private mutating func pushKeywords(of filter: FilterSyntax) {
        var keys = NameTable()
        var values: [ExpressionSyntax] = []
        for argument in filter.arguments {
            guard let name = argument.name else { continue }
            // A repeated name keeps its first place and takes the last value.
            let key = keys.number(of: name.text)
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
}

/// Tests: conditions that one instruction decides.
extension Compiler {
    /// The test that decides a term of a condition, if the term is about one variable.
    ///
    /// The test is charged like the instructions that would push both sides and compare them.
    mutating func test(of term: TermSyntax) -> Int32? {
        guard let comparison = term.comparison else {
            return testSubject(term.left).map { test($0, .isTruthy, instructions: 1) }
        }
        if let (relation, side) = wordTest(of: term) {
            return side.flatMap { testSubject($0) }.map { test($0, relation, instructions: 2) }
        }
        guard comparison != .unknown, let value = constantSide(term.right), let subject = testSubject(term.left)
        else { return nil }
        return test(subject, .compares(comparison, addConstant(value)), instructions: 3)
    }

    /// For a term that compares a value with `blank` or `empty`, the test and the side with the value.
    ///
    /// The result is nil for any other term.
    func wordTest(of term: TermSyntax) -> (relation: Program.Test.Relation, side: ExpressionSyntax?)? {
        guard term.comparison == .equal || term.comparison == .notEqual else { return nil }
        let isNegated = term.comparison == .notEqual
        if let relation = wordRelation(term.left, isNegated: isNegated) { return (relation, term.right) }
        guard let right = term.right, let relation = wordRelation(right, isNegated: isNegated) else { return nil }
        return (relation, term.left)
    }

    /// Adds a test, which is charged like a number of instructions.
    mutating func test(
        _ subject: Program.Test.Subject,
        _ relation: Program.Test.Relation,
        instructions: Int
    ) -> Int32 {
        work += instructions * Self.workOfInstruction
        tests.append(Program.Test(subject: subject, relation: relation))
        return Int32(tests.count - 1)
    }

    /// The comparison with the word `blank` or `empty`; nil for any other expression.
    func wordRelation(_ expression: ExpressionSyntax, isNegated: Bool) -> Program.Test.Relation? {
        switch expression.kind {
        case .blank: .isBlank(isNegated: isNegated)
        case .empty: .isEmpty(isNegated: isNegated)
        case .literal, .lookup, .range, .output: nil
        }
    }

    /// Writes the instruction that compares the value on the stack with `blank` or `empty`.
    mutating func emit(testing relation: Program.Test.Relation) {
        switch relation {
        case .isBlank(let isNegated): emit(.testBlank(isNegated: isNegated))
        case .isEmpty(let isNegated): emit(.testEmpty(isNegated: isNegated))
        case .isTruthy, .compares: break
        }
    }

    /// The value of a side of a comparison, if it is constant; a missing side is the constant nil.
    func constantSide(_ side: ExpressionSyntax?) -> Value? {
        switch side?.kind {
        case nil: .null
        case .blank?, .empty?: .drop(WordLiteral.shared)
        case .literal?, .lookup?, .range?, .output?: side?.constant
        }
    }

    /// The variable that an expression consists of; nil for any other expression.
    private mutating func testSubject(_ expression: ExpressionSyntax) -> Program.Test.Subject? {
        guard let lookup = expression.lookup else { return nil }
        if let path = staticPath(lookup) { return .path(path) }
        return lookup.steps.count == 1 ? loopField(of: lookup).map { .loopField($0) } : nil
    }
}

extension ExpressionSyntax {
    /// The value of a literal, or ``Value/null`` for a lookup without any name; nil for any other expression.
    fileprivate var constant: Value? {
        if case .lookup(let lookup) = kind, case .nothing = lookup.root { return .null }
        return literal
    }
}

/// Code for variables and the paths into their values.
extension Compiler {
    /// The path of a lookup whose steps are all names; nil for any other lookup, a property of `forloop` and a partial.
    mutating func staticPath(_ lookup: LookupSyntax) -> Int32? {
        let (first, spelled, charged) = (steps.count, lists.spellings.count, work)
        if let root = addSteps(of: lookup) { return path(root, from: first, of: lookup) }
        steps.truncate(to: first)
        lists.spellings.removeSubrange(spelled...)
        work = charged
        return nil
    }

    /// Adds the steps of a lookup and returns the name that it starts from; nil if the lookup has no static path.
    private mutating func addSteps(of lookup: LookupSyntax) -> Int? {
        let root: Int
        switch lookup.root {
        case .name(let name):
            if loopField(of: lookup) != nil || isPartialsMember(name) { return nil }
            root = names.number(of: name)
        case .attribute(let name): root = addAttribute(name)
        case .computed, .value, .nothing: return nil
        }
        for index in lookup.steps.indices {
            switch lookup.steps[index].kind {
            case .index(let index):
                guard index.isQuoted, case .literal(.string(let key)) = index.kind else { return nil }
                steps.append(self.step(key, .key))
            case .attribute(let name): steps.append(attributeStep(name))
            case .key(let key): steps.append(self.step(key))
            }
        }
        return root
    }

    /// Adds the step for an attribute, and returns the name of the member that holds attributes.
    private mutating func addAttribute(_ name: String) -> Int {
        steps.append(attributeStep(name))
        return names.number(of: environment.attributesMember)
    }

    /// The name of the partial that a lookup renders; nil for any other lookup.
    private func partialName(of lookup: LookupSyntax) -> String? {
        guard case .name(let member) = lookup.root, isPartialsMember(member),
            case .attribute(let partial)? = lookup.steps.first?.kind
        else { return nil }
        return partial
    }

    /// Whether a variable is the member of the dialect whose attributes are partials.
    @inline(__always)
    func isPartialsMember(_ name: String) -> Bool {
        environment.partialsMember.map { $0.sameBytes(as: name) } ?? false
    }

    /// Adds a path with the root `root` and the steps from index `first` to the last, and returns its index.
    @inline(__always)
    private mutating func path(_ root: Int, from first: Int, of lookup: LookupSyntax) -> Int32 {
        let count = steps.count &- first
        let steps = Program.Steps(first: Int32(truncatingIfNeeded: first), count: Int32(truncatingIfNeeded: count))
        work &+= count &* Self.workOfInstruction
        paths.append(Program.Path(root: Int32(truncatingIfNeeded: root), steps: steps, range: lookup.range))
        return Int32(truncatingIfNeeded: paths.count &- 1)
    }

    private mutating func step(_ key: String, _ kind: Program.Step.Kind) -> Program.Step {
        Program.Step(kind: kind, key: Int32(keys.number(of: key)))
    }

    /// A step `.name`; `size`, `first` and `last` also work on values without such a key.
    private mutating func step(_ key: String) -> Program.Step {
        let kind: Program.Step.Kind =
            switch key.utf8.count {
            case 4 where key == "size": .size
            case 4 where key == "last": .last
            case 5 where key == "first": .first
            default: .key
            }
        return step(key, kind)
    }

    /// The step of `${name}`: the attribute with exactly this name or, if there is none, the path that the name spells.
    private mutating func attributeStep(_ name: String) -> Program.Step {
        var step = Program.Step(kind: .attribute, key: Int32(keys.number(of: name)))
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
            } else if let partial = partialName(of: lookup) {
                pushConstant(.string(partial))
                emit(.partialValue)
                steps.removeFirst()
            } else {
                let path = path(names.number(of: name), from: self.steps.count, of: lookup)
                emit(.pushPath(path, mayMiss: asksForExistence))
            }
        case .attribute(let name):
            let first = self.steps.count
            let path = path(addAttribute(name), from: first, of: lookup)
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
                jumps.append(emit(.index(mayMiss: mayMiss, endTo: 0)), in: &instructions)
            case .attribute(let name): jumps.append(emit(attributeStep(name)), in: &instructions)
            case .key(let key): jumps.append(emit(self.step(key)), in: &instructions)
            }
        }
        patch(jumps)
    }

    private mutating func emit(_ step: Program.Step) -> Int {
        steps.append(step)
        steps[steps.count - 1].mayMiss = asksForExistence
        return emit(.step(Int32(steps.count - 1), endTo: 0))
    }

    /// The property of the innermost `for` that a lookup reads, such as `index` in `forloop.index`; nil if the lookup
    /// may mean anything else.
    @inline(__always)
    private func loopField(of lookup: LookupSyntax) -> LoopField? {
        guard knowsLoop.last == true, case .name("forloop") = lookup.root,
            case .key(let key)? = lookup.steps.first?.kind
        else { return nil }
        return LoopField(rawValue: key)
    }
}

/// The value of the words `blank` and `empty` wherever they are not compared by `==` or `!=`: it is true, and equal to
/// no other value.
final class WordLiteral: Drop {
    static let shared = WordLiteral()
    let text = ""

    func property(_ name: String) -> Value? { nil }
}
