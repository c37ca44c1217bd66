// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Measures how deeply Swift code is nested, without a parser.
///
/// The parser looks ahead by recursion without a limit, and for some code its time grows steeply with the depth. Code
/// that is nested deeper than any real code is therefore not parsed. Such nesting comes from brackets, from `#if`, or
/// from neither, as in `try try try x`, `A -> B -> C` and `a.b.c`. Nesting without brackets is measured as a chain: the
/// number of tokens since the last token that ends a statement or separates operands. Nested square brackets have a
/// lower limit, as each level doubles the parser's time: it tries `[` as an inline array and then as another type.
struct SwiftNesting {
    /// An open construct.
    private enum Mode {
        case bracket(chainBefore: Int, squaresBefore: Int)
        /// A string literal, with its number of `#` and of quotes.
        case string(hashes: Int, quotes: Int)
    }

    private let text: [UInt8]
    private var position = 0
    private var modes: [Mode] = []
    private var angles = 0
    private var conditions = 0

    /// The number of open square brackets since the last open brace; those before the brace are not in the same type.
    private var squares = 0

    /// The number of tokens in the current chain.
    private var chain = 0
    /// Whether the last token needs an operand, so that a line break does not end the chain.
    private var isOpen = false

    /// The maximum number of tokens in a chain; more than any real code has.
    private static let chainLimit = 2_000

    /// The deepest nesting of square brackets that is parsed; more than any real code has.
    private static let squareLimit = 12

    /// Words that begin a declaration or a statement.
    private static let starts: Set<String> = [
        "let", "var", "func", "class", "struct", "enum", "extension", "protocol", "actor", "import", "typealias",
        "case",
        "if", "guard", "for", "while", "switch", "return", "private", "public", "internal", "fileprivate", "static",
        "override", "init", "deinit", "do", "defer", "break", "continue", "default", "final", "open",
    ]

    /// Words that an operand must follow, so that a line break after them does not end the chain.
    private static let openWords: Set<String> = [
        "try", "await", "as", "is", "in", "any", "some", "inout", "where", "throw", "copy", "consume", "each", "repeat",
        "borrowing", "consuming", "sending", "borrow", "discard", "yield", "unsafe",
    ]

    private init(_ text: [UInt8]) { self.text = text }

    /// The first code that is nested deeper than a limit; nil if there is none.
    static func firstUnreadRegion(in text: [UInt8], deeperThan limit: Int) -> UnreadRegion? {
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

    private mutating func scan(_ limit: Int) -> UnreadRegion? {
        while position < text.count {
            if squares > Self.squareLimit {
                let limit = Self.squareLimit
                return UnreadRegion(offset: position, why: "square brackets are nested deeper than \(limit) levels")
            }
            if modes.count + angles + conditions > limit || chain > Self.chainLimit {
                return UnreadRegion(offset: position, why: "the code is nested deeper than \(limit) levels")
            }
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
            if byte() == UInt8(ascii: "(") { open() }
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
                if starts(with: "if") { conditions += 1 }
                if starts(with: "endif") { conditions = Swift.max(0, conditions - 1) }
                return
            }
            count(isOpen: false)
            let quotes = count(of: UInt8(ascii: "\""), from: start, upTo: 3) == 3 ? 3 : 1
            modes.append(.string(hashes: hashes, quotes: quotes))
            position = start + quotes
            return
        case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
            open()
            if current == UInt8(ascii: "[") { squares += 1 }
            if current == UInt8(ascii: "{") { (angles, squares) = (0, 0) }
        case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
            if case .bracket(let chainBefore, let squaresBefore)? = modes.last {
                modes.removeLast()
                chain = chainBefore + 1
                squares = squaresBefore
            }
            isOpen = false
        case UInt8(ascii: "<"):
            angles += 1
            count(isOpen: true)
        case UInt8(ascii: ">"):
            angles = Swift.max(0, angles - 1)
            count(isOpen: true)
        case UInt8(ascii: ";"):
            angles = 0
            chain = 0
        case UInt8(ascii: ","):
            chain = 0
            isOpen = true
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
        case UInt8(ascii: "\n"):
            endLine()
            // A few `<` without `>` in a line are comparisons, not brackets; only a large number of them counts as
            // nesting.
            if angles < 8 { angles = 0 }
        case _ where Self.isWord(current): return scanWord()
        default: count(isOpen: true)
        }
        position += 1
    }

    private mutating func open() {
        modes.append(.bracket(chainBefore: chain, squaresBefore: squares))
        chain = 0
        isOpen = true
    }

    /// Counts a token as part of the chain.
    private mutating func count(isOpen: Bool) {
        chain += 1
        self.isOpen = isOpen
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte.isWordByte || byte == UInt8(ascii: "`") || byte == UInt8(ascii: "$") || byte >= 0x80
    }

    private mutating func scanWord() {
        let start = position
        while position < text.count, Self.isWord(text[position]) { position += 1 }
        // No Swift keyword has more than 16 bytes.
        let word = position - start > 16 ? "" : String(decoding: text[start..<position], as: UTF8.self)
        if Self.starts.contains(word) { chain = 0 }
        count(isOpen: Self.openWords.contains(word))
    }

    /// Whether a given word is at the position.
    private func starts(with word: String) -> Bool {
        text[position...].starts(with: word.utf8) && !Self.isWord(byte(word.utf8.count))
    }

    /// Ends the chain at a line break, unless an expression continues on the next line.
    private mutating func endLine() {
        guard !isOpen else { return }
        var ahead = 1
        while byte(ahead) == UInt8(ascii: " ") || byte(ahead) == UInt8(ascii: "\t") { ahead += 1 }
        let next = byte(ahead)
        if Self.isWord(next) || next == UInt8(ascii: "}") || next == UInt8(ascii: "@") { chain = 0 }
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
