// SPDX-License-Identifier: MIT

import SourceText

/// Reads binary property lists, `bplist00`.
///
/// Objects may be referred to more than once, so that a few hundred bytes can stand for more objects than any memory
/// holds; Foundation unfolds them all before it answers. Here every object that is added counts towards a limit. The
/// nodes have no places, as nothing in the file can be shown.
struct BinaryPlistReader {
    private(set) var nodes: [PlistNode] = []

    private let bytes: [UInt8]
    private var offsetSize = 0
    private var referenceSize = 0
    private var objectCount = 0
    private var offsetTable = 0

    private enum Fault: Error {
        case damaged
    }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads the list; false when it is damaged, too deep or too large.
    mutating func read() -> Bool {
        let trailerCount = 32
        guard bytes.count >= 8 + trailerCount else { return false }
        let trailer = bytes.count - trailerCount
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = integer(at: trailer + 8, size: 8), let top = integer(at: trailer + 16, size: 8),
            let table = integer(at: trailer + 24, size: 8), top < count, table <= trailer,
            count <= (trailer - table) / offsetSize
        else { return false }
        (objectCount, offsetTable) = (count, table)
        do {
            try add(top, key: nil, parent: nil, depth: 0)
            return true
        } catch {
            nodes = []
            return false
        }
    }

    private mutating func add(_ reference: Int, key: PlistNode.Key?, parent: Int?, depth: Int) throws(Fault) {
        guard depth <= PlistBuilder.Limit.depth, nodes.count < PlistBuilder.Limit.nodes else { throw .damaged }
        let index = nodes.count
        nodes.append(
            PlistNode(
                index: index,
                parent: parent,
                key: key,
                kind: .data,
                range: .nowhere,
                contentRange: .nowhere
            )
        )
        if let parent { nodes[parent].children.append(index) }
        let position = try offset(of: reference)
        let marker = bytes[position]
        let size = 1 << Int(marker & 0x0F)
        switch marker {
        case 0x08, 0x09:
            nodes[index].kind = .boolean
            nodes[index].boolean = marker == 0x09
        case 0x10...0x14:
            nodes[index].kind = .integer
            // Eight bytes are signed, shorter ones are not, and of sixteen the last eight count.
            guard
                let value = integer(
                    at: position + 1 + Swift.max(0, size - 8),
                    size: Swift.min(size, 8),
                    isSigned: size >= 8
                )
            else { throw .damaged }
            nodes[index].number = Double(value)
            nodes[index].text = String(value)
        case 0x22, 0x23:
            nodes[index].kind = .real
            guard let bits = pattern(at: position + 1, size: size) else { throw .damaged }
            let value = size == 4 ? Double(Float(bitPattern: UInt32(bits))) : Double(bitPattern: bits)
            nodes[index].number = value
            nodes[index].text = "\(value)"
        case 0x33:
            nodes[index].kind = .date
        case 0x50...0x7F:
            nodes[index].kind = .string
            nodes[index].text = try string(at: position)
        case 0xA0...0xAF, 0xC0...0xCF:
            nodes[index].kind = .array
            let (count, start) = try count(at: position)
            for member in 0..<count {
                try add(try self.reference(start, member), key: nil, parent: index, depth: depth + 1)
            }
        case 0xD0...0xDF:
            nodes[index].kind = .dictionary
            let (count, start) = try count(at: position)
            for member in 0..<count {
                let key = try string(at: try offset(of: try self.reference(start, member)))
                let place = PlistNode.Key(text: key, range: .nowhere, contentRange: .nowhere)
                try add(try self.reference(start, count + member), key: place, parent: index, depth: depth + 1)
            }
        default:
            break
        }
    }

    private func string(at position: Int) throws(Fault) -> String {
        let kind = bytes[position] >> 4
        guard (5...7).contains(kind) else { throw .damaged }
        let (count, start) = try count(at: position)
        let width = kind == 6 ? 2 : 1
        guard count <= (bytes.count - start) / width else { throw .damaged }
        let stored = bytes[start..<(start + count * width)]
        guard kind == 6 else { return String(decoding: stored, as: UTF8.self) }
        let units = stride(from: start, to: stored.endIndex, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        return String(decoding: units, as: UTF16.self)
    }

    /// The number of members of an object, and where they begin.
    private func count(at position: Int) throws(Fault) -> (count: Int, start: Int) {
        let short = Int(bytes[position] & 0x0F)
        guard short == 0x0F else { return (short, position + 1) }
        guard position + 1 < bytes.count, bytes[position + 1] >> 4 == 1, bytes[position + 1] & 0x0F <= 3 else {
            throw .damaged
        }
        let size = 1 << Int(bytes[position + 1] & 0x0F)
        guard let count = integer(at: position + 2, size: size), count <= bytes.count else { throw .damaged }
        return (count, position + 2 + size)
    }

    private func reference(_ start: Int, _ member: Int) throws(Fault) -> Int {
        guard let reference = integer(at: start + member * referenceSize, size: referenceSize) else { throw .damaged }
        return reference
    }

    private func offset(of reference: Int) throws(Fault) -> Int {
        guard reference < objectCount,
            let offset = integer(at: offsetTable + reference * offsetSize, size: offsetSize), offset < offsetTable
        else { throw .damaged }
        return offset
    }

    private func integer(at position: Int, size: Int, isSigned: Bool = false) -> Int? {
        guard let bits = pattern(at: position, size: size) else { return nil }
        return isSigned ? Int(Int64(bitPattern: bits)) : Int(exactly: bits)
    }

    private func pattern(at position: Int, size: Int) -> UInt64? {
        guard position >= 0, position <= bytes.count - size else { return nil }
        return bytes[position..<(position + size)].reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension SourceRange {
    fileprivate static let nowhere = SourceRange(0, 0)
}
