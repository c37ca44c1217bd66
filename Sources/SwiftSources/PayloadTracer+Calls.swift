// SPDX-License-Identifier: MIT

/// Members and calls of declarations of the target.
extension PayloadTracer {
    // MARK: - Members

    func member(
        _ name: String,
        of base: CodeExpression,
        at place: CodePlace,
        _ scope: Scope,
        _ frame: Frame
    ) -> TracedValue {
        let value = evaluate(base, scope, frame)
        return member(name, of: value, at: place, frame, isSelf: base.isSelf)
    }

    func member(
        _ name: String,
        of value: TracedValue,
        at place: CodePlace,
        _ frame: Frame,
        isSelf: Bool = false
    ) -> TracedValue {
        var result = TracedValue()
        var isKnown = false
        for form in value.forms {
            var found: TracedValue?
            switch form {
            case .object(let type, _), .metatype(let type):
                found = memberValue(name, of: type, receiver: TracedValue(form, type: value.type), frame, at: place)
                if found == nil, case .metatype = form, name == "init" {
                    found = TracedValue(.initializer(index.types[type].name))
                }
                if found == nil, case .metatype = form, name == "self" { found = TracedValue(form) }
            case .enumCase(let type, let entry, let origin):
                if name == "rawValue" {
                    found = rawValue(type, entry).map {
                        TracedValue(.text($0, origin), type: .named("String", []))
                    }
                } else if name == "hashValue" {
                    found = TracedValue()
                } else {
                    found = memberValue(name, of: type, receiver: TracedValue(form, type: value.type), frame, at: place)
                        .map { self.originated($0, origin) }
                }
            case .parameter: found = TracedValue(form, type: .named("String", []))
            case .tuple(let parts):
                if let position = Int(name), position < parts.count { found = parts[position] }
            default: found = systemMember(name, of: form, value, at: place, frame)
            }
            if let found {
                isKnown = true
                result.join(found)
            }
        }
        if !isKnown, let found = foreignMember(name, of: value, frame) {
            isKnown = true
            result.join(found)
        }
        if !isKnown {
            if SystemTypes.textMethods.contains(name) { return value }
            result = value.derived()
            // The `userInfo` of an unknown value stays unknown.
            if value.forms.isEmpty, name == "userInfo" { return result }
        }
        result.absence.formUnion(value.absence)
        result.throwing.formUnion(value.throwing)
        return result
    }

    private func originated(_ value: TracedValue, _ origin: CodePlace?) -> TracedValue {
        guard let origin else { return value }
        var value = value
        value.forms = value.forms.map { form in
            if case .text(let text, nil) = form { return .text(text, origin) }
            return form
        }
        return value
    }

    /// The value of a member that the target declares; nil where it declares none.
    func memberValue(
        _ name: String,
        of type: Int,
        receiver: TracedValue,
        _ frame: Frame,
        at place: CodePlace? = nil
    ) -> TracedValue? {
        if let (owner, variable) = index.variable(name, of: type) {
            return value(
                of: variable.declaration,
                name,
                owner: owner,
                receiver: receiver,
                file: variable.file,
                frame
            )
        }
        if index.hasCase(name, in: type) { return TracedValue(.enumCase(type, name, nil)) }
        if name == "allCases", !index.types[type].cases.isEmpty {
            return TracedValue(
                .list(index.types[type].cases.map { TracedValue(.enumCase(type, $0.declaration.name, nil)) })
            )
        }
        let methods = index.methods(name, of: type)
        if methods.count == 1, methods[0].declaration.kind == .message, methods[0].declaration.parameters.isEmpty,
            let place
        {
            return call(
                methods[0], receiver: receiver, owner: type, arguments: [], expected: nil, at: place, from: frame)
        }
        if !methods.isEmpty {
            return TracedValue(.method(methods.map { ObjectIdentifier($0.declaration) }, receiver))
        }
        if let inner = index.type(named: index.types[type].name + "." + name, in: nil, file: frame.file),
            index.types[inner].name == index.types[type].name + "." + name
        {
            return TracedValue(.metatype(inner))
        }
        // In Objective-C, a property is stored in an instance variable with an underscore.
        if name.hasPrefix("_"), let (owner, variable) = index.variable(String(name.dropFirst()), of: type) {
            return value(
                of: variable.declaration,
                String(name.dropFirst()),
                owner: owner,
                receiver: receiver,
                file: variable.file,
                frame
            )
        }
        if index.types[type].isDynamic, let place {
            let candidates = index.methods("subscript", of: type).filter {
                $0.declaration.parameters.first?.label == "dynamicMember"
            }
            if let found = candidates.first {
                return call(
                    found,
                    receiver: receiver,
                    owner: type,
                    arguments: [TracedValue(.text(name, place), type: .named("String", []))],
                    expected: nil,
                    at: place,
                    from: frame
                )
            }
        }
        return nil
    }

    /// The value of a property that the target declares.
    func value(
        of variable: CodeVariable,
        _ name: String,
        owner: Int,
        receiver: TracedValue,
        file: Int,
        _ frame: Frame
    ) -> TracedValue {
        for attribute in variable.attributes {
            if let type = wrapper(attribute, of: owner, file: file) {
                return wrapped(variable, attribute, type, owner: owner, file: file, frame)
            }
        }
        if let getter = variable.getter {
            let place = CodePlace(file: file, offset: variable.offset)
            return call(
                CodeIndex.Placed(declaration: getter, file: file),
                receiver: receiver,
                owner: owner,
                arguments: [],
                expected: nil,
                at: place,
                from: frame
            )
        }
        var value = TracedValue([], type: variable.type)
        for form in receiver.forms {
            if case .object(_, let instance) = form, instance != 0, let kept = instanceField(name, instance) {
                value.join(kept)
            }
        }
        if !value.forms.isEmpty, variable.isConstant { return value }
        if variable.initial != nil {
            value.join(initialValue(of: variable, named: name, owner: owner, file: file))
        }
        if let assigned = field(name, of: owner) { value.join(assigned) }
        if value.forms.isEmpty, let type = variable.type {
            let inner = Frame(file: file, owner: owner, receiver: nil, result: nil, depth: frame.depth)
            value.forms = self.value(of: type, inner).forms
        }
        return value
    }

    /// The value of a property whose wrapper the target declares.
    private func wrapped(
        _ variable: CodeVariable,
        _ attribute: CodeVariable.Attribute,
        _ wrapper: Int,
        owner: Int,
        file: Int,
        _ frame: Frame
    ) -> TracedValue {
        let place = CodePlace(file: file, offset: variable.offset)
        let outer = Frame(
            file: file,
            owner: owner,
            receiver: receiver(owner, isStatic: true),
            result: nil,
            depth: frame.depth
        )
        var arguments = attribute.arguments
        if let initial = variable.initial {
            arguments.insert(CodeArgument(label: "wrappedValue", value: initial), at: 0)
        }
        let made = construct(wrapper, arguments, at: place, Scope(), outer, expected: nil)
        guard let (declared, property) = index.variable("wrappedValue", of: wrapper) else { return .unknown }
        let inner = Frame(file: property.file, owner: declared, receiver: made, result: nil, depth: frame.depth)
        if let generic = index.types[wrapper].generics.first, let type = variable.type {
            inner.generics[generic] = type.unwrapped
        }
        guard let getter = property.declaration.getter, let body = getter.body, frame.depth < 12 else {
            return value(
                of: property.declaration,
                "wrappedValue",
                owner: declared,
                receiver: made,
                file: property.file,
                inner
            )
        }
        let running = Frame(
            file: property.file,
            owner: declared,
            receiver: made,
            result: getter.result,
            isAccessor: true,
            depth: frame.depth + 1
        )
        running.generics = inner.generics
        run(body, Scope(), running)
        return finish(running, isImplicit: body)
    }

    // MARK: - Extensions of the system's types

    /// The system types whose extensions apply to a value.
    private func foreignTypes(of value: TracedValue) -> [Int] {
        var names: [String] = []
        for form in value.forms {
            switch form {
            case .json(let path):
                switch value.type?.unwrapped {
                case .dictionary?: names += ["Dictionary", "NSDictionary"]
                case .array?: names += ["Array", "Collection", "Sequence", "NSArray"]
                case .named(let name, _)?: names += [name, "Dictionary", "NSDictionary", "StringProtocol"]
                default:
                    names += path.isEmpty ? ["Dictionary", "NSDictionary"] : ["Dictionary", "String", "NSDictionary"]
                }
            case .text, .parameter: names += ["String", "StringProtocol", "NSString"]
            case .system(let name):
                names.append(name)
                if name == "UNNotificationContent" { names.append("UNMutableNotificationContent") }
                if name == "UNNotificationResponse" { names.append("UNTextInputNotificationResponse") }
            case .systemType(let name): names.append(name)
            case .data: names += ["Data", "NSData"]
            case .list: names += ["Array", "Collection", "Sequence"]
            default: break
            }
        }
        if value.forms.isEmpty, let name = value.type?.name { names.append(name) }
        if !value.absence.isEmpty { names.append("Optional") }
        var found: [Int] = []
        for name in names {
            if let type = index.type(named: name, in: nil, file: -1), index.types[type].isForeign, !found.contains(type)
            {
                found.append(type)
            }
        }
        return found
    }

    /// The value of a member that an extension of a system type declares; nil where there is none.
    func foreignMember(_ name: String, of value: TracedValue, _ frame: Frame) -> TracedValue? {
        for type in foreignTypes(of: value) {
            if let variable = index.types[type].variables[name] {
                return self.value(
                    of: variable.declaration,
                    name,
                    owner: type,
                    receiver: value,
                    file: variable.file,
                    frame
                )
            }
        }
        return nil
    }

    /// The methods with a name that extensions of system types declare and that accept the arguments.
    func foreignMethods(
        _ name: String,
        of value: TracedValue,
        _ arguments: [CodeArgument]
    ) -> (owner: Int, methods: [CodeIndex.Placed<CodeFunction>])? {
        for type in foreignTypes(of: value) {
            let functions = (index.types[type].functions[name] ?? []).filter { takes($0.declaration, arguments) }
            if !functions.isEmpty { return (type, functions) }
        }
        return nil
    }

    /// Whether the labels of the arguments match the parameters of a function.
    private func takes(_ function: CodeFunction, _ arguments: [CodeArgument]) -> Bool {
        if function.kind == .message { return arguments.count == function.parameters.count }
        var next = 0
        for argument in arguments {
            if let position = function.parameters[next...].firstIndex(where: { $0.label == argument.label }) {
                next = position + 1
            } else if case .closure = argument.value.kind, next < function.parameters.count {
                next += 1
            } else {
                return false
            }
        }
        return true
    }

    // MARK: - Calls

    func call(
        _ callee: CodeExpression,
        _ arguments: [CodeArgument],
        at place: CodePlace,
        _ scope: Scope,
        _ frame: Frame,
        expected: CodeTypeName?
    ) -> TracedValue {
        switch callee.kind {
        case .chained(let inner):
            return call(inner, arguments, at: place, scope, frame, expected: expected, isChained: true)
        case .forced(let inner):
            mark(evaluate(inner, scope, frame).absence, .crash, frame)
            return call(inner, arguments, at: place, scope, frame, expected: expected)
        default: return call(callee, arguments, at: place, scope, frame, expected: expected, isChained: false)
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
        case .closure(let closure):
            let value = evaluate(callee, scope, frame)
            _ = closure
            return invoke(value, arguments, at: place, scope, frame, expected: expected) ?? .unknown
        case .name(let name):
            return callNamed(name, arguments, at: place, scope, frame, expected: expected)
        case .member(let base?, let name):
            if name == "init" {
                let target = evaluate(base, scope, frame)
                if case .name("self") = base.kind { return initializeSelf(arguments, at: place, scope, frame) }
                if case .name("super") = base.kind { return initializeSelf(arguments, at: place, scope, frame) }
                for form in target.forms {
                    if case .metatype(let type) = form {
                        return construct(type, arguments, at: place, scope, frame, expected: expected)
                    }
                    if case .systemType(let type) = form {
                        return constructSystem(type, arguments, at: place, scope, frame, expected: expected)
                    }
                }
            }
            let target = evaluate(base, scope, frame)
            return callMember(
                name,
                of: target,
                base,
                arguments,
                at: place,
                scope,
                frame,
                expected: expected,
                isChained: base.isChained
            )
        case .member(nil, let name):
            if let type = expected?.unwrapped.name, let form = typeForm(type, scope, frame) {
                switch form {
                case .metatype(let type):
                    if name == "init" {
                        return construct(type, arguments, at: place, scope, frame, expected: expected)
                    }
                    let methods = index.methods(name, of: type)
                    if let result = invoke(
                        methods, receiver: TracedValue(form), owner: type, arguments, at: place, scope, frame,
                        expected: expected)
                    {
                        return result
                    }
                case .systemType(let type) where name == "init":
                    return constructSystem(type, arguments, at: place, scope, frame, expected: expected)
                default: break
                }
            }
            return unknownCall(name, TracedValue.unknown, arguments, scope, frame)
        case .list(let elements):
            if let element = elements.first, elements.count == 1 { _ = evaluate(element, scope, frame) }
            return unknownCall("", .unknown, arguments, scope, frame)
        case .map:
            _ = unknownCall("", .unknown, arguments, scope, frame)
            return TracedValue(.map([]))
        case .type(let type):
            if case .named(let name, _) = type.unwrapped, let form = typeForm(name, scope, frame) {
                if case .metatype(let type) = form {
                    return construct(type, arguments, at: place, scope, frame, expected: expected)
                }
                return constructSystem(name, arguments, at: place, scope, frame, expected: expected)
            }
            return unknownCall("", .unknown, arguments, scope, frame)
        default:
            let value = evaluate(callee, scope, frame)
            return invoke(value, arguments, at: place, scope, frame, expected: expected)
                ?? unknownCall("", value, arguments, scope, frame)
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
                ?? unknownCall(name, known, arguments, scope, frame)
        }
        if let macro = index.macros[name] {
            return expand(macro, arguments.map { evaluate($0.value, scope, frame) }, at: place, frame)
        }
        var outer = frame.owner
        var receiver = frame.receiver
        while let type = outer {
            let methods = index.methods(name, of: type)
            if !methods.isEmpty,
                let result = invoke(
                    methods, receiver: receiver, owner: type, arguments, at: place, scope, frame, expected: expected)
            {
                return result
            }
            if let (owner, variable) = index.variable(name, of: type) {
                let value = self.value(
                    of: variable.declaration, name, owner: owner, receiver: receiver ?? .unknown, file: variable.file,
                    frame)
                if let result = invoke(value, arguments, at: place, scope, frame, expected: expected) { return result }
            }
            let qualified = index.types[type].name
            outer = qualified.lastIndex(of: ".").flatMap {
                index.type(named: String(qualified[..<$0]), in: nil, file: frame.file)
            }
            receiver = outer.map { TracedValue(.metatype($0)) }
        }
        if let receiver = frame.receiver, let (owner, methods) = foreignMethods(name, of: receiver, arguments),
            let result = invoke(
                methods, receiver: receiver, owner: owner, arguments, at: place, scope, frame, expected: expected)
        {
            return result
        }
        if let receiver = frame.receiver, receiver.forms.contains(where: \.isPayload),
            SystemTypes.payloadMethods.contains(name)
        {
            return callMember(
                name,
                of: receiver,
                CodeExpression(.name("self"), at: place.offset),
                arguments,
                at: place,
                scope,
                frame,
                expected: expected,
                isChained: false
            )
        }
        if let functions = index.functions[name],
            let result = invoke(
                functions, receiver: nil, owner: nil, arguments, at: place, scope, frame, expected: expected)
        {
            return result
        }
        if name == "precondition", let first = arguments.first {
            mark(tested([.expression(first.value)], scope, frame), .crash, frame)
            return .unknown
        }
        switch typeForm(name, scope, frame) {
        case .metatype(let type)?: return construct(type, arguments, at: place, scope, frame, expected: expected)
        case .systemType(let type)?:
            return constructSystem(type, arguments, at: place, scope, frame, expected: expected)
        default: return unknownCall(name, .unknown, arguments, scope, frame)
        }
    }

    /// Calls a method of a value: one of the target, of an extension, or of the system.
    private func callMember(
        _ name: String,
        of target: TracedValue,
        _ base: CodeExpression,
        _ arguments: [CodeArgument],
        at place: CodePlace,
        _ scope: Scope,
        _ frame: Frame,
        expected: CodeTypeName?,
        isChained: Bool
    ) -> TracedValue {
        if ["alloc", "init", "new", "class", "self"].contains(name), arguments.isEmpty {
            var made = target
            made.forms = target.forms.map { form in
                switch form {
                case .metatype(let type) where name == "alloc" || name == "new": .object(type, 0)
                case .systemType(let name): SystemTypes.push(name).map { .system($0) } ?? form
                default: form
                }
            }
            if !made.forms.isEmpty { return made }
        }
        var result = TracedValue()
        var isKnown = false
        for form in target.forms {
            switch form {
            case .object(let type, _), .metatype(let type), .enumCase(let type, _, _):
                let methods = index.methods(name, of: type)
                if let found = invoke(
                    methods, receiver: TracedValue(form, type: target.type), owner: type, arguments, at: place, scope,
                    frame,
                    expected: expected)
                {
                    result.join(found)
                    isKnown = true
                } else if let found = memberValue(name, of: type, receiver: TracedValue(form), frame),
                    let called = invoke(found, arguments, at: place, scope, frame, expected: expected)
                {
                    result.join(called)
                    isKnown = true
                } else if case .metatype(let type) = form,
                    case .metatype(let inner)? =
                        memberValue(name, of: type, receiver: TracedValue(form), frame)?.forms.first
                {
                    return construct(inner, arguments, at: place, scope, frame, expected: expected)
                }
            case .systemType(let outer):
                if let inner = index.type(named: outer + "." + name, in: frame.owner, file: frame.file) {
                    return construct(inner, arguments, at: place, scope, frame, expected: expected)
                }
            default: break
            }
        }
        if !isKnown, let (owner, methods) = foreignMethods(name, of: target, arguments),
            let found = invoke(
                methods, receiver: target, owner: owner, arguments, at: place, scope, frame, expected: expected)
        {
            result = found
            isKnown = true
        }
        if isKnown {
            result.absence.formUnion(target.absence)
            return result
        }
        return callSystem(
            name,
            of: target,
            base,
            arguments,
            at: place,
            scope,
            frame,
            expected: expected,
            isChained: isChained
        )
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
        var result: TracedValue?
        for form in value.forms {
            var found: TracedValue?
            switch form {
            case .closure(let id):
                let closure = captured[id]
                let values = matched(arguments, closure.parameters).map { argument in
                    argument.value.map { evaluate($0, scope, frame, expected: argument.parameter.type) }
                }
                found = call(closure: id, values, at: place, from: frame)
            case .method(let ids, let receiver):
                let functions = ids.compactMap { id in function(id) }
                let owner = ids.first.flatMap { index.owners[$0] }
                found = invoke(
                    functions, receiver: receiver, owner: owner, arguments, at: place, scope, frame, expected: expected)
            case .initializer(let name):
                if let form = typeForm(name, scope, frame), case .metatype(let type) = form {
                    found = construct(type, arguments, at: place, scope, frame, expected: expected)
                } else {
                    found = constructSystem(name, arguments, at: place, scope, frame, expected: expected)
                }
            case .contentHandler: found = unknownCall("contentHandler", .unknown, arguments, scope, frame)
            default: break
            }
            if let found { result = result.map { $0.joined(found) } ?? found }
        }
        return result
    }

    private func function(_ id: ObjectIdentifier) -> CodeIndex.Placed<CodeFunction>? {
        functionsByID[id]
    }

    /// Calls a value with other values as arguments, as the system calls a closure that is passed to it.
    func apply(_ value: TracedValue, to values: [TracedValue], at place: CodePlace, _ frame: Frame) -> TracedValue? {
        var result: TracedValue?
        for form in value.forms {
            var found: TracedValue?
            switch form {
            case .closure(let id): found = call(closure: id, values, at: place, from: frame)
            case .method(let ids, let receiver):
                guard
                    let first = ids.lazy.compactMap({ self.function($0) }).first(where: {
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
                if let form = typeForm(name, scope, frame), case .metatype(let type) = form {
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
                    found = constructSystem(name, [argument], at: place, scope, frame, expected: nil)
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
        from caller: Frame
    ) -> TracedValue {
        let closure = captured[id]
        ran.insert(id)
        guard caller.depth < 12, mayGoOn() else { return .unknown }
        let frame = Frame(
            file: closure.frame.file,
            owner: closure.frame.owner,
            receiver: closure.frame.receiver,
            result: closure.result,
            depth: Swift.max(closure.frame.depth, caller.depth) + (closure.isFunction ? 1 : 0),
            isClosure: !closure.isFunction
        )
        frame.generics = closure.frame.generics
        frame.loops = caller.loops
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
        run(closure.body, scope, frame)
        return finish(frame, isImplicit: closure.body)
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
            pair.value.map { evaluate($0, scope, frame, expected: pair.parameter.type) }
        }
        let owner = index.owners[ObjectIdentifier(chosen.declaration)] ?? owner
        var result = call(
            chosen,
            receiver: receiver,
            owner: owner,
            arguments: values,
            expected: expected,
            at: place,
            from: frame
        )
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
                guard case .closure(let id) = form, id >= first, !ran.contains(id) else { continue }
                let parameter = SystemTypes.closureParameter(of: name)
                _ = call(closure: id, parameter.map { [$0] } ?? [], at: place, from: frame)
            }
        }
    }

    func overload(
        _ candidates: [CodeIndex.Placed<CodeFunction>],
        _ arguments: [CodeArgument]
    ) -> CodeIndex.Placed<CodeFunction>? {
        let bodied = candidates.filter { $0.declaration.body != nil }
        guard bodied.count > 1 else {
            guard let only = bodied.first else { return nil }
            return only
        }
        func fits(_ function: CodeFunction) -> Int {
            var score = 0
            let labels = function.parameters.map(\.label)
            var next = 0
            for argument in arguments {
                let isClosure = if case .closure = argument.value.kind { true } else { false }
                if let position = labels[next...].firstIndex(of: argument.label) {
                    score += 2
                    next = position + 1
                } else if isClosure, next < labels.count {
                    next += 1
                } else {
                    score -= 3
                }
            }
            let missing = function.parameters.count { $0.fallback == nil } - arguments.count
            // With equal matches, a call of another overload is more likely than recursion.
            return (score - Swift.max(0, missing)) * 2 - (isRunning(function) ? 1 : 0)
        }
        return bodied.max { fits($0.declaration) < fits($1.declaration) }
    }

    /// Assigns arguments to parameters.
    func matched(
        _ arguments: [CodeArgument],
        _ parameters: [CodeParameter]
    ) -> [(parameter: CodeParameter, value: CodeExpression?)] {
        var taken = Set<Int>()
        var found: [(parameter: CodeParameter, value: CodeExpression?)] = []
        var next = 0
        for parameter in parameters {
            let candidates = arguments.indices.filter { !taken.contains($0) && $0 >= next }
            let position =
                candidates.first { arguments[$0].label == parameter.label }
                ?? (parameter.type == .function || parameter.type == .optional(.function)
                    ? candidates.first { if case .closure = arguments[$0].value.kind { true } else { false } } : nil)
            if let position {
                taken.insert(position)
                next = position + 1
            }
            found.append((parameter, position.map { arguments[$0].value }))
        }
        if taken.isEmpty, arguments.count == parameters.count {
            return zip(parameters, arguments).map { ($0, $1.value) }
        }
        return found
    }

    // MARK: - Initializers

    private func initializeSelf(
        _ arguments: [CodeArgument],
        at place: CodePlace,
        _ scope: Scope,
        _ frame: Frame
    ) -> TracedValue {
        guard let owner = frame.owner, !index.types[owner].isForeign else {
            return unknownCall("init", .unknown, arguments, scope, frame)
        }
        let made = construct(owner, arguments, at: place, scope, frame, expected: nil)
        for form in made.forms {
            guard case .object(_, let id) = form, id != 0 else { continue }
            for (name, value) in instanceFields(id) {
                let joined = frame.fields?[name].map { $0.joined(value) } ?? value
                frame.fields?[name] = joined
            }
        }
        frame.nullAbsence.formUnion(made.absence)
        var result = made
        result.absence = []
        return result
    }

    /// Creates a value of a type that the target declares.
    func construct(
        _ type: Int,
        _ arguments: [CodeArgument],
        at place: CodePlace,
        _ scope: Scope,
        _ frame: Frame,
        expected: CodeTypeName?
    ) -> TracedValue {
        let initializers = index.methods("init", of: type)
        let labels = arguments.map(\.label)
        if labels == ["rawValue"], !index.types[type].cases.isEmpty,
            !initializers.contains(where: { $0.declaration.parameters.first?.label == "rawValue" })
        {
            let value = evaluate(arguments[0].value, scope, frame)
            if value.forms.contains(.actionIdentifier) {
                for entry in index.types[type].cases {
                    if let text = rawValue(type, entry.declaration.name) {
                        noteCompared(
                            TracedValue(.text(text, nil)),
                            at: CodePlace(file: entry.file, offset: entry.declaration.offset),
                            frame
                        )
                    }
                }
            }
            if value.texts != nil || value.forms.contains(where: { if case .parameter = $0 { true } else { false } }) {
                return value
            }
            return value.derived([.object(type, 0)], type: .optional(.named(index.types[type].name, [])))
        }
        if index.types[type].isForeign {
            if let found = invoke(
                initializers, receiver: nil, owner: type, arguments, at: place, scope, frame, expected: expected)
            {
                let name = index.types[type].name
                var value = found
                value.forms = []
                value.type = .named(name, [])
                if let first = arguments.first {
                    let argument = evaluate(first.value, scope, frame)
                    if let type = ReadType(.named(name, [])) { noteConversion(type, of: argument) }
                    value.absence.formUnion(argument.absence)
                    value.basis.formUnion(argument.influences)
                }
                return value
            }
            return constructSystem(index.types[type].name, arguments, at: place, scope, frame, expected: expected)
        }
        if let found = invoke(
            initializers, receiver: TracedValue(.object(type, 0)), owner: type, arguments, at: place, scope, frame,
            expected: expected)
        {
            return TracedValue(object: found, of: type, name: index.types[type].name)
        }
        // No declared initializer matches: this is the memberwise initializer of a structure.
        var fields: [String: TracedValue] = [:]
        var value = TracedValue()
        let first = captured.count
        for argument in arguments {
            let variable = index.variable(argument.label, of: type)
            let given = evaluate(argument.value, scope, frame, expected: variable?.variable.declaration.type)
            if let variable {
                fields[argument.label] = given
                assign(given, toField: argument.label, of: variable.owner)
            }
            value.basis.formUnion(given.influences)
            value.throwing.formUnion(given.throwing)
            runRest(from: first, [given], "init", at: place, frame)
        }
        value.forms = [.object(type, instance(fields))]
        value.type = .named(index.types[type].name, [])
        return value
    }

    /// The value of the expression that replaces a macro.
    func expand(
        _ macro: CodeIndex.Placed<CodeFunction>,
        _ arguments: [TracedValue],
        at place: CodePlace? = nil,
        _ frame: Frame
    ) -> TracedValue {
        call(
            macro,
            receiver: nil,
            owner: nil,
            arguments: arguments,
            expected: nil,
            at: place ?? CodePlace(file: macro.file, offset: macro.declaration.offset),
            from: frame
        )
    }

    /// A call of an unknown declaration: evaluates its arguments and runs its closures.
    func unknownCall(
        _ name: String,
        _ target: TracedValue,
        _ arguments: [CodeArgument],
        _ scope: Scope,
        _ frame: Frame
    ) -> TracedValue {
        var value = target.derived()
        for argument in arguments {
            let first = captured.count
            let given = evaluate(argument.value, scope, frame)
            value.basis.formUnion(given.influences)
            value.throwing.formUnion(given.throwing)
            runRest(
                from: first,
                [given],
                name,
                at: CodePlace(file: frame.file, offset: argument.value.offset),
                frame
            )
        }
        return value
    }
}

extension TracedValue {
    /// The result of an initializer.
    fileprivate init(object found: TracedValue, of type: Int, name: String) {
        self = found
        if !forms.contains(where: { if case .object = $0 { true } else { false } }) { forms = [.object(type, 0)] }
        self.type = .named(name, [])
    }
}

extension CodeExpression {
    var isSelf: Bool {
        if case .name("self") = kind { return true }
        return false
    }

    var isChained: Bool {
        if case .chained = kind { return true }
        return false
    }
}
