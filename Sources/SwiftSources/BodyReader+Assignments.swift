// SPDX-License-Identifier: MIT

import AppDeclarations

/// Assignments: to local names, to properties, and to the pairs of a push.
extension BodyReader {
    func assign(_ value: CodeExpression, to target: CodeExpression, at offset: Int) {
        switch target.kind {
        case .index(let base, let arguments): return assign(value, toKey: arguments, of: base, at: target.offset)
        case .chained(let inner), .forced(let inner): return assign(value, to: inner, at: offset)
        case .member(.some(let base), let name) where base.isChained:
            let inner = CodeExpression(.member(base.withoutChain, name), at: target.offset)
            return inside(circumstances.opened) { assign(value, to: inner, at: offset) }
        case .tuple(let elements):
            let meaning = evaluate(value)
            for (index, element) in elements.enumerated() {
                assign(index < meaning.parts.count ? meaning.parts[index] : Meaning(), toExpression: element.value)
            }
            return
        case .member(let base?, "userInfo"):
            if case .map(let members) = value.kind, !evaluate(base).pushes.isEmpty {
                for member in members { write(evaluate(member.key), in: .userInfo, at: offset) }
            }
        case .member(let base?, "categoryIdentifier"):
            _ = evaluate(base)
            return note(evaluate(value).texts, as: .writtenCategory, at: offset)
        case .member(let base?, "formatOptions"): assign(Meaning(), toExpression: base)
        case .member(_, "dateDecodingStrategy"), .name("dateDecodingStrategy"):
            if case .member(nil, let name) = value.kind {
                pairs.dateStrategies.insert(name)
            } else {
                pairs.dateStrategies.insert("")
            }
        case .member(let base?, "keyDecodingStrategy"):
            if case .member(_, "convertFromSnakeCase") = value.kind {
                var decoder = evaluate(base)
                decoder.role = .decoder(isSnakeCase: true)
                assign(decoder, toExpression: base)
            }
            return
        default: break
        }
        if case .member(_, "userInfo") = target.kind, case .call = value.kind {
            noteOther { $0.changesUnknownPairs = true }
        }
        // Whether and when code that is not read runs a closure is not known.
        let isKept = if case .closure = value.kind { declaredType(of: target) == nil } else { false }
        var meaning = inside(isKept ? circumstances.opened : circumstances) {
            evaluate(value, expecting: declaredType(of: target))
        }
        if meaning.texts.isEmpty, meaning.dictionaries.isEmpty, meaning.closures.isEmpty, meaning.element.isEmpty,
            meaning.pushes.isEmpty
        {
            meaning.mayBeOther = !value.isNull
        }
        assign(meaning, toExpression: target)
    }

    private func declaredType(of target: CodeExpression) -> CodeTypeName? {
        switch target.kind {
        case .name(let name):
            return local(name)?.type ?? type.flatMap { names.properties(name, of: $0).first?.declaration.type }
        case .member(let base?, let name):
            let owner = evaluate(base)
            return ownTypes(of: owner).lazy.compactMap { self.names.properties(name, of: $0).first?.declaration.type }
                .first
        default: return nil
        }
    }

    /// Assigns a value to what an expression names.
    func assign(_ meaning: Meaning, toExpression target: CodeExpression) {
        switch target.kind {
        case .name(let name):
            if assign(meaning, toLocal: name) { return }
            if let type, store(meaning, in: names.properties(name, of: type) + bare(name, type), named: name) { return }
            if let variables = names.variables[name], store(meaning, in: variables, named: name) { return }
            if gives(meaning), pairs.found.importsOthers { foreign(name, at: target.offset) }
        case .member(let base?, let name):
            let owner = evaluate(base)
            if let metatype = owner.metatype, let type = names.type(named: metatype, in: type),
                store(meaning, in: names.properties(name, of: type), named: name)
            {
                return
            }
            // The storage of a property wrapper.
            for own in ownTypes(of: owner) {
                if store(meaning, in: names.properties(name, of: own) + bare(name, own), named: name) { return }
            }
            guard gives(meaning) else { return }
            if let (wrapper, _) = wrapperStorage(base),
                store(meaning, in: names.properties(name, of: wrapper), named: name)
            {
                return
            }
            let isKnown = owner.type.map { SystemTypes.isForeign($0, names, type) } ?? false
            if isKnown || !SystemTypes.takesWholePush(name), isForeignOwner(owner) { foreign(name, at: target.offset) }
        case .chained(let inner), .forced(let inner): assign(meaning, toExpression: inner)
        case .index(let base, _):
            if meaning.givesPairs { store(meaning, inListOf: base) }
        default: break
        }
    }

    /// The property wrapper whose storage `_name` is.
    private func wrapperStorage(_ expression: CodeExpression) -> (Int, CodeNames.Variable)? {
        let name: String
        switch expression.kind {
        case .name(let found), .member(_, let found): name = found
        default: return nil
        }
        guard name.hasPrefix("_"), let type else { return nil }
        for variable in names.properties(String(name.dropFirst()), of: type) {
            for attribute in variable.declaration.attributes {
                if let wrapper = names.type(attribute.type, in: type) { return (wrapper, variable) }
            }
        }
        return nil
    }

    private func bare(_ name: String, _ type: Int) -> [CodeNames.Variable] {
        name.hasPrefix("_")
            ? names.properties(String(name.dropFirst()), of: type).filter(\.declaration.attributes.isEmpty) : []
    }

    private func isForeignOwner(_ owner: Meaning) -> Bool {
        if let metatype = owner.metatype { return SystemTypes.isForeign(.named(metatype, []), names, type) }
        guard let known = owner.type else { return pairs.found.importsOthers && owner.dictionaries.isEmpty }
        if let own = names.type(known, in: type), !names.types[own].isForeign { return true }
        return SystemTypes.isForeign(known, names, type)
    }

    /// Whether an expression names a variable of the target.
    func isOwn(_ expression: CodeExpression) -> Bool {
        switch expression.kind {
        case .name(let name):
            return local(name) != nil && local(name)?.type.map { !SystemTypes.isForeign($0, names, type) } ?? true
                || type.map {
                    !names.properties(name, of: $0).isEmpty
                        && !SystemTypes.isForeign(
                            names.properties(name, of: $0)[0].declaration.type ?? .other, names, type)
                } ?? false
        default: return false
        }
    }

    private func store(_ meaning: Meaning, in variables: [CodeNames.Variable], named name: String) -> Bool {
        guard !variables.isEmpty else { return false }
        for variable in variables {
            let own = name.hasPrefix("_") && variable.declaration.name != name ? String(name.dropFirst()) : name
            var stored = meaning
            // Where another function uses it, what it is for the push depends on when that runs.
            if depth > 0 { stored.absent = stored.absent.opened }
            pairs.store(stored, in: variable.declaration, named: own, circumstances.condition)
            for setter in variable.declaration.setters {
                _ = callOwn([pairs.id(of: setter.identity)], [("", meaning)], base: Meaning(), at: setter.offset)
            }
        }
        return true
    }

    /// Adds a value to a list, or to a dictionary of the app.
    func store(_ value: Meaning, inListOf expression: CodeExpression) {
        var list = Meaning()
        list.element = [value]
        switch expression.kind {
        case .name(let name):
            // A local list has what it had before too.
            if let before = local(name) { list = before.joined(list) }
            assign(list, toExpression: expression)
        case .member, .chained, .forced: assign(list, toExpression: expression)
        default: break
        }
    }

    private func assign(
        _ value: CodeExpression, toKey arguments: [CodeArgument], of base: CodeExpression, at offset: Int
    ) {
        let owner = evaluate(base)
        let key = arguments.first.map { evaluate($0.value) } ?? Meaning()
        let meaning = evaluate(value)
        // A subscript of the target with a setter is not followed.
        if let own = ownTypes(of: owner).first, !names.methods("subscript", of: own).isEmpty {
            if gives(meaning) { gap("the push is assigned to a subscript that is not followed", at: offset) }
            return
        }
        let settled = pairs.settled(owner)
        if settled.dictionaries.contains(where: \.isWholePush) { return write(key, in: owner, at: offset) }
        if gives(meaning), owner.type != nil || owner.metatype != nil, isForeignOwner(owner),
            !(owner.type?.unwrapped.isDictionary ?? false)
        {
            return foreign("subscript", at: offset)
        }
        store(meaning, inListOf: base)
    }
}

extension CodeExpression {
    fileprivate var withoutChain: CodeExpression {
        if case .chained(let inner) = kind { return inner }
        return self
    }

    fileprivate var isNull: Bool { if case .null = kind { true } else { false } }
}
