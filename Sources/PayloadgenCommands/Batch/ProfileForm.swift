// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts

/// The form of a text that should contain one user on each line, determined from its first bytes.
///
/// Whole files in other forms are recognized, because each of their lines would otherwise give a failed record. A text
/// whose first line is an invalid user is still read line by line.
enum ProfileForm: Equatable {
    /// More bytes are needed.
    case undecided
    /// One user on each line, as far as the first bytes show.
    case lines
    /// Another form, in words that follow "is" or "holds" and say what to do.
    case other(String)

    private static let array = ProfileForm.other(
        "a JSON array, expected one user on each line: convert it (jq -c '.[]')")
    private static let wrapped = ProfileForm.other(
        "a JSON object of several lines, expected one user on each line: convert it (jq -c '.users[]')")
    private static let object = ProfileForm.other(
        "JSON of several lines, expected one user on each line: convert it (jq -c .), or name it with --profile; "
            + "'payloadgen preview' shows several users side by side")
    private static let table = ProfileForm.other(
        "a table with names in its first line (CSV), expected one user as JSON on each line: export it as NDJSON")

    /// Whether more bytes may follow.
    struct Portion {
        /// Whether the text has ended.
        let isWhole: Bool

        /// Whether these bytes are the last ones that are examined.
        let isLast: Bool
    }

    /// Determines the form.
    ///
    /// - Parameters:
    ///   - start: the first bytes of the text.
    ///   - portion: which part of the text the bytes are, and so whether more may follow.
    init(_ start: UnsafeBufferPointer<UInt8>, _ portion: Portion) {
        let mark = TextEncoding.utf8.lengthOfByteOrderMark(in: start)
        guard let first = start[mark...].firstIndex(where: { !$0.isBlank }) else {
            self = portion.isLast ? .lines : .undecided
            return
        }
        let text = UnsafeBufferPointer(rebasing: start[first...])
        switch text[0] {
        case UInt8(ascii: "["): self = Self.ofArray(text, portion)
        case UInt8(ascii: "{"): self = Self.ofObject(text, portion)
        default: self = Self.ofNames(text, portion)
        }
    }

    // MARK: - JSON

    /// How much of a text is one JSON value.
    private enum Value {
        case complete(end: Int)
        /// The bytes end before the end of the value.
        case cut
        /// The value is invalid after a number of elements.
        case broken(JSONError, elements: Int)
    }

    private static func value(_ text: UnsafeBufferPointer<UInt8>, _ portion: Portion) -> Value {
        var json = JSONReader(text)
        var elements = 0
        do throws(JSONError) {
            if text[0] == UInt8(ascii: "[") {
                _ = try json.readValue()
                while try json.nextElement() {
                    try json.skipValue()
                    elements += 1
                }
            } else {
                try json.skipValue()
            }
            return .complete(end: json.position)
        } catch {
            // An error near the end may come from a string, number or character that is cut off.
            let isCut = error.found == .end || !portion.isWhole && error.offset + 8 >= text.count
            return isCut ? .cut : .broken(error, elements: elements)
        }
    }

    private static func ofArray(_ text: UnsafeBufferPointer<UInt8>, _ portion: Portion) -> ProfileForm {
        let lineEnd = text.endOfLine(from: 0)
        switch value(text, portion) {
        case .complete(let end):
            // An array on a single line may be one invalid user among valid ones.
            if text.hasText(from: end) { return end > lineEnd ? array : .lines }
            if portion.isWhole { return array }
            return portion.isLast ? end > lineEnd ? array : .lines : .undecided
        case .cut:
            guard portion.isWhole else { return portion.isLast ? array : .undecided }
            return text.hasText(from: lineEnd) ? array : .lines
        case .broken(let error, let elements):
            // If no comma follows the first line, only this line is invalid, and the next one is a user.
            guard error.offset > lineEnd, error.fault != .expectedCommaOrBracket else { return .lines }
            return elements > 1 || error.fault == .trailingComma ? array : .lines
        }
    }

    private static func ofObject(_ text: UnsafeBufferPointer<UInt8>, _ portion: Portion) -> ProfileForm {
        let lineEnd = text.endOfLine(from: 0)
        guard lineEnd < text.count else { return portion.isLast ? .lines : .undecided }
        // This decides nearly all texts.
        if text[..<lineEnd].last(where: { !$0.isBlank }) == UInt8(ascii: "}") { return .lines }
        switch value(text, portion) {
        case .complete(let end):
            guard end > lineEnd else { return .lines }
            guard let next = text[end...].firstIndex(where: { !$0.isBlank }) else {
                return portion.isLast ? form(ofObject: text) : .undecided
            }
            let nextEnd = text.endOfLine(from: next)
            if nextEnd == text.count, !portion.isLast { return .undecided }
            // If a user follows on a line of its own, only the first user contains a line break.
            let line = UnsafeBufferPointer(rebasing: text[next..<nextEnd])
            var json = JSONReader(line)
            let isUser = line[0] == UInt8(ascii: "{") && (try? json.skipValue()) != nil
            return isUser ? .lines : form(ofObject: text)
        case .cut:
            if portion.isWhole { return .lines }
            return portion.isLast ? form(ofObject: text) : .undecided
        case .broken: return .lines
        }
    }

    /// The form of an object on several lines: Braze's export of several users, or any other object.
    private static func form(ofObject text: UnsafeBufferPointer<UInt8>) -> ProfileForm {
        var json = JSONReader(text)
        guard (try? json.readValue()) == .object else { return object }
        while let key = try? json.nextKey() {
            if json.matches(key, "users"), (try? json.readValue()) == .array { return wrapped }
            guard (try? json.skipValue()) != nil else { break }
        }
        return object
    }

    // MARK: - Tables

    private static let ids: Set<String> = [
        "external_id", "user_id", "braze_id", "external id", "user id", "email", "id",
    ]

    /// The form of a text that may begin with a row of column names.
    private static func ofNames(_ text: UnsafeBufferPointer<UInt8>, _ portion: Portion) -> ProfileForm {
        let lineEnd = text.endOfLine(from: 0)
        guard lineEnd < text.count || portion.isLast else { return .undecided }
        let line = String(decoding: text[..<lineEnd], as: UTF8.self)
        let names = line.split(omittingEmptySubsequences: false) { ",;\t".contains($0) }
            .map { $0.drop { " \"".contains($0) }.reversed().drop { " \"\r".contains($0) }.reversed() }
            .map { String($0).lowercased() }
        guard names.allSatisfy(isName), names.contains(where: ids.contains) else { return .lines }
        guard let next = text[lineEnd...].first(where: { !$0.isBlank }) else {
            return portion.isLast ? table : .undecided
        }
        return next == UInt8(ascii: "{") ? .lines : table
    }

    private static func isName(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, first.properties.isAlphabetic || first == "_" else { return false }
        return name.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "_ .-".unicodeScalars.contains(scalar)
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The offset of the next line break, or of the end of the text.
    fileprivate func endOfLine(from start: Int) -> Int { self[start...].firstIndex(of: UInt8(ascii: "\n")) ?? count }

    fileprivate func hasText(from start: Int) -> Bool { self[start...].contains { !$0.isBlank } }
}

extension UInt8 {
    fileprivate var isBlank: Bool { [0x20, 0x09, 0x0A, 0x0D].contains(self) }
}
