// SPDX-License-Identifier: MIT

/// Builds a ``FixedTable``, which takes ownership of the memory.
///
/// The tables of a template are larger than its source, so building them avoids copies and checks for shared storage.
struct TableBuilder<Element: Sendable>: ~Copyable {
    private var base: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 4)
        base = .allocate(capacity: self.capacity)
    }

    deinit {
        base.deinitialize(count: count)
        base.deallocate()
    }

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
        capacity = max(capacity * 2, least)
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
        larger.moveInitialize(from: base, count: count)
        base.deallocate()
        base = larger
    }

    consuming func finish() -> FixedTable<Element> {
        let table = FixedTable(adopting: base, count: count)
        discard self
        return table
    }
}
