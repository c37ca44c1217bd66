// SPDX-License-Identifier: MIT

/// A table of a program that never changes once it is made.
///
/// Reading an element of an array that a class holds retains the array each time; a program is read a few times for
/// every instruction, so its tables are plain memory that its `deinit` frees.
struct FixedTable<Element: Sendable>: @unchecked Sendable {
    let base: UnsafePointer<Element>
    let count: Int

    init(_ elements: [Element]) {
        count = elements.count
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: Swift.max(count, 1))
        memory.initialize(from: elements, count: count)
        base = UnsafePointer(memory)
    }

    /// Takes over memory that was allocated for its elements.
    init(adopting memory: UnsafeMutablePointer<Element>, count: Int) {
        base = UnsafePointer(memory)
        self.count = count
    }

    /// Creates a table of what `element` gives for each place.
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
