// SPDX-License-Identifier: MIT

/// The state of a rendering except its variables: values, loops, captures, cases and interrupts.
struct Machine: ~Copyable {
    /// The numbers of values, loops, captures, cases and arguments that are open at a certain moment.
    struct Mark {
        let values: Int
        let loops: Int
        let captures: Int
        let cases: Int
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

    var mark: Mark {
        Mark(
            values: stack.count,
            loops: loops.count,
            captures: captures.count,
            cases: cases.count,
            arguments: arguments.count
        )
    }

    /// Ends the cases that were opened when there were already `count` open cases.
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
