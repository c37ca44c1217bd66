// SPDX-License-Identifier: MIT

import DiagnosticSources

/// A token of Objective-C.
struct ObjectiveCToken {
    enum Kind {
        case word
        case number
        /// A string literal, `"…"` or `@"…"`; ``ObjectiveCToken/text`` is what is between the quotes.
        case string
        case symbol
        /// `@interface` and similar words.
        case keyword
    }

    var kind: Kind
    var text: String
    var offset: Int
    /// Whether it is compiled in debug builds only.
    var isConditional = false

    /// Whether it has bytes that are not UTF-8 text.
    var isInvalid: Bool { text.unicodeScalars.contains { $0 == "\u{FFFD}" || $0 == "\0" } }
}

/// A `#define` and the tokens of its body.
struct ObjectiveCMacro {
    var name: String
    var parameters: [String]
    var body: [ObjectiveCToken]
    var offset: Int
    /// Whether it is defined in debug builds only.
    var isConditional: Bool
}

/// Splits Objective-C into tokens, without comments and without code that `#if 0` excludes.
struct ObjectiveCLexer {
    /// The builds in which a branch of `#if` is compiled.
    private enum Branch {
        case debug, release, any

        init(condition: String) {
            let bytes = Array(condition.utf8)[...]
            let end = ["//", "/*"].compactMap { bytes.firstRange(ofBytes: $0.utf8)?.lowerBound }.min()
            let code = String(decoding: bytes[..<(end ?? bytes.endIndex)], as: UTF8.self)
            let text = code.filter { !" \t\r()".contains($0) }
            if ["!DEBUG", "!definedDEBUG", "DEBUG==0"].contains(text) {
                self = .release
            } else if !text.holds("||"), !code.contains("!"),
                text.split(separator: "&").contains(where: { ["DEBUG", "definedDEBUG", "DEBUG==1"].contains($0) })
            {
                self = .debug
            } else {
                self = .any
            }
        }

        /// The builds of the branch after `#else`.
        var other: Branch {
            switch self {
            case .debug: .release
            case .release: .debug
            case .any: .any
            }
        }
    }

    private let text: [UInt8]
    private var position = 0
    private var isLineStart = true
    /// The branches of `#if` around the position.
    private var branches: [Branch] = []
    /// The number of ``branches`` that are compiled in debug builds only.
    private var debugBranches = 0
    /// Where branches begin and end, each as the number of tokens before that point.
    private var borders: [(position: Int, isStart: Bool)] = []
    private(set) var tokens: [ObjectiveCToken] = []
    private(set) var macros: [ObjectiveCMacro] = []

    /// The modules of the headers that are imported in angle brackets, and the names of the headers in quotes.
    private(set) var imports: Set<String> = []

    /// Whether the text has more tokens than are read.
    private(set) var isCut = false

    /// The name of the first macro with more than ``macroTokenLimit`` tokens; nil if there is none.
    private(set) var cutMacro: ObjectiveCToken?

    /// The maximum number of tokens that are read from a file.
    static let tokenLimit = 500_000

    /// The maximum number of tokens that are read from a macro.
    static let macroTokenLimit = 2_000

    init(_ text: [UInt8]) {
        self.text = text
        while var token = next() {
            token.isConditional = debugBranches > 0
            guard tokens.count < Self.tokenLimit else {
                isCut = true
                return
            }
            tokens.append(token)
        }
    }

    /// Reads the tokens of a part of a text, such as the body of a macro.
    ///
    /// - Parameters:
    ///   - text: the part.
    ///   - base: the offset of the part in the file.
    private init(_ text: [UInt8], at base: Int) {
        self.text = text
        isLineStart = false
        while var token = next() {
            guard tokens.count < Self.macroTokenLimit else {
                isCut = true
                return
            }
            token.offset += base
            tokens.append(token)
        }
    }

    /// The first bracket without a counterpart of the same kind.
    ///
    /// It is nil if brackets in a branch of `#if` pair with brackets outside of the branch: the tokens of all branches
    /// are kept, so such brackets cannot be matched.
    var unpairedBracket: ObjectiveCToken? {
        let closing = ["(": ")", "[": "]", "{": "}"]
        var open: [ObjectiveCToken] = []
        var depths: [Int] = []
        var unpaired: ObjectiveCToken?
        var rest = borders[...]
        for (index, token) in tokens.enumerated() {
            while let border = rest.first, border.position <= index {
                rest.removeFirst()
                if border.isStart {
                    depths.append(open.count)
                } else if depths.popLast() != open.count {
                    return nil
                }
            }
            guard token.kind == .symbol, unpaired == nil else { continue }
            if closing[token.text] != nil {
                open.append(token)
            } else if closing.values.contains(token.text), open.popLast().flatMap({ closing[$0.text] }) != token.text {
                unpaired = token
            }
        }
        return unpaired ?? open.last
    }

    private func byte(_ ahead: Int = 0) -> UInt8 {
        position + ahead < text.count ? text[position + ahead] : 0
    }

    private static func startsWord(_ byte: UInt8) -> Bool {
        byte.isWordStart || byte == UInt8(ascii: "$") || byte >= 0x80
    }

    private mutating func next() -> ObjectiveCToken? {
        while position < text.count {
            let current = byte()
            switch current {
            case UInt8(ascii: "\n"):
                isLineStart = true
                position += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), 0x0B, 0x0C: position += 1
            case UInt8(ascii: "\\"): position += 1
            case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "/"): skipLine()
            case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"): skipComment()
            case UInt8(ascii: "#") where isLineStart: directive()
            default:
                isLineStart = false
                return token(current)
            }
        }
        return nil
    }

    private mutating func token(_ current: UInt8) -> ObjectiveCToken {
        let start = position
        if Self.startsWord(current) { return ObjectiveCToken(kind: .word, text: word(), offset: start) }
        if current.isDigit {
            while Self.startsWord(byte()) || byte().isDigit || byte() == UInt8(ascii: ".") { position += 1 }
            return ObjectiveCToken(kind: .number, text: string(start, position), offset: start)
        }
        if current == UInt8(ascii: "\"") { return ObjectiveCToken(kind: .string, text: quoted(), offset: start) }
        if current == UInt8(ascii: "'") {
            position += 1
            while position < text.count, byte() != UInt8(ascii: "'"), byte() != UInt8(ascii: "\n") {
                position += byte() == UInt8(ascii: "\\") ? 2 : 1
            }
            position += 1
            return ObjectiveCToken(kind: .number, text: "0", offset: start)
        }
        if current == UInt8(ascii: "@") {
            if byte(1) == UInt8(ascii: "\"") {
                position += 1
                return ObjectiveCToken(kind: .string, text: quoted(), offset: start)
            }
            if Self.startsWord(byte(1)) {
                position += 1
                return ObjectiveCToken(kind: .keyword, text: "@" + word(), offset: start)
            }
        }
        let pair = string(position, Swift.min(position + 2, text.count))
        if ["->", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "|=", "&=", "?:"].contains(
            pair)
        {
            position += 2
            return ObjectiveCToken(kind: .symbol, text: pair, offset: start)
        }
        position += 1
        return ObjectiveCToken(kind: .symbol, text: string(start, position), offset: start)
    }

    private func string(_ start: Int, _ end: Int) -> String {
        String(decoding: text[start..<Swift.min(end, text.count)], as: UTF8.self)
    }

    private mutating func word() -> String {
        let start = position
        while Self.startsWord(byte()) || byte().isDigit, position < text.count { position += 1 }
        return string(start, position)
    }

    /// Reads a string literal; the position is at its opening quote.
    private mutating func quoted() -> String {
        position += 1
        var bytes: [UInt8] = []
        while position < text.count, byte() != UInt8(ascii: "\""), byte() != UInt8(ascii: "\n") {
            if byte() == UInt8(ascii: "\\") {
                position += 1
                switch byte() {
                case UInt8(ascii: "n"): bytes.append(10)
                case UInt8(ascii: "t"): bytes.append(9)
                default: bytes.append(byte())
                }
            } else {
                bytes.append(byte())
            }
            position += 1
        }
        if byte() == UInt8(ascii: "\"") { position += 1 }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func skipLine() {
        while position < text.count, byte() != UInt8(ascii: "\n") { position += 1 }
    }

    private mutating func skipComment() {
        position += 2
        while position < text.count, !(byte() == UInt8(ascii: "*") && byte(1) == UInt8(ascii: "/")) { position += 1 }
        position = Swift.min(position + 2, text.count)
    }

    // MARK: - Directives

    private mutating func directive() {
        let start = position
        position += 1
        while byte() == UInt8(ascii: " ") || byte() == UInt8(ascii: "\t") { position += 1 }
        let name = word()
        let rest = logicalLine()
        switch name {
        case "define": define(rest, at: start)
        case "import", "include", "include_next":
            if let name = Self.importedName(rest.text) { imports.insert(name) }
        case "if" where rest.text.split(separator: " ").first == "0": skipBranch()
        case "if", "ifdef": enter(Branch(condition: rest.text))
        case "ifndef": enter(Branch(condition: "!" + rest.text))
        case "elif": if leaveBranch() != nil { enter(.any) }
        case "else": if let last = leaveBranch() { enter(last.other) }
        case "endif": _ = leaveBranch()
        default: break
        }
    }

    /// The module of a header in angle brackets, or the name of a header in quotes; nil for headers of the system that
    /// have no module.
    private static func importedName(_ text: String) -> String? {
        guard let open = text.first, open == "<" || open == "\"" else { return nil }
        let path = text.dropFirst().prefix { $0 != ">" && $0 != "\"" }
        let parts = path.split(separator: "/")
        guard open == "<" else { return parts.last.map(String.init) }
        if parts.count > 1 { return String(parts[0]) }
        // Headers of the C library have lowercase names.
        guard path.first?.isUppercase == true, !systemHeaders.contains(String(path)) else { return nil }
        return path.hasSuffix(".h") ? String(path.dropLast(2)) : String(path)
    }

    private static let systemHeaders: Set<String> = [
        "Availability.h", "AvailabilityMacros.h", "AvailabilityVersions.h", "Block.h", "TargetConditionals.h",
    ]

    private mutating func enter(_ branch: Branch) {
        borders.append((tokens.count, true))
        branches.append(branch)
        if branch == .debug { debugBranches += 1 }
    }

    private mutating func leaveBranch() -> Branch? {
        borders.append((tokens.count, false))
        let branch = branches.popLast()
        if branch == .debug { debugBranches -= 1 }
        return branch
    }

    /// Reads the rest of a line, its continuation lines, and the comments `/* … */` that begin in these; the position
    /// is then after them.
    private mutating func logicalLine() -> (text: String, start: Int, end: Int) {
        let start = position
        while position < text.count {
            if byte() == UInt8(ascii: "\\"), byte(1) == UInt8(ascii: "\n") {
                position += 2
            } else if byte() == UInt8(ascii: "\\"), byte(1) == UInt8(ascii: "\r") {
                position += 3
            } else if byte() == UInt8(ascii: "\n") {
                break
            } else if byte() == UInt8(ascii: "/"), byte(1) == UInt8(ascii: "*") {
                skipComment()
            } else {
                position += 1
            }
        }
        position = Swift.min(position, text.count)
        let trimmed = string(start, position)
        return (trimmed.drop { $0 == " " || $0 == "\t" }.description, start, position)
    }

    private mutating func define(_ line: (text: String, start: Int, end: Int), at offset: Int) {
        let inner = ObjectiveCLexer(Array(text[line.start..<line.end]), at: line.start)
        var tokens = inner.tokens[...]
        guard let name = tokens.popFirst(), name.kind == .word else { return }
        if inner.isCut, cutMacro == nil { cutMacro = name }
        var parameters: [String] = []
        // A parenthesis begins parameters only if no space is before it.
        if let first = tokens.first, first.text == "(", first.offset == name.offset + name.text.utf8.count,
            let close = tokens.firstIndex(where: { $0.text == ")" })
        {
            parameters = tokens[tokens.startIndex + 1..<close].filter { $0.kind == .word }.map(\.text)
            tokens = tokens[(close + 1)...]
        }
        guard !tokens.isEmpty else { return }
        macros.append(
            ObjectiveCMacro(
                name: name.text, parameters: parameters, body: Array(tokens), offset: name.offset,
                isConditional: debugBranches > 0)
        )
    }

    /// Skips the branch that `#if 0` excludes, up to its `#else` or `#endif`.
    private mutating func skipBranch() {
        var depth = 0
        while position < text.count {
            skipLine()
            position += 1
            var ahead = position
            while ahead < text.count, text[ahead] == UInt8(ascii: " ") || text[ahead] == UInt8(ascii: "\t") {
                ahead += 1
            }
            guard ahead < text.count, text[ahead] == UInt8(ascii: "#") else { continue }
            position = ahead + 1
            while byte() == UInt8(ascii: " ") || byte() == UInt8(ascii: "\t") { position += 1 }
            switch word() {
            case "if", "ifdef", "ifndef": depth += 1
            case "endif":
                if depth == 0 { return skipLine() }
                depth -= 1
            case "else", "elif":
                if depth == 0 {
                    enter(.any)
                    return skipLine()
                }
            default: break
            }
        }
    }
}
