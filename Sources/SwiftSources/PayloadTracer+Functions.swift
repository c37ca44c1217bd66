// SPDX-License-Identifier: MIT

/// Runs of the functions of the target.
extension PayloadTracer {
    /// Runs a function with arguments, or reuses the result of an earlier call with the same ones.
    func call(
        _ placed: CodeIndex.Placed<CodeFunction>,
        receiver: TracedValue?,
        owner: Int?,
        arguments: [TracedValue?],
        expected: CodeTypeName?,
        at place: CodePlace,
        from caller: Frame
    ) -> TracedValue {
        let found = specializations(of: owner, receiver, caller).map { generics in
            holding(Tested(isMixed: generics.isOneOfMany), .branch) {
                call(
                    placed, receiver: receiver, owner: owner, generics.types, arguments: arguments, expected: expected,
                    at: place, from: caller)
            }
        }
        return found.dropFirst().reduce(found[0]) { $0.either($1) }
    }

    private func call(
        _ placed: CodeIndex.Placed<CodeFunction>,
        receiver: TracedValue?,
        owner: Int?,
        _ generics: [String: CodeTypeName],
        arguments: [TracedValue?],
        expected: CodeTypeName?,
        at place: CodePlace,
        from caller: Frame
    ) -> TracedValue {
        let function = placed.declaration
        let id = ObjectIdentifier(function)
        let outer = circumstances
        defer { circumstances = outer }
        if function.isConditional { narrow(Tested(isMixed: true), .branch) }
        let arguments =
            caller.depth < Limit.callsOfValues ? arguments : arguments.map { $0.map { $0.isPart ? $0 : $0.unread } }
        if isInert(function, receiver, arguments) { return value(ofResult: function, owner: owner, caller) }
        guard let body = function.body, caller.depth < Limit.calls, running[id, default: 0] < 2, mayGoOn() else {
            return function.result.map { value(of: $0, caller) } ?? .unknown
        }
        let frame = Frame(
            file: placed.file,
            owner: owner,
            receiver: receiver,
            result: function.result,
            isAccessor: function.kind == .getter || function.kind == .subscripting,
            depth: caller.depth + 1,
            function: function
        )
        frame.loops = caller.loops
        frame.generics = generics
        if !function.generics.isEmpty || !(owner.map { index.types[$0].generics.isEmpty } ?? true) {
            frame.generics.merge(self.generics(of: function, arguments, expected)) { $1 }
        }
        if function.returnsNothing {
            let passesPush = ([receiver] + arguments).contains { $0.map(isFollowed) ?? false }
            begin(frame, calledLastBy: caller, passesPush: passesPush)
        }
        let scope = Scope()
        var values: [TracedValue] = []
        for (parameter, argument) in zip(function.parameters, arguments) {
            var value =
                argument ?? parameter.fallback.map { evaluate($0, Scope(), frame, expected: parameter.type) }
                ?? .unknown
            value.throwing = []
            value = adopt(value, parameter, of: function, at: place, frame)
            scope.names[parameter.name] = value
            values.append(value)
        }
        let key = Call(
            function: id,
            receiver: receiver,
            arguments: values,
            expected: frame.generics.isEmpty ? nil : expected,
            generics: generics,
            isInLoop: caller.loops > 0,
            isLast: frame.isLast,
            circumstances: circumstances
        )
        if !circumstances.isRepeated, !hasPush(function) || values.contains(where: \.carriesPush) { called.insert(id) }
        if let known = memo[key] { return known }
        if function.kind == .initializer || function.kind == .failableInitializer { frame.fields = [:] }
        running[id, default: 0] += 1
        run(body, scope, frame)
        running[id, default: 0] -= 1
        var result = finish(frame)
        if let fields = frame.fields, let owner {
            var made = TracedValue(.object(owner, instance(fields)), type: .named(index.types[owner].name, []))
            made.absence = result.absence
            made.absence.formUnion(frame.nullAbsence)
            made.throwing = result.throwing
            made.isConditional = result.isConditional
            made.basis = values.reduce(into: []) { $0.formUnion($1.sites + $1.basis) }
            result = made
        }
        memo[key] = result
        return result
    }

    // MARK: - Calls that do not concern a push

    /// Whether a call neither gets a push, nor can get to one, nor gives a text that may be a key.
    private func isInert(_ function: CodeFunction, _ receiver: TracedValue?, _ arguments: [TracedValue?]) -> Bool {
        if let receiver, isFollowed(receiver) { return false }
        for argument in arguments {
            guard let argument else { continue }
            if isFollowed(argument) { return false }
        }
        switch function.kind {
        case .initializer, .failableInitializer:
            // Its properties may hold a key.
            if arguments.contains(where: { $0?.forms.contains(where: \.mayBeKey) ?? false }) { return false }
        case .macro: return false
        default: if mayGiveKey(function) { return false }
        }
        return !isWorth(function)
    }

    private func isWorth(_ function: CodeFunction) -> Bool {
        let id = ObjectIdentifier(function)
        if let known = worth[id] { return known }
        let isWorth = isWorth(function.mentions)
        worth[id] = isWorth
        return isWorth
    }

    /// Whether the result of a function may be a key, or hold one: a text, an enumeration, or a list of them.
    func mayGiveKey(_ function: CodeFunction) -> Bool {
        guard let type = function.result?.unwrapped else { return function.kind == .getter }
        return mayBeKey(type, generics: function.generics)
    }

    /// Whether a value of a type may be a key, or hold one.
    func mayBeKey(_ type: CodeTypeName?, generics: [String] = []) -> Bool {
        guard var type = type?.unwrapped else { return false }
        while case .array(let element) = type { type = element.unwrapped }
        switch type {
        case .named("Void", _), .function: return false
        case .named(let name, _):
            if generics.contains(name) || name == "Any" || name == "AnyHashable" { return true }
            guard let found = index.type(named: name, in: nil, file: -1), !index.types[found].isForeign else {
                return ReadType(type) == .string
            }
            return index.types[found].kind == .enumeration
        default: return true
        }
    }

    /// Whether code that gets a value has to be followed.
    func isFollowed(_ value: TracedValue) -> Bool {
        if !value.sites.isEmpty || !value.absence.isEmpty { return true }
        return value.forms.contains { form in
            switch form {
            case .closure(let id): captured[id].isFollowed
            case .method(let ids, let receiver):
                receiver.map(isFollowed) ?? false
                    || ids.contains { id in functionsByID[id].map { isWorth($0.declaration) } ?? false }
            case .tuple(let values), .list(let values): values.contains(where: isFollowed)
            case .map(let members): members.contains { isFollowed($0.value) }
            case .object(_, let instance): followedInstances.contains(instance)
            default: form.isOfInterest
            }
        }
    }

    /// The result of a call that is not run.
    private func value(ofResult function: CodeFunction, owner: Int?, _ caller: Frame) -> TracedValue {
        switch function.kind {
        case .initializer, .failableInitializer:
            owner.map { TracedValue(.object($0, 0), type: .named(index.types[$0].name, [])) } ?? .unknown
        default: function.result.map { value(of: $0, caller) } ?? .unknown
        }
    }

    // MARK: - Arguments

    /// Binds an argument to a parameter: resolves `.name` by the parameter's type, and records where a key was passed.
    private func adopt(
        _ argument: TracedValue,
        _ parameter: CodeParameter,
        of function: CodeFunction,
        at place: CodePlace,
        _ frame: Frame
    ) -> TracedValue {
        var value = argument
        let isKey = value.forms.contains { form in
            switch form {
            case .text, .enumCase, .implicit, .parameter: true
            default: false
            }
        }
        if isKey {
            covered.insert(ObjectIdentifier(function))
            value.forms = value.forms.map { form in
                switch form {
                case .text(let text, nil): return .text(text, place)
                case .text(_, let origin?):
                    if builtKeys.contains(origin) { relayedKeys.insert(origin) }
                    return form
                case .enumCase(let type, let name, nil): return .enumCase(type, name, place)
                case .implicit(let name, let origin):
                    return implicit(name, of: parameter.type, origin ?? place, frame) ?? form
                default: return form
                }
            }
        } else if value.forms.isEmpty, parameter.type.flatMap({ ReadType($0) }) == .string {
            covered.insert(ObjectIdentifier(function))
        }
        if let type = parameter.type {
            if value.forms.isEmpty {
                let typed = self.value(of: type, frame)
                value.forms = typed.forms
            }
            value = annotated(value, with: type, frame)
            if value.type == .other { value.type = type }
        }
        // Inside the function the argument counts as present: how the function treats nil does not concern the caller's
        // read.
        return value.present
    }

    /// The value of `.name` where a type is expected.
    func implicit(_ name: String, of type: CodeTypeName?, _ origin: CodePlace?, _ frame: Frame) -> Form? {
        guard let written = type?.unwrapped.name else { return nil }
        let target = frame.generics[written]?.unwrapped.name ?? written
        guard let owner = index.type(named: target, in: frame.owner, file: frame.file) else { return nil }
        if index.hasCase(name, in: owner) { return .enumCase(owner, name, origin) }
        if let (declared, variable) = index.variable(name, of: owner) {
            let value = initialValue(of: variable.declaration, named: name, owner: declared, file: variable.file)
            switch value.forms.first {
            case .text(let text, _)?: return .text(text, origin)
            case let form?: return form
            case nil: return nil
            }
        }
        return nil
    }

    func generics(
        of function: CodeFunction,
        _ arguments: [TracedValue?],
        _ expected: CodeTypeName?
    ) -> [String: CodeTypeName] {
        var found: [String: CodeTypeName] = [:]
        let names = Set(function.generics)
        for (parameter, argument) in zip(function.parameters, arguments) {
            guard let type = parameter.type?.unwrapped, let written = type.name else { continue }
            if written.hasSuffix(".Type"), names.contains(String(written.dropLast(5))) {
                let name = String(written.dropLast(5))
                for form in argument?.forms ?? [] {
                    switch form {
                    case .metatype(let type): found[name] = .named(index.types[type].name, [])
                    case .systemType(let system): found[name] = .named(system, [])
                    default: break
                    }
                }
                if found[name] == nil, let meta = argument?.type, case .named(let text, let inner) = meta,
                    text == "Type", let first = inner.first
                {
                    found[name] = first
                }
            } else if names.contains(written), let type = argument?.type {
                found[written] = type
            }
        }
        if let expected, let result = function.result {
            match(result, expected, names, &found)
        }
        return found
    }

    private func match(
        _ pattern: CodeTypeName,
        _ type: CodeTypeName,
        _ names: Set<String>,
        _ found: inout [String: CodeTypeName]
    ) {
        switch (pattern, type) {
        case (.optional(let left), .optional(let right)): match(left, right, names, &found)
        case (.optional(let left), _): match(left, type, names, &found)
        case (.named(let name, _), _) where names.contains(name):
            if found[name] == nil { found[name] = type.unwrapped }
        case (.array(let left), .array(let right)): match(left, right, names, &found)
        default: break
        }
    }

    /// The result of a function after its body has run.
    @discardableResult
    func finish(_ frame: Frame) -> TracedValue {
        var result = frame.returned
        let derived = Set(result.sites)
        let leaves = frame.otherReturns.filter { !derived.contains($0) }
        let defaults = frame.otherReturns.filter { derived.contains($0) }
        if frame.isAccessor {
            mark(frame.otherReturns, .default, frame)
        } else {
            mark(defaults, .default, frame)
            mark(leaves, .return, frame)
        }
        if frame.returnsNull || (frame.result?.isOptional ?? false) && !frame.returnsOtherwise {
            result.absence.formUnion(frame.branchReturns)
        } else {
            mark(frame.branchReturns.filter { derived.contains($0) }, .default, frame)
        }
        result.absence.formUnion(frame.nullAbsence)
        result.throwing.formUnion(frame.throwing)
        if frame.givesForSome, !frame.givesForAll, frame.givesNothing || frame.exits[.failure] != nil {
            result.isConditional = true
        }
        if let type = frame.result {
            if result.forms.isEmpty, result.sites.isEmpty {
                let typed = value(of: type, frame)
                result.forms = typed.forms
            }
            result = annotated(result, with: type, frame)
        }
        return result
    }
}

extension CodeFunction {
    /// Whether it is a function or method without a result.
    fileprivate var returnsNothing: Bool { (kind == .function || kind == .message) && result.isNothing }
}

extension CodeTypeName? {
    /// Whether a function with this result returns nothing.
    var isNothing: Bool { map { $0 == .named("Void", []) || $0 == .tuple([]) } ?? true }
}
