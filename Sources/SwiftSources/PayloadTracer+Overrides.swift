// SPDX-License-Identifier: MIT

/// Calls of methods that subclasses override, or that types which conform to a protocol declare.
extension PayloadTracer {
    /// The types below a type that declare a method of a name.
    private func overriders(of name: String, from type: Int) -> [Int] {
        index.descendants(of: type).filter { owner in
            index.types[owner].functions[name]?.contains { $0.declaration.body != nil } ?? false
        }
    }

    /// Whether objects of a type that are of none of its subclasses do something in a method.
    private func isImplemented(_ name: String, in type: Int) -> Bool {
        index.methods(name, of: type).contains { placed in
            placed.declaration.body.map { !$0.isEmpty } ?? false
                && placed.declaration.mentions.isDisjoint(with: SystemTypes.crashing)
        }
    }

    /// The arguments of a call that runs several functions, as names of a scope that holds their values; those that are
    /// not calls remain as they are.
    func evaluatedOnce(
        _ arguments: [CodeArgument],
        of name: String,
        overriddenFrom type: Int,
        _ scope: Scope,
        _ frame: Frame
    ) -> (arguments: [CodeArgument], scope: Scope) {
        guard arguments.contains(where: \.value.isWorkToEvaluate),
            let owner = overriders(of: name, from: type).first,
            let parameters = index.types[owner].functions[name]?.first?.declaration.parameters
        else { return (arguments, scope) }
        let inner = Scope(scope)
        let given = zip(arguments.indices, arguments).map { position, argument in
            guard argument.value.isWorkToEvaluate else { return argument }
            let expected = position < parameters.count ? parameters[position].type : nil
            // No name in code begins with a digit.
            let name = "\(position) argument"
            inner.names[name] = evaluate(argument.value, scope, frame, expected: expected)
            var known = argument
            known.value = CodeExpression(.name(name), at: argument.value.offset)
            return known
        }
        return (given, inner)
    }

    /// Calls the methods of subclasses and of types that conform to a protocol, where a push is passed to them or they
    /// may give a key; nil where there are none.
    ///
    /// One of them is called, unless those of several objects are called in turn (`isEach`). An object other than
    /// `self` may also be of the type itself, which for `self` is often only a superclass.
    func callOverrides(
        _ name: String,
        _ arguments: [CodeArgument],
        of type: Int,
        at place: CodePlace,
        _ scope: Scope,
        _ frame: Frame,
        expected: CodeTypeName?,
        isOfSelf: Bool = true,
        isEach: Bool = false
    ) -> TracedValue? {
        let owners = overriders(of: name, from: type)
        guard let first = owners.first.flatMap({ index.types[$0].functions[name]?.first?.declaration }),
            mayGiveKey(first) || arguments.contains(where: { evaluate($0.value, scope, frame).givesKeys })
        else { return nil }
        let outer = circumstances
        defer { circumstances = outer }
        if !isEach, owners.count > 1 || !isOfSelf && isImplemented(name, in: type) {
            narrow(Tested(isMixed: true), .branch)
        }
        var result: TracedValue?
        for owner in owners {
            let found = invoke(
                index.types[owner].functions[name] ?? [], receiver: TracedValue(.object(owner, 0)), owner: owner,
                arguments, at: place, scope, frame, expected: expected)
            if let found { result = result.map { $0.either(found) } ?? found }
        }
        return result
    }
}

extension CodeExpression {
    /// Whether it is or has a call, which runs code when it is evaluated.
    fileprivate var isWorkToEvaluate: Bool {
        switch kind {
        case .call(let callee, _):
            // The type of the parameter says what this is.
            if case .member(nil, _) = callee.kind { return false }
            return true
        case .index, .choice, .binary, .list, .map: return true
        case .cast(let inner, _, _), .forced(let inner), .chained(let inner), .attempt(let inner, _),
            .member(let inner?, _):
            return inner.isWorkToEvaluate
        default: return false
        }
    }
}
