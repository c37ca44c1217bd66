// SPDX-License-Identifier: MIT

extension JSONReader {
    /// Skips the value at the reader's position, and checks it as strictly as reading it would.
    ///
    /// A plain string, a count and a word need no loop over the levels of nesting.
    @inline(__always)
    mutating func skip() throws(JSONError) {
        let bytes = bytes
        guard position < bytes.count else { return try skipAny() }
        switch bytes[position] {
        case UInt8(ascii: "\""):
            let end = marks.endOfPlainASCII(from: position &+ 1)
            if bytes.hold("\"", at: end) { return position = end &+ 1 }
        case UInt8(ascii: "1")...UInt8(ascii: "9"):
            if let end = Self.endOfCount(bytes, from: position) { return position = end }
        case UInt8(ascii: "n") where bytes.hold("null", at: position),
            UInt8(ascii: "t") where bytes.hold("true", at: position):
            return position &+= 4
        case UInt8(ascii: "f") where bytes.hold("alse", at: position &+ 1):
            return position &+= 5
        default: break
        }
        try skipAny()
    }

    /// The offset after a number of digits alone whose first digit, not 0, is at an offset; nil for one with a fraction
    /// or an exponent.
    ///
    /// Nearly all numbers of profiles are counts: after the first digit, only their end has to be found.
    @inline(__always)
    private static func endOfCount(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        var end = start &+ 1
        while end < bytes.count {
            let byte = bytes[end]
            guard byte &- UInt8(ascii: "0") < 10 else {
                return byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") ? nil : end
            }
            end &+= 1
        }
        return end
    }

    /// Skips any value.
    ///
    /// A template that reads few fields of a profile spends most of its time here. So this is one loop that uses one
    /// bit for each level of nesting instead of recursion, and keeps the position in a local variable. Only a value
    /// that would need a 65th bit is skipped by another call.
    @inline(never)
    private mutating func skipAny() throws(JSONError) {
        let bytes = bytes
        var position = position
        // Whether each open container is an object, the innermost in the lowest bit.
        var kinds: UInt64 = 0
        var openCount = 0
        value: while true {
            var byte = Self.skipWhitespace(bytes, &position)
            switch byte {
            case UInt8(ascii: "\""):
                var end = marks.endOfPlainASCII(from: position &+ 1)
                // Most values of profiles are plain strings, with another member after them.
                while kinds & 1 == 1, bytes.hold("\",\"", at: end) {
                    let keyEnd = marks.endOfPlainASCII(from: end &+ 3)
                    if bytes.hold("\":\"", at: keyEnd) {
                        position = keyEnd &+ 2
                        end = marks.endOfPlainASCII(from: position &+ 1)
                    } else if bytes.hold("\":", at: keyEnd) {
                        position = keyEnd &+ 2
                        continue value
                    } else {
                        break
                    }
                }
                _ = try scanString(from: position &+ 1, plainEnd: end, &position, in: bytes)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                if openCount == UInt64.bitWidth {
                    self.position = position
                    try skip(inside: openCount)
                    position = self.position
                    break
                }
                if depth &+ openCount >= depthLimit { throw error(.tooDeep(limit: depthLimit), at: position) }
                openCount &+= 1
                position &+= 1
                let isObject = byte == UInt8(ascii: "{")
                kinds = kinds &<< 1 | (isObject ? 1 : 0)
                byte = Self.skipWhitespace(bytes, &position)
                if byte != (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    if isObject { try skipKey(&position, bytes) }
                    continue value
                }
                position &+= 1
                openCount &-= 1
                kinds &>>= 1
            case UInt8(ascii: "1")...UInt8(ascii: "9"):
                if let end = Self.endOfCount(bytes, from: position) {
                    position = end
                    break
                }
                fallthrough
            default:
                self.position = position
                try skipScalar(byte)
                position = self.position
            }
            while true {
                if openCount == 0 {
                    self.position = position
                    return
                }
                let isObject = kinds & 1 == 1
                if isObject, bytes.hold(",\"", at: position) {
                    position &+= 1
                    try skipKey(&position, bytes)
                    continue value
                }
                // Nearly all arrays of profiles are of objects: the next one is at the same level.
                if isObject, openCount > 1, kinds & 2 == 0, bytes.hold("},{\"", at: position) {
                    position &+= 3
                    try skipKey(&position, bytes)
                    continue value
                }
                byte = Self.skipWhitespace(bytes, &position)
                if byte == UInt8(ascii: ",") {
                    position &+= 1
                    let next = Self.skipWhitespace(bytes, &position)
                    if next == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                        throw error(.trailingComma, at: position)
                    }
                    if isObject { try skipKey(&position, bytes) }
                    continue value
                }
                guard byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                    throw error(isObject ? .expectedCommaOrBrace : .expectedCommaOrBracket, at: position)
                }
                position &+= 1
                openCount &-= 1
                kinds &>>= 1
            }
        }
    }

    /// Skips the value at the reader's position, which is inside `openCount` containers that ``depth`` does not count
    /// yet.
    @inline(never)
    private mutating func skip(inside openCount: Int) throws(JSONError) {
        depth += openCount
        try skipAny()
        depth -= openCount
    }

    /// Skips a number, `true`, `false` or `null`.
    @inline(__always)
    private mutating func skipScalar(_ first: UInt8) throws(JSONError) {
        switch first {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try scanNumber()
        case UInt8(ascii: "t"): try scanWord("true")
        case UInt8(ascii: "f"): try scanWord("alse", after: 1)
        case UInt8(ascii: "n"): try scanWord("null")
        default: throw error(.expectedValue)
        }
    }

    @inline(__always)
    private mutating func skipKey(_ position: inout Int, _ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
            throw error(.expectedKey, at: position)
        }
        _ = try scanKeyAndColon(&position, in: bytes)
    }
}
