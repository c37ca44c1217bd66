// SPDX-License-Identifier: MIT

/// Types, and the values of properties and global variables.
extension PayloadTracer {
    /// A value of which only the type is known.
    func value(of type: CodeTypeName, _ frame: Frame, depth: Int = 0) -> TracedValue {
        guard depth < 8 else { return TracedValue([], type: type) }
        switch type {
        case .optional(let inner):
            var value = value(of: inner, frame, depth: depth + 1)
            value.type = type
            return value
        case .array(let element):
            let inner = value(of: element, frame, depth: depth + 1)
            return inner.forms.isEmpty ? TracedValue([], type: type) : TracedValue(.list([inner]), type: type)
        case .dictionary(let key, _):
            if key.name == "UIApplication.LaunchOptionsKey" || key.name == "UIApplicationLaunchOptionsKey" {
                return TracedValue(.system("launchOptions"), type: type)
            }
            return TracedValue([], type: type)
        case .named(let name, let arguments):
            if let replaced = frame.generics[name] { return value(of: replaced, frame, depth: depth + 1) }
            if let push = SystemTypes.push(name) { return TracedValue(.system(push), type: type) }
            if let index = index.type(named: name, in: frame.owner, file: frame.file),
                !self.index.types[index].isForeign
            {
                return TracedValue(.object(index, 0), type: type)
            }
            if let alias = index.alias(name, in: frame.owner) { return value(of: alias, frame, depth: depth + 1) }
            if name == "Published", let first = arguments.first { return value(of: first, frame, depth: depth + 1) }
            return TracedValue([], type: type)
        default: return TracedValue([], type: type)
        }
    }

    /// A type with its generic parameters and aliases resolved.
    func resolved(_ type: CodeTypeName, _ frame: Frame, depth: Int = 0) -> CodeTypeName {
        guard depth < 8 else { return type }
        switch type {
        case .optional(let inner): return .optional(resolved(inner, frame, depth: depth + 1))
        case .array(let inner): return .array(resolved(inner, frame, depth: depth + 1))
        case .named(let name, _):
            if let replaced = frame.generics[name] { return replaced }
            if let alias = index.alias(name, in: frame.owner), alias != type {
                return resolved(alias, frame, depth: depth + 1)
            }
            return type
        default: return type
        }
    }

    // MARK: - Properties

    func field(_ name: String, of type: Int) -> TracedValue? {
        let key = fieldKey(name, of: type)
        guard let value = fields[key] else { return fieldReads[key] }
        return fieldReads[key].map { value.joined($0) } ?? value
    }

    func assign(_ value: TracedValue, toField name: String, of type: Int) {
        var value = value
        value.throwing = []
        value.isWholePush = false
        let key = fieldKey(name, of: type)
        storeClosures(in: value, key)
        noteHeld(value, inField: key)
        if !value.sites.isEmpty || !value.absence.isEmpty {
            fieldReads[key] = fieldReads[key].map { $0.joined(value) } ?? value
        }
        // A text that depends on the caller is stored only with its instance, unless it may be a key for other code.
        let isKey = keyFields.contains(key)
        value.forms.removeAll { form in
            switch form {
            case .parameter: return !isKey
            case .isCategory: return true
            default: return false
            }
        }
        store(isKey ? named(value) : value, key)
    }

    /// A value that is assigned to a property or global variable in which there are keys.
    private func named(_ value: TracedValue) -> TracedValue {
        for case .parameter(let function) in value.forms { followCallers(of: function) }
        let isUnknown = value.forms.isEmpty && value.sites.isEmpty && value.namesOfBuilds.isEmpty
        return isUnknown ? TracedValue(.other) : value
    }

    /// Records an assignment of a value to a property of an object of a type that is not known.
    func assign(toUnknownField name: String) {
        for field in keyFields where field.fieldName == name && !isFixed(field) { store(TracedValue(.other), field) }
    }

    /// Whether code can assign to a property by no object: it is a constant, or one of a type.
    private func isFixed(_ field: String) -> Bool {
        guard let dot = field.lastIndex(of: "."), dot > field.startIndex,
            let type = index.type(named: String(field[..<dot]), in: nil, file: -1),
            let (_, variable) = index.variable(field.fieldName, of: type)
        else { return false }
        return variable.declaration.isConstant || variable.declaration.isStatic
    }

    /// Adds a value to those that a property or global variable may have, in this round and in later ones.
    private func store(_ value: TracedValue, _ key: String) {
        let value = lasting(value)
        guard !value.forms.isEmpty || !value.namesOfBuilds.isEmpty else { return }
        let known = fields[key] ?? TracedValue()
        let next = known.joined(value)
        if next != known {
            fields[key] = next
            hasNewFields = true
        }
    }

    /// The part of a value that is the same in each round: reads and closures get new numbers.
    private func lasting(_ value: TracedValue) -> TracedValue {
        var kept = TracedValue(
            value.forms.compactMap { form in
                switch form {
                case .closure, .method, .stored, .isCategory: nil
                case .tuple(let parts): .tuple(parts.map(lasting))
                case .list(let elements): .list(elements.map(lasting))
                case .map(let members):
                    .map(members.map { TracedMember(key: lasting($0.key), value: lasting($0.value)) })
                case .object(let type, let instance): .object(type, lasting(instance))
                default: form
                }
            },
            type: value.type
        )
        kept.namesOfBuilds = value.namesOfBuilds
        kept.isEach = value.isEach
        kept.isConditional = value.isConditional
        kept.isExact = value.isExact
        return kept
    }

    private func lasting(_ id: Int) -> Int {
        if id == 0 { return 0 }
        if let known = lastingInstances[id] { return known }
        // The fields of an instance are known before it is, so that it never contains itself.
        let lasting = instance(instances[id].mapValues(lasting))
        lastingInstances[id] = lasting
        lastingInstances[lasting] = lasting
        return lasting
    }

    func global(_ name: String) -> TracedValue? { fields["." + name] }

    func assignGlobal(_ value: TracedValue, _ name: String) {
        storeClosures(in: value, "." + name)
        store(keyFields.contains("." + name) ? named(value) : value, "." + name)
    }

    func assign(_ value: TracedValue, to variable: CodeVariable, owner: Int) {
        guard let name = variable.name, value.isOfInterest else { return }
        assign(value, toField: name, of: owner)
    }

    func instance(_ values: [String: TracedValue]) -> Int {
        // What follows from the declaration of a property need not be kept.
        let values = values.filter { _, value in value.forms.contains { $0.mayBeKey } || isFollowed(value) }
        guard !values.isEmpty else { return 0 }
        if let known = instanceIDs[values] { return known }
        guard instances.count < 20_000 else { return 0 }
        instances.append(values)
        instanceIDs[values] = instances.count - 1
        if values.values.contains(where: isFollowed) { followedInstances.insert(instances.count - 1) }
        return instances.count - 1
    }

    func instanceFields(_ instance: Int) -> [String: TracedValue] { instances[instance] }

    func instanceField(_ name: String, _ instance: Int) -> TracedValue? { instances[instance][name] }

    func wrapper(_ attribute: CodeVariable.Attribute, of owner: Int?, file: Int) -> Int? {
        guard let type = index.type(named: attribute.name, in: owner, file: file), index.types[type].isWrapper else {
            return nil
        }
        return type
    }

    /// The most circumstances for which an initial value is evaluated; in any others, it may or may not be reached.
    private static let constantUseLimit = 8

    /// The initial value of a constant or variable, evaluated once; where it gets to a push, once for the pushes of
    /// each use, as that of a `lazy` property is evaluated where the property is used.
    func initialValue(of variable: CodeVariable, named name: String, owner: Int?, file: Int) -> TracedValue {
        let id = ObjectIdentifier(variable)
        let getsPush = isWorth(variable.mentions)
        if getsPush, !circumstances.isRepeated, circumstances.categories != .none { usedConstants.insert(id) }
        var use = ConstantUse(variable: id, circumstances: getsPush ? circumstances : Circumstances())
        // Where properties use one another in conditions, each of them would double the number of circumstances.
        if constants[use] == nil, constantUseCounts[id, default: 0] >= Self.constantUseLimit {
            use.circumstances = Circumstances(open: .all, uncertain: .all)
        }
        if let known = constants[use] { return part(of: known, named: name, pattern: variable.pattern) }
        guard runningConstants.insert(id).inserted else { return .unknown }
        defer { runningConstants.remove(id) }
        constantUseCounts[id, default: 0] += 1
        let frame = Frame(
            file: file,
            owner: owner,
            receiver: owner.map { receiver($0, isStatic: variable.isStatic) },
            result: variable.type,
            isAccessor: true,
            depth: 1
        )
        var value = TracedValue.unknown
        inCircumstances(use.circumstances) {
            if let initial = variable.initial {
                value = evaluate(initial, Scope(), frame, expected: variable.type)
            } else if let body = variable.getter?.body {
                run(body, Scope(), frame)
                value = finish(frame)
            }
        }
        constants[use] = value
        storeClosures(in: value, owner.map { fieldKey(name, of: $0) } ?? "." + name)
        return part(of: value, named: name, pattern: variable.pattern)
    }

    private func part(of value: TracedValue, named name: String, pattern: CodePattern) -> TracedValue {
        if case .name = pattern { return value }
        let scope = Scope()
        bind(pattern, to: value, scope, Frame(file: 0, owner: nil, receiver: nil, result: nil, depth: 0))
        return scope.names[name] ?? .unknown
    }

    func isRunning(_ function: CodeFunction) -> Bool { running[ObjectIdentifier(function), default: 0] > 0 }
}
