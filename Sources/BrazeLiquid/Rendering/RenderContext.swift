// SPDX-License-Identifier: MIT

import DiagnosticSources
public import LiquidTemplates

/// The data that templates may read: the namespaces of Braze's Liquid, plain variables, and fixtures for content that
/// Braze would fetch.
///
/// Contexts are combined in layers: ``laid(over:)`` puts one over another. If both have the same name in the same
/// namespace, the value of the upper context is used.
public struct RenderContext: Sendable {
    /// The keys of a context file that hold fixtures.
    public static let fixtureKeys = [
        "content_blocks", "catalogs", "catalog_selections", "connected_content", "promotion_codes", "shopping_carts",
        "landing_pages", "translations",
    ]

    /// All keys of a context file.
    public static let allKeys = BrazeNamespace.all.map(\.contextKey) + fixtureKeys + ["vars", "now"]

    /// The namespaces by their names in templates, each with its members; `$` holds the attributes that `${name}`
    /// reads.
    package var namespaces: [(name: String, members: LiquidObject)]

    /// Plain Liquid variables.
    package var variables: LiquidObject

    /// Content blocks, catalogs, connected content and other fixtures, as in the context file.
    package var fixtures: LiquidObject

    /// The instant of `now`; nil to use the clock of the settings.
    public var now: Time?

    /// A context without any data.
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
    /// - Parameter object: an object with the keys of a context file; a value `{"$time": "2026-11-20T09:00:00Z"}` is a
    ///   time.
    /// - Throws: `argument` for an unknown key or for a value that is not valid for its key.
    public init(shortForm object: LiquidObject) throws(LiquidError) {
        self.init()
        for (key, value) in zip(object.keys, object.values) { try set(key, value.resolvingTimes()) }
    }

    /// Sets the part of the context that belongs to a key of a context file; times in the value are already resolved.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - value: the value of the key.
    ///   - checksForm: whether the structure of catalogs is checked here; for the fixtures of campaigns, a rule does
    ///     this.
    /// - Throws: `argument` for an unknown key or for a value that is not valid for the key.
    package mutating func set(_ key: String, _ value: Value, checksForm: Bool = true) throws(LiquidError) {
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
            if now == nil { throw LiquidError(.argument, "'now' is not a time in ISO 8601") }
        } else if Self.fixtureKeys.contains(key) {
            if key == ConnectedContentFixture.contextKey {
                for fixture in try ConnectedContentFixture.all(in: value) { try fixture.check() }
            } else {
                let members = try Self.members(value, of: key)
                if checksForm { try Self.checkForm(of: members, key) }
            }
            var builder = LiquidObject.Builder(fixtures)
            builder.set(key, value)
            fixtures = LiquidObject(builder)
        } else {
            let hint = didYouMean(nearestName(to: key, in: Self.allKeys))
            throw LiquidError(.argument, "unknown key '\(key)' in the context" + hint)
        }
    }

    private static func members(_ value: Value, of key: String) throws(LiquidError) -> LiquidObject {
        switch value {
        case .object(let object): return object
        case .null: return .empty
        default: throw LiquidError(.argument, "'\(key)' has to be an object of names and values")
        }
    }

    /// Checks the structure of catalogs, because tags would find no items otherwise: `catalogs` has to hold items by
    /// id, and `catalog_selections` lists of items under the names of their selections.
    private static func checkForm(of catalogs: LiquidObject, _ key: String) throws(LiquidError) {
        guard ["catalogs", "catalog_selections"].contains(key) else { return }
        let holdsItems = key == "catalogs"
        for (name, catalog) in zip(catalogs.keys, catalogs.values) {
            switch catalog {
            case .null: continue
            case .object(let members):
                for (member, value) in zip(members.keys, members.values) {
                    switch value {
                    case .null: continue
                    case .object where holdsItems: continue
                    case .array where !holdsItems: continue
                    default:
                        let form = holdsItems ? "an object of fields" : "a list of items"
                        throw LiquidError(.argument, "'\(key).\(name).\(member)' has to be \(form)")
                    }
                }
            default:
                let form =
                    holdsItems ? "items by their ids: 'ID: {…}'" : "lists of items under the names of their selections"
                throw LiquidError(.argument, "'\(key).\(name)' has to hold \(form)")
            }
        }
    }

    /// The members of a namespace; empty if the context does not have the namespace.
    package func members(of namespace: String) -> LiquidObject {
        namespaces.first { $0.name == namespace }?.members ?? .empty
    }

    package mutating func setMembers(_ members: LiquidObject, of namespace: String) {
        if let index = namespaces.firstIndex(where: { $0.name == namespace }) {
            namespaces[index].members = members
        } else {
            namespaces.append((namespace, members))
        }
    }

    /// The context laid over another one; where both have a value for a name, this context's value is used.
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

    /// The data of templates: the variables and the namespaces; a namespace replaces a variable of the same name.
    package var root: LiquidObject {
        var builder = LiquidObject.Builder(variables)
        for (name, members) in namespaces { builder.set(name, .object(members)) }
        return LiquidObject(builder)
    }
}

extension LiquidObject {
    /// The object laid over another one; where both have a key, this object's value is used unless it is nil.
    ///
    /// - Parameters:
    ///   - lower: the object below this one.
    ///   - depth: for how many levels inner objects are merged instead of replaced.
    /// - Returns: the members of both objects, beginning with those of the lower object.
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
