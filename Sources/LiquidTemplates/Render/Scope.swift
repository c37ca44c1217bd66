// SPDX-License-Identifier: MIT

/// A running program, with the location of its names in the frame in which it runs.
struct Activation {
    let program: Program

    /// The index of the program's first slot in the scope's list of shared slots; nil if each name's number is its
    /// slot, as in a frame that the program opened.
    var firstSlot: Int?
}

/// The variables that the running code can see: the variables of its frame, and the data.
///
/// Paths and values are passed by address; see ``FixedTable``. A scope is never copied, because each copy would retain
/// the data and the frames.
struct Scope: ~Copyable {
    /// The data of the rendering.
    var data: LiquidObject
    /// Whether partials called by `render` can see the data.
    let sharesData: Bool
    /// The most scopes that may be open at the same time in all frames together.
    private let depthLimit: Int

    /// The frame in which code is running.
    var frame = Frame()
    /// The frames around the current one, beginning with the template's; each is suspended while a partial runs that
    /// does not share it.
    private var outerFrames = Stack<Frame>()
    /// The slots for the names of each running program that shares the frame of another program.
    private var sharedSlots = Stack<Int>()

    init(_ input: RenderInput) {
        data = input.data
        sharesData = input.isDataShared
        depthLimit = input.limits.depth
    }

    /// Begins the rendering of a program.
    @inline(__always)
    mutating func begin(_ program: Program) {
        assert(outerFrames.count == 0 && sharedSlots.count == 0)
        frame.begin(program)
    }

    /// Closes the frames and scopes that a rendering has left open.
    mutating func clear() {
        while outerFrames.count > 0 { closeFrame() }
        closeSlots(from: 0)
        frame.closeScopes()
    }

    /// Ends the rendering of a program, so that the frame no longer refers to it.
    @inline(__always)
    mutating func end() { frame.program = nil }

    // MARK: - frames

    /// Opens a frame for a program that cannot see the variables of the current frame.
    mutating func openFrame(for program: Program, firstLoop: Int) {
        var inner = Frame()
        inner.begin(program)
        inner.base = frame.base + 1
        inner.allowsInclude = false
        inner.firstLoop = firstLoop
        swap(&frame, &inner)
        outerFrames.push(inner)
    }

    /// Closes the last frame that was opened.
    mutating func closeFrame() {
        guard var outer = outerFrames.popLast() else { return }
        swap(&frame, &outer)
    }

    /// Calls `body` with the frame that has a number: the current frame or one around it.
    func withFrame<Result, Failure: Error>(
        _ number: Int,
        _ body: (borrowing Frame) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        number < outerFrames.count ? try body(outerFrames[number]) : try body(frame)
    }

    /// Throws an error if the open scopes exceed the limit of depth.
    func checkDepth() throws(LiquidError) {
        if frame.base + frame.depth > depthLimit { throw depthError }
    }

    /// Opens a scope in the frame, for a loop or a partial.
    mutating func enter() throws(LiquidError) {
        guard frame.base + frame.depth < depthLimit else { throw depthError }
        frame.depth += 1
    }

    /// Closes a scope of the frame.
    mutating func leave() { frame.depth -= 1 }

    private var depthError: LiquidError {
        LiquidError(
            .stackLevel,
            "loops and partials nest deeper than the limit of \(depthLimit) (\(Limit.depth.option))",
            referenceText: "Nesting too deep"
        )
    }

    /// Finds or adds the slots for the names of a program that shares the frame; returns the index of the first one.
    mutating func openSlots(for program: Program) -> Int {
        let first = sharedSlots.count
        for name in program.names[0..<program.names.count] { sharedSlots.push(frame.slot(name)) }
        return first
    }

    /// Forgets the slots of a program that has ended, and of the programs that it started.
    mutating func closeSlots(from first: Int) { sharedSlots.drop(sharedSlots.count - first) }

    /// The slot of a name of a running program.
    @inline(__always)
    func slot(_ name: Int, _ activation: Activation) -> Int {
        guard let first = activation.firstSlot else { return name }
        return sharedSlots[first &+ name]
    }

    // MARK: - variables

    /// Whether code in a frame can see the data.
    func seesData(_ number: Int) -> Bool { sharesData || number == 0 }

    /// The address of a variable's value, which may come from a loop, an assignment, a counter or the data; nil if
    /// there is none.
    ///
    /// This function and the lookups below change nothing. They are mutating because, for a call that only reads, the
    /// optimiser would first copy the bytes of the structure to the stack.
    @inline(__always)
    mutating func place(_ name: UnsafePointer<Name>, slot: Int) -> UnsafePointer<Value>? {
        if frame.isUsed, let place = frame.place(slot) { return place }
        return seesData(frame.base) ? data.find(name) : nil
    }

    /// Whether the running code has set a variable.
    func isSet(_ slot: Int) -> Bool { frame.isUsed && frame.place(slot) != nil }

    /// The value of a variable in a frame or, if the frame sees it, in the data; nil if there is none.
    func variable(_ name: Name, ofFrame number: Int) -> Value? {
        let own = withFrame(number) { frame in frame.find(name).flatMap { frame[$0].value } }
        if let own { return own }
        guard seesData(number) else { return nil }
        return withUnsafePointer(to: name) { data.find($0)?.pointee }
    }

    /// Sets a variable as an argument of `include`; returns its slot and the value that it hides.
    mutating func bind(_ name: Name, _ value: Value) -> (slot: Int, hidden: Value?) {
        let slot = frame.slot(name)
        let hidden = frame[slot].inner
        frame[slot].inner = value
        return (slot, hidden)
    }

    /// The address of a path's value, if the path leads only through objects.
    ///
    /// Nil for any other path, for a drop, whose value may change between reads, and for null or a missing value:
    /// ``Renderer/value(of:_:mayMiss:)`` handles these. The address is valid until a variable is set or the data is
    /// replaced. Reading the value there retains none of the objects on the path.
    @inline(__always)
    mutating func place(of path: UnsafePointer<Program.Path>, _ activation: Activation) -> UnsafePointer<Value>? {
        let program = activation.program
        let root = Int(path.pointee.root)
        var step = program.steps.base + Int(path.pointee.steps.first)
        let end = step + Int(path.pointee.steps.count)
        var place = self.place(program.names.base + root, slot: slot(root, activation))
        while let found = place, step < end {
            guard case .object(let object) = found.pointee else { return nil }
            place = object.find(program.keys.base + Int(step.pointee.key))
            step += 1
        }
        guard let place, !place.isDropOrNull else { return nil }
        return place
    }
}

/// The variables of a template and of the partials that share them.
///
/// Each name has one slot for all kinds of values. A loop variable or a partial's argument hides an assigned value
/// while it exists: the loop or partial stores the previous value and restores it when it ends.
struct Frame: ~Copyable {
    /// The values of one name.
    struct Slot {
        /// The values, each at a fixed index; null if the slot does not have it.
        ///
        /// This is the first member, so that the address of the slot is also the address of the first value:
        /// ``Frame/place(_:)`` and ``Frame/setInner(_:_:)`` depend on this.
        private var values: (Value, Value, Value) = (.null, .null, .null)
        /// One bit for each value, which is set if the slot has it.
        private var present: UInt8 = 0
        /// The position at which the last loop with this name ended, for `offset: continue`.
        var resume = 0

        /// A loop variable or an argument of `include`.
        var inner: Value? {
            get { present & 1 == 0 ? nil : values.0 }
            set {
                values.0 = newValue ?? .null
                mark(1, newValue != nil)
            }
        }

        /// The value that `assign` or `capture` set.
        var outer: Value? {
            get { present & 2 == 0 ? nil : values.1 }
            set {
                values.1 = newValue ?? .null
                mark(2, newValue != nil)
            }
        }

        /// The counter for `increment` and `decrement`.
        var counter: Value? {
            get { present & 4 == 0 ? nil : values.2 }
            set {
                values.2 = newValue ?? .null
                mark(4, newValue != nil)
            }
        }

        @inline(__always)
        fileprivate mutating func mark(_ bit: UInt8, _ isPresent: Bool) {
            present = isPresent ? present | bit : present & ~bit
        }

        /// Whether the slot holds anything; most names are names of data, whose slots stay empty.
        @inline(__always)
        var isUsed: Bool { present != 0 || resume != 0 }

        /// The value of the name in the frame; nil if it has none there.
        var value: Value? { inner ?? outer ?? counter }

        /// The index of the first value that the slot has; nil if it has none.
        @inline(__always)
        fileprivate var first: Int? { present == 0 ? nil : present.trailingZeroBitCount }
    }

    /// The program that opened the frame, whose names have the first slots; nil after the rendering.
    ///
    /// The template or partial that is being rendered keeps it alive. Retaining and releasing it for each rendering
    /// would take as long as printing a variable.
    fileprivate unowned(unsafe) var program: Program?
    /// The names that partials added; their slots come after those of ``program``.
    private var added: [Name] = []
    /// The number of slots in use.
    private(set) var count = 0
    private var slots = Stack<Slot>()
    /// Whether there may be something to clear; most templates set no variable.
    fileprivate var isUsed = false
    /// The positions of `cycle` tags.
    var cycles: [(key: Value, position: Int)] = [] { didSet { isUsed = true } }
    /// The last text that `ifchanged` printed.
    var lastChanged: String? { didSet { isUsed = true } }
    /// The number of open scopes of the frame.
    var depth = 1
    /// The number of frames around this one, which is also the frame's own number.
    var base = 0
    var allowsInclude = true
    /// The index of the first loop of the renderer that belongs to the frame.
    var firstLoop = 0

    /// Begins the rendering of a program in the frame, whose scopes are all closed.
    mutating func begin(_ program: Program) {
        assert(depth == 1)
        if isUsed { clear() }
        self.program = program
        count = program.names.count
        if slots.count < count { grow() }
    }

    mutating func closeScopes() { depth = 1 }

    @inline(never)
    private mutating func clear() {
        for index in 0..<count where slots[index].isUsed { slots[index] = Slot() }
        if !added.isEmpty { added.removeAll() }
        if !cycles.isEmpty { cycles.removeAll() }
        if lastChanged != nil { lastChanged = nil }
        isUsed = false
    }

    @inline(never)
    private mutating func grow() {
        while slots.count < count { slots.push(Slot()) }
    }

    /// The slot with a number.
    subscript(slot: Int) -> Slot {
        _read { yield slots[slot] }
        _modify {
            isUsed = true
            yield &slots[slot]
        }
    }

    /// The address of the value in a slot, valid until a name is added; nil if the slot has no value.
    @inline(__always)
    func place(_ slot: Int) -> UnsafePointer<Value>? {
        let slot = slots.address(of: slot)
        return slot.pointee.first.map { UnsafeRawPointer(slot).assumingMemoryBound(to: Value.self) + $0 }
    }

    /// Sets the loop variable in a slot for the next iteration.
    ///
    /// The first iteration set it through the subscript, which noted that the frame is used.
    @inline(__always)
    func setInner(_ slot: Int, _ value: consuming Value) {
        let slot = slots.address(of: slot)
        UnsafeMutableRawPointer(slot).assumingMemoryBound(to: Value.self).replace(with: value)
        slot.pointee.mark(1, true)
    }

    func name(ofSlot slot: Int) -> Name {
        guard let program, slot < program.names.count else { return added[slot - (program?.names.count ?? 0)] }
        return program.names[slot]
    }

    /// The slot of a name; adds the name if it has no slot.
    mutating func slot(_ name: Name) -> Int {
        if let known = find(name) { return known }
        isUsed = true
        added.append(name)
        count += 1
        grow()
        return count - 1
    }

    /// Sets a variable as `assign` does.
    mutating func assign(_ name: Name, _ value: Value) { self[slot(name)].outer = value }

    /// The slot of a name; nil if it has none, and always after the rendering.
    func find(_ name: Name) -> Int? {
        guard let program else { return nil }
        func isSame(_ other: Name) -> Bool { other.hash == name.hash && other.text.sameBytes(as: name.text) }
        let own = program.names.count
        for slot in 0..<own where isSame(program.names.base[slot]) { return slot }
        return added.firstIndex(where: isSame).map { own + $0 }
    }
}
