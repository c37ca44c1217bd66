// SPDX-License-Identifier: MIT

/// Calls between Swift and Objective-C, in which a method has another name than in its declaration.
extension PayloadTracer {
    /// Finds the methods of a type in the other language that a call means.
    ///
    /// - Parameters:
    ///   - name: the name in the call: a selector in Objective-C.
    ///   - arguments: the arguments of the call.
    ///   - type: the type whose method is called.
    /// - Returns: the methods, and the arguments with the labels of their parameters; nil where there are none.
    func bridged(
        _ name: String,
        _ arguments: [CodeArgument],
        of type: Int
    ) -> (methods: [CodeIndex.Placed<CodeFunction>], arguments: [CodeArgument])? {
        let selectors = Self.selectors(name, arguments.map(\.label))
        for owner in index.ancestry(of: type) {
            let found = index.types[owner].methods.filter { placed in
                let function = placed.declaration
                guard function.body != nil, function.parameters.count == arguments.count else { return false }
                if function.kind == .message { return selectors.contains(function.name) }
                if function.objectiveCName == name { return true }
                return Self.selectors(function.name, function.parameters.map(\.label)).contains(name)
            }
            guard let first = found.first else { continue }
            let given = zip(arguments, first.declaration.parameters).map {
                CodeArgument(label: $1.label, value: $0.value)
            }
            return ([first], given)
        }
        return nil
    }

    /// Calls a method of an object or type that is declared in the other language; nil where there is none.
    func callBridged(_ call: MethodCall) -> TracedValue? {
        for form in call.target.forms {
            switch form {
            case .object(let type, _), .metatype(let type):
                guard let (methods, arguments) = bridged(call.name, call.arguments, of: type) else { continue }
                let isInitializer = methods[0].declaration.kind != .message && call.name.hasPrefix("init")
                if isInitializer {
                    return construct(
                        type, arguments, at: call.place, call.scope, call.frame, expected: call.expected)
                }
                return invoke(
                    methods, receiver: TracedValue(form, type: call.target.type), owner: type, arguments,
                    at: call.place, call.scope, call.frame, expected: call.expected)
            default: break
            }
        }
        return nil
    }

    /// The selectors that a method of Swift may have in Objective-C.
    private static func selectors(_ name: String, _ labels: [String]) -> Set<String> {
        guard let first = labels.first else { return [name] }
        let rest = labels.dropFirst().map { $0 + ":" }.joined()
        if first.isEmpty { return [name + ":" + rest] }
        let label = first.prefix(1).uppercased() + first.dropFirst()
        return [name + label + ":" + rest, name + "With" + label + ":" + rest]
    }
}
