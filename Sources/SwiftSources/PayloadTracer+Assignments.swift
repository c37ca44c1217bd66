// SPDX-License-Identifier: MIT

/// Assignments to names, properties and keys.
extension PayloadTracer {
    /// Creates an enumeration case with values, which are kept like properties of the enumeration.
    func keep(
        _ arguments: [CodeArgument],
        ofCase name: String,
        _ type: Int,
        _ scope: Scope,
        _ frame: Frame
    ) -> TracedValue {
        for (position, argument) in arguments.enumerated() {
            let value = evaluate(argument.value, scope, frame)
            if value.isOfInterest { assign(value, toField: "\(name)#\(position)", of: type) }
        }
        return TracedValue(.enumCase(type, name, nil), type: .named(index.types[type].name, []))
    }

    /// The value of an enumeration case that a pattern binds.
    func value(at position: Int, ofCase name: String, of value: TracedValue) -> TracedValue {
        var types = value.forms.compactMap { form -> Int? in
            switch form {
            case .enumCase(let type, _, _), .object(let type, _): type
            default: nil
            }
        }
        if types.isEmpty, let type = index.onlyType(withCase: name) { types = [type] }
        return types.reduce(TracedValue()) { found, type in
            field("\(name)#\(position)", of: type).map { found.joined($0) } ?? found
        }
    }

    func assignedType(_ target: CodeExpression, _ scope: Scope, _ frame: Frame) -> CodeTypeName? {
        switch target.kind {
        case .name(let name):
            if let known = scope.lookUp(name) { return known.type }
            return frame.owner.flatMap { index.variable(name, of: $0)?.variable.declaration.type }
        case .member(let base?, let name):
            let value = evaluate(base, scope, frame)
            for form in value.forms {
                if case .object(let type, _) = form { return index.variable(name, of: type)?.variable.declaration.type }
            }
            return nil
        default: return nil
        }
    }

    func assign(_ value: TracedValue, to target: CodeExpression, _ scope: Scope, _ frame: Frame) {
        let place = CodePlace(file: frame.file, offset: target.offset)
        storeClosures(in: value, to: target, scope, frame)
        switch target.kind {
        case .chained(let inner), .forced(let inner): assign(value, to: inner, scope, frame)
        case .name(let name):
            if let known = scope.lookUp(name), scope.assign(name, value.inVariable, frame.build) {
                for site in known.absence { facts[site].isNullElsewhere = false }
                return
            }
            let value = frame.isOfAllBuilds ? value : value.unreleased
            if let owner = frame.owner {
                let receiver = frame.receiver ?? receiver(owner, isStatic: false)
                let isSet = runSetters(of: name, of: receiver, with: value, at: place, frame)
                if assignField(value, name, of: owner, frame) || isSet { return }
                if foreignAssign(value, to: name, of: receiver, at: place) { return }
            }
            if index.variables[name] != nil {
                assignGlobal(value, name)
            } else if value.givesKeys, isForeignFunction(name, frame) {
                noteForeign(name, at: place)
            }
        case .member(let base?, let name):
            if name == "keyDecodingStrategy", case .name(let variable) = base.kind,
                value.forms.contains(where: { form in
                    if case .implicit("convertFromSnakeCase", _) = form { return true }
                    return false
                })
            {
                scope.replace(variable, TracedValue(.jsonDecoder(isSnakeCase: true)))
                return
            }
            let owner = evaluate(base, scope, frame)
            let value = frame.isOfAllBuilds ? value : value.unreleased
            let isWrapped = isWrapper(base, scope, frame)
            if value.carriesPush, isWrapped {
                noteUnknown("the push is passed to a property wrapper that is not followed", at: place)
            }
            if name == "appGroup" || name == "appGroupIdentifier" || name == "suiteName" {
                noteGroup(value, at: place, isGroup: name != "suiteName")
            }
            if case .name("self") = base.kind, let type = frame.owner {
                _ = assignField(value, name, of: type, frame)
            }
            var isDeclared = runSetters(of: name, of: owner, with: value, at: place, frame)
            for form in owner.forms {
                switch form {
                case .object(let type, _):
                    if case .name("self") = base.kind {} else { noteObjectField(name, of: type, value) }
                    if assignField(value, name, of: type, nil) { isDeclared = true }
                case .metatype(let type): if assignField(value, name, of: type, nil) { isDeclared = true }
                default: break
                }
            }
            if owner.forms.isEmpty, !isOfSystem(owner.type, frame) { assign(toUnknownField: name) }
            if foreignAssign(value, to: name, of: owner, at: place) || isDeclared || isWrapped { return }
            noteForeignAssignment(of: value, to: name, of: owner, base, at: place, scope, frame)
        case .index(let base, let arguments):
            let owner = evaluate(base, scope, frame)
            guard let first = arguments.first else { return }
            let key = evaluate(first.value, scope, frame)
            write(key, value, to: owner, base, at: place, scope)
            if value.givesKeys, declaresSubscript(owner) {
                noteUnknown("the push is assigned to a subscript that is not followed", at: place)
            } else {
                noteForeignAssignment(of: value, to: nil, of: owner, base, at: place, scope, frame)
            }
        case .tuple(let elements):
            for (position, element) in elements.enumerated() {
                for form in value.forms {
                    if case .tuple(let values) = form, position < values.count {
                        assign(values[position], to: element.value, scope, frame)
                    }
                }
            }
        default: break
        }
    }

    /// Runs the setters of a property to which a push is assigned.
    ///
    /// - Returns: whether it has any.
    private func runSetters(
        of name: String,
        of owner: TracedValue,
        with value: TracedValue,
        at place: CodePlace,
        _ frame: Frame
    ) -> Bool {
        guard value.givesKeys else { return false }
        var isSet = false
        for (type, variable) in declarations(of: name, in: owner) {
            for setter in variable.declaration.setters where setter.name != "didSet" {
                _ = call(
                    CodeIndex.Placed(declaration: setter, file: variable.file), receiver: owner, owner: type,
                    arguments: [value], expected: nil, at: place, from: frame)
                isSet = true
            }
        }
        return isSet
    }

    /// The declarations of a property in the types of an object, and in extensions of system types.
    private func declarations(
        of name: String,
        in owner: TracedValue
    ) -> [(owner: Int, variable: CodeIndex.Placed<CodeVariable>)] {
        var found = owner.forms.compactMap { form -> (owner: Int, variable: CodeIndex.Placed<CodeVariable>)? in
            switch form {
            case .object(let type, _), .metatype(let type):
                index.variable(name, of: type) ?? foreignVariable(name, ofSuperclassOf: type)
            default: nil
            }
        }
        if let foreign = foreignVariable(name, of: owner) { found.append(foreign) }
        return found
    }

    /// Whether a type of the target that a value may have declares a subscript.
    private func declaresSubscript(_ value: TracedValue) -> Bool {
        value.forms.contains { form in
            if case .object(let type, _) = form { !index.methods("subscript", of: type).isEmpty } else { false }
        }
    }

    /// Whether an expression is the wrapper of a property, `_name`.
    private func isWrapper(
        _ expression: CodeExpression,
        _ scope: Scope,
        _ frame: Frame
    ) -> Bool {
        guard case .name(let name) = expression.kind, name.hasPrefix("_"), scope.lookUp(name) == nil,
            let owner = frame.owner, let (_, property) = index.variable(String(name.dropFirst()), of: owner)
        else { return false }
        return property.declaration.attributes.contains {
            index.type(named: $0.name, in: owner, file: property.file) != nil
        }
    }

    /// Records `d[key] = value`, and stores the value if the dictionary is one of the code.
    func write(
        _ key: TracedValue,
        _ value: TracedValue,
        to owner: TracedValue,
        _ base: CodeExpression,
        at place: CodePlace,
        _ scope: Scope
    ) {
        let texts = rawTexts(key)
        for form in owner.forms {
            guard case .json(let path) = form else { continue }
            if path.isEmpty { for text in texts { noteWrite(text, at: place) } }
            if !path.isEmpty || texts.isEmpty || texts.count < key.forms.count { changesUnknownPairs = true }
        }
        guard case .name(let name) = base.kind, !owner.forms.contains(where: \.isPayload), !texts.isEmpty,
            scope.lookUp(name) != nil
        else { return }
        let members = texts.map { TracedMember(key: TracedValue(.text($0, nil)), value: value) }
        var held: [TracedMember] = []
        for form in owner.forms {
            if case .map(let known) = form { held += known }
        }
        guard held.count < 256 else { return }
        var next = owner
        next.forms.removeAll { form in
            if case .map = form { return true }
            return false
        }
        next.forms.append(.map(held + members))
        scope.replace(name, next)
    }

    /// The texts that a key may be, including raw values.
    func rawTexts(_ value: TracedValue) -> [String] {
        value.forms.compactMap { form in
            switch form {
            case .text(let text, _): text
            case .enumCase(let type, let name, _): rawValue(type, name)
            default: nil
            }
        }
    }

    /// Whether a type is known, and not one of the target.
    private func isOfSystem(_ type: CodeTypeName?, _ frame: Frame) -> Bool {
        guard let type = type.map({ resolved($0, frame) }), case .named(let name, _) = type.unwrapped,
            !["Any", "AnyObject", "id", "instancetype", "Self"].contains(name)
        else { return false }
        let generics = (frame.function?.generics ?? []) + (frame.owner.map { index.types[$0].generics } ?? [])
        return !generics.contains(name) && !index.mayDeclare(name)
    }

    /// Records that code assigns a name to a property of another object than `self`.
    private func noteObjectField(_ name: String, of type: Int, _ value: TracedValue) {
        guard value.forms.contains(where: \.isName), let (owner, _) = index.variable(name, of: type) else { return }
        if objectFields.insert(fieldKey(name, of: owner)).inserted { hasNewFields = true }
    }

    /// Records that code changes a name in a variable in a way that is not followed.
    func noteChange(of target: CodeExpression, from value: TracedValue, _ scope: Scope, _ frame: Frame) {
        guard value.forms.contains(where: \.isName) else { return }
        assign(value.joined(TracedValue(.other)), to: target, scope, frame)
    }

    private func assignField(_ value: TracedValue, _ name: String, of type: Int, _ frame: Frame?) -> Bool {
        guard let (owner, _) = index.variable(name, of: type) else {
            return name.hasPrefix("_") && assignField(value, String(name.dropFirst()), of: type, frame)
        }
        if let frame, frame.fields != nil {
            let joined = frame.fields?[name].map { $0.joined(value) } ?? value
            frame.fields?[name] = joined
            noteGiven(value, frame)
        }
        assign(value, toField: name, of: owner)
        return true
    }

    /// Traces assignments to properties of system types: the user info of content that the app creates or changes.
    private func foreignAssign(_ value: TracedValue, to name: String, of owner: TracedValue, at place: CodePlace)
        -> Bool
    {
        guard owner.forms.contains(.system("UNNotificationContent")) else { return false }
        if name == "userInfo" { replaceUserInfo(with: value, at: place) }
        if name == "categoryIdentifier" {
            for text in rawTexts(value) { writtenCategories.note(text, at: place) }
        }
        return true
    }

    /// Records the keys of a dictionary that takes the place of the push in the content of a notification.
    func replaceUserInfo(with value: TracedValue, at place: CodePlace) {
        if value.forms != [.json([])], !hasKnownKeys(value) { changesUnknownPairs = true }
        for form in value.forms {
            guard case .map(let members) = form else { continue }
            for member in members { for text in rawTexts(member.key) { noteWrite(text, at: place) } }
        }
    }

    /// Whether a value is a dictionary of the code, all keys of which are known.
    func hasKnownKeys(_ value: TracedValue) -> Bool {
        guard value.forms.count == 1, case .map(let members) = value.forms[0], !members.isEmpty else { return false }
        return members.allSatisfy { !$0.key.forms.isEmpty && rawTexts($0.key).count == $0.key.forms.count }
    }
}
