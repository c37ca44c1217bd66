// SPDX-License-Identifier: MIT

extension SystemTypes {
    /// Methods of dictionaries that read, write or iterate over them.
    static let payloadMethods: Set<String> = [
        "object", "value", "objectForKey:", "valueForKey:", "valueForKeyPath:", "objectForKeyedSubscript:",
        "updateValue", "removeValue", "setValue", "setObject", "removeObject", "map", "flatMap", "compactMap",
        "forEach",
        "filter", "first", "contains", "reduce", "mapValues", "compactMapValues", "sorted", "merging", "merge",
        "addEntries",
    ]
}

/// Members and elements of values of system types: the dictionary of a push, texts, lists.
extension PayloadTracer {
    private static let dictionary = CodeTypeName.dictionary(.named("AnyHashable", []), .named("Any", []))
    static let string = CodeTypeName.named("String", [])

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
        case .category: return name == "rawValue" ? TracedValue(.category(nil), type: Self.string) : nil
        case .singleValue, .container, .decoder, .elements, .jsonDecoder: return TracedValue(form)
        case .implicit: return name == "rawValue" ? TracedValue(form) : nil
        default: return nil
        }
    }

    private func payloadMember(_ name: String, _ path: [String], _ value: TracedValue, at place: CodePlace)
        -> TracedValue?
    {
        var kept = value
        kept.sent = nil
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
        case "values", "allValues":
            if path.isEmpty { noteUnknown("code reads the values of the payload without their keys", at: place) }
            return value.derived()
        case "first", "last", "firstObject", "lastObject":
            return element(of: value, at: place)
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
            case .stored: result.join(TracedValue(form))
            default: break
            }
        }
        result.basis = value.influences
        result.isEach = true
        result.isConditional = result.isConditional || value.isConditional
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
        let outer = circumstances
        defer { circumstances = outer }
        narrow(toUseOf: target)
        if target.forms.count == 1, case .list(let values) = target.forms[0], values.count > 1,
            case .number(let text)? = arguments.first?.value.kind, let position = Int(text), position < values.count
        {
            return values[position]
        }
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
            fallback = uncertainly { evaluate(arguments[1].value, scope, frame) }
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
                result.gather(read(path, key, element, at: place, frame))
            case .map(let members):
                let isKnown = key.forms.allSatisfy { rawTexts(TracedValue($0)).count == 1 }
                let wanted = rawTexts(key)
                for member in members {
                    let names = rawTexts(member.key)
                    if !isKnown || wanted.isEmpty || names.contains(where: wanted.contains)
                        || member.key.forms == key.forms
                    {
                        result.join(member.value)
                    }
                }
                result.isOfUnknownKey = wanted.isEmpty
            case .list(let values):
                for value in values { result.join(value) }
                result.isEach = true
            case .stored:
                result.join(TracedValue(form))
                result.isOfUnknownKey = !isNumber && rawTexts(key).isEmpty
            default: break
            }
        }
        if isOptional || !target.absence.isEmpty { result.absence.formUnion(target.absence) }
        if target.isConditional { result.isConditional = true }
        result.throwing.formUnion(target.throwing)
        result.basis.formUnion(target.influences)
        return result
    }

    func read(
        _ path: [String],
        _ key: TracedValue,
        _ element: CodeTypeName?,
        at place: CodePlace,
        _ frame: Frame
    ) -> TracedValue {
        var result = TracedValue()
        for variable in key.variables where keyFields.insert(variable).inserted { hasNewFields = true }
        let forms = key.forms.count > 1 ? key.forms.filter { !$0.isEmptyText } : key.forms
        var isUnknown = forms.isEmpty && key.namesOfBuilds.isEmpty
        func add(_ text: String, _ origin: CodePlace?) {
            guard let site = read(path, text, at: place, origin: origin) else { return }
            if let origin, relayedKeys.contains(origin) {
                noteUnknown("the key is put together in another function; it may read more keys", at: place)
            }
            var value = TracedValue(.json(path + [text]), type: element)
            value.sites = [site]
            value.absence = [site]
            value.sent = SentValue(site: site)
            if let element { note(ReadType(element), of: value) }
            result.gather(value)
        }
        for form in forms {
            switch form {
            case .text(let text, let origin): add(text, origin)
            case .parameter(let function): notePending(function, at: place)
            case .anyKey, .null: break
            case .system, .object: break
            default: isUnknown = true
            }
        }
        noteChoice(of: result.sites, by: key)
        holding(Tested(isMixed: true), .branch) {
            for case .text(let text, let origin) in key.namesOfBuilds { add(text, origin) }
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
    func readPath(_ target: TracedValue, _ key: TracedValue, at place: CodePlace, _ frame: Frame) -> TracedValue {
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
    /// Whether it is a text without characters, which is no key.
    fileprivate var isEmptyText: Bool {
        if case .text("", _) = self { return true }
        return false
    }

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
    var systemName: String? {
        for form in forms {
            if case .system(let name) = form { return name }
        }
        return nil
    }
}
