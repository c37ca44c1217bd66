// SPDX-License-Identifier: MIT

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An immutable table of a program.
///
/// Reading an element of an array in a class retains the array each time. The tables of a program are read several
/// times for each instruction, so they are plain memory, which the `deinit` of the owner frees. For the same reason,
/// the renderer passes elements that hold references by their address: ``base`` and an index that the compiler has
/// written, which nothing checks. Whoever uses an address keeps the owner alive.
///
/// The elements never change while threads share the table.
struct FixedTable<Element: Sendable>: @unchecked Sendable {
    let base: UnsafePointer<Element>
    let count: Int

    init(_ elements: [Element]) { self.init(count: elements.count) { elements[$0] } }

    /// Creates a table with the result of `element` for each index.
    init(count: Int, _ element: (Int) -> Element) {
        var builder = TableBuilder<Element>(capacity: count)
        for index in 0..<count { builder.append(element(index)) }
        self = builder.finish()
    }

    /// Takes ownership of memory that holds the elements.
    fileprivate init(adopting memory: UnsafeMutablePointer<Element>, count: Int) {
        base = UnsafePointer(memory)
        self.count = count
    }

    subscript(index: Int) -> Element {
        precondition(index >= 0 && index < count, "an index is beyond the table")
        return base[index]
    }

    /// The elements of a range, which is not checked; they are valid as long as the table is.
    @inline(__always)
    subscript(range: Range<Int>) -> UnsafeBufferPointer<Element> {
        UnsafeBufferPointer(start: base + range.lowerBound, count: range.count)
    }

    @inline(__always)
    func deallocate() {
        let memory = UnsafeMutablePointer(mutating: base)
        memory.endElements(count: count)
        free(memory)
    }
}

/// Builds a ``FixedTable``, which takes over the memory.
struct TableBuilder<Element: Sendable>: ~Copyable {
    private var base: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    /// Creates an empty table with room for some elements.
    @inline(__always)
    init(capacity: Int) {
        self.capacity = max(capacity, 1)
        base = Self.memory(max(capacity, 1))
    }

    deinit {
        base.endElements(count: count)
        free(base)
    }

    /// Memory of the system's allocator.
    ///
    /// On Linux, `allocate` asks for aligned memory, which takes twice as long. Traps where the system has no memory
    /// left, as `allocate` does.
    private static func memory(_ count: Int) -> UnsafeMutablePointer<Element> {
        let bytes = count * MemoryLayout<Element>.stride
        guard let memory = malloc(bytes) else { fatalError("out of memory for \(bytes) bytes") }
        return memory.bindMemory(to: Element.self, capacity: count)
    }

    /// The elements, valid until the table changes.
    @inline(__always)
    var elements: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: base, count: count) }

    /// The element at an index, which must be below ``count`` and is not checked.
    subscript(index: Int) -> Element {
        get { base[index] }
        nonmutating _modify { yield &base[index] }
    }

    @inline(__always)
    mutating func append(_ element: consuming Element) {
        if count == capacity { grow(to: count + 1) }
        (base + count).initialize(to: element)
        count &+= 1
    }

    @inline(__always)
    mutating func append(contentsOf elements: UnsafeBufferPointer<Element>) {
        guard let first = elements.baseAddress else { return }
        if capacity - count < elements.count { grow(to: count + elements.count) }
        (base + count).initialize(from: first, count: elements.count)
        count &+= elements.count
    }

    /// Removes the elements from an index on.
    mutating func truncate(to index: Int) {
        (base + index).endElements(count: count - index)
        count = index
    }

    @inline(never)
    private mutating func grow(to least: Int) {
        let larger = max(capacity * 2, least)
        let elements = Self.memory(larger)
        elements.moveInitialize(from: base, count: count)
        free(base)
        base = elements
        capacity = larger
    }

    /// Returns the finished table.
    ///
    /// The memory of `padding` elements after the last one may be read; what it holds has no meaning.
    @inline(__always)
    consuming func finish(padding: Int = 0) -> FixedTable<Element> {
        if capacity - count < padding { grow(to: count + padding) }
        let table = FixedTable(adopting: base, count: count)
        discard self
        return table
    }
}

extension UnsafeMutablePointer {
    /// Ends the life of elements one by one.
    ///
    /// For several, `deinitialize(count:)` calls the runtime, which looks up in the type how to end each of them.
    @inline(__always)
    fileprivate func endElements(count: Int) {
        for index in 0..<count { (self + index).deinitialize(count: 1) }
    }
}
