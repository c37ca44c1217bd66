// SPDX-License-Identifier: MIT

/// The parts of a Swift or Objective-C source file that matter for what its code reads from a push.
///
/// Both languages are converted to this one form, which ``BodyReader`` then reads. Offsets are in bytes of the
/// UTF-8 text.
struct CodeUnit: Sendable {
    /// The index of the file in the list of the target's files.
    var file = 0

    var isObjectiveC = false

    /// The types and extensions at the top level.
    var types: [CodeType] = []

    /// The functions outside types.
    var functions: [CodeFunction] = []

    /// The variables and constants outside types.
    var variables: [CodeVariable] = []

    /// Type aliases: the type for each name.
    var aliases: [String: CodeTypeName] = [:]

    /// Macros that are replaced by an expression, with or without parameters.
    var macros: [CodeFunction] = []

    /// Statements outside functions.
    var statements: [CodeStatement] = []

    /// The modules that the file imports, and the names of the headers that it imports in quotes.
    var imports: Set<String> = []

    /// The types that the file imports by name, as in `import struct Module.Name`, with their modules.
    var importedTypes: [String: String] = [:]

    /// Whether the file expands a macro that may add declarations.
    var mayDeclareMore = false

    /// The generic types that the file names with arguments, such as `Box<Offer>`.
    var specializations: Set<CodeTypeName> = []

    /// The names to which the code in the file refers.
    var mentions: Set<String> = []

    /// The first part of the file that is not read, for example because it is nested too deeply; nil if all of it is
    /// read.
    var unread: UnreadRegion?

    /// The only names that ``outline`` keeps in ``mentions``.
    private static let keptNames: Set<String> = [
        "ABKStoriesViewDataSource", "preferredContentSize", "registerForRemoteNotifications",
    ]

    /// The types and what they inherit, without their code: all that is needed from a file that is not about pushes.
    var outline: CodeUnit {
        var outline = CodeUnit(file: file, isObjectiveC: isObjectiveC)
        outline.types = types.map(\.outline)
        outline.aliases = aliases
        outline.mayDeclareMore = mayDeclareMore
        outline.mentions = mentions.intersection(Self.keptNames)
        outline.unread = unread
        return outline
    }
}

/// A part of a file that is not read, and the reason.
struct UnreadRegion: Sendable {
    var offset: Int
    var why: String

    /// A region for bytes that are not UTF-8 text, such as a file in UTF-16, which compilers refuse.
    static func notText(at offset: Int) -> UnreadRegion {
        UnreadRegion(offset: offset, why: "the file is not UTF-8 text")
    }
}

/// The name of a type as written.
indirect enum CodeTypeName: Sendable, Hashable {
    /// A name with its outer types, such as `Keys.Offer`, and its generic arguments.
    case named(String, [CodeTypeName])
    case optional(CodeTypeName)
    case array(CodeTypeName)
    case dictionary(CodeTypeName, CodeTypeName)
    case function
    case tuple([CodeTypeName])
    case other

    /// The type without any optionals around it.
    var unwrapped: CodeTypeName {
        var type = self
        while case .optional(let inner) = type { type = inner }
        return type
    }

    /// The name of a named type or of an optional one, as written; nil for a type without a name.
    var name: String? {
        if case .named(let name, _) = unwrapped { return name }
        return nil
    }

    var isOptional: Bool { if case .optional = self { true } else { false } }

    var isFunction: Bool { unwrapped == .function }

    var isArray: Bool { if case .array = unwrapped { true } else { false } }

    var isDictionary: Bool {
        switch unwrapped {
        case .dictionary: true
        case .named(let name, _): name == "NSDictionary" || name == "NSMutableDictionary"
        default: false
        }
    }
}

/// The identity of a declaration or closure, which distinguishes it from another one with the same contents.
final class CodeIdentity: Sendable, Hashable {
    static func == (left: CodeIdentity, right: CodeIdentity) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A class, structure, enumeration, protocol or extension.
struct CodeType: Sendable {
    enum Kind: Sendable { case nominal, enumeration, proto, extending }

    /// A case of an enumeration.
    struct Case: Sendable {
        var name: String
        var raw: CodeExpression?
        var offset: Int
        /// Whether it is compiled only with some build settings.
        var isConditional = false
    }

    var name: String
    var kind: Kind
    var inherited: [CodeTypeName] = []
    var functions: [CodeFunction] = []
    var variables: [CodeVariable] = []
    var cases: [Case] = []
    var nested: [CodeType] = []
    var aliases: [String: CodeTypeName] = [:]
    var attributes: [String] = []
    /// The name of the class in Objective-C.
    var objectiveCName: String?
    /// The names of its generic parameters, or of the associated types of a protocol.
    var generics: [String] = []
    var isClass = false
    var offset = 0

    /// The type and the types inside of it, at every depth.
    var withNested: [CodeType] { [self] + nested.flatMap(\.withNested) }

    fileprivate var outline: CodeType {
        CodeType(
            name: name, kind: kind, inherited: inherited, nested: nested.map(\.outline), aliases: aliases,
            objectiveCName: objectiveCName, isClass: isClass, offset: offset)
    }
}

/// A parameter of a function or a closure.
struct CodeParameter: Sendable {
    /// The label that callers write before the argument; empty for none.
    var label: String
    var name: String
    var type: CodeTypeName?
    var fallback: CodeExpression?
    var isVariadic = false
}

/// A function, initializer, subscript, accessor, method or macro.
struct CodeFunction: Sendable {
    enum Kind: Sendable {
        case function, initializer, failableInitializer, subscripting, getter, setter, macro
        /// A method of Objective-C, named by its selector.
        case message
    }

    let identity = CodeIdentity()
    /// The name; in Objective-C the whole selector.
    var name: String
    var kind: Kind
    var parameters: [CodeParameter] = []
    var result: CodeTypeName?
    var body: [CodeStatement]?
    /// The Objective-C name that `@objc` gives a Swift method; nil if it gives none.
    var objectiveCName: String?
    var generics: [String] = []
    /// Whether it is compiled only with some build settings.
    var isConditional = false
    var offset: Int
}

/// A variable or constant.
struct CodeVariable: Sendable {
    /// An attribute with its arguments, such as a property wrapper.
    struct Attribute: Sendable {
        var name: String
        var type: CodeTypeName
        var arguments: [CodeArgument]
    }

    let identity = CodeIdentity()
    var pattern: CodePattern
    var type: CodeTypeName?
    var initial: CodeExpression?
    var getter: CodeFunction?
    /// Setters and observers.
    var setters: [CodeFunction] = []
    var isStatic = false
    var isConstant = false
    var isLazy = false
    /// Whether it is compiled only with some build settings.
    var isConditional = false
    var attributes: [Attribute] = []
    var offset: Int

    /// The name, if the pattern is a single name.
    var name: String? {
        if case .name(let name) = pattern { return name }
        return nil
    }
}

/// A pattern of a binding or a `case`.
indirect enum CodePattern: Sendable {
    case name(String)
    /// The name of a variable, `var x`, which code may change in place.
    case variable(String)
    case tuple([CodePattern])
    /// `x?`, which a nil value does not match.
    case present(CodePattern)
    /// `x as T`
    case typed(CodePattern, CodeTypeName)
    case value(CodeExpression)
    /// `is T`
    case kind(CodeTypeName)
    case enumCase(String, [CodePattern])
    case any
}

struct CodeArgument: Sendable {
    var label: String
    var value: CodeExpression
}

/// An expression and its offset.
struct CodeExpression: Sendable {
    enum Attempt: Sendable { case plain, optional, forced }

    enum Cast: Sendable { case conditional, forced, plain, test }

    indirect enum Kind: Sendable {
        case name(String)
        case text([TextPart])
        case number(String)
        case boolean(Bool)
        case null
        /// A member of a value; without a base, `.name`.
        case member(CodeExpression?, String)
        case call(CodeExpression, [CodeArgument])
        case index(CodeExpression, [CodeArgument])
        case cast(CodeExpression, CodeTypeName, Cast)
        case forced(CodeExpression)
        case chained(CodeExpression)
        /// An argument that the function may change, `&x`.
        case passed(CodeExpression)
        case attempt(CodeExpression, Attempt)
        case binary(String, CodeExpression, CodeExpression)
        case not(CodeExpression)
        case choice(CodeExpression, CodeExpression, CodeExpression)
        case assign(CodeExpression, CodeExpression)
        case tuple([CodeArgument])
        case list([CodeExpression])
        case map([(key: CodeExpression, value: CodeExpression)])
        case closure(CodeClosure)
        case keyPath([String])
        case type(CodeTypeName)
        /// An `if`, `switch` or `do` used as an expression.
        case block([CodeStatement])
        /// A test of the system's version, `#available` or `@available`.
        case available
        case other([CodeExpression])
    }

    var kind: Kind
    var offset: Int

    init(_ kind: Kind, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}

/// A part of a string literal.
enum TextPart: Sendable {
    case text(String)
    case value(CodeExpression)
}

/// A closure, or a block in Objective-C.
struct CodeClosure: Sendable {
    let identity = CodeIdentity()
    var parameters: [CodeParameter]
    var body: [CodeStatement]
}

/// A condition of `if`, `guard` or `while`.
enum CodeCondition: Sendable {
    case expression(CodeExpression)
    /// `let x = y`, or `let x` for `let x = x`.
    case binding(CodePattern, CodeTypeName?, CodeExpression)
    /// `case p = y`
    case matching(CodePattern, CodeExpression)
}

/// What a statement such as `break` or `continue` leaves.
enum CodeTarget: Sendable, Hashable {
    case function
    /// The iteration of a loop.
    case iteration
    /// The innermost loop or `switch`.
    case innermost
    /// The current case of a `switch`, to continue with the next case.
    case entry
}

indirect enum CodeStatement: Sendable {
    /// A case of a `switch`: its patterns and its statements.
    struct Case: Sendable {
        var patterns: [CodePattern]
        var conditions: [CodeExpression]
        var body: [CodeStatement]
        var isDefault: Bool
    }

    case expression(CodeExpression)
    case variable(CodeVariable)
    case guarding([CodeCondition], [CodeStatement])
    case branch([CodeCondition], [CodeStatement], otherwise: [CodeStatement]?)
    case choose(CodeExpression, [Case])
    case loop(CodePattern, CodeExpression, conditions: [CodeExpression], [CodeStatement], offset: Int)
    case repeating([CodeCondition], [CodeStatement])
    /// A `do` or `@try` block, the statements of each `catch`, and whether these catch all errors.
    case attempt([CodeStatement], catches: [[CodeStatement]], isExhaustive: Bool)
    case returning(CodeExpression?)
    case throwing(CodeExpression?)
    case leave(CodeTarget)
    case function(CodeFunction)
    /// Statements inside `#if`, and whether they are compiled only for systems other than iOS, or never.
    case conditional([CodeStatement], isForOthers: Bool)
}
