// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// Why a text is not JSON.
public struct JSONError: Error, Sendable, Hashable {
    /// The fault in the text.
    public enum Fault: Sendable, Hashable {
        case expectedValue
        case expectedKey
        case expectedColon
        case expectedCommaOrBrace
        case expectedCommaOrBracket
        case trailingComma
        case textAfterValue
        case unterminatedString
        case controlCharacterInString
        case unknownEscape
        case malformedUnicodeEscape
        case malformedNumber
        case leadingZero
        /// The number is too large for a double, and the caller requires one.
        case numberTooLarge
        /// The integer has more digits than the caller allows.
        case tooManyDigits(limit: Int)
        case invalidUTF8
        case tooDeep(limit: Int)
        case tooManyValues(limit: Int)
        case tooLong
        /// The value needs more memory than the caller allows.
        case tooLarge
    }

    /// What is at the place of the fault: a character, or the end of the text.
    public enum Found: Sendable, Hashable {
        case end
        case scalar(Unicode.Scalar)
        case byte(UInt8)
    }

    /// The fault in the text.
    public var fault: Fault

    /// What is at ``offset``.
    public var found: Found

    /// The offset of the fault in bytes from the start of the text.
    public var offset: Int

    /// The range of ``found``; empty at the end of the text.
    public var range: SourceRange {
        switch found {
        case .end: SourceRange(offset, offset)
        case .byte: SourceRange(offset, offset + 1)
        case .scalar(let scalar): SourceRange(offset, offset + UTF8.width(scalar))
        }
    }

    /// The error for a value that needs more memory than the caller allows.
    package static func tooLarge(at offset: Int) -> JSONError {
        JSONError(fault: .tooLarge, found: .end, offset: offset)
    }

    /// The error as a finding in a file.
    public func diagnostic(rule: RuleID, in file: SourceFile, severity: Severity = .error) -> Diagnostic {
        Diagnostic(rule, message, at: SourcePlace(file, range), severity: severity)
    }
}

extension JSONError: CustomStringConvertible {
    /// What was found and what was expected, as in "found ']' where a JSON value should start": lower case, no full
    /// stop.
    public var message: String { isCurlyQuote ? messageOfFault + ": write straight quotes, \"" : messageOfFault }

    private var messageOfFault: String {
        switch fault {
        case .expectedValue where found == .scalar("T") || found == .scalar("F") || found == .scalar("N"):
            "\(foundText) where a JSON value should start: true, false and null are written in lower case"
        case .expectedValue: "\(foundText) where a JSON value should start"
        case .expectedKey where isComment:
            "\(foundText) where a key in double quotes should start: JSON has no comments"
        case .expectedCommaOrBrace where isComment:
            "\(foundText) where ',' or '}' should follow the member: JSON has no comments"
        case .expectedCommaOrBracket where isComment:
            "\(foundText) where ',' or ']' should follow the element: JSON has no comments"
        case .textAfterValue where isComment:
            "\(foundText) after the end of the JSON value: JSON has no comments"
        case .expectedKey: "\(foundText) where a key in double quotes should start"
        case .expectedColon: "\(foundText) where ':' should follow the key"
        case .expectedCommaOrBrace where isWord:
            "\(foundText) where ',' or '}' should follow the member; a quote inside of a text is written \\\""
        case .expectedCommaOrBrace: "\(foundText) where ',' or '}' should follow the member"
        case .expectedCommaOrBracket: "\(foundText) where ',' or ']' should follow the element"
        case .trailingComma: "\(foundText) after a comma: JSON has no trailing comma"
        case .textAfterValue: "\(foundText) after the end of the JSON value"
        case .unterminatedString: "the text ends inside a string: '\"' is missing"
        case .controlCharacterInString where found == .scalar("\n"):
            "found a line break (U+000A) in a string, expected the escape \\n, or a closing quote"
        case .controlCharacterInString: "\(foundText) in a string, expected an escape"
        case .unknownEscape:
            "\(foundText) after a backslash, expected one of the escapes \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u"
        case .malformedUnicodeEscape: "\(foundText) where \\u needs four hexadecimal digits"
        case .malformedNumber: "\(foundText) where a number needs a digit"
        case .leadingZero: "\(foundText) after a leading zero: a JSON number has none"
        case .numberTooLarge: "found a number that is too large for a double, expected one up to 1.8e308"
        case .tooManyDigits(let limit): "found an integer that exceeds the limit of \(limit) digits"
        case .invalidUTF8: "\(foundText), which is not UTF-8"
        case .tooDeep(let limit): "nested deeper than \(limit) levels"
        case .tooManyValues(let limit): "more than the limit of \(limit) values"
        case .tooLong: "the text is longer than 4 GiB"
        case .tooLarge: "the value needs more memory than it may use"
        }
    }

    /// The message with the offset of the fault.
    public var description: String { "\(message) (offset \(offset))" }

    /// Whether the found character is a letter or digit, as when a quote ends a string too early.
    private var isWord: Bool {
        if case .scalar(let scalar) = found {
            scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
        } else {
            false
        }
    }

    /// Whether the found character begins a comment in other languages, as JSON has no comments.
    private var isComment: Bool { found == .scalar("/") || found == .scalar("#") }

    /// Whether the found character is a quote as word processors write it, such as `“`.
    private var isCurlyQuote: Bool {
        if case .scalar(let scalar) = found { "“”„‟‘’‚‛«»".unicodeScalars.contains(scalar) } else { false }
    }

    private var foundText: String {
        switch found {
        case .end: "the text ends"
        case .byte(let byte): "found the byte 0x\(byte.hexadecimal(digits: 2, uppercase: true))"
        case .scalar(let scalar) where scalar.isShownAsItself: "found '\(scalar)'"
        case .scalar(let scalar): "found \(scalar.codePoint)"
        }
    }
}
