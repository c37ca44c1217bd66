// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Filters that take parts of strings and arrays: by position, length, words or separator.
enum PartFilters {
    static let all: [FilterDefinition] = [
        FilterDefinition(
            "slice",
            arity: 1...2,
            summary: "Takes characters or elements from a position on: as many as the length says, or one.",
            examples: [
                .init("{{ 'liquid' | slice: 2, 3 }}", "qui"),
                .init("{{ 'liquid' | slice: -2, 2 }}", "id"),
            ]
        ) { (input, arguments, context) throws(LiquidError) in
            let offset = try arguments[0].wholeNumber()
            let given = arguments[1]
            let length = try given.isTruthy ? given.wholeNumber() : 1
            if case .array(let elements) = input {
                let range = range(offset: offset, length: length, count: elements.count)
                try context.charge(work: range.count)
                return .array(Array(elements[range]))
            }
            let text = try context.text(of: input)
            let range = range(offset: offset, length: length, count: text.scalarCount)
            return .string(text.scalars(from: range.lowerBound, count: range.count))
        },
        FilterDefinition(
            "truncate",
            arity: 0...2,
            summary: "Cuts a string to a length, 50 by default, which includes the ellipsis put at its end.",
            examples: [
                .init("{{ 'Your order has shipped' | truncate: 13 }}", "Your order..."),
                .init("{{ 'Your order has shipped' | truncate: 11, '…' }}", "Your order…"),
            ],
            traits: [.makesText, .keepsMissing]
        ) { (input, arguments, context) throws(LiquidError) in
            if case .null = input { return .null }
            let text = try context.text(of: input)
            let length = arguments.isEmpty ? 50 : try arguments[0].wholeNumber()
            let ellipsis = try arguments.count > 1 ? context.text(of: arguments[1]) : "..."
            let kept = max(0, max(0, length) - ellipsis.scalarCount)
            let end: Int? = text.withBytes { bytes in
                let end = bytes.offset(ofScalar: kept, from: 0)
                // A text of at most `length` characters is not cut.
                return length >= 0 && bytes.offset(ofScalar: length - kept, from: end) == bytes.count ? nil : end
            }
            guard let end else { return .string(text) }
            return try context.result { buffer in
                text.withBytes { buffer.append(Bytes(rebasing: $0[..<end])) }
                buffer.append(ellipsis)
            }
        },
        FilterDefinition(
            "truncatewords",
            arity: 0...2,
            summary: "Cuts a string to a number of words, 15 by default, and appends an ellipsis.",
            examples: [.init("{{ 'Your order has shipped' | truncatewords: 2 }}", "Your order...")],
            traits: [.makesText, .keepsMissing]
        ) { (input, arguments, context) throws(LiquidError) in
            if case .null = input { return .null }
            let text = try context.text(of: input)
            let limit = max(1, arguments.isEmpty ? 15 : try arguments[0].wholeNumber())
            let ellipsis = arguments.count > 1 ? arguments[1] : .string("...")
            try context.charge(reading: ellipsis)
            let end: Int? = text.withBytes { bytes in
                var count = 0
                var position = 0
                while let word = word(in: bytes, from: position) {
                    position = word.upperBound
                    count += 1
                    // If white space follows the last word to keep, the text counts as having too many words.
                    if count == limit { return position < bytes.count ? position : nil }
                }
                return nil
            }
            guard let end else { return .string(text) }
            return try context.result { buffer in
                text.withBytes { bytes in
                    let kept = Bytes(rebasing: bytes[..<end])
                    var position = 0
                    while let word = word(in: kept, from: position) {
                        if position > 0 { buffer.append(UInt8(ascii: " ")) }
                        buffer.append(Bytes(rebasing: kept[word]))
                        position = word.upperBound
                    }
                }
                ellipsis.write(to: &buffer)
            }
        },
        FilterDefinition(
            "split",
            arity: 1...1,
            summary: "Cuts a string into an array at each separator.",
            examples: [.init("{{ 'a,b,c' | split: ',' | join: '-' }}", "a-b-c")],
            traits: [.makesList, .keepsMissing]
        ) { (input, arguments, context) throws(LiquidError) in
            let separator = try context.text(of: arguments[0])
            let text = try context.characters(of: input)
            let limit = context.elementLimit
            let found: [Value] = text.withBytes { bytes in
                separator.withBytes { separator in
                    if separator.isEmpty { return characters(of: bytes, limit: limit) }
                    let isSpace = separator.count == 1 && separator[0] == UInt8(ascii: " ")
                    return isSpace
                        ? words(of: bytes, limit: limit) : parts(of: bytes, separator: separator, limit: limit)
                }
            }
            try context.checkCount(found.count)
            // Every part is charged as if it needed memory; checking for short parts, which Swift stores inline, would
            // take too long.
            context.allocate(text.utf8.count + found.count * 16)
            return .array(found)
        },
    ]

    /// The range from an offset, which counts from the end if it is negative; empty if the offset is out of bounds.
    private static func range(offset: Int, length: Int, count: Int) -> Range<Int> {
        guard offset >= -count, offset <= count, length >= 0 else { return 0..<0 }
        let start = offset < 0 ? offset + count : offset
        return start..<(start + min(length, count - start))
    }

    /// The next run of bytes that are not white space, at or after a position; nil if there is none.
    private static func word(in bytes: Bytes, from position: Int) -> Range<Int>? {
        var start = position
        while start < bytes.count, bytes[start].isRubySpace { start += 1 }
        guard start < bytes.count else { return nil }
        var end = start
        while end < bytes.count, !bytes[end].isRubySpace { end += 1 }
        return start..<end
    }

    private static func characters(of bytes: Bytes, limit: Int) -> [Value] {
        var characters: [Value] = []
        var start = 0
        while start < bytes.count, characters.count <= limit {
            let end = bytes.offset(ofScalar: 1, from: start)
            characters.append(.string(String(utf8: Bytes(rebasing: bytes[start..<end]))))
            start = end
        }
        return characters
    }

    /// The words, separated by runs of white space.
    private static func words(of bytes: Bytes, limit: Int) -> [Value] {
        var words: [Value] = []
        var position = 0
        while words.count <= limit, let word = word(in: bytes, from: position) {
            words.append(.string(String(utf8: Bytes(rebasing: bytes[word]))))
            position = word.upperBound
        }
        return words
    }

    /// The parts between separators, without empty parts at the end.
    private static func parts(of bytes: Bytes, separator: Bytes, limit: Int) -> [Value] {
        var parts: [Value] = []
        var start = 0
        while parts.count <= limit, let position = ByteSearch.first(separator, in: bytes, from: start) {
            parts.append(.string(String(utf8: Bytes(rebasing: bytes[start..<position]))))
            start = position + separator.count
        }
        if start < bytes.count {
            parts.append(.string(String(utf8: Bytes(rebasing: bytes[start...]))))
        } else if parts.count <= limit {
            while case .string(let last)? = parts.last, last.isEmpty { parts.removeLast() }
        }
        return parts
    }
}
