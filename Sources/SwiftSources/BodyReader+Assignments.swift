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
                assign(
                    index < meaning.parts.count ? meaning.parts[index] : AbstractValue(), toExpression: element.value)
            }
            return
        case .member(let base?, "userInfo"):
            if case .map(let members) = value.kind, !evaluate(base).pushes.isEmpty {
                for member in members { write(evaluate(member.key), in: .userInfo, at: offset) }
            }
        case .member(let base?, "categoryIdentifier"):
            _ = evaluate(base)
            return note(evaluate(value).texts, as: .writtenCategory, at: offset)
        case .member(let base?, "appGroup"):
            if case .member(_, "push") = base.kind {
                recordAppGroup(evaluate(value), at: value.offset, isCertain: true)
            }
        case .member(let base?, "formatOptions"): assign(AbstractValue(), toExpression: base)
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
        // A closure that is assigned to something unknown may run later, or never.
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
        if case .name(let name) = target.kind, let local = local(name) { return local.type }
        return variables(target).first?.declaration.type
    }

    /// The variables that are declared outside of the body and that an expression may name.
    private func variables(_ expression: CodeExpression) -> [CodeNames.Variable] {
        switch expression.kind {
        case .name(let name):
            let own = type.map { names.properties(name, of: $0) + storage(name, of: $0) } ?? []
            return own.isEmpty ? names.variables[name] ?? [] : own
        case .member(let base?, let name):
            let owner = evaluate(base)
            let types =
                ownTypes(of: owner)
                + [owner.metatype.flatMap { names.type(named: $0, in: type) }, wrapper(base)]
                .compactMap(\.self)
            return types.lazy.map { self.names.properties(name, of: $0) + self.storage(name, of: $0) }
                .first { !$0.isEmpty } ?? []
        default: return []
        }
    }

    /// For a name such as `_offer`, the properties named `offer` that have no attributes, and so no wrapper.
    private func storage(_ name: String, of type: Int) -> [CodeNames.Variable] {
        guard name.hasPrefix("_") else { return [] }
        return names.properties(String(name.dropFirst()), of: type).filter(\.declaration.attributes.isEmpty)
    }

    /// The type of the property wrapper that a name such as `_offer` refers to.
    private func wrapper(_ expression: CodeExpression) -> Int? {
        switch expression.kind {
        case .name(let name), .member(_, let name):
            guard name.hasPrefix("_"), let type else { return nil }
            let attributes = names.properties(String(name.dropFirst()), of: type).flatMap(\.declaration.attributes)
            return attributes.lazy.compactMap { self.names.type($0.type, in: type) }.first
        default: return nil
        }
    }

    /// Assigns a value to what an expression names.
    func assign(_ meaning: AbstractValue, toExpression target: CodeExpression) {
        switch target.kind {
        case .name(let name):
            if assign(meaning, toLocal: name) || store(meaning, in: variables(target), named: name) { return }
            if gives(meaning), pairs.found.importsOthers { reportForeign(name, at: target.offset) }
        case .member(let base?, let name):
            if store(meaning, in: variables(target), named: name) { return }
            guard gives(meaning) else { return }
            let owner = evaluate(base)
            let isKnown = owner.type.map { SystemTypes.isForeign($0, names, type) } ?? false
            if isKnown || !SystemTypes.takesWholePush(name), isForeignOwner(owner) {
                reportForeign(name, at: target.offset)
            }
        case .chained(let inner), .forced(let inner): assign(meaning, toExpression: inner)
        case .index(let base, _):
            if meaning.givesPairs { store(meaning, inListOf: base) }
        default: break
        }
    }

    private func isForeignOwner(_ owner: AbstractValue) -> Bool {
        if let metatype = owner.metatype { return SystemTypes.isForeign(.named(metatype, []), names, type) }
        guard let known = owner.type else { return pairs.found.importsOthers && owner.dictionaries.isEmpty }
        if let own = names.type(known, in: type), !names.types[own].isForeign { return true }
        return SystemTypes.isForeign(known, names, type)
    }

    /// Whether an expression names a variable of the target, unless its type is neither the system's nor the target's.
    func isOwn(_ expression: CodeExpression) -> Bool {
        guard case .name(let name) = expression.kind, local(name) != nil || !variables(expression).isEmpty else {
            return false
        }
        return !(declaredType(of: expression).map { SystemTypes.isForeign($0, names, type) } ?? false)
    }

    private func store(_ meaning: AbstractValue, in variables: [CodeNames.Variable], named name: String) -> Bool {
        guard !variables.isEmpty else { return false }
        for variable in variables {
            let own = name.hasPrefix("_") && variable.declaration.name != name ? String(name.dropFirst()) : name
            var stored = meaning
            // Whether another function finds the value depends on when that function runs.
            if depth > 0 { stored.absent = stored.absent.opened }
            pairs.store(stored, in: variable.declaration, named: own, circumstances.condition)
            for setter in variable.declaration.setters {
                _ = callOwn([pairs.id(of: setter.identity)], [("", meaning)], base: AbstractValue(), at: setter.offset)
            }
        }
        return true
    }

    /// Records that a list, or a dictionary that is the app's own and not a push, may contain a value.
    func store(_ value: AbstractValue, inListOf expression: CodeExpression) {
        var list = AbstractValue(element: value)
        switch expression.kind {
        case .name(let name):
            // A local list also keeps the elements that it already has.
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
        let key = arguments.first.map { evaluate($0.value) } ?? AbstractValue()
        let meaning = evaluate(value)
        if arguments.first?.value.isGroupOption ?? false { recordAppGroup(meaning, at: value.offset, isCertain: true) }
        // A subscript of the target with a setter is not followed.
        if let own = ownTypes(of: owner).first, !names.methods("subscript", of: own).isEmpty {
            if gives(meaning) { reportGap("the push is assigned to a subscript whose code is not read", at: offset) }
            return
        }
        let settled = pairs.settled(owner)
        if settled.dictionaries.contains(where: \.isWholePush) { return write(key, in: owner, at: offset) }
        if gives(meaning), owner.type != nil || owner.metatype != nil, isForeignOwner(owner),
            !(owner.type?.unwrapped.isDictionary ?? false)
        {
            return reportForeign("subscript", at: offset)
        }
        store(meaning, inListOf: base)
    }
}

extension CodeExpression {
    fileprivate var withoutChain: CodeExpression { if case .chained(let inner) = kind { inner } else { self } }

    /// Whether it is the key of an option that gives Braze's old SDK the app group of Push Stories.
    var isGroupOption: Bool { if case .name("ABKPushStoryAppGroupKey") = kind { true } else { false } }
}
