// SPDX-License-Identifier: MIT

import PlatformLibc

/// A growable buffer of UTF-8 output with an upper limit.
///
/// The buffer owns its memory and is never copied. An append that would exceed the limit writes nothing and sets
/// ``isOverLimit``. Appending never throws: callers check the flag where they can report the failure. Nothing else
/// refers to the memory, so a buffer may be sent to another thread.
public struct ByteBuffer: ~Copyable, @unchecked Sendable {
    @usableFromInline var base: UnsafeMutablePointer<UInt8>
    @usableFromInline var capacity: Int

    @usableFromInline var written: Int

    /// The number of bytes written.
    @inlinable public internal(set) var count: Int {
        get { written }
        @usableFromInline set { written = newValue }
    }

    /// The maximum number of bytes that may be written.
    public var limit: Int

    /// Whether an append was refused because it would have passed ``limit``.
    public private(set) var isOverLimit = false

    /// Creates an empty buffer.
    ///
    /// - Parameters:
    ///   - capacity: the bytes to reserve now.
    ///   - limit: the most bytes that may be written.
    public init(capacity: Int = 256, limit: Int = .max) {
        self.capacity = Swift.max(capacity, 16)
        self.limit = limit
        base = Self.resized(nil, to: self.capacity)
        written = 0
    }

    deinit {
        free(base)
    }

    /// The number of bytes that are allocated beyond ``capacity``, so that a whole vector or word can be stored even if
    /// fewer bytes are reserved.
    @inlinable package static var padding: Int { MemoryLayout<SIMD16<UInt8>>.size }

    /// Changes the size of the memory and keeps its contents.
    ///
    /// `realloc` moves large memory without a copy.
    ///
    /// Traps if the system has no memory left, as Swift's own allocation does.
    private static func resized(
        _ memory: UnsafeMutablePointer<UInt8>?,
        to capacity: Int
    ) -> UnsafeMutablePointer<UInt8> {
        let size = capacity + padding
        guard let memory = realloc(memory, size) else { fatalError("out of memory for \(size) bytes") }
        return memory.assumingMemoryBound(to: UInt8.self)
    }

    /// Appends one byte.
    @inlinable @inline(__always)
    public mutating func append(_ byte: UInt8) {
        guard reserve(1) else { return }
        base[written] = byte
        written &+= 1
    }

    /// Appends a run of bytes.
    @inlinable @inline(__always)
    public mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress, reserve(bytes.count) else { return }
        Self.copy(start, to: base + written, bytes.count)
        written &+= bytes.count
    }

    /// Appends a run of bytes between two bytes of the same value, such as quotes.
    @inlinable @inline(__always)
    package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, between byte: UInt8) {
        guard reserve(bytes.count &+ 2) else { return }
        let target = base + written
        target[0] = byte
        if let start = bytes.baseAddress { Self.copy(start, to: target + 1, bytes.count) }
        target[bytes.count &+ 1] = byte
        written &+= bytes.count &+ 2
    }

    /// Appends a run of bytes after which another ``padding`` bytes can be read.
    ///
    /// The first 16 bytes are always copied as one vector, so a short run needs no branch on its size. A short run thus
    /// reads and stores bytes beyond its end, but no more than the padding, and the next append overwrites them.
    @inlinable @inline(__always)
    package mutating func append(padded start: UnsafePointer<UInt8>, _ count: Int) {
        guard reserve(count) else { return }
        let target = base + written
        typealias Vector = SIMD16<UInt8>
        let first = UnsafeRawPointer(start).loadUnaligned(as: Vector.self)
        UnsafeMutableRawPointer(target).storeBytes(of: first, as: Vector.self)
        if count > Self.padding { Self.copy(start + Self.padding, to: target + Self.padding, count &- Self.padding) }
        written &+= count
    }

    /// Copies bytes.
    ///
    /// Most runs that a template prints are short. Their first and last bytes are copied as two words, which may
    /// overlap; that takes less time than a call of `memcpy`.
    @inlinable @inline(__always)
    static func copy(_ source: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>, _ count: Int) {
        func copyEnds<Word: BitwiseCopyable>(_ type: Word.Type) {
            let (from, to) = (UnsafeRawPointer(source), UnsafeMutableRawPointer(target))
            let last = count &- MemoryLayout<Word>.size
            let words = (from.loadUnaligned(as: type), from.loadUnaligned(fromByteOffset: last, as: type))
            to.storeBytes(of: words.0, as: type)
            to.storeBytes(of: words.1, toByteOffset: last, as: type)
        }
        if count > 32 {
            target.initialize(from: source, count: count)
        } else if count >= 16 {
            copyEnds(SIMD16<UInt8>.self)
        } else if count >= 8 {
            copyEnds(UInt64.self)
        } else if count >= 4 {
            copyEnds(UInt32.self)
        } else if count > 0 {
            // One, two or three bytes: the first, the middle and the last.
            let (middle, last) = (count >> 1, count &- 1)
            let bytes = (source[0], source[middle], source[last])
            target[0] = bytes.0
            target[middle] = bytes.1
            target[last] = bytes.2
        }
    }

    /// Appends a run of bytes, each mapped by a function.
    @inlinable @inline(__always)
    package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, mapping: (UInt8) -> UInt8) {
        guard reserve(bytes.count) else { return }
        let target = base + written
        for index in bytes.indices { target[index] = mapping(bytes[index]) }
        written &+= bytes.count
    }

    /// Appends a run of bytes.
    @inlinable @inline(__always)
    public mutating func append(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { append($0) }
    }

    /// Appends what `body` writes into memory that is reserved for it.
    ///
    /// - Parameters:
    ///   - count: the number of bytes to reserve for `body`; if they would exceed ``limit``, `body` is not called.
    ///   - body: writes bytes and returns their number.
    /// - Returns: what `body` returned; 0 if it was not called.
    /// - Throws: what `body` throws; nothing is appended then.
    public mutating func append<Failure: Error>(
        upTo count: Int,
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        guard reserve(count) else { return 0 }
        let written = try body(UnsafeMutableRawBufferPointer(start: base + self.count, count: count))
        self.count += Swift.max(0, Swift.min(written, count))
        return written
    }

    /// Appends the UTF-8 of a string.
    @inlinable @inline(__always)
    public mutating func append(_ string: String) {
        // The bytes of a native Swift string can be read without a copy; any other string is converted to one first.
        if string.utf8.withContiguousStorageIfAvailable({ append($0) }) != nil { return }
        var string = string
        string.withUTF8 { append($0) }
    }

    /// Appends an integer in decimal.
    public mutating func append(decimal value: Int) {
        // The longest integer has 20 bytes.
        if limit &- written < 20 { return appendNearLimit { $0.append(decimal: value) } }
        guard reserve(20) else { return }
        if value >= 0 && value < 10 {
            base[written] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value)
            written &+= 1
            return
        }
        if value < 0 {
            base[written] = UInt8(ascii: "-")
            written &+= 1
        }
        let magnitude = UInt64(value.magnitude)
        let group: UInt64 = 100_000_000
        if magnitude < group { return appendDigits(of: magnitude) }
        if magnitude < group * group {
            appendDigits(of: magnitude / group)
        } else {
            appendDigits(of: magnitude / group / group)
            appendDigits(of: magnitude / group % group, atLeast: 8)
        }
        appendDigits(of: magnitude % group, atLeast: 8)
    }

    /// Appends a non-negative integer in decimal, padded with leading zeros to `least` digits, at most eight.
    package mutating func append(decimal value: Int, digits least: Int) {
        let magnitude = UInt64(value.magnitude)
        guard magnitude < 100_000_000 else { return append(decimal: value) }
        if limit &- written < 8 { return appendNearLimit { $0.append(decimal: value, digits: least) } }
        guard reserve(8) else { return }
        appendDigits(of: magnitude, atLeast: least)
    }

    /// Writes to a temporary buffer and appends the result, for use near ``limit`` while the length is still unknown.
    @inline(never)
    private mutating func appendNearLimit(_ write: (inout ByteBuffer) -> Void) {
        var text = ByteBuffer(capacity: 20)
        write(&text)
        text.withUnsafeBytes { append($0) }
    }

    /// Appends a number below 10⁸ with at least `least` digits, from one to eight; the caller has reserved eight bytes.
    ///
    /// All eight bytes of the word are stored; those after the digits may be in the ``padding``.
    ///
    /// All eight digits are calculated at once, each in a byte of one word: the number is cut into halves, these into
    /// pairs, and these into digits, by multiplications with the reciprocals of 100 and 10.
    @inline(__always)
    private mutating func appendDigits(of number: UInt64, atLeast least: Int = 1) {
        let halves = number / 10_000 | (number % 10_000) << 32
        let hundreds = (halves &* 10_486) >> 20 & 0x7F_0000_007F
        let pairs = hundreds | (halves &- hundreds &* 100) << 16
        let tens = (pairs &* 103) >> 10 & 0x0F_000F_000F_000F
        // The first digit is in the lowest byte.
        let digits = tens | (pairs &- tens &* 10) << 8
        let zeros = Swift.min(digits.trailingZeroBitCount / 8, 8 &- least)
        let text = (digits | 0x3030_3030_3030_3030) &>> UInt64(zeros &* 8)
        UnsafeMutableRawPointer(base + written).storeBytes(of: text.littleEndian, as: UInt64.self)
        written &+= 8 &- zeros
    }

    /// Drops everything after the first `newCount` bytes.
    public mutating func truncate(to newCount: Int) {
        count = Swift.max(0, Swift.min(count, newCount))
    }

    /// Empties the buffer, clears ``isOverLimit`` and keeps the memory.
    public mutating func removeAll() {
        count = 0
        isOverLimit = false
    }

    /// Reduces the memory of the buffer to 1 KiB if the buffer is empty and has more than 1 MiB.
    @inlinable @inline(__always)
    package mutating func shrink() {
        if capacity > 1 << 20, count == 0 { shrinkNow() }
    }

    @inline(never) @usableFromInline
    mutating func shrinkNow() {
        capacity = 1024
        base = Self.resized(base, to: capacity)
    }

    /// The bytes from `start` on as a string; bytes that are not UTF-8 become U+FFFD.
    public func string(from start: Int = 0) -> String {
        String(utf8: UnsafeBufferPointer(start: base + start, count: Swift.max(0, count - start)))
    }

    /// Runs `body` on the bytes written so far.
    @inlinable @inline(__always)
    public func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeBufferPointer(start: base, count: count))
    }

    @inlinable @inline(__always)
    mutating func reserve(_ additional: Int) -> Bool {
        let needed = written &+ additional
        if needed <= capacity && needed <= limit { return true }
        return grow(to: needed)
    }

    @inline(never) @usableFromInline
    mutating func grow(to needed: Int) -> Bool {
        guard needed <= limit else {
            isOverLimit = true
            return false
        }
        guard needed > capacity else { return true }
        // Doubling stops at the limit, so more memory than that is never reserved.
        let newCapacity = Swift.max(needed, Swift.min(capacity * 2, limit))
        base = Self.resized(base, to: newCapacity)
        capacity = newCapacity
        return true
    }
}
