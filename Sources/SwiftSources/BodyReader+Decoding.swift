// SPDX-License-Identifier: MIT

import AppDeclarations

/// Types that are decoded from a push, or from JSON in one of its pairs.
extension BodyReader {
    /// `decode(T.self, from: data)` of a decoder.
    func decode(_ arguments: [CodeArgument], _ base: Meaning, at offset: Int) -> Meaning? {
        guard let first = arguments.first, let last = arguments.last else { return nil }
        let written = evaluate(first.value)
        // A method of the target for data, `data.decode(T.self)`, decodes the data itself.
        let data = last.label == "from" ? evaluate(last.value) : base
        guard let name = written.metatype else { return nil }
        var found = Meaning(type: .named(name, []))
        guard !data.data.isEmpty else { return found }
        if case .array? = written.type { found.type = .array(.named(name, [])) }
        note(data.reads) { facts in
            facts.conversions.insert(.json)
            facts.casts.insert(.string)
        }
        var decoding = Decoding(reader: self, place: offset)
        if case .decoder(let isSnakeCase)? = base.role { decoding.isSnakeCase = isSnakeCase }
        decoding.isOfSystem = base.role != nil || base.type?.unwrapped.name == "JSONDecoder"
        for dictionary in data.data { decoding.decode(found.type ?? .other, in: dictionary, context: type) }
        if let unread = decoding.unread, isUsed([("", data)]) { gap(unread, at: offset) }
        thrown.formUnion(decoding.needed)
        thrown.formUnion(data.absent)
        return found
    }
}

/// Finds the keys from which a type is decoded.
private struct Decoding {
    let reader: BodyReader
    /// The place of the call.
    let place: Int
    var isSnakeCase = false
    /// Whether the decoder is that of the system, which takes no text for another value.
    var isOfSystem = true
    /// What makes decoding fail.
    var needed: Set<Absence> = []
    /// Why there may be other keys.
    var unread: String?
    private var depth = 0
    private var names: CodeNames { reader.names }

    init(reader: BodyReader, place: Int) {
        self.reader = reader
        self.place = place
    }

    mutating func decode(_ type: CodeTypeName, in dictionary: PushDictionary, context: Int?) {
        guard depth < 6 else { return }
        depth += 1
        defer { depth -= 1 }
        switch names.resolved(type, in: context)?.unwrapped {
        case .array(let element)?:
            if let inner = dictionary.appending(PushDictionary.anyElement) {
                decode(element, in: inner, context: context)
            }
        case .named(let name, _)?:
            if let types = reader.generics(name) {
                if types.isEmpty { unread = unread ?? "the push is decoded as '\(name)', whose code is not read" }
                for type in types.prefix(8) where type.name != name { decode(type, in: dictionary, context: context) }
                return
            }
            guard let own = names.type(named: name, in: context), !names.types[own].isForeign else {
                if ReadType(.named(name, [])) == nil, !SystemTypes.isKnown(name) {
                    let shown = reader.generics("Model") == nil ? name : "Model"
                    unread = unread ?? "the push is decoded as '\(shown)', whose code is not read"
                }
                return
            }
            decode(own, in: dictionary)
        default: break
        }
    }

    private mutating func decode(_ own: Int, in dictionary: PushDictionary) {
        let entry = names.types[own]
        if let macro = entry.attributes.first(where: {
            !Self.plainAttributes.contains($0) && names.type(named: $0, in: own) == nil
        }) {
            unread = "the macro '@\(macro)' may decide which keys '\(entry.simpleName)' is decoded from"
            return
        }
        // A subclass decodes what its superclass does, unless it says more itself.
        if let parent = entry.superclass.flatMap({ names.type(named: $0.name, in: own) }),
            names.types[parent].kind == .nominal,
            names.inherits(parent, ["Decodable", "Codable"]),
            !entry.inherited.contains(where: { ["Decodable", "Codable"].contains($0.name ?? "") })
        {
            decode(parent, in: dictionary)
            return
        }
        let initializer = names.methods("init", of: own).first {
            names.functions[$0].declaration.parameters.first?.label == "from"
        }
        let keys = names.type(named: entry.name + ".CodingKeys", in: nil)
        if let initializer {
            readInitializer(names.functions[initializer], of: own, keys, in: dictionary)
        } else if entry.kind != .enumeration {
            for variable in entry.stored { decode(variable, of: own, keys, in: dictionary) }
        }
    }

    /// A property that the synthesized initializer decodes.
    private mutating func decode(
        _ variable: CodeNames.Variable, of own: Int, _ keys: Int?, in dictionary: PushDictionary
    ) {
        let declaration = variable.declaration
        guard let name = declaration.name, !declaration.isStatic, !declaration.isLazy, declaration.getter == nil,
            !(declaration.isConstant && declaration.initial != nil)
        else { return }
        let entry = keys.flatMap { names.types[$0].cases.first { $0.name == name } }
        if keys != nil, entry == nil { return }
        let type = declaration.type ?? declaration.initial.flatMap(\.literalType) ?? .other
        let key =
            entry.flatMap { $0.raw.flatMap { reader.evaluate($0).texts.first?.literal } }
            ?? (isSnakeCase ? name.snakeCase : name)
        let file = entry == nil ? variable.file : names.types[keys ?? own].file
        let wrapper = declaration.attributes.first { !Self.plainAttributes.contains($0.name) }
        let site = read(key, in: dictionary, at: CodePlace(file: file, offset: entry?.offset ?? declaration.offset))
        let hasOwn = ownDecodings.contains(wrapper?.name ?? type.unwrapped.name ?? "")
        if wrapper == nil, !hasOwn {
            note(type, of: site, context: own)
            inside(type, key, dictionary, context: own)
        }
        guard !type.isOptional else { return }
        if wrapper != nil, hasOwn {
            reader.demand([Absence(sites: [site])], .default)
        } else {
            needed.insert(Absence(sites: [site]))
        }
    }

    /// The types that the target itself decodes from containers.
    private var ownDecodings: Set<String> {
        guard let container = names.type(named: "KeyedDecodingContainer", in: nil) else { return [] }
        let functions = ["decode", "decodeIfPresent"].flatMap { names.types[container].functions[$0] ?? [] }
        return Set(
            functions.compactMap { names.functions[$0].declaration.parameters.first?.type?.name }.filter {
                $0.hasSuffix(".Type")
            }
            .map { String($0.dropLast(5)) })
    }

    private mutating func inside(_ type: CodeTypeName, _ key: String, _ dictionary: PushDictionary, context: Int) {
        if let inner = dictionary.appending(KeyText(key)) { decode(type, in: inner, context: context) }
    }

    private func read(_ key: String, in dictionary: PushDictionary, at place: CodePlace) -> Int {
        reader.pairs.facts.id(of: ReadSite(place: place, dictionary: dictionary, key: KeyText(key)))
    }

    private func note(_ type: CodeTypeName, of site: Int, context: Int) {
        guard let found = evidence(type, context) else { return }
        // A decoder may take some texts for numbers that JSON does not have.
        let takesTexts = reader.pairs.units.contains { $0.mentions.contains("nonConformingFloatDecodingStrategy") }
        if found == .number, takesTexts { return }
        let strategies = reader.pairs.units.reduce(into: Set<String>()) { $0.formUnion($1.dateStrategies) }
        reader.note([site]) { facts in
            switch found {
            case .url: facts.conversions.insert(.url)
            case .date:
                facts.conversions.insert(.date)
                if !strategies.contains("iso8601") { facts.hasOtherDates = true }
                let others = strategies.subtracting(["deferredToDate", "secondsSince1970", "millisecondsSince1970"])
                guard isOfSystem, others.isSubset(of: ["iso8601"]) else { break }
                if others.isEmpty { facts.casts.insert(.number) }
                facts.failures.insert(
                    ReadFacts.Failure(
                        conversion: others.isEmpty ? .cast(.number) : .date, isExit: true,
                        circumstances: Circumstances()))
            default:
                facts.casts.insert(found)
                if isOfSystem { facts.strictCasts.insert(found) }
            }
        }
    }

    /// The kind of JSON value that a type is decoded from; nil where it is not known.
    private func evidence(_ type: CodeTypeName, _ context: Int) -> ReadType? {
        if let known = ReadType(type) { return known }
        guard let own = names.type(type, in: context), !names.types[own].isForeign else { return nil }
        let entry = names.types[own]
        if names.inherits(own, ["RawRepresentable"]) { return nil }
        if entry.kind == .enumeration { return entry.inherited.lazy.compactMap { ReadType($0) }.first }
        guard
            let initializer = names.methods("init", of: own).first(where: {
                names.functions[$0].declaration.parameters.first?.label == "from"
            })
        else { return .dictionary }
        var calls: [DecodeCall] = []
        for statement in names.functions[initializer].declaration.body ?? [] { statement.collectDecoding(&calls, nil) }
        let methods = Set(calls.map(\.method)).intersection(["container", "unkeyedContainer", "singleValueContainer"])
        return methods == ["container"] ? .dictionary : methods == ["unkeyedContainer"] ? .array : nil
    }

    /// What an `init(from:)` asks its container for.
    private mutating func readInitializer(
        _ function: CodeNames.Function, of own: Int, _ keys: Int?, in dictionary: PushDictionary
    ) {
        var containers: [String: (dictionary: PushDictionary, keys: Int?)] = [:]
        var calls: [DecodeCall] = []
        for statement in function.declaration.body ?? [] { statement.collectDecoding(&calls, nil) }
        for call in calls {
            if call.method == "nestedContainer" || call.method == "container" {
                let inner =
                    call.method == "container"
                    ? dictionary : call.key.flatMap { dictionary.appending(KeyText(text($0, keys))) }
                let named = call.type?.name.flatMap { names.type(named: $0, in: own) } ?? keys
                if let inner, let variable = call.variable { containers[variable] = (inner, named) }
                if call.method == "container" { continue }
            }
            guard let key = call.key else { continue }
            let container = containers[call.container] ?? (dictionary, keys)
            let entry = container.keys.flatMap { names.types[$0].cases.first { $0.name == key } }
            let place = CodePlace(
                file: entry == nil ? function.file : names.types[container.keys ?? own].file,
                offset: entry?.offset ?? call.offset)
            // A method of the target for containers.
            let method = names.type(named: "KeyedDecodingContainer", in: nil).flatMap {
                names.methods(call.method, of: $0).first
            }
            var inner: [DecodeCall] = []
            if let method {
                for statement in names.functions[method].declaration.body ?? [] {
                    statement.collectDecoding(&inner, nil)
                }
            }
            let site = read(
                text(key, container.keys), in: container.dictionary,
                at: inner.first.map {
                    CodePlace(file: method.map { names.functions[$0].file } ?? function.file, offset: $0.offset)
                } ?? place)
            let type = call.type ?? inner.first?.type
            if let type {
                note(type, of: site, context: own)
                inside(type, text(key, container.keys), container.dictionary, context: own)
            }
            switch call.grade {
            case .default: reader.demand([Absence(sites: [site])], .default)
            case .optional: break
            default: if call.method != "decodeIfPresent" { needed.insert(Absence(sites: [site])) }
            }
        }
    }

    private func text(_ key: String, _ keys: Int?) -> String {
        let entry = keys.flatMap { names.types[$0].cases.first { $0.name == key } }
        return entry.flatMap { $0.raw.flatMap { reader.evaluate($0).texts.first?.literal } }
            ?? (isSnakeCase ? key.snakeCase : key)
    }

    /// The attributes of Swift and of Apple's frameworks that change nothing in how a type or property is decoded.
    private static let plainAttributes: Set<String> = [
        "IBInspectable", "IBOutlet", "MainActor", "NSCopying", "NSManaged", "ObservationIgnored", "ObservationTracked",
        "Observable", "Published", "available", "dynamicCallable", "dynamicMemberLookup", "frozen", "globalActor",
        "inlinable", "main", "nonobjc", "objc", "objcMembers", "preconcurrency", "propertyWrapper", "resultBuilder",
        "retroactive", "unchecked", "usableFromInline",
    ]
}

/// A call of a container of a decoder.
private struct DecodeCall {
    var method: String
    /// The variable that is the container.
    var container: String
    var type: CodeTypeName?
    var key: String?
    /// The variable that gets the result.
    var variable: String?
    var grade: ReadRequirement?
    var offset: Int
}

extension CodeStatement {
    fileprivate func collectDecoding(_ calls: inout [DecodeCall], _ grade: ReadRequirement?) {
        switch self {
        case .expression(let expression): expression.collectDecoding(&calls, grade, nil)
        case .variable(let variable): variable.initial?.collectDecoding(&calls, grade, variable.name)
        case .guarding(let conditions, let body):
            for condition in conditions { condition.collectDecoding(&calls, nil) }
            for statement in body { statement.collectDecoding(&calls, .optional) }
        case .branch(let conditions, let body, let otherwise):
            for condition in conditions { condition.collectDecoding(&calls, .optional) }
            for statement in body + (otherwise ?? []) { statement.collectDecoding(&calls, .optional) }
        case .choose(_, let cases):
            for statement in cases.flatMap(\.body) { statement.collectDecoding(&calls, .optional) }
        case .loop(_, _, _, let body, _), .repeating(_, let body), .labelled(_, let body), .conditional(let body, _):
            for statement in body { statement.collectDecoding(&calls, .optional) }
        case .attempt(let body, let catches, _):
            for statement in body + catches.flatMap(\.self) { statement.collectDecoding(&calls, .optional) }
        case .giveBack(let value?): value.collectDecoding(&calls, grade, nil)
        default: break
        }
    }
}

extension CodeCondition {
    fileprivate func collectDecoding(_ calls: inout [DecodeCall], _ grade: ReadRequirement?) {
        switch self {
        case .expression(let value), .matching(_, let value): value.collectDecoding(&calls, grade, nil)
        case .binding(_, _, let value, _): value?.collectDecoding(&calls, grade, nil)
        }
    }
}

extension CodeExpression {
    fileprivate func collectDecoding(_ calls: inout [DecodeCall], _ grade: ReadRequirement?, _ variable: String?) {
        switch kind {
        case .attempt(let inner, let kind):
            inner.collectDecoding(&calls, kind == .optional ? grade ?? .optional : grade, variable)
        case .binary("??", let left, let right):
            left.collectDecoding(&calls, .default, variable)
            right.collectDecoding(&calls, .default, variable)
        case .assign(_, let value): value.collectDecoding(&calls, grade, nil)
        case .call(let callee, let arguments):
            for argument in arguments { argument.value.collectDecoding(&calls, grade, nil) }
            let method: String
            var container = "self"
            switch callee.kind {
            case .member(let base?, let name):
                method = name
                base.collectDecoding(&calls, grade, nil)
                guard case .name(let name) = base.kind else { return }
                container = name
            case .name(let name) where name.hasPrefix("decode"): method = name
            default: return callee.collectDecoding(&calls, grade, nil)
            }
            var call = DecodeCall(
                method: method, container: container, variable: variable, grade: grade, offset: offset)
            for argument in arguments {
                switch argument.value.kind {
                case .member(nil, let key): call.key = key
                case .member(let type?, "self"): call.type = type.namedType
                default: break
                }
            }
            calls.append(call)
        case .member(let inner?, _), .forced(let inner), .chained(let inner), .not(let inner), .passed(let inner),
            .cast(let inner, _, _):
            inner.collectDecoding(&calls, grade, variable)
        case .binary(_, let left, let right):
            left.collectDecoding(&calls, grade, nil)
            right.collectDecoding(&calls, grade, nil)
        case .choice(_, let left, let right):
            left.collectDecoding(&calls, .optional, nil)
            right.collectDecoding(&calls, .optional, nil)
        case .tuple(let elements): for element in elements { element.value.collectDecoding(&calls, grade, nil) }
        default: break
        }
    }

    /// The type that an expression such as `[Item].self` names.
    private var namedType: CodeTypeName? {
        switch kind {
        case .name(let name): .named(name, [])
        case .member(let base?, let name): base.namedType?.name.map { .named($0 + "." + name, []) }
        case .list(let elements): elements.first?.namedType.map { .array($0) }
        case .type(let type): type
        default: nil
        }
    }
}

extension String {
    /// The name as `convertFromSnakeCase` expects it in JSON.
    fileprivate var snakeCase: String {
        reduce(into: "") { result, character in
            if character.isUppercase, !result.isEmpty { result.append("_") }
            result += character.lowercased()
        }
    }
}
