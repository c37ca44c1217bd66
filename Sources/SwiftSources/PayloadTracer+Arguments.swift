// SPDX-License-Identifier: MIT

/// The function that a call means, and the parameters that its arguments are for.
extension PayloadTracer {
    func overload(
        _ candidates: [CodeIndex.Placed<CodeFunction>],
        _ arguments: [CodeArgument]
    ) -> CodeIndex.Placed<CodeFunction>? {
        let bodied = candidates.filter { $0.declaration.body != nil }
        guard bodied.count > 1 else {
            guard let only = bodied.first else { return nil }
            return only
        }
        func fits(_ function: CodeFunction) -> Int {
            var score = 0
            let labels = function.parameters.map(\.label)
            var next = 0
            for argument in arguments {
                let isClosure = if case .closure = argument.value.kind { true } else { false }
                if let position = labels[next...].firstIndex(of: argument.label) {
                    score += 2
                    next = position + 1
                } else if isClosure, next < labels.count {
                    next += 1
                } else {
                    score -= 3
                }
            }
            let missing = function.parameters.count { $0.fallback == nil } - arguments.count
            // With equal matches, a call of another overload is more likely than recursion.
            return (score - Swift.max(0, missing)) * 2 - (isRunning(function) ? 1 : 0)
        }
        return bodied.max { fits($0.declaration) < fits($1.declaration) }
    }

    /// Assigns arguments to parameters.
    func matched(
        _ arguments: [CodeArgument],
        _ parameters: [CodeParameter]
    ) -> [(parameter: CodeParameter, value: CodeExpression?)] {
        var taken = Set<Int>()
        var found: [(parameter: CodeParameter, value: CodeExpression?)] = []
        var next = 0
        for parameter in parameters {
            let candidates = arguments.indices.filter { !taken.contains($0) && $0 >= next }
            let position =
                candidates.first { arguments[$0].label == parameter.label }
                ?? (parameter.type == .function || parameter.type == .optional(.function)
                    ? candidates.first { if case .closure = arguments[$0].value.kind { true } else { false } } : nil)
            guard let position else {
                found.append((parameter, nil))
                continue
            }
            // A variadic parameter is a list of its argument and of those without a label after it.
            let more = parameter.isVariadic ? arguments[(position + 1)...].prefix { $0.label.isEmpty }.count : 0
            let values = arguments[position...(position + more)].map(\.value)
            taken.formUnion(position...(position + more))
            next = position + more + 1
            let list = parameter.isVariadic ? CodeExpression(.list(values), at: values[0].offset) : values[0]
            found.append((parameter, list))
        }
        if taken.isEmpty, arguments.count == parameters.count {
            return zip(parameters, arguments).map { ($0, $1.value) }
        }
        return found
    }
}
