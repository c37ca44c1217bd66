// SPDX-License-Identifier: MIT

/// The work of a call of a filter, charged before the filter runs; see ``Limits/work``.
///
/// The numbers are units, each about a nanosecond of a current machine; they were measured and rounded up. The text
/// that a filter writes is charged in addition when it is written.
public struct FilterWork: Sendable {
    /// The parts of the input and the arguments that a filter reads.
    enum Reading: Sendable {
        /// Texts, but not those inside arrays and objects.
        case texts
        /// Everything, converted to text.
        case text
        /// The elements that an array filter sees, converted to text.
        case joined
        /// Everything, hashed and compared.
        case contents
        /// The elements that an array filter sees.
        case elements
        /// The elements, each compared with the arguments, and the bytes of those that are texts.
        case choice
        /// The elements, each as often as the logarithm of their number, as in sorting.
        case order
        /// Numbers, whose cost is the square of their digits.
        case numbers
    }

    let reading: Reading
    /// The units for each call.
    let call: Int
    /// The units for each element.
    let element: Int
    /// The units for each 16 bytes of text.
    let block: Int

    private init(_ reading: Reading, call: Int, element: Int = 0, block: Int = 0) {
        self.reading = reading
        self.call = call
        self.element = element
        self.block = block
    }

    /// The work of a filter that checks only the kind of its input.
    public static let constant = FilterWork(.texts, call: 64)

    /// The work of a filter that reads its input and arguments if they are texts, but not arrays and objects.
    ///
    /// - Parameters:
    ///   - block: the units for each 16 bytes.
    ///   - call: the units for each call.
    /// - Returns: the work.
    public static func texts(_ block: Int, call: Int = 64) -> FilterWork {
        FilterWork(.texts, call: call, block: block)
    }

    /// The work of a filter that converts its input and arguments to text.
    ///
    /// - Parameters:
    ///   - block: the units for each 16 bytes.
    ///   - call: the units for each call.
    /// - Returns: the work.
    public static func text(_ block: Int, call: Int = 64) -> FilterWork {
        FilterWork(.text, call: call, element: 64, block: block)
    }

    /// The work of a filter that writes the elements of its input one after the other.
    static let joined = FilterWork(.joined, call: 100, element: 64, block: 8)

    /// The work of a filter that reads the elements of its input, but not their contents.
    ///
    /// - Parameter element: the units for each.
    /// - Returns: the work.
    public static func elements(_ element: Int) -> FilterWork {
        FilterWork(.elements, call: 100, element: element, block: 0)
    }

    /// The work of a filter that reads a property of each element and compares it.
    static let choice = FilterWork(.choice, call: 100, element: 80, block: 96)

    /// The work of a filter that removes duplicate elements by comparing all of their contents.
    static let distinct = FilterWork(.contents, call: 200, element: 200, block: 128)

    /// The work of a filter that sorts elements.
    ///
    /// - Parameters:
    ///   - element: the units for each comparison.
    ///   - block: the units for each 16 bytes that are compared.
    /// - Returns: the work.
    static func order(_ element: Int, block: Int) -> FilterWork {
        FilterWork(.order, call: 200, element: element, block: block)
    }

    /// The work of a filter that calculates.
    static let numbers = FilterWork(.numbers, call: 64)

    /// The units of a call on an input and its arguments.
    ///
    /// - Parameters:
    ///   - values: the input and the arguments.
    ///   - most: the units that are left; counting ends beyond them.
    /// - Returns: the units.
    @inline(__always)
    func units(_ values: UnsafeBufferPointer<Value>, most: Int) -> Int {
        guard let first = values.baseAddress else { return call }
        // Most inputs and arguments are texts and integers.
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
        // Texts are passed on without being read.
        case .elements: return Budget.product(all.elements, element)
        case .text:
            // Texts inside arrays are written in quotes, with escapes.
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

    /// The units of work to read a number and to write the result.
    static func numberWork(of value: Value) -> Int {
        switch value {
        case .integer, .null, .bool: return 0
        case .float(let double):
            // The number of digits that an exact decimal needs before and after the point.
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
