// SPDX-License-Identifier: MIT

extension PlistValue {
    /// The limits for reading a binary property list.
    package struct BinaryLimits: Sendable {
        /// The maximum number of containers that may be nested inside each other.
        package var depth: Int

        /// The maximum number of objects that are read; an object counts once for each reference to it, and long data
        /// and strings count more.
        package var objects: Int

        package init(depth: Int = 512, objects: Int = 1_000_000) {
            self.depth = depth
            self.objects = objects
        }
    }

    /// Reads a binary property list.
    ///
    /// An object may be referred to more than once and may even contain itself, so a few hundred bytes can expand to
    /// more objects than fit into memory. Foundation expands all of them; here, every reference counts towards a limit.
    ///
    /// - Parameters:
    ///   - bytes: the contents of the file.
    ///   - limits: the limits for depth and objects.
    /// - Throws: why the property list cannot be read.
    package init(binary bytes: [UInt8], limits: BinaryLimits = BinaryLimits()) throws(BinaryPlistError) {
        var reader = PlistValueReader(objects: try BinaryPlistObjects(bytes), limits: limits)
        self = try reader.read(reader.objects.top, depth: 0)
    }
}

private struct PlistValueReader {
    let objects: BinaryPlistObjects

    private let limits: PlistValue.BinaryLimits
    private var objectsLeft: Int

    init(objects: BinaryPlistObjects, limits: PlistValue.BinaryLimits) {
        self.objects = objects
        self.limits = limits
        objectsLeft = limits.objects
    }

    mutating func read(_ number: Int, depth: Int) throws(BinaryPlistError) -> PlistValue {
        guard depth <= limits.depth else { throw .tooDeep(limit: limits.depth) }
        let object = try object(number)
        switch object.kind {
        case .null: return .null
        case .boolean: return .boolean(objects.bytes[object.position] == 0x09)
        case .integer: return try integer(object)
        case .real where object.content.count == 4:
            return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: objects.bits(object)))))
        case .real: return .real(Double(bitPattern: objects.bits(object)))
        case .date: return .date(Double(bitPattern: objects.bits(object)))
        case .data: return .data(objects.bytes[object.content])
        case .ascii, .utf16, .utf8: return .string(objects.string(object) ?? "")
        case .reference:
            guard let number = Int(exactly: objects.bits(object)) else { throw .damaged }
            return .reference(number)
        case .array:
            var elements: [PlistValue] = []
            for index in 0..<object.count {
                elements.append(try read(try objects.member(index, of: object), depth: depth + 1))
            }
            return .array(elements)
        case .dictionary:
            var members: [(key: String, value: PlistValue)] = []
            for index in 0..<object.count {
                let key = try self.object(try objects.member(index, of: object))
                guard let text = objects.string(key) else { throw .damaged }
                let value = try objects.member(object.count + index, of: object)
                members.append((text, try read(value, depth: depth + 1)))
            }
            return .dictionary(members)
        }
    }

    /// Reads an integer.
    ///
    /// Integers of eight bytes are signed; shorter ones are not. Sixteen bytes may hold an integer that does not fit
    /// into eight.
    private func integer(_ object: BinaryPlistObjects.Object) throws(BinaryPlistError) -> PlistValue {
        let bits = objects.bits(object)
        let high = objects.bytes[object.content].dropLast(8)
        if high.isEmpty { return .integer(Int(truncatingIfNeeded: bits)) }
        let isNegative = bits > Int.max && high.allSatisfy { $0 == 0xFF }
        guard isNegative || high.allSatisfy({ $0 == 0 }) else { throw .damaged }
        return !isNegative && bits > Int.max ? .largeInteger(bits) : .integer(Int(truncatingIfNeeded: bits))
    }

    /// Reads an object and charges for it: one for each object, and more for long data and strings.
    private mutating func object(_ number: Int) throws(BinaryPlistError) -> BinaryPlistObjects.Object {
        let object = try objects.object(number)
        objectsLeft -= 1
        switch object.kind {
        case .data, .ascii, .utf16, .utf8: objectsLeft -= object.content.count / 64
        default: break
        }
        guard objectsLeft >= 0 else { throw .tooManyObjects(limit: limits.objects) }
        return object
    }
}
