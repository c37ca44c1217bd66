// SPDX-License-Identifier: MIT

/// Removes elements of arrays from a binary property list.
///
/// The remaining objects are copied byte for byte, so every value keeps its type, precision and length, even if
/// ``PlistValue`` has no case for it. Objects to which nothing refers any more are left out.
package struct BinaryPlistRemoval {
    /// An object of the new file: its bytes up to the references to its members, and the new numbers of these members.
    private struct Copy {
        var header: [UInt8]
        var members: [Int] = []
    }

    /// What an object of the new file is copied from.
    private enum Origin {
        case stored(Int)
        /// An array of the old file without the removed elements; the value is the old numbers of the remaining
        /// elements.
        case array([Int])
    }

    private let old: BinaryPlistObjects
    private var copies: [Copy] = []
    /// Where each object of the new file comes from; nil for the first one, the dictionary at the top, which is made
    /// anew.
    private var origins: [Origin?] = [nil]
    /// The new number of each copied object; the keys are the old numbers.
    private var numbers: [Int: Int] = [:]

    /// Removes elements from arrays in the top dictionary; if an array becomes empty, its key is removed too.
    ///
    /// - Parameters:
    ///   - positions: the positions of the elements to remove, from 0, by the key of their array.
    ///   - bytes: the contents of the file.
    /// - Returns: the contents of the new file.
    /// - Throws: that the file is damaged.
    package static func removing(
        _ positions: [String: Set<Int>],
        from bytes: [UInt8]
    ) throws(BinaryPlistError) -> [UInt8] {
        var removal = BinaryPlistRemoval(old: try BinaryPlistObjects(bytes))
        try removal.copyTop(without: positions)
        while removal.copies.count < removal.origins.count { try removal.copyNext() }
        return removal.file
    }

    private init(old: BinaryPlistObjects) { self.old = old }

    private mutating func copyTop(without positions: [String: Set<Int>]) throws(BinaryPlistError) {
        let top = try old.object(old.top)
        guard top.kind == .dictionary else { throw .damaged }
        var keys: [Int] = []
        var values: [Int] = []
        for index in 0..<top.count {
            let key = try old.member(index, of: top)
            let value = try old.member(top.count + index, of: top)
            let name = old.string(try old.object(key))
            if let removed = name.flatMap({ positions[$0] }), !removed.isEmpty {
                let array = try old.object(value)
                guard array.kind == .array else { throw .damaged }
                var rest: [Int] = []
                for position in 0..<array.count where !removed.contains(position) {
                    rest.append(try old.member(position, of: array))
                }
                if rest.isEmpty { continue }
                values.append(number(of: .array(rest)))
            } else {
                values.append(number(of: .stored(value)))
            }
            keys.append(number(of: .stored(key)))
        }
        copies.append(Copy(header: Self.header(0xD0, count: keys.count), members: keys + values))
    }

    private mutating func copyNext() throws(BinaryPlistError) {
        switch origins[copies.count] {
        case .array(let elements):
            let members = elements.map { number(of: .stored($0)) }
            copies.append(Copy(header: Self.header(0xA0, count: members.count), members: members))
        case .stored(let number):
            let object = try old.object(number)
            guard object.kind == .array || object.kind == .dictionary else {
                copies.append(Copy(header: Array(old.bytes[object.position..<object.content.upperBound])))
                return
            }
            var copy = Copy(header: Array(old.bytes[object.position..<object.content.lowerBound]))
            for index in 0..<(object.kind == .array ? object.count : 2 * object.count) {
                copy.members.append(self.number(of: .stored(try old.member(index, of: object))))
            }
            copies.append(copy)
        case nil: throw .damaged
        }
    }

    /// The number of an object in the new file; an object that has none yet gets the next free number.
    private mutating func number(of origin: Origin) -> Int {
        if case .stored(let old) = origin {
            if let number = numbers[old] { return number }
            numbers[old] = origins.count
        }
        origins.append(origin)
        return origins.count - 1
    }

    /// The first bytes of a container, before the references to its members: the marker and the count.
    private static func header(_ marker: UInt8, count: Int) -> [UInt8] {
        if count < 15 { return [marker | UInt8(count)] }
        let size = byteCount(of: count)
        return [marker | 0x0F, 0x10 | UInt8(size.trailingZeroBitCount)] + bigEndian(count, size: size)
    }

    /// The bytes of the new file, in the same version of the format as the old one.
    private var file: [UInt8] {
        var file = Array(old.bytes[..<BinaryPlistObjects.headerCount])
        var offsets: [Int] = []
        let referenceSize = Self.byteCount(of: copies.count)
        for copy in copies {
            offsets.append(file.count)
            file += copy.header
            for member in copy.members { file += Self.bigEndian(member, size: referenceSize) }
        }
        let table = file.count
        let offsetSize = Self.byteCount(of: table)
        for offset in offsets { file += Self.bigEndian(offset, size: offsetSize) }
        let trailer = old.bytes.suffix(BinaryPlistObjects.trailerCount)
        file += trailer.prefix(6) + [UInt8(offsetSize), UInt8(referenceSize)]
        for number in [copies.count, 0, table] { file += Self.bigEndian(number, size: 8) }
        return file
    }

    /// The number of bytes in which CoreFoundation stores a number: 1, 2, 4 or 8.
    private static func byteCount(of number: Int) -> Int {
        switch number {
        case ..<0x100: 1
        case ..<0x1_0000: 2
        case ..<0x1_0000_0000: 4
        default: 8
        }
    }

    private static func bigEndian(_ number: Int, size: Int) -> [UInt8] {
        stride(from: 8 * (size - 1), through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
