// SPDX-License-Identifier: MIT

/// The way in which a block of statements ends.
private enum Exit {
    case crash
    case give(CodeExpression?)
    case failure
    case loop
    /// By delivering the notification, the last action of a service extension.
    case delivery
}

/// Runs statements, and records what their conditions require.
extension PayloadTracer {
    func run(_ statements: [CodeStatement], _ scope: Scope, _ frame: Frame) {
        depth += 1
        frame.bodyDepth += 1
        defer {
            depth -= 1
            frame.bodyDepth -= 1
        }
        for statement in statements {
            guard mayGoOn() else { return }
            if case .function(let function) = statement { declare(function, scope, frame) }
        }
        if statements.count == 1, case .expression(let only) = statements[0] {
            // The only expression of a function is its result.
            let value = evaluate(only, scope, frame, expected: frame.result)
            if frame.isImplicitReturn(statements) { give(value, frame) }
            return
        }
        for statement in statements { run(statement, scope, frame) }
    }

    private func declare(_ function: CodeFunction, _ scope: Scope, _ frame: Frame) {
        guard let body = function.body else { return }
        let id = capture(
            Captured(
                parameters: function.parameters,
                body: body,
                result: function.result,
                isFunction: true,
                scope: scope,
                frame: frame
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
            let tested = self.tested(conditions, scope, frame)
            leave(tested, otherwise, Scope(scope), frame, isGuard: true)
        case .branch(let conditions, let body, let otherwise):
            branch(conditions, body, otherwise, scope, frame)
        case .choose(let subject, let cases): choose(subject, cases, scope, frame)
        case .loop(let pattern, let sequence, let conditions, let body, let offset):
            let value = evaluate(sequence, scope, frame)
            let inner = Scope(scope)
            bind(pattern, to: element(of: value, at: CodePlace(file: frame.file, offset: offset)), inner, frame)
            frame.loops += 1
            for condition in conditions { _ = evaluate(condition, inner, frame) }
            run(body, inner, frame)
            frame.loops -= 1
        case .repeating(let conditions, let body):
            let inner = Scope(scope)
            _ = tested(conditions, inner, frame)
            frame.loops += 1
            run(body, inner, frame)
            frame.loops -= 1
        case .attempt(let body, let catches):
            let isCaught = !catches.isEmpty
            if isCaught { frame.catches += 1 }
            let before = frame.throwing
            run(body, Scope(scope), frame)
            if isCaught {
                frame.catches -= 1
                let thrown = frame.throwing.filter { !before.contains($0) }
                let isCrash = catches.contains { handler in
                    if case .crash? = exit(of: handler) { return true }
                    return false
                }
                mark(thrown, isCrash ? .crash : .return, frame)
                frame.throwing = before
                for handler in catches { run(handler, Scope(scope), frame) }
            }
        case .giveBack(let expression):
            if let expression {
                give(evaluate(expression, scope, frame, expected: frame.result), frame)
            }
            frame.hasReturned = true
        case .throwing(let expression):
            if let expression { _ = evaluate(expression, scope, frame) }
        case .leave, .function: break
        case .conditional(let body):
            frame.conditions += 1
            // Declarations inside `#if` are visible after it.
            for statement in body { run(statement, scope, frame) }
            frame.conditions -= 1
        }
    }

    /// Records a value that a function returns.
    private func give(_ value: TracedValue, _ frame: Frame) {
        if value.isNull {
            frame.returnsNull = true
        } else {
            let tested = frame.tested.flatMap { $0 }
            frame.branchReturns.formUnion(tested)
        }
        frame.returned.join(value)
        frame.hasReturned = true
    }

    private func run(_ variable: CodeVariable, _ scope: Scope, _ frame: Frame) {
        guard let initial = variable.initial else {
            for name in variable.pattern.names {
                scope.names[name] = variable.type.map { self.value(of: $0, frame) } ?? .unknown
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
                run(body, Scope(scope), inner)
                scope.names[name] = finish(inner, isImplicit: body)
            }
            return
        }
        var value = evaluate(initial, scope, frame, expected: variable.type)
        if let type = variable.type {
            value = annotated(value, with: type, frame)
        }
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
        case .name(let name): if name != "_" { scope.names[name] = value }
        case .tuple(let parts):
            for (index, part) in parts.enumerated() {
                var element = TracedValue()
                for form in value.forms {
                    if case .tuple(let values) = form, index < values.count { element.join(values[index]) }
                }
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

    // MARK: - Conditions

    /// Evaluates conditions and binds their names.
    ///
    /// - Returns: the reads that must not be missing for all conditions to hold.
    func tested(_ conditions: [CodeCondition], _ scope: Scope, _ frame: Frame) -> [Int] {
        var found: [Int] = []
        for condition in conditions {
            switch condition {
            case .expression(let expression): found.formUnion(needed(expression, scope, frame, isTrue: true))
            case .binding(let pattern, let type, let expression, _):
                var value: TracedValue
                if let expression {
                    value = evaluate(expression, scope, frame, expected: type.map { .optional($0) })
                } else if let name = pattern.names.first {
                    value = self.value(named: name, scope, frame)
                } else {
                    value = .unknown
                }
                found.formUnion(value.absence)
                if let type { value = annotated(value, with: type, frame) }
                bind(pattern, to: value.present, scope, frame)
            case .matching(let pattern, let expression):
                let value = evaluate(expression, scope, frame)
                found.formUnion(absence(pattern, value))
                bind(pattern, to: value, scope, frame)
            }
        }
        return found
    }

    /// The reads that must not be missing for a pattern to match.
    private func absence(_ pattern: CodePattern, _ value: TracedValue) -> [Int] {
        switch pattern {
        case .present, .typed: return value.absence
        case .enumCase(let name, _): return name == "none" ? [] : value.absence
        case .tuple(let parts):
            var found: [Int] = []
            for form in value.forms {
                guard case .tuple(let values) = form else { continue }
                for (part, value) in zip(parts, values) { found.formUnion(absence(part, value)) }
            }
            return found
        case .value: return value.absence
        case .name, .any: return []
        case .kind: return value.absence
        }
    }

    /// Evaluates what runs only where some reads are not missing, so that forcing their values is safe.
    func whereTested<Result>(_ sites: [Int], _ body: () -> Result) -> Result {
        let outer = sitesTested
        sitesTested.formUnion(sites)
        defer { sitesTested = outer }
        return body()
    }

    /// The reads that must not be missing for a condition to be true, or to be false if `isTrue` is false.
    private func needed(
        _ expression: CodeExpression,
        _ scope: Scope,
        _ frame: Frame,
        isTrue: Bool
    ) -> [Int] {
        depth += 1
        defer { depth -= 1 }
        guard mayGoOn() else { return [] }
        switch expression.kind {
        case .not(let inner): return needed(inner, scope, frame, isTrue: !isTrue)
        case .binary(let symbol, let left, let right) where symbol == "&&" || symbol == "||":
            let first = needed(left, scope, frame, isTrue: isTrue)
            let isBoth = (symbol == "&&") == isTrue
            let second = whereTested(isBoth ? first : []) { needed(right, scope, frame, isTrue: isTrue) }
            if (symbol == "&&") == isTrue { return first + second.filter { !first.contains($0) } }
            noteAlternatives(TracedValue(sites: first), TracedValue(sites: second))
            return []
        case .binary(let symbol, let left, let right) where symbol == "==" || symbol == "!=":
            let first = evaluate(left, scope, frame)
            let second = evaluate(right, scope, frame)
            compare(first, second, at: CodePlace(file: frame.file, offset: expression.offset), right: right, frame)
            if first.isNull || second.isNull {
                // `x != nil` must be true, or `x == nil` false.
                return (symbol == "!=") == isTrue ? (first.isNull ? second : first).absence : []
            }
            return (symbol == "==") == isTrue ? first.absence + second.absence : []
        case .attempt(let inner, _): return needed(inner, scope, frame, isTrue: isTrue)
        default:
            let value = evaluate(expression, scope, frame)
            return isTrue ? value.absence : []
        }
    }

    private func branch(
        _ conditions: [CodeCondition],
        _ body: [CodeStatement],
        _ otherwise: [CodeStatement]?,
        _ scope: Scope,
        _ frame: Frame
    ) {
        let inner = Scope(scope)
        // For an exit such as `if x == nil { return }`, the reads that are missing when the condition holds.
        if conditions.count == 1, case .expression(let expression) = conditions[0], let exit = exit(of: body),
            otherwise == nil || isComplete(exit)
        {
            let absent = needed(expression, inner, frame, isTrue: false)
            if !absent.isEmpty {
                leave(absent, body, inner, frame, isGuard: false)
                if let otherwise { run(otherwise, Scope(scope), frame) }
                return
            }
        }
        let tested = self.tested(conditions, inner, frame)
        frame.tested.append(tested)
        run(body, inner, frame)
        frame.tested.removeLast()
        guard let otherwise else { return }
        if exit(of: otherwise) != nil {
            leave(tested, otherwise, Scope(scope), frame, isGuard: false)
        } else {
            run(otherwise, Scope(scope), frame)
        }
    }

    private func isComplete(_ exit: Exit) -> Bool {
        switch exit {
        case .give, .crash, .failure: true
        case .loop, .delivery: false
        }
    }

    /// Runs the block that is executed when reads are missing, and marks the reads with the way in which it ends.
    private func leave(_ tested: [Int], _ block: [CodeStatement], _ scope: Scope, _ frame: Frame, isGuard: Bool) {
        switch exit(of: block) {
        case .crash?:
            mark(tested, .crash, frame)
            run(block, scope, frame)
        case .give(let expression)?:
            let before = (frame.returned, frame.returnsNull, frame.hasReturned, frame.branchReturns)
            run(block, scope, frame)
            guard let expression, !tested.isEmpty else {
                mark(tested, .return, frame)
                return
            }
            if isNull(expression, scope, frame) {
                frame.nullAbsence.formUnion(tested)
            } else if frame.result == nil && !frame.isAccessor && !(frame.isClosure && !expression.isCall) {
                // `return show(x)` in a function without a result.
                mark(tested, .return, frame)
                (frame.returned, frame.returnsNull, frame.hasReturned, frame.branchReturns) = before
            } else if frame.result?.unwrapped.name == "Void" {
                mark(tested, .return, frame)
            } else if isGuard || frame.isAccessor {
                frame.otherReturns.formUnion(tested)
            }
        case .failure?:
            mark(tested, .return, frame)
            frame.throwing.formUnion(tested)
            run(block, scope, frame)
        case .loop?:
            mark(tested, .return, frame, isGate: true)
            run(block, scope, frame)
        case .delivery?:
            mark(tested, .return, frame)
            run(block, scope, frame)
        case nil:
            if isGuard { mark(tested, .return, frame) }
            run(block, scope, frame)
        }
    }

    private func isNull(_ expression: CodeExpression, _ scope: Scope, _ frame: Frame) -> Bool {
        switch expression.kind {
        case .null: return true
        case .member(nil, "none"): return true
        case .name("nil"), .name("NULL"), .name("Nil"): return true
        default: return false
        }
    }

    /// The way in which a block ends; nil if execution continues after it.
    private func exit(of block: [CodeStatement]) -> Exit? {
        var delivers = false
        for statement in block {
            switch statement {
            case .giveBack(let expression):
                if let expression, crashes(expression) { return .crash }
                return .give(expression)
            case .throwing: return .failure
            case .leave: return .loop
            case .expression(let expression):
                if crashes(expression) { return .crash }
                if this(delivers: expression) { delivers = true }
            case .conditional(let inner):
                if let exit = exit(of: inner) { return exit }
            default: break
            }
        }
        return delivers ? .delivery : nil
    }

    private func this(delivers expression: CodeExpression) -> Bool {
        guard case .call(let callee, _) = expression.kind else { return false }
        var current = callee
        while true {
            switch current.kind {
            case .chained(let inner), .forced(let inner): current = inner
            case .name(let name), .member(_, let name):
                return name.isContentHandler
            default: return false
            }
        }
    }

    /// Whether an expression terminates the process.
    func crashes(_ expression: CodeExpression) -> Bool {
        guard case .call(let callee, let arguments) = expression.kind else { return false }
        let name: String
        switch callee.kind {
        case .name(let written): name = written
        case .member(_, let written): name = written
        default: return false
        }
        if SystemTypes.crashing.contains(name) { return true }
        if name == "precondition", let first = arguments.first, case .boolean(false) = first.value.kind { return true }
        let candidates = index.functions[name] ?? []
        return candidates.contains { $0.declaration.result?.name == "Never" }
    }

    // MARK: - Switch

    private func choose(_ subject: CodeExpression, _ cases: [CodeStatement.Case], _ scope: Scope, _ frame: Frame) {
        let value = evaluate(subject, scope, frame)
        for entry in reachable(cases, from: value) {
            let inner = Scope(scope)
            for pattern in entry.patterns {
                if case .value(let expression) = pattern {
                    let other = evaluate(expression, inner, frame, expected: value.type)
                    compare(
                        value,
                        other,
                        at: CodePlace(file: frame.file, offset: expression.offset),
                        right: expression,
                        frame
                    )
                } else if case .enumCase(let name, let parts) = pattern, parts.isEmpty || name != "some" {
                    compare(
                        value,
                        TracedValue(.implicit(name, nil)),
                        at: CodePlace(file: frame.file, offset: entry.offset),
                        right: nil,
                        frame
                    )
                    bind(pattern, to: value, inner, frame)
                } else if case .present(.value(let expression)) = pattern {
                    _ = evaluate(expression, inner, frame)
                } else {
                    bind(pattern, to: value, inner, frame)
                }
            }
            for condition in entry.conditions { _ = needed(condition, inner, frame, isTrue: true) }
            run(entry.body, inner, frame)
        }
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
        guard !names.isEmpty else { return cases }
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
        at place: CodePlace,
        right written: CodeExpression?,
        _ frame: Frame
    ) {
        if left.forms.contains(.actionIdentifier) { noteCompared(right, at: place, frame) }
        if right.forms.contains(.actionIdentifier) { noteCompared(left, at: place, frame) }
    }
}

extension CodeExpression {
    fileprivate var isCall: Bool {
        if case .call = kind { return true }
        return false
    }
}

extension TracedValue {
    fileprivate init(sites: [Int]) {
        self.init()
        self.sites = sites
    }
}

extension PayloadTracer.Frame {
    /// Whether a block with one expression is the whole body of the function.
    fileprivate func isImplicitReturn(_ statements: [CodeStatement]) -> Bool {
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
