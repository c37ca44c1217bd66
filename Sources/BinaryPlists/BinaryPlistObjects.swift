// SPDX-License-Identifier: MIT

/// Why a binary property list cannot be read.
package enum BinaryPlistError: Error, Sendable, Hashable, CustomStringConvertible {
    case damaged
    case tooDeep(limit: Int)
    case tooManyObjects(limit: Int)

    /// The message for users, such as "the binary property list is damaged or cut off": lower case, no full stop.
    package var description: String {
        switch self {
        case .damaged: "the binary property list is damaged or cut off"
        case .tooDeep(let limit): "dictionaries and arrays are nested deeper than \(limit) levels, or in a circle"
        case .tooManyObjects(let limit): "the property list has more than \(limit) objects"
        }
    }
}

/// The objects in the bytes of a binary property list, found by number and decoded one at a time.
///
/// The format is defined by CoreFoundation's `CFBinaryPList.c`: a magic number, the objects, a table of their offsets,
/// and a trailer with the sizes of numbers. Each part is read only within its own bounds.
struct BinaryPlistObjects {
    /// One stored object: its kind, the offset of its first byte, and where its content is.
    struct Object {
        enum Kind {
            case null, boolean, integer, real, date, data, ascii, utf16, utf8, reference, array, dictionary
        }

        let kind: Kind
        let position: Int
        /// The range of the bytes of the value, or of the references to the members.
        let content: Range<Int>
        /// The number of elements of an array or of keys of a dictionary; 0 for an object of another kind.
        var count = 0
    }

    static let magic = "bplist0"
    static let headerCount = 8
    static let trailerCount = 32

    let bytes: [UInt8]
    /// The number of the outermost object.
    let top: Int
    let count: Int

    private let offsetSize: Int
    private let referenceSize: Int
    private let offsetTable: Int

    /// Reads the trailer, which says where the table of offsets is and how wide its numbers are.
    ///
    /// As in CoreFoundation, the second digit of the version may be any byte.
    init(_ bytes: [UInt8]) throws(BinaryPlistError) {
        let trailer = bytes.count - Self.trailerCount
        guard trailer > Self.headerCount, bytes.starts(with: Self.magic.utf8) else {
            throw .damaged
        }
        self.bytes = bytes
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard 1...8 ~= offsetSize, 1...8 ~= referenceSize,
            let count = Self.integer(in: bytes, at: trailer + 8, size: 8),
            let top = Self.integer(in: bytes, at: trailer + 16, size: 8),
            let table = Self.integer(in: bytes, at: trailer + 24, size: 8), top < count, table <= trailer,
            count <= (trailer - table) / offsetSize
        else { throw .damaged }
        (self.count, offsetTable, self.top) = (count, table, top)
    }

    func object(_ number: Int) throws(BinaryPlistError) -> Object {
        guard number < count,
            let position = Self.integer(in: bytes, at: offsetTable + number * offsetSize, size: offsetSize),
            position >= Self.headerCount, position < offsetTable
        else { throw .damaged }
        let object = try object(at: position)
        guard object.content.upperBound <= offsetTable else { throw .damaged }
        return object
    }

    private func object(at position: Int) throws(BinaryPlistError) -> Object {
        let marker = bytes[position]
        let low = Int(marker & 0x0F)
        func fixed(_ kind: Object.Kind, _ size: Int) -> Object {
            Object(kind: kind, position: position, content: position + 1..<position + 1 + size)
        }
        func counted(
            _ kind: Object.Kind,
            width: Int,
            hasMembers: Bool = false
        ) throws(BinaryPlistError) -> Object {
            let (count, start) = try count(at: position)
            guard count <= (bytes.count - start) / width else { throw .damaged }
            let content = start..<start + count * width
            return Object(kind: kind, position: position, content: content, count: hasMembers ? count : 0)
        }
        switch marker {
        // 0x0F is a fill byte, which CoreFoundation reads as null too.
        case 0x00, 0x0F: return fixed(.null, 0)
        case 0x08, 0x09: return fixed(.boolean, 0)
        case 0x10...0x14: return fixed(.integer, 1 << low)
        case 0x22, 0x23: return fixed(.real, 1 << low)
        case 0x33: return fixed(.date, 8)
        case 0x40...0x4F: return try counted(.data, width: 1)
        case 0x50...0x5F: return try counted(.ascii, width: 1)
        case 0x60...0x6F: return try counted(.utf16, width: 2)
        case 0x70...0x7F: return try counted(.utf8, width: 1)
        case 0x80...0x8F: return fixed(.reference, low + 1)
        // The markers are for arrays, ordered sets and sets.
        case 0xA0...0xCF: return try counted(.array, width: referenceSize, hasMembers: true)
        case 0xD0...0xDF: return try counted(.dictionary, width: 2 * referenceSize, hasMembers: true)
        default: throw .damaged
        }
    }

    /// The number of bytes, characters or members that an object has, and the offset of the first one.
    private func count(at position: Int) throws(BinaryPlistError) -> (count: Int, start: Int) {
        let short = Int(bytes[position] & 0x0F)
        guard short == 0x0F else { return (short, position + 1) }
        let marker = position + 1
        guard marker < bytes.count, 0x10...0x13 ~= bytes[marker] else { throw .damaged }
        let size = 1 << Int(bytes[marker] & 0x0F)
        guard let count = Self.integer(in: bytes, at: marker + 1, size: size), marker + 1 + size <= bytes.count else {
            throw .damaged
        }
        return (count, marker + 1 + size)
    }

    /// The object number of one member of a container; the members of a dictionary are all its keys, then all its
    /// values.
    func member(_ index: Int, of object: Object) throws(BinaryPlistError) -> Int {
        let position = object.content.lowerBound + index * referenceSize
        guard let number = Self.integer(in: bytes, at: position, size: referenceSize) else { throw .damaged }
        return number
    }

    /// The text of a string object; nil for an object of another kind.
    func string(_ object: Object) -> String? {
        let stored = bytes[object.content]
        switch object.kind {
        case .ascii, .utf8: return String(decoding: stored, as: UTF8.self)
        case .utf16:
            let units = stride(from: stored.startIndex, to: stored.endIndex, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
            return String(decoding: units, as: UTF16.self)
        default: return nil
        }
    }

    /// The bits of a number; if it is longer than 64 bits, only the lowest 64.
    func bits(_ object: Object) -> UInt64 {
        bytes[object.content].suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func integer(in bytes: [UInt8], at position: Int, size: Int) -> Int? {
        guard position >= 0, position <= bytes.count - size else { return nil }
        return Int(exactly: bytes[position..<(position + size)].reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
    }
}
