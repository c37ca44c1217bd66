// SPDX-License-Identifier: MIT

extension SystemTypes {
    /// Methods of dictionaries that read, write or iterate over them.
    static let payloadMethods: Set<String> = [
        "object", "value", "objectForKey:", "valueForKey:", "valueForKeyPath:", "objectForKeyedSubscript:",
        "updateValue", "removeValue", "setValue", "setObject", "removeObject", "map", "flatMap", "compactMap",
        "forEach",
        "filter", "first", "contains", "reduce", "mapValues", "compactMapValues", "sorted", "merging", "merge",
    ]
}

/// Members, methods and initializers of system types: the dictionary of a push, texts, JSON, and the registration of
/// categories.
extension PayloadTracer {
    private static let dictionary = CodeTypeName.dictionary(.named("AnyHashable", []), .named("Any", []))
    private static let string = CodeTypeName.named("String", [])

    // MARK: - Members

    func systemMember(
        _ name: String,
        of form: Form,
        _ value: TracedValue,
        at place: CodePlace,
        _ frame: Frame
    ) -> TracedValue? {
        switch form {
        case .system(let type): return SystemTypes.member(name, of: type)
        case .systemType(let type):
            switch name {
            case "init": return TracedValue(.initializer(type))
            case "self", "Type", "class": return TracedValue(form)
            default:
                if let inner = index.type(named: name, in: nil, file: frame.file), name.first?.isUppercase ?? false,
                    !index.types[inner].isForeign
                {
                    return TracedValue(.metatype(inner))
                }
                if name.first?.isUppercase ?? false { return TracedValue(.systemType(type + "." + name)) }
                return name == "remoteNotification" ? TracedValue(.implicit(name, nil)) : nil
            }
        case .json(let path): return payloadMember(name, path, value, at: place)
        case .list(let values):
            guard name == "first" || name == "last" || name == "firstObject" || name == "lastObject" else {
                return name == "count" || name == "isEmpty" ? TracedValue() : nil
            }
            return values.reduce(TracedValue()) { $0.joined($1) }
        case .text(let text, let origin):
            switch name {
            case "lowercaseString": return TracedValue(.text(text.lowercased(), origin), type: Self.string)
            case "uppercaseString": return TracedValue(.text(text.uppercased(), origin), type: Self.string)
            case "description", "rawValue", "utf8": return TracedValue(form, type: Self.string)
            default: return nil
            }
        case .actionIdentifier: return name == "rawValue" ? TracedValue(form) : nil
        case .singleValue, .container, .decoder, .elements, .jsonDecoder: return TracedValue(form)
        case .implicit: return name == "rawValue" ? TracedValue(form) : nil
        default: return nil
        }
    }

    private func payloadMember(_ name: String, _ path: [String], _ value: TracedValue, at place: CodePlace)
        -> TracedValue?
    {
        var kept = value
        switch name {
        case "boolValue":
            noteConversion(.boolean, of: value)
            kept.type = .named("Bool", [])
            return kept
        case "intValue", "integerValue", "int64Value", "int32Value", "uintValue", "unsignedIntegerValue",
            "longLongValue", "longValue", "unsignedIntValue", "uint64Value", "unsignedLongLongValue", "int8Value",
            "int16Value":
            noteConversion(.integer, of: value)
            kept.type = .named("Int", [])
            return kept
        case "doubleValue", "floatValue", "decimalValue":
            noteConversion(.number, of: value)
            kept.type = .named("Double", [])
            return kept
        case "stringValue", "UTF8String": return kept
        case "keys", "allKeys": return value.derived([.keys(path)])
        case "values", "allValues": return value.derived()
        case "first", "last", "firstObject", "lastObject":
            return path.isEmpty || value.type?.isDictionary ?? false ? nil : element(of: value, at: place)
        default: return nil
        }
    }

    /// The value of an element in a loop over a value.
    func element(of value: TracedValue, at place: CodePlace) -> TracedValue {
        var result = TracedValue()
        for form in value.forms {
            switch form {
            case .json(let path):
                if path.isEmpty || value.type?.isDictionary ?? false {
                    noteUnknown("code loops over the keys of the payload", at: place)
                    result.join(
                        TracedValue([
                            .tuple([TracedValue(.anyKey, type: Self.string), TracedValue()]), .anyKey,
                        ])
                    )
                } else {
                    note(.array, of: value)
                    var inner: CodeTypeName?
                    if case .array(let element)? = value.type?.unwrapped { inner = element }
                    result.join(TracedValue(.json(path + ["[]"]), type: inner))
                }
            case .keys:
                noteUnknown("code loops over the keys of the payload", at: place)
                result.join(TracedValue(.anyKey, type: Self.string))
            case .list(let values): for value in values { result.join(value) }
            case .map(let members):
                for member in members { result.join(TracedValue(.tuple([member.key, member.value]))) }
            default: break
            }
        }
        result.basis = value.influences
        return result
    }

    // MARK: - Subscripts

    func subscripted(
        _ target: TracedValue,
        _ arguments: [CodeArgument],
        at place: CodePlace,
        _ scope: Scope,
        _ frame: Frame,
        expected: CodeTypeName?
    ) -> TracedValue {
        var result = TracedValue()
        var isKnown = false
        for form in target.forms {
            switch form {
            case .object(let type, _), .metatype(let type):
                let methods = index.methods("subscript", of: type)
                if let found = invoke(
                    methods, receiver: TracedValue(form, type: target.type), owner: type, arguments, at: place, scope,
                    frame,
                    expected: expected)
                {
                    result.join(found)
                    isKnown = true
                }
            default: break
            }
        }
        if isKnown {
            result.absence.formUnion(target.absence)
            return result
        }
        guard let first = arguments.first else { return target.derived() }
        var key = evaluate(first.value, scope, frame)
        if let (owner, methods) = foreignMethods("subscript", of: target, arguments),
            isOwnSubscript(methods, arguments, key),
            var found = invoke(
                methods, receiver: target, owner: owner, arguments, at: place, scope, frame, expected: expected)
        {
            found.absence.formUnion(target.absence)
            return found
        }
        // A dictionary of the code whose keys have one type: `[Key: Any]`.
        if case .dictionary(let wanted, _)? = target.type?.unwrapped {
            key.forms = key.forms.map { form in
                if case .implicit(let name, let origin) = form {
                    return implicit(name, of: wanted, origin, frame) ?? form
                }
                return form
            }
        }
        if target.forms.contains(.system("launchOptions")) {
            for form in key.forms {
                guard case .implicit("remoteNotification", _) = form else { continue }
                return TracedValue(.json([]), type: Self.dictionary)
            }
            return .unknown
        }
        var fallback: TracedValue?
        if arguments.count > 1, arguments[1].label == "default" {
            fallback = evaluate(arguments[1].value, scope, frame)
        }
        var found = read(target, key, isNumber: first.value.isNumber, at: place, frame)
        if let fallback {
            found = self.fallback(found, fallback, frame)
        }
        return found
    }

    /// Whether a subscript is one that an extension declares, and not that of the dictionary.
    private func isOwnSubscript(
        _ methods: [CodeIndex.Placed<CodeFunction>],
        _ arguments: [CodeArgument],
        _ key: TracedValue
    ) -> Bool {
        let labels = arguments.map(\.label)
        return methods.contains { method in
            let parameters = method.declaration.parameters
            guard parameters.count >= arguments.count,
                zip(labels, parameters).allSatisfy({ $0 == $1.label || $0.isEmpty && $1.label.isEmpty })
            else { return false }
            if labels.contains(where: { !$0.isEmpty && $0 != "default" }) { return true }
            let isText = parameters[0].type.flatMap { ReadType($0) } == .string
            let isPlainText =
                key.type.flatMap { ReadType($0) } == .string
                || key.forms.contains { form in
                    if case .text = form { return true }
                    return false
                }
            return isText ? false : !isPlainText
        }
    }

    /// Records the read of a key of a dictionary.
    func read(
        _ target: TracedValue,
        _ key: TracedValue,
        isNumber: Bool = false,
        at place: CodePlace,
        _ frame: Frame
    ) -> TracedValue {
        var result = TracedValue()
        var isOptional = false
        for form in target.forms {
            switch form {
            case .json(let path):
                if isNumber || target.type?.isArray ?? false {
                    guard !path.isEmpty else { continue }
                    note(.array, of: target)
                    var inner: CodeTypeName?
                    if case .array(let element)? = target.type?.unwrapped { inner = element }
                    result.join(TracedValue(.json(path + ["[]"]), type: inner))
                    continue
                }
                if !path.isEmpty { note(.dictionary, of: target) }
                isOptional = true
                var element: CodeTypeName?
                if case .dictionary(_, let value)? = target.type?.unwrapped { element = value.unwrapped }
                if element?.name == "Any" || element?.name == "AnyObject" || element?.name == "AnyHashable"
                    || element?.name == "NSObject"
                {
                    element = nil
                }
                result.join(read(path, key, element, at: place, frame))
            case .map(let members):
                for member in members {
                    let names = rawTexts(member.key)
                    let wanted = rawTexts(key)
                    if wanted.isEmpty || names.contains(where: wanted.contains) || member.key.forms == key.forms {
                        result.join(member.value)
                    }
                }
            case .list(let values): for value in values { result.join(value) }
            default: break
            }
        }
        if isOptional || !target.absence.isEmpty { result.absence.formUnion(target.absence) }
        result.throwing.formUnion(target.throwing)
        result.basis.formUnion(target.influences)
        return result
    }

    private func read(
        _ path: [String],
        _ key: TracedValue,
        _ element: CodeTypeName?,
        at place: CodePlace,
        _ frame: Frame
    ) -> TracedValue {
        var result = TracedValue()
        var isUnknown = key.forms.isEmpty
        for form in key.forms {
            switch form {
            case .text(let text, let origin):
                guard let site = read(path, text, at: place, origin: origin, frame) else { continue }
                var value = TracedValue(.json(path + [text]), type: element)
                value.sites = [site]
                value.absence = [site]
                if let element { note(ReadType(element), of: value) }
                result.join(value)
            case .parameter(let function): notePending(function, at: place)
            case .anyKey, .null: break
            case .system, .object: break
            default: isUnknown = true
            }
        }
        if isUnknown, !path.contains("[]") || !key.forms.isEmpty || key.type?.name != "Int" {
            if key.type?.name == "Int" {
                result.join(TracedValue(.json(path + ["[]"])))
            } else {
                noteUnknown("the key is not known before the code runs", at: place)
                for form in key.forms {
                    if case .enumCase(_, _, let origin?) = form {
                        noteUnknown("the key is not known before the code runs", at: origin)
                    }
                }
            }
        }
        return result
    }

    /// Records the reads of a path of keys, as in `valueForKeyPath:`.
    private func readPath(_ target: TracedValue, _ key: TracedValue, at place: CodePlace, _ frame: Frame) -> TracedValue
    {
        guard let texts = key.texts else { return read(target, key, at: place, frame) }
        var result = TracedValue()
        for (text, origin) in texts {
            var value = target
            for part in text.split(separator: ".").prefix(16) {
                if part.hasPrefix("@") {
                    note(.array, of: value)
                    value = value.derived()
                    break
                }
                value = read(value, TracedValue(.text(String(part), origin)), at: place, frame)
            }
            result.join(value)
        }
        return result
    }

    // MARK: - Methods

    func callSystem(
        _ name: String,
        of target: TracedValue,
        _ base: CodeExpression,
        _ arguments: [CodeArgument],
        at place: CodePlace,
        _ scope: Scope,
        _ frame: Frame,
        expected: CodeTypeName?,
        isChained: Bool
    ) -> TracedValue {
        func argument(_ label: String) -> CodeArgument? { arguments.first { $0.label == label } }
        func evaluated(_ argument: CodeArgument?) -> TracedValue {
            argument.map { evaluate($0.value, scope, frame) } ?? .unknown
        }
        let first = arguments.first
        let isPayload = target.forms.contains(where: \.isPayload)
        switch name {
        case "isKindOfClass:":
            for form in evaluated(first).forms {
                if case .systemType(let type) = form { note(ReadType(.named(type, [])), of: target) }
            }
            return target.derived([], type: .named("Bool", []))
        case "object", "value", "objectForKey:", "valueForKey:", "objectForKeyedSubscript:":
            if target.forms.contains(.system("launchOptions")) {
                return subscripted(target, arguments, at: place, scope, frame, expected: nil)
            }
            guard isPayload || target.forms.contains(where: \.isMap) else { break }
            if argument("forKeyPath") != nil { return readPath(target, evaluated(first), at: place, frame) }
            if name.hasSuffix(":") || argument("forKey") != nil {
                return read(target, evaluated(first), at: place, frame)
            }
        case "valueForKeyPath:": if isPayload { return readPath(target, evaluated(first), at: place, frame) }
        case "updateValue", "setValue", "setObject", "setObject:forKey:", "setValue:forKey:":
            if arguments.count >= 2 {
                write(
                    evaluate(arguments[1].value, scope, frame),
                    evaluated(first),
                    to: target,
                    base,
                    at: place,
                    scope,
                    frame
                )
                return .unknown
            }
        case "removeValue", "removeObject", "removeObjectForKey:", "removeObjectsForKeys:":
            if isPayload, let first {
                write(evaluate(first.value, scope, frame), .unknown, to: target, base, at: place, scope, frame)
                return .unknown
            }
        case "addEntriesFromDictionary:", "merge", "merging":
            let other = evaluated(first)
            if target.forms.contains(.json([])) {
                for form in other.forms {
                    guard case .map(let members) = form else { continue }
                    for member in members { for text in rawTexts(member.key) { noteWrite(text, at: place) } }
                }
            }
            return target
        case "mutableCopy", "copy": return target
        case "setUserInfo:":
            if target.forms.contains(.system("UNNotificationContent")) {
                for form in evaluated(first).forms {
                    guard case .map(let members) = form else { continue }
                    for member in members { for text in rawTexts(member.key) { noteWrite(text, at: place) } }
                }
                return .unknown
            }
        case "contains", "containsObject:":
            let value = evaluated(first)
            for form in target.forms {
                if case .keys(let path) = form { return read(path, value, nil, at: place, frame) }
            }
            if value.forms.contains(.actionIdentifier) { noteCompared(target, at: place, frame) }
        case "data", "dataUsingEncoding:", "dataUsingEncoding:allowLossyConversion:":
            let isJSON = target.forms.contains(.systemType("JSONSerialization"))
            if isJSON { return bytes(of: evaluated(first)) }
            if isPayload { return textBytes(target) }
        case "jsonObject", "JSONObjectWithData:options:error:": return decoded(evaluated(first), frame)
        case "dataWithJSONObject:options:error:": return bytes(of: evaluated(first))
        case "decode":
            if let result = decode(target, arguments, at: place, scope, frame, expected: expected) { return result }
        case "decodeIfPresent", "nestedContainer", "nestedUnkeyedContainer", "container", "unkeyedContainer",
            "singleValueContainer", "superDecoder":
            if let result = decode(name, target, arguments, at: place, scope, frame) { return result }
        case "isEqualToString:", "isEqual:", "isEqualToNumber:", "elementsEqual", "caseInsensitiveCompare",
            "caseInsensitiveCompare:", "hasPrefix:", "hasPrefix":
            let other = evaluated(first)
            if name.hasSuffix("String:") || name.hasPrefix("hasPrefix") { note(.string, of: target) }
            compare(target, other, at: place, right: first?.value, frame)
            return target.derived([], type: .named("Bool", [])).joined(other.derived())
        case "boolValue", "integerValue", "intValue", "doubleValue", "floatValue", "longLongValue",
            "unsignedIntegerValue",
            "stringValue", "longValue", "UTF8String", "allKeys", "firstObject", "lastObject":
            return member(name, of: target, at: place, frame)
        case "objectAtIndex:":
            if isPayload {
                return read(target, TracedValue([], type: .named("Int", [])), isNumber: true, at: place, frame)
            }
        case "enumerated":
            let inner = element(of: target, at: place)
            return TracedValue(.list([TracedValue(.tuple([TracedValue(), inner]))]))
        case "lowercased", "uppercased":
            if let texts = target.texts {
                return TracedValue(
                    texts.map { .text(name == "lowercased" ? $0.text.lowercased() : $0.text.uppercased(), $0.origin) },
                    type: Self.string
                )
            }
            return target
        case "stringByAppendingString:", "appending", "stringByAppendingFormat:":
            return concatenated(target, evaluated(first))
        case "map", "flatMap", "compactMap", "forEach", "filter", "first", "last", "sorted", "reduce", "mapValues",
            "compactMapValues", "allSatisfy", "firstIndex", "prefix", "suffix", "reversed", "makeIterator",
            "enumerateKeysAndObjectsUsingBlock:", "enumerateObjectsUsingBlock:", "publisher", "then", "shuffled",
            "dropFirst", "dropLast", "min", "max", "removeFirst", "popLast", "randomElement":
            return walk(name, target, arguments, at: place, scope, frame, isChained: isChained)
        case "containerURL", "containerURLForSecurityApplicationGroupIdentifier:":
            noteGroup(evaluated(first), at: place, isGroup: true)
            return .unknown
        case "initWithSuiteName:":
            noteGroup(evaluated(first), at: place, isGroup: false)
            return .unknown
        default: break
        }
        if let result = callForeign(name, of: target, arguments, at: place, scope, frame) { return result }
        if SystemTypes.textMethods.contains(name) || name.hasPrefix("stringBy") {
            _ = unknownCall(name, target, arguments, scope, frame)
            return target
        }
        if let value = SystemTypes.member(name, of: target.systemName ?? "") {
            var value = value
            value.absence = target.absence
            return value
        }
        var result = unknownCall(name, target, arguments, scope, frame)
        if let delivered = SystemTypes.closureParameter(of: name), arguments.isEmpty {
            result.forms = delivered.forms
        }
        return result
    }

    /// Traces factory methods of Objective-C, and conversions whose receiver is not followed.
    private func callForeign(
        _ name: String,
        of target: TracedValue,
        _ arguments: [CodeArgument],
        at place: CodePlace,
        _ scope: Scope,
        _ frame: Frame
    ) -> TracedValue? {
        func evaluated(_ position: Int) -> TracedValue {
            position < arguments.count ? evaluate(arguments[position].value, scope, frame) : .unknown
        }
        func converted(_ type: ReadType, _ name: String) -> TracedValue {
            var value = evaluated(0)
            noteConversion(type, of: value)
            value.type = .named(name, [])
            return value
        }
        switch name {
        case "URLWithString:", "initWithString:", "URLWithString:relativeToURL:",
            "URLWithString:encodingInvalidCharacters:",
            "componentsWithString:":
            let isURL =
                name.hasPrefix("URL") || name.hasPrefix("components")
                || target.forms.contains(.systemType("NSURL")) || target.type?.name == "NSURL"
            return isURL ? converted(.url, "NSURL") : nil
        case "dateFromString:": return converted(.date, "NSDate")
        case "date":
            guard arguments.first?.label == "from" else { return nil }
            let value = evaluated(0)
            guard !value.sites.isEmpty else { return value.derived() }
            return converted(.date, "Date")
        case "number":
            guard arguments.first?.label == "from" else { return nil }
            return converted(.number, "NSNumber")
        case "dateWithTimeIntervalSince1970:": return converted(.date, "NSDate")
        case "dictionaryWithDictionary:", "stringWithString:", "initWithDictionary:", "arrayWithArray:":
            return evaluated(0)
        case "numberFromString:": return converted(.number, "NSNumber")
        case "categoryWithIdentifier:actions:intentIdentifiers:options:",
            "categoryWithIdentifier:actions:intentIdentifiers:hiddenPreviewsBodyPlaceholder:options:",
            "categoryWithIdentifier:actions:intentIdentifiers:hiddenPreviewsBodyPlaceholder:categorySummaryFormat:options:":
            return category(evaluated(0), evaluated(1), at: place)
        case "actionWithIdentifier:title:options:", "actionWithIdentifier:title:options:icon:":
            return action(evaluated(0), isTextInput: false, at: place)
        case "actionWithIdentifier:title:options:textInputButtonTitle:textInputPlaceholder:",
            "actionWithIdentifier:title:options:icon:textInputButtonTitle:textInputPlaceholder:":
            return action(evaluated(0), isTextInput: true, at: place)
        default: return nil
        }
    }

    /// Calls a function with the elements of a value, or with the value itself if it is an optional.
    private func walk(
        _ name: String,
        _ target: TracedValue,
        _ arguments: [CodeArgument],
        at place: CodePlace,
        _ scope: Scope,
        _ frame: Frame,
        isChained: Bool
    ) -> TracedValue {
        let first = captured.count
        let values = arguments.map { evaluate($0.value, scope, frame) }
        let isScalar = target.type.map { !$0.isArray && !$0.isDictionary && ReadType($0) != nil } ?? false
        let isOptional =
            !isChained && (!target.absence.isEmpty || isScalar && target.forms.contains(where: \.isPayload))
            && (name == "map" || name == "flatMap")
        var result = TracedValue()
        if isOptional {
            if let function = values.last {
                result = apply(function, to: [target.present], at: place, frame) ?? target.derived()
            }
            result.absence.formUnion(target.absence)
            result.basis.formUnion(target.influences)
            return result
        }
        let isPush =
            target.forms.contains(.json([]))
            || (target.type?.isDictionary ?? false && target.forms.contains(where: \.isPayload))
        if isPush, ["filter", "mapValues", "compactMapValues", "reduce", "sorted"].contains(name) {
            // The result is a changed copy of the dictionary: its reads count as reads of the payload.
            for value in values { _ = apply(value, to: [TracedValue(), TracedValue()], at: place, frame) }
            return target
        }
        guard target.isOfInterest || target.forms.contains(where: \.isList) else {
            return unknownCall(name, target, [], scope, frame).joined(rest(values, from: first, name, at: place, frame))
        }
        if arguments.isEmpty, name == "first" || name == "last" || name == "randomElement" || name == "popLast" {
            return isPush ? .unknown : element(of: target, at: place)
        }
        let element = element(of: target, at: place)
        frame.loops += 1
        var given = TracedValue()
        for value in values {
            let parameters = name == "reduce" ? [TracedValue(), element] : [element]
            if let found = apply(value, to: parameters, at: place, frame) { given.join(found) }
        }
        frame.loops -= 1
        switch name {
        case "map", "flatMap", "compactMap":
            given.absence = []
            return TracedValue(.list([given]))
        case "filter", "sorted", "prefix", "suffix", "reversed", "dropFirst", "dropLast", "shuffled": return target
        case "first", "last", "min", "max", "randomElement": return element
        default:
            var value = TracedValue()
            value.basis = target.influences
            return value
        }
    }

    private func rest(
        _ values: [TracedValue],
        from first: Int,
        _ name: String,
        at place: CodePlace,
        _ frame: Frame
    ) -> TracedValue {
        runRest(from: first, values, name, at: place, frame)
        return .unknown
    }

    // MARK: - Values of the system's types

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

    private func category(_ name: TracedValue, _ actions: TracedValue, at place: CodePlace) -> TracedValue {
        var found: [String: Bool] = [:]
        func collect(_ value: TracedValue, _ depth: Int) {
            guard depth < 8 else { return }
            for form in value.forms {
                switch form {
                case .action(let names, let isTextInput): for name in names { found[name] = isTextInput }
                case .list(let values): for value in values { collect(value, depth + 1) }
                default: break
                }
            }
        }
        collect(actions, 0)
        for text in rawTexts(name) { noteCategory(text, found, at: place) }
        return .unknown
    }

    private func action(_ name: TracedValue, isTextInput: Bool, at place: CodePlace) -> TracedValue {
        let names = rawTexts(name)
        for name in names { noteAction(name, isTextInput: isTextInput, at: place) }
        return names.isEmpty ? .unknown : TracedValue(.action(names, isTextInput: isTextInput))
    }
}

extension CodeTypeName {
    var isDictionary: Bool {
        switch unwrapped {
        case .dictionary: true
        case .named(let name, _): name == "NSDictionary" || name == "NSMutableDictionary"
        default: false
        }
    }

    var isArray: Bool {
        switch unwrapped {
        case .array: true
        case .named(let name, _): name == "NSArray" || name == "NSMutableArray"
        default: false
        }
    }
}

extension CodeExpression {
    var isNumber: Bool {
        if case .number = kind { return true }
        return false
    }
}

extension Form {
    var isMap: Bool {
        if case .map = self { return true }
        return false
    }

    var isList: Bool {
        switch self {
        case .list, .keys: true
        default: false
        }
    }
}

extension TracedValue {
    fileprivate var systemName: String? {
        for form in forms {
            if case .system(let name) = form { return name }
        }
        return nil
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
