// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Estimates the bytes that values take in memory, including the overhead of the allocator: the unit of live bytes.
enum Storage {
    /// The longest text, in bytes, that Swift stores in the string itself, without an allocation.
    static let inlineBytes = 15

    static func text(_ bytes: Int) -> Int { bytes > inlineBytes ? bytes + 48 : 0 }

    static func array(capacity: Int) -> Int { 48 + capacity * MemoryLayout<Value>.stride }

    /// The bytes of an object that shares its keys with no other object.
    static func object(count: Int) -> Int {
        192 + count * (MemoryLayout<Value>.stride + MemoryLayout<Name>.stride + 16)
    }

    static func number(_ integer: BigInteger) -> Int { 96 + integer.bitWidth / 8 }

    static let cycle = MemoryLayout<Value>.stride + MemoryLayout<Int>.stride

    /// The bytes of a variable including its name.
    static let variable = MemoryLayout<Frame.Slot>.stride + MemoryLayout<Name>.stride + 64
}

/// Adds up the bytes of values; memory that several of them share counts only once.
struct StorageCount {
    private(set) var bytes = 0
    /// The number of elements visited so far.
    private(set) var elements = 0
    /// The addresses of the memory counted so far; nothing is read through them.
    ///
    /// Short texts and small arrays are left out: there are many of them, and counting one twice matters little.
    private var seen: Set<UnsafeRawPointer> = []

    private let most: Int

    private static let leastShared = 512

    /// Creates a count that ends after `most` elements, because the work for more would exceed the limit.
    init(most: Int) { self.most = most }

    private mutating func isNew(_ address: UnsafeRawPointer?, _ size: Int) -> Bool {
        guard size >= Self.leastShared, let address else { return true }
        return seen.insert(address).inserted
    }

    mutating func add(_ value: Value?) {
        switch value {
        case nil, .null?, .bool?, .integer?, .float?, .range?: break
        case .string(let string)?:
            let count = string.utf8.count
            guard count > Storage.inlineBytes else { return }
            if isNew(string.withBytes { UnsafeRawPointer($0.baseAddress) }, count) { bytes += Storage.text(count) }
        case .array(let elements)?: add(elements)
        case .object(let object)?: add(object)
        case .time?: bytes += 96
        case .bigInteger(let integer)?: bytes += Storage.number(integer)
        case .drop(let drop as SelfDrop)?: if let variables = drop.variables { add(.object(variables)) }
        case .drop?: bytes += 256
        }
    }

    mutating func add(_ array: [Value]) {
        let size = Storage.array(capacity: array.capacity)
        guard isNew(array.withUnsafeBytes { $0.baseAddress }, size) else { return }
        bytes += size
        elements += array.count
        for element in array {
            if elements > most { return }
            add(element)
        }
    }

    private mutating func add(_ object: LiquidObject) {
        let size = Storage.object(count: object.count)
        guard isNew(object.address, size) else { return }
        bytes += size
        elements += object.count
        for index in 0..<object.count {
            if elements > most { return }
            let (key, value) = object.member(at: index)
            bytes += Storage.text(key.utf8.count)
            add(value)
        }
    }
}

extension LiquidError {
    static var tooDeepValue: LiquidError {
        LiquidError(
            .memory,
            "a value nests deeper than \(Value.greatestDepth) arrays and objects",
            referenceText: "Nesting too deep"
        )
    }
}

/// The counting of live bytes; see ``Budget``.
extension Renderer {
    /// Charges the memory of a new value.
    @inline(__always)
    mutating func hold(_ value: Value, bytes: Int) throws(LiquidError) {
        context.budget.allocate(bytes)
        if context.budget.needsCount() { try recount(holding: value) }
    }

    /// Counts the bytes held by variables, temporary values, loops, captures and `value`.
    ///
    /// Values of partials and tags in progress cannot be reached from here. For these, the count adds
    /// ``Budget/pinned``, an upper bound of everything that was held when they began.
    ///
    /// - Throws: `memory` if the result exceeds a limit.
    @inline(never)
    mutating func recount(holding value: Value = .null) throws(LiquidError) {
        var count = StorageCount(most: context.budget.workLeft)
        count.add(value)
        for slot in 0..<scope.frame.count where scope.frame[slot].isUsed {
            count.add(scope.frame[slot].inner)
            count.add(scope.frame[slot].outer)
            count.add(scope.frame[slot].counter)
        }
        for cycle in scope.frame.cycles { count.add(cycle.key) }
        count.add(scope.frame.lastChanged.map { .string($0) })
        for value in machine.stack.last(machine.stack.count) { count.add(value) }
        for loop in 0..<machine.loops.count {
            if case .elements(let elements) = machine.loops[loop].elements.source { count.add(elements) }
            count.add(machine.loops[loop].hiddenVariable)
            count.add(machine.loops[loop].hiddenLoop)
        }
        try charge(work: 64 + scope.frame.count + count.elements)
        let own = scope.frame.count * Storage.variable + scope.frame.cycles.count * Storage.cycle
        try context.budget.setLive(count.bytes + own + output.count)
    }

    /// Runs code that holds values that a count cannot reach.
    mutating func pinning<Result>(
        _ body: (inout Renderer) throws(LiquidError) -> Result
    ) throws(LiquidError) -> Result {
        if context.budget.paysToCount { try recount() }
        let outer = context.budget.pinned
        context.budget.pinned = context.budget.live
        defer { context.budget.pinned = outer }
        return try body(&self)
    }
}
