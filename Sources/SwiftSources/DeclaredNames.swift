// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The names that a source file declares for other files, found by its words alone, without parsing it.
///
/// A file without words about pushes is parsed only if it declares something that a file about pushes names.
struct DeclaredNames {
    /// Words after which Swift declares a type.
    private static let typeWords: Set<String> = [
        "class", "struct", "enum", "actor", "protocol", "extension", "typealias",
    ]

    /// Words after which Swift declares a member; the member is kept only at the top level and in extensions.
    private static let memberWords: Set<String> = ["func", "let", "var", "case"]

    private let text: [UInt8]
    private var position = 0
    private var depth = 0
    /// The depth at which the current extension begins; nil outside of an extension.
    private var extensionDepth: Int?
    private var names: Set<String> = []

    /// The names in a file; for Objective-C all words, as no particular word begins its declarations.
    static func names(in text: [UInt8], isSwift: Bool) -> Set<String> {
        var reader = DeclaredNames(text: text)
        reader.read(isSwift: isSwift)
        return reader.names
    }

    private init(text: [UInt8]) { self.text = text }

    private mutating func read(isSwift: Bool) {
        var last = ""
        while position < text.count {
            let byte = text[position]
            switch byte {
            case UInt8(ascii: "/") where position + 1 < text.count && text[position + 1] == UInt8(ascii: "/"):
                while position < text.count, text[position] != UInt8(ascii: "\n") { position += 1 }
                continue
            case UInt8(ascii: "/") where position + 1 < text.count && text[position + 1] == UInt8(ascii: "*"):
                skipComment()
                continue
            case UInt8(ascii: "\""):
                skipText()
                continue
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "}"):
                depth -= 1
                if let inner = extensionDepth, depth <= inner { extensionDepth = nil }
            default:
                if byte.isWordByte || byte >= 0x80 {
                    let start = position
                    while position < text.count, text[position].isWordByte || text[position] >= 0x80 { position += 1 }
                    let isShort = position - start < 64
                    let word = isShort ? String(decoding: text[start..<position], as: UTF8.self) : ""
                    note(word, after: last, isSwift: isSwift)
                    last = word
                    continue
                }
            }
            position += 1
        }
    }

    private mutating func note(_ word: String, after last: String, isSwift: Bool) {
        guard isSwift else {
            names.insert(word)
            return
        }
        if Self.typeWords.contains(last) {
            names.insert(word)
            if last == "extension" { extensionDepth = depth }
        } else if Self.memberWords.contains(last), depth <= 0 || extensionDepth == depth - 1 {
            names.insert(word)
        }
    }

    private mutating func skipComment() {
        position += 2
        while position + 1 < text.count {
            if text[position] == UInt8(ascii: "*"), text[position + 1] == UInt8(ascii: "/") { break }
            position += 1
        }
        position += 2
    }

    /// Skips a string literal; a literal without a closing quote ends with its line.
    private mutating func skipText() {
        position += 1
        while position < text.count, text[position] != UInt8(ascii: "\""), text[position] != UInt8(ascii: "\n") {
            position += text[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        position += 1
    }
}
