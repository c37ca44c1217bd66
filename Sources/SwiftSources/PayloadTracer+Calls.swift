// SPDX-License-Identifier: MIT

/// A call of a method on a value.
struct MethodCall {
    let name: String
    let target: TracedValue
    /// The expression whose value is ``target``.
    let base: CodeExpression
    let arguments: [CodeArgument]
    let place: CodePlace
    let scope: PayloadTracer.Scope
    let frame: PayloadTracer.Frame
    /// The type that the context requires of the result, if one is written.
    let expected: CodeTypeName?
    /// Whether the call is skipped if ``target`` is nil.
    let isChained: Bool
}

/// Calls of functions, methods and closures of the target.
extension PayloadTracer {
    func call(
        _ callee: CodeExpression,
        _ arguments: [CodeArgument],
        at place: CodePlace,
        _ scope: Scope,
        _ frame: Frame,
        expected: CodeTypeName?
    ) -> TracedValue {
        uncertainly(callee.mayBeSkipped) {
            switch callee.kind {
            case .chained(let inner):
                return call(inner, arguments, at: place, scope, frame, expected: expected, isChained: true)
            case .forced(let inner):
                mark(evaluate(inner, scope, frame).absence, .crash, frame)
                return call(inner, arguments, at: place, scope, frame, expected: expected)
            default: return call(callee, arguments, at: place, scope, frame, expected: expected, isChained: false)
            }
        }
    }

    private func call(
        _ callee: CodeExpression,
        _ arguments: [CodeArgument],
        at place: CodePlace,
        _ scope: Scope,
        _ frame: Frame,
        expected: CodeTypeName?,
        isChained: Bool
    ) -> TracedValue {
        switch callee.kind {
        case .closure:
            let value = evaluate(callee, scope, frame)
            return invoke(value, arguments, at: place, scope, frame, expected: expected) ?? .unknown
        case .name(let name):
            return callNamed(name, arguments, at: place, scope, frame, expected: expected)
        case .member(let base?, let name):
            if base.isSuper, name != "init", let owner = frame.owner {
                let methods = index.superclass(of: owner).map { index.methods(name, of: $0) } ?? []
                if let result = invoke(
                    methods, receiver: frame.receiver, owner: owner, arguments, at: place, scope, frame,
                    expected: expected)
                {
                    return result
                }
                return unknownCall(
                    name, .unknown, arguments, scope, frame, foreignAt: hasForeignSuperclass(owner) ? place : nil)
            }
            let target = evaluate(base, scope, frame)
            if name == "init" {
                if case .name("self") = base.kind { return initializeSelf(arguments, at: place, scope, frame) }
                if case .name("super") = base.kind { return initializeSelf(arguments, at: place, scope, frame) }
                var made: TracedValue?
                for form in target.forms {
                    var found: TracedValue?
                    if case .metatype(let type) = form {
                        found = construct(type, arguments, at: place, scope, frame, expected: expected)
                    } else if case .systemType(let type) = form {
                        found = constructSystem(type, arguments, at: place, scope, frame)
                    }
                    if let found { made = made.map { $0.joined(found) } ?? found }
                }
                if let made { return made }
                if arguments.contains(where: { evaluate($0.value, scope, frame).carriesPush }),
                    !isRunAlone(initializerWith: arguments)
                {
                    noteUnknown("the push is passed to an initializer of a type that is not known", at: place)
                }
            }
            return callMember(
                MethodCall(
                    name: name, target: target, base: base, arguments: arguments, place: place, scope: scope,
                    frame: frame, expected: expected, isChained: base.isChained
                )
            )
        case .member(nil, let name):
            if let type = expected?.unwrapped.name, let form = typeForm(type, frame) {
                switch form {
                case .metatype(let type):
                    if name == "init" {
                        return construct(type, arguments, at: place, scope, frame, expected: expected)
                    }
                    if index.hasCase(name, in: type) { return keep(arguments, ofCase: name, type, scope, frame) }
                    let methods = index.methods(name, of: type)
                    if let result = invoke(
                        methods, receiver: TracedValue(form), owner: type, arguments, at: place, scope, frame,
                        expected: expected)
                    {
                        return result
                    }
                case .systemType(let type) where name == "init":
                    return constructSystem(type, arguments, at: place, scope, frame)
                default: break
                }
            }
            // The type of the value is known where it is matched.
            if let type = index.onlyType(withCase: name) { return keep(arguments, ofCase: name, type, scope, frame) }
            return unknownCall(name, TracedValue.unknown, arguments, scope, frame, foreignAt: place)
        case .list(let elements):
            if let element = elements.first, elements.count == 1 { _ = evaluate(element, scope, frame) }
            return unknownCall("", .unknown, arguments, scope, frame)
        case .map:
            _ = unknownCall("", .unknown, arguments, scope, frame)
            return TracedValue(.map([]))
        case .type(let type):
            if case .named(let name, _) = type.unwrapped, let form = typeForm(name, frame) {
                if case .metatype(let type) = form {
                    return construct(type, arguments, at: place, scope, frame, expected: expected)
                }
                return constructSystem(name, arguments, at: place, scope, frame)
            }
            return unknownCall("", .unknown, arguments, scope, frame)
        default:
            let value = evaluate(callee, scope, frame)
            return invoke(value, arguments, at: place, scope, frame, expected: expected)
                ?? unknownCall(
                    "", value, arguments, scope, frame,
                    foreignAt: isUnknownFunction(value, named: "", frame) ? place : nil)
        }
    }

    /// Whether an initializer that the arguments match is run without its callers, as it takes a notification.
    private func isRunAlone(initializerWith arguments: [CodeArgument]) -> Bool {
        let labels = arguments.map(\.label)
        return index.types.contains { type in
            type.functions["init"]?.contains {
                hasPush($0.declaration) && $0.declaration.parameters.map(\.label) == labels
            } ?? false
        }
    }

    private func callNamed(
        _ name: String,
        _ arguments: [CodeArgument],
        at place: CodePlace,
        _ scope: Scope,
        _ frame: Frame,
        expected: CodeTypeName?
    ) -> TracedValue {
        if let known = scope.lookUp(name) {
            return invoke(known, arguments, at: place, scope, frame, expected: expected)
                ?? unknownCall(
                    name, known, arguments, scope, frame,
                    foreignAt: isUnknownFunction(known, named: name, frame) ? place : nil)
        }
        if let macro = index.macros[name] {
            return expand(macro, arguments.map { evaluate($0.value, scope, frame) }, at: place, frame)
        }
        var outer = frame.owner
        var receiver = frame.receiver
        while let owner = outer {
            let type = owner == frame.owner ? self.type(of: name, frame) ?? owner : owner
            let isExact = receiver?.isExact ?? false
            let (arguments, scope) =
                isExact ? (arguments, scope) : evaluatedOnce(arguments, of: name, overriddenFrom: type, scope, frame)
            let overriding =
                isExact
                ? nil : callOverrides(name, arguments, of: type, at: place, scope, frame, expected: expected)
            let own = invoke(
                index.methods(name, of: type), receiver: receiver, owner: type, arguments, at: place, scope, frame,
                expected: expected)
            if let own { return overriding.map { own.either($0) } ?? own }
            if let overriding { return overriding }
            if let (owner, variable) = index.variable(name, of: type) {
                let held = self.value(
                    of: variable.declaration, name, owner: owner, receiver: receiver ?? .unknown, file: variable.file,
                    frame)
                let value = callable(held, fieldKey(name, of: owner))
                if let result = invoke(value, arguments, at: place, scope, frame, expected: expected) { return result }
            }
            outer = index.outerType(of: owner, file: frame.file)
            receiver = outer.map { TracedValue(.metatype($0)) }
        }
        if let receiver = frame.receiver, let (owner, methods) = foreignMethods(name, of: receiver, arguments),
            let result = invoke(
                methods, receiver: receiver, owner: owner, arguments, at: place, scope, frame, expected: expected)
        {
            return result
        }
        if let receiver = frame.receiver,
            receiver.forms.contains(where: \.isPayload) && SystemTypes.payloadMethods.contains(name)
                || receiver.forms.contains(where: \.isDecoding) && Self.decodingMethods.contains(name)
        {
            let base = CodeExpression(.name("self"), at: place.offset)
            return callMember(
                MethodCall(
                    name: name, target: receiver, base: base, arguments: arguments, place: place, scope: scope,
                    frame: frame, expected: expected, isChained: false
                )
            )
        }
        if let functions = index.functions[name],
            let result = invoke(
                functions, receiver: nil, owner: nil, arguments, at: place, scope, frame, expected: expected)
        {
            return result
        }
        if index.variables[name] != nil,
            let result = invoke(
                callable(value(named: name, scope, frame), "." + name), arguments, at: place, scope, frame,
                expected: expected)
        {
            return result
        }
        if name == "precondition", let first = arguments.first {
            mark(needed(first.value, scope, frame, isTrue: true).sites, .crash, frame)
            return .unknown
        }
        switch typeForm(name, frame) {
        case .metatype(let type)?: return construct(type, arguments, at: place, scope, frame, expected: expected)
        case .systemType(let type)?:
            return constructSystem(type, arguments, at: place, scope, frame)
        default:
            return relay(name, arguments, at: place, scope, frame)
                ?? unknownCall(
                    name, .unknown, arguments, scope, frame, foreignAt: isForeignFunction(name, frame) ? place : nil)
        }
    }

    /// Calls a method of a value: one of the target, of an extension, or of the system.
    private func callMember(_ call: MethodCall) -> TracedValue {
        if ["alloc", "init", "new", "class", "self"].contains(call.name), call.arguments.isEmpty {
            var made = call.target
            made.forms = call.target.forms.map { form in
                switch form {
                case .metatype(let type) where call.name == "alloc" || call.name == "new": .object(type, 0)
                case .systemType(let type): SystemTypes.push(type).map { .system($0) } ?? form
                default: form
                }
            }
            if !made.forms.isEmpty { return made }
        }
        var result = TracedValue()
        var isKnown = false
        let outer = circumstances
        defer { circumstances = outer }
        narrow(toUseOf: call.target)
        let isOfSelf = if case .name("self") = call.base.kind { true } else { false }
        for form in call.target.forms.map({ receiver($0, of: call.target, call.frame) }) {
            switch form {
            case .object(let type, _), .metatype(let type), .enumCase(let type, _, _), .category(let type?):
                let isExact = call.target.isExact
                var receiver = TracedValue(form, type: call.target.type)
                receiver.isExact = isExact
                let (arguments, scope) =
                    isExact
                    ? (call.arguments, call.scope)
                    : evaluatedOnce(call.arguments, of: call.name, overriddenFrom: type, call.scope, call.frame)
                let overriding =
                    isExact
                    ? nil
                    : callOverrides(
                        call.name, arguments, of: type, at: call.place, scope, call.frame, expected: call.expected,
                        isOfSelf: isOfSelf, isEach: call.target.isEach)
                let methods = index.methods(call.name, of: type)
                if let overriding {
                    result.gather(overriding)
                    isKnown = true
                    if !isOfSelf, !call.target.isEach { narrow(Tested(isMixed: true), .branch) }
                }
                if let found = invoke(
                    methods, receiver: receiver, owner: type, arguments, at: call.place, scope, call.frame,
                    expected: call.expected)
                {
                    result.gather(overriding.map { found.either($0) } ?? found)
                    isKnown = true
                } else if overriding == nil,
                    let found = memberValue(call.name, of: type, receiver: TracedValue(form), call.frame),
                    let called = invoke(
                        index.variable(call.name, of: type).map { callable(found, fieldKey(call.name, of: $0.owner)) }
                            ?? found,
                        call.arguments, at: call.place, call.scope, call.frame, expected: call.expected)
                {
                    result.join(called)
                    isKnown = true
                } else if case .metatype(let type) = form,
                    case .metatype(let inner)? =
                        memberValue(call.name, of: type, receiver: TracedValue(form), call.frame)?.forms.first
                {
                    return construct(
                        inner, call.arguments, at: call.place, call.scope, call.frame, expected: call.expected)
                }
            case .systemType(let outer):
                if let inner = index.type(named: outer + "." + call.name, in: call.frame.owner, file: call.frame.file) {
                    return construct(
                        inner, call.arguments, at: call.place, call.scope, call.frame, expected: call.expected)
                }
            default: break
            }
        }
        if !isKnown, let found = callBridged(call) {
            result = found
            isKnown = true
        }
        if !isKnown, let (owner, methods) = foreignMethods(call.name, of: call.target, call.arguments),
            let found = invoke(
                methods, receiver: call.target, owner: owner, call.arguments, at: call.place, call.scope, call.frame,
                expected: call.expected)
        {
            result = found
            isKnown = true
        }
        if isKnown {
            result.absence.formUnion(call.target.absence)
            if call.target.isConditional { result.isConditional = true }
            return result
        }
        if let property = call.name.setProperty, let argument = call.arguments.first,
            call.target.forms.contains(where: { declares(property, $0) })
        {
            let value = evaluate(argument.value, call.scope, call.frame)
            let target = CodeExpression(.member(call.base, property), at: call.place.offset)
            assign(value, to: target, call.scope, call.frame)
            return .unknown
        }
        return callSystem(call)
    }

    /// The form of a value whose members are called: a case of an enumeration that a caller gives is any of its cases.
    private func receiver(_ form: Form, of value: TracedValue, _ frame: Frame) -> Form {
        guard case .parameter = form, let type = value.type else { return form }
        return self.value(of: type, frame).forms.first ?? form
    }

    /// Whether a form is an object of the target with a property of a name.
    private func declares(_ property: String, _ form: Form) -> Bool {
        if case .object(let type, _) = form { return index.variable(property, of: type) != nil }
        return false
    }

    /// Calls a value that is a closure, a local function, a method or an initializer; nil for any other value.
    func invoke(
        _ value: TracedValue,
        _ arguments: [CodeArgument],
        at place: CodePlace,
        _ scope: Scope,
        _ frame: Frame,
        expected: CodeTypeName?
    ) -> TracedValue? {
        let outer = circumstances
        defer { circumstances = outer }
        if isOneOfSeveral(value) || value.isConditional {
            // The arguments are evaluated whichever function is called.
            for argument in arguments { _ = evaluate(argument.value, scope, frame) }
            narrow(Tested(isMixed: true), .branch)
        }
        var result: TracedValue?
        for form in value.forms {
            var found: TracedValue?
            switch form {
            case .closure(let id):
                let closure = captured[id]
                // Without parameters, a closure has its arguments as `$0`, `$1` and so on.
                let values =
                    closure.parameters.isEmpty
                    ? arguments.map { evaluate($0.value, scope, frame) }
                    : matched(arguments, closure.parameters).map { argument in
                        argument.value.map { evaluate($0, scope, frame, expected: argument.parameter.type) }
                    }
                found = call(closure: id, values, at: place, from: frame)
            case .method(let ids, let receiver):
                let functions = ids.compactMap { functionsByID[$0] }
                let owner = ids.first.flatMap { index.owners[$0] }
                found = invoke(
                    functions, receiver: receiver, owner: owner, arguments, at: place, scope, frame, expected: expected)
            case .initializer(let name):
                if let form = typeForm(name, frame), case .metatype(let type) = form {
                    found = construct(type, arguments, at: place, scope, frame, expected: expected)
                } else {
                    found = constructSystem(name, arguments, at: place, scope, frame)
                }
            case .object(let type, _):
                found = invoke(
                    index.methods("callAsFunction", of: type), receiver: TracedValue(form, type: value.type),
                    owner: type, arguments, at: place, scope, frame, expected: expected)
            case .enumCase(let type, let name, _):
                found = keep(arguments, ofCase: name, type, scope, frame)
            case .contentHandler: found = unknownCall("contentHandler", .unknown, arguments, scope, frame)
            case .stored(let key):
                let values = arguments.map { evaluate($0.value, scope, frame) }
                found = callStored(key, values, isEach: value.isEach, at: place, frame)
            default: break
            }
            if let found { result = result.map { $0.joined(found) } ?? found }
        }
        return result
    }

    /// Calls a value with other values as arguments, as the system calls a closure that is passed to it.
    func apply(_ value: TracedValue, to values: [TracedValue], at place: CodePlace, _ frame: Frame) -> TracedValue? {
        var result: TracedValue?
        for form in value.forms {
            var found: TracedValue?
            switch form {
            case .closure(let id): found = call(closure: id, values, at: place, from: frame)
            case .keyPath(let names):
                found = names.reduce(values.first ?? .unknown) { member($1, of: $0, at: place, frame) }
            case .stored(let key):
                found = callStored(key, values, isEach: value.isEach, at: place, frame)
            case .method(let ids, let receiver):
                guard
                    let first = ids.lazy.compactMap({ self.functionsByID[$0] }).first(where: {
                        $0.declaration.parameters.count == values.count
                    })
                else { continue }
                found = call(
                    first,
                    receiver: receiver,
                    owner: index.owners[ObjectIdentifier(first.declaration)],
                    arguments: values,
                    expected: nil,
                    at: place,
                    from: frame
                )
            case .initializer(let name):
                let scope = Scope()
                scope.names["$0"] = values.first
                let argument = CodeArgument(label: "", value: CodeExpression(.name("$0"), at: place.offset))
                if let form = typeForm(name, frame), case .metatype(let type) = form {
                    let label = index.methods("init", of: type).first {
                        $0.declaration.parameters.count == 1
                    }?.declaration.parameters[0].label
                    found = construct(
                        type,
                        [CodeArgument(label: label ?? "rawValue", value: argument.value)],
                        at: place,
                        scope,
                        frame,
                        expected: nil
                    )
                } else {
                    found = constructSystem(name, [argument], at: place, scope, frame)
                }
            default: break
            }
            if let found { result = result.map { $0.joined(found) } ?? found }
        }
        return result
    }

    /// Runs a closure or local function.
    func call(
        closure id: Int,
        _ values: [TracedValue?],
        at place: CodePlace,
        from caller: Frame,
        isRunOnce: Bool = false
    ) -> TracedValue {
        let closure = captured[id]
        ran.insert(id)
        guard caller.depth < Limit.calls, mayGoOn() else { return .unknown }
        let frame = Frame(
            file: closure.frame.file,
            owner: closure.frame.owner,
            receiver: closure.frame.receiver,
            result: closure.result,
            depth: Swift.max(closure.frame.depth, caller.depth) + (closure.isFunction ? 1 : 0),
            isClosure: !closure.isFunction,
            function: closure.frame.function
        )
        frame.generics = closure.frame.generics
        frame.loops = caller.loops
        if isRunOnce || closure.isFunction && closure.result.isNothing {
            begin(frame, calledLastBy: caller, passesPush: closure.isFollowed)
        }
        let scope = Scope(closure.scope)
        for (position, parameter) in closure.parameters.enumerated() {
            var value = position < values.count ? values[position] ?? .unknown : .unknown
            if closure.isFunction {
                value.forms = value.forms.map { form in
                    switch form {
                    case .text(let text, nil): return .text(text, place)
                    case .enumCase(let type, let name, nil): return .enumCase(type, name, place)
                    case .implicit(let name, let origin):
                        return implicit(name, of: parameter.type, origin ?? place, frame) ?? form
                    default: return form
                    }
                }
            }
            if value.forms.isEmpty, let type = parameter.type { value.forms = self.value(of: type, frame).forms }
            if value.type == nil { value.type = parameter.type }
            if closure.isFunction { value = value.present }
            scope.names[parameter.name] = value
        }
        if closure.parameters.isEmpty || closure.parameters.count < values.count {
            for (position, value) in values.enumerated() { scope.names["$\(position)"] = value ?? .unknown }
            if values.count == 1, let only = values[0] {
                for form in only.forms {
                    guard case .tuple(let parts) = form else { continue }
                    for (position, part) in parts.enumerated() where position > 0 { scope.names["$\(position)"] = part }
                }
            }
        }
        // `{ key, value in … }` destructures a tuple.
        if closure.parameters.count > 1, values.count == 1, let only = values[0] {
            for form in only.forms {
                guard case .tuple(let parts) = form else { continue }
                for (parameter, part) in zip(closure.parameters, parts) { scope.names[parameter.name] = part }
            }
        }
        return inCircumstances(circumstances.intersection(closure.circumstances)) {
            run(closure.body, scope, frame)
            return finish(frame)
        }
    }

    /// Calls the overload that matches the arguments; nil where there is no function.
    func invoke(
        _ candidates: [CodeIndex.Placed<CodeFunction>],
        receiver: TracedValue?,
        owner: Int?,
        _ arguments: [CodeArgument],
        at place: CodePlace,
        _ scope: Scope,
        _ frame: Frame,
        expected: CodeTypeName?
    ) -> TracedValue? {
        guard let chosen = overload(candidates, arguments) else { return nil }
        let pairs = matched(arguments, chosen.declaration.parameters)
        let first = captured.count
        let values = pairs.map { pair in
            pair.value.map { argument in
                // Anything but a closure may be one that `@autoclosure` makes.
                let isClosure = if case .closure = argument.kind { true } else { false }
                let isDelayed = !isClosure && pair.parameter.type?.unwrapped == .function
                return uncertainly(isDelayed) { evaluate(argument, scope, frame, expected: pair.parameter.type) }
            }
        }
        func run(_ function: CodeIndex.Placed<CodeFunction>) -> TracedValue {
            call(
                function,
                receiver: receiver,
                owner: index.owners[ObjectIdentifier(function.declaration)] ?? owner,
                arguments: values,
                expected: expected,
                at: place,
                from: frame
            )
        }
        var result = run(chosen)
        var isOfBuild = chosen.declaration.isConditional
        for other in candidates where other.declaration.isAlternative(to: chosen.declaration) {
            let found = run(other)
            if isOfBuild, !other.declaration.isConditional {
                result = found.besides(result)
                isOfBuild = false
            } else {
                let isRelease = !isOfBuild && other.declaration.isConditional
                result = isRelease ? result.besides(found) : result.either(found)
            }
        }
        runRest(from: first, values.compactMap { $0 }, chosen.declaration.name, at: place, frame)
        // The result depends on the reads in the arguments.
        for value in values.compactMap({ $0 }) { result.basis.formUnion(value.influences) }
        return result
    }

    /// Runs the closures among the arguments that have not been called.
    func runRest(
        from first: Int,
        _ values: [TracedValue],
        _ name: String,
        at place: CodePlace,
        _ frame: Frame
    ) {
        for value in values {
            for form in value.forms {
                guard case .closure(let id) = form, id >= first, !ran.contains(id), captured[id].isFollowed else {
                    continue
                }
                let parameter = SystemTypes.closureParameter(of: name)
                _ = uncertainly {
                    call(
                        closure: id, parameter.map { [$0] } ?? [], at: place, from: frame,
                        isRunOnce: SystemTypes.runsClosureOnce(name))
                }
            }
        }
    }
}

extension CodeFunction {
    /// Whether it is declared in place of another function in another branch of `#if`.
    fileprivate func isAlternative(to other: CodeFunction) -> Bool {
        self !== other && (isConditional || other.isConditional) && body != nil
            && parameters.map(\.label) == other.parameters.map(\.label)
    }
}

extension CodeExpression {
    var isSuper: Bool {
        if case .name("super") = kind { return true }
        return false
    }

    var isChained: Bool {
        if case .chained = kind { return true }
        return false
    }

    /// Whether a call of it, or an assignment to it, is left out where a value before a `?` in it is nil.
    var mayBeSkipped: Bool {
        var current = self
        while true {
            switch current.kind {
            case .chained: return true
            case .member(let base?, _), .call(let base, _), .index(let base, _), .forced(let base): current = base
            default: return false
            }
        }
    }
}
