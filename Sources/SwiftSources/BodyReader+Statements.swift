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

    /// The weaker of two exits, which happens at least, whichever branch runs; nil if code may continue.
    static func weaker(_ left: Exit?, _ right: Exit?) -> Exit? {
        guard let left, let right else { return nil }
        return left.rank <= right.rank ? left : right
    }
}

/// Statements: what runs under which condition, and how code leaves the function if a pair is missing.
extension BodyReader {
    /// Reads statements.
    ///
    /// - Returns: how code leaves them; nil if it continues after them.
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
        case .giveBack(let value): return leave(value)
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
            bind(variable.pattern, to: Meaning(type: names.resolved(variable.type, in: type)))
        }
        guard let getter = variable.getter, let name = variable.name else { return }
        declare(name, read([], getter.body ?? [], id: pairs.id(of: getter.identity)))
    }

    /// The meaning of a value that is assigned to a variable of a declared type.
    func annotated(_ meaning: Meaning, _ type: CodeTypeName?) -> Meaning {
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
        var meaning = Meaning(type: .function)
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
            // In a function without a result, `return` with a call only leaves.
            guard let result = function?.result, result.name != "Void" else { return .leaves(.nothing) }
            return .leaves(result.isOptional ? .optional : .value)
        default: return .leaves(function?.result?.isOptional ?? false ? .optional : .value)
        }
    }

    /// Notes that code leaves the function only for some pushes, if that depends on the value of a pair.
    private func noteLeaving() {
        if circumstances.condition.isOpen, !circumstances.condition.keys.isEmpty, depth > closures.depth {
            mayHaveLeft = true
        }
    }

    // MARK: - Conditions

    /// The facts about a push that the conditions of a statement test.
    struct Test {
        var absentFalse: Set<Absence> = []
        var absentTrue: Set<Absence> = []
        var categoriesTrue = CategorySet.all
        var categoriesFalse = CategorySet.none
        /// Whether the result depends only on the category and on which pairs are present.
        var isPlain = true
        /// Whether the result depends only on the category.
        var isOfCategories = true
        var isTested = false
        var values: [Meaning] = []

        /// The opposite test.
        var negated: Test {
            Test(
                absentFalse: absentTrue, absentTrue: absentFalse, categoriesTrue: categoriesFalse,
                categoriesFalse: categoriesTrue, isPlain: isPlain, isOfCategories: isOfCategories, isTested: isTested,
                values: values.map(\.swapped))
        }
    }

    func test(_ conditions: [CodeCondition]) -> Test {
        var test = Test()
        for condition in conditions {
            let meaning: Meaning
            var isNeutral = false
            switch condition {
            case .expression(let expression):
                meaning = evaluate(expression)
                if case .available = expression.kind { isNeutral = true }
                if conditions.count == 1 { test.absentTrue = meaning.present }
            case .binding(let pattern, let type, let value):
                meaning = evaluate(value, expecting: type)
                bind(pattern, to: annotated(meaning, type).unwrapped)
                if case .name("self") = value.kind { isNeutral = true }
            case .matching(let pattern, let value):
                let subject = evaluate(value)
                meaning = match(pattern, subject)
            }
            if isNeutral { continue }
            test.values.append(meaning)
            test.absentFalse.formUnion(meaning.absent)
            learn(meaning.absent)
            if let categories = meaning.categories {
                test.categoriesTrue = test.categoriesTrue.intersection(categories)
                test.categoriesFalse = test.categoriesFalse.union(categories.inverted)
                continue
            }
            test.isOfCategories = false
            test.categoriesFalse = .all
            if meaning.isTested { test.isTested = true }
            if meaning.isTested || (meaning.absent.isEmpty && meaning.present.isEmpty) { test.isPlain = false }
        }
        if conditions.isEmpty { test.categoriesFalse = .all }
        return test
    }

    /// Binds the names of a pattern, and returns what makes it match or not match.
    func match(_ pattern: CodePattern, _ subject: Meaning) -> Meaning {
        bind(pattern, to: subject)
        var found = Meaning()
        switch pattern {
        case .present(let inner):
            found = match(inner, subject.unwrapped)
            found.absent.formUnion(subject.absent)
        case .typed, .kind, .enumCase("some", _):
            found = subject
            if case .typed(_, let type) = pattern { found = cast(subject, to: type, .test, at: 0) }
            if case .kind(let type) = pattern { found = cast(subject, to: type, .test, at: 0) }
        case .tuple(let parts):
            for (index, part) in parts.enumerated() where index < subject.parts.count {
                found.absent.formUnion(match(part, subject.parts[index]).absent)
            }
        case .value(let value):
            if case .null = value.kind {
                found.present = subject.absent
            } else {
                found = compare(subject, evaluate(value, expecting: subject.type), at: value.offset)
            }
        case .enumCase(let name, _):
            found = subject
            found.isTested = true
            if name == "none" { (found.present, found.absent) = (subject.absent, []) }
        case .name, .variable, .any: break
        }
        return found
    }

    /// The keys whose absence alone makes a test fail, without the keys that the system sends.
    private func keys(_ absences: Set<Absence>) -> Set<String> {
        Set(
            absences.filter { $0.sites.count == 1 }.flatMap(\.sites).compactMap { site in
                let site = pairs.facts.sites[site]
                guard site.dictionary.path.isEmpty, let key = site.key.literal, !TargetCode.isSystem([], key) else {
                    return nil
                }
                return key
            })
    }

    /// Whether a test is only about pairs that the system sends.
    private func isOfSystem(_ test: Test) -> Bool {
        !test.absentFalse.isEmpty
            && test.absentFalse.allSatisfy { absence in
                absence.sites.allSatisfy { site in
                    let site = pairs.facts.sites[site]
                    return site.dictionary.path.isEmpty && site.key.literal == "aps"
                }
            }
    }

    /// Whether a test is only about pairs that campaigns send, and `aps`, which every push has.
    private func isOfPairs(_ test: Test) -> Bool {
        test.absentFalse.flatMap(\.sites).allSatisfy { site in
            let site = pairs.facts.sites[site]
            let key = site.key.literal ?? ""
            return site.dictionary.path.isEmpty && (key == "aps" || !TargetCode.isSystem([], key))
        }
    }

    /// The circumstances of a block that runs if a test is true.
    func circumstances(of test: Test) -> Circumstances {
        var found = circumstances
        found.condition.categories = found.condition.categories.intersection(test.categoriesTrue)
        guard !test.isOfCategories else { return found }
        if isOfSystem(test), test.isPlain { return found }
        found.condition.require(keys(test.absentFalse))
        found.isOfPresence =
            test.isPlain && isOfPairs(test) && (circumstances.isOfPresence || !circumstances.condition.isOpen)
        found.condition.isOpen = true
        return found
    }

    /// Updates what is known after a statement that leaves the function if a test fails.
    private func narrow(to test: Test) {
        learn(test.absentFalse)
        passed.require(keys(test.absentFalse))
        if !test.isOfCategories, test.values.contains(where: { $0.absent.isEmpty && $0.categories == nil }) {
            mayHaveEnded = true
        }
        circumstances.condition.categories = circumstances.condition.categories.intersection(test.categoriesTrue)
        if test.isTested, !isOfSystem(test) {
            circumstances.condition.require(keys(test.absentFalse.filter { !$0.isOpen }))
            circumstances.condition.isOpen = true
            mayHaveLeft = true
        }
    }

    /// Whether leaving only skips one feature, and code does more with the push after that.
    func isSkip(_ exit: Exit) -> Bool {
        switch exit {
        case .breaks, .skips: true
        case .leaves: closures.count > 0 && !isLast
        case .crash: false
        }
    }

    /// Records what code does if a test is false, or true, because pairs are missing.
    func apply(_ test: Test, isFalse: Bool, _ exit: Exit?, isPure: Bool = true) {
        guard let exit, exit != .breaks else { return }
        let absences = isFalse ? test.absentFalse : test.absentTrue
        if exit == .leaves(.null) || exit == .leaves(.error),
            test.isOfCategories ? test.categoriesTrue != .all : !test.isPlain
        {
            // Something other than pairs also decides whether the function returns a value.
            result.isTested = true
        }
        if isFalse, exit == .crash || isPure && exit != .skips {
            for value in test.values { noteFailures(of: value, isExit: exit != .crash) }
        }
        // What the conditions prove holds only where they are true.
        let outer = unproven
        unproven = Set(absences.filter { $0.sites.count == 1 }.flatMap(\.sites).map(pairName))
        leave(absences, exit)
        unproven = outer
    }

    /// Records that code leaves the function if pairs are missing, and what the function then returns.
    private func leave(_ absences: Set<Absence>, _ exit: Exit) {
        guard case .leaves(let returned) = exit else { return demand(absences, exit.requirement, isSkip: isSkip(exit)) }
        let isEntry = !circumstances.isAside && closures.count == 0
        // The absences for which callers get no value.
        let passed = circumstances.condition.isOpen ? absences.opened : absences
        switch returned {
        case .nothing: demand(absences, .return, isSkip: isSkip(exit))
        case .null, .no:
            if isEntry { demand(absences, .return) } else if returned == .no { demand(absences, .default) }
            result.absent.formUnion(passed)
        case .value: demand(absences, isEntry ? .return : .default)
        case .optional: if isEntry { demand(absences, .return) }
        case .error:
            demand(absences, .return, isSkip: isSkip(exit))
            thrown.formUnion(passed)
        }
        if returned == .nothing, function?.kind == .failableInitializer { result.absent.formUnion(passed) }
    }

    /// What a block of statements does.
    private struct Block {
        /// How code leaves it; nil if it continues after it.
        var exit: Exit?
        /// The condition under which its end is reached.
        var end: ReadCondition
        /// Whether it passes the notification back to the system.
        var delivers: Bool
        /// The value of its last statement.
        var value: Meaning?
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
            // For other categories, the block leaves before it crashes.
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
        var value: Meaning?
        var (leaves, nilExits) = (false, false)
        var earlier: Set<String> = []
        // The categories for which the previous case goes on with the next one.
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
        _ expression: CodeExpression, _ subject: Meaning, to entry: CodeStatement.Case, after earlier: Set<String>
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
    func element(of list: Meaning, at offset: Int) -> Meaning {
        if let element = list.element.first {
            var found = element
            found.isEach = true
            return found
        }
        var found = Meaning()
        let isDictionary = list.type?.unwrapped.isDictionary ?? false
        if list.dictionaries.contains(where: { $0.path.isEmpty && $0.root == .push })
            || (isDictionary && !list.dictionaries.isEmpty)
        {
            if gives(list) { gap("code loops over the keys of the payload", at: offset) }
            found.role = .keyOfLoop
            var key = Meaning(type: .named("String", []))
            key.role = .keyOfLoop
            found.parts = [key, Meaning()]
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
        if case .expression(let expression) = self, case .assign = expression.kind { return true }
        return false
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
    /// The same circumstances under a further condition whose result is not known.
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
        case .value(let value):
            switch value.kind {
            case .null, .member(nil, "none"): return true
            default: return false
            }
        case .enumCase("none", _): return true
        default: return false
        }
    }

    fileprivate var matchesAll: Bool {
        switch self {
        case .any, .name, .variable: true
        default: false
        }
    }
}

extension CodeTypeName {
    var isArray: Bool { if case .array = unwrapped { true } else { false } }

    var isDictionary: Bool {
        switch self {
        case .dictionary: true
        case .named(let name, _): name == "NSDictionary" || name == "NSMutableDictionary"
        case .optional(let inner): inner.isDictionary
        default: false
        }
    }
}

extension Meaning {
    /// Whether its type is not known, is `Any`, or is a generic parameter with a name of one letter.
    fileprivate var isGeneric: Bool {
        guard let name = self.type?.unwrapped.name else { return true }
        return name == "Any" || name.count == 1 && name.first?.isUppercase ?? false
    }
}
