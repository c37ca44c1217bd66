// SPDX-License-Identifier: MIT

/// How deep the brackets of Swift code are nested, found without a parser.
///
/// The parser looks ahead by recursion without a limit, and some of it takes time that grows with the power of the depth.
/// What is nested deeper than anybody writes is therefore not given to it.
struct SwiftNesting {
    /// What the scanner is in the middle of.
    private enum Mode {
        case bracket
        /// A string literal with its number of `#` and of quotes.
        case string(hashes: Int, quotes: Int)
    }

    private let text: [UInt8]
    private var position = 0
    private var modes: [Mode] = []
    private var angles = 0

    private init(_ text: [UInt8]) { self.text = text }

    /// The offset of the first bracket that is nested deeper than a limit; nil where there is none.
    static func firstOffset(in text: [UInt8], deeperThan limit: Int) -> Int? {
        var scanner = SwiftNesting(text)
        return scanner.scan(limit)
    }

    private func byte(_ ahead: Int = 0) -> UInt8 {
        position + ahead < text.count ? text[position + ahead] : 0
    }

    private func count(of wanted: UInt8, from start: Int, upTo limit: Int = .max) -> Int {
        var count = 0
        while count < limit, start + count < text.count, text[start + count] == wanted { count += 1 }
        return count
    }

    private mutating func scan(_ limit: Int) -> Int? {
        while position < text.count {
            if modes.count + angles > limit { return position }
            if case .string(let hashes, let quotes)? = modes.last {
                scanString(hashes, quotes)
            } else {
                scanCode()
            }
        }
        return nil
    }

    private mutating func scanString(_ hashes: Int, _ quotes: Int) {
        switch byte() {
        case UInt8(ascii: "\\") where count(of: UInt8(ascii: "#"), from: position + 1) >= hashes:
            position += 1 + hashes
            if byte() == UInt8(ascii: "(") { modes.append(.bracket) }
            position += 1
        case UInt8(ascii: "\""):
            if count(of: UInt8(ascii: "\""), from: position, upTo: quotes) == quotes,
                count(of: UInt8(ascii: "#"), from: position + quotes, upTo: hashes) == hashes
            {
                modes.removeLast()
                position += quotes + hashes
            } else {
                position += 1
            }
        case UInt8(ascii: "\n") where quotes == 1:
            modes.removeLast()
            position += 1
        default: position += 1
        }
    }

    private mutating func scanCode() {
        let current = byte()
        switch current {
        case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "/"):
            while position < text.count, byte() != UInt8(ascii: "\n") { position += 1 }
            return
        case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"):
            skipComment()
            return
        case UInt8(ascii: "#"), UInt8(ascii: "\""):
            let hashes = count(of: UInt8(ascii: "#"), from: position)
            let start = position + hashes
            guard start < text.count, text[start] == UInt8(ascii: "\"") else {
                position += Swift.max(hashes, 1)
                return
            }
            let quotes = count(of: UInt8(ascii: "\""), from: start, upTo: 3) == 3 ? 3 : 1
            modes.append(.string(hashes: hashes, quotes: quotes))
            position = start + quotes
            return
        case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
            modes.append(.bracket)
            if current == UInt8(ascii: "{") { angles = 0 }
        case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
            if case .bracket? = modes.last { modes.removeLast() }
        case UInt8(ascii: "<"): angles += 1
        case UInt8(ascii: ">"): angles = Swift.max(0, angles - 1)
        case UInt8(ascii: ";"): angles = 0
        case UInt8(ascii: "\n"):
            // A comparison is no bracket: what opens in a line and is not closed there is one only in a long list.
            if angles < 8 { angles = 0 }
        default: break
        }
        position += 1
    }

    private mutating func skipComment() {
        var level = 0
        while position < text.count {
            if byte() == UInt8(ascii: "/"), byte(1) == UInt8(ascii: "*") {
                level += 1
                position += 2
            } else if byte() == UInt8(ascii: "*"), byte(1) == UInt8(ascii: "/") {
                level -= 1
                position += 2
                if level == 0 { return }
            } else {
                position += 1
            }
        }
    }
}
