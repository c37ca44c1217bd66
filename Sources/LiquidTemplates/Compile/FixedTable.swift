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

    /// Copies elements; the memory of `padding` elements after them can be read, and what it holds has no meaning.
    init(_ elements: [Element], padding: Int = 0) {
        count = elements.count
        let memory = Self.memory(count: count + padding)
        memory.initialize(from: elements, count: count)
        base = UnsafePointer(memory)
    }

    /// Creates a table with the result of `element` for each index.
    init(count: Int, _ element: (Int) -> Element) {
        self.count = count
        let memory = Self.memory(count: count)
        for index in 0..<count { (memory + index).initialize(to: element(index)) }
        base = UnsafePointer(memory)
    }

    /// Memory of the system's allocator; a table without elements has room for one.
    ///
    /// On Linux, `allocate` asks for aligned memory, which takes twice as long. Traps where the system has no memory
    /// left, as `allocate` does.
    private static func memory(count: Int) -> UnsafeMutablePointer<Element> {
        let bytes = max(count, 1) * MemoryLayout<Element>.stride
        guard let memory = malloc(bytes) else { fatalError("out of memory for \(bytes) bytes") }
        return memory.bindMemory(to: Element.self, capacity: max(count, 1))
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
        let memory = UnsafeMutablePointer(mutating: base)
        // For several elements, `deinitialize(count:)` looks up in the type how to end each of them.
        for index in 0..<count { (memory + index).deinitialize(count: 1) }
        free(memory)
    }
}
