// SPDX-License-Identifier: MIT
// What the modules use of Synchronization: iOS 18 and macOS 15. The toolchain's own needs the C library of Linux.

@available(iOS 18, macOS 15, *)
public struct AtomicOrdering: Sendable { public static var relaxed: AtomicOrdering { AtomicOrdering() } }

@available(iOS 18, macOS 15, *)
public struct Atomic<Value: Sendable>: ~Copyable, Sendable {
    private let value: Value
    public init(_ value: Value) { self.value = value }
    public func load(ordering: AtomicOrdering) -> Value { value }
    public func store(_ value: Value, ordering: AtomicOrdering) {}
    public func exchange(_ value: Value, ordering: AtomicOrdering) -> Value { value }
}
