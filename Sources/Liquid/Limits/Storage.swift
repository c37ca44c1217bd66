// SPDX-License-Identifier: MIT

/// The bytes that values take in memory, with what the allocator adds: what live bytes are counted in.
enum Storage {
    /// A text of at most so many bytes needs no memory of its own.
    static let inlineBytes = 15

    static func text(_ bytes: Int) -> Int { bytes > inlineBytes ? bytes + 48 : 0 }

    static func array(capacity: Int) -> Int { 48 + capacity * MemoryLayout<Value>.stride }

    /// An object with keys of its own.
    static func object(count: Int) -> Int {
        192 + count * (MemoryLayout<Value>.stride + MemoryLayout<Name>.stride + 16)
    }

    static func number(_ integer: BigInteger) -> Int { 96 + integer.bitWidth / 8 }

    static let cycle = MemoryLayout<Value>.stride + MemoryLayout<Int>.stride

    /// A variable, with its name.
    static let variable = MemoryLayout<Frame.Slot>.stride + MemoryLayout<Name>.stride + 64
}

/// Adds up what values hold, each piece of storage once.
struct StorageCount {
    private(set) var bytes = 0
    /// The elements that were looked at.
    private(set) var elements = 0
    /// Storage that was counted: of short texts and arrays, which are many, more than once does not matter.
    private var seen: Set<UnsafeRawPointer> = []

    private let most: Int

    private static let leastShared = 512

    /// Creates a count that ends where the work for it cannot be paid.
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
        guard isNew(UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()), size) else { return }
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
