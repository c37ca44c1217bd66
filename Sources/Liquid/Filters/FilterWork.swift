// SPDX-License-Identifier: MIT

/// What a call of a filter costs, charged before it runs; see ``Limits/work``.
///
/// The numbers are units, each about a nanosecond of a current machine; they were measured and rounded up. What a filter
/// writes is charged on top of it, where it is written.
public struct FilterWork: Sendable {
    /// What of the input the filter goes through.
    enum Reading: Sendable {
        /// Texts alone, and not what is in arrays and objects.
        case texts
        /// All of it, as text.
        case text
        /// The elements that an array filter sees, as text.
        case joined
        /// All of it, as a key.
        case contents
        /// The elements that an array filter sees.
        case elements
        /// The elements, each with what the arguments hold, and the bytes of those that are texts.
        case choice
        /// The elements, in order: each as often as the logarithm of their number.
        case order
        /// Numbers, whose digits cost their square.
        case numbers
    }

    let reading: Reading
    /// For each call.
    let call: Int
    /// For each element.
    let element: Int
    /// For each 16 bytes of text.
    let block: Int

    private init(_ reading: Reading, call: Int, element: Int = 0, block: Int = 0) {
        self.reading = reading
        self.call = call
        self.element = element
        self.block = block
    }

    /// The filter only looks at what kind of value its input is.
    public static let constant = FilterWork(.texts, call: 64)

    /// The filter goes through its input and arguments where they are texts, and not into arrays and objects.
    ///
    /// - Parameters:
    ///   - block: the units for each 16 bytes.
    ///   - call: the units for each call.
    /// - Returns: the work.
    public static func texts(_ block: Int, call: Int = 64) -> FilterWork {
        FilterWork(.texts, call: call, block: block)
    }

    /// The filter goes through its input and arguments as text.
    ///
    /// - Parameters:
    ///   - block: the units for each 16 bytes.
    ///   - call: the units for each call.
    /// - Returns: the work.
    public static func text(_ block: Int, call: Int = 64) -> FilterWork {
        FilterWork(.text, call: call, element: 64, block: block)
    }

    /// The filter writes the elements of its input one after the other.
    static let joined = FilterWork(.joined, call: 100, element: 64, block: 8)

    /// The filter goes through the elements of its input, and not into them.
    ///
    /// - Parameter element: the units for each.
    /// - Returns: the work.
    public static func elements(_ element: Int) -> FilterWork {
        FilterWork(.elements, call: 100, element: element, block: 0)
    }

    /// The filter asks each element for a property and compares it.
    static let choice = FilterWork(.choice, call: 100, element: 80, block: 96)

    /// The filter distinguishes elements by all that they hold.
    static let distinct = FilterWork(.contents, call: 200, element: 200, block: 128)

    /// The filter brings the elements in order.
    ///
    /// - Parameters:
    ///   - element: the units for each comparison.
    ///   - block: the units for each 16 bytes that are compared.
    /// - Returns: the work.
    static func order(_ element: Int, block: Int) -> FilterWork {
        FilterWork(.order, call: 200, element: element, block: block)
    }

    /// The filter calculates.
    static let numbers = FilterWork(.numbers, call: 64)

    /// The units of a call on an input and its arguments.
    ///
    /// - Parameters:
    ///   - values: the input and the arguments.
    ///   - most: the units that are left; what is more need not be counted.
    /// - Returns: the units.
    @inline(__always)
    func units(_ values: UnsafeBufferPointer<Value>, most: Int) -> Int {
        guard let first = values.baseAddress else { return call }
        // Most inputs and arguments are texts and whole numbers.
        var bytes = 0
        var isPlain = reading != .numbers
        for index in 0..<values.count {
            (first + index).borrow { value in
                switch value {
                case .string(let string): bytes += string.utf8.count
                case .null, .bool, .integer: break
                default: isPlain = false
                }
            }
        }
        if isPlain || reading == .texts { return call + Budget.product(bytes, block) / 16 }
        return call + measured(values, most: most)
    }

    private func measured(_ values: UnsafeBufferPointer<Value>, most: Int) -> Int {
        if reading == .numbers { return values.reduce(0) { $0 + Self.numberWork(of: $1) } }
        var all = Extent(reading == .elements ? .elements : .everything, most: most / max(element, 1))
        if reading == .choice {
            var input = Extent(.elements, most: most / element)
            for (index, value) in values.enumerated() { if index == 0 { input.add(value) } else { all.add(value) } }
            return work(of: input) + Budget.product(input.elements, all.work)
        }
        for value in values { all.add(value) }
        switch reading {
        case .texts, .numbers, .choice, .contents: return work(of: all)
        // Texts are handed on, and not read.
        case .elements: return Budget.product(all.elements, element)
        case .text:
            // Inside of arrays texts are written in quotes, character by character.
            return work(of: all) + all.innerBytes * 8
        case .joined:
            if case .range(let range)? = values.first { all.elements += min(range.count, 1 << 24) }
            return work(of: all) + all.innerBytes * 8
        case .order:
            return Budget.product(work(of: all), Int.bitWidth - max(all.elements, 1).leadingZeroBitCount)
        }
    }

    private func work(of extent: Extent) -> Int {
        let bytes = extent.bytes + extent.innerBytes
        return Budget.product(extent.elements, element) + Budget.product(bytes, block) / 16 + extent.units
    }

    /// The units that it takes to read a number and to write the result.
    static func numberWork(of value: Value) -> Int {
        switch value {
        case .integer, .null, .bool: return 0
        case .float(let double):
            // The digits before and after the point, as an exact decimal has them.
            let digits = double.isFinite && double != 0 ? abs(Int(double.exponent)) * 3 / 10 : 0
            return 2_000 + digits * 16 + digits * digits / 4
        case .bigInteger(let integer): return integer.textWork
        case .string(let string):
            let digits = min(string.utf8.count, Number.maximumDigits)
            return string.utf8.count * 2 + (digits > 16 ? 2_000 + digits * digits / 8 : 200)
        case .array, .object, .range, .time, .drop: return 0
        }
    }
}
