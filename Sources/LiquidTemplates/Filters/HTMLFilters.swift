// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts

/// Filters that escape text for HTML or remove HTML from it.
enum HTMLFilters {
    static let all: [FilterDefinition] = [
        escaping(
            "escape",
            summary: "Writes the characters with a meaning in HTML as entities.",
            .init("{{ '<b>Ben & Jerry</b>' | escape }}", "&lt;b&gt;Ben &amp; Jerry&lt;/b&gt;")
        ),
        escaping("h", summary: "Another name of `escape`.", .init("{{ '1 < 2' | h }}", "1 &lt; 2")),
        FilterDefinition(
            "escape_once",
            summary: "Writes the characters with a meaning in HTML as entities, but leaves entities as they are.",
            examples: [.init("{{ '1 &lt; 2 & 3' | escape_once }}", "1 &lt; 2 &amp; 3")],
            traits: [.makesText, .keepsMissing, .makesHTML]
        ) { (input, _, context) throws(LiquidError) in
            try escaped(context.text(of: input), keepsEntities: true, &context)
        },
        FilterDefinition(
            "strip_html",
            summary: "Removes tags and comments, and scripts and styles with their contents.",
            examples: [.init("{{ 'Have <em>you</em> read?' | strip_html }}", "Have you read?")],
            traits: [.makesText, .keepsMissing]
        ) { (input, _, context) throws(LiquidError) in
            let text = try context.text(of: input)
            guard text.utf8.contains(UInt8(ascii: "<")) else { return .string(text) }
            guard case .string(let withoutBlocks) = try removingBlocks(text, &context) else { return .null }
            return try context.result { buffer in
                withoutBlocks.withBytes { bytes in
                    var start = 0
                    while let opening = ByteSearch.first(UInt8(ascii: "<"), in: bytes, from: start),
                        let closing = ByteSearch.first(UInt8(ascii: ">"), in: bytes, from: opening)
                    {
                        buffer.append(Bytes(rebasing: bytes[start..<opening]))
                        start = closing + 1
                    }
                    buffer.append(Bytes(rebasing: bytes[start...]))
                }
            }
        },
    ]

    /// A filter that escapes text for HTML and returns nil for nil.
    private static func escaping(
        _ name: String,
        summary: String,
        _ example: FilterDefinition.Example
    ) -> FilterDefinition {
        FilterDefinition(
            name,
            summary: summary,
            examples: [example],
            traits: [.makesText, .keepsMissing, .makesHTML]
        ) { (input, _, context) throws(LiquidError) in
            if case .null = input { return .null }
            return try escaped(context.text(of: input), keepsEntities: false, &context)
        }
    }

    /// The name of the filter that the compiler adds to outputs; templates cannot contain this name.
    static let ofOutputs = "escape output"

    /// The filters that exist only in an environment with ``Environment/escapesHTML``.
    static let ofPages: [FilterDefinition] = [
        FilterDefinition(
            ofOutputs,
            summary: "Escapes what an output prints."
        ) { (input, _, context) throws(LiquidError) in
            if case .string(let text) = input { return try escaped(text, keepsEntities: false, &context) }
            guard case .string(let text) = try context.string({ input.writeOutput(to: &$0) }) else { return .null }
            return try escaped(text, keepsEntities: false, &context)
        },
        FilterDefinition(
            "raw",
            summary: "Marks a value as HTML, which is printed as it is.",
            traits: [.makesHTML]
        ) { (input, _, _) throws(LiquidError) in .value(input) },
        FilterDefinition(
            "script_json",
            summary: "Writes a value as JSON that is safe inside a `script` element.",
            traits: [.makesText, .makesHTML]
        ) { (input, _, context) throws(LiquidError) in
            try context.charge(reading: input)
            var json = JSONWriter(into: ByteBuffer(limit: context.stringLimit))
            input.write(json: &json)
            if json.buffer.isOverLimit { throw FilterContext.textTooLong(limit: context.stringLimit) }
            return try context.result { buffer in
                json.buffer.withUnsafeBytes { bytes in
                    for byte in bytes {
                        switch byte {
                        // Outside of strings, JSON contains none of these characters.
                        case UInt8(ascii: "<"): buffer.append("\\u003C")
                        case UInt8(ascii: ">"): buffer.append("\\u003E")
                        case UInt8(ascii: "&"): buffer.append("\\u0026")
                        default: buffer.append(byte)
                        }
                    }
                }
            }
        },
    ]

    /// The text, with entities instead of the characters that have a meaning in HTML.
    static func escaped(_ text: String) -> String {
        var buffer = ByteBuffer(capacity: text.utf8.count)
        text.withBytes { write($0, keepsEntities: false, to: &buffer) }
        return buffer.string()
    }

    private static func escaped(
        _ text: String,
        keepsEntities: Bool,
        _ context: inout FilterContext
    ) throws(LiquidError) -> FilterResult {
        guard text.utf8.contains(where: { entity($0) != nil }) else { return .string(text) }
        return try context.result { buffer in
            text.withBytes { write($0, keepsEntities: keepsEntities, to: &buffer) }
        }
    }

    private static func write(_ bytes: Bytes, keepsEntities: Bool, to buffer: inout ByteBuffer) {
        var start = 0
        for position in bytes.indices {
            guard let entity = entity(bytes[position]) else { continue }
            if keepsEntities, bytes[position] == UInt8(ascii: "&"), isEntity(bytes, after: position) { continue }
            buffer.append(Bytes(rebasing: bytes[start..<position]))
            buffer.append(Bytes(entity))
            start = position + 1
        }
        buffer.append(Bytes(rebasing: bytes[start...]))
    }

    @inline(__always)
    private static func entity(_ special: UInt8) -> StaticString? {
        switch special {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        default: nil
        }
    }

    /// Whether an ampersand begins an entity: it is followed by letters, or by `#` and digits, and then by a semicolon.
    private static func isEntity(_ bytes: Bytes, after ampersand: Int) -> Bool {
        var position = ampersand + 1
        let isNumeric = position < bytes.count && bytes[position] == UInt8(ascii: "#")
        if isNumeric { position += 1 }
        let start = position
        while position < bytes.count, isNumeric ? bytes[position].isDigit : bytes[position].isLetter {
            position += 1
        }
        return position > start && position < bytes.count && bytes[position] == UInt8(ascii: ";")
    }

    /// Removes scripts, comments and styles, including their opening and closing marks, in one pass.
    private static func removingBlocks(_ text: String, _ context: inout FilterContext) throws(LiquidError) -> Value {
        try context.string { buffer in
            text.withBytes { bytes in
                // If a closing mark was not found from one position, it cannot be found from any later position.
                var mayEnd = [true, true, true]
                var copied = 0
                var search = 0
                while let opening = ByteSearch.first(UInt8(ascii: "<"), in: bytes, from: search) {
                    search = opening + 1
                    guard let block = block(beginningIn: bytes, at: opening), mayEnd[block.number] else { continue }
                    guard let end = ByteSearch.first(block.closing, in: bytes, from: opening + block.length) else {
                        mayEnd[block.number] = false
                        continue
                    }
                    buffer.append(Bytes(rebasing: bytes[copied..<opening]))
                    copied = end + block.closing.count
                    search = copied
                }
                buffer.append(Bytes(rebasing: bytes[copied...]))
            }
        }
    }

    /// The script, comment or style that begins with a `<`: the number of its kind, the length of its opening mark, and
    /// its closing mark; nil if none begins there.
    private static func block(
        beginningIn bytes: Bytes,
        at position: Int
    ) -> (number: Int, length: Int, closing: Bytes)? {
        func begins(_ opening: StaticString) -> Bool {
            bytes.count - position >= opening.utf8CodeUnitCount
                && ByteSearch.isSame(Bytes(opening), bytes, at: position)
        }
        guard position + 1 < bytes.count else { return nil }
        switch bytes[position + 1] {
        case UInt8(ascii: "s"):
            if begins("<script") { return (0, 7, Bytes("</script>")) }
            return begins("<style") ? (2, 6, Bytes("</style>")) : nil
        case UInt8(ascii: "!"): return begins("<!--") ? (1, 4, Bytes("-->")) : nil
        default: return nil
        }
    }
}
