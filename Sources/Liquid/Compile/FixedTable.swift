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
/// the renderer passes elements that hold references by their address, ``base`` and an index that the compiler has
/// written.
///
/// A table without elements has no memory: most templates are small and leave several tables empty.
struct FixedTable<Element: Sendable>: @unchecked Sendable {
    let base: UnsafePointer<Element>
    let count: Int

    init(_ elements: [Element]) {
        count = elements.count
        let memory = UnsafeMutablePointer<Element>.table(capacity: count)
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
        let memory = UnsafeMutablePointer<Element>.table(capacity: count)
        for index in 0..<count { (memory + index).initialize(to: element(index)) }
        self.init(adopting: memory, count: count)
    }

    subscript(index: Int) -> Element {
        precondition(index >= 0 && index < count, "an index is beyond the table")
        return base[index]
    }

    /// The elements of a range, valid as long as the table.
    @inline(__always)
    subscript(range: Range<Int>) -> UnsafeBufferPointer<Element> {
        UnsafeBufferPointer(start: base + range.lowerBound, count: range.count)
    }

    func deallocate() {
        UnsafeMutablePointer(mutating: base).freeTable(count: count, capacity: count)
    }
}

/// Builds a ``FixedTable``, which takes ownership of the memory.
///
/// The tables of a template are larger than its source, so building them avoids copies and checks for shared storage.
struct TableBuilder<Element: Sendable>: ~Copyable {
    private var base: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = capacity
        base = .table(capacity: capacity)
    }

    deinit { base.freeTable(count: count, capacity: capacity) }

    /// The element at an index, which must be below ``count``.
    subscript(index: Int) -> Element {
        get { base[index] }
        nonmutating _modify { yield &base[index] }
    }

    @inline(__always)
    mutating func append(_ element: Element) {
        if count == capacity { grow(to: count + 1) }
        (base + count).initialize(to: element)
        count += 1
    }

    mutating func append(contentsOf elements: UnsafeBufferPointer<Element>) {
        guard let first = elements.baseAddress else { return }
        if capacity - count < elements.count { grow(to: count + elements.count) }
        (base + count).initialize(from: first, count: elements.count)
        count += elements.count
    }

    /// Removes the elements from an index on.
    mutating func truncate(to index: Int) {
        (base + index).deinitialize(count: count - index)
        count = index
    }

    mutating func removeSubrange(_ range: Range<Int>) {
        (base + range.lowerBound).deinitialize(count: range.count)
        (base + range.lowerBound).moveInitialize(from: base + range.upperBound, count: count - range.upperBound)
        count -= range.count
    }

    private mutating func grow(to least: Int) {
        let larger = max(capacity * 2, least, 4)
        let memory = UnsafeMutablePointer<Element>.table(capacity: larger)
        memory.moveInitialize(from: base, count: count)
        base.freeTable(count: 0, capacity: capacity)
        base = memory
        capacity = larger
    }

    consuming func finish() -> FixedTable<Element> {
        // A table with elements frees the memory; one without has none.
        if count == 0 { base.freeTable(count: 0, capacity: capacity) }
        let table = FixedTable(adopting: base, count: count)
        discard self
        return table
    }
}

extension UnsafeMutablePointer {
    /// Memory of the system's allocator, for elements that need no special alignment; `free` gives it back.
    ///
    /// On Linux, `allocate` asks for aligned memory, which takes twice as long, and a template has a dozen tables.
    ///
    /// For no elements it is an address that is never read. Traps where the system has no memory left, as `allocate`
    /// does.
    fileprivate static func table(capacity: Int) -> UnsafeMutablePointer {
        let bytes = capacity * MemoryLayout<Pointee>.stride
        let memory =
            bytes == 0 ? UnsafeMutableRawPointer(bitPattern: MemoryLayout<Pointee>.alignment) : malloc(bytes)
        guard let memory else { fatalError("out of memory for \(bytes) bytes") }
        return memory.bindMemory(to: Pointee.self, capacity: capacity)
    }

    /// Ends the life of the elements of a table, and frees its memory if it has any.
    @inline(__always)
    fileprivate func freeTable(count: Int, capacity: Int) {
        guard capacity > 0 else { return }
        deinitialize(count: count)
        free(self)
    }
}
