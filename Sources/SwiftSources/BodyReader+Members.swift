// SPDX-License-Identifier: MIT

import AppDeclarations

/// Members and elements: properties, cases of enumerations, and the keys of a push.
extension BodyReader {
    func member(_ name: String, of expression: CodeExpression, at offset: Int) -> AbstractValue {
        if case .name("super") = expression.kind, let type {
            return property(name, of: type, ownObject(isType: false), at: offset) ?? AbstractValue()
        }
        let base = evaluate(expression)
        if let metatype = base.metatype { return staticMember(name, of: metatype, base, at: offset) }
        return opened(if: base.isTested) { member(name, of: base, expression, at: offset) }
    }

    func member(_ name: String, of base: AbstractValue, _ expression: CodeExpression, at offset: Int) -> AbstractValue {
        let owners = ownTypes(of: base)
        if owners.count > 1, base.dictionaries.isEmpty {
            let all = opened(if: true) { owners.compactMap { property(name, of: $0, base, at: offset) } }
            if let first = all.first { return all.dropFirst().reduce(first) { $0.joined($1) } }
        }
        for owner in owners {
            if var found = property(name, of: owner, base, at: offset) {
                found.absent.formUnion(base.absent)
                return found
            }
            if case let methods = names.methods(name, of: owner), !methods.isEmpty {
                if isObjectiveC { return callOwn(methods, [], base: base, at: offset) }
                return functions(methods)
            }
        }
        if let dynamic = dynamicMember(name, of: base, at: offset) { return dynamic }
        if var found = systemMember(name, of: base, at: offset) {
            if !base.absent.isEmpty { found.absent.formUnion(base.absent) }
            return found
        }
        if base.type == nil || base.type == .other, base.reads.isEmpty, let found = unnamedMember(name, of: expression)
        {
            return found
        }
        if base.role != .keys, !SystemTypes.isKeyless(name), gives(base) || hides(base) {
            reportForeign(name, at: offset)
        }
        var found = base.derived
        if name == "isEmpty" || name == "count" && !isObjectiveC { found.isTested = true }
        if name == "utf8" || name == "bytes" { found.reads = base.reads }
        return found
    }

    /// Whether an object holds a push, and inherits members from code that is not read.
    func hides(_ object: AbstractValue) -> Bool {
        guard pairs.found.importsOthers, let own = names.type(object.type, in: type), holds(object) else {
            return false
        }
        return names.ancestry(of: own).contains { owner in
            names.types[owner].inherited.compactMap(\.name).contains {
                !SystemTypes.isKnown($0) && names.type(named: $0, in: nil) == nil
            }
        }
    }

    /// Whether an object of the target holds a push.
    func holds(_ object: AbstractValue) -> Bool {
        guard let own = names.type(object.type, in: type) else { return false }
        return names.types[own].stored.contains { variable in
            variable.declaration.pattern.names.contains {
                pairs.value(of: variable.declaration, named: $0).givesPairs
            }
        }
    }

    /// The types of the target that may declare a member of a value.
    func ownTypes(of value: AbstractValue) -> [Int] {
        var found: [Int] = []
        for written in [value.type].compactMap(\.self) + value.otherTypes.sorted(by: { "\($0)" < "\($1)" }) {
            if let own = names.type(written, in: type), !found.contains(own) { found.append(own) }
        }
        if !value.dictionaries.isEmpty || value.type?.unwrapped.isDictionary ?? false {
            found += ["Dictionary", "NSDictionary"].compactMap { names.type(named: $0, in: nil) }
        }
        return found
    }

    /// A member of a value of unknown type, taken for one of Apple's types for pushes by its name, as in
    /// `request.content`.
    private func unnamedMember(_ name: String, of base: CodeExpression) -> AbstractValue? {
        switch name {
        case "content" where base.lastWordIs("request"): .push("UNNotificationContent")
        case "request" where base.lastWordIs("notification"): .push("UNNotificationRequest")
        case "notification" where base.lastWordIs("response"): .push("UNNotification")
        default: nil
        }
    }

    /// A member that `@dynamicMemberLookup` looks up in a subscript, with its name as the key.
    private func dynamicMember(_ name: String, of base: AbstractValue, at offset: Int) -> AbstractValue? {
        for owner in ownTypes(of: base) where names.types[owner].attributes.contains("dynamicMemberLookup") {
            let functions = names.methods("subscript", of: owner).filter {
                names.functions[$0].declaration.parameters.first?.label == "dynamicMember"
            }
            if !functions.isEmpty {
                return callOwn(functions, [("dynamicMember", AbstractValue(text: name))], base: base, at: offset)
            }
        }
        return nil
    }

    func implicitMember(_ name: String, _ type: CodeTypeName?) -> AbstractValue {
        if let type, let owner = names.type(type, in: self.type) {
            if let found = caseOrStatic(name, of: owner) { return found }
        }
        if name == "remoteNotification" {
            return AbstractValue(text: "UIApplicationLaunchOptionsRemoteNotificationKey")
        }
        // If only one enumeration has a case of this name, that case is meant.
        if type == nil, let owners = names.typesByCase[name], owners.count == 1 {
            return caseOrStatic(name, of: owners[0]) ?? AbstractValue()
        }
        return AbstractValue()
    }

    private func staticMember(_ name: String, of metatype: String, _ base: AbstractValue, at offset: Int)
        -> AbstractValue
    {
        if name == "self" || name == "alloc" || name == "class" || name == "Type" { return base }
        var found = AbstractValue()
        if name == "new" {
            found.type = .named(metatype, [])
            return found
        }
        if let owner = names.type(named: metatype, in: type) {
            if let own = caseOrStatic(name, of: owner) { return own }
            if let property = property(name, of: owner, AbstractValue(), at: offset) { return property }
            let methods = names.methods(name, of: owner)
            if !methods.isEmpty {
                found.closures = Set(methods)
                return found
            }
        }
        if name == "init" {
            found.metatype = metatype
            found.type = .function
            return found
        }
        if name.first?.isUppercase ?? false {
            found.metatype = metatype + "." + name
            return found
        }
        if name == "remoteNotification" {
            return AbstractValue(text: "UIApplicationLaunchOptionsRemoteNotificationKey")
        }
        if ["shared", "standard", "default", "main", "current", "sharedInstance", "instance"].contains(name)
            || isObjectiveC
            || SystemTypes.isKnown(metatype)
        {
            found.type = .named(metatype, [])
        }
        return found
    }

    /// A case of an enumeration, or a static member of a type; nil if the type has neither.
    private func caseOrStatic(_ name: String, of owner: Int) -> AbstractValue? {
        let cases = names.types[owner].cases
        if name == "allCases", !cases.isEmpty {
            var element = AbstractValue()
            for entry in cases { element.join(caseMeaning(entry, of: owner)) }
            element.isEach = true
            return AbstractValue(type: .array(.named(names.types[owner].name, [])), element: element)
        }
        if let matching = names.types[owner].casesByName[name] {
            return matching.reduce(into: AbstractValue()) { $0.join(caseMeaning($1, of: owner)) }
        }
        guard let variables = names.types[owner].variables[name], variables.contains(where: \.declaration.isStatic)
        else {
            return nil
        }
        var base = AbstractValue()
        base.metatype = names.types[owner].name
        return value(of: variables, named: name, base, at: 0)
    }

    private func caseMeaning(_ entry: CodeType.Case, of owner: Int) -> AbstractValue {
        var found = AbstractValue(text: entry.name)
        if let raw = entry.raw { found.texts = evaluate(raw).texts }
        let place = CodePlace(file: names.types[owner].file, offset: entry.raw?.offset ?? entry.offset)
        found.texts = Set(found.texts.map { $0.from(place) })
        if entry.isConditional { found.textsOfBuilds = found.texts }
        found.type = .named(names.types[owner].name, [])
        return found
    }

    /// The value of a property that a type of the target declares; nil if it declares none.
    func property(_ name: String, of owner: Int, _ base: AbstractValue, at offset: Int) -> AbstractValue? {
        var variables = names.properties(name, of: owner)
        if variables.isEmpty, name.hasPrefix("_") { variables = names.properties(String(name.dropFirst()), of: owner) }
        return variables.isEmpty ? nil : value(of: variables, named: name, base, at: offset)
    }

    func value(
        of variables: [CodeNames.Variable], named name: String, _ base: AbstractValue = AbstractValue(), at offset: Int
    )
        -> AbstractValue
    {
        // If several types have a getter of this name, it is not known which one runs.
        let owners = Set(variables.filter { $0.declaration.getter != nil }.compactMap(\.type))
        let plain = variables.filter { !$0.declaration.isConditional }
        let ofBuilds = variables.filter(\.declaration.isConditional)
        return opened(if: owners.count > 1) {
            (plain.prefix(8) + ofBuilds.prefix(plain.isEmpty ? 8 : 4)).reduce(into: AbstractValue()) {
                found, variable in
                var own = value(of: variable, named: name, base, at: offset)
                if variable.declaration.isConditional { own.textsOfBuilds = own.texts }
                found.join(own)
            }
        }
    }

    private func value(of variable: CodeNames.Variable, named name: String, _ base: AbstractValue, at offset: Int)
        -> AbstractValue
    {
        if let wrapped = wrappedValue(of: variable, at: offset) { return wrapped }
        if let getter = variable.declaration.getter {
            return callOwn([pairs.id(of: getter.identity)], [], base: base, at: offset)
        }
        if variable.declaration.isLazy {
            pairs.note(
                PairReader.Call(caller: methodOwner, condition: circumstances.condition),
                of: pairs.id(of: variable.declaration.identity))
        }
        let bare = name.hasPrefix("_") && variable.declaration.name != name ? String(name.dropFirst()) : name
        var found = pairs.value(of: variable.declaration, named: bare)
        if let type = names.resolved(variable.declaration.type, in: variable.type) {
            if found.type == nil || type.unwrapped.name != "Any" { found.type = type }
            if type.push != nil, found.pushes.isEmpty { found.pushes = [.push] }
        }
        return found
    }

    /// The value of a property that has a property wrapper of the target; nil without such a wrapper.
    private func wrappedValue(of variable: CodeNames.Variable, at offset: Int) -> AbstractValue? {
        for attribute in variable.declaration.attributes {
            guard let wrapper = names.type(attribute.type, in: variable.type),
                names.types[wrapper].attributes.contains("propertyWrapper")
            else { continue }
            let getters = (names.types[wrapper].variables["wrappedValue"] ?? []).compactMap(\.declaration.getter)
            if !names.methods("subscript", of: wrapper).isEmpty,
                variable.type.map({ holds(AbstractValue(type: .named(names.types[$0].name, []))) }) ?? false
            {
                reportGapOfDeclaration(
                    "the property wrapper may read the push through the object that it is in", variable)
            }
            guard !getters.isEmpty else { continue }
            let arguments = attribute.arguments.map { (label: $0.label, value: evaluate($0.value)) }
            _ = withArguments(arguments.map(\.value)) {
                construct(names.types[wrapper].name, arguments, attribute.arguments, at: offset)
            }
            // The arguments of the wrapper belong to this property alone.
            let kept = arguments.reduce(into: AbstractValue()) { $0.texts.formUnion($1.value.texts) }
            var base = AbstractValue(type: attribute.type)
            base.texts = kept.texts
            return getters.reduce(into: AbstractValue()) {
                $0.join(callOwn([pairs.id(of: $1.identity)], [], base: base, at: variable.declaration.offset))
            }
        }
        return nil
    }

    private func reportGapOfDeclaration(_ why: String, _ variable: CodeNames.Variable) {
        noteOther {
            $0.unknown.insert(
                OtherFacts.Report(
                    place: CodePlace(file: variable.file, offset: variable.declaration.offset), why: why))
        }
    }

    // MARK: - The system

    func systemMember(_ name: String, of base: AbstractValue, at offset: Int) -> AbstractValue? {
        if let type = base.type?.unwrapped.name, var found = SystemTypes.member(name, of: type) {
            if !found.pushes.isEmpty { found.pushes = base.pushes }
            if !found.dictionaries.isEmpty { found.dictionaries = base.pushes }
            return found
        }
        if name == "attachments", base.type?.push == "UNNotificationContent" {
            return attachments(of: base, at: offset)
        }
        if let element = base.element.first, element.isAttachment, name == "isEmpty" || name == "count" {
            var found = AbstractValue(type: .named(name == "count" ? "Int" : "Bool", []))
            if name == "count" { found.absent = element.absent } else { found.present = element.absent }
            return found
        }
        if let type = SystemTypes.conversion(name), !base.reads.isEmpty {
            note(base.reads) { $0.conversions.insert(type) }
            var found = base
            found.type = .named(type == .boolean ? "Bool" : type == .integer ? "Int" : "Double", [])
            found.conversions = []
            found.isTested = true
            return found
        }
        if base.role == .categoryIdentifier || base.role == .actionIdentifier {
            return ["rawValue", "self"].contains(name) ? base : nil
        }
        if !base.texts.isEmpty, ["lowercased", "lowercaseString", "localizedLowercase"].contains(name) {
            var found = base
            let change = KeyText.Change(isLowercased: true)
            found.texts = Set(base.texts.compactMap { change.applied(to: $0) })
            found.type = .named("String", [])
            return found
        }
        if !base.texts.isEmpty, ["rawValue", "stringValue", "description", "utf8", "self"].contains(name) {
            var found = base
            found.type = .named("String", [])
            return found
        }
        if !base.element.isEmpty, ["first", "last", "firstObject", "lastObject"].contains(name) {
            return element(of: base, at: offset)
        }
        if SystemTypes.textMethods.contains(name),
            !base.reads.isEmpty || !base.dictionaries.isEmpty || !base.pushes.isEmpty
        {
            return base
        }
        guard !base.dictionaries.isEmpty else { return nil }
        switch name {
        case "keys", "allKeys":
            var found = AbstractValue()
            found.dictionaries = base.dictionaries
            found.role = .keys
            return found
        case "values", "allValues":
            if gives(base) {
                reportGap("code reads the values of the payload without their keys", at: offset)
            }
            return AbstractValue()
        case "first", "last", "firstObject", "lastObject": return element(of: base, at: offset)
        default: return nil
        }
    }

    /// The attachments of a notification, one of which is made from the image that Braze sends.
    private func attachments(of content: AbstractValue, at offset: Int) -> AbstractValue {
        var element = AbstractValue(type: .named("UNNotificationAttachment", []))
        for push in content.pushes {
            guard let image = push.appending(KeyText("ab"))?.appending(KeyText("att")) else { continue }
            let site = pairs.facts.id(of: ReadSite(place: place(offset), dictionary: image, key: KeyText("url")))
            note([site]) { $0.isOfAttachment = true }
            element.absent.insert(Absence(sites: [site]))
        }
        return AbstractValue(type: .array(.named("UNNotificationAttachment", [])), element: element)
    }

    // MARK: - Keys

    func index(_ expression: CodeExpression, _ arguments: [CodeArgument], at offset: Int) -> AbstractValue {
        withArguments { element(of: expression, arguments, at: offset) }
    }

    private func element(of expression: CodeExpression, _ arguments: [CodeArgument], at offset: Int) -> AbstractValue {
        let base = evaluate(expression)
        guard let first = arguments.first else { return base.derived }
        if base.role == .launchOptions {
            let key = evaluate(first.value)
            let isRemote =
                key.texts.contains(KeyText("UIApplicationLaunchOptionsRemoteNotificationKey"))
                || first.value.lastWordIs("UIApplicationLaunchOptionsRemoteNotificationKey")
            return isRemote ? .userInfo : AbstractValue()
        }
        if let own = ownSubscript(base, arguments, at: offset) { return own }
        let key = value(0, of: arguments)
        _ = inside(circumstances.opened) { values(arguments) }
        if case .number(let text) = first.value.kind, let position = Int(text), position < base.parts.count {
            return base.parts[position]
        }
        if let element = base.element.first, base.dictionaries.isEmpty {
            var found = element
            found.absent.formUnion(base.absent)
            if found.isAttachment {
                // An index out of range terminates the process. If the index is not a literal, code may have checked
                // it.
                if case .number = first.value.kind { demand(found.absent, .crash) }
                return found.unwrapped
            }
            if found.reads.isEmpty { found.isTested = true }
            return found
        }
        var found = read(key, in: base, at: offset)
        if arguments.count > 1, arguments[1].label == "default" {
            demand(found.absent, .default)
            found.absent = []
        }
        return found
    }

    private func ownSubscript(_ base: AbstractValue, _ arguments: [CodeArgument], at offset: Int) -> AbstractValue? {
        for owner in ownTypes(of: base) {
            let isDictionary = names.types[owner].name == "Dictionary" || names.types[owner].name == "NSDictionary"
            let fitting = names.methods("subscript", of: owner).filter { id in
                let parameters = names.functions[id].declaration.parameters
                guard id != self.owner, accepts(arguments, parameters), let first = arguments.first else {
                    return false
                }
                guard isDictionary, first.label.isEmpty else { return true }
                // The built-in subscript takes texts; a subscript of the target is meant only if the key has the type
                // of the subscript's parameter.
                guard let wanted = names.type(parameters.first?.type, in: nil) else { return false }
                if case .member(nil, _) = first.value.kind { return true }
                return names.type(value(0, of: arguments).type, in: type) == wanted
            }
            guard !fitting.isEmpty else { continue }
            let values = self.values(arguments, for: fitting)
            return callOwn(fitting, values, base: base, at: offset)
        }
        return nil
    }

    /// Reads a key of the dictionaries that a value may be.
    func read(_ key: AbstractValue, in base: AbstractValue, at offset: Int) -> AbstractValue {
        read(key, in: base, at: place(offset))
    }

    func read(_ key: AbstractValue, in base: AbstractValue, at place: CodePlace) -> AbstractValue {
        let dictionaries = pairs.asDictionaries(base)
        guard !dictionaries.isEmpty else { return base.derived }
        if key.role == .keyOfLoop { return base.derived }
        note(base.reads) { facts in if !facts.casts.contains(.array) { facts.casts.insert(.dictionary) } }
        let isUsed = dictionaries.contains { dictionary in
            guard case .parameter(let parameter) = dictionary.root else { return true }
            let passed = pairs.value(of: parameter)
            return passed.givesPairs || !passed.reads.isEmpty
        }
        // A number is the index of an element, whose key has no name.
        if key.texts.isEmpty || key.mayBeOther, isUsed, key.type?.name != "Int" {
            reportGap("the key is not known before the code runs", at: place.offset)
        }
        var ids: Set<Int> = []
        var idsOfBuilds: Set<Int> = []
        for dictionary in dictionaries {
            for text in key.texts {
                let id = pairs.facts.id(of: ReadSite(place: place, dictionary: dictionary, key: text))
                ids.insert(id)
                if key.textsOfBuilds.contains(text) { idsOfBuilds.insert(id) }
            }
        }
        guard !ids.isEmpty else { return base.derived }
        var found = AbstractValue()
        found.reads = ids
        if key.isEach || ids.count == 1 {
            found.absent = Set(ids.map { Absence(sites: [$0]) })
        } else {
            // Code reads every dictionary, but only one of several keys.
            for dictionary in dictionaries {
                let own = ids.filter { pairs.facts.sites[$0].dictionary == dictionary && !idsOfBuilds.contains($0) }
                if own.isEmpty { continue }
                found.absent.insert(Absence(sites: own, isOpen: Set(dictionaries.map(\.path)).count > 1))
                if own.count > 1 { note(own) { $0.alternatives.formUnion(own) } }
            }
        }
        found.absent.formUnion(idsOfBuilds.map { Absence(sites: [$0], isOpen: true) })
        if key.mayBeOther { note(ids) { $0.isOneOfMany = true } }
        if case .dictionary(_, let value)? = base.type?.unwrapped, let type = ReadType(value) {
            note(ids) { $0.casts.insert(type) }
            found.type = value
            if value.isDictionary { found.dictionaries = pairs.asDictionaries(found) }
        }
        // A pair is also missing where the dictionary around it is missing.
        found.absent.formUnion(base.absent.filter { _ in !base.reads.isEmpty || !base.absent.isEmpty })
        return found
    }
}

extension CodeExpression {
    /// Whether a name, a member, or a call without arguments ends with the given word.
    func lastWordIs(_ word: String) -> Bool {
        switch kind {
        case .name(let name), .member(_, let name): name == word
        case .chained(let inner), .forced(let inner): inner.lastWordIs(word)
        case .call(let callee, let arguments): arguments.isEmpty && callee.lastWordIs(word)
        default: false
        }
    }
}
