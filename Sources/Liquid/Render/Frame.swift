// SPDX-License-Identifier: MIT

/// The variables of a template and of the partials that share them.
///
/// Each name has a slot of each kind. A loop or a partial's argument hides an assigned value for as long as it lasts; it
/// keeps what the slot held before, and puts it back.
struct Frame {
    /// What one name holds.
    struct Slot {
        /// A loop variable or an argument of `include`.
        var inner: Value? { didSet { isUsed = true } }
        /// What `assign` and `capture` made.
        var outer: Value? { didSet { isUsed = true } }
        /// What `increment` and `decrement` made.
        var counter: Value? { didSet { isUsed = true } }
        /// Where the last loop of the name ended, for `offset: continue`.
        var resume = 0 { didSet { isUsed = true } }
        /// Whether anything was written to the slot; most names are those of data, and their slots stay as they are.
        private(set) var isUsed = false

        /// What the name means in the frame; nil where it means nothing there.
        var value: Value? { inner ?? outer ?? counter }
    }

    /// The names of the slots: those of the program that opened the frame, and what partials added.
    var names: [Name] = []
    var slots: [Slot] = []
    /// The turns of `cycle`.
    var cycles: [(key: Value, turn: Int)] = []
    /// What `ifchanged` printed last.
    var lastChanged: String?
    /// The depth of the scopes of the frame, and of the frame itself.
    var depth = 1
    var base = 0
    /// Whether `include` may be used.
    var allowsInclude = true
    /// The first of the renderer's loops that belongs to the frame.
    var firstLoop = 0

    mutating func reset(for program: Program) {
        for index in names.indices where slots[index].isUsed { slots[index] = Slot() }
        names = program.nameList
        grow()
        if !cycles.isEmpty { cycles.removeAll() }
        if lastChanged != nil { lastChanged = nil }
        depth = 1
        base = 0
        allowsInclude = true
        firstLoop = 0
    }

    private mutating func grow() {
        while slots.count < names.count { slots.append(Slot()) }
    }

    /// The slot of a name, made if need be.
    mutating func slot(_ name: Name) -> Int {
        if let known = find(name) { return known }
        names.append(name)
        grow()
        return names.count - 1
    }

    func find(_ name: Name) -> Int? {
        names.firstIndex { $0.hash == name.hash && $0.text.sameBytes(as: name.text) }
    }
}
