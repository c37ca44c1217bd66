// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import LiquidTemplates

/// What an extension requires of a key-value pair, without the parts that only findings need.
struct ExtrasContract {
    let type: ExtraType
    let isRequired: Bool

    init(_ requirement: RequiredExtra) {
        type = requirement.type
        isRequired = requirement.isRequired
    }

    /// The message about a pair that does not meet the requirement; nil for one that does.
    ///
    /// - Parameters:
    ///   - value: the text, or the JSON of a pair with `$json:`.
    ///   - isJSON: whether the pair is sent as JSON.
    ///   - key: the key of the pair.
    /// - Returns: the message.
    func fault(_ value: UnsafeBufferPointer<UInt8>, isJSON: Bool, key: @autoclosure () -> String) -> String? {
        if isJSON != (type == .json) { return Self.wrongForm(key(), type, isJSON: isJSON) }
        if isJSON ? isBlankJSON(value) : isBlank(value) {
            return isRequired ? "'\(key())' is blank, expected \(type.phrase)" : nil
        }
        if isJSON { return nil }
        if type == .string { return nil }
        if type.acceptsBytes(value) { return nil }
        let text = String(decoding: value, as: UTF8.self)
        if type.accepts(text) { return nil }
        let trimmed = text.trimmed
        if let fault = text.whiteSpaceAtEnds, type.accepts(trimmed) {
            return "'\(key())' \(fault), expected \(type.phrase) alone: '\(trimmed)'"
        }
        return "'\(key())' is '\(DocumentMessages.shortened(text))', expected \(type.phrase)"
    }

    private static func wrongForm(_ key: String, _ type: ExtraType, isJSON: Bool) -> String {
        isJSON
            ? "'\(key)' is sent as JSON, expected \(type == .string ? "text" : "the text of \(type.phrase)")"
            : "'\(key)' is sent as text, expected JSON with '$json:'"
    }

    /// The message about a pair that is sent as JSON where text is expected, or as text where JSON is expected.
    static func wrongForm(_ requirement: RequiredExtra, isJSON: Bool) -> String {
        wrongForm(requirement.key, requirement.type, isJSON: isJSON)
    }

    /// The message about a required pair that is not sent; `near` is a key that is sent and is probably a misspelling
    /// of its key.
    static func missing(_ requirement: RequiredExtra, near: String?) -> String {
        let hint = near.map { "; is it sent as '\($0)' by mistake?" } ?? ""
        return "'\(requirement.key)' is not sent, expected \(requirement.type.phrase)\(hint)"
    }
}

extension ExtraType {
    /// Whether an extension that reads a pair as this type accepts a text.
    public func accepts(_ text: String) -> Bool {
        switch self {
        case .string, .json: true
        case .integer: Int(text) != nil
        case .number: text.utf8.allSatisfy(Self.isNumberPart) && Double(text)?.isFinite ?? false
        case .boolean: text == "true" || text == "false"
        case .url: Self.hasScheme(text.utf8)
        case .date: Time(iso8601: text) != nil
        }
    }

    /// Whether the bytes alone prove that ``accepts(_:)`` is true, as they do for most texts.
    fileprivate func acceptsBytes(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        switch self {
        // A number of up to 18 digits always fits in 64 bits.
        case .integer, .number:
            !text.isEmpty && text.count <= 18 && text.allSatisfy(\.isDigit)
        case .date: Time.isISO8601(text)
        case .string, .json, .boolean, .url: false
        }
    }

    /// The description of the type in messages.
    public var phrase: String {
        switch self {
        case .string: "text"
        case .integer: "an integer"
        case .number: "a number"
        case .boolean: "true or false"
        case .url: "an address with a scheme"
        case .date: "a date in ISO 8601"
        case .json: "JSON"
        }
    }

    /// Whether a byte may be part of a number; `Double` would also accept `nan`, `inf` and hexadecimal digits.
    private static func isNumberPart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    /// Whether an address has a scheme: a letter, then letters, digits, `+`, `-` and `.` up to a colon (RFC 3986, 3.1),
    /// with something after the colon and no white space.
    private static func hasScheme(_ bytes: String.UTF8View) -> Bool {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes.index(after: colon) != bytes.endIndex,
            let first = bytes.first, first.isLetter
        else { return false }
        let scheme = bytes[..<colon].allSatisfy { byte in
            byte.isLetter || byte.isDigit || byte == UInt8(ascii: "+")
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        }
        return scheme && bytes.allSatisfy { $0 > 0x20 }
    }
}
