// SPDX-License-Identifier: MIT

extension JSONReader {
    /// Skips the value at the reader's position, and checks it as strictly as reading would.
    ///
    /// Plain strings, short numbers and words are skipped here, without the loop that handles nested containers.
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

    /// The offset after a number of one to seven digits that starts with `1` to `9`; nil for any other number, and
    /// where fewer than eight bytes are left.
    ///
    /// Nearly all numbers in profiles are such counts: after the first digit, only their end has to be found. Each step
    /// of a loop over the digits would be a branch that the processor cannot predict.
    @inline(__always)
    private static func endOfCount(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard start &+ 8 <= bytes.count else { return nil }
        let raw = UnsafeRawBufferPointer(bytes)
        let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        let digits = word ^ 0x3030_3030_3030_3030
        // Sets the top bit of each byte that is not a digit. A carry changes only later bytes, so the first such byte
        // is always found correctly.
        let others = (digits &+ 0x7676_7676_7676_7676 | digits) & 0x8080_8080_8080_8080
        guard others != 0 else { return nil }
        let end = start &+ others.trailingZeroBitCount &>> 3
        let byte = bytes[end]
        return byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") ? nil : end
    }

    /// Skips any value.
    ///
    /// A template that reads few fields of a profile spends most of its time here. So this is one loop that uses one
    /// bit for each level of nesting instead of recursion, and keeps the position in a local variable. Only a container
    /// that would need a 65th bit is skipped by a nested call.
    @inline(never)
    private mutating func skipAny() throws(JSONError) {
        let bytes = bytes
        var position = position
        // One bit for each open container: 1 for an object, 0 for an array. The innermost container has the lowest bit.
        var kinds: UInt64 = 0
        var openCount = 0
        var isAtKey = false
        next: while true {
            var isAfterValue = false
            if isAtKey {
                isAtKey = false
                guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
                    throw error(.expectedKey, at: position)
                }
                // Most members are plain strings followed by another member, which this loop skips.
                while true {
                    let ends = marks.endsOfPlainMember(from: position &+ 1)
                    guard bytes.hold("\":\"", at: ends.key) else {
                        _ = try scanKeyAndColon(&position, in: bytes)
                        break
                    }
                    let start = ends.key &+ 3
                    let end = ends.value != 0 ? ends.value : marks.endOfPlainASCII(from: start)
                    guard bytes.hold("\",\"", at: end) else {
                        _ = try scanString(from: start, plainEnd: end, &position, in: bytes)
                        isAfterValue = true
                        break
                    }
                    position = end &+ 2
                }
            }
            if !isAfterValue {
                let byte = Self.skipWhitespace(bytes, &position)
                switch byte {
                case UInt8(ascii: "\""): _ = try scanString(&position, in: bytes)
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    if openCount == UInt64.bitWidth {
                        self.position = position
                        try skip(inside: openCount)
                        position = self.position
                        break
                    }
                    if depth &+ openCount >= depthLimit { throw error(.tooDeep(limit: depthLimit), at: position) }
                    position &+= 1
                    let isObject = byte == UInt8(ascii: "{")
                    if Self.skipWhitespace(bytes, &position) == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                        position &+= 1
                        break
                    }
                    openCount &+= 1
                    kinds = kinds &<< 1 | (isObject ? 1 : 0)
                    isAtKey = isObject
                    continue next
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
            }
            while openCount > 0 {
                let isObject = kinds & 1 == 1
                if isObject, bytes.hold(",\"", at: position) {
                    position &+= 1
                    isAtKey = true
                    continue next
                }
                // Nearly all arrays in profiles hold objects: where one object ends and the next one begins, the
                // nesting stays the same.
                if isObject, openCount > 1, kinds & 2 == 0, bytes.hold("},{\"", at: position) {
                    position &+= 3
                    isAtKey = true
                    continue next
                }
                let byte = Self.skipWhitespace(bytes, &position)
                let bracket = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
                if byte == UInt8(ascii: ",") {
                    position &+= 1
                    if Self.skipWhitespace(bytes, &position) == bracket { throw error(.trailingComma, at: position) }
                    isAtKey = isObject
                    continue next
                }
                guard byte == bracket else {
                    throw error(isObject ? .expectedCommaOrBrace : .expectedCommaOrBracket, at: position)
                }
                position &+= 1
                openCount &-= 1
                kinds &>>= 1
            }
            self.position = position
            return
        }
    }

    /// Skips the value at the reader's position, inside `openCount` containers that are not included in ``depth`` yet.
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
}
