// SPDX-License-Identifier: MIT

/// Reads markup by Liquid's grammar, and stops at the first token that the grammar does not allow.
///
/// Braze reads templates in the lax mode, which ignores such tokens without an error.
struct StrictReading {
    /// The place of markup, which determines its grammar.
    enum Context {
        /// `{{ … }}` and `echo`.
        case output
        case assign
        case capture
        /// `if`, `unless` and `elsif`.
        case condition
        /// `for` and `tablerow`, with their options.
        case loop(options: [String])
        /// The value of `case`.
        case subject
        case when
        case cycle
        /// Tags without markup, such as the `else` of an `if`.
        case nothing
    }

    /// What the grammar expects at the place where it stopped.
    enum Expectation {
        case value
        /// The end of the markup, or anything that may follow a complete value.
        case end
        case filterName
        /// A colon, a bar or the end, after the name of a filter.
        case afterFilterName
        case argument
        case closing
        case member
        case name
        case equals
        case keyword
        case optionValue
        case option
    }

    /// The place at which the grammar stopped.
    struct Fault {
        /// The index of the token; the number of tokens if the markup ends too early.
        var index: Int
        var expected: Expectation
        /// The index of the first token of the innermost value.
        var valueStart: Int
        /// Whether the value is an argument of a filter.
        var isInArguments: Bool
        /// The indices of the open brackets.
        var openBrackets: [Int]
    }

    /// For each term of a condition, the index of its operator; nil for a value without one.
    private(set) var terms: [Int?] = []

    /// The indices of the words that join terms.
    private(set) var joiners: [Int] = []

    private let tokens: [MarkupToken]
    private let text: (MarkupToken) -> String
    private var index = 0
    private var valueStart = 0
    private var isInArguments = false
    private var openBrackets: [Int] = []

    /// The deepest nesting of brackets that is read: each takes stack, and no author writes a tenth of it.
    private static let mostOpenBrackets = 200

    private struct Stop: Error {
        let fault: Fault
    }

    /// Creates a reading.
    ///
    /// - Parameters:
    ///   - tokens: the tokens of the markup.
    ///   - text: returns the text of a token as written.
    init(_ tokens: [MarkupToken], text: @escaping (MarkupToken) -> String) {
        self.tokens = tokens
        self.text = text
    }

    /// Reads all tokens.
    ///
    /// - Returns: the place at which the grammar stopped; nil if it allows all tokens.
    mutating func read(_ context: Context) -> Fault? {
        do throws(Stop) {
            try readAll(context)
            return nil
        } catch {
            return error.fault
        }
    }

    // MARK: - Contexts

    private mutating func readAll(_ context: Context) throws(Stop) {
        switch context {
        case .output: if !tokens.isEmpty { try output() }
        case .assign:
            try expect(.word, .name)
            guard has(.other), word() == "=" else { throw stop(.equals) }
            index += 1
            try output()
        case .capture:
            if has(.string) { index += 1 } else { try expect(.word, .name) }
        case .condition:
            try term()
            while isWord("and") || isWord("or") {
                joiners.append(index)
                index += 1
                try term()
            }
        case .loop(let options): try loop(options)
        case .subject: try value()
        case .when:
            try value()
            while has(.comma) || isWord("or") {
                index += 1
                try value()
            }
        case .cycle:
            try value()
            if has(.colon) {
                index += 1
                try value()
            }
            while has(.comma) {
                index += 1
                if index < tokens.count { try value() }
            }
        case .nothing: break
        }
        guard index == tokens.count else { throw stop(.end) }
    }

    private mutating func term() throws(Stop) {
        try value()
        guard has(.comparison) || isWord("contains") else { return terms.append(nil) }
        terms.append(index)
        index += 1
        try value()
    }

    private mutating func output() throws(Stop) {
        try value()
        while has(.pipe) {
            index += 1
            try expect(.word, .filterName)
            guard has(.colon) else {
                guard index == tokens.count || has(.pipe) else { throw stop(.afterFilterName) }
                continue
            }
            index += 1
            try arguments()
        }
    }

    private mutating func arguments() throws(Stop) {
        isInArguments = true
        defer { isInArguments = false }
        while true {
            // An additional comma or colon makes no difference.
            if index == tokens.count || has(.pipe) { return }
            if has(.word), index + 1 < tokens.count, tokens[index + 1].kind == .colon { index += 2 }
            try value(.argument)
            guard has(.comma) else { return }
            index += 1
        }
    }

    private mutating func loop(_ options: [String]) throws(Stop) {
        try expect(.word, .name)
        guard isWord("in") else { throw stop(.keyword) }
        index += 1
        try value()
        if isWord("reversed") { index += 1 }
        while has(.comma) || has(.word) {
            if has(.comma) { index += 1 }
            guard has(.word), options.contains(word()) else { throw stop(.option) }
            index += 1
            guard has(.colon) else { throw stop(.optionValue) }
            index += 1
            try value()
        }
    }

    // MARK: - Values

    private mutating func value(_ expected: Expectation = .value) throws(Stop) {
        valueStart = index
        guard index < tokens.count else { throw stop(expected) }
        switch tokens[index].kind {
        case .string, .number: index += 1
        case .word:
            index += 1
            try steps()
        case .openSquare:
            try bracket()
            try steps()
        case .openRound:
            try open()
            try value()
            guard has(.dotDot) else { throw stop(.closing) }
            index += 1
            try value()
            guard has(.closeRound) else { throw stop(.closing) }
            index += 1
            openBrackets.removeLast()
        default: throw stop(expected)
        }
    }

    private mutating func steps() throws(Stop) {
        while true {
            if has(.openSquare) {
                try bracket()
            } else if has(.dot) {
                index += 1
                try expect(.word, .member)
            } else {
                return
            }
        }
    }

    private mutating func open() throws(Stop) {
        guard openBrackets.count < Self.mostOpenBrackets else { throw stop(.value) }
        openBrackets.append(index)
        index += 1
    }

    private mutating func bracket() throws(Stop) {
        let start = valueStart
        try open()
        try value()
        guard has(.closeSquare) else { throw stop(.closing) }
        index += 1
        openBrackets.removeLast()
        valueStart = start
    }

    // MARK: - Tokens

    private func has(_ kind: MarkupToken.Kind) -> Bool { index < tokens.count && tokens[index].kind == kind }

    private func word() -> String { index < tokens.count ? text(tokens[index]) : "" }

    private func isWord(_ name: String) -> Bool { has(.word) && word() == name }

    private mutating func expect(_ kind: MarkupToken.Kind, _ expected: Expectation) throws(Stop) {
        guard has(kind) else { throw stop(expected) }
        index += 1
    }

    private func stop(_ expected: Expectation) -> Stop {
        Stop(
            fault: Fault(
                index: index,
                expected: expected,
                valueStart: valueStart,
                isInArguments: isInArguments,
                openBrackets: openBrackets
            )
        )
    }
}
