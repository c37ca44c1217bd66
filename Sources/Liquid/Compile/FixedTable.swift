// SPDX-License-Identifier: MIT

/// An immutable table of a program.
///
/// Reading an element of an array in a class retains the array each time. The tables of a program are read several
/// times for each instruction, so they are plain memory, which the `deinit` of the owner frees.
struct FixedTable<Element: Sendable>: @unchecked Sendable {
    let base: UnsafePointer<Element>
    let count: Int

    init(_ elements: [Element]) {
        count = elements.count
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: Swift.max(count, 1))
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
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: Swift.max(count, 1))
        for index in 0..<count { (memory + index).initialize(to: element(index)) }
        self.init(adopting: memory, count: count)
    }

    subscript(index: Int) -> Element {
        precondition(index >= 0 && index < count, "an index is beyond the table")
        return base[index]
    }

    func deallocate() {
        let memory = UnsafeMutablePointer(mutating: base)
        memory.deinitialize(count: count)
        memory.deallocate()
    }
}
