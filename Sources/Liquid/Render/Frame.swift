// SPDX-License-Identifier: MIT

/// The variables of a template and of the partials that share them.
///
/// Each name has one slot with all kinds of values. A loop variable or a partial's argument hides an assigned value
/// while it exists: the loop or partial stores the previous value and restores it at its end.
struct Frame {
    /// The values of one name.
    struct Slot {
        /// A loop variable or an argument of `include`.
        var inner: Value? { didSet { isUsed = true } }
        /// The value that `assign` or `capture` set.
        var outer: Value? { didSet { isUsed = true } }
        /// The counter of `increment` and `decrement`.
        var counter: Value? { didSet { isUsed = true } }
        /// The position at which the last loop with this name ended, for `offset: continue`.
        var resume = 0 { didSet { isUsed = true } }
        /// Whether the slot was ever written; most names are those of data, whose slots stay unchanged.
        private(set) var isUsed = false

        /// The value of the name in the frame; nil if it has none.
        var value: Value? { inner ?? outer ?? counter }
    }

    /// The names of the slots: those of the program that opened the frame, and those that partials added.
    var names: [Name] = []
    var slots: [Slot] = []
    /// The positions of `cycle` tags.
    var cycles: [(key: Value, turn: Int)] = []
    /// The last text that `ifchanged` printed.
    var lastChanged: String?
    /// The number of open scopes of the frame.
    var depth = 1
    /// The number of frames around it, which is the frame's own number.
    var base = 0
    /// Whether `include` is allowed.
    var allowsInclude = true
    /// The index of the first loop of the renderer that belongs to the frame.
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

    /// The slot of a name, which is added if needed.
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
