// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The lines of a property list that are for the C preprocessor, such as `#include` and `#if`.
///
/// Xcode runs the preprocessor on an Info.plist if the build setting `INFOPLIST_PREPROCESS` is `YES`. The values of
/// macros are not known here, so only the first branch of each condition is kept, or the next one after `#if 0`.
///
/// Source: Apple, Technical Note TN2175; Xcode, Build settings reference.
struct PlistDirectives {
    /// The text in which directives, comment lines and branches that are not kept are replaced by spaces.
    ///
    /// Offsets in it are the same as in the original text.
    private(set) var blanked: [UInt8]

    /// The range of the first directive in the text; nil if there is none.
    private(set) var first: Range<Int>?

    /// Finds the directives in the text of a property list.
    init(in text: [UInt8]) {
        blanked = text
        // One entry for each open condition: whether the current branch is kept, and whether any branch so far was
        // kept.
        var open: [(isKept: Bool, isDone: Bool)] = []
        var removedCount = 0
        var start = 0
        while start < text.count {
            var end = Self.endOfLine(text, start)
            let isRemoved = removedCount > 0
            if let directive = Self.directive(in: text[start..<end]) {
                while end < text.count, Self.isContinued(text[start..<end]) { end = Self.endOfLine(text, end + 1) }
                if first == nil { first = directive.start..<end }
                switch directive.name {
                case "if", "ifdef", "ifndef":
                    let isKept = directive.name != "if" || !directive.isZero
                    open.append((isKept, isKept))
                    removedCount += isKept ? 0 : 1
                case "elif", "else":
                    guard let condition = open.popLast() else { break }
                    let isKept = !condition.isDone
                    open.append((isKept, true))
                    removedCount += (isKept ? 0 : 1) - (condition.isKept ? 0 : 1)
                case "endif": removedCount -= open.popLast().map { $0.isKept ? 0 : 1 } ?? 0
                default: break
                }
                blank(start..<end)
            } else if isRemoved || Self.isComment(text[start..<end]) {
                blank(start..<end)
            }
            start = end + 1
        }
    }

    /// Whether the line that contains an offset is a directive.
    static func isDirective(at offset: Int, in text: [UInt8]) -> Bool {
        guard offset < text.count else { return false }
        let start = text[..<offset].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return directive(in: text[start..<endOfLine(text, offset)]) != nil
    }

    /// Whether a text may be a name or an expression that the preprocessor replaces.
    static func isMacro(_ text: some Sequence<UInt8>) -> Bool {
        let bytes = Array(text).drop { PlistScalars.isBlank($0) }
        return bytes.first.map { $0.isWordStart } ?? false
    }

    private mutating func blank(_ range: Range<Int>) {
        for index in range where !PlistScalars.isBlank(blanked[index]) { blanked[index] = UInt8(ascii: " ") }
    }

    private static let names: Set<String> = [
        "include", "include_next", "import", "define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif",
        "error", "warning", "pragma", "line",
    ]

    private static func directive(in line: ArraySlice<UInt8>) -> (name: String, start: Int, isZero: Bool)? {
        guard let sign = line.firstIndex(where: { !PlistScalars.isBlank($0) }), line[sign] == UInt8(ascii: "#") else {
            return nil
        }
        let rest = line[(sign + 1)...].drop { PlistScalars.isBlank($0) }
        let name = rest.prefix(while: \.isWordByte)
        let text = String(decoding: name, as: UTF8.self)
        guard names.contains(text) else { return nil }
        let argument = String(decoding: rest[name.endIndex...], as: UTF8.self).trimmed
        return (text, sign, argument == "0")
    }

    private static func isComment(_ line: ArraySlice<UInt8>) -> Bool {
        line.drop { PlistScalars.isBlank($0) }.starts(with: "//".utf8)
    }

    private static func isContinued(_ line: ArraySlice<UInt8>) -> Bool {
        line.last { $0 != UInt8(ascii: "\r") } == UInt8(ascii: "\\")
    }

    private static func endOfLine(_ text: [UInt8], _ start: Int) -> Int {
        guard start < text.count else { return text.count }
        return text[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
    }
}
