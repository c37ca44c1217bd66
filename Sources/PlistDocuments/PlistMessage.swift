// SPDX-License-Identifier: MIT

import BinaryPlists
package import DiagnosticSources

/// The ids of the rules that the reader of property lists checks.
extension RuleID {
    package static let plistSyntax = RuleID(
        "plist-syntax", .error, "a file that is not a property list", isAboutUnread: true
    )
    package static let plistFormat = RuleID(
        "plist-format", .info, "a binary or OpenStep property list where XML is expected"
    )
    package static let plistPreprocessed = RuleID(
        "plist-preprocessed", .info, "a property list on which the build runs the C preprocessor",
        reportsUncheckedPart: true
    )
    package static let emptyKey = RuleID("empty-key", .warning, "a key without text in a property list")
    package static let keyWhitespace = RuleID(
        "key-whitespace", .warning, "a key of a property list that begins or ends with white space"
    )
    package static let booleanType = RuleID(
        "boolean-type", .error, "something other than <true/> or <false/> where a boolean belongs"
    )
}

/// A finding of the reader of property lists before it has a place: the rule and the message.
struct PlistMessage {
    var rule = RuleID.plistSyntax
    var severity: Severity?
    var text: String

    static let emptyFile = PlistMessage(text: "the file is empty, expected a property list")
    static let onlyWhiteSpace = PlistMessage(text: "found only white space, expected a property list")
    static let plainText = PlistMessage(text: "found plain text, expected a property list")
    static let json = PlistMessage(text: "found JSON, expected a property list")
    static func unreadableBinary(_ error: BinaryPlistError) -> PlistMessage { PlistMessage(text: error.description) }
    static let template = PlistMessage(
        severity: .info, text: "a template, as '<%' shows: what a tool makes of it is not checked"
    )
    static let internalSubset = PlistMessage(
        text: "found '[': an internal DTD subset declares entities, which no property list needs; remove it"
    )
    static func markInDoctype(_ byte: UInt8) -> PlistMessage {
        let mark = Unicode.Scalar(byte)
        return PlistMessage(
            text: "found '\(mark)' inside quotes in a DOCTYPE, where Foundation ignores the quotes; remove it"
        )
    }
    static let noMemory = PlistMessage(text: "the file cannot be read: not enough memory")
    static let preprocessed = PlistMessage(
        rule: .plistPreprocessed,
        text: """
            the build runs the C preprocessor on this file, so only its syntax is checked: what directives and macros \
            change is not known
            """
    )
    static let emptyPlist = PlistMessage(text: "<plist> is empty, expected one object")

    static func tooLarge(_ count: Int, limit: Int) -> PlistMessage {
        PlistMessage(text: "the file has \(count) bytes, expected at most \(limit)")
    }
    static func tooDeep(limit: Int) -> PlistMessage {
        PlistMessage(text: "dictionaries and arrays are nested deeper than \(limit) levels")
    }
    static func tooLong(limit: Int) -> PlistMessage {
        PlistMessage(text: "the tag is longer than \(limit) bytes")
    }
    static func tooManyFaults(limit: Int) -> PlistMessage {
        PlistMessage(text: "more than the limit of \(limit) errors; the rest of the file is not read")
    }
    static func tooMany(limit: Int) -> PlistMessage {
        PlistMessage(text: "the property list has more than \(limit) objects")
    }
    static func openStep(found: String, expected: String) -> PlistMessage {
        PlistMessage(text: "found \(found), expected \(expected)")
    }
    static let openString = PlistMessage(text: "the string is never closed, expected its closing quote")
    static let openComment = PlistMessage(text: "the comment is never closed, expected */")
    static func unknownEncoding(_ name: String) -> PlistMessage {
        let known = TextEncoding.allCases.map(\.rawValue).joined(separator: ", ")
        return PlistMessage(text: "unknown encoding '\(name)', expected one of \(known)")
    }
    static let utf32 = PlistMessage(text: "the file is stored in UTF-32, expected UTF-8")
    static let null = PlistMessage(text: "found control character U+0000, which XML does not allow")
    static let unmarkedUTF16 = PlistMessage(
        text: "UTF-16 without a byte order mark, which the system does not read; expected UTF-8")
    static func wrongEncoding(_ name: String) -> PlistMessage {
        PlistMessage(text: "declared as \(name), but stored in an 8-bit encoding; expected UTF-8")
    }
    static func unknownElement(_ name: String) -> PlistMessage {
        let near = nearestName(to: name, in: elementNames).map { "; did you mean <\($0)>?" } ?? ""
        let known = elementNames.joined(separator: ", ")
        return PlistMessage(text: "unknown element <\(name)>, expected one of \(known)\(near)")
    }
    static func notAPlist(_ name: String) -> PlistMessage {
        PlistMessage(text: "found <\(name)>, expected <plist>")
    }
    static func secondObject(_ name: String) -> PlistMessage {
        PlistMessage(text: "found a second object <\(name)>, expected </plist>: a property list has one object")
    }
    static func elementInText(_ name: String, inside parent: String) -> PlistMessage {
        PlistMessage(text: "found <\(name)> inside <\(parent)>, expected text and </\(parent)>")
    }
    static func commentInText(inside parent: String) -> PlistMessage {
        PlistMessage(text: "found a comment inside <\(parent)>, expected text and </\(parent)>")
    }
    static func instructionInText(inside parent: String) -> PlistMessage {
        PlistMessage(text: "found a processing instruction inside <\(parent)>, expected text and </\(parent)>")
    }
    static func strayText(_ text: String, inside parent: String) -> PlistMessage {
        let expected = parent == "dict" ? "<key> or </dict>" : "an element or </\(parent)>"
        return PlistMessage(text: "found text '\(text)' inside <\(parent)>, expected \(expected)")
    }
    static func keyOutsideDictionary(inside parent: String) -> PlistMessage {
        PlistMessage(text: "found <key> inside <\(parent)>, expected a value: keys belong in a <dict>")
    }
    static func valueMissing(_ key: String, found: String) -> PlistMessage {
        PlistMessage(text: "found \(found), expected a value for key '\(key)'")
    }
    static func keyMissing(_ name: String) -> PlistMessage {
        PlistMessage(text: "found <\(name)>, expected <key>: every value in a <dict> follows its key")
    }
    static func textInBoolean(_ name: String, _ text: String) -> PlistMessage {
        PlistMessage(text: "found text '\(text)' inside <\(name)>, expected <\(name)/>")
    }
    static func notANumber(_ name: String, _ text: String) -> PlistMessage {
        let form = name == "integer" ? "an integer such as 42 or 0x2A" : "a number such as 0.6"
        if text.isEmpty { return PlistMessage(text: "<\(name)> is empty, expected \(form)") }
        if text.holds("$(") || text.holds("${") {
            return PlistMessage(
                text:
                    "found '\(text)', expected \(form): a build setting is replaced only after <\(name)> has been read"
            )
        }
        if text.contains(where: \.isWhitespace), text.allSatisfy({ !$0.isLetter }) {
            return PlistMessage(text: "found '\(text)', expected \(form) without spaces")
        }
        if text.contains(",") { return PlistMessage(text: "found '\(text)', expected \(form) with a decimal point") }
        return PlistMessage(text: "found '\(text)', expected \(form)")
    }
    static func integerOverflow(_ text: String) -> PlistMessage {
        PlistMessage(text: "integer \(text) does not fit into 64 bits")
    }
    static func notADate(_ text: String) -> PlistMessage {
        PlistMessage(text: "found '\(text)', expected a date in UTC such as 2026-11-20T09:00:00Z")
    }
    static let emptyData = PlistMessage(text: "<data> is empty, expected base64 text")
    static func notBase64(_ character: String) -> PlistMessage {
        PlistMessage(
            severity: .warning, text: "found '\(character)' in <data>, expected base64; the data is read as empty")
    }
    static func duplicateKey(_ key: String, counts: String) -> PlistMessage {
        PlistMessage(
            rule: .duplicateKey, text: "key '\(key)' occurs twice in one dictionary; the \(counts) value counts")
    }
    static let emptyKey = PlistMessage(
        rule: .emptyKey, text: "a key without text, which nothing reads; expected a name"
    )
    static func keyWhitespace(_ key: String) -> PlistMessage {
        PlistMessage(rule: .keyWhitespace, text: "key '\(key)' begins or ends with white space, which is part of it")
    }
    static func boolean(_ text: String, _ value: Bool?) -> PlistMessage {
        let expected = value.map { $0 ? "<true/>" : "<false/>" } ?? "<true/> or <false/>"
        return PlistMessage(rule: .booleanType, text: "found <boolean>\(text)</boolean>, expected \(expected)")
    }
    static let binary = PlistMessage(rule: .plistFormat, text: "found a binary property list, expected XML")
    static let openStep = PlistMessage(rule: .plistFormat, text: "found an OpenStep property list, expected XML")

    /// The names of the elements of a property list.
    static let elementNames = [
        "plist", "dict", "key", "array", "string", "integer", "real", "true", "false", "date", "data",
    ]
}

extension String {
    /// The first line of the text, cut to a length that fits into a message.
    var shortened: String { firstLine(upTo: 60) }
}

/// The boolean that a text probably means: true for `YES`, `true`, `1` and `Y`, false for `NO`, `false`, `0` and `N`,
/// in any case; nil for any other text.
package func booleanMeaning(of text: String) -> Bool? {
    switch text.trimmed.lowercased() {
    case "yes", "true", "1", "y": true
    case "no", "false", "0", "n": false
    default: nil
    }
}
