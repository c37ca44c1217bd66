// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Filters that replace or remove parts of a string.
enum ReplaceFilters {
    static let all: [FilterDefinition] = [
        replacing("replace", .all, arity: 1...2, "{{ '1-2-3' | replace: '-', '.' }}", "1.2.3"),
        replacing("replace_first", .first, arity: 1...2, "{{ '1-2-3' | replace_first: '-', '.' }}", "1.2-3"),
        replacing("replace_last", .last, arity: 2...2, "{{ '1-2-3' | replace_last: '-', '.' }}", "1-2.3"),
        replacing("remove", .all, arity: 1...1, "{{ '1-2-3' | remove: '-' }}", "123"),
        replacing("remove_first", .first, arity: 1...1, "{{ '1-2-3' | remove_first: '-' }}", "12-3"),
        replacing("remove_last", .last, arity: 1...1, "{{ '1-2-3' | remove_last: '-' }}", "1-23"),
    ]

    /// The occurrences of a string that a filter replaces.
    private enum Occurrences: String {
        case all = "every"
        case first = "the first"
        case last = "the last"
    }

    /// A filter that replaces a string, or removes it if it takes no second argument.
    private static func replacing(
        _ name: String,
        _ occurrences: Occurrences,
        arity: ClosedRange<Int>,
        _ template: String,
        _ output: String
    ) -> FilterDefinition {
        FilterDefinition(
            name,
            arity: arity,
            summary: "\(arity == 1...1 ? "Removes" : "Replaces") \(occurrences.rawValue) occurrence of a string.",
            examples: [.init(template, output)],
            traits: [.makesText, .keepsMissing]
        ) { (input, arguments, context) throws(LiquidError) in
            occurrences == .last
                ? try replacedLast(input, arguments[0], arguments[1], &context)
                : try replaced(input, arguments[0], arguments[1], isFirstOnly: occurrences == .first, &context)
        }
    }

    private static func replaced(
        _ input: Value,
        _ pattern: Value,
        _ replacement: Value,
        isFirstOnly: Bool,
        _ context: inout FilterContext
    ) throws(LiquidError) -> FilterResult {
        let pattern = try context.text(of: pattern)
        let replacement = try context.text(of: replacement)
        let text = try isFirstOnly ? context.text(of: input) : context.characters(of: input)
        guard text.containsBytes(of: pattern) else { return .string(text) }
        let pieces = try ReplacementText(replacement, matchesNothing: pattern.isEmpty)
        try context.checkCount(pieces.count)
        return try context.result { buffer in
            text.withBytes { text in
                pattern.withBytes { pattern in
                    var copied = 0
                    var search = 0
                    while let position = ByteSearch.first(pattern, in: text, from: search), !buffer.isOverLimit {
                        buffer.append(Bytes(rebasing: text[copied..<position]))
                        pieces.write(match: position..<(position + pattern.count), of: text, to: &buffer)
                        copied = position + pattern.count
                        // An empty pattern matches before every character and at the end of the text.
                        search = pattern.isEmpty ? text.offset(ofScalar: 1, from: position) : copied
                        if isFirstOnly || position == text.count { break }
                    }
                    buffer.append(Bytes(rebasing: text[copied...]))
                }
            }
        }
    }

    private static func replacedLast(
        _ input: Value,
        _ pattern: Value,
        _ replacement: Value,
        _ context: inout FilterContext
    ) throws(LiquidError) -> FilterResult {
        let text = try context.text(of: input)
        let pattern = try context.text(of: pattern)
        let replacement = try context.text(of: replacement)
        guard text.containsBytes(of: pattern) else { return .string(text) }
        return try context.result { buffer in
            text.withBytes { text in
                // The last occurrence is the first one in the reversed bytes.
                let reversedText = Array(text.reversed())
                let reversedPattern = Array(pattern.utf8.reversed())
                let distance = reversedText.withBytes { text in
                    reversedPattern.withBytes { ByteSearch.first($0, in: text, from: 0) }
                }
                let end = text.count - (distance ?? 0)
                buffer.append(Bytes(rebasing: text[..<(end - reversedPattern.count)]))
                buffer.append(replacement)
                buffer.append(Bytes(rebasing: text[end...]))
            }
        }
    }
}

/// The replacement for a pattern, in which a backslash refers to parts of the text, as in Ruby's `gsub`.
///
/// `\0` and `\&` are the matching text, `` \` `` is the text before it, `\'` the text after it, and `\\` a backslash.
/// `\1` to `\9` and `\+` refer to groups, which a plain pattern does not have, and become empty. A backslash before any
/// other character is kept.
private struct ReplacementText {
    private enum Piece {
        case text(String)
        case match
        case before
        case after
    }

    private var pieces: [Piece] = []

    /// The number of pieces that each replacement writes.
    var count: Int { pieces.count }

    /// Reads a replacement.
    ///
    /// - Parameters:
    ///   - text: the replacement.
    ///   - matchesNothing: whether the matching text is always empty, because the pattern is.
    /// - Throws: `internalError` for a reference to a named group, `\k<name>`.
    init(_ text: String, matchesNothing: Bool) throws(LiquidError) {
        guard text.utf8.contains(UInt8(ascii: "\\")) else {
            pieces = text.isEmpty ? [] : [.text(text)]
            return
        }
        let bytes = Array(text.utf8)
        var literal: [UInt8] = []
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            guard byte == UInt8(ascii: "\\"), position < bytes.count else {
                literal.append(byte)
                continue
            }
            let name = bytes[position]
            position += 1
            switch name {
            case UInt8(ascii: "0"), UInt8(ascii: "&"): if !matchesNothing { add(.match, after: &literal) }
            case UInt8(ascii: "`"): add(.before, after: &literal)
            case UInt8(ascii: "'"): add(.after, after: &literal)
            case UInt8(ascii: "1")...UInt8(ascii: "9"), UInt8(ascii: "+"): break
            case UInt8(ascii: "\\"): literal.append(name)
            case UInt8(ascii: "k") where position < bytes.count && bytes[position] == UInt8(ascii: "<"):
                throw LiquidError(
                    .internalError,
                    "a replacement names a group with '\\k<', but a plain string has no groups",
                    referenceText: "internal"
                )
            default: literal += [byte, name]
            }
        }
        if !literal.isEmpty { pieces.append(.text(String(decoding: literal, as: UTF8.self))) }
    }

    private mutating func add(_ piece: Piece, after literal: inout [UInt8]) {
        if !literal.isEmpty { pieces.append(.text(String(decoding: literal, as: UTF8.self))) }
        literal.removeAll()
        pieces.append(piece)
    }

    func write(match: Range<Int>, of text: Bytes, to buffer: inout ByteBuffer) {
        for piece in pieces {
            if buffer.isOverLimit { return }
            switch piece {
            case .text(let text): buffer.append(text)
            case .match: buffer.append(Bytes(rebasing: text[match]))
            case .before: buffer.append(Bytes(rebasing: text[..<match.lowerBound]))
            case .after: buffer.append(Bytes(rebasing: text[match.upperBound...]))
            }
        }
    }
}
