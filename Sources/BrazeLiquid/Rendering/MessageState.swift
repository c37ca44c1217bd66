// SPDX-License-Identifier: MIT

import LiquidTemplates

/// The state that the tags of one message share: the fixtures, and what the tags have done so far.
///
/// The object is private to one ``BrazeRenderer``, which only one thread at a time uses, so it needs no lock. Accesses
/// to a member never overlap, so the members that every message resets need no exclusivity checks, which took 1 % of a
/// batch.
final class MessageState: @unchecked Sendable {
    @exclusivity(unchecked) var fixtures = LiquidObject.empty
    var seed = 0
    @exclusivity(unchecked) var recordID = ""
    /// The name of the field that is being rendered.
    var field: String { template?.name ?? givenField }
    private var givenField = ""
    /// The template whose name is the name of the field; the caller of `begin(fieldOf:)` keeps it alive.
    private unowned(unsafe) var template: Template?
    /// The number of times that `random` has run in the field.
    var randomCount: UInt64 = 0

    @exclusivity(unchecked) var messageExtras: [(key: String, value: String)] = []
    /// The number of bytes of all keys and values in ``messageExtras``.
    var extrasBytes = 0
    @exclusivity(unchecked) private(set) var fixturesUsed: [FixtureUse] = []
    @exclusivity(unchecked) private var usedFixtures: Set<FixtureUse> = []
    @exclusivity(unchecked) private(set) var warnings: [MessageWarning] = []
    /// Whether calls of connected content are recorded.
    var tracesCalls = false
    @exclusivity(unchecked) private(set) var calls: [ConnectedContentCall] = []
    /// Whether the text of a translation is being rendered.
    var isTranslating = false
    /// Why the message ends after the current field, unless `abort_message` ends it first; nil if it continues.
    @exclusivity(unchecked) var pendingAbort: String?

    func begin(_ fixtures: LiquidObject, seed: Int, recordID: String) {
        if fixtures !== self.fixtures { self.fixtures = fixtures }
        self.seed = seed
        self.recordID = recordID
        if !messageExtras.isEmpty { messageExtras.removeAll(keepingCapacity: true) }
        extrasBytes = 0
        if !fixturesUsed.isEmpty { fixturesUsed.removeAll(keepingCapacity: true) }
        if !usedFixtures.isEmpty { usedFixtures.removeAll() }
        if !warnings.isEmpty { warnings.removeAll(keepingCapacity: true) }
        if !calls.isEmpty { calls.removeAll(keepingCapacity: true) }
    }

    func begin(field: String) {
        givenField = field
        beginField()
    }

    func begin(fieldOf template: Template) {
        self.template = template
        beginField()
    }

    func endField() { template = nil }

    private func beginField() {
        randomCount = 0
        isTranslating = false
        if pendingAbort != nil { pendingAbort = nil }
    }

    /// The members of one kind of fixtures; empty if there are none.
    func members(_ kind: String) -> LiquidObject {
        if case .object(let members)? = fixtures[kind] { members } else { .empty }
    }

    /// The error about a fixture that is missing, or whose value a tag cannot use.
    func unusable(_ what: String, _ name: String, in kind: String, expected: String = "a text") -> LiquidError {
        switch fixtures[kind] {
        case nil, .null?, .object?: unusable(what, name, of: members(kind), expected: expected)
        case let value?:
            LiquidError(.context, "'\(kind)' is \(value.kindName), expected an object with members by name")
        }
    }

    func unusable(_ what: String, _ name: String, of members: LiquidObject, expected: String) -> LiquidError {
        guard let value = members[name] else { return LiquidError(.context, unknownName(what, name, in: members.keys)) }
        return LiquidError(.context, "the \(what) '\(name)' is \(value.kindName), expected \(expected)")
    }

    /// Whether there are fixtures of one kind, even if they have no members.
    func hasMembers(_ kind: String) -> Bool { fixtures[kind] != nil }

    /// Adds a fixture to ``fixturesUsed`` unless it is already there.
    func use(_ kind: String, _ name: String) {
        let use = FixtureUse(kind: kind, name: name)
        if usedFixtures.insert(use).inserted { fixturesUsed.append(use) }
    }

    /// Records a call of connected content; a message keeps at most 1,000.
    func record(_ call: ConnectedContentCall) {
        if calls.count < 1_000 { calls.append(call) }
    }

    /// Records a warning, and whether the template works without the missing text; a message keeps at most 16 different
    /// warnings.
    func warn(_ warning: String, isHandled: Bool = false) {
        let warning = warning.shortened
        guard warnings.count < 16,
            !warnings.contains(where: { $0.message == warning && $0.isHandled == isHandled })
        else { return }
        warnings.append(MessageWarning(message: warning, field: field, isHandled: isHandled))
    }
}

/// A problem that did not end a message.
package struct MessageWarning: Sendable {
    /// The description of the problem: lower case, no full stop.
    package let message: String

    /// The name of the field in which the problem occurred.
    package let field: String

    /// Whether the template works without the text that could not be inserted.
    package let isHandled: Bool
}

/// A fixture that a template has read.
public struct FixtureUse: Sendable, Hashable {
    /// The key of the context for this kind, such as `connected_content`.
    public var kind: String

    /// The URL or name of the fixture.
    public var name: String
}

extension Renderer {
    /// The state of the message that is being rendered.
    ///
    /// - Throws: `context` if the renderer does not belong to a ``BrazeRenderer``.
    func messageState() throws(LiquidError) -> MessageState {
        guard let state = host as? MessageState else {
            throw LiquidError(.context, "Braze's tags need a BrazeRenderer")
        }
        return state
    }
}
