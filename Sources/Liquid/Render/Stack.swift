// SPDX-License-Identifier: MIT

/// A stack of the renderer: of values that instructions pass to one another, or of loops.
///
/// An array would check for shared storage at each push, pop and change, which happen several times for every output.
/// The storage of a stack is never shared.
struct Stack<Element>: ~Copyable {
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
        for _ in 0..<number { _ = popLast() }
    }

    /// The last `number` elements, in the order in which they were pushed.
    @inline(__always)
    func last(_ number: Int) -> UnsafeBufferPointer<Element> {
        let number = min(number, count)
        return UnsafeBufferPointer(start: base + count - number, count: number)
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
    /// Removes and returns the last value; null from an empty stack, which a compiled program never causes.
    @inline(__always)
    mutating func pop() -> Value { popLast() ?? .null }
}
