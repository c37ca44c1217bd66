// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// A strict reader of JSON (RFC 8259) that reads one token at a time, with its place and without copying.
///
/// The caller drives the reader. ``readValue()`` reads a scalar or the opening bracket of a container. Inside a
/// container, ``nextKey()`` or ``nextElement()`` is called until it reports the end; after each other call, a value is
/// read or skipped. This function builds a value from any JSON:
///
/// ```swift
/// func build(_ json: inout JSONReader) throws(JSONError) -> Value {
///     switch try json.readValue() {
///     case .null: return .null
///     case .bool(let bool): return .bool(bool)
///     case .integer(let integer): return .integer(integer)
///     case .bigInteger: return .bigInteger(digits: json.string(in: json.tokenRange))
///     case .double(let double): return .float(double)
///     case .string(let text): return .string(json.string(text))
///     case .array:
///         var elements: [Value] = []
///         while try json.nextElement() { elements.append(try build(&json)) }
///         return .array(elements)
///     case .object:
///         var members: [(String, Value)] = []
///         while let key = try json.nextKey() { members.append((json.string(key), try build(&json))) }
///         return .object(members)
///     }
/// }
///
/// let value = try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
///     var json = JSONReader(bytes)
///     let value = try build(&json)
///     try json.finish()
///     return value
/// }
/// ```
///
/// The depth limit bounds nesting, so recursion like this is safe. ``skipValue()`` skips a value and checks it as
/// strictly as reading would; `matches` compares a key with bytes without decoding the key. The bytes have to
/// be UTF-8 and to outlive the reader; a byte order mark at the start is skipped. After an error, the reader must not
/// be used.
public struct JSONReader: ~Copyable {
    /// The JSON text that is read.
    public let bytes: UnsafeBufferPointer<UInt8>

    /// How deep containers may be nested.
    public let depthLimit: Int

    /// The number of open containers.
    public internal(set) var depth = 0

    /// The offset of the first byte of the last token read.
    public internal(set) var tokenStart = 0

    /// The offset after the last token read.
    public internal(set) var position = 0

    /// The precomputed ends of the strings in ``bytes``.
    private(set) var marks = TextMarks()

    /// Whether numbers that cannot be represented are errors.
    ///
    /// These are numbers with a fraction or an exponent that are too large for a double, which are otherwise read as
    /// infinite, and integers of more than ``integerDigitLimit`` digits.
    package var requiresFiniteNumbers = false

    /// The maximum number of digits of an integer; the time to read more digits would grow with the square of their
    /// number.
    package static let integerDigitLimit = 10_000

    /// Whether the container that was opened last has been opened just now, and nothing in it was read.
    var isAtStart = false

    /// Creates a reader of a text.
    ///
    /// - Parameters:
    ///   - bytes: the text, which has to outlive the reader.
    ///   - depthLimit: how deep containers may be nested.
    public init(_ bytes: UnsafeBufferPointer<UInt8>, depthLimit: Int = 512) {
        var marks = TextMarks()
        self.init(bytes, depthLimit: depthLimit, reusing: &marks)
    }

    /// Creates a reader that reuses memory of an earlier reader.
    ///
    /// - Parameters:
    ///   - bytes: the text, which has to outlive the reader.
    ///   - depthLimit: how deep containers may be nested.
    ///   - marks: the marks of the earlier reader; ``returnMarks(to:)`` gives their memory back.
    package init(_ bytes: UnsafeBufferPointer<UInt8>, depthLimit: Int = 512, reusing marks: inout TextMarks) {
        self.bytes = bytes
        self.depthLimit = depthLimit
        // The marks are moved: a copy would change the reference count of their memory.
        swap(&self.marks, &marks)
        self.marks.mark(bytes)
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { position = 3 }
    }

    /// Gives the memory of the marks back for another reader; this reader must then not be used any more.
    package mutating func returnMarks(to marks: inout TextMarks) { swap(&self.marks, &marks) }

    /// The range of the last token read: a scalar, including the quotes of a string, or an opening bracket.
    public var tokenRange: SourceRange { SourceRange(tokenStart, position) }

    /// Reads the next value: a whole scalar, or the opening bracket of an array or object.
    public mutating func readValue() throws(JSONError) -> JSONToken {
        if bytes.count > Int(UInt32.max) { throw error(.tooLong) }
        let byte = skipWhitespace()
        tokenStart = position
        switch byte {
        case UInt8(ascii: "\""):
            var position = position
            let text = try scanString(&position, in: bytes)
            self.position = position
            return .string(text)
        case UInt8(ascii: "{"):
            try open()
            return .object
        case UInt8(ascii: "["):
            try open()
            return .array
        case UInt8(ascii: "t"):
            try scanWord("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try scanWord("alse", after: 1)
            return .bool(false)
        case UInt8(ascii: "n"):
            try scanWord("null")
            return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return try readNumber()
        default:
            throw error(.expectedValue)
        }
    }

    /// Reads the next key of the open object and the colon after it; nil at the end of the object, which is then read.
    public mutating func nextKey() throws(JSONError) -> JSONText? { try scanKey() }

    @inline(__always)
    mutating func scanKey() throws(JSONError) -> JSONText? {
        // Local variables stay in registers, unlike the reader's properties.
        let bytes = bytes
        var position = position
        if !isAtStart, bytes.hold(",\"", at: position) {
            position &+= 1
        } else {
            var byte = Self.skipWhitespace(bytes, &position)
            if isAtStart {
                isAtStart = false
                if byte == UInt8(ascii: "}") { return close(at: position) }
            } else if byte == UInt8(ascii: ",") {
                position &+= 1
                byte = Self.skipWhitespace(bytes, &position)
                if byte == UInt8(ascii: "}") { throw error(.trailingComma, at: position) }
            } else if byte == UInt8(ascii: "}") {
                return close(at: position)
            } else {
                throw error(.expectedCommaOrBrace, at: position)
            }
            guard byte == UInt8(ascii: "\"") else { throw error(.expectedKey, at: position) }
        }
        tokenStart = position
        let key = try scanKeyAndColon(&position, in: bytes)
        self.position = position
        return key
    }

    /// Moves to the next element of the open array; false at the end of the array, which is then read.
    public mutating func nextElement() throws(JSONError) -> Bool {
        let byte = skipWhitespace()
        if isAtStart {
            isAtStart = false
            guard byte == UInt8(ascii: "]") else { return true }
            position += 1
            depth -= 1
            return false
        }
        if byte == UInt8(ascii: ",") {
            position += 1
            if skipWhitespace() == UInt8(ascii: "]") { throw error(.trailingComma) }
            return true
        }
        guard byte == UInt8(ascii: "]") else { throw error(.expectedCommaOrBracket) }
        position += 1
        depth -= 1
        return false
    }

    /// Skips the next value and returns its range; the value is checked as if it were read.
    @discardableResult
    public mutating func skipValue() throws(JSONError) -> SourceRange {
        if bytes.count > Int(UInt32.max) { throw error(.tooLong) }
        _ = skipWhitespace()
        let start = position
        try skip()
        tokenStart = start
        return SourceRange(start, position)
    }

    /// Moves the reader to a value of the open container, such as one that was read before, given the offset of its
    /// first byte.
    package mutating func move(to offset: Int) {
        position = Swift.max(0, Swift.min(offset, bytes.count))
    }

    /// Checks that only white space follows.
    public mutating func finish() throws(JSONError) {
        if skipWhitespace() != 0 || position < bytes.count { throw error(.textAfterValue) }
    }

    @inline(__always)
    mutating func open() throws(JSONError) {
        if depth >= depthLimit { throw error(.tooDeep(limit: depthLimit)) }
        depth += 1
        position += 1
        isAtStart = true
    }

    @inline(__always)
    private mutating func close(at bracket: Int) -> JSONText? {
        position = bracket + 1
        depth -= 1
        return nil
    }

    /// Moves to the next byte that is not white space and returns it; at the end, returns 0, which begins no value.
    @inline(__always)
    mutating func skipWhitespace() -> UInt8 { Self.skipWhitespace(bytes, &position) }

    /// Moves a position past white space, and returns the byte there; at the end, returns 0.
    @inline(__always)
    static func skipWhitespace(_ bytes: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> UInt8 {
        while position < bytes.count {
            let byte = bytes[position]
            if byte > 0x20 { return byte }
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            position &+= 1
        }
        return 0
    }

    /// Scans `true`, `false` or `null`, given its last four letters and the number of letters before them that were
    /// already checked.
    @inline(__always)
    mutating func scanWord(_ letters: StaticString, after known: Int = 0) throws(JSONError) {
        guard bytes.hold(letters, at: position &+ known) else { throw error(.expectedValue) }
        position &+= known &+ 4
    }

    /// The offset after the last byte that is not white space: there, a missing bracket is reported.
    private var endOfText: Int {
        var end = bytes.count
        while end > 0, bytes[end - 1] <= 0x20 { end -= 1 }
        return end
    }

    /// An error at an offset, or at the reader's position if none is given.
    @inline(never)
    func error(_ fault: JSONError.Fault, at offset: Int? = nil) -> JSONError {
        let offset = offset ?? position
        guard offset < bytes.count else { return JSONError(fault: fault, found: .end, offset: endOfText) }
        var decoder = UTF8()
        var rest = bytes[offset...].prefix(4).makeIterator()
        if case .scalarValue(let scalar) = decoder.decode(&rest), fault != .invalidUTF8 {
            return JSONError(fault: fault, found: .scalar(scalar), offset: offset)
        }
        return JSONError(fault: fault, found: .byte(bytes[offset]), offset: offset)
    }
}
