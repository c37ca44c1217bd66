// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources

/// Calls of functions and closures of the target, and of code that is not read.
extension BodyReader {
    typealias Argument = (label: String, value: AbstractValue)

    func call(
        _ callee: CodeExpression, _ arguments: [CodeArgument], at offset: Int, expecting type: CodeTypeName?
    ) -> AbstractValue {
        withArguments { find(callee, arguments, at: offset, expecting: type) }
    }

    /// Reads a call; the values of its first arguments may be known already.
    func withArguments(_ values: [AbstractValue] = [], _ body: () -> AbstractValue) -> AbstractValue {
        argumentValues.append(Dictionary(uniqueKeysWithValues: values.enumerated().map { ($0.offset, $0.element) }))
        defer { argumentValues.removeLast() }
        return body()
    }

    /// The value of an argument of the innermost call.
    ///
    /// An argument is evaluated only once, except for a member without a base, which depends on the expected type.
    func value(
        _ position: Int, of arguments: [CodeArgument], expecting type: CodeTypeName? = nil, caller: String? = nil
    ) -> AbstractValue {
        guard position < arguments.count else { return AbstractValue() }
        let argument = arguments[position].value
        if case .member(nil, _) = argument.kind { return evaluate(argument, expecting: type) }
        let call = argumentValues.count - 1
        if let known = argumentValues[call][position] { return known }
        let value: AbstractValue
        if case .closure(let closure) = argument.kind {
            let isRun = caller.map { SystemTypes.runsClosure($0) } ?? true
            value = inside(isRun ? circumstances : circumstances.opened) { self.closure(closure, passedTo: caller) }
        } else {
            value = evaluate(argument, expecting: type)
        }
        argumentValues[call][position] = value
        return value
    }

    private func find(
        _ callee: CodeExpression, _ arguments: [CodeArgument], at offset: Int, expecting type: CodeTypeName?
    ) -> AbstractValue {
        switch callee.kind {
        case .member(.some(let base), let name) where base.isChained:
            return inside(circumstances.opened) { callMethod(name, of: base, arguments, at: offset) }
        case .chained(let inner):
            return inside(circumstances.opened) { find(inner, arguments, at: offset, expecting: type) }
        case .forced(let inner), .attempt(let inner, _):
            return find(inner, arguments, at: offset, expecting: type)
        case .name(let name): return callFunction(name, arguments, at: offset)
        case .member(let base?, let name): return callMethod(name, of: base, arguments, at: offset)
        case .member(nil, let name):
            var meaning = implicitMember(name, type)
            if let type, let owner = names.type(type, in: self.type),
                let found = call(names.methods(name, of: owner), arguments, at: offset)
            {
                return found
            }
            meaning.parts = values(arguments).map(\.value)
            return meaning
        case .closure(let closure):
            let given = values(arguments).map(\.value)
            return read(closure.parameters, closure.body, id: pairs.id(of: closure.identity), given: given)
        case .type(let written):
            return construct(written.name ?? "", values(arguments), arguments, at: offset)
        default:
            let value = evaluate(callee)
            if let metatype = value.metatype { return construct(metatype, values(arguments), arguments, at: offset) }
            return callValue(value, arguments, named: "", at: offset)
        }
    }

    // MARK: - Functions

    private func callFunction(_ name: String, _ arguments: [CodeArgument], at offset: Int) -> AbstractValue {
        if let local = local(name) {
            if let metatype = local.metatype { return construct(metatype, values(arguments), arguments, at: offset) }
            return callValue(local, arguments, named: name, at: offset)
        }
        let isFunction = name.first?.isLowercase ?? true || names.macros[name] != nil
        if isFunction {
            let methods = type.map { names.methods(name, of: $0) } ?? []
            if let found = call(methods, arguments, of: ownObject(isType: false), at: offset) { return found }
            if let type, let property = property(name, of: type, ownObject(isType: false), at: offset) {
                return callValue(property, arguments, named: name, at: offset)
            }
        }
        if let found = call(names.functionsByName[name] ?? [], arguments, at: offset) { return found }
        if isFunction {
            if let macro = names.macros[name] {
                return callOwn([macro], values(arguments), base: AbstractValue(), at: offset)
            }
            if let variables = names.variables[name] {
                return callValue(value(of: variables, named: name, at: offset), arguments, named: name, at: offset)
            }
            if let type,
                ["Dictionary", "NSDictionary", "KeyedDecodingContainer"].contains(names.types[type].name)
                    || !ownObject(isType: false).pushes.isEmpty
            {
                if let found = systemMethod(
                    name, of: ownObject(isType: false), CodeExpression(.name("self"), at: offset), arguments, at: offset
                ) {
                    return found
                }
            }
        }
        if let found = systemFunction(name, arguments) { return found }
        let given = values(arguments, caller: name)
        if name.first?.isUppercase ?? false { return construct(name, given, arguments, at: offset) }
        passOn(given, to: name, arguments, at: offset) {
            if isOwnName(name) || name.hasPrefix("#") { return true }
            return pairs.found.importsOthers || type.map { names.inheritsUnread($0) } ?? false
        }
        var result = AbstractValue()
        result.absent = Set(given.flatMap { $0.value.absent })
        if isObjectiveC { result.reads = [] }
        return result
    }

    /// Whether the type that contains the body, or a type that it inherits from, declares a member with this name.
    private func isOwnName(_ name: String) -> Bool { type.map { names.declares(name, $0) } ?? false }

    /// Calls the functions of the target that accept the arguments; returns nil if none does.
    private func call(
        _ functions: [Int], _ arguments: [CodeArgument], of base: AbstractValue = AbstractValue(), at offset: Int
    ) -> AbstractValue? {
        let own = fitting(functions, arguments)
        guard !own.isEmpty else { return nil }
        return callOwn(own, values(arguments, for: own, of: base), base: base, at: offset)
    }

    func fitting(_ functions: [Int], _ arguments: [CodeArgument]) -> [Int] {
        functions.filter { id in
            let function = names.functions[id].declaration
            if !takesTypes(arguments, function) { return false }
            return function.kind == .message || function.kind == .macro || isObjectiveC
                ? function.parameters.count == arguments.count || function.kind == .macro
                : accepts(arguments, function.parameters)
        }
    }

    /// Whether the types that are passed, such as `Int.self`, are those that a function such as `decode(_: Int.Type)`
    /// takes.
    private func takesTypes(_ arguments: [CodeArgument], _ function: CodeFunction) -> Bool {
        zip(arguments, function.parameters).allSatisfy { argument, parameter in
            guard let wanted = parameter.type?.name, wanted.hasSuffix(".Type"),
                !function.generics.contains(String(wanted.dropLast(5))),
                case .member(.some(let type), "self") = argument.value.kind
            else { return true }
            switch type.kind {
            case .name(let name): return wanted == name + ".Type"
            case .list: return wanted == "Array.Type"
            case .map: return wanted == "Dictionary.Type"
            default: return true
            }
        }
    }

    /// Whether arguments fit parameters by their labels.
    func accepts(_ arguments: [CodeArgument], _ parameters: [CodeParameter]) -> Bool {
        match(arguments.map(\.label), parameters) != nil
    }

    /// The parameter to which each argument belongs; nil if the arguments do not fit.
    private func match(_ labels: [String], _ parameters: [CodeParameter]) -> [Int]? {
        var found: [Int] = []
        var next = 0
        for (position, label) in labels.enumerated() {
            var index = next
            let isTrailing = label.isEmpty && position == labels.count - 1
            while index < parameters.count,
                parameters[index].label != label && !(isTrailing && parameters[index].type?.isFunction ?? false)
            {
                guard
                    parameters[index].fallback != nil || parameters[index].isVariadic
                        || parameters[index].type?.isOptional ?? false
                else { return nil }
                index += 1
            }
            guard index < parameters.count else {
                if label.isEmpty, let last = found.last, parameters[last].isVariadic {
                    found.append(last)
                    continue
                }
                return nil
            }
            found.append(index)
            next = parameters[index].isVariadic ? index : index + 1
        }
        let given = Set(found)
        let isComplete = parameters.indices.allSatisfy {
            given.contains($0) || parameters[$0].fallback != nil || parameters[$0].isVariadic
        }
        return isComplete ? found : nil
    }

    /// Evaluates arguments; the expected types are that of a container's keys, or those of the first function's
    /// parameters.
    func values(
        _ arguments: [CodeArgument], for functions: [Int] = [], of base: AbstractValue = AbstractValue(),
        caller: String? = nil
    ) -> [Argument] {
        let parameters = functions.first.map { names.functions[$0].declaration.parameters } ?? []
        let matched = match(arguments.map(\.label), parameters)
        return arguments.enumerated().map { position, argument in
            let wanted = base.keyType ?? matched.flatMap { position < $0.count ? parameters[$0[position]].type : nil }
            return (argument.label, value(position, of: arguments, expecting: wanted, caller: caller))
        }
    }

    /// Calls the functions of the target, at most eight, that a call may mean.
    func callOwn(_ ids: [Int], _ arguments: [Argument], base: AbstractValue, at offset: Int) -> AbstractValue {
        var found = AbstractValue()
        let place = place(offset)
        for id in ids.prefix(8) {
            let declaration = id < names.functions.count ? names.functions[id].declaration : nil
            let parameters = declaration?.parameters ?? []
            let isBySelector = declaration.map { [.message, .macro].contains($0.kind) } ?? true
            let matched = isBySelector || isObjectiveC ? nil : match(arguments.map(\.label), parameters)
            var given: [Int: AbstractValue] = [:]
            for (position, argument) in arguments.enumerated() {
                let index = matched.map { position < $0.count ? $0[position] : position } ?? position
                var value = argument.value
                if index < parameters.count, parameters[index].isVariadic {
                    value = AbstractValue(type: parameters[index].type, element: value)
                }
                given[index] = given[index].map { $0.joined(value) } ?? value
            }
            for (index, parameter) in parameters.enumerated() where given[index] == nil {
                if let fallback = parameter.fallback { given[index] = evaluate(fallback, expecting: parameter.type) }
            }
            for (index, value) in given {
                pairs.pass(value, for: Parameter(owner: id, index: index), circumstances.condition)
            }
            pairs.pass(base, for: Parameter(owner: id, index: -1), circumstances.condition)
            func lookUp(_ parameter: Parameter) -> AbstractValue? {
                guard parameter.owner == id else { return nil }
                return parameter.index < 0 ? base : given[parameter.index] ?? AbstractValue()
            }
            var result = pairs.substitute(pairs.result(of: id), at: place, lookUp)
            thrown.formUnion(result.errors)
            result.errors = []
            if pairs.isCollecting {
                let circumstances = isOpenDispatch(ids) ? self.circumstances.opened : self.circumstances
                pairs.note(PairReader.Call(caller: methodOwner, condition: circumstances.condition), of: id)
                for site in pairs.reads(in: id) {
                    for target in pairs.substitute(site: site, at: place, lookUp) {
                        var call = circumstances
                        call.isLast = isLast && !hasPassedPush
                        pairs.facts.derive(target, from: site, call, by: methodOwner)
                    }
                }
                if let declaration { noteGenerics(declaration, arguments, result) }
            }
            if arguments.contains(where: { gives($0.value) }) { hasPassedPush = true }
            if declaration?.generics.contains(result.type?.unwrapped.name ?? "") ?? false { result.type = nil }
            found.join(result)
        }
        return found
    }

    /// Whether a call may run any of several methods, because unrelated types have a method with its name.
    private func isOpenDispatch(_ ids: [Int]) -> Bool {
        let owners = Set(ids.filter { $0 < names.functions.count }.compactMap { names.functions[$0].type })
        let inherited = owners.reduce(into: Set<Int>()) { $0.formUnion(names.ancestry(of: $1).dropFirst()) }
        return owners.count > 1
            && owners.contains { names.types[$0].kind != .proto && names.types[$0].superclass == nil }
            && !owners.contains { inherited.contains($0) && names.types[$0].kind == .nominal }
    }

    /// Records the type that is passed to a generic function as the type of the reads in its result.
    private func noteGenerics(_ function: CodeFunction, _ arguments: [Argument], _ result: AbstractValue) {
        for (index, parameter) in function.parameters.enumerated() {
            guard let name = parameter.type?.name, name.hasSuffix(".Type"), index < arguments.count,
                function.generics.contains(String(name.dropLast(5))), let type = arguments[index].value.metatype,
                let cast = ReadType(.named(type, []))
            else { continue }
            note(result.reads) { facts in
                facts.casts.insert(cast)
                facts.contexts.insert(cast)
            }
        }
    }

    /// Calls a value: a closure, a stored function, or an object with `callAsFunction`.
    func callValue(_ value: AbstractValue, _ arguments: [CodeArgument], named name: String, at offset: Int)
        -> AbstractValue
    {
        let given = values(arguments)
        if !value.closures.isEmpty {
            let isOpen = !value.isEach && (value.closures.count > 1 || value.isTested)
            var found = opened(if: isOpen) {
                callOwn(value.closures.sorted(), given, base: AbstractValue(), at: offset)
            }
            found.absent.formUnion(value.absent)
            return found
        }
        let own = ownTypes(of: value).flatMap { names.methods("callAsFunction", of: $0) }
        if !own.isEmpty { return callOwn(own, given, base: value, at: offset) }
        if given.contains(where: { gives($0.value) }) {
            // Code gives the notification back to the system through a completion handler.
            if name.lowercased().holds("handler") || given.allSatisfy({ $0.value.dictionaries.isEmpty }) {
                delivers = true
            } else if name.isEmpty {
                reportForeign("", at: offset)
            } else {
                reportGap("the push is passed to the closure '\(name)', whose code is not found", at: offset)
            }
        }
        return value.derived
    }

    // MARK: - Methods

    private func callMethod(_ name: String, of expression: CodeExpression, _ arguments: [CodeArgument], at offset: Int)
        -> AbstractValue
    {
        if case .name("super") = expression.kind { return callSuper(name, arguments, at: offset) }
        if case .keyPath? = arguments.first?.value.kind, let found = mapKeyPath(name, expression, arguments, at: offset)
        {
            return found
        }
        let base = evaluate(expression)
        if let metatype = base.metatype {
            if name == "init" || (isObjectiveC && name.hasPrefix("init")) {
                return construct(
                    metatype, values(arguments), arguments, selector: isObjectiveC ? name : nil, at: offset)
            }
            if let owner = names.type(named: metatype, in: type) {
                if let found = call(names.methods(name, of: owner), arguments, at: offset) { return found }
                if names.types[owner].casesByName[name] != nil {
                    var meaning = AbstractValue(type: .named(names.types[owner].name, []))
                    meaning.parts = values(arguments).map(\.value)
                    return meaning
                }
                if let property = property(name, of: owner, AbstractValue(), at: offset) {
                    return callValue(property, arguments, named: name, at: offset)
                }
                // A type inside another type.
                if names.type(named: metatype + "." + name, in: type) != nil {
                    return construct(metatype + "." + name, values(arguments), arguments, at: offset)
                }
            }
            if name.first?.isUppercase ?? false, !isObjectiveC {
                return construct(metatype + "." + name, values(arguments), arguments, at: offset)
            }
            if isObjectiveC, arguments.isEmpty { return member(name, of: expression, at: offset) }
        }
        var seen: Set<Int> = []
        let methods = ownTypes(of: base).flatMap { names.methods(name, of: $0) }.filter { seen.insert($0).inserted }
        if var found = opened(if: base.isTested, { call(methods, arguments, of: base, at: offset) }) {
            found.absent.formUnion(base.absent)
            return found
        }
        for owner in ownTypes(of: base) {
            if let property = property(name, of: owner, base, at: offset) {
                return arguments.isEmpty && isObjectiveC
                    ? property : callValue(property, arguments, named: name, at: offset)
            }
        }
        if name == "init", !base.closures.isEmpty { return callValue(base, arguments, named: name, at: offset) }
        if let found = systemMethod(name, of: base, expression, arguments, at: offset) { return found }
        if isObjectiveC, let property = name.setProperty, let argument = arguments.first {
            assign(argument.value, to: CodeExpression(.member(expression, property), at: offset), at: offset)
            return AbstractValue()
        }
        if isObjectiveC, arguments.isEmpty { return member(name, of: base, expression, at: offset) }
        return callUnknown(name, of: base, arguments, at: offset)
    }

    private func callUnknown(
        _ name: String, of base: AbstractValue, _ arguments: [CodeArgument], at offset: Int
    ) -> AbstractValue {
        let given = values(arguments, caller: name)
        // If the type of the object is not known, a method of the target with this name and these labels is assumed.
        let isOpen =
            base.type == nil && base.metatype == nil && base.reads.isEmpty && base.dictionaries.isEmpty
            && base.pushes.isEmpty
        let methods =
            isOpen
            ? fitting(names.methodsByName[name] ?? [], arguments).filter { names.functions[$0].declaration.body != nil }
            : []
        if !methods.isEmpty, methods.count <= 4, !SystemTypes.takesWholePush(name) {
            var found = callOwn(methods, values(arguments, for: methods), base: base, at: offset)
            found.absent.formUnion(base.absent)
            return found
        }
        let isOfPush =
            (gives(base) || hides(base)) && !SystemTypes.isKeyless(name)
            && !SystemTypes.takesWholePush(name)
        if isOfPush, base.role != .keys, !SystemTypes.elementMethods.contains(name) {
            if base.dictionaries.isEmpty || arguments.isEmpty {
                reportForeign(name, at: offset)
            } else {
                reportGap("payloadgen does not know what '\(name.shownSelector)' does with the payload", at: offset)
            }
        }
        let isOfForeign = base.type.map { SystemTypes.isForeign($0, names, type) } ?? false
        passOn(given, to: name, arguments, at: offset, isOfForeign: isOfForeign) {
            guard let known = base.metatype.map({ .named($0, []) }) ?? base.type, !known.isDictionary else {
                return pairs.found.importsOthers || names.methodsByName[name] != nil
            }
            if let own = names.type(known, in: type), !names.types[own].isForeign {
                return base.metatype != nil || !names.inheritsSystem(own)
            }
            return SystemTypes.isForeign(known, names, type)
        }
        var found = base.derived
        if SystemTypes.textMethods.contains(name) { found.reads = base.reads }
        found.isTested = true
        if isObjectiveC { found.absent.formUnion(given.flatMap { $0.value.absent }) }
        return found
    }

    private func callSuper(_ name: String, _ arguments: [CodeArgument], at offset: Int) -> AbstractValue {
        guard let type else { return AbstractValue() }
        let own = function.map { pairs.id(of: $0.identity) }
        for owner in names.ancestry(of: type).dropFirst() {
            let methods = (names.types[owner].functions[name] ?? []).filter {
                $0 != own && names.functions[$0].declaration.body != nil
            }
            if let found = call(methods, arguments, of: ownObject(isType: false), at: offset) { return found }
        }
        passOn(values(arguments), to: name, arguments, at: offset) {
            names.inheritsUnread(type)
        }
        if isObjectiveC, name.hasPrefix("init") { return ownObject(isType: false) }
        return AbstractValue()
    }

    /// Reads a call whose argument is a key path, such as `map(\.request.content.userInfo)`.
    private func mapKeyPath(_ name: String, _ expression: CodeExpression, _ arguments: [CodeArgument], at offset: Int)
        -> AbstractValue?
    {
        guard SystemTypes.elementMethods.contains(name), case .keyPath(let parts)? = arguments.first?.value.kind else {
            return nil
        }
        let base = evaluate(expression)
        let isList = !base.element.isEmpty
        var value = isList ? element(of: base, at: offset) : base
        for part in parts { value = member(part, of: value, CodeExpression(.name(""), at: offset), at: offset) }
        return isList ? AbstractValue(type: .array(.other), element: value) : value
    }

    // MARK: - Initializers

    /// The types that code uses for a generic parameter or associated type; nil if the name is neither.
    func generics(_ name: String) -> [CodeTypeName]? {
        if let type {
            for owner in [type] + names.descendants(of: type) {
                if let alias = names.types[owner].aliases[name], alias.name != name { return [alias] }
            }
            for owner in names.ancestry(of: type) {
                guard let index = names.types[owner].generics.firstIndex(of: name) else { continue }
                let arguments = names.specializations[names.types[owner].simpleName] ?? []
                let found = arguments.compactMap { index < $0.count ? $0[index] : nil }
                let aliases = names.descendants(of: owner).compactMap { names.types[$0].aliases[name] }
                return Array(Set(found + aliases)).filter { $0.name != name }
            }
        }
        return function?.generics.contains(name) ?? false ? [] : nil
    }

    /// Calls an initializer of a type.
    func construct(
        _ name: String, _ arguments: [Argument], _ written: [CodeArgument], selector: String? = nil, at offset: Int
    ) -> AbstractValue {
        if nesting > Self.nestingLimit { return AbstractValue() }
        nesting += 1
        defer { nesting -= 1 }
        if let types = generics(name) {
            if types.isEmpty, arguments.contains(where: { gives($0.value) }) { reportForeign(name, at: offset) }
            return types.prefix(8).reduce(into: AbstractValue()) {
                $0.join(construct($1.name ?? "", arguments, written, selector: selector, at: offset))
            }
        }
        guard let owner = names.type(.named(name, []), in: type) ?? names.type(named: name, in: type),
            !names.types[owner].isForeign || !fitting(names.methods(selector ?? "init", of: owner), written).isEmpty
        else {
            if let selector {
                return systemMethod(
                    selector, of: AbstractValue(), CodeExpression(.name(name), at: offset), written, at: offset,
                    metatype: name) ?? foreignInitializer(name, arguments, written, at: offset)
            }
            return systemInitializer(name, arguments, written, at: offset)
                ?? foreignInitializer(name, arguments, written, at: offset)
        }
        let entry = names.types[owner]
        var found = AbstractValue(type: .named(entry.name, []))
        let initializers = fitting(names.methods(selector ?? "init", of: owner), written)
        if !initializers.isEmpty {
            let values = written.isEmpty ? arguments : self.values(written, for: initializers)
            found.join(callOwn(initializers, values, base: AbstractValue(), at: offset))
            found.type = .named(entry.name, [])
        } else if written.first?.label == "rawValue", let value = arguments.first?.value {
            return rawValue(value, of: owner)
        } else if written.first?.label == "from", arguments.count == 1 {
            if gives(arguments[0].value) || holds(arguments[0].value) {
                reportGap(
                    "the push is passed to an initializer of '\(entry.simpleName)' whose code is not found", at: offset)
            }
        } else {
            let stored = entry.stored.filter { !$0.declaration.isStatic && $0.declaration.getter == nil }
            var isComplete = true
            for argument in arguments {
                guard let variable = stored.first(where: { $0.declaration.name == argument.label }) else {
                    if argument.value.givesPairs { isComplete = false }
                    continue
                }
                pairs.store(
                    argument.value, in: variable.declaration, named: argument.label, circumstances.condition)
            }
            if !isComplete, arguments.contains(where: { gives($0.value) }) {
                if !names.inheritsSystem(owner) {
                    reportGap(
                        "the push is passed to an initializer of '\(entry.simpleName)' whose code is not found",
                        at: offset)
                }
            }
        }
        // The type may be a key that wraps its text.
        if arguments.count == 1, let text = arguments.first?.value, !text.texts.isEmpty, text.reads.isEmpty {
            found.texts = text.texts
        }
        return found
    }

    private func rawValue(_ value: AbstractValue, of owner: Int) -> AbstractValue {
        var found = value
        found.type = .optional(.named(names.types[owner].name, []))
        found.isTested = true
        let texts = names.types[owner].cases.compactMap { entry in
            entry.raw.map { evaluate($0).texts.first?.literal } ?? entry.name
        }
        if value.role == .categoryIdentifier { found.categories = CategorySet(Set(texts.compactMap(\.self))) }
        if !texts.isEmpty, names.types[owner].inherited.contains(.named("String", [])), !value.reads.isEmpty {
            found.conversions = [.rawValue(names.types[owner].simpleName, texts.compactMap(\.self))]
        }
        return found
    }

    private func foreignInitializer(_ name: String, _ arguments: [Argument], _ written: [CodeArgument], at offset: Int)
        -> AbstractValue
    {
        let simple = String(name.split(separator: ".").last ?? "")
        passOn(arguments, to: simple, written, at: offset) {
            // A type imported by name from another module takes precedence over the system's type of that name.
            if let module = pairs.units[file].importedTypes[name], !SystemModules.contains(module) { return true }
            return !SystemTypes.isKnown(name) && (pairs.found.importsOthers || names.type(named: name, in: type) != nil)
        }
        var found = AbstractValue(type: .named(name, []))
        found.absent = Set(arguments.flatMap { $0.value.absent })
        return found
    }

    // MARK: - Code that is not read

    /// Follows a push in arguments to the method that a selector names; reports a gap if the push is passed to unread
    /// code.
    private func passOn(
        _ arguments: [Argument], to name: String, _ written: [CodeArgument], at offset: Int, isOfForeign: Bool = false,
        isForeign: () -> Bool
    ) {
        if name.lowercased().hasSuffix("handler"), arguments.contains(where: { !$0.value.pushes.isEmpty }) {
            delivers = true
        }
        guard arguments.contains(where: { gives($0.value) }) else { return }
        if SystemTypes.relays(name) {
            // The system's `perform` has no label before its selector.
            if name == "perform", written.first?.label.isEmpty == false { return }
            if relay(name, arguments, written, at: offset) { return }
            return reportGap("the push is passed on by '\(name.shownSelector)' to code that is not read", at: offset)
        }
        guard isOfForeign ? !SystemTypes.readsNoPairs(name) : !SystemTypes.takesWholePush(name), isForeign() else {
            return
        }
        reportForeign(name, at: offset)
    }

    func reportForeign(_ name: String, at offset: Int) {
        let shown = name.isEmpty ? "a function" : "'\(name.prefix { $0 != ":" })'"
        reportGap("the push is passed to \(shown), whose code is not read", at: offset)
    }

    /// Calls the target's methods that the selector in a `perform` names; returns false if there are none.
    private func relay(_ name: String, _ arguments: [Argument], _ written: [CodeArgument], at offset: Int) -> Bool {
        guard name.hasPrefix("perform"), case .other(let parts)? = written.first?.value.kind, let part = parts.first
        else { return false }
        let method: String
        switch part.kind {
        case .name(let found), .member(_, let found): method = found
        default: return false
        }
        let methods = names.methodsByName[method] ?? []
        let passed = arguments.dropFirst().filter { $0.label == "with" }.map { ("", $0.value) }
        guard !methods.isEmpty else { return false }
        _ = callOwn(methods, passed, base: AbstractValue(), at: offset)
        return true
    }
}

extension String {
    /// The part of a selector before its first colon.
    var shownSelector: String { String(prefix { $0 != ":" }) }
}
