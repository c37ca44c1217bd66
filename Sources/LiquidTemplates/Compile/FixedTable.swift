// SPDX-License-Identifier: MIT

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

    init(_ elements: [Element]) {
        count = elements.count
        let memory = Self.memory(count: count)
        memory.initialize(from: elements, count: count)
        base = UnsafePointer(memory)
    }

    /// Takes ownership of memory that holds the elements.
    init(adopting memory: UnsafeMutablePointer<Element>, count: Int) {
        base = UnsafePointer(memory)
        self.count = count
    }

    /// Creates a table with the result of `element` for each index.
    init(count: Int, _ element: (Int) -> Element) {
        let memory = Self.memory(count: count)
        for index in 0..<count { (memory + index).initialize(to: element(index)) }
        self.init(adopting: memory, count: count)
    }

    /// Memory of the system for elements; a table without elements has room for one.
    private static func memory(count: Int) -> UnsafeMutablePointer<Element> {
        UnsafeMutableRawPointer.bytes(max(count, 1) * MemoryLayout<Element>.stride)
            .bindMemory(to: Element.self, capacity: max(count, 1))
    }

    subscript(index: Int) -> Element {
        precondition(index >= 0 && index < count, "an index is beyond the table")
        return base[index]
    }

    /// The elements of a range, which is not checked; valid as long as the table.
    @inline(__always)
    subscript(range: Range<Int>) -> UnsafeBufferPointer<Element> {
        UnsafeBufferPointer(start: base + range.lowerBound, count: range.count)
    }

    @inline(__always)
    func deallocate() {
        endElements()
        UnsafeMutableRawPointer(mutating: base).freeBytes()
    }

    /// Ends the life of the elements of a table in a ``TableArena``, which frees the memory.
    @inline(__always)
    func endElements() { UnsafeMutablePointer(mutating: base).endElements(count: count) }
}

/// Builds a ``FixedTable`` in the memory of a ``TableArena``.
///
/// The tables of a template are larger than its source, so building them avoids copies and checks for shared storage.
/// The owner of the finished table ends the life of the elements.
struct TableBuilder<Element: Sendable>: ~Copyable {
    private var base: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0
    private let memory: TableArena.Memory

    /// Creates an empty table; if it grows beyond `capacity`, it moves.
    @inline(__always)
    init(capacity: Int, in memory: TableArena.Memory) {
        self.capacity = capacity
        self.memory = memory
        base = memory.table(of: Element.self, capacity: capacity)
    }

    /// The elements, valid until the table changes.
    @inline(__always)
    var elements: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: base, count: count) }

    /// Whether the next element needs more memory.
    @inline(__always)
    var isFull: Bool { count == capacity }

    /// The element at an index, which must be below ``count`` and is not checked.
    subscript(index: Int) -> Element {
        get { base[index] }
        nonmutating _modify { yield &base[index] }
    }

    @inline(__always)
    mutating func append(_ element: consuming Element) {
        if isFull { grow(to: count + 1) }
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

    /// Makes sure that the memory of so many elements after the last one can be read; what it holds has no meaning.
    mutating func pad(_ elements: Int) { if capacity - count < elements { grow(to: count + elements) } }

    /// Removes the elements from an index on.
    mutating func truncate(to index: Int) {
        (base + index).endElements(count: count - index)
        count = index
    }

    mutating func removeSubrange(_ range: Range<Int>) {
        (base + range.lowerBound).endElements(count: range.count)
        (base + range.lowerBound).moveInitialize(from: base + range.upperBound, count: count - range.upperBound)
        count -= range.count
    }

    @inline(never)
    private mutating func grow(to least: Int) {
        let larger = max(capacity * 2, least, 4)
        let elements = memory.table(of: Element.self, capacity: larger)
        elements.moveInitialize(from: base, count: count)
        base = elements
        capacity = larger
    }

    @inline(__always)
    consuming func finish() -> FixedTable<Element> { FixedTable(adopting: base, count: count) }

    /// Gives the memory beyond the last element back, if the table is the last one in its arena.
    mutating func shrink() {
        memory.giveBack(from: base + count, to: base + capacity)
        capacity = count
    }
}

extension UnsafeMutablePointer {
    /// Ends the life of elements one by one.
    ///
    /// For several, `deinitialize(count:)` calls the runtime, which looks up in the type how to end each of them; for
    /// one, the compiler inlines the code.
    @inline(__always)
    fileprivate func endElements(count: Int) {
        for index in 0..<count { (self + index).deinitialize(count: 1) }
    }
}
