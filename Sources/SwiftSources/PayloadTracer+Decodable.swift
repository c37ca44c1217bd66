// SPDX-License-Identifier: MIT

/// Reads by decoding a type.
extension PayloadTracer {
    static let textMark = "{json}"

    /// The methods of decoders and their containers that the analysis knows.
    static let decodingMethods: Set<String> = [
        "decode", "decodeIfPresent", "container", "nestedContainer", "unkeyedContainer", "nestedUnkeyedContainer",
        "singleValueContainer", "superDecoder", "decodeNil", "contains",
    ]

    /// The bytes of a text in the push.
    func textBytes(_ value: TracedValue) -> TracedValue {
        var result = value
        result.forms = value.forms.compactMap { form in
            guard case .json(let path) = form, let last = path.last else { return nil }
            return .data(path.dropLast() + [last + Self.textMark])
        }
        result.type = .named("Data", [])
        return result
    }

    /// The JSON bytes of a dictionary in the push.
    func bytes(of value: TracedValue) -> TracedValue {
        // `JSONSerialization` writes no text.
        note(.dictionary, of: value)
        var result = value
        result.forms = value.forms.compactMap { form in
            guard case .json(let path) = form else { return nil }
            return .data(path)
        }
        result.type = .named("Data", [])
        return result
    }

    /// The object that JSON data contains.
    func decoded(_ data: TracedValue) -> TracedValue {
        var result = TracedValue()
        for form in data.forms {
            guard case .data(let path) = form else { continue }
            if path.last?.hasSuffix(Self.textMark) ?? false { noteConversion(.json, of: data) }
            result.forms.append(.json(path))
        }
        result.absence = data.absence
        result.basis = data.influences
        return result
    }

    /// Traces calls of `decode`: of a decoder with data, or of a container with a key.
    func decode(
        _ target: TracedValue,
        _ arguments: [CodeArgument],
        at place: CodePlace,
        _ scope: Scope,
        _ frame: Frame,
        expected: CodeTypeName?
    ) -> TracedValue? {
        let isContainer = target.forms.contains { form in
            switch form {
            case .container, .singleValue, .elements: true
            default: false
            }
        }
        if isContainer { return decode("decode", target, arguments, at: place, scope, frame) }
        guard let source = arguments.first(where: { $0.label == "from" }) else { return nil }
        let data = evaluate(source.value, scope, frame)
        guard data.forms.contains(where: { if case .data = $0 { true } else { false } }) else {
            return target.derived()
        }
        let type = arguments.first { $0.label.isEmpty }.flatMap { self.type($0.value, scope, frame) } ?? expected
        var isSnakeCase = false
        for form in target.forms {
            if case .jsonDecoder(true) = form { isSnakeCase = true }
        }
        let outer = usesSystemDecoder
        usesSystemDecoder = target.forms.contains { if case .jsonDecoder = $0 { true } else { false } }
        defer { usesSystemDecoder = outer }
        var result = TracedValue()
        for form in data.forms {
            guard case .data(let path) = form else { continue }
            if path.last?.hasSuffix(Self.textMark) ?? false { noteConversion(.json, of: data) }
            guard let type else {
                noteUnknown("the type that is decoded is not known", at: place)
                continue
            }
            result.join(decoded(type, path, isSnakeCase, at: place, frame))
        }
        result.absence.formUnion(data.absence)
        result.basis.formUnion(data.influences)
        return result
    }

    /// The type that an expression such as `Order.self` means; nil where it is not known, or may be one of several.
    private func type(_ expression: CodeExpression, _ scope: Scope, _ frame: Frame) -> CodeTypeName? {
        var inner = expression
        if case .member(let base?, "self") = expression.kind { inner = base }
        switch inner.kind {
        case .list(let elements):
            guard elements.count == 1, let element = type(elements[0], scope, frame) else { return nil }
            return .array(element)
        case .type(let type): return type
        case .index(let base, _): return type(base, scope, frame)
        default: break
        }
        let value = evaluate(inner, scope, frame)
        let types = value.forms.filter { form in
            switch form {
            case .metatype, .systemType: true
            default: false
            }
        }
        // Which of several types it is may depend on the push, as in `types[category]`.
        if let first = types.first { return types.count == 1 ? typeName(first) : nil }
        if case .named("Type", let arguments)? = value.type { return arguments.first }
        if case .named(let name, _)? = value.type, name.hasSuffix(".Type") {
            return frame.generics[String(name.dropLast(5))]
        }
        return nil
    }

    /// Records the reads of a type that is decoded from the JSON at a path.
    ///
    /// - Returns: the value; keys that are missing make decoding throw.
    private func decoded(
        _ type: CodeTypeName,
        _ path: [String],
        _ isSnakeCase: Bool,
        at place: CodePlace,
        _ frame: Frame,
        depth: Int = 0
    ) -> TracedValue {
        let type = resolved(type, frame)
        guard depth < 12, mayGoOn() else { return TracedValue([], type: type) }
        switch type {
        case .optional(let inner):
            var value = decoded(inner, path, isSnakeCase, at: place, frame, depth: depth + 1)
            value.type = type
            return value
        case .array(let element):
            var value = decoded(element, path + ["[]"], isSnakeCase, at: place, frame, depth: depth + 1)
            value.forms = [.list([TracedValue(value.forms, type: element)])]
            value.type = type
            return value
        case .dictionary: return TracedValue(.json(path), type: type)
        case .named(let name, _):
            guard let index = index.type(named: name, in: frame.owner, file: frame.file),
                !self.index.types[index].isForeign
            else {
                if depth == 0, isForeign(type, frame), TracedValue(.json(path), type: type).givesKeys {
                    noteUnknown("the push is decoded as '\(name)', whose code is not read", at: place)
                }
                return TracedValue(.json(path), type: type)
            }
            return decoded(index, path, isSnakeCase, at: place, frame, depth: depth)
        default: return TracedValue(.json(path), type: type)
        }
    }

    private func decoded(
        _ type: Int,
        _ path: [String],
        _ isSnakeCase: Bool,
        at place: CodePlace,
        _ frame: Frame,
        depth: Int
    ) -> TracedValue {
        let entry = index.types[type]
        let name = CodeTypeName.named(entry.name, [])
        if let own = index.methods("init", of: type).first(where: { $0.declaration.parameters.first?.label == "from" })
        {
            return call(
                own,
                receiver: TracedValue(.object(type, 0)),
                owner: type,
                arguments: [TracedValue(.decoder(path, isSnakeCase: isSnakeCase))],
                expected: nil,
                at: place,
                from: frame
            )
        }
        var result = TracedValue(.object(type, 0), type: name)
        if let macro = unknownMacro(of: type) {
            noteUnknown("the macro '@\(macro)' may decide which keys '\(entry.simpleName)' is decoded from", at: place)
            return result
        }
        if entry.kind == .enumeration || isCodedAsRawValue(type) { return result }
        if !conformsItself(type), let parent = index.superclass(of: type) {
            // The initializer that it inherits decodes nothing of its own.
            let inherited = decoded(parent, path, isSnakeCase, at: place, frame, depth: depth + 1)
            result.throwing = inherited.throwing
            result.basis = inherited.basis
            return result
        }
        let keys = index.type(named: entry.name + ".CodingKeys", in: nil, file: entry.file).flatMap {
            index.types[$0].name == entry.name + ".CodingKeys" ? $0 : nil
        }
        let inner = Frame(file: entry.file, owner: type, receiver: nil, result: nil, depth: frame.depth)
        inner.generics = frame.generics
        for placed in entry.stored {
            let variable = placed.declaration
            guard let property = variable.name, !variable.isStatic, variable.getter == nil, !variable.isLazy,
                !(variable.isConstant && variable.initial != nil)
            else { continue }
            var key = property
            var keyPlace = CodePlace(file: placed.file, offset: variable.offset)
            if let keys {
                guard let entry = index.types[keys].cases.first(where: { $0.declaration.name == property }) else {
                    continue
                }
                key = rawValue(keys, property) ?? property
                keyPlace = CodePlace(file: entry.file, offset: entry.declaration.offset)
            }
            if isSnakeCase { key = key.snakeCase }
            let written = variable.type ?? variable.initial.flatMap { literalType($0) } ?? .other
            guard let site = read(path, key, at: keyPlace, origin: nil) else { continue }
            let value = read(
                site, resolved(written, inner), path + [key], isSnakeCase, at: place, inner, depth: depth + 1,
                isPlain: !variable.attributes.contains { mayDecode($0.name) })
            result.throwing.formUnion(value.throwing)
            result.basis.append(site)
            if resolved(written, inner).isOptional || variable.isConditional { continue }
            if hasOwnDecoding(variable) {
                mark([site], .default, frame)
            } else {
                result.throwing.formUnion([site])
            }
        }
        return result
    }

    /// Whether the compiler decodes a type from its raw value alone, which a type that declares no decoding takes from
    /// `RawRepresentable`.
    private func isCodedAsRawValue(_ type: Int) -> Bool {
        index.names(inheritedBy: type).contains { $0 == "RawRepresentable" || $0 == "OptionSet" }
    }

    /// The kind of JSON value that the raw value of a type needs; nil where it is unknown.
    private func rawEvidence(_ type: Int, _ frame: Frame) -> ReadType? {
        let entry = index.types[type]
        let stored = entry.stored.first { $0.declaration.name == "rawValue" }?.declaration.type
        let given = entry.functions["init"]?.flatMap(\.declaration.parameters).first { $0.label == "rawValue" }?.type
        let inner = Frame(file: entry.file, owner: type, receiver: nil, result: nil, depth: frame.depth)
        return (stored ?? given).flatMap { ReadType(resolved($0, inner)) }
    }

    /// Whether a type is decodable by what it or an extension of it declares, and not only by its superclass.
    private func conformsItself(_ type: Int) -> Bool {
        let file = index.types[type].file
        let superclass = index.superclass(of: type)
        return index.types[type].inherited.compactMap(\.name).contains { name in
            if Self.decodables.contains(name) { return true }
            guard let parent = index.type(named: name, in: nil, file: file), parent != superclass else { return false }
            return !index.names(inheritedBy: parent).isDisjoint(with: Self.decodables)
        }
    }

    private static let decodables: Set<String> = ["Codable", "Decodable"]

    /// Whether the target declares how containers decode the wrapper of a property, which is how wrappers give a
    /// default.
    private func hasOwnDecoding(_ variable: CodeVariable) -> Bool {
        let types = typesDecoded(by: ["decode"])
        return variable.attributes.contains { types.contains($0.name) }
    }

    /// The types for which the target declares how containers decode them, in methods with some names.
    private func typesDecoded(by methods: [String]) -> Set<String> {
        guard let container = index.type(named: "KeyedDecodingContainer", in: nil, file: -1) else { return [] }
        let types = methods.flatMap { index.types[container].functions[$0] ?? [] }.compactMap {
            $0.declaration.parameters.first?.type?.name
        }
        return Set(types.filter { $0.hasSuffix(".Type") }.map { String($0.dropLast(5)) })
    }

    /// Whether an attribute of a property may be a wrapper or macro, which decodes other values than the property has.
    private func mayDecode(_ attribute: String) -> Bool { !Self.plainAttributes.contains(attribute) }

    /// The attribute of a type that may be a macro which declares how the type is decoded; nil where there is none.
    private func unknownMacro(of type: Int) -> String? {
        index.types[type].attributes.first { name in
            !Self.plainAttributes.contains(name)
                && index.type(named: name, in: nil, file: index.types[type].file) == nil
        }
    }

    /// The attributes of Swift and of Apple's frameworks that change nothing in how a type or property is decoded.
    private static let plainAttributes: Set<String> = [
        "IBInspectable", "IBOutlet", "MainActor", "NSCopying", "NSManaged", "ObservationIgnored", "ObservationTracked",
        "Observable", "Published", "available", "dynamicCallable", "dynamicMemberLookup", "frozen", "globalActor",
        "inlinable", "main", "nonobjc", "objc", "objcMembers", "preconcurrency", "propertyWrapper", "resultBuilder",
        "retroactive", "unchecked", "usableFromInline",
    ]

    private func literalType(_ expression: CodeExpression) -> CodeTypeName? {
        switch expression.kind {
        case .text: .named("String", [])
        case .number(let text): .named(text.contains(".") ? "Double" : "Int", [])
        case .boolean: .named("Bool", [])
        case .list: .array(.other)
        case .map: .dictionary(.named("String", []), .other)
        default: nil
        }
    }

    /// Records the type that the read of one key needs, and the reads inside its value, which is decoded as the type
    /// itself if `isPlain`, and not as a wrapper of it.
    private func read(
        _ site: Int,
        _ type: CodeTypeName,
        _ path: [String],
        _ isSnakeCase: Bool,
        at place: CodePlace,
        _ frame: Frame,
        depth: Int,
        isPlain: Bool = true
    ) -> TracedValue {
        var value = TracedValue(.json(path), type: type)
        value.sites = [site]
        let isOwn = type.name.map { typesDecoded(by: ["decode", "decodeIfPresent"]).contains($0) } ?? false
        if isPlain, !isOwn {
            let wanted = evidence(type, frame)
            // A decoder may be set to take some texts for numbers that JSON does not have.
            if wanted != .number || !index.takesTextsForNumbers {
                note(wanted, of: value)
                if usesSystemDecoder { noteDecoding(of: wanted, value, site, frame) }
            }
        }
        let inner = decoded(type, path, isSnakeCase, at: place, frame, depth: depth)
        value.forms = inner.forms
        value.throwing = inner.throwing
        return value
    }

    /// Records that a decoder of the system fails for values of other types.
    private func noteDecoding(of type: ReadType?, _ value: TracedValue, _ site: Int, _ frame: Frame) {
        noteStrictCast(to: type, of: value, isForced: false, frame)
        guard type == .date, let strategies = index.dateStrategies else { return }
        // Without a strategy, a date is decoded from the seconds since 2001. A decoder may have any of the strategies.
        let others = strategies.subtracting(Self.numericStrategies)
        guard others.isSubset(of: ["iso8601"]) else { return }
        let conversion: Conversion = others.isEmpty ? .cast(.number) : .date
        noteFailure(of: SentValue(site: site, conversion: conversion), isExit: true, frame)
    }

    /// The strategies that decode dates from numbers.
    private static let numericStrategies: Set<String> = [
        "deferredToDate", "secondsSince1970", "millisecondsSince1970",
    ]

    /// The kind of JSON value that a type needs; nil where it is unknown.
    private func evidence(_ type: CodeTypeName, _ frame: Frame, depth: Int = 0) -> ReadType? {
        if let known = ReadType(type) { return known }
        guard depth < 8, let name = type.name else { return nil }
        guard let index = index.type(named: name, in: frame.owner, file: frame.file) else { return nil }
        let entry = self.index.types[index]
        if entry.isForeign { return nil }
        if entry.kind == .enumeration {
            for parent in entry.inherited {
                if let known = ReadType(parent) { return known }
            }
            return nil
        }
        // A type that decodes from a single value or in another way accepts what that accepts, which is not known here.
        if let own = self.index.methods("init", of: index).first(where: {
            $0.declaration.parameters.first?.label == "from"
        }) {
            switch own.declaration.mentions.intersection(Self.containerMethods) {
            case ["container"]: return .dictionary
            case ["unkeyedContainer"]: return .array
            default: return nil
            }
        }
        return isCodedAsRawValue(index) ? rawEvidence(index, frame) : .dictionary
    }

    /// The methods of decoders that give their containers.
    private static let containerMethods: Set<String> = ["container", "singleValueContainer", "unkeyedContainer"]

    /// Traces methods of a decoder or a container.
    func decode(
        _ name: String,
        _ target: TracedValue,
        _ arguments: [CodeArgument],
        at place: CodePlace,
        _ scope: Scope,
        _ frame: Frame
    ) -> TracedValue? {
        let named = arguments.first { $0.label.isEmpty || $0.label == "keyedBy" }
        let type = named.flatMap { self.type($0.value, scope, frame) }
        var result = TracedValue()
        var isKnown = false
        for form in target.forms {
            switch (form, name) {
            case (.decoder(let path, let isSnakeCase), "container"):
                isKnown = true
                result.join(TracedValue(.container(path, keys: keys(type, frame), isSnakeCase: isSnakeCase)))
            case (.decoder(let path, let isSnakeCase), "singleValueContainer"):
                isKnown = true
                result.join(TracedValue(.singleValue(path, isSnakeCase: isSnakeCase)))
            case (.decoder(let path, let isSnakeCase), "unkeyedContainer"):
                isKnown = true
                result.join(TracedValue(.elements(path, isSnakeCase: isSnakeCase)))
            case (.singleValue(let path, let isSnakeCase), "decode"):
                isKnown = true
                if let type { result.join(decoded(type, path, isSnakeCase, at: place, frame)) }
            case (.elements(let path, let isSnakeCase), "decode"),
                (.elements(let path, let isSnakeCase), "decodeIfPresent"):
                isKnown = true
                if let type { result.join(decoded(type, path + ["[]"], isSnakeCase, at: place, frame)) }
            case (.container(let path, let keyType, let isSnakeCase), _):
                isKnown = true
                guard let keyed = arguments.first(where: { $0.label == "forKey" }) else { continue }
                let wanted = keyType.map { CodeTypeName.named(index.types[$0].name, []) }
                var key = evaluate(keyed.value, scope, frame, expected: wanted)
                // A function of an extension gets the key without its type.
                key.forms = key.forms.map { form in
                    guard case .implicit(let name, let origin) = form else { return form }
                    return implicit(name, of: wanted, origin, frame) ?? form
                }
                // Without a type of the keys, these are the ones that the compiler makes of the stored properties.
                let made = keyType == nil ? frame.owner : nil
                for text in containerKeys(key, madeFor: made, at: place) {
                    let key = isSnakeCase ? text.text.snakeCase : text.text
                    guard let site = read(path, key, at: place, origin: text.origin) else { continue }
                    result.join(
                        contained(name, site, type, path + [key], isSnakeCase, keys(type, frame), at: place, frame)
                    )
                }
            default: break
            }
        }
        return isKnown ? result : nil
    }

    private func contained(
        _ name: String,
        _ site: Int,
        _ type: CodeTypeName?,
        _ path: [String],
        _ isSnakeCase: Bool,
        _ keys: Int?,
        at place: CodePlace,
        _ frame: Frame
    ) -> TracedValue {
        switch name {
        case "nestedContainer":
            var value = TracedValue(.container(path, keys: keys, isSnakeCase: isSnakeCase))
            value.sites = [site]
            value.throwing = [site]
            note(.dictionary, of: value)
            return value
        case "nestedUnkeyedContainer":
            var value = TracedValue(.elements(path, isSnakeCase: isSnakeCase))
            value.sites = [site]
            value.throwing = [site]
            note(.array, of: value)
            return value
        case "decodeIfPresent":
            var value = read(site, type ?? .other, path, isSnakeCase, at: place, frame, depth: 1)
            value.absence = [site]
            value.type = type.map { .optional($0) }
            return value
        default:
            var value = read(site, type ?? .other, path, isSnakeCase, at: place, frame, depth: 1)
            value.throwing.formUnion([site])
            return value
        }
    }

    private func keys(_ type: CodeTypeName?, _ frame: Frame) -> Int? {
        type?.name.flatMap { index.type(named: $0, in: frame.owner, file: frame.file) }
    }

    /// The keys that the value of a coding key may name.
    ///
    /// - Parameters:
    ///   - key: the coding key.
    ///   - type: the type for whose stored properties the compiler makes the keys; nil where the keys are declared.
    ///   - place: the place of the read.
    /// - Returns: the keys.
    private func containerKeys(
        _ key: TracedValue,
        madeFor type: Int?,
        at place: CodePlace
    ) -> [(text: String, origin: CodePlace?)] {
        var found: [(text: String, origin: CodePlace?)] = []
        for form in key.forms {
            switch form {
            case .enumCase(let type, let name, let origin):
                found.append((rawValue(type, name) ?? name, origin))
            case .implicit(let name, let origin) where type.map { index.variable(name, of: $0) != nil } ?? false:
                found.append((name, origin))
            case .implicit(let name, let origin):
                // The type of the coding key is unknown: the key is that of the only enumeration with such a case, if
                // there is only one.
                if let type = index.onlyType(withCase: name), let text = rawValue(type, name) {
                    found.append((text, origin))
                } else {
                    noteUnknown("the coding key is not known", at: place)
                }
            case .text(let text, let origin): found.append((text, origin))
            case .parameter(let function): notePending(function, at: place)
            default: noteUnknown("the coding key is not known", at: place)
            }
        }
        if key.forms.isEmpty { noteUnknown("the coding key is not known", at: place) }
        return found
    }
}

extension String {
    /// The name in JSON that `JSONDecoder.KeyDecodingStrategy.convertFromSnakeCase` expects.
    fileprivate var snakeCase: String {
        var result = ""
        var isAfterLower = false
        for character in self {
            if character.isUppercase {
                if isAfterLower { result += "_" }
                result += character.lowercased()
                isAfterLower = false
            } else {
                result.append(character)
                isAfterLower = character.isLetter || character.isNumber
            }
        }
        return result
    }
}
