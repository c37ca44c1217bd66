// SPDX-License-Identifier: MIT

/// A reference to an object that something else keeps alive; using it changes no reference count.
///
/// A session goes through all parts of a message for each user. If it read them from arrays and properties, it would
/// retain and release each of them several times, which took more time than rendering the texts. Instead the session
/// keeps the message, and so its parts, alive. Nothing checks this: using a reference whose object is gone is undefined
/// behaviour.
struct Uncounted<Object: AnyObject & Sendable>: @unchecked Sendable, Equatable, BitwiseCopyable {
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

/// A list of references to objects that something else keeps alive, in memory that the list owns.
struct UncountedList<Element: BitwiseCopyable & Sendable>: ~Copyable, @unchecked Sendable {
    private var elements: UnsafeMutableBufferPointer<Element>

    /// The number of elements.
    private(set) var count: Int

    /// Creates a list of references to objects that outlive it.
    init(_ elements: [Element] = []) {
        self.elements = .allocate(capacity: elements.count)
        _ = self.elements.initialize(from: elements)
        count = elements.count
    }

    deinit { elements.deallocate() }

    /// The element at an index.
    @inline(__always)
    subscript(index: Int) -> Element {
        precondition(index >= 0 && index < count, "an index is beyond the list")
        return elements[index]
    }

    /// Adds an element, whose object has to outlive the list or its next ``removeAll()``.
    @inline(__always)
    mutating func append(_ element: Element) {
        if count == elements.count { grow() }
        elements.initializeElement(at: count, to: element)
        count &+= 1
    }

    /// Removes all elements and keeps the memory.
    mutating func removeAll() { count = 0 }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutableBufferPointer<Element>.allocate(capacity: max(16, 2 * count))
        _ = larger.initialize(fromContentsOf: elements)
        elements.deallocate()
        elements = larger
    }
}
