// SPDX-License-Identifier: MIT

import AppDeclarations

/// Expressions: what a name, a literal, an operator or a cast says about a value.
extension BodyReader {
    /// Reads an expression.
    ///
    /// - Parameters:
    ///   - expression: the expression.
    ///   - type: the type that the context expects, which decides what a member without a base means.
    /// - Returns: what is known about its value.
    func evaluate(_ expression: CodeExpression, expecting type: CodeTypeName? = nil) -> AbstractValue {
        let offset = expression.offset
        if nesting > Self.nestingLimit || isTooLarge() { return AbstractValue() }
        nesting += 1
        defer { nesting -= 1 }
        switch expression.kind {
        case .name(let name): return value(named: name, at: offset)
        case .text(let parts): return text(parts, at: offset)
        case .number, .boolean, .null, .available: return AbstractValue(type: expression.literalType)
        case .member(let base?, let name): return member(name, of: base, at: offset)
        case .member(nil, let name): return implicitMember(name, type)
        case .call(let callee, let arguments): return call(callee, arguments, at: offset, expecting: type)
        case .index(let base, let arguments): return index(base, arguments, at: offset)
        case .cast(let inner, let target, let kind): return cast(evaluate(inner), to: target, kind, at: offset)
        case .forced(let inner):
            let meaning = evaluate(inner, expecting: type)
            require(meaning, .crash)
            return meaning.unwrapped
        case .chained(let inner): return evaluate(inner, expecting: type)
        case .passed(let inner):
            var meaning = evaluate(inner)
            meaning.mayBeOther = true
            if case .name(let name) = inner.kind { _ = assign(meaning, toLocal: name) }
            return meaning
        case .attempt(let inner, let kind): return attempt(inner, kind, expecting: type)
        case .binary(let symbol, let left, let right): return binary(symbol, left, right, at: offset, expecting: type)
        case .not(let inner):
            var meaning = evaluate(inner).swapped
            meaning.reads = []
            return meaning
        case .choice(let condition, let first, let second): return choice(condition, first, second, expecting: type)
        case .assign(let target, let value):
            assign(value, to: target, at: offset)
            return AbstractValue()
        case .tuple(let elements):
            var meaning = AbstractValue()
            meaning.parts = elements.map { evaluate($0.value) }
            return meaning
        case .list(let elements): return list(elements, expecting: type)
        case .map(let members):
            var meaning = AbstractValue(type: .dictionary(.named("String", []), .other))
            for member in members {
                _ = evaluate(member.key)
                let value = evaluate(member.value)
                if member.key.isGroupOption { recordAppGroup(value, at: member.value.offset, isCertain: true) }
                if meaning.element.isEmpty { meaning.element = [value] } else { meaning.element[0].join(value) }
            }
            return meaning
        case .closure(let closure): return self.closure(closure)
        case .keyPath: return AbstractValue()
        case .type(let type):
            var meaning = AbstractValue()
            meaning.metatype = type.name
            return meaning
        case .block(let statements):
            return inside(circumstances) {
                _ = run(statements)
                return blockValue ?? AbstractValue()
            }
        case .other(let parts):
            let values = parts.map { evaluate($0) }
            return values.count == 1 ? values[0] : AbstractValue()
        }
    }

    // MARK: - Names and literals

    private func value(named name: String, at offset: Int) -> AbstractValue {
        if let local = local(name) { return local }
        if name == "self" || name == "Self" { return ownObject(isType: name == "Self") }
        if name == "super" { return ownObject(isType: false) }
        if let type, name.hasPrefix("_") || names.declares(name, type),
            let found = property(name, of: type, ownObject(isType: false), at: offset)
        {
            return found
        }
        if let owner = outerType(declaring: name), let found = property(name, of: owner, AbstractValue(), at: offset) {
            return found
        }
        if let variables = names.variables[name] { return value(of: variables, named: name, at: offset) }
        if let macro = names.macros[name] {
            return callOwn([macro], [], base: AbstractValue(), at: offset)
        }
        if let type, case let methods = names.methods(name, of: type), !methods.isEmpty {
            return isObjectiveC
                ? callOwn(methods, [], base: ownObject(isType: false), at: offset) : functions(methods)
        }
        if type != nil, let found = implicitSystemMember(name, at: offset) { return found }
        if let functions = names.functionsByName[name] { return self.functions(functions) }
        var meaning = AbstractValue()
        if name.first?.isUppercase ?? false || names.type(named: name, in: type) != nil { meaning.metatype = name }
        if name == "launchOptions" { meaning.role = .launchOptions }
        return meaning
    }

    func functions(_ ids: [Int]) -> AbstractValue {
        var meaning = AbstractValue(type: .function)
        meaning.closures = Set(ids)
        return meaning
    }

    /// The nearest type that contains the body's type and declares a variable with this name.
    private func outerType(declaring name: String) -> Int? {
        guard let type else { return nil }
        var scope = names.types[type].name
        while let dot = scope.lastIndex(of: ".") {
            scope = String(scope[..<dot])
            if let outer = names.type(named: scope, in: nil), names.types[outer].variables[name] != nil { return outer }
        }
        return nil
    }

    /// A member of `self` in an extension of a notification, dictionary or text.
    private func implicitSystemMember(_ name: String, at offset: Int) -> AbstractValue? {
        let own = ownObject(isType: false)
        guard !own.pushes.isEmpty || !own.dictionaries.isEmpty || !own.texts.isEmpty else { return nil }
        return systemMember(name, of: own, at: offset)
    }

    /// What is known about `self`, or about `Self`.
    func ownObject(isType: Bool) -> AbstractValue {
        guard let type else { return AbstractValue() }
        if let known = own[isType] { return known }
        let entry = names.types[type]
        var meaning = AbstractValue(type: .named(entry.name, []))
        defer { own[isType] = meaning }
        if isType { meaning.metatype = entry.name }
        let parameter = Parameter(owner: methodOwner, index: -1)
        switch entry.name {
        case "Dictionary", "NSDictionary", "NSMutableDictionary":
            meaning.type = .dictionary(.named("AnyHashable", []), .named("Any", []))
            meaning.dictionaries = [PushDictionary(root: .parameter(parameter))]
        case "KeyedDecodingContainer":
            meaning.dictionaries = [PushDictionary(root: .parameter(parameter))]
            meaning.role = pairs.value(of: parameter).role
        case "Optional", "String", "NSString", "Array", "NSArray", "Data", "Sequence", "Collection":
            meaning.type = entry.name == "String" ? .named("String", []) : nil
            meaning.texts = [KeyText(parameter)]
            meaning.dictionaries = [PushDictionary(root: .parameter(parameter))]
        default:
            if SystemTypes.push(entry.name) != nil {
                meaning.pushes = [PushDictionary(root: .parameter(parameter))]
            } else if entry.kind == .enumeration || !entry.cases.isEmpty || isTextType(type) {
                meaning.texts = [KeyText(parameter)]
            }
        }
        return meaning
    }

    /// The identifier of the function that `self` belongs to, also inside closures.
    var methodOwner: Int { function.map { pairs.id(of: $0.identity) } ?? initialOwner }

    /// Whether the values of a type represent texts, as `RawRepresentable` keys do.
    func isTextType(_ type: Int) -> Bool {
        let entry = names.types[type]
        return entry.inherited.contains { ["RawRepresentable", "ExpressibleByStringLiteral"].contains($0.name ?? "") }
    }

    private func text(_ parts: [TextPart], at offset: Int) -> AbstractValue {
        var meaning = AbstractValue(type: .named("String", []))
        var found: [[KeyText]] = [[]]
        for part in parts {
            let choices: [KeyText]
            switch part {
            case .text(let text): choices = [KeyText(text, from: place(offset))]
            case .value(let value):
                let inner = evaluate(value)
                choices = Array(inner.texts)
                meaning.isEach = meaning.isEach || inner.isEach
                meaning.mayBeOther = meaning.mayBeOther || inner.mayBeOther || inner.texts.isEmpty
            }
            found = found.count * choices.count <= 64 ? found.flatMap { start in choices.map { start + [$0] } } : []
        }
        meaning.texts = Set(found.compactMap { $0.isEmpty ? KeyText("") : KeyText(joining: $0) })
        return meaning
    }

    private func list(_ elements: [CodeExpression], expecting type: CodeTypeName?) -> AbstractValue {
        var inner: CodeTypeName?
        if case .array(let element)? = type?.unwrapped { inner = element }
        var meaning = AbstractValue(type: .array(.other))
        for element in elements {
            var value = evaluate(element, expecting: inner)
            meaning.actions.merge(value.actions) { $0 || $1 }
            if value.actions.isEmpty, value.texts.isEmpty { meaning.mayBeOther = true }
            if value.metatype != nil {
                // The list may hold several types, so that the initializers of each may be meant.
                let owner = value.metatype.flatMap { names.type(named: $0, in: self.type) }
                value.closures.formUnion(owner.map { names.methods("init", of: $0) } ?? [])
                meaning.metatype = elements.count == 1 ? value.metatype : nil
                value.metatype = nil
            }
            // Nested lists keep only what any element may be; keeping every element would double the size with each
            // level.
            value.parts = []
            meaning.parts.append(value)
            if meaning.element.isEmpty { meaning.element = [value] } else { meaning.element[0].join(value) }
        }
        if inner != nil { meaning.type = type }
        return meaning
    }

    func closure(_ closure: CodeClosure, given: [AbstractValue] = [], passedTo function: String? = nil) -> AbstractValue
    {
        let id = pairs.id(of: closure.identity)
        var given = given
        if given.isEmpty, let function, let parameter = SystemTypes.closureParameter(of: function) {
            given = [parameter]
        }
        var parameters = closure.parameters
        if parameters.isEmpty {
            parameters = (0..<3).map { CodeParameter(label: "", name: "$\($0)", type: nil) }
        }
        let result = read(parameters, closure.body, id: id, given: given)
        var meaning = result
        meaning.type = .function
        meaning.texts = []
        meaning.reads = []
        meaning.dictionaries = []
        meaning.closures = [id]
        return meaning
    }

    /// Reads the body of a closure or of a nested function.
    ///
    /// - Returns: what the closure or function returns.
    func read(_ parameters: [CodeParameter], _ body: [CodeStatement], id: Int, given: [AbstractValue] = [])
        -> AbstractValue
    {
        let outer = (owner, result, thrown, delivers, closures, blockValue, mayHaveLeft, circumstances)
        (owner, result, thrown) = (id, AbstractValue(), [])
        scopes.append([:])
        depth += 1
        closures = (closures.count + 1, depth)
        declare(parameters, of: id, given: given)
        _ = run(body)
        if body.count == 1, case .expression = body[0], let value = blockValue { result.join(value) }
        var found = result
        found.errors = thrown
        pairs.setResult(found, of: id)
        scopes.removeLast()
        depth -= 1
        (owner, result, thrown, delivers, closures, blockValue, mayHaveLeft, circumstances) = outer
        return found
    }

    // MARK: - Operators

    private func attempt(_ inner: CodeExpression, _ kind: CodeExpression.Attempt, expecting type: CodeTypeName?)
        -> AbstractValue
    {
        let outer = thrown
        thrown = []
        var meaning = evaluate(inner, expecting: type)
        let own = thrown
        thrown = outer
        switch kind {
        case .plain: thrown.formUnion(own)
        case .optional: meaning.absent.formUnion(own)
        case .forced:
            var failing = meaning
            failing.absent = own
            require(failing, .crash)
        }
        return meaning
    }

    private func choice(
        _ condition: CodeExpression, _ first: CodeExpression, _ second: CodeExpression, expecting type: CodeTypeName?
    ) -> AbstractValue {
        let before = known.count
        let test = test([.expression(condition)])
        var left = inside(circumstances(of: test)) { evaluate(first, expecting: type) }
        known.forget(after: before)
        var right = inside(circumstances(of: test.negated)) {
            learn(test.absentTrue)
            return evaluate(second, expecting: type)
        }
        for (value, other) in [(first, second), (second, first)] where crashes(value) {
            apply(test, isFalse: value.offset == second.offset, .crash)
            return evaluate(other, expecting: type)
        }
        left.absent = left.absent.opened
        right.absent = right.absent.opened
        let isMixed = left.reads.isEmpty != right.reads.isEmpty
        var joined = left.joined(right)
        joined.mayBeOther = joined.mayBeOther || isMixed
        // Something other than pairs also decides whether the value is nil.
        if first.isNull || second.isNull, !test.isPlain || test.isOfCategories { joined.isTested = true }
        return joined
    }

    private func binary(
        _ symbol: String, _ left: CodeExpression, _ right: CodeExpression, at offset: Int, expecting type: CodeTypeName?
    ) -> AbstractValue {
        switch symbol {
        case "??": return coalesce(left, right, expecting: type)
        case "&&": return conjunction(evaluate(left)) { evaluate(right) }
        // By De Morgan's law.
        case "||": return conjunction(evaluate(left).swapped) { evaluate(right).swapped }.swapped
        case "==", "!=", "===", "!==", "<", ">", "<=", ">=", "~=":
            return comparison(symbol, left, right, at: offset)
        case "+":
            let first = evaluate(left)
            let second = evaluate(right)
            guard !first.texts.isEmpty || !second.texts.isEmpty else { return first.joined(second) }
            var meaning = AbstractValue(type: .named("String", []))
            if first.texts.count * second.texts.count <= 64 {
                meaning.texts = Set(
                    first.texts.flatMap { one in second.texts.compactMap { KeyText(joining: [one, $0]) } })
            }
            meaning.mayBeOther = [first, second].contains { $0.mayBeOther || $0.texts.isEmpty }
            meaning.isEach = first.isEach || second.isEach
            return meaning
        case "+=":
            let sum = evaluate(CodeExpression(.binary("+", left, right), at: offset))
            if case .name(let name) = left.kind, assign(sum, toLocal: name) { return AbstractValue() }
            let value = evaluate(right)
            if let element = value.element.first { store(element, inListOf: left) }
            if gives(value), !isOwn(left) { reportForeign(symbol, at: left.offset) }
            return AbstractValue()
        case "-", "*", "/", "%", "|", "&", "^", "<<", ">>", "...", "..<":
            _ = evaluate(left)
            _ = evaluate(right)
            return AbstractValue()
        default: return customOperator(symbol, left, right, at: offset)
        }
    }

    /// What is known about the condition that two conditions are true; the second is evaluated only if the first is
    /// true.
    private func conjunction(_ first: AbstractValue, _ evaluate: () -> AbstractValue) -> AbstractValue {
        let before = known.count
        learn(first.absent)
        let second = evaluate()
        known.forget(after: before)
        var meaning = AbstractValue(type: .named("Bool", []))
        meaning.absent = first.absent.union(second.absent)
        meaning.present = Absence.all(first.present, second.present)
        meaning.isTested =
            first.isTested || second.isTested || first.isUnknownCondition || second.isUnknownCondition
        if let one = first.categories, let other = second.categories { meaning.categories = one.intersection(other) }
        return meaning
    }

    private func customOperator(_ symbol: String, _ left: CodeExpression, _ right: CodeExpression, at offset: Int)
        -> AbstractValue
    {
        let functions = (names.functionsByName[symbol] ?? []) + (names.methodsByName[symbol] ?? [])
        let values = [evaluate(left), evaluate(right)]
        let fitting = functions.filter { id in
            let parameters = names.functions[id].declaration.parameters
            guard let wanted = names.type(parameters.first?.type, in: nil), let first = values.first?.type else {
                return true
            }
            return names.type(first, in: type) == wanted
        }
        if !fitting.isEmpty, values[0].type.map({ !SystemTypes.isForeign($0, names, type) }) ?? true {
            return callOwn(fitting, values.map { ("", $0) }, base: AbstractValue(), at: offset)
        }
        if values.contains(where: gives) { reportForeign(symbol, at: left.offset) }
        return AbstractValue()
    }

    private func coalesce(_ left: CodeExpression, _ right: CodeExpression, expecting type: CodeTypeName?)
        -> AbstractValue
    {
        let first = evaluate(left, expecting: type)
        if case .boolean(let value) = right.kind {
            var meaning = first
            if value { (meaning.present, meaning.absent) = (first.absent, first.present) }
            if value { return meaning }
            demand(first.absent, .default)
            return meaning
        }
        if crashes(right) {
            _ = evaluate(right)
            require(first, .crash)
            return first.unwrapped
        }
        let second = inside(circumstances.opened) { evaluate(right, expecting: type) }
        let others = first.reads.isEmpty ? [] : second.reads
        if !others.isEmpty {
            note(first.reads) { $0.alternatives.formUnion(others) }
            note(others) { $0.alternatives.formUnion(first.reads) }
        }
        if right.isNull { return first }
        if second.absent.isEmpty { demand(first.absent, .default) }
        var meaning = first.unwrapped.joined(second)
        meaning.absent = Absence.all(first.absent, second.absent)
        if first.metatype == nil, meaning.texts.isEmpty || !first.reads.isEmpty { meaning.mayBeOther = true }
        return meaning
    }

    // MARK: - Casts

    /// What is known about a value after a cast.
    func cast(_ value: AbstractValue, to type: CodeTypeName, _ kind: CodeExpression.Cast, at offset: Int)
        -> AbstractValue
    {
        let target = names.resolved(type, in: self.type) ?? type
        var found = value
        if kind == .forced {
            var failing = value
            if let conversion = conversion(to: target) { failing.conversions.insert(conversion) }
            require(failing, .crash)
            found.absent = []
        }
        noteCast(of: value, to: target, kind, at: offset)
        if kind == .test {
            found.reads = []
            return found
        }
        let inner = target.unwrapped
        if inner.isDictionary {
            found.dictionaries = pairs.asDictionaries(value)
        } else if case .array(let element) = inner {
            found.element = [self.element(of: value, as: element)]
            found.dictionaries = []
        } else if ![nil, .dictionary, .array].contains(ReadType(inner)) {
            found.dictionaries = []
            if kind != .plain || isObjectiveC, let own = conversion(to: inner) { found.conversions.insert(own) }
        }
        found.pushes = inner.push == nil ? [] : value.pushes
        if inner.name != "Any", inner.name != "AnyObject", inner.name != "NSObject" {
            found.type = kind == .conditional ? .optional(inner) : target
        }
        return found
    }

    private func conversion(to target: CodeTypeName) -> Conversion? {
        if let name = target.unwrapped.name, Conversion.impossibleTypes.contains(name),
            names.type(named: name, in: type) == nil
        {
            return .impossibleCast(name)
        }
        return ReadType(target).map { .cast($0) }
    }

    private func element(of value: AbstractValue, as type: CodeTypeName) -> AbstractValue {
        var element = value.element.first ?? AbstractValue()
        element.type = type
        if type.isDictionary || type.name == "Any" || type.name == "AnyObject" {
            element.dictionaries.formUnion(
                pairs.asDictionaries(value).compactMap { $0.appending(PushDictionary.anyElement) })
        }
        return element
    }

    private func noteCast(of value: AbstractValue, to type: CodeTypeName, _ kind: CodeExpression.Cast, at offset: Int) {
        let inner = type.unwrapped
        if value.reads.isEmpty, !value.mayBeOther, kind != .plain, case .dictionary(_, let element) = inner,
            pairs.settled(value).dictionaries.contains(where: \.isWholePush), let name = element.unwrapped.name,
            ReadType(element) != nil || element.isDictionary, name != "Any", kind != .test
        {
            noteOther { $0.failingCasts.insert(place(offset)) }
        }
        guard !value.reads.isEmpty else { return }
        if let name = inner.name, Conversion.impossibleTypes.contains(name),
            names.type(named: name, in: self.type) == nil
        {
            note(value.reads) { $0.impossibleCasts.insert(name) }
        }
        guard let found = ReadType(inner) else { return }
        note(value.reads) { facts in
            facts.casts.insert(found)
            if !isObjectiveC { facts.strictCasts.insert(found) }
        }
    }
}

extension AbstractValue {
    /// Whether the value, used as a condition, says nothing about pairs or categories.
    var isUnknownCondition: Bool { self.absent.isEmpty && self.present.isEmpty && self.categories == nil }
}

extension CodeExpression {
    var isNull: Bool { if case .null = kind { true } else { false } }

    /// Whether the expression ends with `?`.
    var isChained: Bool { if case .chained = kind { true } else { false } }

    var literalType: CodeTypeName? {
        switch kind {
        case .text: .named("String", [])
        case .number(let text): .named(text.contains(".") ? "Double" : "Int", [])
        case .boolean: .named("Bool", [])
        default: nil
        }
    }
}

extension SystemTypes {
    /// Whether a type neither belongs to the system nor is declared in the code of the target.
    static func isForeign(_ type: CodeTypeName, _ names: CodeNames, _ context: Int?) -> Bool {
        guard case .named(let name, _) = type.unwrapped else { return false }
        if ["Any", "AnyObject", "id", "instancetype", "NSObject"].contains(name) || name.count == 1 { return false }
        if isKnown(name) { return false }
        guard let own = names.type(named: name, in: context) else { return true }
        return names.types[own].isForeign
    }
}
