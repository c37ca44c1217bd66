// SPDX-License-Identifier: MIT

import LiquidTemplates

/// The state that the tags of one message share: its fixtures and what they have done so far.
///
/// The object is private to one ``BrazeRenderer``, which is used by one thread at a time, so it needs no lock. No
/// access to a member contains another one, so what every message resets needs no check of that either: the checks took
/// 1 % of a batch.
final class MessageState: @unchecked Sendable {
    @exclusivity(unchecked) var fixtures = LiquidObject.empty
    var seed = 0
    @exclusivity(unchecked) var recordID = ""
    /// The name of the field that is rendered.
    var field: String { template?.name ?? givenField }
    private var givenField = ""
    /// The template whose name is that of the field, which whoever renders it keeps alive.
    private unowned(unsafe) var template: Template?
    /// The number of times that `random` has run in the field.
    var randomCount: UInt64 = 0

    @exclusivity(unchecked) var messageExtras: [(key: String, value: String)] = []
    /// The bytes of all keys and values of ``messageExtras``.
    var extrasBytes = 0
    @exclusivity(unchecked) private(set) var fixturesUsed: [FixtureUse] = []
    @exclusivity(unchecked) private var usedFixtures: Set<FixtureUse> = []
    @exclusivity(unchecked) private(set) var warnings: [MessageWarning] = []
    /// Whether calls of connected content are recorded.
    var tracesCalls = false
    @exclusivity(unchecked) private(set) var calls: [ConnectedContentCall] = []
    /// Whether the text of a translation is being rendered.
    var isTranslating = false
    /// The reason for ending the message after its field is rendered, unless `abort_message` ends it first.
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

    /// The members of one kind of fixtures; empty where there are none.
    func members(_ kind: String) -> LiquidObject {
        if case .object(let members)? = fixtures[kind] { members } else { .empty }
    }

    /// The error about a fixture that is not there, or of which a tag cannot use the value.
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

    /// Records that a fixture was read.
    func use(_ kind: String, _ name: String) {
        let use = FixtureUse(kind: kind, name: name)
        if usedFixtures.insert(use).inserted { fixturesUsed.append(use) }
    }

    /// Records a call of connected content; a message keeps at most 1,000.
    func record(_ call: ConnectedContentCall) {
        if calls.count < 1_000 { calls.append(call) }
    }

    /// Records a warning, and whether the template works without what is missing; a message keeps at most 16 different
    /// ones.
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
    /// What was found.
    package let message: String

    /// The name of the field that was rendered.
    package let field: String

    /// Whether the template works without what could not be inserted.
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
    /// - Throws: `context` where the renderer is not that of a ``BrazeRenderer``.
    func messageState() throws(LiquidError) -> MessageState {
        guard let state = host as? MessageState else {
            throw LiquidError(.context, "Braze's tags need a BrazeRenderer")
        }
        return state
    }
}
