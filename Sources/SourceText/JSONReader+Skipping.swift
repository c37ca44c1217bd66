// SPDX-License-Identifier: MIT

extension JSONReader {
    /// Passes over the value at the reader's position.
    ///
    /// A loop with one bit a level instead of recursion: it is the hot part of reading profiles of which a template
    /// wants little.
    mutating func skip() throws(JSONError) {
        let outerDepth = depth
        var kinds = ContainerKinds()
        value: while true {
            switch skipWhitespace() {
            case UInt8(ascii: "\""):
                _ = try scanString()
            case UInt8(ascii: "{"):
                try open()
                kinds.push(isObject: true)
            case UInt8(ascii: "["):
                try open()
                kinds.push(isObject: false)
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                try scanNumber()
            case UInt8(ascii: "t"):
                try scanWord("true")
            case UInt8(ascii: "f"):
                try scanWord("false")
            case UInt8(ascii: "n"):
                try scanWord("null")
            default:
                throw error(.expectedValue)
            }
            while depth > outerDepth {
                if kinds.isObject {
                    if try nextKey() != nil { continue value }
                } else if try nextElement() {
                    continue value
                }
                kinds.pop()
            }
            return
        }
    }
}

/// Which of the open containers are objects, as a stack of bits that needs no memory for the innermost 64.
private struct ContainerKinds {
    private var bits: UInt64 = 0
    private var count = 0
    private var outer: [UInt64] = []

    var isObject: Bool { bits & 1 == 1 }

    mutating func push(isObject: Bool) {
        if count == 64 {
            outer.append(bits)
            count = 0
        }
        bits = bits << 1 | (isObject ? 1 : 0)
        count += 1
    }

    mutating func pop() {
        bits >>= 1
        count -= 1
        if count == 0, let saved = outer.popLast() {
            bits = saved
            count = 64
        }
    }
}
