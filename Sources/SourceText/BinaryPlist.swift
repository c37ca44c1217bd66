// SPDX-License-Identifier: MIT

/// A value of a binary property list, `bplist00`.
///
/// Objects may be referred to more than once, so that a few hundred bytes can stand for more objects than any memory
/// holds; Foundation unfolds them all before it answers. Here every object that is met counts towards a limit. Unlike
/// Foundation's, the values keep the file's types: a boolean is no number, and a reference inside a keyed archive is
/// shown.
package enum BinaryPlist: Sendable {
    case null
    case boolean(Bool)
    case integer(Int)
    case real(Double)
    /// Seconds since 2001-01-01T00:00:00Z.
    case date(Double)
    case data(ArraySlice<UInt8>)
    case string(String)
    /// A reference to an object of a keyed archive.
    case reference(Int)
    case array([BinaryPlist])
    /// The members in the order of the file, with keys that stand twice.
    case dictionary([(key: String, value: BinaryPlist)])

    /// The first bytes of every binary property list.
    package static let magic: StaticString = "bplist00"

    /// Reads a file; nil when it is damaged, too deep or too large.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - depthLimit: how deep containers may be nested.
    ///   - objectLimit: how many objects there may be, each counted as often as it is met.
    package init?(_ bytes: [UInt8], depthLimit: Int = 512, objectLimit: Int = 1_000_000) {
        guard var reader = BinaryPlistReader(bytes, depthLimit: depthLimit, objectLimit: objectLimit) else {
            return nil
        }
        do throws(BinaryPlistReader.Fault) {
            self = try reader.read(reader.top, depth: 0)
        } catch {
            return nil
        }
    }

    /// The value of a key of a dictionary, the last of several; nil for others.
    package subscript(_ key: String) -> BinaryPlist? {
        guard case .dictionary(let members) = self else { return nil }
        return members.last { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }
}

private struct BinaryPlistReader {
    enum Fault: Error {
        case damaged
    }

    let top: Int

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let offsetTable: Int
    private let depthLimit: Int
    private var objectsLeft: Int

    init?(_ bytes: [UInt8], depthLimit: Int, objectLimit: Int) {
        let trailerCount = 32
        guard bytes.count >= BinaryPlist.magic.utf8CodeUnitCount + trailerCount else { return nil }
        let trailer = bytes.count - trailerCount
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        self.bytes = bytes
        self.depthLimit = depthLimit
        objectsLeft = objectLimit
        guard 1...8 ~= offsetSize, 1...8 ~= referenceSize,
            let count = Self.integer(in: bytes, at: trailer + 8, size: 8),
            let top = Self.integer(in: bytes, at: trailer + 16, size: 8),
            let table = Self.integer(in: bytes, at: trailer + 24, size: 8), top < count, table <= trailer,
            count <= (trailer - table) / offsetSize
        else { return nil }
        (objectCount, offsetTable, self.top) = (count, table, top)
    }

    mutating func read(_ reference: Int, depth: Int) throws(Fault) -> BinaryPlist {
        guard depth <= depthLimit, objectsLeft > 0 else { throw .damaged }
        objectsLeft -= 1
        let position = try offset(of: reference)
        let marker = bytes[position]
        let size = 1 << Int(marker & 0x0F)
        switch marker {
        case 0x08: return .boolean(false)
        case 0x09: return .boolean(true)
        case 0x10...0x14:
            // Eight bytes are signed, shorter ones are not. Sixteen hold what is too large for eight signed ones.
            guard let bits = pattern(at: position + 1 + Swift.max(0, size - 8), size: Swift.min(size, 8)) else {
                throw .damaged
            }
            return size > 8 && bits > Int.max ? .real(Double(bits)) : .integer(Int(truncatingIfNeeded: bits))
        case 0x22:
            guard let bits = pattern(at: position + 1, size: 4) else { throw .damaged }
            return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
        case 0x23, 0x33:
            guard let bits = pattern(at: position + 1, size: 8) else { throw .damaged }
            let number = Double(bitPattern: bits)
            return marker == 0x33 ? .date(number) : .real(number)
        case 0x40...0x4F: return .data(try content(at: position, width: 1))
        case 0x50...0x7F: return .string(try string(at: position))
        case 0x80...0x8F:
            guard let number = Self.integer(in: bytes, at: position + 1, size: Int(marker & 0x0F) + 1) else {
                throw .damaged
            }
            return .reference(number)
        case 0xA0...0xAF, 0xC0...0xCF:
            let (count, start) = try count(at: position)
            var elements: [BinaryPlist] = []
            for member in 0..<count { elements.append(try read(try self.reference(start, member), depth: depth + 1)) }
            return .array(elements)
        case 0xD0...0xDF:
            let (count, start) = try count(at: position)
            var members: [(key: String, value: BinaryPlist)] = []
            for member in 0..<count {
                let key = try string(at: try offset(of: try self.reference(start, member)))
                members.append((key, try read(try self.reference(start, count + member), depth: depth + 1)))
            }
            return .dictionary(members)
        default: return .null
        }
    }

    private mutating func string(at position: Int) throws(Fault) -> String {
        let kind = bytes[position] >> 4
        guard 5...7 ~= kind else { throw .damaged }
        let stored = try content(at: position, width: kind == 6 ? 2 : 1)
        guard kind == 6 else { return String(decoding: stored, as: UTF8.self) }
        let units = stride(from: stored.startIndex, to: stored.endIndex, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        return String(decoding: units, as: UTF16.self)
    }

    /// The bytes of data or a string; long ones count as several objects, as they too may be met many times.
    private mutating func content(at position: Int, width: Int) throws(Fault) -> ArraySlice<UInt8> {
        let (count, start) = try count(at: position)
        guard start <= bytes.count, count <= (bytes.count - start) / width else { throw .damaged }
        objectsLeft -= count / 64
        return bytes[start..<(start + count * width)]
    }

    /// The number of members of an object, and where they begin.
    private func count(at position: Int) throws(Fault) -> (count: Int, start: Int) {
        let short = Int(bytes[position] & 0x0F)
        guard short == 0x0F else { return (short, position + 1) }
        guard position + 1 < bytes.count, bytes[position + 1] >> 4 == 1, bytes[position + 1] & 0x0F <= 3 else {
            throw .damaged
        }
        let size = 1 << Int(bytes[position + 1] & 0x0F)
        guard let count = Self.integer(in: bytes, at: position + 2, size: size), count <= bytes.count else {
            throw .damaged
        }
        return (count, position + 2 + size)
    }

    private func reference(_ start: Int, _ member: Int) throws(Fault) -> Int {
        let position = start + member * referenceSize
        guard let reference = Self.integer(in: bytes, at: position, size: referenceSize) else { throw .damaged }
        return reference
    }

    private func offset(of reference: Int) throws(Fault) -> Int {
        guard reference < objectCount,
            let offset = Self.integer(in: bytes, at: offsetTable + reference * offsetSize, size: offsetSize),
            offset < offsetTable
        else { throw .damaged }
        return offset
    }

    private func pattern(at position: Int, size: Int) -> UInt64? {
        Self.pattern(in: bytes, at: position, size: size)
    }

    private static func integer(in bytes: [UInt8], at position: Int, size: Int) -> Int? {
        pattern(in: bytes, at: position, size: Swift.min(size, 8)).flatMap { Int(exactly: $0) }
    }

    private static func pattern(in bytes: [UInt8], at position: Int, size: Int) -> UInt64? {
        guard position >= 0, position <= bytes.count - size else { return nil }
        return bytes[position..<(position + size)].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
