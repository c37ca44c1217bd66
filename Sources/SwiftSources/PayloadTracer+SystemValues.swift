// SPDX-License-Identifier: MIT

import DiagnosticSources

/// A call of an initializer of a system type.
private struct SystemInitializer {
    let name: String
    let arguments: [CodeArgument]
    let place: CodePlace
    let scope: PayloadTracer.Scope
    let frame: PayloadTracer.Frame

    /// The label of the first argument; empty where there is none.
    var label: String { arguments.first?.label ?? "" }
}

/// Initializers of system types: conversions of texts, and the registration of categories.
extension PayloadTracer {
    func constructSystem(
        _ name: String,
        _ arguments: [CodeArgument],
        at place: CodePlace,
        _ scope: Scope,
        _ frame: Frame
    ) -> TracedValue {
        let call = SystemInitializer(name: name, arguments: arguments, place: place, scope: scope, frame: frame)
        switch name {
        case "NSMutableDictionary" where arguments.isEmpty || call.label == "capacity",
            "Dictionary" where arguments.isEmpty || call.label == "minimumCapacity":
            return TracedValue(.map([]))
        case "UNNotificationCategory", "UNNotificationAction", "UNTextInputNotificationAction":
            return registered(call)
        case "UserDefaults", "NSUserDefaults":
            if let suite = labelled("suiteName", call) { noteGroup(suite, at: place, isGroup: false) }
            return .unknown
        case "URL", "NSURL", "URLComponents", "URLRequest":
            return call.label == "string" || call.label.isEmpty ? converted(to: .url, call) : unknownCall(call)
        case "Bool": return converted(to: .boolean, call)
        case "Date", "NSDate": return date(call)
        case "UUID": return converted(to: .string, call)
        case "String", "NSString", "AnyHashable", "NSDictionary", "NSMutableDictionary", "Dictionary", "Optional",
            "NSMutableString", "Substring", "LocalizedStringKey", "Array":
            return copied(call)
        case "Data", "NSData":
            let value = evaluated(0, call)
            if call.label.isEmpty, value.forms.contains(where: \.isPayload) { return textBytes(value) }
            return value.derived()
        case "JSONDecoder", "PropertyListDecoder": return TracedValue(.jsonDecoder(isSnakeCase: false))
        case "UNNotificationRequest":
            _ = unknownCall(call)
            return TracedValue(.system("UNNotificationRequest"))
        case "UNMutableNotificationContent": return TracedValue(.system("UNNotificationContent"))
        case "Result": return caught(call)
        case "NSNumber" where call.label != "value": return evaluated(0, call)
        case _ where SystemTypes.integers.contains(name): return converted(to: .integer, call)
        case _ where SystemTypes.numbers.contains(name): return converted(to: .number, call)
        default: return made(call)
        }
    }

    /// The value of an argument; unknown where there are fewer.
    private func evaluated(_ position: Int, _ call: SystemInitializer) -> TracedValue {
        guard position < call.arguments.count else { return .unknown }
        return evaluate(call.arguments[position].value, call.scope, call.frame)
    }

    /// The value of the argument with a label; nil where there is none.
    private func labelled(_ label: String, _ call: SystemInitializer) -> TracedValue? {
        call.arguments.first { $0.label == label }.map { evaluate($0.value, call.scope, call.frame) }
    }

    private func finishRest(_ call: SystemInitializer) {
        for argument in call.arguments.dropFirst() { _ = evaluate(argument.value, call.scope, call.frame) }
    }

    private func unknownCall(_ call: SystemInitializer) -> TracedValue {
        unknownCall(call.name, .unknown, call.arguments, call.scope, call.frame)
    }

    /// A category or an action that code declares.
    private func registered(_ call: SystemInitializer) -> TracedValue {
        guard call.name == "UNNotificationCategory" else {
            let isTextInput = call.name == "UNTextInputNotificationAction"
            return action(labelled("identifier", call) ?? .unknown, isTextInput: isTextInput, at: call.place)
        }
        let actions = labelled("actions", call) ?? .unknown
        for argument in call.arguments where argument.label != "actions" && argument.label != "identifier" {
            _ = evaluate(argument.value, call.scope, call.frame)
        }
        return category(labelled("identifier", call) ?? .unknown, actions, at: call.place)
    }

    /// The conversion of a text, which is nil for texts that are not of the type.
    ///
    /// - Parameters:
    ///   - type: the type of the texts.
    ///   - isText: whether the initializer takes a text, so that a number is already converted.
    ///   - call: the initializer.
    /// - Returns: the value.
    private func converted(to type: ReadType, isText: Bool = true, _ call: SystemInitializer) -> TracedValue {
        var value = evaluated(0, call)
        finishRest(call)
        let isNumber = value.type.flatMap { ReadType($0) }.map { $0 == .integer || $0 == .number } ?? false
        if !isNumber || !isText {
            noteConversion(type, of: value)
            value.type = .optional(.named(call.name, []))
        }
        let sent = value.sent
        value.sent = nil
        if let sent, sent.conversion == nil, isConversionOfText(call) {
            value.sent = SentValue(site: sent.site, conversion: .initializer(call.name))
        }
        if value.texts != nil { value.forms = [] }
        return value
    }

    /// The date that an initializer makes of a number of seconds, or of a text in ISO 8601 or in another format.
    private func date(_ call: SystemInitializer) -> TracedValue {
        if !call.arguments.dropFirst().contains(where: \.value.mentionsISO8601) {
            noteOtherDate(of: evaluated(0, call))
        }
        return converted(to: .date, isText: false, call)
    }

    /// Whether an initializer is one of the system that ``Conversion`` knows, and not one of an extension.
    private func isConversionOfText(_ call: SystemInitializer) -> Bool {
        let label =
            switch call.name {
            case "URL": "string"
            case "UUID": "uuidString"
            default: ""
            }
        guard Conversion.knownInitializers.contains(call.name), call.arguments.map(\.label) == [label] else {
            return false
        }
        guard let type = index.type(named: call.name, in: call.frame.owner, file: call.frame.file) else { return true }
        return !index.methods("init", of: type).contains { $0.declaration.parameters.first?.label == label }
    }

    /// A text, list or dictionary that is made from another one.
    private func copied(_ call: SystemInitializer) -> TracedValue {
        switch call.label {
        case "data", "contentsOf", "contentsOfFile", "decoding", "bytes": return unknownCall(call)
        case "describing", "reflecting":
            let value = evaluated(0, call)
            for form in value.forms {
                if case .enumCase(_, let text, let origin) = form {
                    return TracedValue(.text(text, origin), type: Self.string)
                }
            }
            return value.derived([], type: Self.string)
        case "format":
            if let texts = evaluated(0, call).texts, texts.count == 1 {
                let values = call.arguments.dropFirst().map { evaluate($0.value, call.scope, call.frame) }
                return formatted(texts[0].text, values)
            }
        default: break
        }
        var value = evaluated(0, call)
        finishRest(call)
        // Methods may change what a mutable object holds.
        if call.arguments.count > 1 || call.name.hasPrefix("NSMutable") { value.sent = nil }
        if call.name.hasSuffix("Dictionary") {
            // `Dictionary(uniqueKeysWithValues: payload.map { … })`
            return value.forms.contains(where: \.isPayload) ? value : value.derived()
        }
        if value.type.flatMap({ ReadType($0) }).map({ $0 != .string }) ?? false, call.name == "String" {
            value.type = Self.string
        }
        return value
    }

    /// The `Result` of a closure that may throw.
    private func caught(_ call: SystemInitializer) -> TracedValue {
        guard let closure = call.arguments.first.map({ evaluate($0.value, call.scope, call.frame) }) else {
            return .unknown
        }
        guard var value = apply(closure, to: [], at: call.place, call.frame) else { return closure }
        mark(value.throwing, .return, call.frame)
        value.throwing = []
        return value
    }

    /// A value of any other type, which is nil if the first argument is.
    private func made(_ call: SystemInitializer) -> TracedValue {
        // The name may also be that of a macro, such as one that writes to a log.
        let isForeign =
            !SystemTypes.readsNoPairs(call.name)
            && (isTypeParameter(call.name, call.frame)
                || importsOthers && isForeign(.named(call.name, []), call.frame))
        var value = unknownCall(
            call.name, .unknown, call.arguments, call.scope, call.frame, foreignAt: isForeign ? call.place : nil)
        if let push = SystemTypes.push(call.name) { value.forms = [.system(push)] }
        for argument in call.arguments.prefix(1) {
            if case .closure = argument.value.kind { continue }
            value.absence.formUnion(evaluate(argument.value, call.scope, call.frame).absence)
        }
        value.type = .named(call.name, [])
        return value
    }

    private func formatted(_ format: String, _ values: [TracedValue]) -> TracedValue {
        var result = TracedValue(.text("", nil), type: Self.string)
        let parts = format.parts(between: "%@")
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

extension CodeExpression {
    /// Whether it is the format of ISO 8601, such as `.iso8601` or `Date.ISO8601FormatStyle()`.
    fileprivate var mentionsISO8601: Bool {
        switch kind {
        case .name(let name): name.hasPrefix("ISO8601")
        case .member(let base, let name):
            name == "iso8601" || name.hasPrefix("ISO8601") || base?.mentionsISO8601 ?? false
        case .call(let callee, _): callee.mentionsISO8601
        default: false
        }
    }
}
