// SPDX-License-Identifier: MIT

/// Runs statements, and records what their conditions require.
extension PayloadTracer {
    func run(_ statements: [CodeStatement], _ scope: Scope, _ frame: Frame) {
        depth += 1
        frame.bodyDepth += 1
        let outer = circumstances
        if frame.begun == nil { frame.begun = outer }
        let (isAtEnd, hasPassedPush, mayHaveShown) = (frame.isAtEnd, frame.hasPassedPush, frame.mayHaveShown)
        defer {
            // Code after a block that ends the function runs only where the block has not.
            if frame.mayHaveShown != mayHaveShown, exit(of: statements, scope, frame)?.endsBlock ?? false {
                frame.mayHaveShown = mayHaveShown
            }
            depth -= 1
            frame.bodyDepth -= 1
            circumstances = outer
            (frame.isAtEnd, frame.hasPassedPush) = (isAtEnd, hasPassedPush)
        }
        for statement in statements {
            guard mayGoOn() else { return }
            if case .function(let function) = statement { declare(function, scope, frame) }
        }
        if statements.count == 1, case .expression(let only) = statements[0] {
            // The only expression of a function is its result.
            let value = evaluate(only, scope, frame, expected: frame.result)
            if frame.returnsImplicitly { give(value, frame) }
            if statements[0].mayShow { frame.mayHaveShown = true }
            return
        }
        for (position, statement) in statements.enumerated() {
            frame.isAtEnd = isAtEnd && position == statements.count - 1
            run(statement, scope, frame)
            if statement.mayShow { frame.mayHaveShown = true }
        }
    }

    private func declare(_ function: CodeFunction, _ scope: Scope, _ frame: Frame) {
        guard let body = function.body else { return }
        let id = capture(
            Captured(
                declaration: ObjectIdentifier(function),
                parameters: function.parameters,
                body: body,
                result: function.result,
                isFunction: true,
                scope: scope,
                frame: frame,
                circumstances: circumstances
            )
        )
        scope.names[function.name] = TracedValue(.closure(id))
    }

    private func run(_ statement: CodeStatement, _ scope: Scope, _ frame: Frame) {
        guard mayGoOn() else { return }
        switch statement {
        case .expression(let expression): _ = evaluate(expression, scope, frame)
        case .variable(let variable): run(variable, scope, frame)
        case .guarding(let conditions, let otherwise):
            let compared = comparedCategories
            let tested = self.tested(conditions, scope, frame, .rest)
            forgetCategories(comparedAfter: compared, tested.inverted, leftBy: otherwise)
            let left = exits(frame, isFailure: true) {
                leave(tested, otherwise, Scope(scope), frame, isGuard: true)
            }
            goOn(tested, after: exit(of: otherwise, scope, frame), left, frame)
        case .branch(let conditions, let body, let otherwise):
            branch(conditions, body, otherwise, scope, frame)
        case .choose(let subject, let cases): choose(subject, cases, scope, frame)
        case .loop(let pattern, let sequence, let conditions, let body, let offset):
            let value = evaluate(sequence, scope, frame)
            let inner = Scope(scope)
            bind(pattern, to: element(of: value, at: CodePlace(file: frame.file, offset: offset)), inner, frame)
            frame.loops += 1
            let tested = self.tested(conditions.map { .expression($0) }, inner, frame, .branch)
            let left = exits(frame, ending: [.iteration, .innermost]) {
                holding(tested, .branch) { run(body, inner, frame) }
            }
            frame.loops -= 1
            noteExits(left, tested, frame)
        case .repeating(let conditions, let body):
            let inner = Scope(scope)
            let tested = tested(conditions, inner, frame, .branch)
            frame.loops += 1
            let left = exits(frame, ending: [.iteration, .innermost]) { run(body, inner, frame) }
            frame.loops -= 1
            noteExits(left, tested, frame)
        case .attempt(let body, let catches, let isExhaustive):
            attempt(body, catches, isExhaustive: isExhaustive, scope, frame)
        case .labelled(let label, let body):
            let outer = frame.labels.updateValue(frame.bodyDepth, forKey: .label(label))
            _ = exits(frame, ending: [.label(label)]) { for statement in body { run(statement, scope, frame) } }
            frame.labels[.label(label)] = outer
        case .giveBack(let expression):
            if let expression {
                give(evaluate(expression, scope, frame, expected: frame.result), frame)
                if crashes(expression, scope, frame) { break }
            }
            frame.hasReturned = true
            noteExit(.function, frame)
        case .throwing(let expression):
            if let expression { _ = evaluate(expression, scope, frame) }
            noteExit(.failure, frame)
        case .leave(let target): noteExit(target, frame)
        case .function: break
        case .conditional(let body, let isForOthers):
            // Declarations inside `#if` are visible after it.
            let build = frame.build
            if build != .none { frame.build = isForOthers ? .none : .some }
            let left = exits(frame) {
                holding(Tested(categories: isForOthers ? .none : .all, isMixed: true), .branch) {
                    for statement in body { run(statement, scope, frame) }
                }
            }
            noteExits(left, Tested(), frame)
            frame.build = build
        }
    }

    /// Runs statements and those that handle their errors.
    private func attempt(
        _ body: [CodeStatement],
        _ catches: [[CodeStatement]],
        isExhaustive: Bool,
        _ scope: Scope,
        _ frame: Frame
    ) {
        let isCaught = !catches.isEmpty
        if isCaught { frame.catches += 1 }
        let before = frame.throwing
        var left = exits(frame, ending: isExhaustive ? [.failure] : []) { run(body, Scope(scope), frame) }
        if isCaught {
            frame.catches -= 1
            let thrown = frame.throwing.filter { !before.contains($0) }
            frame.throwing = before
            var crashing = CategorySet.none
            for handler in catches {
                let handled = exits(frame, isFailure: true) { uncertainly { run(handler, Scope(scope), frame) } }
                if case .crash? = exit(of: handler, scope, frame) { crashing.formUnion(handled.categories.inverted) }
                left.merge(handled) { $0.union($1) }
            }
            for (categories, requirement) in [(crashing, ReadRequirement.crash), (crashing.inverted, .return)] {
                holding(Tested(categories: categories), .rest) { mark(thrown, requirement, frame) }
            }
        }
        noteExits(left, Tested(), frame)
    }

    /// Records a value that a function returns.
    private func give(_ value: TracedValue, _ frame: Frame) {
        noteGiven(value, frame)
        if value.isNull {
            frame.returnsNull = true
        } else {
            let tested = frame.tested.flatMap { $0 }
            frame.branchReturns.formUnion(tested)
            if frame.tested.isEmpty { frame.returnsOtherwise = true }
        }
        let isOfBuild = frame.build != .all
        switch (frame.hasReturned, frame.returnsInBuild, isOfBuild) {
        case (false, _, _):
            frame.returned = value
            frame.returnsInBuild = isOfBuild
        case (true, true, false):
            frame.returned = value.besides(frame.returned)
            frame.returnsInBuild = false
        case (true, false, true): frame.returned = frame.returned.besides(value)
        case (true, _, _):
            let isConditional = frame.returned.isConditional || value.isConditional
            frame.returned = frame.returned.either(value)
            frame.returned.isConditional = isConditional
        }
        frame.hasReturned = true
    }

    /// Records for which pushes a function returns a value, or an initializer sets a property to it.
    func noteGiven(_ value: TracedValue, _ frame: Frame) {
        guard !value.isNothing else {
            frame.givesNothing = true
            return
        }
        guard value.mayHoldPush, let begun = frame.begun else { return }
        if circumstances.covers(begun) {
            frame.givesForAll = true
        } else {
            frame.givesForSome = true
        }
    }

    private func run(_ variable: CodeVariable, _ scope: Scope, _ frame: Frame) {
        guard let initial = variable.initial else {
            for name in variable.pattern.names {
                scope.declare(name, variable.type.map { self.value(of: $0, frame) } ?? .unknown)
            }
            if let getter = variable.getter, let body = getter.body, let name = variable.name {
                let inner = Frame(
                    file: frame.file,
                    owner: frame.owner,
                    receiver: frame.receiver,
                    result: variable.type,
                    isAccessor: true,
                    depth: frame.depth + 1
                )
                uncertainly { run(body, Scope(scope), inner) }
                scope.names[name] = finish(inner)
            }
            return
        }
        var value = evaluate(initial, scope, frame, expected: variable.type)
        if let type = variable.type {
            value = annotated(value, with: type, frame)
        }
        if !variable.isConstant { value = value.inVariable }
        bind(variable.pattern, to: value, scope, frame)
    }

    /// A value that is assigned to a variable with a declared type.
    func annotated(_ value: TracedValue, with type: CodeTypeName, _ frame: Frame) -> TracedValue {
        var value = value
        let type = resolved(type, frame)
        // Objective-C allows any object to be assigned, so the declared type acts as a cast.
        if case .json? = value.forms.first, value.type == nil || value.type == .named("Any", []) {
            note(ReadType(type), of: value)
            value.type = type
        } else if value.forms.isEmpty, value.sites.isEmpty {
            value.forms = self.value(of: type, frame).forms
            value.type = type
        } else if value.type == nil {
            value.type = type
        }
        value.forms = value.forms.map { form in
            if case .implicit(let name, let origin) = form { return implicit(name, of: type, origin, frame) ?? form }
            return form
        }
        return value
    }

    // MARK: - Patterns

    func bind(_ pattern: CodePattern, to value: TracedValue, _ scope: Scope, _ frame: Frame) {
        switch pattern {
        case .name(let name): if name != "_" { scope.bind(name, value, frame.build) }
        case .variable(let name): scope.bind(name, value.inVariable, frame.build)
        case .tuple(let parts):
            for (index, part) in parts.enumerated() {
                var element = TracedValue()
                for form in value.forms {
                    if case .tuple(let values) = form, index < values.count { element.join(values[index]) }
                }
                element.isEach = element.isEach || value.isEach
                bind(part, to: element, scope, frame)
            }
        case .present(let inner): bind(inner, to: value.present, scope, frame)
        case .typed(let inner, let type):
            bind(inner, to: casted(value, to: type, .conditional, frame).present, scope, frame)
        case .enumCase(let name, let parts):
            let isPresent = name == "some" || name == "success"
            for (position, part) in parts.enumerated() {
                let inner = isPresent ? value.present : self.value(at: position, ofCase: name, of: value)
                bind(part, to: inner, scope, frame)
            }
        case .value(let expression): _ = evaluate(expression, scope, frame, expected: value.type)
        case .any, .kind: break
        }
    }

    // MARK: - Branches

    private func branch(
        _ conditions: [CodeCondition],
        _ body: [CodeStatement],
        _ otherwise: [CodeStatement]?,
        _ scope: Scope,
        _ frame: Frame
    ) {
        let inner = Scope(scope)
        let compared = comparedCategories
        // For an exit such as `if x == nil { return }`, the reads that are missing when the condition holds.
        let exit = exit(of: body, scope, frame)
        var failing: Tested?
        if conditions.count == 1, case .expression(let expression) = conditions[0], let exit,
            otherwise == nil || exit.leavesFunction
        {
            let absent = needed(expression, inner, frame, isTrue: false)
            failing = absent
            if !absent.sites.isEmpty {
                var left = exits(frame) { leave(absent, body, inner, frame, isGuard: false) }
                if let otherwise {
                    let others = exits(frame) { holding(absent, .branch) { run(otherwise, Scope(scope), frame) } }
                    left.merge(others) { $0.union($1) }
                }
                if otherwise == nil, exit.endsBlock {
                    goOn(absent, after: exit, left, frame)
                } else {
                    noteExits(left, Tested(isPartial: absent.isPartial), frame)
                }
                return
            }
        }
        let tested = self.tested(conditions, inner, frame, .branch)
        noteBranch(conditions, tested, hasOther: otherwise != nil, frame)
        if otherwise == nil { forgetCategories(comparedAfter: compared, tested, leftBy: body) }
        let inverted = failing ?? tested.inverted
        let null = otherwise == nil && exit == nil ? scope.nullNames : []
        frame.tested.append(tested.sites)
        let left = exits(frame) { holding(tested, .branch) { run(body, inner, frame) } }
        frame.tested.removeLast()
        for (scope, name) in null {
            for site in scope.names[name]?.absence ?? [] { facts[site].isNullElsewhere = true }
        }
        func goOnAfterBody() {
            if let exit, exit.endsBlock {
                goOn(inverted, after: exit, left, frame)
            } else {
                noteExits(left, tested, frame)
            }
        }
        guard let otherwise else { return goOnAfterBody() }
        if let last = self.exit(of: otherwise, scope, frame) {
            noteExits(left, tested, frame)
            let others = exits(frame) { leave(tested, otherwise, Scope(scope), frame, isGuard: false) }
            if last.endsBlock {
                goOn(tested, after: last, others, frame)
            } else {
                noteExits(others, tested, frame)
            }
        } else {
            let others = exits(frame) { holding(inverted, .branch) { run(otherwise, Scope(scope), frame) } }
            noteExits(others, tested, frame)
            goOnAfterBody()
        }
    }

    // MARK: - Switch

    private func choose(_ subject: CodeExpression, _ cases: [CodeStatement.Case], _ scope: Scope, _ frame: Frame) {
        let value = evaluate(subject, scope, frame)
        // With one possible value, the case is not one of several.
        let isKnown = value.forms.count == 1 && value.forms.allSatisfy(\.isCase) && value.variables.isEmpty
        var rest = CategorySet.all
        let reached = reachable(cases, from: value)
        let absent = value.absence.isEmpty ? nil : reached.first { $0.takesNull }?.offset
        var after = Tested()
        var others = Exits()
        // The pushes for which the case before goes on with this one.
        var falling = CategorySet.none
        for entry in reached {
            let inner = Scope(scope)
            var tested = entry.isDefault ? Tested(isMixed: true) : matched(entry.patterns, value, inner, frame)
            if value.forms.count == 1, case .category = value.forms[0], !tested.isMixed || entry.isDefault {
                tested.isMixed = false
                tested.categories = tested.categories.intersection(rest)
                if entry.conditions.isEmpty { rest = rest.intersection(tested.categories.inverted) }
            }
            if isKnown { tested.isMixed = false }
            for pattern in entry.patterns {
                if let expression = pattern.expression {
                    let other = evaluate(expression, inner, frame, expected: value.type)
                    compare(
                        value,
                        other,
                        at: CodePlace(file: frame.file, offset: expression.offset)
                    )
                } else if case .enumCase(let name, let parts) = pattern, parts.isEmpty || name != "some" {
                    compare(
                        value,
                        TracedValue(.implicit(name, nil)),
                        at: CodePlace(file: frame.file, offset: entry.offset)
                    )
                    bind(pattern, to: value, inner, frame)
                } else {
                    bind(pattern, to: value, inner, frame)
                }
            }
            for condition in entry.conditions {
                tested = tested.and(holding(tested, .branch) { needed(condition, inner, frame, isTrue: true) })
            }
            let leaves = exit(of: entry.body, inner, frame)?.leavesFunction ?? false
            let isOfValue = tested.isMixed && !value.influences.isEmpty && !entry.takesOnlyNull
            if leaves {
                after.isPartial = after.isPartial || isOfValue
                if !tested.isMixed { after.categories = after.categories.intersection(tested.categories.inverted) }
            }
            let left = exits(frame, ending: [.innermost]) {
                if leaves, entry.offset == absent {
                    let present = Tested(sites: value.absence, isMixed: true)
                    after.sites = value.absence
                    leave(present, entry.body, inner, frame, isGuard: false)
                } else {
                    run(entry.body, for: tested, or: falling, inner, frame)
                }
            }
            if isOfValue { frame.add(left.open) }
            if tested.isMixed || !leaves { others.merge(isOfValue ? left.open : left) { $0.union($1) } }
            if leaves, !tested.isMixed, falling != .none {
                others.merge([.function: Leaving(categories: falling, open: falling)]) { $0.union($1) }
            }
            falling = left[.entry]?.categories ?? .none
        }
        narrow(after, .rest)
        others[.entry] = nil
        frame.exits[.entry] = nil
        noteExits(others, Tested(), frame)
    }

    /// Runs the statements of a case, with which the case before may go on for the categories `falling`.
    private func run(
        _ body: [CodeStatement],
        for tested: Tested,
        or falling: CategorySet,
        _ scope: Scope,
        _ frame: Frame
    ) {
        var tested = tested
        if !tested.isMixed { tested.categories.formUnion(falling) }
        let outer = circumstances
        defer { circumstances = outer }
        narrow(tested, .branch)
        circumstances.open.formUnion(falling)
        circumstances.uncertain.formUnion(falling)
        run(body, scope, frame)
    }

    /// The cases that a value can match: all of them, unless its enumeration case or type is known.
    private func reachable(_ cases: [CodeStatement.Case], from value: TracedValue) -> [CodeStatement.Case] {
        var names: Set<String> = []
        for form in value.forms {
            switch form {
            case .enumCase(_, let name, _): names.insert(name)
            case .systemType(let name): names.insert(name + ".Type")
            case .metatype(let type): names.insert(index.types[type].name + ".Type")
            default: return cases
            }
        }
        guard !names.isEmpty, value.variables.isEmpty else { return cases }
        var matched: Set<String> = []
        var found: [CodeStatement.Case] = []
        for entry in cases where !entry.isDefault {
            var labels: Set<String> = []
            var isOpen = false
            for pattern in entry.patterns {
                switch pattern {
                case .enumCase(let name, _): labels.insert(name)
                case .kind(let type):
                    if let name = type.name { labels.insert(name) } else { isOpen = true }
                case .value(let expression):
                    if case .member(_, let name) = expression.kind { labels.insert(name) } else { isOpen = true }
                default: isOpen = true
                }
            }
            if isOpen || !labels.isDisjoint(with: names) { found.append(entry) }
            if !isOpen, entry.conditions.isEmpty { matched.formUnion(labels) }
        }
        if !names.isSubset(of: matched) { found += cases.filter(\.isDefault) }
        return found
    }

    /// Records the identifiers with which the code compares the chosen action.
    func compare(
        _ left: TracedValue,
        _ right: TracedValue,
        at place: CodePlace
    ) {
        if left.forms.contains(.actionIdentifier) { noteCompared(right, at: place) }
        if right.forms.contains(.actionIdentifier) { noteCompared(left, at: place) }
    }
}

extension CodeStatement.Case {
    /// Whether it is taken only if the value of the `switch` is nil.
    fileprivate var takesOnlyNull: Bool { !isDefault && patterns.allSatisfy(\.isNull) }

    /// Whether it is taken if the value of the `switch` is nil, and no case before it is.
    fileprivate var takesNull: Bool {
        guard conditions.isEmpty else { return false }
        return isDefault
            || patterns.contains { pattern in
                switch pattern {
                case .any, .name: true
                default: pattern.isNull
                }
            }
    }
}

extension CodePattern {
    /// Whether only nil matches it.
    fileprivate var isNull: Bool {
        switch self {
        case .enumCase("none", _): true
        case .value(let expression): expression.isNull
        default: false
        }
    }
}

extension Form {
    /// Whether it is one case or type, which selects a case of a `switch`.
    fileprivate var isCase: Bool {
        switch self {
        case .enumCase, .systemType, .metatype: true
        default: false
        }
    }
}

extension PayloadTracer.Frame {
    /// Whether a block with one expression is the whole body of the function.
    fileprivate var returnsImplicitly: Bool {
        bodyDepth == 1 && (isClosure || isAccessor || (result != nil && result?.name != "Void"))
    }
}

extension String {
    /// Whether the name contains `contentHandler`, in lower or upper case.
    var isContentHandler: Bool {
        let wanted = "contenthandler".utf8
        guard utf8.count >= wanted.count else { return false }
        var start = utf8.startIndex
        for _ in 0...(utf8.count - wanted.count) {
            if zip(utf8[start...], wanted).allSatisfy({ $0 | 0x20 == $1 }) { return true }
            start = utf8.index(after: start)
        }
        return false
    }
}
