// SPDX-License-Identifier: MIT

public import Liquid

/// What templates may read: the namespaces of Braze's Liquid, plain variables, and fixtures for what would be fetched.
///
/// A context is made of layers. ``laid(over:)`` puts one on another: names of the upper one win, one by one inside
/// each namespace.
public struct RenderContext: Sendable {
    /// The name under which the attributes without a namespace stand, which `${x}` reads.
    package static let bareNamespace = "$"

    /// The namespace of content blocks: name to source, which is rendered where it is read.
    package static let contentBlocks = "content_blocks"

    /// The namespaces, each an object.
    package var namespaces: [(name: String, members: LiquidObject)]

    /// Plain Liquid variables.
    package var variables: LiquidObject

    /// Catalogs, connected content and the like, each as it stands in the file.
    package var fixtures: LiquidObject

    /// What `now` means; nil leaves it to the options.
    public var now: Time?

    /// The context in which everything is missing.
    public static let empty = RenderContext(namespaces: [], variables: .empty, fixtures: .empty, now: nil)

    package init(
        namespaces: [(name: String, members: LiquidObject)],
        variables: LiquidObject = .empty,
        fixtures: LiquidObject = .empty,
        now: Time? = nil
    ) {
        self.namespaces = namespaces
        self.variables = variables
        self.fixtures = fixtures
        self.now = now
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

    /// The context with properties of the API trigger or of the event below its own.
    public func laid(overTriggerProperties trigger: LiquidObject, eventProperties: LiquidObject) -> RenderContext {
        laid(
            over: RenderContext(
                namespaces: [("api_trigger_properties", trigger), ("event_properties", eventProperties)]
                    .filter { $0.1.count > 0 }
            )
        )
    }

    /// The object that templates are rendered against: the variables, and the namespaces above them.
    package var root: LiquidObject {
        var builder = LiquidObject.Builder(variables)
        for (name, members) in namespaces { builder.set(name, .object(members)) }
        return LiquidObject(builder)
    }
}

extension LiquidObject {
    /// The object with the members of another one below: of a key that both have the value here is taken.
    ///
    /// - Parameters:
    ///   - lower: the members below.
    ///   - depth: how many levels of objects are merged and not replaced.
    /// - Returns: the members of both, those below first.
    func laid(over lower: LiquidObject, depth: Int = 0) -> LiquidObject {
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
