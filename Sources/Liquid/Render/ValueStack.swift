// SPDX-License-Identifier: MIT

/// The values that instructions pass to one another.
///
/// A plain array would check for shared storage at each push and pop; these happen several times for every output, and
/// nobody else ever holds the storage.
struct ValueStack: ~Copyable {
    private var base: UnsafeMutablePointer<Value>
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
    mutating func push(_ value: consuming Value) {
        if count == capacity { grow() }
        (base + count).initialize(to: value)
        count &+= 1
    }

    /// Takes the last value off; nil's value from an empty stack, which no compiled program leads to.
    @inline(__always)
    mutating func pop() -> Value {
        guard count > 0 else { return .null }
        count &-= 1
        return (base + count).move()
    }

    /// Drops the last `number` values.
    @inline(__always)
    mutating func drop(_ number: Int) {
        for _ in 0..<number { _ = pop() }
    }

    /// The last `number` values, in the order in which they were pushed.
    func last(_ number: Int) -> UnsafeBufferPointer<Value> {
        let number = min(number, count)
        return UnsafeBufferPointer(start: base + count - number, count: number)
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<Value>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: base, count: count)
        base.deallocate()
        base = larger
        capacity *= 2
    }
}
