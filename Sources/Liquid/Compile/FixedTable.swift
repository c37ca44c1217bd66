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

    @inline(__always)
    func deallocate() {
        let memory = UnsafeMutablePointer(mutating: base)
        memory.endElements(count: count)
        memory.freeTable()
    }

    /// Ends the life of the elements, and frees the memory unless it is in an area, which is freed as a whole.
    @inline(__always)
    func deallocate(in area: TableArea) {
        let memory = UnsafeMutablePointer(mutating: base)
        memory.endElements(count: count)
        if !area.contains(memory) { memory.freeTable() }
    }
}

/// One block of memory for several tables, which the owner of the tables frees after them.
///
/// Most templates are small and have a dozen tables: asking the system for the memory of each, and giving it back,
/// would take a fifth of the time of reading such a template.
struct TableArea: @unchecked Sendable {
    private let base: UnsafeMutableRawPointer
    private let size: Int
    private var used = 0

    /// Reserves memory of so many bytes.
    init(bytes: Int) {
        size = bytes
        // With one byte more, an empty table at the end is in the area too.
        base = .system(bytes + 1)
    }

    /// Memory for elements; nil where not enough is left.
    @inline(__always)
    mutating func table<Element>(of type: Element.Type, capacity: Int) -> UnsafeMutablePointer<Element>? {
        // No element of a table needs a greater alignment.
        let bytes = (capacity &* MemoryLayout<Element>.stride &+ 7) & ~7
        guard bytes <= size &- used else { return nil }
        defer { used &+= bytes }
        return (base + used).bindMemory(to: Element.self, capacity: capacity)
    }

    /// Whether an address is in the area.
    @inline(__always)
    func contains(_ memory: UnsafeMutableRawPointer) -> Bool { memory >= base && memory <= base + size }

    /// Frees the memory; the elements of its tables have ended before.
    func deallocate() { free(base) }
}

/// Builds a ``FixedTable``, which takes ownership of the memory.
///
/// The tables of a template are larger than its source, so building them avoids copies and checks for shared storage.
struct TableBuilder<Element: Sendable>: ~Copyable {
    private var base: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0
    /// Whether the memory is the table's own, and not in a ``TableArea``.
    private var ownsMemory = true

    init(capacity: Int) {
        self.capacity = capacity
        base = .table(capacity: capacity)
    }

    /// Creates a table in an area if there is room for it; if it grows beyond `capacity`, it gets memory of its own.
    init(capacity: Int, in area: inout TableArea) {
        self.capacity = capacity
        if let memory = area.table(of: Element.self, capacity: capacity) {
            base = memory
            ownsMemory = false
        } else {
            base = .table(capacity: capacity)
        }
    }

    deinit {
        base.endElements(count: count)
        freeMemory()
    }

    /// Frees memory without elements.
    @inline(__always)
    private func freeMemory() { if ownsMemory { base.freeTable() } }

    /// The elements, valid until the table changes.
    @inline(__always)
    var elements: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: base, count: count) }

    /// The element at an index, which must be below ``count``.
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

    @inline(never)
    private mutating func grow(to least: Int) {
        let larger = max(capacity * 2, least, 4)
        let memory = UnsafeMutablePointer<Element>.table(capacity: larger)
        memory.moveInitialize(from: base, count: count)
        freeMemory()
        base = memory
        capacity = larger
        ownsMemory = true
    }

    /// Whether the next element needs more memory.
    @inline(__always)
    var isFull: Bool { count == capacity }

    consuming func finish() -> FixedTable<Element> {
        let table = FixedTable(adopting: base, count: count)
        discard self
        return table
    }
}

extension UnsafeMutableRawPointer {
    /// Memory of the system's allocator; for no bytes, an address that is never read.
    @inline(__always)
    fileprivate static func system(_ bytes: Int) -> UnsafeMutableRawPointer {
        let memory = bytes == 0 ? nowhere : malloc(bytes)
        // As with Swift's own collections, there is no way to go on without memory.
        guard let memory else { fatalError("out of memory for \(bytes) bytes") }
        return memory
    }

    /// The address of no memory.
    @inline(__always)
    fileprivate static var nowhere: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: 8) }
}

extension UnsafeMutablePointer {
    /// Memory of the system's allocator, for elements that need no special alignment; `free` gives it back.
    ///
    /// On Linux, `allocate` asks for aligned memory, which takes twice as long, and a template has a dozen tables.
    ///
    /// For no elements it is an address that is never read. Traps where the system has no memory left, as `allocate`
    /// does.
    fileprivate static func table(capacity: Int) -> UnsafeMutablePointer {
        UnsafeMutableRawPointer.system(capacity * MemoryLayout<Pointee>.stride)
            .bindMemory(to: Pointee.self, capacity: capacity)
    }

    /// Ends the life of the elements of a table one by one, as `deinitialize(count:)` asks the type how to do so for
    /// each of them.
    @inline(__always)
    fileprivate func endElements(count: Int) {
        for index in 0..<count { (self + index).deinitialize(count: 1) }
    }

    /// Frees the memory of a table, if it has any.
    @inline(__always)
    fileprivate func freeTable() {
        if UnsafeMutableRawPointer(self) != UnsafeMutableRawPointer.nowhere { free(self) }
    }
}
