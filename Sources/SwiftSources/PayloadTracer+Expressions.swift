// SPDX-License-Identifier: MIT

/// Values of expressions.
extension PayloadTracer {
    /// Evaluates an expression.
    ///
    /// - Parameters:
    ///   - expression: the expression.
    ///   - scope: the names that are visible to it.
    ///   - frame: the function that contains it.
    ///   - expected: the type that its context requires, if one is written.
    /// - Returns: the facts that are known about the value.
    func evaluate(
        _ expression: CodeExpression,
        _ scope: Scope,
        _ frame: Frame,
        expected: CodeTypeName? = nil
    ) -> TracedValue {
        depth += 1
        defer { depth -= 1 }
        guard mayGoOn() else { return .unknown }
        let place = CodePlace(file: frame.file, offset: expression.offset)
        switch expression.kind {
        case .name(let name): return value(named: name, scope, frame)
        case .text(let parts): return text(parts, scope, frame)
        case .number: return TracedValue([], type: .named("Int", []))
        case .boolean: return TracedValue([], type: .named("Bool", []))
        case .null: return TracedValue(.null)
        case .member(nil, let name):
            if name == "none" { return TracedValue(.null) }
            let form = implicit(name, of: expected, nil, frame) ?? .implicit(name, nil)
            return TracedValue(form, type: expected)
        case .member(let base?, let name):
            return member(name, of: base, at: place, scope, frame)
        case .call(let callee, let arguments):
            return call(callee, arguments, at: place, scope, frame, expected: expected)
        case .index(let base, let arguments):
            let target = evaluate(base, scope, frame)
            return subscripted(target, arguments, at: place, scope, frame, expected: expected)
        case .cast(let inner, let type, let kind):
            let wanted = resolved(type, frame)
            let value = evaluate(inner, scope, frame, expected: kind == .conditional ? .optional(wanted) : wanted)
            if kind == .conditional || kind == .forced { noteCastOfPush(value, to: wanted, at: place) }
            return casted(value, to: type, kind, frame)
        case .forced(let inner):
            let value = evaluate(inner, scope, frame, expected: expected.map { .optional($0) })
            mark(value.absence, .crash, frame)
            noteForced(value, frame)
            return value.present
        case .chained(let inner): return evaluate(inner, scope, frame, expected: expected)
        case .passed(let inner):
            var value = evaluate(inner, scope, frame, expected: expected)
            noteChange(of: inner, from: value, scope, frame)
            value.sent = nil
            return value
        case .attempt(let inner, let kind): return attempt(inner, kind, scope, frame, expected: expected)
        case .binary(let symbol, let left, let right):
            return binary(symbol, left, right, at: place, scope, frame, expected: expected)
        case .not(let inner):
            let value = evaluate(inner, scope, frame)
            let forms = value.selectedCategories.map { [Form.isCategory($0.inverted)] } ?? []
            return value.derived(forms, type: .named("Bool", []))
        case .choice(let condition, let first, let second):
            let left = holding(needed(condition, scope, frame, isTrue: true), .branch) {
                evaluate(first, scope, frame, expected: expected)
            }
            let right = holding(needed(condition, scope, frame, isTrue: false), .branch) {
                evaluate(second, scope, frame, expected: expected)
            }
            return left.either(right)
        case .assign(let target, let source):
            let type = assignedType(target, scope, frame)
            let value = uncertainly(target.mayBeSkipped) { evaluate(source, scope, frame, expected: type) }
            assign(value, to: target, scope, frame)
            return .unknown
        case .tuple(let elements):
            return TracedValue(.tuple(elements.map { evaluate($0.value, scope, frame) }))
        case .list(let elements):
            if elements.count == 1, case .name(let name) = elements[0].kind, let type = typeForm(name, frame) {
                return TracedValue([], type: .named("Type", [.array(typeName(type))]))
            }
            let values = elements.prefix(512).map { evaluate($0, scope, frame) }
            return TracedValue(.list(values))
        case .map(let members):
            let values = members.prefix(512).map {
                TracedMember(key: evaluate($0.key, scope, frame), value: evaluate($0.value, scope, frame))
            }
            return TracedValue(.map(values))
        case .closure(let closure): return TracedValue(.closure(captured(closure, scope, frame)))
        case .keyPath(let names): return TracedValue(.keyPath(names))
        case .type(let type): return TracedValue([], type: .named("Type", [type]))
        case .block(let statements):
            return block(statements, scope, frame, expected: expected)
        case .available: return TracedValue([], type: .named("Bool", []))
        case .other(let parts):
            let values = parts.map { evaluate($0, scope, frame) }
            noteParts(values, at: place)
            var value = TracedValue()
            for part in values { value.basis.formUnion(part.influences) }
            return value
        }
    }

    private func captured(_ closure: CodeClosure, _ scope: Scope, _ frame: Frame) -> Int {
        let key = CaptureKey(closure: ObjectIdentifier(closure), scope: ObjectIdentifier(scope))
        if let known = captureIDs[key] { return known }
        let id = capture(
            Captured(
                declaration: ObjectIdentifier(closure),
                parameters: closure.parameters,
                body: closure.body,
                result: nil,
                isFunction: false,
                scope: scope,
                frame: frame,
                circumstances: circumstances,
                isFollowed: isWorth(closure.mentions)
                    || closure.mentions.contains { scope.lookUp($0).map(isFollowed) ?? false }
            )
        )
        captureIDs[key] = id
        return id
    }

    /// The value of an `if`, `switch` or `do` used as an expression: the last expression of any of its blocks.
    private func block(
        _ statements: [CodeStatement],
        _ scope: Scope,
        _ frame: Frame,
        expected: CodeTypeName?
    ) -> TracedValue {
        let inner = Frame(
            file: frame.file,
            owner: frame.owner,
            receiver: frame.receiver,
            result: expected,
            depth: frame.depth,
            isClosure: true
        )
        inner.generics = frame.generics
        func returning(_ block: [CodeStatement]) -> [CodeStatement] {
            guard let last = block.last else { return [] }
            let rest = Array(block.dropLast())
            switch last {
            case .expression(let expression) where !crashes(expression, scope, frame):
                return rest + [.giveBack(expression)]
            case .branch(let conditions, let body, let otherwise):
                return rest + [.branch(conditions, returning(body), otherwise: otherwise.map(returning))]
            case .choose(let subject, let cases):
                let given = cases.map { entry in
                    var entry = entry
                    entry.body = returning(entry.body)
                    return entry
                }
                return rest + [.choose(subject, given)]
            default: return block
            }
        }
        let body = returning(statements)
        run(body, Scope(scope), inner)
        mark(inner.throwing, .return, frame)
        if let failures = inner.exits[.failure] {
            frame.add([.failure: failures])
            circumstances.uncertain.formUnion(failures.categories)
        }
        return finish(inner)
    }

    private func attempt(
        _ inner: CodeExpression,
        _ kind: CodeExpression.Attempt,
        _ scope: Scope,
        _ frame: Frame,
        expected: CodeTypeName?
    ) -> TracedValue {
        var value = evaluate(inner, scope, frame, expected: expected)
        switch kind {
        case .plain:
            frame.throwing.formUnion(value.throwing)
            circumstances.uncertain = .all
            noteExit(.failure, frame)
        case .optional: value.absence.formUnion(value.throwing)
        case .forced: mark(value.throwing, .crash, frame)
        }
        value.throwing = []
        return value
    }

    // MARK: - Names

    func value(named name: String, _ scope: Scope, _ frame: Frame) -> TracedValue {
        if let known = scope.lookUp(name) { return known }
        switch name {
        case "self": return frame.receiver ?? .unknown
        case "super": return frame.receiver ?? .unknown
        case "Self": return receivingType(frame).map { TracedValue(.metatype($0)) } ?? .unknown
        case "nil", "NULL", "Nil": return TracedValue(.null)
        case "UIApplicationLaunchOptionsRemoteNotificationKey":
            return TracedValue(.implicit("remoteNotification", nil))
        default: break
        }
        if name == "rawValue", let receiver = frame.receiver, receiver.isCase {
            return member(name, of: receiver, at: CodePlace(file: frame.file, offset: 0), frame)
        }
        var outer = frame.owner
        var receiver = frame.receiver
        while let owner = outer {
            let type = owner == frame.owner ? self.type(of: name, frame) ?? owner : owner
            if let value = memberValue(name, of: type, receiver: receiver ?? .unknown, frame) { return value }
            // Static members of the enclosing types are also visible.
            outer = index.outerType(of: owner, file: index.types[owner].file)
            receiver = outer.map { TracedValue(.metatype($0)) }
        }
        if let receiver = frame.receiver {
            if let value = foreignMember(name, of: receiver, frame) { return value }
            // A decoder has no member that is named so.
            for form in receiver.forms where !form.isDecoding {
                let place = CodePlace(file: frame.file, offset: 0)
                if let value = systemMember(name, of: form, receiver, at: place, frame) { return value }
            }
        }
        if let variables = index.variables[name] {
            var value = TracedValue()
            // A private variable has the name in its file only.
            let near = variables.filter { $0.file == frame.file }
            let visible = near.isEmpty ? variables : near
            let releaseVariables = visible.filter { !$0.declaration.isConditional }
            for variable in (releaseVariables.isEmpty ? visible : releaseVariables).prefix(4) {
                value.join(initialValue(of: variable.declaration, named: name, owner: nil, file: variable.file))
            }
            if !releaseVariables.isEmpty {
                for variable in visible.filter(\.declaration.isConditional).prefix(4) {
                    value = value.besides(
                        initialValue(of: variable.declaration, named: name, owner: nil, file: variable.file))
                }
            }
            if let assigned = global(name) { value.join(assigned) }
            if value.forms.contains(where: \.isName),
                variables.contains(where: { index.isChanged($0.declaration, named: name) })
            {
                value.variables = ["." + name]
            }
            if value.forms.isEmpty, let type = variables[0].declaration.type {
                value.forms = self.value(of: type, frame).forms
            }
            if value.type == nil { value.type = variables[0].declaration.type }
            return value
        }
        if let macro = index.macros[name], macro.declaration.parameters.isEmpty {
            return expand(macro, [], frame)
        }
        if let form = typeForm(name, frame) { return TracedValue(form) }
        if index.functions[name] != nil {
            let functions = index.functions[name] ?? []
            return TracedValue(.method(functions.map { ObjectIdentifier($0.declaration) }, nil))
        }
        return .unknown
    }

    /// The type of `self`, which may inherit the function that is run.
    private func receivingType(_ frame: Frame) -> Int? {
        guard let owner = frame.owner else { return nil }
        for form in frame.receiver?.forms ?? [] {
            switch form {
            case .object(let type, _), .metatype(let type), .enumCase(let type, _, _):
                if index.ancestry(of: type).contains(owner) { return type }
            default: break
            }
        }
        return owner
    }

    /// The type at which a member that is named without `self` is looked up; nil outside of types.
    func type(of name: String, _ frame: Frame) -> Int? {
        guard let owner = frame.owner, index.declares(name, owner) else { return frame.owner }
        return receivingType(frame)
    }

    /// The type with a name, as a value.
    func typeForm(_ name: String, _ frame: Frame) -> Form? {
        // The type that replaces a generic one is the caller's, which may have a generic type of the same name.
        if let replaced = frame.generics[name], case .named(let target, _) = replaced.unwrapped {
            return declaredForm(target, frame) ?? .systemType(target)
        }
        return declaredForm(name, frame)
    }

    private func declaredForm(_ name: String, _ frame: Frame) -> Form? {
        if let type = index.type(named: name, in: frame.owner, file: frame.file), !index.types[type].isForeign {
            return .metatype(type)
        }
        if let alias = index.alias(name, in: frame.owner), let target = alias.name, target != name {
            return index.type(named: target, in: frame.owner, file: frame.file).map { .metatype($0) }
                ?? .systemType(target)
        }
        return name.first?.isUppercase ?? false ? .systemType(name) : nil
    }

    func typeName(_ form: Form) -> CodeTypeName {
        switch form {
        case .metatype(let type): .named(index.types[type].name, [])
        case .systemType(let name): .named(name, [])
        default: .other
        }
    }

    // MARK: - Texts

    private func text(_ parts: [TextPart], _ scope: Scope, _ frame: Frame) -> TracedValue {
        let type = CodeTypeName.named("String", [])
        var value = TracedValue(.text("", nil), type: type)
        var influences: [Int] = []
        for part in parts {
            switch part {
            case .text(let text): value = concatenated(value, TracedValue(.text(text, nil)))
            case .value(let expression):
                let inner = evaluate(expression, scope, frame)
                influences.formUnion(inner.influences)
                value = concatenated(value, inner)
            }
        }
        value.type = type
        value.basis = influences
        return value
    }

    /// The concatenation of two texts; no text where one of them is unknown.
    func concatenated(_ left: TracedValue, _ right: TracedValue) -> TracedValue {
        var value = TracedValue([], type: .named("String", []))
        value.basis = left.influences
        value.basis.formUnion(right.influences)
        value.variables = left.variables
        value.variables.formUnion(right.variables)
        value.isEach = left.isEach || right.isEach
        value.dependsOnObject = left.dependsOnObject || right.dependsOnObject
        if !left.namesOfBuilds.isEmpty || !right.namesOfBuilds.isEmpty {
            func names(_ value: TracedValue) -> [String] {
                rawTexts(TracedValue(value.forms + value.namesOfBuilds))
            }
            let texts = names(left).prefix(8).flatMap { start in names(right).prefix(8).map { start + $0 } }
            let released = rawTexts(left).flatMap { start in rawTexts(right).map { start + $0 } }
            value.namesOfBuilds = texts.filter { !released.contains($0) }.map { .text($0, nil) }
        }
        guard !left.forms.isEmpty, !right.forms.isEmpty, left.forms.count * right.forms.count <= 64 else {
            return value
        }
        for first in left.forms {
            for second in right.forms {
                switch (first, second) {
                case (.text(let start, let origin), .text(let end, let other)):
                    guard start.utf8.count + end.utf8.count <= 1_000 else { continue }
                    if let key = other ?? origin, !start.isEmpty, !end.isEmpty { builtKeys.insert(key) }
                    value.join(TracedValue(.text(start + end, other ?? origin)))
                case (.parameter(let function), .text), (.text, .parameter(let function)),
                    (.parameter(let function), .parameter):
                    value.join(TracedValue(.parameter(function)))
                case (.other, .text), (.text, .other), (.other, .other): value.join(TracedValue(.other))
                case (.anyKey, _), (_, .anyKey): value.join(TracedValue(.anyKey))
                default: return TracedValue([], type: .named("String", []))
                }
            }
        }
        value.type = .named("String", [])
        return value
    }

    // MARK: - Casts and operators

    func casted(
        _ value: TracedValue,
        to written: CodeTypeName,
        _ kind: CodeExpression.Cast,
        _ frame: Frame
    ) -> TracedValue {
        let type = resolved(written, frame)
        var value = value
        if kind == .test {
            note(ReadType(type), of: value)
            return value.derived([], type: .named("Bool", []))
        }
        note(ReadType(type), of: value)
        // A value that is not of the push as it was sent, such as the result of a conversion, has its own type.
        if kind != .plain, value.forms.contains(where: \.isPayload), value.type.flatMap({ ReadType($0) }) == nil {
            noteStrictCast(to: ReadType(type), of: value, isForced: kind == .forced, frame)
            noteImpossibleCast(to: type, of: value, isForced: kind == .forced, frame)
        }
        if kind == .forced {
            mark(value.absence, .crash, frame)
            value = value.present
        }
        if value.forms.isEmpty, value.sites.isEmpty {
            value.forms = self.value(of: type, frame).forms
        }
        if type != .named("AnyObject", []), type != .named("Any", []) { value.type = type }
        return value
    }

    private func binary(
        _ symbol: String,
        _ left: CodeExpression,
        _ right: CodeExpression,
        at place: CodePlace,
        _ scope: Scope,
        _ frame: Frame,
        expected: CodeTypeName?
    ) -> TracedValue {
        switch symbol {
        case "??":
            let first = evaluate(left, scope, frame, expected: expected.map { .optional($0) })
            if crashes(right, scope, frame) {
                mark(first.absence, .crash, frame)
                noteForced(first, frame)
                return first.present
            }
            var second = uncertainly(!first.isNull) { evaluate(right, scope, frame, expected: expected) }
            // One of several values, of which only nil is known.
            if second.isNull, !right.isNull { second.forms.append(.other) }
            return fallback(first, second, frame)
        case "+":
            return concatenated(evaluate(left, scope, frame), evaluate(right, scope, frame))
        case "&&", "||":
            let first = evaluate(left, scope, frame)
            let second = holding(needed(left, scope, frame, isTrue: symbol == "&&"), .branch) {
                evaluate(right, scope, frame)
            }
            if symbol == "||" { noteAlternatives(first, second) }
            var value = TracedValue([], type: .named("Bool", []))
            if let one = first.selectedCategories, let other = second.selectedCategories {
                value.forms = [.isCategory(symbol == "&&" ? one.intersection(other) : one.union(other))]
            }
            value.basis = first.influences
            value.basis.formUnion(second.influences)
            return value
        default:
            let arguments = [left, right].map { CodeArgument(label: "", value: $0) }
            if let functions = index.functions[symbol],
                let result = invoke(
                    functions, receiver: nil, owner: nil, arguments, at: place, scope, frame, expected: expected)
            {
                return result
            }
            let first = evaluate(left, scope, frame)
            let second = evaluate(right, scope, frame, expected: first.type)
            if first.givesKeys || second.givesKeys {
                if let chosen = overload(operators(symbol, of: [first, second]), arguments) {
                    // The operands may be such operators too: they are evaluated once.
                    return call(
                        chosen, receiver: nil, owner: index.owners[ObjectIdentifier(chosen.declaration)],
                        arguments: [first, second], expected: expected, at: place, from: frame)
                }
                if isForeignOperator(symbol, [(first, left), (second, right)], scope, frame) {
                    noteForeign(symbol, at: place)
                }
            }
            var value = TracedValue([], type: .named("Bool", []))
            if symbol == "==" || symbol == "!=" || symbol == "~=" {
                compare(first, second, at: place)
                if let categories = selectedCategories(first, second, at: place) {
                    value.forms = [.isCategory(symbol == "!=" ? categories.inverted : categories)]
                }
            }
            if symbol == "+=", first.forms.contains(where: \.isName) {
                if case .name(let name) = left.kind, scope.lookUp(name) != nil {
                    assign(concatenated(first, second), to: left, scope, frame)
                } else {
                    noteChange(of: left, from: first, scope, frame)
                }
            }
            value.basis = first.influences
            value.basis.formUnion(second.influences)
            return value
        }
    }

    /// The operators of a name that the types of the operands declare.
    private func operators(_ symbol: String, of operands: [TracedValue]) -> [CodeIndex.Placed<CodeFunction>] {
        operands.flatMap(\.forms).flatMap { form -> [CodeIndex.Placed<CodeFunction>] in
            guard case .object(let type, _) = form else { return [] }
            return index.methods(symbol, of: type)
        }
    }

    /// The value of `a ?? b`.
    func fallback(_ first: TracedValue, _ second: TracedValue, _ frame: Frame) -> TracedValue {
        if second.isNull { return first }
        var value = first
        value.absence = []
        if second.absence.isEmpty {
            mark(first.absence, .default, frame)
            if !second.sites.isEmpty { noteAlternatives(first, second) }
        } else {
            noteAlternatives(first, second)
        }
        if case .optional(let inner)? = value.type { value.type = inner }
        var other = second
        other.absence = []
        let type = value.type
        value = value.either(other)
        value.type = type
        // A pair that is sent and converted has the first value.
        value.sent = first.sent?.conversion == nil ? first.sent : nil
        value.basis.formUnion(first.absence)
        value.basis.formUnion(second.absence)
        return value
    }
}

extension TracedValue {
    fileprivate var isCase: Bool {
        forms.contains { form in
            switch form {
            case .enumCase, .parameter: true
            default: false
            }
        }
    }

    /// All reads on which the value depends.
    var influences: [Int] {
        var found = basis
        found.formUnion(sites)
        found.formUnion(absence)
        return found
    }
}

extension Form {
    var isPayload: Bool {
        if case .json = self { return true }
        return false
    }
}
