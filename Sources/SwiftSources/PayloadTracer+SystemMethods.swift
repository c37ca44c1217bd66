// SPDX-License-Identifier: MIT

/// Methods of system types: those that read, write or iterate over the dictionary of a push, and those of texts and
/// JSON.
extension PayloadTracer {
    func callSystem(_ call: MethodCall) -> TracedValue {
        let known =
            callOfDictionary(call) ?? callOfList(call) ?? callOfText(call) ?? callOfJSON(call) ?? callOfObject(call)
            ?? callForeign(call)
        if let known { return known }
        if SystemTypes.textMethods.contains(call.name) || call.name.hasPrefix("stringBy") {
            _ = unknownCall(call.name, call.target, call.arguments, call.scope, call.frame)
            return call.target.changed
        }
        if let value = SystemTypes.member(call.name, of: call.target.systemName ?? "") {
            var value = value
            value.absence = call.target.absence
            return value
        }
        if call.target.forms.contains(.json([])), !Self.keylessMethods.contains(call.name) {
            noteUnknown("'\(call.name.shownSelector)' of the payload is not followed", at: call.place)
        }
        noteUnknownMethod(call)
        var result = unknownCall(
            call.name, call.target, call.arguments, call.scope, call.frame,
            foreignAt: isForeignMethod(call) ? call.place : nil)
        if let delivered = SystemTypes.closureParameter(of: call.name), call.arguments.isEmpty {
            result.forms = delivered.forms
        }
        return result
    }

    /// The value of an argument; unknown where there are fewer.
    private func argument(_ position: Int, of call: MethodCall) -> TracedValue {
        guard position < call.arguments.count else { return .unknown }
        return evaluate(call.arguments[position].value, call.scope, call.frame)
    }

    /// Calls a method that reads or writes keys of a dictionary; nil for any other.
    private func callOfDictionary(_ call: MethodCall) -> TracedValue? {
        let isPayload = call.target.forms.contains(where: \.isPayload)
        switch call.name {
        case "object", "value", "objectForKey:", "valueForKey:", "objectForKeyedSubscript:":
            if call.target.forms.contains(.system("launchOptions")) {
                return subscripted(call.target, call.arguments, at: call.place, call.scope, call.frame, expected: nil)
            }
            guard isPayload || call.target.forms.contains(where: \.isMap) else { return nil }
            let labels = call.arguments.map(\.label)
            if labels.contains("forKeyPath") {
                return readPath(call.target, argument(0, of: call), at: call.place, call.frame)
            }
            guard call.name.hasSuffix(":") || labels.contains("forKey") else { return nil }
            return read(call.target, argument(0, of: call), at: call.place, call.frame)
        case "valueForKeyPath:":
            return isPayload ? readPath(call.target, argument(0, of: call), at: call.place, call.frame) : nil
        case "updateValue", "setValue", "setObject", "setObject:forKey:", "setValue:forKey:":
            if call.name == "setObject:forKey:" { mark(argument(0, of: call).absence, .crash, call.frame) }
            guard call.arguments.count >= 2 else { return nil }
            write(
                argument(1, of: call), argument(0, of: call), to: call.target, call.base, at: call.place, call.scope)
            return .unknown
        case "removeValue", "removeObject", "removeObjectForKey:", "removeObjectsForKeys:":
            return isPayload ? .unknown : nil
        case "addEntries", "addEntriesFromDictionary:", "merge", "merging": return merged(call, argument(0, of: call))
        case "setDictionary", "setDictionary:":
            assign(argument(0, of: call), to: call.base, call.scope, call.frame)
            return .unknown
        case "setValuesForKeys", "setValuesForKeysWithDictionary:":
            if argument(0, of: call).forms.contains(where: \.isPayload) {
                noteUnknown(
                    "'\(call.name.shownSelector)' reads all keys of the dictionary that are properties", at: call.place)
            }
            return nil
        case "setUserInfo:":
            guard call.target.forms.contains(.system("UNNotificationContent")) else { return nil }
            replaceUserInfo(with: argument(0, of: call), at: call.place)
            return .unknown
        default: return nil
        }
    }

    /// Calls a method of a list, or one that passes the elements of a list or dictionary to a closure; nil for any
    /// other.
    private func callOfList(_ call: MethodCall) -> TracedValue? {
        switch call.name {
        case "append", "insert", "addObject:":
            let value = argument(0, of: call)
            if call.name == "addObject:" { mark(value.absence, .crash, call.frame) }
            storeClosures(in: value, to: call.base, call.scope, call.frame)
            // What is added to a list is not followed further.
            return value.forms.contains { if case .closure = $0 { true } else { false } } ? .unknown : nil
        case "contains", "containsObject:":
            let value = argument(0, of: call)
            for form in call.target.forms {
                if case .keys(let path) = form { return read(path, value, nil, at: call.place, call.frame) }
            }
            if value.forms.contains(.actionIdentifier) { noteCompared(call.target, at: call.place) }
            guard value.forms == [.category(nil)], let categories = categories(in: call.target) else { return nil }
            return TracedValue(.isCategory(categories), type: .named("Bool", []))
        case "objectAtIndex:":
            guard call.target.forms.contains(where: \.isPayload) else { return nil }
            return read(
                call.target, TracedValue([], type: .named("Int", [])), isNumber: true, at: call.place, call.frame)
        case "enumerated":
            let inner = element(of: call.target, at: call.place)
            return TracedValue(.list([TracedValue(.tuple([TracedValue(), inner]))]))
        case "map", "flatMap", "compactMap", "forEach", "filter", "first", "last", "sorted", "reduce", "mapValues",
            "compactMapValues", "allSatisfy", "firstIndex", "prefix", "suffix", "reversed", "makeIterator",
            "enumerateKeysAndObjectsUsingBlock:", "enumerateObjectsUsingBlock:", "publisher", "then", "shuffled",
            "dropFirst", "dropLast", "min", "max", "removeFirst", "popLast", "randomElement":
            return walk(call)
        default: return nil
        }
    }

    /// Calls a method that compares, converts or extends a text; nil for any other.
    private func callOfText(_ call: MethodCall) -> TracedValue? {
        switch call.name {
        case "isEqualToString:", "isEqual:", "isEqualToNumber:", "elementsEqual", "caseInsensitiveCompare",
            "caseInsensitiveCompare:", "hasPrefix:", "hasPrefix":
            let other = argument(0, of: call)
            if call.name.hasSuffix("String:") || call.name.hasPrefix("hasPrefix") { note(.string, of: call.target) }
            compare(call.target, other, at: call.place)
            if Self.comparing.contains(call.name),
                let categories = selectedCategories(call.target, other, at: call.place)
            {
                return TracedValue(.isCategory(categories), type: .named("Bool", []))
            }
            return call.target.derived([], type: .named("Bool", [])).joined(other.derived())
        case "boolValue", "integerValue", "intValue", "doubleValue", "floatValue", "longLongValue",
            "unsignedIntegerValue",
            "stringValue", "longValue", "UTF8String", "allKeys", "firstObject", "lastObject":
            return member(call.name, of: call.target, at: call.place, call.frame)
        case "lowercased", "uppercased":
            guard let texts = call.target.texts else { return call.target.changed }
            return TracedValue(
                texts.map {
                    .text(call.name == "lowercased" ? $0.text.lowercased() : $0.text.uppercased(), $0.origin)
                },
                type: Self.string
            )
        case "stringByAppendingString:", "appending", "stringByAppendingFormat:":
            let added = argument(0, of: call)
            if call.name == "stringByAppendingString:" { mark(added.absence, .crash, call.frame) }
            return concatenated(call.target, added)
        default: return nil
        }
    }

    /// Calls a method that reads or writes JSON; nil for any other.
    private func callOfJSON(_ call: MethodCall) -> TracedValue? {
        switch call.name {
        case "data", "dataUsingEncoding:", "dataUsingEncoding:allowLossyConversion:":
            if call.target.forms.contains(.systemType("JSONSerialization")) { return bytes(of: argument(0, of: call)) }
            return call.target.forms.contains(where: \.isPayload) ? textBytes(call.target) : nil
        case "jsonObject", "JSONObjectWithData:options:error:": return decoded(argument(0, of: call))
        case "dataWithJSONObject:options:error:": return bytes(of: argument(0, of: call))
        case "decode":
            return decode(
                call.target, call.arguments, at: call.place, call.scope, call.frame, expected: call.expected)
        case "decodeIfPresent", "nestedContainer", "nestedUnkeyedContainer", "container", "unkeyedContainer",
            "singleValueContainer", "superDecoder":
            return decode(call.name, call.target, call.arguments, at: call.place, call.scope, call.frame)
        default: return nil
        }
    }

    /// Calls a method that any object has, one that passes its arguments on, or one that names an app group; nil for
    /// any other.
    private func callOfObject(_ call: MethodCall) -> TracedValue? {
        switch call.name {
        case "isKindOfClass:":
            for form in argument(0, of: call).forms {
                if case .systemType(let type) = form { note(ReadType(.named(type, [])), of: call.target) }
            }
            return call.target.derived([], type: .named("Bool", []))
        case "mutableCopy", "copy", "retain", "autorelease":
            var copy = call.target
            copy.sent = nil
            return copy
        case _ where Self.relays.contains(call.name):
            return relay(call.name, call.arguments, at: call.place, call.scope, call.frame)
        case "containerURL", "containerURLForSecurityApplicationGroupIdentifier:":
            noteGroup(argument(0, of: call), at: call.place, isGroup: true)
            return .unknown
        case "initWithSuiteName:":
            noteGroup(argument(0, of: call), at: call.place, isGroup: false)
            return .unknown
        default: return nil
        }
    }

    /// Methods of a dictionary that read none of its keys.
    static let keylessMethods: Set<String> = [
        "isEqual", "isEqual:", "isEqualTo", "isEqualToDictionary", "isEqualToDictionary:", "isKind", "isMember",
        "isMemberOfClass:", "conforms", "conformsToProtocol:", "responds", "respondsToSelector:", "isProxy",
        "superclass", "hash", "count", "description", "debugDescription", "descriptionWithLocale:",
        "descriptionWithLocale:indent:", "descriptionInStringsFileFormat", "write", "writeToFile:atomically:",
        "writeToURL:atomically:", "writeToURL:error:", "encode", "encodeWithCoder:", "release", "removeAll",
        "removeAllObjects", "reserveCapacity",
    ]

    /// Adds the members of a dictionary to another one; either may be the payload.
    private func merged(_ call: MethodCall, _ added: TracedValue) -> TracedValue {
        let isIntoPayload = call.target.forms.contains(.json([]))
        guard isIntoPayload || added.forms.contains(where: \.isPayload) else { return call.target }
        if call.target.forms.isEmpty {
            noteUnknown("the payload is merged into a dictionary whose keys are not known", at: call.place)
            return .unknown
        }
        if isIntoPayload, !hasKnownKeys(added) { changesUnknownPairs = true }
        // Code does not miss the keys that the other dictionary gives.
        for form in isIntoPayload ? added.forms : call.target.forms {
            guard case .map(let members) = form else { continue }
            for member in members { for text in rawTexts(member.key) { noteWrite(text, at: call.place) } }
        }
        if isIntoPayload { return call.target }
        let result = call.target.joined(added)
        if call.name != "merging" { assign(result, to: call.base, call.scope, call.frame) }
        return result
    }

    /// Functions of the system that pass their arguments to other code: to a method with a selector, or to observers.
    static let relays: Set<String> = [
        "send", "yield", "onNext", "accept", "perform", "performSelector", "performSelector:withObject:",
        "performSelector:withObject:withObject:", "performSelector:withObject:afterDelay:",
        "performSelector:onThread:withObject:waitUntilDone:", "performSelectorOnMainThread:withObject:waitUntilDone:",
        "performSelectorInBackground:withObject:", "detachNewThreadSelector",
        "detachNewThreadSelector:toTarget:withObject:", "post", "postNotificationName:object:",
        "postNotificationName:object:userInfo:", "scheduledTimer", "evaluateWithObject:",
        "evaluateWithObject:substitutionVariables:",
        "scheduledTimerWithTimeInterval:target:selector:userInfo:repeats:",
    ]

    /// Calls the method that a selector names with the arguments of `perform`, or notes that a push is passed to code
    /// that is not followed.
    ///
    /// - Returns: the result of the method; nil where none is called.
    func relay(
        _ name: String,
        _ arguments: [CodeArgument],
        at place: CodePlace,
        _ scope: Scope,
        _ frame: Frame
    ) -> TracedValue? {
        // The selector of the system's 'perform' has no label.
        let isOfOthers = name == "perform" && arguments.first?.label.isEmpty != true
        guard Self.relays.contains(name), !isOfOthers else { return nil }
        let values = arguments.dropFirst().map { (label: $0.label, value: evaluate($0.value, scope, frame)) }
        if name.hasPrefix("perform"), case .other(let parts)? = arguments.first?.value.kind, parts.count == 1 {
            let method = evaluate(parts[0], scope, frame)
            let given = values.filter { $0.label == "with" }.map(\.value)
            if let result = apply(method, to: given, at: place, frame) { return result }
        }
        let first = arguments.first.map { evaluate($0.value, scope, frame) } ?? .unknown
        if ([first] + values.map(\.value)).contains(where: { $0.carriesPush || $0.isDictionaryOfPush }) {
            noteUnknown("the push is passed on by '\(name.shownSelector)' to code that is not followed", at: place)
        }
        return nil
    }

    /// Traces factory methods of Objective-C, and conversions whose receiver is not followed.
    private func callForeign(_ call: MethodCall) -> TracedValue? {
        func evaluated(_ position: Int) -> TracedValue { argument(position, of: call) }
        func converted(_ type: ReadType, _ result: String) -> TracedValue {
            var value = evaluated(0)
            noteConversion(type, of: value)
            value.type = .named(result, [])
            return value
        }
        switch call.name {
        case "URLWithString:", "initWithString:", "URLWithString:relativeToURL:",
            "URLWithString:encodingInvalidCharacters:",
            "componentsWithString:":
            let isURL =
                call.name.hasPrefix("URL") || call.name.hasPrefix("components")
                || call.target.forms.contains(.systemType("NSURL")) || call.target.type?.name == "NSURL"
            return isURL ? converted(.url, "NSURL") : nil
        case "dateFromString:":
            if !call.target.isISO8601Formatter { noteOtherDate(of: evaluated(0)) }
            return converted(.date, "NSDate")
        case "date":
            guard call.arguments.first?.label == "from" else { return nil }
            let value = evaluated(0)
            guard !value.sites.isEmpty else { return value.derived() }
            if !call.target.isISO8601Formatter { noteOtherDate(of: value) }
            var date = converted(.date, "Date")
            let sent = value.sent.flatMap { $0.conversion == nil ? $0 : nil }
            date.sent =
                isStandardFormatter(call.target) ? sent.map { SentValue(site: $0.site, conversion: .date) } : nil
            return date
        case "number":
            guard call.arguments.first?.label == "from" else { return nil }
            return converted(.number, "NSNumber")
        case "dateWithTimeIntervalSince1970:":
            noteOtherDate(of: evaluated(0))
            return converted(.date, "NSDate")
        case "dictionaryWithDictionary:", "initWithDictionary:", "initWithDictionary:copyItems:", "stringWithString:",
            "arrayWithArray:", "initWithArray:", "setWithArray:", "initWithSet:", "setWithSet:",
            "orderedSetWithArray:":
            return evaluated(0)
        case "numberFromString:": return converted(.number, "NSNumber")
        case "categoryWithIdentifier:actions:intentIdentifiers:options:",
            "categoryWithIdentifier:actions:intentIdentifiers:hiddenPreviewsBodyPlaceholder:options:",
            "categoryWithIdentifier:actions:intentIdentifiers:hiddenPreviewsBodyPlaceholder:categorySummaryFormat:options:":
            return category(evaluated(0), evaluated(1), at: call.place)
        case "actionWithIdentifier:title:options:", "actionWithIdentifier:title:options:icon:":
            return action(evaluated(0), isTextInput: false, at: call.place)
        case "actionWithIdentifier:title:options:textInputButtonTitle:textInputPlaceholder:",
            "actionWithIdentifier:title:options:icon:textInputButtonTitle:textInputPlaceholder:":
            return action(evaluated(0), isTextInput: true, at: call.place)
        default: return nil
        }
    }

    /// Whether a value is a formatter of dates in ISO 8601 with the options that it has at first.
    private func isStandardFormatter(_ value: TracedValue) -> Bool {
        value.type?.name == "ISO8601DateFormatter" && !index.mayDeclare("ISO8601DateFormatter")
            && !index.units.contains { $0.mentions.contains("formatOptions") }
    }

    /// Calls a function with the elements of a value, or with the value itself if it is an optional.
    private func walk(_ call: MethodCall) -> TracedValue {
        let first = captured.count
        let values = call.arguments.map { evaluate($0.value, call.scope, call.frame) }
        let isScalar = call.target.type.map { !$0.isArray && !$0.isDictionary && ReadType($0) != nil } ?? false
        let isOptional =
            !call.isChained
            && (!call.target.absence.isEmpty || isScalar && call.target.forms.contains(where: \.isPayload))
            && (call.name == "map" || call.name == "flatMap")
        var result = TracedValue()
        if isOptional {
            if let function = values.last {
                var given = call.target.present
                // Without anything that may be nil, these are the characters of a text.
                if call.target.absence.isEmpty { given.sent = nil }
                let found = uncertainly { apply(function, to: [given], at: call.place, call.frame) }
                result = found ?? call.target.derived()
            }
            result.absence.formUnion(call.target.absence)
            result.basis.formUnion(call.target.influences)
            return result
        }
        let isPush =
            call.target.forms.contains(.json([]))
            || (call.target.type?.isDictionary ?? false && call.target.forms.contains(where: \.isPayload))
        if isPush, ["filter", "mapValues", "compactMapValues", "reduce", "sorted"].contains(call.name) {
            if call.name == "reduce" || call.name == "sorted" {
                noteUnknown("code loops over the keys of the payload", at: call.place)
            }
            // The result is a changed copy of the dictionary: its reads count as reads of the payload.
            if ["mapValues", "compactMapValues", "reduce"].contains(call.name) { changesUnknownPairs = true }
            for value in values { _ = apply(value, to: [TracedValue(), TracedValue()], at: call.place, call.frame) }
            return call.target.changed
        }
        guard call.target.isOfInterest || call.target.forms.contains(where: \.isList) else {
            return unknownCall(call.name, call.target, [], call.scope, call.frame).joined(
                rest(values, from: first, call.name, at: call.place, call.frame))
        }
        if call.arguments.isEmpty,
            call.name == "first" || call.name == "last" || call.name == "randomElement" || call.name == "popLast"
        {
            return element(of: call.target, at: call.place)
        }
        let element = element(of: call.target, at: call.place)
        call.frame.loops += 1
        var given = TracedValue()
        for value in values {
            let parameters = call.name == "reduce" ? [TracedValue(), element] : [element]
            if let found = apply(value, to: parameters, at: call.place, call.frame) { given.join(found) }
        }
        call.frame.loops -= 1
        switch call.name {
        case "map", "flatMap", "compactMap":
            given.absence = []
            return TracedValue(.list([given]))
        case "filter", "prefix", "suffix", "dropFirst", "dropLast":
            var chosen = call.target.changed
            if call.target.forms.contains(where: \.isList) { chosen.isConditional = true }
            return chosen
        case "sorted", "reversed", "shuffled": return call.target.changed
        case "first", "last", "min", "max", "randomElement":
            var chosen = element
            if call.target.forms.contains(where: \.isList) { chosen.isConditional = true }
            return chosen
        default:
            var value = TracedValue()
            value.basis = call.target.influences
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
}

extension TracedValue {
    /// Whether the value is a dictionary or list in a push, in which code may read keys.
    var isDictionaryOfPush: Bool {
        isPart && forms.contains(where: \.isPayload) && type.map { $0.isDictionary || $0.isArray } ?? false
    }
}

extension String {
    /// A selector without the labels after the first.
    fileprivate var shownSelector: String { prefix { $0 != ":" }.description }
}

extension TracedValue {
    /// Whether it is a formatter that makes dates of texts in ISO 8601.
    fileprivate var isISO8601Formatter: Bool {
        let types = forms.compactMap { form in if case .systemType(let name) = form { name } else { nil } }
        return (types + [type?.name].compactMap(\.self)).contains { $0.hasSuffix("ISO8601DateFormatter") }
    }
}
