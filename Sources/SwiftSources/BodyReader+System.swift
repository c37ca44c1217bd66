// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources

/// Functions, methods and initializers of the system and of the Braze SDK that read, convert or register something.
extension BodyReader {
    // MARK: - Functions

    func systemFunction(_ name: String, _ arguments: [CodeArgument]) -> AbstractValue? {
        if SystemTypes.assertions.contains(name) {
            let outer = isUnbuilt
            isUnbuilt = true
            _ = values(arguments)
            isUnbuilt = outer
            return AbstractValue()
        }
        switch name {
        case "precondition":
            guard let first = arguments.first else { return AbstractValue() }
            let test = test([.expression(first.value)])
            apply(test, isFalse: true, .crash)
            return AbstractValue()
        case "dispatch_async", "dispatch_sync", "dispatch_after", "dispatch_once":
            _ = values(arguments)
            return AbstractValue()
        case "NSStringFromSelector", "NSLocalizedString", "unsafeBitCast", "unsafeDowncast":
            return arguments.isEmpty ? nil : value(0, of: arguments)
        default: return nil
        }
    }

    // MARK: - Initializers

    func systemInitializer(_ name: String, _ arguments: [Argument], _ written: [CodeArgument], at offset: Int)
        -> AbstractValue?
    {
        let simple = String(name.split(separator: ".").last ?? "")
        let label = written.first?.label ?? ""
        func argument(_ name: String) -> AbstractValue? { arguments.first { $0.label == name }?.value }
        switch simple {
        case "UNNotificationCategory":
            registerCategory(
                argument("identifier") ?? AbstractValue(), argument("actions") ?? AbstractValue(), at: offset)
            return AbstractValue(type: .named(simple, []))
        case "UNNotificationAction", "UNTextInputNotificationAction":
            return registerAction(
                argument("identifier") ?? AbstractValue(), isTextInput: simple != "UNNotificationAction",
                options: written.first { $0.label == "options" }?.value, at: offset)
        case "UserDefaults", "NSUserDefaults":
            if let suite = argument("suiteName") { recordAppGroup(suite, at: offset, isCertain: false) }
            return AbstractValue(type: .named("UserDefaults", []))
        case "ABKStoriesViewDataSource":
            if let group = argument("appGroup") { recordAppGroup(group, at: offset, isCertain: true) }
            return nil
        case "PendingStore":
            if let group = argument("appGroup") { recordAppGroup(group, at: offset, isCertain: true) }
            return AbstractValue(type: .named("UserDefaults", []))
        case "UNNotificationRequest":
            let content = argument("content") ?? AbstractValue()
            var found = AbstractValue(type: .named(simple, []))
            found.pushes = content.pushes
            return found
        case "JSONDecoder", "PropertyListDecoder":
            return AbstractValue(type: .named(simple, []), role: .decoder(isSnakeCase: false))
        case "String", "NSString", "AnyHashable", "Optional", "NSMutableString", "Substring", "LocalizedStringKey",
            "Dictionary", "NSDictionary", "NSMutableDictionary", "Array":
            if arguments.isEmpty || label == "capacity" || label == "minimumCapacity", simple.hasSuffix("Dictionary") {
                return AbstractValue(type: .named("NSDictionary", []))
            }
            if label == "format" { return format(arguments.map(\.value)) }
            guard let first = arguments.first?.value,
                [
                    "", "describing", "reflecting", "dictionary", "string", "stringLiteral", "localized", "decoding",
                    "bytes",
                    "data", "uniqueKeysWithValues",
                ].contains(label)
            else { return AbstractValue() }
            if label == "data", simple != "Dictionary" { return first.derived }
            guard first.isNumber, ReadType(.named(simple, [])) == .string else { return first }
            // The text of a number is not the value of the pair.
            var found = first.derived
            found.type = .named("String", [])
            return found
        case "Data", "NSData":
            guard let first = arguments.first?.value, label.isEmpty else { return arguments.first?.value.derived }
            return bytes(of: first)
        case "Date", "NSDate", "URL", "NSURL", "URLComponents", "URLRequest", "Bool", "UUID", "NSUUID":
            guard let first = arguments.first?.value else { return AbstractValue(type: .named(simple, [])) }
            if simple.hasPrefix("URL"), simple != "URLComponents", !["string", "", "url"].contains(label) {
                return first.derived
            }
            return converted(first, by: simple, isISO: written.dropFirst().contains { $0.value.mentionsISO8601 })
        case "Result", "Task", "DispatchWorkItem", "Thread": return AbstractValue()
        case "ISO8601DateFormatter", "NSISO8601DateFormatter", "DateFormatter":
            return AbstractValue(type: .named(simple, []))
        default:
            guard Conversion.readType(of: simple) != nil || simple == "NSNumber" else {
                return SystemTypes.isKnown(name) && !arguments.contains { $0.value.givesPairs }
                    ? AbstractValue(type: .named(name, [])) : nil
            }
            return arguments.first.map { converted($0.value, by: simple) } ?? AbstractValue(type: .named(simple, []))
        }
    }

    /// What is known about a value after an initializer, such as `Int` or `URL`, has converted it.
    func converted(_ value: AbstractValue, by initializer: String, isISO: Bool = false) -> AbstractValue {
        var found = value
        found.texts = []
        found.dictionaries = []
        found.conversions = []
        if let type = Conversion.readType(of: initializer), !value.isNumber || ["Date", "NSDate"].contains(initializer)
        {
            note(value.reads) { $0.conversions.insert(type) }
            if type == .date, !isISO { note(value.reads) { $0.hasOtherDates = true } }
            if Conversion.knownInitializers.contains(initializer), !value.mayBeOther {
                found.conversions = [.initializer(initializer)]
            }
        }
        found.type = .optional(.named(initializer, []))
        return found
    }

    /// The bytes of a text, which may be JSON.
    private func bytes(of text: AbstractValue) -> AbstractValue {
        var found = text.derived
        found.type = .named("Data", [])
        found.reads = text.reads
        found.data = text.data
        for site in text.reads {
            let site = pairs.facts.sites[site]
            if let inner = site.dictionary.appending(site.key, isJSON: true) { found.data.insert(inner) }
        }
        return found
    }

    // MARK: - Methods

    func systemMethod(
        _ name: String, of base: AbstractValue, _ expression: CodeExpression, _ arguments: [CodeArgument],
        at offset: Int,
        metatype: String? = nil
    ) -> AbstractValue? {
        let labels = arguments.map(\.label)
        func value(_ position: Int) -> AbstractValue { self.value(position, of: arguments) }
        let metatype = metatype ?? base.metatype
        switch name {
        // Categories, groups and events.
        case "categoryWithIdentifier:actions:intentIdentifiers:options:",
            "categoryWithIdentifier:actions:intentIdentifiers:hiddenPreviewsBodyPlaceholder:options:",
            "categoryWithIdentifier:actions:intentIdentifiers:hiddenPreviewsBodyPlaceholder:categorySummaryFormat:options:":
            registerCategory(value(0), value(1), at: offset)
            return AbstractValue()
        case _ where name.hasPrefix("actionWithIdentifier:"):
            _ = values(arguments)
            let options = name.split(separator: ":").firstIndex(of: "options")
            return registerAction(
                value(0), isTextInput: name.holds("textInput"),
                options: options.flatMap { $0 < arguments.count ? arguments[$0].value : nil }, at: offset)
        case "initWithSuiteName:":
            recordAppGroup(value(0), at: offset, isCertain: false)
            return AbstractValue(type: .named("NSUserDefaults", []))
        case "initWithNotification:storiesView:appGroup:":
            recordAppGroup(value(2), at: offset, isCertain: true)
            return nil
        case "containerURLForSecurityApplicationGroupIdentifier:":
            recordAppGroup(value(0), at: offset, isCertain: true)
            return AbstractValue()
        case "containerURL" where labels.first == "forSecurityApplicationGroupIdentifier":
            recordAppGroup(value(0), at: offset, isCertain: true)
            return AbstractValue()
        case "logCustomEvent", "logCustomEvent:", "logCustomEvent:properties:", "logCustomEvent:withProperties:":
            note(value(0).texts, as: .event, at: offset)
            _ = values(arguments)
            return AbstractValue()
        // JSON.
        case "jsonObject", "JSONObjectWithData:options:error:":
            let data = value(0)
            var found = data.derived
            found.dictionaries = data.data
            found.reads = []
            noteJSON(data)
            thrown.formUnion(data.absent)
            return found
        case "data" where labels.first == "withJSONObject", "dataWithJSONObject:options:error:":
            let object = value(0)
            note(object.reads) { $0.casts.insert(.dictionary) }
            var found = object.derived
            found.type = .named("Data", [])
            found.data = pairs.asDictionaries(object)
            return found
        case "data" where labels.first == "using" || labels.first == "_", "dataUsingEncoding:":
            return bytes(of: base)
        case "decode" where labels.last == "from" || labels == [""] && (!base.data.isEmpty || base.isDecoder):
            return decode(arguments, base, at: offset)
        case _ where base.isDecoder && labels.last == "forKey" && Self.keyedDecodings.contains(name):
            return decodeKey(name, arguments, of: base, at: offset)
        case "container" where base.isDecoder: return container(keyedBy: value(0), of: base, base)
        case "singleValueContainer" where base.isDecoder, "unkeyedContainer" where base.isDecoder:
            var found = base
            if name == "singleValueContainer" {
                pairs.valueDecoders.insert(methodOwner)
            } else {
                found.dictionaries = Set(base.dictionaries.compactMap { $0.appending(PushDictionary.anyElement) })
            }
            return found
        // Comparisons.
        case "isEqualToString:", "isEqual:", "isEqualToNumber:", "elementsEqual", "isEqual", "caseInsensitiveCompare:":
            return compare(base, value(0), at: offset)
        case "contains", "containsObject:":
            if let found = contains(base, expression, arguments, at: offset) { return found }
        case "isKindOfClass:":
            let type = value(0).metatype
            return cast(base, to: .named(type ?? "Any", []), .test, at: offset)
        case "raise", "raise:format:": return metatype == "NSException" ? AbstractValue() : nil
        case "stringWithString:", "initWithString:", "stringWithFormat:", "initWithDictionary:",
            "dictionaryWithDictionary:",
            "initWithDictionary:copyItems:", "setWithArray:", "arrayWithArray:", "setWithSet:":
            guard name != "stringWithFormat:" else { return format(values(arguments).map(\.value)) }
            return value(0)
        case "URLWithString:", "fileURLWithPath:", "componentsWithString:", "initWithUUIDString:":
            return converted(value(0), by: name.holds("UUID") ? "UUID" : "NSURL")
        case "numberWithInt:", "numberWithInteger:": return value(0)
        case "dateWithTimeIntervalSince1970:": return converted(value(0), by: "NSDate")
        case "date" where labels == ["from"], "dateFromString:":
            let isISO = base.type?.unwrapped.name?.holds("ISO8601") ?? false
            var found = converted(value(0), by: "Date", isISO: isISO)
            found.conversions = isISO ? [.date] : []
            return found
        case "number" where labels == ["from"], "numberFromString:": return converted(value(0), by: "Double")
        default: break
        }
        if arguments.isEmpty, let found = systemMember(name, of: base, at: offset) {
            var found = found
            found.absent.formUnion(base.absent)
            return found
        }
        if SystemTypes.elementMethods.contains(name), let found = elementMethod(name, base, arguments, at: offset) {
            return found
        }
        if SystemTypes.textMethods.contains(name) || name == "updating" || name.hasPrefix("contentByUpdating") {
            _ = values(arguments)
            if let type = base.type?.unwrapped.name, var found = SystemTypes.member(name, of: type) {
                found.pushes = base.pushes
                return found
            }
            if !base.reads.isEmpty || !base.dictionaries.isEmpty || !base.texts.isEmpty {
                var found = base
                found.isTested = true
                if name != "copy", name != "mutableCopy", name != "self", name != "description" {
                    found.texts = []; found.mayBeOther = true
                }
                return found
            }
        }
        if isList(base), let found = listMethod(name, base, expression, arguments) { return found }
        return dictionaryMethod(name, base, expression, arguments, labels, at: offset)
    }

    private func isList(_ value: AbstractValue) -> Bool {
        if case .array? = value.type?.unwrapped { return true }
        return !value.element.isEmpty
    }

    private func listMethod(
        _ name: String, _ base: AbstractValue, _ expression: CodeExpression, _ arguments: [CodeArgument]
    )
        -> AbstractValue?
    {
        switch name {
        case "append", "insert", "addObject:", "add":
            if !arguments.isEmpty { store(value(0, of: arguments), inListOf: expression) }
            return AbstractValue()
        case "objectAtIndex:", "object", "randomElement", "popLast", "removeFirst", "removeLast", "reversed",
            "dropFirst":
            _ = values(arguments)
            if name == "objectAtIndex:", let index = arguments.first, base.element.first?.isAttachment ?? false {
                return self.index(expression, [index], at: expression.offset)
            }
            return name == "reversed" || name == "dropFirst" ? base : base.element.first ?? AbstractValue()
        default: return nil
        }
    }

    private func format(_ values: [AbstractValue]) -> AbstractValue {
        var found = AbstractValue(type: .named("NSString", []))
        let format = values.first?.texts.compactMap(\.literal).first ?? ""
        // Insert the known texts for `%@`.
        let pieces = format.parts(between: "%@")
        if pieces.count == values.count, !pieces.contains(where: { $0.contains("%") }) {
            var all: [[KeyText]] = [[KeyText(pieces[0])]]
            for (index, value) in values.dropFirst().enumerated() {
                let next = all.flatMap { start in value.texts.map { start + [$0, KeyText(pieces[index + 1])] } }
                all = next.count <= 64 ? next : []
                found.isEach = found.isEach || value.isEach
            }
            found.texts = Set(all.compactMap { KeyText(joining: $0) })
        }
        found.mayBeOther = found.texts.isEmpty
        return found
    }

    private func contains(
        _ base: AbstractValue, _ expression: CodeExpression, _ arguments: [CodeArgument], at offset: Int
    )
        -> AbstractValue?
    {
        guard let first = arguments.first, first.label.isEmpty else { return nil }
        if base.role == .keys {
            if case .closure = first.value.kind {
                reportGap("code loops over the keys of the payload", at: offset)
                _ = value(0, of: arguments)
                return AbstractValue()
            }
            var dictionary = base
            dictionary.role = nil
            var found = read(value(0, of: arguments), in: dictionary, at: offset)
            found.type = .named("Bool", [])
            found.reads = []
            return found
        }
        guard base.dictionaries.isEmpty || !base.element.isEmpty else { return nil }
        if case .closure = first.value.kind { return nil }
        let list = base.element.first ?? base
        return compare(value(0, of: arguments), list, at: offset)
    }

    private func elementMethod(_ name: String, _ base: AbstractValue, _ arguments: [CodeArgument], at offset: Int)
        -> AbstractValue?
    {
        guard let last = arguments.last else { return nil }
        let isOfKeys = base.role == .keys || (base.type?.unwrapped.isDictionary ?? false) && base.element.isEmpty
        if isOfKeys, !base.dictionaries.isEmpty, base.reads.isEmpty || name != "flatMap" && name != "map" {
            return elementsOfPush(name, base, last.value, at: offset)
        }
        let isList = isList(base)
        let isValue =
            !base.data.isEmpty || !base.reads.isEmpty || !base.dictionaries.isEmpty || !base.pushes.isEmpty
            || !base.texts.isEmpty
        guard isList || isValue else { return nil }
        let isEach = isList || base.element.isEmpty && base.reads.isEmpty && base.type == nil
        let element = isList || (isEach && name == "forEach") ? self.element(of: base, at: offset) : base.unwrapped
        let passed: [AbstractValue]
        switch name {
        case "reduce": passed = [AbstractValue(), element]
        case "sorted", "min", "max": passed = [element, element]
        default: passed = [element]
        }
        var result = apply(last.value, to: passed, at: offset)
        switch name {
        case "filter", "sorted": return base
        case "forEach", "allSatisfy", "contains", "firstIndex": return AbstractValue()
        case "first", "last", "min", "max": return element
        case "reduce": return result
        default:
            guard !isList else { return AbstractValue(type: .array(result.type ?? .other), element: result) }
            // The result is nil if the base is nil.
            result.absent = base.absent.union(name == "flatMap" ? result.absent : [])
            return result
        }
    }

    /// Reads the call of a method with a closure, such as `filter`, on the dictionary of a push or on its keys.
    private func elementsOfPush(_ name: String, _ base: AbstractValue, _ function: CodeExpression, at offset: Int)
        -> AbstractValue
    {
        let isFilter = ["filter", "mapValues", "compactMapValues"].contains(name)
        if case .closure(let closure) = function.kind {
            _ = self.closure(
                closure,
                given: [AbstractValue(role: .keyOfLoop), isFilter ? AbstractValue() : AbstractValue(role: .keyOfLoop)])
        }
        guard isFilter else {
            if case .closure = function.kind, name == "contains" {
                reportGap("payloadgen does not know what '\(name)' does with the payload", at: offset)
            } else if pairs.settled(base).dictionaries.contains(where: \.isWholePush) {
                reportGap("code loops over the keys of the payload", at: offset)
            }
            return AbstractValue()
        }
        var condition = ReadCondition.always
        condition.isOpen = name != "filter"
        var found = pairs.settled(base).held(for: condition)
        found.mayBeOther = true
        return found
    }

    /// Calls a closure, function or initializer that is passed as an argument.
    private func apply(_ function: CodeExpression, to passed: [AbstractValue], at offset: Int) -> AbstractValue {
        if case .closure(let closure) = function.kind {
            let parameters =
                closure.parameters.isEmpty
                ? ["$0", "$1"].map { CodeParameter(label: "", name: $0) } : closure.parameters
            return inside(circumstances) {
                read(parameters, closure.body, id: pairs.id(of: closure.identity), given: passed)
            }
        }
        var metatype: String?
        switch function.kind {
        case .member(let type?, "init"): metatype = evaluate(type).metatype
        case .name(let name) where name.first?.isUppercase ?? false: metatype = name
        default:
            let value = evaluate(function)
            guard let found = value.metatype else {
                return callOwn(value.closures.sorted(), passed.map { ("", $0) }, base: AbstractValue(), at: offset)
            }
            metatype = found
        }
        let written = [CodeArgument(label: "", value: CodeExpression(.other([]), at: 0))]
        guard let metatype, names.type(named: metatype, in: type) == nil else {
            return withArguments([passed[0]]) { construct(metatype ?? "", [("", passed[0])], written, at: 0) }
        }
        return systemInitializer(metatype, [("", passed[0])], written, at: 0) ?? passed[0].derived
    }

    /// Records that a text is parsed as JSON.
    func noteJSON(_ data: AbstractValue) {
        note(data.reads) { facts in
            facts.conversions.insert(.json)
            facts.casts.insert(.string)
        }
    }

    // MARK: - Dictionaries

    private func dictionaryMethod(
        _ name: String, _ base: AbstractValue, _ expression: CodeExpression, _ arguments: [CodeArgument],
        _ labels: [String],
        at offset: Int
    ) -> AbstractValue? {
        let isDictionary = !pairs.asDictionaries(base).isEmpty
        func value(_ position: Int) -> AbstractValue { self.value(position, of: arguments) }
        switch name {
        case "object" where labels == ["forKey"], "value" where labels == ["forKey"], "objectForKey:", "valueForKey:",
            "objectForKeyedSubscript:":
            guard isDictionary else {
                return !base.pushes.isEmpty
                    ? member(value(0).texts.first?.literal ?? "", of: base, expression, at: offset) : nil
            }
            return read(value(0), in: base, at: offset)
        case "value" where labels == ["forKeyPath"], "valueForKeyPath:":
            guard isDictionary else { return nil }
            return keyPath(value(0), in: base, at: offset)
        case "index" where labels == ["forKey"]:
            guard isDictionary else { return nil }
            return read(value(0), in: base, at: offset)
        case "setObject:forKey:", "setObject:forKeyedSubscript:", "setValue:forKey:":
            if name == "setObject:forKey:" { require(value(0), .crash) }
            guard isDictionary || base.type?.unwrapped.isDictionary ?? false else { return nil }
            write(value(1), in: base, at: offset)
            _ = value(0)
            return AbstractValue()
        case "updateValue", "setValue", "setObject":
            guard isDictionary, labels.count == 2 else { return nil }
            write(value(1), in: base, at: offset)
            _ = value(0)
            return AbstractValue()
        case "removeValue", "removeObject", "removeObjectForKey:":
            guard isDictionary else { return nil }
            _ = value(0)
            return AbstractValue()
        case "merging", "merge", "addEntriesFromDictionary:", "addEntries", "setDictionary:":
            return merge(name, base, expression, arguments, at: offset)
        case "enumerateKeysAndObjectsUsingBlock:", "keyEnumerator", "objectEnumerator":
            guard isDictionary else { return nil }
            reportGap("code loops over the keys of the payload", at: offset)
            if case .closure(let closure)? = arguments.first?.value.kind {
                _ = self.closure(closure, given: [AbstractValue(role: .keyOfLoop), AbstractValue()])
            }
            return AbstractValue()
        case "setValuesForKeys", "setValuesForKeysWithDictionary:":
            if gives(value(0)) {
                reportGap(
                    "'\(name.shownSelector)' reads every key of the payload that is the name of a property", at: offset)
            }
            return AbstractValue()
        case _ where isDictionary && SystemTypes.isKeyless(name):
            _ = values(arguments)
            return AbstractValue()
        default: return nil
        }
    }

    private func keyPath(_ path: AbstractValue, in base: AbstractValue, at offset: Int) -> AbstractValue {
        guard let text = path.texts.first?.literal, path.texts.count == 1 else {
            return read(path, in: base, at: offset)
        }
        var found = base
        for part in text.parts(between: ".") where !part.hasPrefix("@") {
            found = read(AbstractValue(text: part), in: found, at: offset)
        }
        return found
    }

    private func merge(
        _ name: String, _ base: AbstractValue, _ expression: CodeExpression, _ arguments: [CodeArgument], at offset: Int
    ) -> AbstractValue? {
        let given = values(arguments)
        guard let added = given.first?.value else { return nil }
        let isIntoPush = !base.dictionaries.isEmpty
        guard isIntoPush || !pairs.asDictionaries(added).isEmpty else { return nil }
        if isIntoPush {
            if case .map(let members) = arguments[0].value.kind {
                for member in members { write(evaluate(member.key), in: base, at: offset) }
            } else if added.dictionaries.isEmpty {
                noteOther { $0.changesUnknownPairs = true }
            }
            return base.joined(added)
        }
        // The keys that the other dictionary already has do not depend on the push.
        let isKnown = !base.element.isEmpty || base.type?.unwrapped.isDictionary ?? false
        if case .map(let members) = expression.kind {
            for member in members { write(evaluate(member.key), in: added, at: offset) }
        } else if !isKnown {
            reportGap("the payload is merged into a dictionary whose keys are not known", at: offset)
            return AbstractValue()
        }
        var found = added
        found.absent = base.absent
        if name != "merging" { assign(found, toExpression: expression) }
        return found
    }

    /// Records that a pair of a push is written.
    func write(_ key: AbstractValue, in base: AbstractValue, at offset: Int) {
        guard pairs.settled(base).dictionaries.contains(where: \.isWholePush) else { return }
        let texts = pairs.settled(key).texts.filter { $0.literal != nil }
        if texts.isEmpty, key.role != .keyOfLoop { noteOther { $0.changesUnknownPairs = true } }
        note(texts, as: .write, at: offset)
    }

    /// Records how code uses names.
    func note(_ names: Set<KeyText>, as use: NameUse, at offset: Int) {
        noteOther { facts in
            for name in names {
                guard let text = name.literal else { continue }
                facts.note(text, as: use, at: place(offset), literal: name.origin)
            }
        }
    }

    // MARK: - What code registers

    private func registerCategory(_ identifier: AbstractValue, _ actions: AbstractValue, at offset: Int) {
        let texts = pairs.settled(identifier).texts.compactMap { text in
            text.literal.map { (text: $0, origin: text.origin) }
        }
        let all = pairs.settled(actions)
        var known = all.actions
        if let element = all.element.first { known.merge(element.actions) { $0 || $1 } }
        let isWhole = !all.mayBeOther && !(all.type == nil && all.actions.isEmpty && all.element.isEmpty)
        noteOther { facts in
            if texts.isEmpty || texts.contains(where: \.text.isEmpty) { facts.registersUnknownCategories = true }
            for (text, origin) in texts where !text.isEmpty {
                var entry = facts.categories[text] ?? OtherFacts.Category(place: place(offset), literal: origin)
                entry.actions.merge(known) { $0 || $1 }
                if !isWhole { entry.isWhole = false }
                if place(offset) < entry.place { (entry.place, entry.literal) = (place(offset), origin) }
                facts.categories[text] = entry
            }
        }
    }

    /// Records a notification action; without options, the action leaves the app in the background, as by default in
    /// Swift.
    private func registerAction(
        _ identifier: AbstractValue, isTextInput: Bool, options: CodeExpression?, at offset: Int
    ) -> AbstractValue {
        let names = pairs.settled(identifier).texts
        var found = AbstractValue(type: .named("UNNotificationAction", []))
        found.actions = Dictionary(names.compactMap(\.literal).map { ($0, isTextInput) }) { $0 || $1 }
        found.mayBeOther = found.actions.isEmpty
        note(names, as: .action, at: offset)
        note(names, as: options?.keepsAppInBackground ?? true ? .backgroundAction : .foregroundAction, at: offset)
        return found
    }

    /// Records an app group.
    ///
    /// The suite of a `UserDefaults` counts as an app group only if its name begins with `group.`, or with `YOUR`, as
    /// the placeholders in guides do.
    func recordAppGroup(_ name: AbstractValue, at offset: Int, isCertain: Bool) {
        let groups = pairs.settled(name).texts.filter { name in
            guard let text = name.literal, !text.isEmpty else { return false }
            return isCertain || text.hasPrefix("group.") || text.hasPrefix("YOUR")
        }
        note(groups, as: .appGroup, at: offset)
    }
}

extension CodeExpression {
    /// Whether the options of a notification action are all known, and none of them opens the app.
    fileprivate var keepsAppInBackground: Bool {
        switch kind {
        case .list(let options): options.allSatisfy(\.keepsAppInBackground)
        case .number(let text): text == "0"
        case .member(_, let name), .name(let name):
            [
                "destructive", "authenticationRequired", "UNNotificationActionOptionNone",
                "UNNotificationActionOptionDestructive", "UNNotificationActionOptionAuthenticationRequired",
            ].contains(name)
        case .binary("|", let left, let right): left.keepsAppInBackground && right.keepsAppInBackground
        default: false
        }
    }

    /// Whether the expression names a format or formatter for ISO 8601 dates.
    var mentionsISO8601: Bool {
        switch kind {
        case .name(let name), .member(nil, let name): name.lowercased().holds("iso8601")
        case .member(let base?, let name): name.lowercased().holds("iso8601") || base.mentionsISO8601
        case .call(let callee, _): callee.mentionsISO8601
        default: false
        }
    }
}
