// SPDX-License-Identifier: MIT

/// A reference to an object that something else keeps alive, which changes no reference count.
///
/// A session goes through all parts of a message for each user. If it read them from arrays and properties, it would
/// retain and release each of them several times: that took more time than rendering the texts. The session keeps the
/// message, and so its parts, as long as it exists. Nothing checks that: to use a reference whose object is gone
/// is undefined behaviour.
struct Uncounted<Object: AnyObject & Sendable>: @unchecked Sendable, Equatable {
    private let object: Unmanaged<Object>

    /// Creates a reference to an object that outlives it.
    init(_ object: Object) { self.object = .passUnretained(object) }

    static func == (left: Self, right: Self) -> Bool { left.object.toOpaque() == right.object.toOpaque() }

    /// The object, as a reference that keeps it alive.
    var counted: Object { object.takeUnretainedValue() }

    /// Calls `body` with the object, which is not retained for it.
    @inline(__always)
    func with<Result>(_ body: (Object) -> Result) -> Result { object._withUnsafeGuaranteedRef(body) }
}

/// References to objects that something else keeps alive, in memory that the list owns.
struct UncountedList<Object: AnyObject & Sendable>: ~Copyable, @unchecked Sendable {
    private let references: UnsafeMutableBufferPointer<Uncounted<Object>>

    /// Creates references to objects that outlive the list.
    init(_ objects: [Object]) {
        references = .allocate(capacity: objects.count)
        for (index, object) in objects.enumerated() { references.initializeElement(at: index, to: Uncounted(object)) }
    }

    deinit { references.deallocate() }

    /// The number of objects.
    var count: Int { references.count }

    /// The object at an index.
    @inline(__always)
    subscript(index: Int) -> Uncounted<Object> {
        precondition(index >= 0 && index < references.count, "an index is beyond the list")
        return references[index]
    }
}
