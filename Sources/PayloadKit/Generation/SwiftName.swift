// SPDX-License-Identifier: MIT

/// Makes names for generated Swift code from keys and file names.
enum SwiftName {
    /// A name for a property, in lower camel case: `next_session_url` becomes `nextSessionURL`.
    ///
    /// - Parameters:
    ///   - text: the key of a key-value pair.
    ///   - taken: the names of the other properties.
    /// - Returns: a name that is not in `taken`, without back quotes.
    static func property(_ text: String, unlike taken: Set<String>) -> String {
        let words = words(text)
        var name = ""
        for (position, word) in words.enumerated() {
            if position > 0 {
                name += initialisms.contains(word.lowercased()) ? word.uppercased() : capitalized(word)
            } else {
                let isCapitals = !word.contains { $0.isLowercase }
                name += isCapitals ? word.lowercased() : word.prefix(1).lowercased() + word.dropFirst()
            }
        }
        if name.isEmpty { name = "pair" }
        if let first = name.first, first.isNumber { name = "pair" + name }
        // A member with one of these names needs back quotes, or is not allowed at all.
        if ["self", "init", "Type", "Protocol"].contains(name) { name += "Pair" }
        if !taken.contains(name) { return name }
        var number = 2
        while taken.contains("\(name)\(number)") { number += 1 }
        return "\(name)\(number)"
    }

    /// A name for a type, in upper camel case: `lab-progress` becomes `LabProgress`.
    static func type(_ text: String) -> String {
        let name = words(text).map(capitalized).joined()
        guard let first = name.first else { return "Push" }
        return first.isNumber ? "Push" + name : name
    }

    /// Whether a text can be the name of a type without back quotes.
    static func isType(_ text: String) -> Bool {
        !text.isEmpty && text.allSatisfy { isPart($0) || $0 == "_" } && !(text.first?.isNumber ?? true)
            && !keywords.contains(text) && !used.contains(text)
    }

    /// A name as its declaration writes it, in back quotes if it is a keyword.
    static func quoted(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// A text as a string literal on one line; invisible characters, including ones that control text direction, are
    /// escaped.
    static func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": literal += "\\" + String(scalar)
            default:
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                    literal += "\\u{\(String(scalar.value, radix: 16))}"
                default: literal.unicodeScalars.append(scalar)
                }
            }
        }
        return literal + "\""
    }

    /// The types that the generated file uses, and names that a type cannot have.
    private static let used: Set<String> = [
        "AnyHashable", "Bool", "CustomStringConvertible", "Data", "Date", "Double", "Error", "Hashable",
        "ISO8601DateFormatter", "Int", "InvalidPair", "JSONSerialization", "Pairs", "Protocol", "Sendable", "String",
        "Type", "URL", "_",
    ]

    private static let initialisms: Set<String> = ["id", "ids", "url", "uri", "json", "html"]

    private static func capitalized(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }

    /// The parts of a text between characters that a name cannot contain.
    private static func words(_ text: String) -> [String] { text.split { !isPart($0) }.map(String.init) }

    /// Whether a character may be in a name: a letter or digit that is one scalar, without combining marks.
    private static func isPart(_ character: Character) -> Bool {
        guard character.unicodeScalars.count == 1, let scalar = character.unicodeScalars.first else { return false }
        if scalar.isASCII { return character.isLetter || character.isNumber }
        // Beyond ASCII, a name gets only letters that Swift allows at its start, from U+00C0 to the end of the Basic
        // Multilingual Plane.
        return character.isLetter && scalar.properties.isXIDStart && scalar.value >= 0xC0 && scalar.value < 0xFFFE
    }

    private static let keywords: Set<String> = [
        "Any", "Self", "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer",
        "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard",
        "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
        "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super",
        "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]
}
