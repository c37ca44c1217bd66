// SPDX-License-Identifier: MIT

import AppDeclarations

/// Types that are decoded from a push, or from JSON in one of its pairs.
///
/// A decoder and its containers are values that hold the dictionary to decode. An `init(from:)` is therefore read like
/// any other function, and a method that the target adds to containers like any other helper.
extension BodyReader {
    /// Reads `decode(T.self, from: data)` of a decoder, `data.decode(T.self)` of the target, or `decode(T.self)` of a
    /// container.
    func decode(_ arguments: [CodeArgument], _ base: AbstractValue, at offset: Int) -> AbstractValue? {
        guard let first = arguments.first, let last = arguments.last else { return nil }
        let written = evaluate(first.value)
        let data = last.label == "from" ? evaluate(last.value) : base
        guard let name = written.metatype else { return nil }
        let found = AbstractValue(type: written.type?.isArray ?? false ? .array(.named(name, [])) : .named(name, []))
        let dictionaries = data.data.isEmpty && data.isDecoder ? data.dictionaries : data.data
        guard !dictionaries.isEmpty else { return found }
        if !data.data.isEmpty { noteJSON(data) }
        decode(found.type ?? .other, in: dictionaries, by: base, at: offset)
        thrown.formUnion(data.absent)
        return found
    }

    /// Finds the keys of dictionaries from which a type is decoded; reports a gap if not all of them are known.
    private func decode(
        _ type: CodeTypeName, in dictionaries: Set<PushDictionary>, by decoder: AbstractValue, at offset: Int
    ) {
        var decoding = Decoding(reader: self, decoder: decoder, place: offset)
        for dictionary in dictionaries { decoding.decode(type, in: dictionary, context: self.type) }
        if let unread = decoding.unread, dictionaries.contains(where: isSent) { reportGap(unread, at: offset) }
    }

    /// Whether at least one call passes a push that contains the dictionary itself, and not only as JSON text.
    private func isSent(_ dictionary: PushDictionary) -> Bool {
        var meaning = AbstractValue()
        meaning.data = [dictionary]
        return pairs.settled(meaning).data.contains { $0.root == .push && !$0.path.contains(where: \.isOfJSON) }
    }

    /// A decoder's container for the keys of a type, which holds the dictionaries of a value.
    func container(keyedBy keys: AbstractValue, of value: AbstractValue, _ decoder: AbstractValue) -> AbstractValue {
        let name = names.type(keys.metatype.map { .named($0, []) }, in: type).map { names.types[$0].name }
        var found = AbstractValue(type: .named("KeyedDecodingContainer", [.named(name ?? "", [])]))
        found.dictionaries = pairs.asDictionaries(value)
        found.role = decoder.role
        return found
    }

    /// The methods of a container that ``decodeKey(_:_:of:at:)`` reads.
    static let keyedDecodings: Set<String> = [
        "decode", "decodeIfPresent", "nestedContainer", "nestedUnkeyedContainer",
    ]

    /// Reads one of ``keyedDecodings``, such as `decode(T.self, forKey: key)` of a container.
    func decodeKey(_ name: String, _ arguments: [CodeArgument], of container: AbstractValue, at offset: Int)
        -> AbstractValue
    {
        let decoding = Decoding(reader: self, decoder: container, place: offset)
        let keys = names.type(container.keyType, in: nil)
        let argument = arguments[arguments.count - 1].value
        var key = value(arguments.count - 1, of: arguments, expecting: container.keyType)
        var place = place(offset)
        if case .member(nil, let name) = argument.kind {
            let entry = keys.flatMap { names.types[$0].casesByName[name]?.first }
            if let entry, let keys { place = CodePlace(file: names.types[keys].file, offset: entry.offset) }
            key = AbstractValue(text: decoding.text(of: name, entry))
        }
        guard decoding.convert(&key) else { return container.derived }
        var found = read(key, in: container, at: place)
        let written = value(0, of: arguments)
        if name.hasPrefix("nested") {
            thrown.formUnion(found.absent)
            if name == "nestedContainer" { return self.container(keyedBy: written, of: found, container) }
            var list = container
            list.type = nil
            list.dictionaries = Set(
                pairs.asDictionaries(found).compactMap { $0.appending(PushDictionary.anyElement) })
            return list
        }
        let type = written.metatype.map { CodeTypeName.named($0, []) } ?? .other
        let decoded = written.type?.isArray ?? false ? CodeTypeName.array(type) : type
        for site in found.reads { decoding.note(decoded, of: site, context: self.type) }
        decode(decoded, in: pairs.asDictionaries(found), by: container, at: offset)
        if name == "decode" {
            thrown.formUnion(found.absent)
            found.absent = []
        }
        // A type of the target makes something else from the value.
        if ReadType(decoded) == nil { found.reads = [] }
        found.type = name == "decode" ? decoded : .optional(decoded)
        return found
    }
}

extension AbstractValue {
    /// Whether the value is a decoder or one of its containers.
    var isDecoder: Bool { if case .decoder? = self.role { true } else { false } }

    /// The type of the keys of a container.
    var keyType: CodeTypeName? {
        if case .named("KeyedDecodingContainer", let arguments)? = self.type?.unwrapped { arguments.first } else { nil }
    }
}

/// Finds the keys from which a type is decoded.
private struct Decoding {
    let reader: BodyReader
    /// The decoder, or a container of it.
    let decoder: AbstractValue
    /// The place of the call.
    let place: Int
    /// Why the type may be decoded from keys that are not known; nil if all are known.
    var unread: String?
    private var depth = 0
    private var names: CodeNames { reader.names }

    private var isSnakeCase: Bool { decoder.role == .decoder(isSnakeCase: true) }

    /// Whether the decoder is the system's, which does not accept a text in place of a value of another type.
    private var isOfSystem: Bool { decoder.isDecoder || decoder.type?.unwrapped.name == "JSONDecoder" }

    init(reader: BodyReader, decoder: AbstractValue, place: Int) {
        self.reader = reader
        self.decoder = decoder
        self.place = place
    }

    /// The text of a coding key: the raw value of a case of `CodingKeys`, or the name of a property or case.
    func text(of name: String, _ entry: CodeType.Case?) -> String {
        entry?.raw.flatMap { reader.evaluate($0).texts.first?.literal } ?? name
    }

    /// Replaces the texts of coding keys with the keys in JSON that the decoder converts to them.
    ///
    /// - Returns: false, after a gap is reported, if no key in JSON becomes one of the texts.
    func convert(_ key: inout AbstractValue) -> Bool {
        guard isSnakeCase else { return true }
        var keys: Set<KeyText> = []
        for text in key.texts {
            guard let literal = text.literal else {
                keys.insert(text)
                continue
            }
            guard let found = literal.snakeCase else {
                reader.reportGap(
                    "no key in JSON becomes '\(literal)', as 'convertFromSnakeCase' leaves no underscore between words",
                    at: place)
                return false
            }
            keys.insert(KeyText(found))
        }
        key.texts = keys
        return true
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
                    unread = unread ?? "the push is decoded as '\(name)', whose code is not read"
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
        // A subclass decodes what its superclass decodes, unless it conforms to `Decodable` itself.
        if let parent = entry.superclass.flatMap({ names.type(named: $0.name, in: own) }),
            names.types[parent].kind == .nominal,
            names.inherits(parent, ["Decodable", "Codable"]),
            !entry.inherited.contains(where: { ["Decodable", "Codable"].contains($0.name ?? "") })
        {
            decode(parent, in: dictionary)
            return
        }
        let keys = names.type(named: entry.name + ".CodingKeys", in: nil)
        if let initializer = initializer(of: own) {
            var decoder = AbstractValue(type: .named("Decoder", []))
            decoder.dictionaries = [dictionary]
            decoder.role = isOfSystem ? .decoder(isSnakeCase: isSnakeCase) : nil
            _ = reader.callOwn([initializer], [("from", decoder)], base: AbstractValue(), at: place)
        } else if entry.kind != .enumeration {
            for variable in entry.stored { decode(variable, of: own, keys, in: dictionary) }
        }
    }

    /// The `init(from:)` of a type.
    private func initializer(of type: Int) -> Int? {
        names.methods("init", of: type).first { names.functions[$0].declaration.parameters.first?.label == "from" }
    }

    /// Decodes a property as the synthesized initializer does.
    private mutating func decode(
        _ variable: CodeNames.Variable, of own: Int, _ keys: Int?, in dictionary: PushDictionary
    ) {
        let declaration = variable.declaration
        guard let name = declaration.name, !declaration.isStatic, !declaration.isLazy, declaration.getter == nil,
            !(declaration.isConstant && declaration.initial != nil)
        else { return }
        let entry = keys.flatMap { names.types[$0].casesByName[name]?.first }
        if keys != nil, entry == nil { return }
        let type = declaration.type ?? declaration.initial.flatMap(\.literalType) ?? .other
        var texts = AbstractValue(text: text(of: name, entry))
        guard convert(&texts), let key = texts.texts.first?.literal else { return }
        let file = entry == nil ? variable.file : names.types[keys ?? own].file
        let wrapper = declaration.attributes.first { !Self.plainAttributes.contains($0.name) }
        let place = CodePlace(file: file, offset: entry?.offset ?? declaration.offset)
        let site = reader.pairs.facts.id(of: ReadSite(place: place, dictionary: dictionary, key: KeyText(key)))
        let hasOwn = ownDecodings.contains(wrapper?.name ?? type.unwrapped.name ?? "")
        if wrapper == nil, !hasOwn {
            note(type, of: site, context: own)
            if let inner = dictionary.appending(KeyText(key)) { decode(type, in: inner, context: own) }
        }
        guard !type.isOptional else { return }
        if wrapper != nil, hasOwn {
            reader.demand([Absence(sites: [site])], .default)
        } else {
            reader.thrown.insert(Absence(sites: [site]))
        }
    }

    /// The types for which the target adds `decode` methods to containers.
    private var ownDecodings: Set<String> {
        guard let container = names.type(named: "KeyedDecodingContainer", in: nil) else { return [] }
        let functions = ["decode", "decodeIfPresent"].flatMap { names.types[container].functions[$0] ?? [] }
        return Set(
            functions.compactMap { names.functions[$0].declaration.parameters.first?.type?.name }.filter {
                $0.hasSuffix(".Type")
            }
            .map { String($0.dropLast(5)) })
    }

    func note(_ type: CodeTypeName, of site: Int, context: Int?) {
        guard let found = evidence(type, context) else { return }
        // A decoder may accept some texts for numbers that JSON does not have, such as infinity.
        let takesTexts = reader.pairs.units.contains { $0.mentions.contains("nonConformingFloatDecodingStrategy") }
        if found == .number, takesTexts { return }
        let strategies = reader.pairs.dateStrategies
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

    /// The kind of JSON value that a type is decoded from; nil if it is not known.
    private func evidence(_ type: CodeTypeName, _ context: Int?) -> ReadType? {
        if let known = ReadType(type) { return known }
        guard let own = names.type(type, in: context), !names.types[own].isForeign else { return nil }
        let entry = names.types[own]
        if names.inherits(own, ["RawRepresentable"]) { return nil }
        if entry.kind == .enumeration { return entry.inherited.lazy.compactMap { ReadType($0) }.first }
        guard let initializer = initializer(of: own) else { return .dictionary }
        // A type that is decoded from a single value may accept values of any type.
        if reader.pairs.valueDecoders.contains(initializer) { return nil }
        let paths = reader.pairs.reads(in: initializer).map {
            reader.pairs.facts.sites[$0].dictionary.path
        }
        if paths.contains(where: \.isEmpty) { return .dictionary }
        return paths.contains { $0.first == PushDictionary.anyElement } ? .array : nil
    }

    /// The attributes of Swift and of Apple's frameworks that change nothing in how a type or property is decoded.
    private static let plainAttributes: Set<String> = [
        "IBInspectable", "IBOutlet", "MainActor", "NSCopying", "NSManaged", "ObservationIgnored", "ObservationTracked",
        "Observable", "Published", "available", "dynamicCallable", "dynamicMemberLookup", "frozen", "globalActor",
        "inlinable", "main", "nonobjc", "objc", "objcMembers", "preconcurrency", "propertyWrapper", "resultBuilder",
        "retroactive", "unchecked", "usableFromInline",
    ]
}

extension String {
    /// The key that `convertFromSnakeCase` turns into this text; nil if there is none.
    fileprivate var snakeCase: String? {
        guard !drop(while: { $0 == "_" }).reversed().drop(while: { $0 == "_" }).contains("_") else { return nil }
        return reduce(into: "") { result, character in
            if character.isUppercase, !result.isEmpty { result.append("_") }
            result += character.lowercased()
        }
    }
}
