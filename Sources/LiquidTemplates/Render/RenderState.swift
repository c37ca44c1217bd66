// SPDX-License-Identifier: MIT

/// The state of a rendering except its variables: values, loops, captures, cases and interrupts.
struct Machine: ~Copyable {
    /// The numbers of values, loops, captures, cases and arguments that are open at a certain moment.
    struct Checkpoint {
        let values: Int
        var loops: Int
        var captures: Int
        var cases: Int
        let arguments: Int
    }

    /// An open `case` tag.
    struct OpenCase {
        /// Whether any branch has matched.
        var hasMatched = false
        /// The instruction to which the branch returns.
        var returnTo = 0
    }

    /// The values that instructions pass to later instructions.
    var stack = Stack<Value>()
    /// The running loops, with the innermost last.
    var loops = Stack<LoopState>()
    /// The length of the output at the beginning of each open capture.
    var captures = Stack<Int>()
    /// The open `case` tags, with the innermost last.
    var cases = Stack<OpenCase>()
    /// The slots of the arguments of `include` that are already set while later arguments are evaluated, and the values
    /// that they hide.
    var arguments = Stack<(slot: Int, hidden: Value?)>()
    /// The cycle whose value is being printed, and the position that it has afterwards.
    var pendingCycle = (index: 0, next: 0)
    /// The interrupts that no loop has handled yet, with the latest last.
    var interrupts: [Interrupt] = []

    var checkpoint: Checkpoint {
        Checkpoint(
            values: stack.count,
            loops: loops.count,
            captures: captures.count,
            cases: cases.count,
            arguments: arguments.count
        )
    }

    /// Ends all open cases but the first `count`.
    @inline(__always)
    mutating func endCases(after count: Int) {
        if cases.count > count { cases.drop(cases.count - count) }
    }

    /// Begins a rendering; the rendering before it has closed everything that it opened.
    @inline(__always)
    mutating func begin() {
        assert(stack.count == 0 && loops.count == 0 && captures.count == 0 && cases.count == 0)
        // An interrupt outside of loops ends a template, and is then left in the list. Checking the list is cheaper
        // than emptying it.
        if !interrupts.isEmpty { interrupts.removeAll(keepingCapacity: true) }
    }

    /// Removes everything that a rendering has left open.
    mutating func clear() {
        stack.drop(stack.count)
        loops.drop(loops.count)
        captures.drop(captures.count)
        cases.drop(cases.count)
        arguments.drop(arguments.count)
    }
}

/// A stack of the renderer, which holds the values passed between instructions, loops or variables.
///
/// An array would check for shared memory at each push, pop and change, which happen several times for every output.
/// The memory of a stack is never shared.
struct Stack<Element: ~Copyable>: ~Copyable {
    private var base: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    init() {
        capacity = 16
        base = .allocate(capacity: capacity)
    }

    deinit {
        base.deinitialize(count: count)
        base.deallocate()
    }

    @inline(__always)
    mutating func push(_ element: consuming Element) {
        if count == capacity { grow() }
        (base + count).initialize(to: element)
        count &+= 1
    }

    /// Removes and returns the last element; nil if there is none.
    @inline(__always)
    mutating func popLast() -> Element? {
        guard count > 0 else { return nil }
        count &-= 1
        return (base + count).move()
    }

    /// Drops the last `number` elements.
    @inline(__always)
    mutating func drop(_ number: Int) {
        var left = number
        while left > 0 {
            _ = popLast()
            left &-= 1
        }
    }

    /// The element at an index, which must be less than ``count`` but is not checked.
    subscript(index: Int) -> Element {
        _read { yield base[index] }
        nonmutating _modify { yield &base[index] }
    }

    /// The address of the element at an index, which is not checked; valid until an element is pushed or removed.
    @inline(__always)
    func address(of index: Int) -> UnsafeMutablePointer<Element> { base + index }

    /// The last `number` elements, in the order in which they were pushed; valid until an element is pushed or removed.
    @inline(__always)
    func last(_ number: Int) -> UnsafeBufferPointer<Element> {
        let number = min(number, count)
        return UnsafeBufferPointer(start: base + (count &- number), count: number)
    }

    /// The address of the last element, valid until an element is pushed or removed; nil if there is none.
    @inline(__always)
    var top: UnsafeMutablePointer<Element>? { count > 0 ? base + count - 1 : nil }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: base, count: count)
        base.deallocate()
        base = larger
        capacity *= 2
    }
}

extension Stack<Value> {
    /// Replaces the last two values with the result of an operation on them; returns false and changes nothing unless
    /// both values and the result are integers.
    @inline(__always)
    mutating func calculate(_ operation: IntegerOperation) -> Bool {
        guard count > 1, let left = UnsafePointer(base + count - 2).integer,
            let right = UnsafePointer(base + count - 1).integer, let result = operation.result(left, right)
        else { return false }
        // Integers own no other memory, so both can simply be overwritten.
        count &-= 1
        (base + count - 1).initialize(to: .integer(result))
        return true
    }

    /// Removes and returns the last value; null if the stack is empty, which never happens in a compiled program.
    @inline(__always)
    mutating func pop() -> Value { popLast() ?? .null }
}

/// A program that is being executed, and where the current ``Frame`` has the values of its variables.
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
    /// The maximum of the number of scopes that are open in the current frame, plus the number of frames around it.
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

    /// Begins the rendering of a program, in a frame without variables.
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
    /// The values of one name in a frame: a loop variable or argument, an assigned value, and a counter.
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
                setPresent(1, newValue != nil)
            }
        }

        /// The value that `assign` or `capture` set.
        var outer: Value? {
            get { present & 2 == 0 ? nil : values.1 }
            set {
                values.1 = newValue ?? .null
                setPresent(2, newValue != nil)
            }
        }

        /// The counter for `increment` and `decrement`.
        var counter: Value? {
            get { present & 4 == 0 ? nil : values.2 }
            set {
                values.2 = newValue ?? .null
                setPresent(4, newValue != nil)
            }
        }

        @inline(__always)
        fileprivate mutating func setPresent(_ bit: UInt8, _ isPresent: Bool) {
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
        slot.pointee.setPresent(1, true)
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
        let own = program.names.count
        for slot in 0..<own where program.names.base[slot].isSame(as: name) { return slot }
        return added.firstIndex { $0.isSame(as: name) }.map { own + $0 }
    }
}

/// The partials of a renderer: those that this rendering has begun, and those cached from earlier renderings.
struct PartialCache {
    /// A partial that has been read and compiled.
    private struct Entry {
        let name: String
        /// The partial as written.
        var whole: Template?
        /// The partial without the white space at its start.
        var trimmed: Template?
        /// The number of the last rendering that began the partial, and whether it used ``trimmed``.
        var begun = (rendering: 0, isTrimmed: false)

        subscript(isTrimmed isTrimmed: Bool) -> Template? {
            get { isTrimmed ? trimmed : whole }
            set { if isTrimmed { trimmed = newValue } else { whole = newValue } }
        }
    }

    private var entries: [Entry] = []
    private var indices: [String: Int] = [:]
    /// The index of the partial that was requested last, which the next rendering often requests again.
    private var latest = 0
    /// The number of the current rendering.
    private var rendering = 0
    /// The error mode in which the cached partials were parsed.
    private var mode = ErrorMode.lax
    /// Whether the last source that was parsed ended in `-%}`, which in the reference implementation trims the start of
    /// the next partial.
    private var trimsNext = false
    /// For each partial begun while an interrupt is pending: its usual program, and the program that checks for
    /// interrupts.
    private var checkedPrograms: [ObjectIdentifier: (usual: Program, checked: Program)] = [:]

    /// Begins the rendering of a template, which has begun no partial yet.
    @inline(__always)
    mutating func begin(_ template: Template) {
        rendering &+= 1
        // The dictionary is empty for most templates, and checking this is cheaper than emptying it.
        if !checkedPrograms.isEmpty { checkedPrograms.removeAll() }
        trimsNext = template.trimsAfter
        if template.program.parsed.mode != mode {
            mode = template.program.parsed.mode
            entries = []
            indices = [:]
        }
    }

    /// A partial that this rendering has begun; nil for any other name.
    subscript(name: String) -> Template? {
        mutating get { index(of: name).flatMap { begun(at: $0) } }
    }

    /// The partials that this rendering has begun.
    var begun: [Template] { entries.indices.compactMap { begun(at: $0) } }

    private func begun(at index: Int) -> Template? {
        let begun = entries[index].begun
        return begun.rendering == rendering ? entries[index][isTrimmed: begun.isTrimmed] : nil
    }

    private mutating func index(of name: String) -> Int? {
        if latest < entries.count, entries[latest].name.hasSameBits(as: name) { return latest }
        guard let index = indices[name] else { return nil }
        latest = index
        return index
    }

    /// The partial with a name; if it is not cached, it is parsed in the error mode of the program that names it.
    ///
    /// - Throws: the error of the provider if there is no such partial, or a syntax error of the partial.
    mutating func load(
        _ name: String,
        from provider: any PartialProvider,
        for program: Program
    ) throws(LiquidError) -> Template {
        let known = index(of: name)
        if let known, let begun = begun(at: known) { return begun }
        let isTrimmed = trimsNext
        if let known, let template = entries[known][isTrimmed: isTrimmed] {
            trimsNext = template.trimsAfter
            entries[known].begun = (rendering, isTrimmed)
            return template
        }
        var faults: [LiquidError]?
        let template = try Template(
            provider.source(ofPartial: name),
            name: name,
            environment: program.environment,
            mode: program.parsed.mode,
            trims: &trimsNext,
            faults: &faults
        )
        let index = known ?? addEntry(name)
        entries[index][isTrimmed: isTrimmed] = template
        entries[index].begun = (rendering, isTrimmed)
        return template
    }

    private mutating func addEntry(_ name: String) -> Int {
        indices[name] = entries.count
        entries.append(Entry(name: name))
        return entries.count - 1
    }

    /// The program of a partial that begins while an interrupt is pending: as in the reference implementation, each of
    /// its blocks ends after its first node that is not text.
    mutating func checkedProgram(of template: Template) -> Program {
        let usual = template.program
        let key = ObjectIdentifier(usual)
        if let known = checkedPrograms[key] { return known.checked }
        let checked = Compiler.program(of: usual.parsed, checksInterrupts: true)
        // Keeping the usual program alive prevents another program from getting its identity.
        checkedPrograms[key] = (usual, checked)
        return checked
    }
}
