// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Code that gets to a push through a property of its object, and that the system or unknown code calls.
///
/// Such code runs at most where the property holds a push: `body` of a view that is made for one category runs for this
/// category alone.
extension PayloadTracer {
    /// Records that a property gets a push, or a part of one, in the current circumstances.
    func noteHeld(_ value: TracedValue, inField key: String) {
        guard value.isPart, isFollowed(value), !circumstances.isRepeated, circumstances.categories != .none else {
            return
        }
        heldFields[key] = heldFields[key]?.union(circumstances) ?? circumstances
    }

    /// The circumstances in which a function, a getter or a setter begins when code outside of the target calls it.
    ///
    /// - Parameters:
    ///   - function: the function.
    ///   - owner: its type; nil for a function of its own.
    ///   - isRepeated: whether code of the target calls it too.
    /// - Returns: the circumstances.
    func circumstances(ofStart function: CodeFunction, owner: Int?, isRepeated: Bool) -> Circumstances {
        var found = Circumstances()
        if let owner, !function.isEntry, !hasPush(function),
            let held = heldCircumstances(function.mentions, of: owner)
        {
            found = held
            // A setter runs where the property is set.
            if function.kind != .setter, !mayBeCalledByOthers(membersOf: owner) || function.isOfListElement {
                found.open = .all
            }
        }
        if function.isConditional { found.open = .all }
        if function.isConditional || !function.isRunByPush { found.uncertain = .all }
        found.isRepeated = isRepeated
        return found
    }

    /// The circumstances in which the initial value of a property is evaluated, where no code of the target uses the
    /// property.
    func circumstances(ofStart variable: CodeVariable, owner: Int?, isRepeated: Bool) -> Circumstances {
        var found = owner.flatMap { heldCircumstances(variable.mentions, of: $0) } ?? Circumstances()
        if variable.isConditional { found.open = .all }
        found.uncertain = .all
        found.isRepeated = isRepeated
        return found
    }

    /// For code that reaches a push only through properties of its type: the circumstances in which one of these
    /// properties is given a push.
    ///
    /// - Parameters:
    ///   - mentions: the names that occur in the code.
    ///   - owner: the type.
    /// - Returns: the circumstances; nil if none of the names is such a property, or the code may reach a push in
    ///   another way.
    private func heldCircumstances(_ mentions: Set<String>, of owner: Int) -> Circumstances? {
        let types = index.ancestry(of: owner)
        // Most types hold no push, and their code need not be followed.
        guard types.contains(where: { lastHolders.contains(index.types[$0].name) }) else { return nil }
        var found: Circumstances?
        var isOwn = false
        var names = mentions
        var next = Array(mentions)
        while let name = next.popLast() {
            if Self.namesOfDelivered.contains(name) || global(name).map(isFollowed) ?? false { return nil }
            var isMember = false
            for type in types {
                let functions = index.types[type].functions[name] ?? []
                let variable = index.types[type].variables[name]?.declaration
                if variable == nil, functions.isEmpty { continue }
                isMember = true
                if let held = lastHeldFields[fieldKey(name, of: type)] {
                    isOwn = true
                    found = found?.union(held) ?? held
                }
                for mentions in functions.map(\.declaration.mentions) + [variable?.mentions ?? []] {
                    for name in mentions where names.insert(name).inserted { next.append(name) }
                }
            }
            if !isMember, let held = lastHeldNames[name] { found = found?.union(held) ?? held }
        }
        return isOwn ? found : nil
    }

    /// Names through which code gets to notifications that were delivered earlier.
    private static let namesOfDelivered: Set<String> = ["deliveredNotifications", "getDeliveredNotifications"]

    /// Whether code that is not read may call the members of a type: it has a superclass or a protocol from elsewhere.
    private func mayBeCalledByOthers(membersOf type: Int) -> Bool {
        index.ancestry(of: type).contains { ancestor in
            let entry = index.types[ancestor]
            return entry.isForeign
                || entry.inherited.contains { parent in
                    guard let name = parent.name else { return true }
                    return index.type(named: name, in: nil, file: entry.file) == nil
                        && !Self.protocolsOfValues.contains(name)
                }
        }
    }

    /// The protocols of the system through which no code calls members that read a push, or only where code of the
    /// target uses the object as a text.
    private static let protocolsOfValues: Set<String> = [
        "AnyObject", "CaseIterable", "Codable", "CustomDebugStringConvertible", "CustomStringConvertible", "Decodable",
        "Encodable", "Equatable", "Error", "Hashable", "Identifiable", "ObservableObject", "RawRepresentable",
        "Sendable", "class",
    ]

    // MARK: - Rounds

    /// Begins a round, for which the properties hold what they held in the one before.
    func beginHolding() {
        lastHeldFields = heldFields
        heldFields = [:]
        lastHeldNames = [:]
        lastHolders = []
        for (key, held) in lastHeldFields {
            let name = key.fieldName
            lastHeldNames[name] = lastHeldNames[name]?.union(held) ?? held
            if let dot = key.lastIndex(of: ".") { lastHolders.insert(String(key[..<dot])) }
        }
        lastCalled = called.subtracting(uncalled)
    }

    /// Ends a round.
    ///
    /// - Returns: whether the round has relied on what is not so.
    func endHolding() -> Bool {
        let mistaken = presumed.subtracting(called)
        presumed = []
        uncalled.formUnion(mistaken)
        return !mistaken.isEmpty || heldFields != lastHeldFields
    }

    /// Whether code of the target calls a function with a push: in this round, or in the one before, and so again.
    func isCalledWithPush(_ function: CodeFunction, owner: Int?) -> Bool {
        let id = ObjectIdentifier(function)
        if called.contains(id) { return true }
        guard lastCalled.contains(id), !hasPush(function), let owner,
            heldCircumstances(function.mentions, of: owner) != nil
        else { return false }
        presumed.insert(id)
        return true
    }
}

extension CodeFunction {
    /// Whether a table or collection view calls it for each of its elements, so not at all where there are none.
    fileprivate var isOfListElement: Bool {
        ["tableView", "collectionView"].contains { name == $0 || name.hasPrefix($0 + ":") }
            && parameters.contains { $0.label.hasPrefix("cellFor") } || name.holds(":cellFor")
    }
}

extension PayloadTracer.Circumstances {
    /// The circumstances of the pushes of these or of other ones.
    fileprivate func union(_ other: Self) -> Self {
        var both = self
        both.formUnion(other)
        return both
    }
}
