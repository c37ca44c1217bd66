// SPDX-License-Identifier: MIT

public import Liquid
import SourceText

/// What templates may read: the namespaces of Braze's Liquid, plain variables, and fixtures for what would be fetched.
///
/// A context is made of layers. ``laid(over:)`` puts one on another: names of the upper one win, one by one inside
/// each namespace.
public struct RenderContext: Sendable {
    /// The keys of a context file for what a template would fetch.
    public static let fixtureKeys = [
        "content_blocks", "catalogs", "catalog_selections", "connected_content", "promotion_codes", "shopping_carts",
        "landing_pages", "translations",
    ]

    /// All keys of a context file.
    public static let allKeys = BrazeNamespace.all.map(\.contextKey) + fixtureKeys + ["vars", "now"]

    /// The namespaces, each an object, by their names in templates; `$` is what `${x}` reads.
    package var namespaces: [(name: String, members: LiquidObject)]

    /// Plain Liquid variables.
    package var variables: LiquidObject

    /// Content blocks, catalogs, connected content and the like, each as it is in the file.
    package var fixtures: LiquidObject

    /// What `now` means; nil leaves it to the settings of the rendering.
    public var now: Time?

    /// The context in which everything is missing.
    public static let empty = RenderContext()

    package init(
        namespaces: [(name: String, members: LiquidObject)] = [],
        variables: LiquidObject = .empty,
        fixtures: LiquidObject = .empty,
        now: Time? = nil
    ) {
        self.namespaces = namespaces
        self.variables = variables
        self.fixtures = fixtures
        self.now = now
    }

    /// Reads a context in its short form.
    ///
    /// - Parameter object: members as in a context file; a value `{"$time": "2026-11-20T09:00:00Z"}` is a time.
    /// - Throws: `argument` for an unknown key or a value that its key cannot have.
    public init(shortForm object: LiquidObject) throws(LiquidError) {
        self.init()
        for (key, value) in zip(object.keys, object.values) { try set(key, value.resolvingTimes()) }
    }

    /// Sets what a key of a context file means; times in the value are times already.
    ///
    /// - Throws: `argument` for an unknown key or a value that the key cannot have.
    package mutating func set(_ key: String, _ value: Value) throws(LiquidError) {
        if let namespace = BrazeNamespace.all.first(where: { $0.contextKey == key }) {
            setMembers(try Self.members(value, of: key), of: namespace.name)
        } else if key == "vars" {
            variables = try Self.members(value, of: key)
        } else if key == "now" {
            switch value {
            case .time(let time): now = time
            case .string(let text): now = Time(attribute: text)
            default: now = nil
            }
            if now == nil { throw LiquidError(.argument, "'now' is no time in ISO 8601") }
        } else if Self.fixtureKeys.contains(key) {
            if key == ConnectedContentFixture.contextKey {
                for fixture in try ConnectedContentFixture.all(in: value) { try fixture.check() }
            } else {
                _ = try Self.members(value, of: key)
            }
            var builder = LiquidObject.Builder(fixtures)
            builder.set(key, value)
            fixtures = LiquidObject(builder)
        } else {
            var message = "unknown key '\(key)' in the context"
            if let near = nearestName(to: key, in: Self.allKeys) { message += ", did you mean '\(near)'?" }
            throw LiquidError(.argument, message)
        }
    }

    private static func members(_ value: Value, of key: String) throws(LiquidError) -> LiquidObject {
        switch value {
        case .object(let object): return object
        case .null: return .empty
        default: throw LiquidError(.argument, "'\(key)' has to be an object of names and values")
        }
    }

    /// The members of a namespace; none where it is missing.
    package func members(of namespace: String) -> LiquidObject {
        namespaces.first { $0.name == namespace }?.members ?? .empty
    }

    /// Sets the members of a namespace.
    package mutating func setMembers(_ members: LiquidObject, of namespace: String) {
        if let index = namespaces.firstIndex(where: { $0.name == namespace }) {
            namespaces[index].members = members
        } else {
            namespaces.append((namespace, members))
        }
    }

    /// The context with the names of another one below: what both have is taken from this one.
    public func laid(over lower: RenderContext) -> RenderContext {
        var result = lower
        for (name, members) in namespaces {
            result.setMembers(members.laid(over: lower.members(of: name)), of: name)
        }
        result.variables = variables.laid(over: lower.variables)
        result.fixtures = fixtures.laid(over: lower.fixtures, depth: 1)
        result.now = now ?? lower.now
        return result
    }

    /// The object that templates are rendered against: the variables, and the namespaces above them.
    package var root: LiquidObject {
        var builder = LiquidObject.Builder(variables)
        for (name, members) in namespaces { builder.set(name, .object(members)) }
        return LiquidObject(builder)
    }
}

extension LiquidObject {
    /// The object with the members of another one below: of a key that both have the value here is taken, unless it is
    /// nil.
    ///
    /// - Parameters:
    ///   - lower: the members below.
    ///   - depth: how many levels of objects are merged and not replaced.
    /// - Returns: the members of both, those below first.
    package func laid(over lower: LiquidObject, depth: Int = 0) -> LiquidObject {
        if lower.count == 0 { return self }
        if count == 0 { return lower }
        var builder = Builder(lower)
        for (key, value) in zip(keys, values) {
            if depth > 0, case .object(let upper) = value, case .object(let below)? = lower[key] {
                builder.set(key, .object(upper.laid(over: below, depth: depth - 1)))
            } else if case .null = value, lower[key] != nil {
                continue
            } else {
                builder.set(key, value)
            }
        }
        return LiquidObject(builder)
    }
}
