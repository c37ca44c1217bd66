// SPDX-License-Identifier: MIT

import AppDeclarations

/// The ways in which code leaves a statement without continuing after it.
enum Exit: Equatable {
    /// What a function returns at a `return` or `throw`.
    enum Returned: Equatable {
        case nothing, null, no, value, error
        /// A value that may be nil.
        case optional
    }

    /// The rest of a `switch` or loop is skipped.
    case breaks
    /// The rest of an iteration is skipped.
    case skips
    case leaves(Returned)
    case crash

    var requirement: ReadRequirement {
        switch self {
        case .crash: .crash
        case .breaks: .optional
        case .skips, .leaves: .return
        }
    }

    private var rank: Int {
        switch self {
        case .breaks: 0
        case .skips: 1
        case .leaves: 2
        case .crash: 3
        }
    }

    /// The weaker of the exits of two branches, one of which runs; nil if code may continue after either.
    static func weaker(_ left: Exit?, _ right: Exit?) -> Exit? {
        guard let left, let right else { return nil }
        return left.rank <= right.rank ? left : right
    }
}

/// Statements: what runs under which condition, and how code leaves the function if a pair is missing.
extension BodyReader {
    /// Reads statements.
    ///
    /// - Returns: how code leaves the statements; nil if it continues after them.
    func run(_ statements: [CodeStatement]) -> Exit? {
        let outer = isLast
        defer { isLast = outer }
        for (index, statement) in statements.enumerated() {
            blockValue = nil
            isLast = outer && index == statements.count - 1
            let exit = run(statement)
            noteCategories()
            if let exit { return exit }
        }
        return nil
    }

    private func noteCategories() {
        for (name, place) in comparedCategories { noteOther { $0.note(name, as: .comparedCategory, at: place) } }
        comparedCategories = []
    }

    /// Records the categories that a condition compares, unless code only leaves the function for them.
    private func note(
        _ categories: [(name: String, place: CodePlace)], _ exit: Exit?, _ body: [CodeStatement],
        for matched: CategorySet
    ) {
        if case .leaves? = exit, !matched.isComplement, body.dropLast().allSatisfy(\.isAssignment) { return }
        for (name, place) in categories { noteOther { $0.note(name, as: .comparedCategory, at: place) } }
    }

    private func run(_ statement: CodeStatement) -> Exit? {
        pairs.step()
        switch statement {
        case .expression(let expression):
            let value = evaluate(expression)
            blockValue = value
            hasEffects = true
            return crashes(expression) ? .crash : nil
        case .variable(let variable):
            declare(variable)
            return nil
        case .guarding(let conditions, let body):
            guarding(conditions, body)
            return nil
        case .branch(let conditions, let body, let otherwise): return branch(conditions, body, otherwise)
        case .choose(let subject, let cases): return choose(subject, cases)
        case .loop(let pattern, let sequence, let conditions, let body, let offset):
            loop(pattern, sequence, conditions, body, at: offset)
            return nil
        case .repeating(let conditions, let body):
            inside(circumstances.opened) {
                _ = test(conditions)
                _ = run(body)
            }
            return nil
        case .attempt(let body, let catches, let isExhaustive):
            let outer = thrown
            thrown = []
            let tried = block(body, in: circumstances)
            let caught = thrown
            thrown = isExhaustive ? outer : outer.union(caught)
            for handler in catches {
                let handled = block(handler, in: circumstances.opened)
                guard let exit = handled.exit else { continue }
                let here = circumstances
                circumstances.condition.categories = here.condition.categories.intersection(handled.end.categories)
                demand(caught, exit.requirement, isSkip: isSkip(exit))
                circumstances = here
            }
            return catches.isEmpty ? tried.exit : tried.exit == .crash ? .crash : nil
        case .returning(let value): return leave(value)
        case .throwing(let value):
            if let value { _ = evaluate(value) }
            return isObjectiveC ? .crash : .leaves(.error)
        case .leave(let target):
            switch target {
            case .innermost: return .breaks
            case .iteration: return .skips
            case .entry: return nil
            case .function: return .leaves(.nothing)
            }
        case .function(let function):
            declare(function)
            return nil
        case .conditional(let body, let isForOthers):
            let outer = (circumstances, isUnbuilt, isInBuild)
            circumstances.condition.isOpen = true
            isUnbuilt = isUnbuilt || isForOthers
            isInBuild = true
            _ = run(body)
            (circumstances, isUnbuilt, isInBuild) = outer
            return nil
        }
    }

    private func declare(_ variable: CodeVariable) {
        if let initial = variable.initial {
            var meaning = annotated(evaluate(initial, expecting: variable.type), variable.type)
            // Code may change the variable later.
            if !variable.isConstant, !isObjectiveC, !meaning.reads.isEmpty || !meaning.dictionaries.isEmpty {
                meaning.mayBeOther = true
            }
            bind(variable.pattern, to: meaning)
        } else {
            bind(variable.pattern, to: AbstractValue(type: names.resolved(variable.type, in: type)))
        }
        guard let getter = variable.getter, let name = variable.name else { return }
        declare(name, read([], getter.body ?? [], id: pairs.id(of: getter.identity)))
    }

    /// What is known about a value after it is assigned to a variable with a declared type.
    func annotated(_ meaning: AbstractValue, _ type: CodeTypeName?) -> AbstractValue {
        guard let type = names.resolved(type, in: self.type) else { return meaning }
        if !meaning.reads.isEmpty || !meaning.dictionaries.isEmpty, isObjectiveC || meaning.isGeneric {
            var found = cast(meaning, to: type, .plain, at: 0)
            found.type = type
            if !isObjectiveC, let context = ReadType(type) { note(meaning.reads) { $0.contexts.insert(context) } }
            return found
        }
        var found = meaning
        if found.type == nil || type.unwrapped.name != "Any" { found.type = type }
        return found
    }

    /// Reads a nested function, which uses the names around it.
    private func declare(_ function: CodeFunction) {
        let id = pairs.id(of: function.identity)
        var meaning = AbstractValue(type: .function)
        meaning.closures = [id]
        declare(function.name, meaning)
        _ = read(function.parameters, function.body ?? [], id: id)
    }

    private func leave(_ value: CodeExpression?) -> Exit {
        guard let value else {
            noteLeaving()
            return .leaves(.nothing)
        }
        let meaning = evaluate(value, expecting: function?.result)
        noteLeaving()
        if crashes(value) { return .crash }
        var returned = meaning
        if isObjectiveC, closures.count == 0, let type = function?.result { returned = annotated(returned, type) }
        if depth > closures.depth || circumstances.condition.isOpen { returned.absent = returned.absent.opened }
        if isInBuild { returned.textsOfBuilds = returned.texts }
        result.join(returned)
        switch value.kind {
        case .null: return .leaves(.null)
        case .boolean(false): return .leaves(.no)
        case .member(nil, "none"): return .leaves(.null)
        case .call, .name, .closure:
            // In a function without a result, `return` with a call only leaves the function.
            guard let result = function?.result, result.name != "Void" else { return .leaves(.nothing) }
            return .leaves(result.isOptional ? .optional : .value)
        default: return .leaves(function?.result?.isOptional ?? false ? .optional : .value)
        }
    }

    /// Notes that code may have left the function, if that depends on the value of a pair.
    private func noteLeaving() {
        if circumstances.condition.isOpen, !circumstances.condition.keys.isEmpty, depth > closures.depth {
            mayHaveLeft = true
        }
    }

    // MARK: - Branches

    /// What a block of statements does.
    private struct Block {
        /// How code leaves the block; nil if it continues after the block.
        var exit: Exit?
        /// The condition under which the end of the block is reached.
        var end: ReadCondition
        /// Whether the block gives the notification back to the system.
        var delivers: Bool
        /// The value of its last statement.
        var value: AbstractValue?
    }

    private func block(
        _ body: [CodeStatement], in circumstances: Circumstances, learning: Set<Absence> = []
    ) -> Block {
        inside(circumstances) {
            learn(learning)
            delivers = false
            let exit = run(body)
            return Block(exit: exit, end: self.circumstances.condition, delivers: delivers, value: blockValue)
        }
    }

    private func takeComparedCategories() -> [(name: String, place: CodePlace)] {
        defer { comparedCategories = [] }
        return comparedCategories
    }

    private func guarding(_ conditions: [CodeCondition], _ body: [CodeStatement]) {
        let test = test(conditions)
        let compared = takeComparedCategories()
        let before = hasEffects
        var outer = circumstances
        outer.condition.categories = outer.condition.categories.intersection(test.categoriesFalse)
        outer.isOfBranch = true
        let otherwise = block(body, in: outer)
        let exit = otherwise.exit ?? .leaves(.nothing)
        note(compared, exit, body, for: test.categoriesFalse)
        hasEffects = before
        let here = circumstances
        if exit == .crash, body.count > 1 {
            // For other categories, the block leaves the function before it crashes.
            circumstances.condition.categories = here.condition.categories.intersection(otherwise.end.categories)
            circumstances.condition.isOpen = here.condition.isOpen || otherwise.end.isOpen
        }
        apply(test, isFalse: true, exit, isPure: body.count == 1)
        circumstances = here
        narrow(to: test)
    }

    private func branch(_ conditions: [CodeCondition], _ body: [CodeStatement], _ otherwise: [CodeStatement]?) -> Exit?
    {
        let before = (known: known.count, isUnbuilt: isUnbuilt)
        scopes.append([:])
        depth += 1
        let test = test(conditions)
        let compared = takeComparedCategories()
        if case .expression(let value)? = conditions.first, case .boolean(false) = value.kind { isUnbuilt = true }
        let first = block(body, in: circumstances(of: test))
        scopes.removeLast()
        depth -= 1
        known.forget(after: before.known)
        isUnbuilt = before.isUnbuilt
        note(compared, otherwise == nil ? first.exit : nil, body, for: test.categoriesTrue)
        apply(test, isFalse: false, first.exit ?? (first.delivers ? .leaves(.nothing) : nil))
        let second = otherwise.map { block($0, in: circumstances(of: test.negated), learning: test.absentTrue) }
        if let second {
            apply(test, isFalse: true, second.exit ?? (second.delivers && !first.delivers ? .leaves(.nothing) : nil))
        }
        blockValue = first.value
        if let other = second?.value { blockValue = blockValue?.joined(other) ?? other }
        delivers = delivers || first.delivers
        if let exit = first.exit, second?.exit == nil {
            if exit != .breaks { narrow(to: test.negated) }
        } else if second?.exit != nil, first.exit == nil {
            narrow(to: test)
        }
        return Exit.weaker(first.exit, second?.exit)
    }

    // MARK: - Switches and loops

    private func choose(_ expression: CodeExpression, _ cases: [CodeStatement.Case]) -> Exit? {
        let subject = evaluate(expression)
        let isOfCategory = subject.role == .categoryIdentifier
        var rest = CategorySet.all
        var leaving = CategorySet.none
        var exits: [Exit?] = []
        var value: AbstractValue?
        var (leaves, nilExits) = (false, false)
        var earlier: Set<String> = []
        // The categories for which the previous case falls through to the current one.
        var carried = CategorySet.none
        let handlesNil = cases.contains { $0.patterns.contains(where: \.isNull) }
        for entry in cases {
            var inner = circumstances
            var matched = CategorySet.none
            var isNil = entry.patterns.contains(where: \.isNull)
            let exit = inside(circumstances) { () -> Exit? in
                for pattern in entry.patterns {
                    let found = match(pattern, subject)
                    if let categories = found.categories { matched.formUnion(categories) }
                }
                for condition in entry.conditions { _ = evaluate(condition) }
                if isOfCategory {
                    matched.formUnion(carried)
                    if entry.isDefault || entry.patterns.contains(where: \.matchesAll) { matched = rest }
                    if entry.conditions.isEmpty {
                        rest = rest.subtracting(matched)
                    } else {
                        inner.condition.isOpen = true
                    }
                    inner.condition.categories = inner.condition.categories.intersection(matched)
                } else {
                    inner.condition.isOpen = true
                    if !entry.isDefault, !isNil { inner.condition.require(keys(subject.absent)) }
                }
                circumstances = inner
                if !isNil, !entry.isDefault { learn(subject.absent) }
                narrow(expression, subject, to: entry, after: earlier)
                if entry.conditions.isEmpty { earlier.formUnion(texts(of: entry)) }
                return run(entry.body)
            }
            carried = .none
            if case .leave(.entry)? = entry.body.last { carried = matched }
            if let other = blockValue { value = value.map { $0.joined(other) } ?? other }
            isNil =
                isNil || (entry.isDefault && !handlesNil)
                || (entry.patterns.contains(where: \.matchesAll) && !handlesNil)
            if isNil, entry.conditions.isEmpty, let exit, exit != .breaks, !isOfCategory {
                let absences = subject.parts.isEmpty ? subject.absent : Set(subject.parts.flatMap(\.absent))
                if entry.isDefault, case .leaves(.value) = exit, circumstances.isAside {
                    // The function returns a default, for nil as for any other unexpected value.
                } else {
                    leave(absences, exit)
                }
            }
            if isOfCategory, exit != nil, exit != .breaks, entry.conditions.isEmpty { leaving.formUnion(matched) }
            let onlyNil = isNil && !entry.isDefault
            if onlyNil, exit != nil, exit != .breaks { nilExits = true }
            exits.append(exit == .breaks ? nil : exit)
            if !onlyNil, exit != nil, exit != .breaks { leaves = true }
        }
        blockValue = value
        if isOfCategory {
            circumstances.condition.categories = circumstances.condition.categories.subtracting(leaving)
        } else if leaves, !subject.absent.isEmpty || !subject.reads.isEmpty {
            circumstances.condition.require(keys(subject.absent))
            circumstances.condition.isOpen = true
            mayHaveLeft = true
        }
        if nilExits { learn(subject.absent) }
        guard let first = exits.first, cases.contains(where: { $0.isDefault }) || isObjectiveC else { return nil }
        return exits.dropFirst().reduce(first) { Exit.weaker($0, $1) }
    }

    /// The texts that the patterns of a case match; for cases of an enumeration, their raw values.
    private func texts(of entry: CodeStatement.Case) -> Set<String> {
        var found: Set<String> = []
        for case .value(let value) in entry.patterns {
            found.formUnion(evaluate(value, expecting: subjectType).texts.compactMap(\.literal))
        }
        return found
    }

    /// Inside a case, narrows the texts of the subject to those that reach the case.
    private func narrow(
        _ expression: CodeExpression, _ subject: AbstractValue, to entry: CodeStatement.Case, after earlier: Set<String>
    ) {
        guard case .name(let name) = expression.kind, var local = local(name), !local.texts.isEmpty, local.reads.isEmpty
        else { return }
        subjectType = subject.type
        var change = KeyText.Change()
        if entry.isDefault { change.except = earlier } else { change.only = texts(of: entry) }
        if !entry.isDefault, change.only?.isEmpty ?? true { return }
        local.texts = Set(local.texts.compactMap { change.applied(to: $0) })
        scopes[scopes.count - 1][name] = Local(meaning: local, depth: depth)
    }

    private func loop(
        _ pattern: CodePattern,
        _ sequence: CodeExpression,
        _ conditions: [CodeExpression],
        _ body: [CodeStatement],
        at offset: Int
    ) {
        let all = evaluate(sequence)
        let element = element(of: all, at: offset)
        var inner = circumstances
        // If the list is empty, the body of the loop does not run at all.
        if !element.isEach && element.reads.isEmpty && element.dictionaries.isEmpty, !sequence.isRange {
            inner.condition.isOpen = true
        }
        inside(inner) {
            bind(pattern, to: element)
            if !conditions.isEmpty {
                for condition in conditions { _ = evaluate(condition) }
                circumstances.condition.isOpen = true
            }
            _ = run(body)
        }
    }

    /// What is known about an element of a list.
    func element(of list: AbstractValue, at offset: Int) -> AbstractValue {
        if let element = list.element.first {
            var found = element
            found.isEach = true
            return found
        }
        var found = AbstractValue()
        let isDictionary = list.type?.unwrapped.isDictionary ?? false
        if list.dictionaries.contains(where: { $0.path.isEmpty && $0.root == .push })
            || (isDictionary && !list.dictionaries.isEmpty)
        {
            if gives(list) { reportGap("code loops over the keys of the payload", at: offset) }
            found.role = .keyOfLoop
            found.parts = [AbstractValue(type: .named("String", []), role: .keyOfLoop), AbstractValue()]
            return found
        }
        // The value of a read or of a parameter, which code uses as a list.
        let inside = pairs.asDictionaries(list)
        found.dictionaries = Set(inside.compactMap { $0.appending(PushDictionary.anyElement) })
        note(list.reads) { $0.casts.insert(.array) }
        if case .array(let inner)? = list.type?.unwrapped { found.type = inner }
        for text in list.texts {
            // The elements of a list that callers pass.
            if text.literal == nil { found.texts.insert(text) }
        }
        return found
    }
}

extension CodeStatement {
    fileprivate var isAssignment: Bool {
        if case .expression(let expression) = self, case .assign = expression.kind { true } else { false }
    }
}

extension CodeExpression {
    /// Whether the expression is a range of numbers.
    fileprivate var isRange: Bool {
        if case .binary(let symbol, _, _) = kind { return symbol == "..<" || symbol == "..." }
        return false
    }
}

extension Circumstances {
    /// The same circumstances under another condition, whose result is not known.
    var opened: Circumstances {
        var found = self
        found.condition.isOpen = true
        found.isOfPresence = false
        return found
    }
}

extension CodePattern {
    /// Whether the pattern matches only nil.
    fileprivate var isNull: Bool {
        switch self {
        case .value(let value): if case .member(nil, "none") = value.kind { true } else { value.isNull }
        case .enumCase("none", _): true
        default: false
        }
    }

    fileprivate var matchesAll: Bool {
        switch self {
        case .any, .name, .variable: true
        default: false
        }
    }
}

extension AbstractValue {
    /// Whether its type is unknown or `Any`, or has a name of one capital letter, as generic parameters often do.
    fileprivate var isGeneric: Bool {
        guard let name = self.type?.unwrapped.name else { return true }
        return name == "Any" || name.count == 1 && name.first?.isUppercase ?? false
    }
}
