// SPDX-License-Identifier: MIT

import AppDeclarations

/// A parameter of a function or closure; an index of -1 means the object whose method is called.
struct Parameter: Hashable {
    var owner: Int
    var index: Int
}

/// A text that may be a key or part of a key, made of literals and of texts that callers pass for parameters.
struct KeyText: Hashable {
    enum Piece: Hashable {
        case text(String)
        case parameter(Parameter, Change)
    }

    /// How code changes or restricts the text of a parameter before use.
    struct Change: Hashable {
        var isLowercased = false
        /// The only texts with which the code runs; nil for all texts.
        var only: Set<String>?
        /// The texts with which the code does not run.
        var except: Set<String> = []

        /// The text after the change; nil if the code does not run with the text.
        func applied(to text: KeyText) -> KeyText? {
            if let literal = text.literal {
                if except.contains(literal) || !(only?.contains(literal) ?? true) { return nil }
                return isLowercased ? KeyText(literal.lowercased(), from: text.origin) : text
            }
            var changed = text
            changed.pieces = text.pieces.map { piece in
                switch piece {
                case .text(let text): return .text(isLowercased ? text.lowercased() : text)
                case .parameter(let parameter, var change):
                    change.isLowercased = change.isLowercased || isLowercased
                    if text.pieces.count == 1 {
                        change.except.formUnion(except)
                        if let only { change.only = change.only.map { $0.intersection(only) } ?? only }
                    }
                    return .parameter(parameter, change)
                }
            }
            return changed
        }
    }

    /// The maximum number of pieces, and of bytes in a literal piece; recursive code could make a text grow forever.
    private static let limit = (pieces: 8, bytes: 200)

    private(set) var pieces: [Piece]

    /// The place of the first literal in the text, if it is known; texts that differ only in this are equal.
    private(set) var origin: CodePlace?

    init(_ text: String, from origin: CodePlace? = nil) {
        pieces = [.text(text)]
        self.origin = origin
    }

    init(_ parameter: Parameter) { pieces = [.parameter(parameter, Change())] }

    static func == (left: Self, right: Self) -> Bool { left.pieces == right.pieces }

    func hash(into hasher: inout Hasher) { hasher.combine(pieces) }

    /// The same text with another origin.
    func from(_ origin: CodePlace) -> KeyText {
        var text = self
        text.origin = origin
        return text
    }

    /// Joins texts; nil if the result is too long.
    init?(joining parts: [KeyText]) {
        pieces = []
        origin = parts.lazy.compactMap(\.origin).first
        for piece in parts.flatMap(\.pieces) {
            if case .text(let more) = piece, case .text(let start)? = pieces.last {
                pieces[pieces.count - 1] = .text(start + more)
            } else {
                pieces.append(piece)
            }
        }
        guard pieces.count <= Self.limit.pieces else { return nil }
        for case .text(let text) in pieces where text.utf8.count > Self.limit.bytes { return nil }
    }

    /// The text; nil if it depends on a parameter.
    var literal: String? {
        if pieces.isEmpty { return "" }
        guard pieces.count == 1, case .text(let text) = pieces[0] else { return nil }
        return text
    }

    /// Whether the text ends with the mark of a key whose value is parsed as JSON.
    var isOfJSON: Bool {
        if case .text(let text)? = pieces.last { text.hasSuffix(TargetCode.textMark) } else { false }
    }

    var parameters: [Parameter] {
        pieces.compactMap { if case .parameter(let parameter, _) = $0 { parameter } else { nil } }
    }
}

/// The dictionary of a push, or one inside of it.
struct PushDictionary: Hashable {
    enum Root: Hashable {
        case push
        /// What callers pass for a parameter.
        case parameter(Parameter)
    }

    /// The part of a path that means any element of a list.
    static let anyElement = KeyText("[]")

    var root: Root
    var path: [KeyText] = []

    /// The condition under which a variable or parameter holds the dictionary.
    var condition = ReadCondition.always

    static let push = PushDictionary(root: .push)

    /// Whether it is the whole dictionary of a push, not one inside of it.
    var isWholePush: Bool { root == .push && path.isEmpty }

    /// The dictionary at a key of this one, or in the JSON text at that key; nil if the path or the key becomes too
    /// long.
    func appending(_ key: KeyText, isJSON: Bool = false) -> PushDictionary? {
        guard path.count < 8,
            let key = isJSON ? KeyText(joining: [key, KeyText(TargetCode.textMark)]) : key
        else {
            return nil
        }
        return PushDictionary(root: root, path: path + [key], condition: condition)
    }

    /// The same dictionary, for pushes that also meet another condition.
    func held(for condition: ReadCondition) -> PushDictionary {
        guard root == .push else { return self }
        var held = self
        held.condition = self.condition.intersection(condition)
        return held
    }

    var parameters: [Parameter] {
        var found = path.flatMap(\.parameters)
        if case .parameter(let parameter) = root { found.append(parameter) }
        return found
    }
}

/// Reads whose keys have to be missing together for a value to be nil, or a condition to fail.
struct Absence: Hashable {
    var sites: Set<Int>

    /// Whether the result also depends on other conditions.
    var isOpen = false

    /// The unions of each absence in one set with each in the other; empty if there are too many.
    static func all(_ left: Set<Absence>, _ right: Set<Absence>) -> Set<Absence> {
        guard left.count * right.count <= 32 else { return [] }
        return Set(
            left.flatMap { one in
                right.map { Absence(sites: one.sites.union($0.sites), isOpen: one.isOpen || $0.isOpen) }
            })
    }
}

extension Set<Absence> {
    /// The same absences, marked as also depending on other conditions.
    var opened: Set<Absence> { Set(map { Absence(sites: $0.sites, isOpen: true) }) }
}

/// What the syntax says about the value of an expression.
///
/// Most values are only passed on, so copies share their contents until one of them changes.
@dynamicMemberLookup
struct AbstractValue: Equatable {
    /// A special meaning that a value has for code that handles pushes.
    enum Role: Hashable {
        case actionIdentifier, categoryIdentifier
        case launchOptions
        /// A decoder or one of its containers, and whether the decoder converts keys from snake case.
        case decoder(isSnakeCase: Bool)
        /// A key in a loop over a dictionary.
        case keyOfLoop
        /// The keys of a dictionary.
        case keys
    }

    struct Contents: Equatable {
        /// The static type of the value, if it is known.
        var type: CodeTypeName?
        /// The types that the value may have besides ``type``.
        var otherTypes: Set<CodeTypeName> = []
        /// The name of the type, if the expression names one, such as `Keys` in `Keys.offer`.
        var metatype: String?
        /// The dictionaries of pushes that the value may be.
        var dictionaries: Set<PushDictionary> = []
        /// The pushes to which the value gives access, if ``type`` is that of a notification, request, content or
        /// response.
        var pushes: Set<PushDictionary> = []
        /// The dictionaries whose JSON the value may be.
        var data: Set<PushDictionary> = []
        /// The reads that may have produced the value.
        var reads: Set<Int> = []
        /// The texts that the value may be; for a case of an enumeration, its raw value.
        var texts: Set<KeyText> = []
        /// The members of ``texts`` that only some builds have.
        var textsOfBuilds: Set<KeyText> = []
        /// Whether the value may also be a text that is not in ``texts``.
        var mayBeOther = false
        /// Whether the value is each of ``texts`` in turn, as in a loop.
        var isEach = false
        /// What makes the value nil, false or zero.
        var absent: Set<Absence> = []
        /// What makes the value true.
        var present: Set<Absence> = []
        /// Whether something other than the presence of pairs also decides if the value is nil or false.
        var isTested = false
        /// For a condition about categories alone, the categories for which it is true.
        var categories: CategorySet?
        /// The conversions that made the value from the reads; the value is nil if one of them fails.
        var conversions: Set<Conversion> = []
        /// The identifiers of the notification actions that the value may be, and whether each lets the user enter a
        /// text.
        var actions: [String: Bool] = [:]
        /// The closures and functions that the value may be.
        var closures: Set<Int> = []
        /// What is known about the elements of a list, or the values of a dictionary that is not a push; at most one
        /// value.
        var element: [AbstractValue] = []
        /// The elements of a tuple or list literal, or the associated values of a case of an enumeration.
        var parts: [AbstractValue] = []
        var role: Role?
        /// For the result of a function, what makes the function throw an error.
        var errors: Set<Absence> = []
    }

    private final class Shared {
        var contents: Contents

        init(_ contents: Contents) { self.contents = contents }
    }

    /// The contents of a value about which nothing is known.
    ///
    /// This property always holds a second reference to them, so no value changes them in place. If ``shared`` were
    /// optional, and nil for such a value, reading an app's code would take 80 % more instructions.
    nonisolated(unsafe) private static let empty = Shared(Contents())

    private var shared = empty

    subscript<Value>(dynamicMember member: WritableKeyPath<Contents, Value>) -> Value {
        _read { yield shared.contents[keyPath: member] }
        _modify {
            if !isKnownUniquelyReferenced(&shared) { shared = Shared(shared.contents) }
            yield &shared.contents[keyPath: member]
        }
    }

    init() {}

    init(type: CodeTypeName?) { self.type = type }

    init(type: CodeTypeName? = nil, role: Role) {
        self.type = type
        self.role = role
    }

    /// A list, with what is known about its elements.
    init(type: CodeTypeName? = nil, element: AbstractValue) {
        self.type = type
        self.element = [element]
    }

    init(text: String) {
        self.texts = [KeyText(text)]
        self.type = .named("String", [])
    }

    static func == (left: AbstractValue, right: AbstractValue) -> Bool {
        left.shared === right.shared || left.shared.contents == right.shared.contents
    }

    /// A notification, its request, content or response.
    static func push(_ type: String) -> AbstractValue {
        var meaning = AbstractValue(type: .named(type, []))
        meaning.pushes = [.push]
        return meaning
    }

    static var userInfo: AbstractValue {
        var meaning = AbstractValue(type: .dictionary(.named("AnyHashable", []), .named("Any", [])))
        meaning.dictionaries = [.push]
        return meaning
    }

    /// The same value without the cases in which it is nil, as after `!`.
    var unwrapped: AbstractValue {
        var meaning = self
        meaning.absent = []
        meaning.conversions = []
        meaning.type = self.type?.unwrapped
        return meaning
    }

    /// Whether the value is an attachment of a notification.
    var isAttachment: Bool { self.type?.unwrapped.name == "UNNotificationAttachment" }

    /// The opposite condition.
    var swapped: AbstractValue {
        var meaning = self
        (meaning.absent, meaning.present) = (self.present, self.absent)
        meaning.categories = self.categories?.inverted
        return meaning
    }

    /// What is known about a value made from this one, such as a member of an optional value: only what makes it nil.
    var derived: AbstractValue {
        var meaning = AbstractValue()
        meaning.absent = self.absent
        meaning.isTested = self.isTested
        return meaning
    }

    /// Whether the value is or contains a push, or a dictionary of a push other than the system's, so that code that
    /// gets the value may read pairs.
    var givesPairs: Bool {
        self.dictionaries.contains { dictionary in
            guard let first = dictionary.path.first?.literal else { return true }
            return !TargetCode.isSystem([], first)
        } || !self.pushes.isEmpty || self.element.contains(where: \.givesPairs)
            || self.parts.contains(where: \.givesPairs) || self.data.contains { $0.path.isEmpty }
    }

    /// Combines what is known about an expression on one path through the code with what is known on another.
    mutating func join(_ other: AbstractValue) {
        if self == other || other == AbstractValue() { return }
        guard self != AbstractValue() else {
            self = other
            return
        }
        if !isKnownUniquelyReferenced(&shared) { shared = Shared(shared.contents) }
        shared.contents.join(other.shared.contents)
    }

    /// The same value, for a variable to which it is assigned under a condition.
    func held(for condition: ReadCondition) -> AbstractValue {
        guard condition != .always else { return self }
        var held = self
        held.dictionaries = Set(self.dictionaries.map { $0.held(for: condition) })
        held.pushes = Set(self.pushes.map { $0.held(for: condition) })
        held.data = Set(self.data.map { $0.held(for: condition) })
        held.element = self.element.map { $0.held(for: condition) }
        held.parts = self.parts.map { $0.held(for: condition) }
        return held
    }

    func joined(_ other: AbstractValue) -> AbstractValue {
        var meaning = self
        meaning.join(other)
        return meaning
    }
}

extension AbstractValue {
    /// The maximum number of texts, of absences and of closures that are kept for a value.
    static let limit = 64
}

extension AbstractValue.Contents {
    /// Adds the members of another set; adds none and returns false if both together exceed the limit.
    @discardableResult
    private static func join<Member>(_ set: inout Set<Member>, _ more: Set<Member>) -> Bool {
        let limit = AbstractValue.limit
        guard set.count + more.count <= limit || set.union(more).count <= limit else { return false }
        set.formUnion(more)
        return true
    }

    fileprivate mutating func join(_ other: Self) {
        if let own = type, let second = other.type, own.unwrapped != second.unwrapped,
            otherTypes.count < 8
        {
            otherTypes.insert(second.unwrapped)
        }
        otherTypes.formUnion(other.otherTypes)
        type = type ?? other.type
        metatype = metatype ?? other.metatype
        dictionaries.formUnion(other.dictionaries)
        pushes.formUnion(other.pushes)
        data.formUnion(other.data)
        reads.formUnion(other.reads)
        if !Self.join(&texts, other.texts) { mayBeOther = true }
        textsOfBuilds.formUnion(other.textsOfBuilds)
        errors.formUnion(other.errors)
        mayBeOther = mayBeOther || other.mayBeOther
        isEach = isEach && other.isEach
        Self.join(&absent, other.absent)
        Self.join(&present, other.present)
        isTested = isTested || other.isTested
        categories = categories == other.categories ? categories : nil
        conversions.formUnion(other.conversions)
        actions.merge(other.actions) { $0 || $1 }
        Self.join(&closures, other.closures)
        if element.isEmpty {
            element = other.element
        } else if let more = other.element.first {
            element[0].join(more)
        }
        if parts.count == other.parts.count {
            for index in parts.indices { parts[index].join(other.parts[index]) }
        } else if parts.isEmpty {
            parts = other.parts
        }
        role = role ?? other.role
    }
}
