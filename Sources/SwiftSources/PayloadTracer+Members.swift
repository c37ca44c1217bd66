// SPDX-License-Identifier: MIT

/// Members of values: those that the target declares, and those that its extensions add to system types.
extension PayloadTracer {
    func member(
        _ name: String,
        of base: CodeExpression,
        at place: CodePlace,
        _ scope: Scope,
        _ frame: Frame
    ) -> TracedValue {
        if base.isSuper, let owner = frame.owner {
            guard let parent = index.superclass(of: owner), let (declared, variable) = index.variable(name, of: parent)
            else { return .unknown }
            return value(
                of: variable.declaration, name, owner: declared, receiver: frame.receiver ?? .unknown,
                file: variable.file, frame)
        }
        return member(name, of: evaluate(base, scope, frame), at: place, frame)
    }

    func member(
        _ name: String,
        of value: TracedValue,
        at place: CodePlace,
        _ frame: Frame
    ) -> TracedValue {
        var result = TracedValue()
        var isKnown = false
        let outer = circumstances
        defer { circumstances = outer }
        narrow(toUseOf: value)
        for form in value.forms {
            var found: TracedValue?
            switch form {
            case .object(let type, _), .metatype(let type):
                var receiver = TracedValue(form, type: value.type)
                receiver.isExact = value.isExact
                receiver.isEach = value.isEach
                found = memberValue(name, of: type, receiver: receiver, frame, at: place)
                if found == nil, case .metatype = form, name == "init" {
                    found = TracedValue(.initializer(index.types[type].name))
                }
                if found == nil, case .metatype = form, name == "self" { found = TracedValue(form) }
            case .enumCase(let type, let entry, let origin):
                if name == "rawValue" {
                    found = rawText(type, entry, origin)
                } else if name == "hashValue" {
                    found = TracedValue()
                } else {
                    found = memberValue(name, of: type, receiver: TracedValue(form, type: value.type), frame, at: place)
                        .map { self.originated($0, origin) }
                }
            case .category(let type?) where name != "rawValue":
                found = memberValue(name, of: type, receiver: TracedValue(form, type: value.type), frame, at: place)
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
        if !isKnown,
            let found = foreignMember(name, of: value, frame) ?? foreignMessage(name, of: value, at: place, frame)
        {
            isKnown = true
            result.join(found)
        }
        if !isKnown {
            if SystemTypes.textMethods.contains(name) { return value.changed }
            noteUnknownMember(name, of: value, at: place)
            result = value.derived(type: singletonType(name, of: value, frame))
        }
        result.absence.formUnion(value.absence)
        result.throwing.formUnion(value.throwing)
        result.variables.formUnion(value.variables)
        if value.isEach { result.isEach = true }
        if value.isConditional { result.isConditional = true }
        return result
    }

    /// The type of the object of a property such as `shared`, of a type of code that is not read; nil for others.
    private func singletonType(_ name: String, of value: TracedValue, _ frame: Frame) -> CodeTypeName? {
        guard ["shared", "sharedInstance", "standard", "default", "instance"].contains(name),
            case .systemType(let type)? = value.forms.first, isForeign(.named(type, []), frame)
        else { return nil }
        return .named(type, [])
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
            return value(of: variable, name, owner: owner, of: type, receiver: receiver, frame)
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
            let own = call(
                methods[0], receiver: receiver, owner: type, arguments: [], expected: nil, at: place, from: frame)
            let overriding =
                receiver.isExact ? nil : callOverrides(name, [], of: type, at: place, Scope(), frame, expected: nil)
            return overriding.map { own.either($0) } ?? own
        }
        if !methods.isEmpty {
            return TracedValue(.method(methods.map { ObjectIdentifier($0.declaration) }, receiver))
        }
        if let inner = index.innerType(name, of: type, file: frame.file) { return TracedValue(.metatype(inner)) }
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

    /// The value of a property at a type, where another declaration of it may apply: that of a subclass, of a type that
    /// conforms to a protocol, or in another branch of `#if`.
    private func value(
        of variable: CodeIndex.Placed<CodeVariable>,
        _ name: String,
        owner: Int,
        of type: Int,
        receiver: TracedValue,
        _ frame: Frame
    ) -> TracedValue {
        let own = value(
            of: variable.declaration, name, owner: owner, receiver: receiver, file: variable.file, frame)
        guard own.forms.contains(where: \.isName) || mayBeKey(variable.declaration.type) else { return own }
        let declared = index.otherVariables(name, of: type, declaredIn: owner)
        let outer = circumstances
        defer { circumstances = outer }
        // The declaration of one of several types applies.
        if !receiver.isExact, !receiver.isEach, Set(declared.map(\.owner)).subtracting([owner]).count > 1 {
            narrow(Tested(isMixed: true), .branch)
        }
        func otherValue(_ other: (owner: Int, variable: CodeIndex.Placed<CodeVariable>)) -> TracedValue {
            var receiver = receiver
            if other.owner != owner {
                let isStatic = receiver.forms.contains { if case .metatype = $0 { true } else { false } }
                receiver = self.receiver(other.owner, isStatic: isStatic)
            }
            return value(
                of: other.variable.declaration, name, owner: other.owner, receiver: receiver,
                file: other.variable.file, frame)
        }
        // Where a type declares it for all builds, its other declarations are those of some builds.
        var found: TracedValue?
        let isRequirement = index.types[owner].kind == .proto && variable.declaration.getter == nil
        if !isRequirement { found = own }
        var releaseOwners: Set<Int> = variable.declaration.isConditional ? [] : [owner]
        for other in declared where !receiver.isExact || other.owner == owner {
            let next = otherValue(other)
            if other.variable.declaration.isConditional, releaseOwners.contains(other.owner) {
                found = found?.besides(next) ?? next.unreleased
            } else {
                found = found?.either(next) ?? next
                if !other.variable.declaration.isConditional { releaseOwners.insert(other.owner) }
            }
        }
        return found ?? own
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
        let isChanged = index.isChanged(variable, named: name)
        if !value.forms.isEmpty, variable.isConstant || !isChanged && value.forms.allSatisfy(\.isName) { return value }
        let isKept = !value.forms.isEmpty
        if variable.initial != nil {
            value.join(initialValue(of: variable, named: name, owner: owner, file: file))
        }
        if let assigned = field(name, of: owner) { value.join(assigned) }
        if index.types[owner].kind == .proto {
            for type in index.descendants(of: owner) {
                if let assigned = field(name, of: type), assigned.isOfInterest { value.join(assigned) }
            }
        }
        if value.forms.allSatisfy(\.isEmpty), let type = variable.type {
            let inner = Frame(file: file, owner: owner, receiver: nil, result: nil, depth: frame.depth)
            value.forms += self.value(of: type, inner).forms
        }
        let key = fieldKey(name, of: owner)
        // It holds a push where it was set, and may be nil or empty elsewhere.
        if variable.type?.mayBeNothing ?? false, value.mayHoldPush, let held = lastHeldFields[key],
            !held.covers(circumstances)
        {
            value.isConditional = true
        }
        let isKey =
            value.forms.isEmpty
            ? variable.initial == nil && mayBeKey(variable.type) : isChanged && value.forms.contains(where: \.isName)
        if isKey { value.variables = [key] }
        // Other objects have other values.
        if !variable.isStatic, isKept || objectFields.contains(key), value.forms.count(where: \.isName) > 1 {
            value.dependsOnObject = true
        }
        let isCalled = calledFields.contains(key) || variable.type.map { resolved($0, frame).holdsFunctions } ?? false
        return isCalled ? callable(value, key) : value
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
        noteEnclosingWrapper(wrapper, of: owner, at: place)
        guard let (declared, property) = index.variable("wrappedValue", of: wrapper) else { return .unknown }
        let inner = Frame(file: property.file, owner: declared, receiver: made, result: nil, depth: frame.depth)
        if let generic = index.types[wrapper].generics.first, let type = variable.type {
            inner.generics[generic] = type.unwrapped
        }
        guard let getter = property.declaration.getter, let body = getter.body, frame.depth < Limit.calls else {
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
        return finish(running)
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
            case .container: names += ["KeyedDecodingContainer", "KeyedDecodingContainerProtocol"]
            case .singleValue: names.append("SingleValueDecodingContainer")
            case .elements: names.append("UnkeyedDecodingContainer")
            case .decoder: names.append("Decoder")
            case .jsonDecoder: names += ["JSONDecoder", "TopLevelDecoder"]
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
        foreignVariable(name, of: value).map { type, variable in
            self.value(
                of: variable.declaration, name, owner: type, receiver: value, file: variable.file, frame)
        }
    }

    /// The result of a method without parameters that a category of a system class declares, which Objective-C calls
    /// like a property; nil where there is none.
    private func foreignMessage(
        _ name: String,
        of value: TracedValue,
        at place: CodePlace,
        _ frame: Frame
    ) -> TracedValue? {
        guard let (owner, methods) = foreignMethods(name, of: value, []),
            let method = methods.first(where: { $0.declaration.kind == .message })
        else { return nil }
        return call(
            method, receiver: value, owner: owner, arguments: [], expected: nil, at: place, from: frame)
    }

    /// The property with a name that an extension of the system type of a value declares; nil where there is none.
    func foreignVariable(
        _ name: String,
        of value: TracedValue
    ) -> (owner: Int, variable: CodeIndex.Placed<CodeVariable>)? {
        for type in foreignTypes(of: value) {
            if let variable = index.types[type].variables[name] { return (type, variable) }
        }
        return nil
    }

    /// The property with a name that an extension of a class's superclass declares, where that is not one of the
    /// target.
    func foreignVariable(
        _ name: String,
        ofSuperclassOf type: Int
    ) -> (owner: Int, variable: CodeIndex.Placed<CodeVariable>)? {
        index.foreignSuperclass(of: type).flatMap { foreignVariable(name, of: TracedValue([], type: .named($0, []))) }
    }

    /// The methods with a name that extensions of system types declare and that accept the arguments.
    func foreignMethods(
        _ name: String,
        of value: TracedValue,
        _ arguments: [CodeArgument]
    ) -> (owner: Int, methods: [CodeIndex.Placed<CodeFunction>])? {
        // Extensions overload these for single types, such as that of a property wrapper.
        if Self.decodingMethods.contains(name), value.forms.contains(where: \.isDecoding) { return nil }
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
}
