// SPDX-License-Identifier: MIT

/// The state of a rendering besides its variables: values, loops, captures, cases and interrupts.
struct Machine: ~Copyable {
    /// The numbers of values, loops, captures, cases and arguments that are open at some point.
    struct Mark {
        let values: Int
        let loops: Int
        let captures: Int
        let cases: Int
        let arguments: Int
    }

    /// A `case` tag that is open.
    struct OpenCase {
        /// Whether a branch has matched.
        var hasMatched = false
        /// The instruction to which the branch returns.
        var returnTo = 0
    }

    /// The values that instructions pass to one another.
    var stack = Stack<Value>()
    /// The running loops, innermost last.
    var loops = Stack<LoopState>()
    /// The length of the output at the start of each open capture.
    var captures = Stack<Int>()
    /// The open `case` tags, innermost last.
    var cases = Stack<OpenCase>()
    /// The slots of the arguments of `include` that are set while those after them are evaluated, and the values that
    /// they hide.
    var arguments = Stack<(slot: Int, hidden: Value?)>()
    /// The cycle whose value is being printed, and its position afterwards.
    var pendingCycle = (index: 0, next: 0)
    /// The interrupts that no loop has taken yet, the latest last.
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

    /// Ends the cases that were opened after there were `count`.
    @inline(__always)
    mutating func endCases(after count: Int) {
        if cases.count > count { cases.drop(cases.count - count) }
    }

    /// Begins a rendering, after one that has closed all that it has opened.
    @inline(__always)
    mutating func begin() {
        assert(stack.count == 0 && loops.count == 0 && captures.count == 0 && cases.count == 0)
        // An interrupt outside of loops ends a template. Checking is cheaper than emptying the list.
        if !interrupts.isEmpty { interrupts.removeAll(keepingCapacity: true) }
    }

    /// Removes all that a rendering has left.
    mutating func clear() {
        stack.drop(stack.count)
        loops.drop(loops.count)
        captures.drop(captures.count)
        cases.drop(cases.count)
        arguments.drop(arguments.count)
    }
}

/// A stack of the renderer: of values that instructions pass to one another, of loops, or of variables.
///
/// An array would check for shared storage at each push, pop and change, which happen several times for every output.
/// The storage of a stack is never shared.
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

    /// The element at an index, which must be below ``count`` and is not checked.
    subscript(index: Int) -> Element {
        _read { yield base[index] }
        nonmutating _modify { yield &base[index] }
    }

    /// The address of the element at an index, which is not checked; valid until an element is pushed or removed.
    @inline(__always)
    func address(of index: Int) -> UnsafeMutablePointer<Element> { base + index }

    /// The last `number` elements, in the order in which they were pushed; valid until one is pushed or removed.
    @inline(__always)
    func last(_ number: Int) -> UnsafeBufferPointer<Element> {
        let number = min(number, count)
        return UnsafeBufferPointer(start: base + (count &- number), count: number)
    }

    /// The address of the last element, valid until one is pushed or removed; nil if there is none.
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
    /// Replaces the last two values by the result of an operation on them; false, and no change, unless both are
    /// integers and the result is one.
    @inline(__always)
    mutating func calculate(_ operation: IntegerOperation) -> Bool {
        guard count > 1, let left = UnsafePointer(base + count - 2).integer,
            let right = UnsafePointer(base + count - 1).integer, let result = operation.result(left, right)
        else { return false }
        // Integers own nothing, so the storage of both can be overwritten.
        count &-= 1
        (base + count - 1).initialize(to: .integer(result))
        return true
    }

    /// Removes and returns the last value; null from an empty stack, which a compiled program never causes.
    @inline(__always)
    mutating func pop() -> Value { popLast() ?? .null }
}
