// SPDX-License-Identifier: MIT

/// Text that is safe to show: the parts of it that come from an input cannot control a terminal or a CI service, cannot
/// be invisible and cannot change the order in which the text is read.
///
/// A literal is kept as it is; interpolated values are escaped:
/// ```swift
/// let line: ShownText = "aborted: \(reason)"
/// ```
/// Control characters, line breaks, invisible characters and characters that change the direction of text are written
/// as escapes such as `\u{1B}` and `\n`. In anything that would begin a command of GitHub Actions (`::` at the start of
/// a line, `##[` anywhere), Azure Pipelines (`##vso[`) or TeamCity (`##teamcity[`), one character is escaped too.
package struct ShownText: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The text to write, already escaped.
    package private(set) var text: String

    /// The escaped text.
    package var description: String { text }

    /// Whether there is no text.
    package var isEmpty: Bool { text.isEmpty }

    /// Creates text from an input, on one line.
    package init(_ text: some StringProtocol) {
        self.text = ""
        append(text)
    }

    /// Creates text that is part of this project, such as the help, without escaping.
    package init(verbatim text: String) { self.text = text }

    /// Creates text from a literal, without escaping.
    package init(stringLiteral text: String) { self.text = text }

    package init(stringInterpolation interpolation: StringInterpolation) { self = interpolation.shown }

    /// Splits text from an input into lines, each of which is escaped.
    package static func lines(of text: some StringProtocol) -> [ShownText] {
        Substring(text).unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { ShownText(Substring($0)) }
    }

    /// Appends text from an input.
    package mutating func append(_ text: some StringProtocol) {
        var scalars = ShownScalars(after: self.text.utf8)
        scalars.forEach(in: text) { scalar, escape in
            if let escape { self.text += escape } else { self.text.unicodeScalars.append(scalar) }
        }
    }

    package static func += (text: inout ShownText, more: ShownText) { text.text += more.text }

    package static func + (text: ShownText, more: ShownText) -> ShownText {
        ShownText(verbatim: text.text + more.text)
    }

    /// The number of columns that the text takes on a terminal.
    package var columnCount: Int {
        var count = 0
        var isJoined = false
        for scalar in text.unicodeScalars {
            // A scalar after a joiner is part of the same emoji as the scalar before the joiner.
            if !isJoined || !scalar.properties.isEmoji { count += scalar.columnWidth }
            isJoined = scalar.value == 0x200D
        }
        return count
    }

    /// The text padded with spaces to a number of columns.
    package func padded(to columns: Int) -> ShownText {
        ShownText(verbatim: text + String(repeating: " ", count: Swift.max(0, columns - columnCount)))
    }

    /// The text without trailing spaces and line breaks.
    package var withoutTrailingBlanks: ShownText {
        var scalars = text.unicodeScalars
        while let last = scalars.last, last == " " || last == "\n" { scalars.removeLast() }
        return ShownText(verbatim: String(scalars))
    }

    /// Collects the literals and the escaped values of an interpolated string.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var shown: ShownText = ""

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) { shown.text += literal }

        package mutating func appendInterpolation(_ text: some StringProtocol) { shown.append(text) }

        package mutating func appendInterpolation(_ text: ShownText) { shown += text }

        package mutating func appendInterpolation(_ number: some BinaryInteger) { shown.text += String(number) }
    }
}

extension Sequence<ShownText> {
    /// All texts, concatenated.
    package func joined(separator: ShownText = "") -> ShownText {
        ShownText(verbatim: map(\.text).joined(separator: separator.text))
    }
}

extension ByteBuffer {
    /// Appends text from an input, escaped as in ``ShownText``.
    package mutating func appendShown(_ text: some StringProtocol) {
        var scalars = withUnsafeBytes { ShownScalars(after: $0) }
        scalars.forEach(in: text) { scalar, escape in
            if let escape { append(escape) } else { append(scalar) }
        }
    }

    /// Appends text that is safe to show.
    package mutating func append(_ text: ShownText) { append(text.text) }

    /// Appends the UTF-8 of a scalar.
    package mutating func append(_ scalar: Unicode.Scalar) {
        for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { append(unit) }
    }
}

/// Decides for each scalar of a line, from its neighbours, whether it is shown as itself or escaped.
package struct ShownScalars {
    /// What the line begins with, after white space: nothing yet, one colon, or other text.
    private enum Start {
        case blank, colon, text
    }

    /// The last characters of the line: after `##`, or `##` and letters, a bracket would begin a command of a CI
    /// service.
    private enum End {
        case hash, hashes, letters, text
    }

    private var start = Start.blank
    private var end = End.text

    /// The previous scalar if it was shown as itself; nil if it was escaped.
    private var last: Unicode.Scalar?

    /// Continues the last line of the bytes that have already been written; by default, starts a line.
    package init(after bytes: some BidirectionalCollection<UInt8> = EmptyCollection()) {
        let line = bytes.lastIndex(of: UInt8(ascii: "\n")).map { bytes[bytes.index(after: $0)...] } ?? bytes[...]
        for scalar in String(decoding: line, as: UTF8.self).unicodeScalars {
            _ = makesCommand(scalar)
            last = scalar
        }
    }

    /// The state after other text on the same line, where no `::` can begin a command.
    package static let withinLine = ShownScalars(after: "…".utf8)

    /// Calls `body` with each scalar of a text and with its escape; the escape is nil for a scalar that is shown as
    /// itself.
    package mutating func forEach(in text: some StringProtocol, _ body: (Unicode.Scalar, _ escape: String?) -> Void) {
        var rest = text.unicodeScalars.makeIterator()
        var next = rest.next()
        while let scalar = next {
            next = rest.next()
            body(scalar, escape(for: scalar, before: next))
        }
    }

    /// The escape of the next scalar; nil if it is shown as itself.
    mutating func escape(for scalar: Unicode.Scalar, before next: Unicode.Scalar?) -> String? {
        let isShown = !makesCommand(scalar) && (scalar.isShownAsItself || isPartOfCharacter(scalar, before: next))
        last = isShown ? scalar : nil
        return isShown ? nil : scalar.escape
    }

    /// Whether an invisible scalar changes how the previous scalar looks: in emoji, which are common in push messages,
    /// and in scripts whose letters join.
    private func isPartOfCharacter(_ scalar: Unicode.Scalar, before next: Unicode.Scalar?) -> Bool {
        guard let last else { return false }
        switch scalar.value {
        case 0x200C, 0x200D: return last.isEmojiPart || last.joinsLetters
        case 0xFE0E, 0xFE0F: return last.isEmojiPart || last.isASCII && last.properties.isEmoji && next == "\u{20E3}"
        // The flags of England, Scotland and Wales consist of a black flag and invisible tag characters.
        case 0xE0020...0xE007F: return last == "\u{1F3F4}" || (0xE0020...0xE007F).contains(last.value)
        default: return false
        }
    }

    /// Takes the next scalar into account; returns true if it begins a command of a CI service and has to be escaped.
    private mutating func makesCommand(_ scalar: Unicode.Scalar) -> Bool {
        let makesCommand =
            scalar == ":" && start == .colon || scalar == "[" && (end == .hashes || end == .letters)
        switch start {
        case .blank where scalar == ":": start = .colon
        case .blank where scalar.properties.isWhitespace: break
        default: start = .text
        }
        switch (scalar, end) {
        case ("#", .hash), ("#", .hashes): end = .hashes
        case ("#", _): end = .hash
        case ("A"..."Z", .hashes), ("A"..."Z", .letters), ("a"..."z", .hashes), ("a"..."z", .letters): end = .letters
        default: end = .text
        }
        return makesCommand
    }
}

extension Unicode.Scalar {
    /// Whether the scalar needs no escape: it is visible, and neither controls a terminal nor reorders text.
    package var isShownAsItself: Bool {
        if value < 0x7F { return value >= 0x20 }
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: return false
        default: return !properties.isDefaultIgnorableCodePoint
        }
    }

    /// The escape that is written instead of the scalar.
    fileprivate var escape: String {
        switch self {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{\(value.hexadecimal(uppercase: true))}"
        }
    }

    /// Whether a joiner or a variation selector after the scalar may be part of the same emoji.
    fileprivate var isEmojiPart: Bool { !isASCII && properties.isEmoji || value == 0xFE0F || value == 0x200D }

    /// Whether the scalar is in a script whose letters change with joiners: the blocks from Arabic to Myanmar, Khmer
    /// and Mongolian.
    fileprivate var joinsLetters: Bool {
        switch value {
        case 0x0600...0x109F, 0x1780...0x18AF: properties.isAlphabetic || properties.generalCategory == .nonspacingMark
        default: false
        }
    }

    /// The number of columns that the scalar takes on a terminal when it is shown as itself.
    var columnWidth: Int {
        if value < 0x300 { return 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch value {
        case 0x1160...0x11FF, 0x1F3FB...0x1F3FF: return 0
        default: return properties.isEmojiPresentation || isWideEastAsian ? 2 : 1
        }
    }

    /// Whether the scalar is in a block that is wide or full width (Unicode Standard Annex 11).
    private var isWideEastAsian: Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF,
            0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
