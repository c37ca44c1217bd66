// SPDX-License-Identifier: MIT

/// Closures that properties and global variables hold, and calls of them.
///
/// A closure may be called before the analysis has seen where it is assigned. The calls are therefore recorded, and
/// made at the end of a round, when all closures are known.
extension PayloadTracer {
    /// A call of whatever closures a property or global variable holds.
    struct StoredCall {
        /// The name of the property or variable, as in ``fields``.
        var key: String
        var values: [TracedValue]
        /// Whether all of the closures are called, in turn.
        var isEach: Bool
        var place: CodePlace
        var frame: Frame
        var circumstances: Circumstances
    }

    /// A call of stored closures, without its place.
    struct StoredCallKey: Hashable {
        var key: String
        var values: [TracedValue]
        var isEach: Bool
        var circumstances: Circumstances
    }

    /// Records the closures in a value that is assigned to a property or global variable.
    func storeClosures(in value: TracedValue, _ key: String) {
        let functions = value.functions
        guard !functions.isEmpty else { return }
        storedClosures[key, default: TracedValue()].join(TracedValue(functions))
    }

    /// Records closures that are assigned to a property or global variable, or added to a list or dictionary in one.
    ///
    /// - Parameters:
    ///   - value: the closures, or a list or dictionary of them.
    ///   - target: the expression of the property or variable.
    ///   - scope: the names that are visible to the expression.
    ///   - frame: the function that contains it.
    func storeClosures(in value: TracedValue, to target: CodeExpression, _ scope: Scope, _ frame: Frame) {
        let isParameter = value.forms.isEmpty && value.sites.isEmpty
        guard isParameter || !value.functions.isEmpty, let key = fieldKey(of: target, scope, frame) else { return }
        storeClosures(in: value, key)
        // The closure may be a parameter: the callers of this function are run too.
        guard isParameter, calledFields.contains(key), let function = frame.function else { return }
        let isInitializer = function.kind == .initializer || function.kind == .failableInitializer
        let name = isInitializer ? frame.owner.map { index.types[$0].simpleName } : function.name
        if let name, closureSetters.insert(name).inserted { hasNewFields = true }
    }

    /// The name of a property or global variable, as in ``fields``; nil for any other expression.
    private func fieldKey(of target: CodeExpression, _ scope: Scope, _ frame: Frame) -> String? {
        switch target.kind {
        case .chained(let inner), .forced(let inner): return fieldKey(of: inner, scope, frame)
        case .index(let base, _): return fieldKey(of: base, scope, frame)
        case .name(let name):
            guard scope.lookUp(name) == nil else { return nil }
            if let owner = frame.owner, let found = index.variable(name, of: owner) {
                return fieldKey(name, of: found.owner)
            }
            return index.variables[name] == nil ? nil : "." + name
        case .member(let base?, let name):
            for form in evaluate(base, scope, frame).forms {
                switch form {
                case .object(let type, _), .metatype(let type):
                    if let found = index.variable(name, of: type) { return fieldKey(name, of: found.owner) }
                default: break
                }
            }
            return nil
        default: return nil
        }
    }

    /// The name of a property, as in ``fields``.
    func fieldKey(_ name: String, of type: Int) -> String { index.types[type].name + "." + name }

    /// A value of a property or global variable that is called, or that may hold closures.
    func callable(_ value: TracedValue, _ key: String) -> TracedValue {
        var value = value
        let form = Form.stored(key)
        if !value.forms.contains(.contentHandler), !value.forms.contains(form) { value.forms.append(form) }
        return value
    }

    /// Records a call of the closures that a property or global variable holds.
    func callStored(
        _ key: String,
        _ values: [TracedValue],
        isEach: Bool,
        at place: CodePlace,
        _ frame: Frame
    ) -> TracedValue {
        var result = TracedValue()
        for value in values { result.basis.formUnion(value.influences) }
        guard storedCalls.count < Limit.storedCalls else {
            isExhausted = true
            return result
        }
        guard values.contains(where: \.carriesPush),
            storedCallKeys.insert(
                StoredCallKey(key: key, values: values, isEach: isEach, circumstances: circumstances)
            ).inserted
        else { return result }
        storedCalls.append(
            StoredCall(
                key: key, values: values, isEach: isEach, place: place, frame: frame, circumstances: circumstances))
        // In the next round, all functions that may assign a closure to it are run.
        if calledFields.insert(key).inserted { hasNewFields = true }
        return result
    }

    /// Whether a call of a value calls one of several functions, or none of them.
    func isOneOfSeveral(_ value: TracedValue) -> Bool {
        if value.isEach { return false }
        var functions: Set<AnyHashable> = []
        for form in value.forms {
            switch form {
            case .closure(let id): functions.insert(captured[id].declaration)
            case .method, .initializer, .object: functions.insert(form)
            default: break
            }
        }
        return value.isOfUnknownKey || functions.count > 1
    }

    /// Makes the recorded calls, and runs the closures that nothing is known to call.
    func runStoredClosures() {
        var nextCall = 0
        var nextClosure = 0
        while nextCall < storedCalls.count || nextClosure < captured.count {
            if nextCall < storedCalls.count {
                let call = storedCalls[nextCall]
                nextCall += 1
                let isCalled = inCircumstances(call.circumstances) {
                    storedClosures[call.key].map { closures in
                        var closures = closures
                        closures.isEach = call.isEach
                        if isOneOfSeveral(closures) { narrow(Tested(isMixed: true), .branch) }
                        return uncertainly { apply(closures, to: call.values, at: call.place, call.frame) != nil }
                    }
                }
                if isCalled == true { continue }
                // The property that keeps the system's closure may be set by code that is not read.
                let name = call.key.split(separator: ".").last.map(String.init) ?? ""
                if name.isContentHandler || fields[call.key]?.forms.contains(.contentHandler) ?? false { continue }
                noteUnknown("the push is passed to a closure that is not found", at: call.place)
            } else {
                let closure = captured[nextClosure]
                if closure.isFollowed, !ran.contains(nextClosure) {
                    // What is passed to it is not known, and no key that it has to be asked for.
                    let values = closure.parameters.map { parameter in
                        parameter.type.map { value(of: $0, closure.frame) } ?? TracedValue(.anyKey)
                    }
                    let place = CodePlace(file: closure.frame.file, offset: 0)
                    let implicit = [TracedValue(.anyKey), TracedValue(.anyKey)]
                    uncertainly {
                        _ = self.call(
                            closure: nextClosure, values.isEmpty ? implicit : values, at: place, from: closure.frame)
                    }
                }
                nextClosure += 1
            }
        }
    }
}

extension TracedValue {
    /// The closures and methods that the value is or contains.
    fileprivate var functions: [Form] {
        forms.flatMap { form -> [Form] in
            switch form {
            case .closure, .method: [form]
            case .list(let values), .tuple(let values): values.flatMap(\.functions)
            case .map(let members): members.flatMap(\.value.functions)
            default: []
            }
        }
    }

    /// Whether the value is a push, or contains all of its key-value pairs.
    var carriesPush: Bool {
        forms.contains { form in
            switch form {
            case .json(let path): path.isEmpty
            case .system(let name): SystemTypes.carriesPush(name)
            case .list(let values), .tuple(let values): values.contains(where: \.carriesPush)
            default: false
            }
        }
    }
}

extension CodeTypeName {
    /// Whether a value of the type is a function, or a list or dictionary of functions.
    var holdsFunctions: Bool {
        switch unwrapped {
        case .function: true
        case .array(let element), .dictionary(_, let element): element.unwrapped == .function
        default: false
        }
    }
}
