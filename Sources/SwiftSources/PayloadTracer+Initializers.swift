// SPDX-License-Identifier: MIT

/// Calls of initializers of the target, of macros, and of declarations that are not known.
extension PayloadTracer {
    func initializeSelf(
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
                            at: CodePlace(file: entry.file, offset: entry.declaration.offset)
                        )
                    }
                }
            }
            if value.forms == [.category(nil)] {
                for entry in index.types[type].cases {
                    guard let text = rawValue(type, entry.declaration.name) else { continue }
                    comparedCategories.note(text, at: CodePlace(file: entry.file, offset: entry.declaration.offset))
                }
                return TracedValue(.category(type), type: .optional(.named(index.types[type].name, [])))
            }
            if value.texts != nil || value.forms.contains(where: { if case .parameter = $0 { true } else { false } }) {
                return value
            }
            var made = value.derived([.object(type, 0)], type: .optional(.named(index.types[type].name, [])))
            if let sent = value.sent, sent.conversion == nil, let texts = rawTexts(of: type) {
                made.sent = SentValue(
                    site: sent.site, conversion: .rawValue(index.types[type].simpleName, texts))
            }
            return made
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
                    // The code of the initializer determines which texts become dates.
                    if ReadType(.named(name, [])) == .date { noteOtherDate(of: argument) }
                    value.absence.formUnion(argument.absence)
                    value.basis.formUnion(argument.influences)
                }
                return value
            }
            return constructSystem(index.types[type].name, arguments, at: place, scope, frame)
        }
        if let found = invoke(
            initializers, receiver: TracedValue(.object(type, 0)), owner: type, arguments, at: place, scope, frame,
            expected: expected)
        {
            return TracedValue(object: found, of: type, name: index.types[type].name)
        }
        if let (methods, arguments) = bridged("init", arguments, of: type),
            let found = invoke(
                methods, receiver: TracedValue(.object(type, 0)), owner: type, arguments, at: place, scope, frame,
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
            } else {
                noteUnfollowedInitializer(of: type, with: given, at: place)
            }
            value.basis.formUnion(given.influences)
            value.throwing.formUnion(given.throwing)
            runRest(from: first, [given], "init", at: place, frame)
        }
        value.forms = [.object(type, instance(fields))]
        value.isExact = true
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
    ///
    /// - Parameters:
    ///   - name: the name of the declaration.
    ///   - target: the value whose member it is.
    ///   - arguments: the arguments.
    ///   - scope: the names that are visible to the call.
    ///   - frame: the function that contains it.
    ///   - foreign: the place of the call, if it may run code that is not read.
    /// - Returns: a value that depends on the target and the arguments.
    func unknownCall(
        _ name: String,
        _ target: TracedValue,
        _ arguments: [CodeArgument],
        _ scope: Scope,
        _ frame: Frame,
        foreignAt foreign: @autoclosure () -> CodePlace? = nil
    ) -> TracedValue {
        var value = target.derived()
        let mayIgnore = SystemTypes.mayIgnoreArguments(name)
        for argument in arguments {
            let first = captured.count
            let given = uncertainly(mayIgnore) { evaluate(argument.value, scope, frame) }
            if given.givesKeys, let foreign = foreign() { noteForeign(name, at: foreign) }
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
        // An initializer that the type inherits makes an object of this type.
        forms = forms.compactMap { if case .object(_, let instance) = $0 { .object(type, instance) } else { nil } }
        if forms.isEmpty { forms = [.object(type, 0)] }
        isExact = true
        self.type = .named(name, [])
    }
}
