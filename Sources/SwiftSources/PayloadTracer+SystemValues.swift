// SPDX-License-Identifier: MIT

/// Initializers of system types: conversions of texts, and the registration of categories.
extension PayloadTracer {
    func constructSystem(
        _ name: String,
        _ arguments: [CodeArgument],
        at place: CodePlace,
        _ scope: Scope,
        _ frame: Frame,
        expected: CodeTypeName?
    ) -> TracedValue {
        func evaluated(_ position: Int) -> TracedValue {
            position < arguments.count ? evaluate(arguments[position].value, scope, frame) : .unknown
        }
        func labelled(_ label: String) -> TracedValue? {
            arguments.first { $0.label == label }.map { evaluate($0.value, scope, frame) }
        }
        func finishRest() { for argument in arguments.dropFirst() { _ = evaluate(argument.value, scope, frame) } }
        func converted(_ evidence: ReadType, isText: Bool = true) -> TracedValue {
            var value = evaluated(0)
            finishRest()
            let isNumber = value.type.flatMap { ReadType($0) }.map { $0 == .integer || $0 == .number } ?? false
            if !isNumber || !isText {
                noteConversion(evidence, of: value)
                value.type = .optional(.named(name, []))
            }
            if value.texts != nil { value.forms = [] }
            return value
        }
        let label = arguments.first?.label ?? ""
        switch name {
        case "NSMutableDictionary" where arguments.isEmpty || label == "capacity",
            "Dictionary" where arguments.isEmpty || label == "minimumCapacity":
            return TracedValue(.map([]))
        case "UNNotificationCategory":
            let actions = labelled("actions") ?? .unknown
            for argument in arguments where argument.label != "actions" && argument.label != "identifier" {
                _ = evaluate(argument.value, scope, frame)
            }
            return category(labelled("identifier") ?? .unknown, actions, at: place)
        case "UNNotificationAction", "UNTextInputNotificationAction":
            return action(
                labelled("identifier") ?? .unknown,
                isTextInput: name == "UNTextInputNotificationAction",
                at: place
            )
        case "UserDefaults", "NSUserDefaults":
            if let suite = labelled("suiteName") { noteGroup(suite, at: place, isGroup: false) }
            return .unknown
        case "URL", "NSURL", "URLComponents", "URLRequest":
            return label == "string" || label.isEmpty
                ? converted(.url) : unknownCall(name, .unknown, arguments, scope, frame)
        case "Bool": return converted(.boolean)
        case "Date", "NSDate":
            return converted(.date, isText: false)
        case "UUID": return converted(.string)
        case "String", "NSString", "AnyHashable", "NSDictionary", "NSMutableDictionary", "Dictionary", "Optional",
            "NSMutableString", "Substring", "LocalizedStringKey", "Array":
            if label == "data" || label == "contentsOf" || label == "contentsOfFile" || label == "decoding"
                || label == "bytes"
            {
                return unknownCall(name, .unknown, arguments, scope, frame)
            }
            if label == "describing" || label == "reflecting" {
                let value = evaluated(0)
                for form in value.forms {
                    if case .enumCase(_, let text, let origin) = form {
                        return TracedValue(.text(text, origin), type: Self.string)
                    }
                }
                return value.derived([], type: Self.string)
            }
            if label == "format", let texts = evaluated(0).texts, texts.count == 1 {
                return formatted(texts[0].text, arguments.dropFirst().map { evaluate($0.value, scope, frame) })
            }
            var value = evaluated(0)
            finishRest()
            if name == "Dictionary" || name.hasSuffix("Dictionary") {
                // `Dictionary(uniqueKeysWithValues: payload.map { … })`
                return value.forms.contains(where: \.isPayload) ? value : value.derived()
            }
            if value.type.flatMap({ ReadType($0) }).map({ $0 != .string }) ?? false, name == "String" {
                value.type = Self.string
            }
            return value
        case "Data", "NSData":
            let value = evaluated(0)
            if label.isEmpty, value.forms.contains(where: \.isPayload) { return textBytes(value) }
            return value.derived()
        case "JSONDecoder", "PropertyListDecoder": return TracedValue(.jsonDecoder(isSnakeCase: false))
        case "UNNotificationRequest":
            _ = unknownCall(name, .unknown, arguments, scope, frame)
            return TracedValue(.system("UNNotificationRequest"))
        case "UNMutableNotificationContent": return TracedValue(.system("UNNotificationContent"))
        case "Result":
            if let value = arguments.first.map({ evaluate($0.value, scope, frame) }) {
                return apply(value, to: [], at: place, frame).map { value in
                    var value = value
                    mark(value.throwing, .return, frame)
                    value.throwing = []
                    return value
                } ?? value
            }
            return .unknown
        default:
            if SystemTypes.integers.contains(name) || SystemTypes.numbers.contains(name) {
                if name == "NSNumber", label != "value" { return evaluated(0) }
                return converted(SystemTypes.integers.contains(name) ? .integer : .number)
            }
            // For any other type, the value is nil if its first argument is.
            var value = unknownCall(name, .unknown, arguments, scope, frame)
            if let push = SystemTypes.push(name) { value.forms = [.system(push)] }
            for argument in arguments.prefix(1) {
                guard case .closure = argument.value.kind else {
                    value.absence.formUnion(evaluate(argument.value, scope, frame).absence)
                    continue
                }
            }
            value.type = .named(name, [])
            return value
        }
    }

    private func formatted(_ format: String, _ values: [TracedValue]) -> TracedValue {
        var result = TracedValue(.text("", nil), type: Self.string)
        let parts = format.components(separatedBy: "%@")
        guard parts.count == values.count + 1, !parts.contains(where: { $0.contains("%") }) else { return .unknown }
        for (position, part) in parts.enumerated() {
            result = concatenated(result, TracedValue(.text(part, nil)))
            if position < values.count { result = concatenated(result, values[position]) }
        }
        return result
    }

    func category(_ name: TracedValue, _ actions: TracedValue, at place: CodePlace) -> TracedValue {
        var found: [String: Bool] = [:]
        var isWhole = true
        func collect(_ value: TracedValue, _ depth: Int) {
            guard depth < 8, !value.forms.isEmpty else { return isWhole = false }
            for form in value.forms {
                switch form {
                case .action(let names, let isTextInput): for name in names { found[name] = isTextInput }
                case .list(let values): for value in values { collect(value, depth + 1) }
                case .null: break
                default: isWhole = false
                }
            }
        }
        collect(actions, 0)
        let names = rawTexts(name)
        // An empty identifier is the default of a property that gets its value while the app runs.
        for text in names where !text.isEmpty { noteCategory(text, found, isWhole: isWhole, at: place) }
        var others = name.forms.filter { $0 != .null }.count - names.filter { !$0.isEmpty }.count
        for case .parameter(let function) in name.forms {
            followCallers(of: function)
            categoryFunctions.insert(function)
            others -= 1
        }
        if others > 0 || name.forms.isEmpty { registersUnknownCategories = true }
        return .unknown
    }

    func action(_ name: TracedValue, isTextInput: Bool, at place: CodePlace) -> TracedValue {
        let names = rawTexts(name).filter { !$0.isEmpty }
        for name in names { noteAction(name, isTextInput: isTextInput, at: place) }
        return names.isEmpty ? .unknown : TracedValue(.action(names, isTextInput: isTextInput))
    }
}

extension String {
    /// The parts of a text between the occurrences of a separator.
    fileprivate func components(separatedBy separator: String) -> [String] {
        var parts: [String] = []
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            parts.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        parts.append(String(rest))
        return parts
    }
}
