// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates

/// A comment that suppresses findings: `payloadgen:disable` and rule IDs separated by commas or spaces.
struct Suppression {
    /// A rule named in the comment.
    struct Name {
        var text: String
        var place: SourcePlace
    }

    /// The contents of the comment.
    enum Content {
        case rules([Name])
        /// Unknown words after `payloadgen:`.
        case unknown(Name)
    }

    var content: Content

    /// The ranges of the file in which findings are suppressed.
    ///
    /// A finding is suppressed if it begins in one of them.
    var scopes: [Range<Int>]

    /// Reads a comment; nil for comments that are not for this program.
    ///
    /// - Parameters:
    ///   - comment: the text between the delimiters of the comment.
    ///   - scopes: the ranges in which findings are suppressed if they begin there.
    ///   - place: returns the place in the file of a range of the text.
    init?(_ comment: String, scopes: [Range<Int>], place: (SourceRange) -> SourcePlace) {
        let bytes = Array(comment.utf8)
        var words: [Name] = []
        var position = 0
        while position < bytes.count {
            let start = position
            while position < bytes.count, !Self.isSeparator(bytes[position]) { position += 1 }
            if position > start {
                let text = String(decoding: bytes[start..<position], as: UTF8.self)
                words.append(Name(text: text, place: place(SourceRange(start, position))))
            }
            position += 1
        }
        guard let first = words.first, first.text.hasPrefix(Self.prefix) else { return nil }
        content = first.text == Self.disable && words.count > 1 ? .rules(Array(words.dropFirst())) : .unknown(first)
        self.scopes = scopes
    }

    /// The start of every such comment.
    static let prefix = "payloadgen:"
    static let disable = prefix + "disable"

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
    }

    /// Whether a file may contain a comment that suppresses findings.
    static func mayOccur(in bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { text in
            Array(prefix.utf8).withUnsafeBufferPointer { ByteSearch.first($0, in: text, from: 0) != nil }
        }
    }
}

/// The ranges of the elements of a file, which determine where a comment applies.
///
/// A comment alone on its line applies to the next element with everything in it: a key with its value, or an item of a
/// list. Before the first content, it applies to the whole file. A comment after an element applies to the elements
/// that begin on its line.
struct CommentScopes {
    private let file: SourceFile
    private let contentStart: Int
    private let elements: [Range<Int>]

    /// The end of the last element that begins on a line, by the line number.
    private var lineEnds: [Int: Int] = [:]

    /// - Parameters:
    ///   - file: the file.
    ///   - contentStart: the offset at which its content begins.
    ///   - elements: all elements.
    init(_ file: SourceFile, contentStart: Int, elements: [Range<Int>]) {
        self.file = file
        self.contentStart = contentStart
        // If elements begin at the same offset, the outer one is first.
        self.elements = elements.sorted { ($0.lowerBound, $1.upperBound) < ($1.lowerBound, $0.upperBound) }
        for element in elements {
            let line = file.position(of: element.lowerBound).line
            lineEnds[line] = max(lineEnds[line] ?? 0, element.upperBound)
        }
    }

    /// The ranges to which a comment applies: findings that begin in one of them are suppressed.
    func scopes(of comment: Range<Int>) -> [Range<Int>] {
        if comment.lowerBound < contentStart { return [0..<file.bytes.count + 1] }
        let number = file.position(of: comment.lowerBound).line
        guard isAlone(comment, inLine: number) else {
            let isLast = number == file.position(of: file.bytes.count).line
            let end = isLast ? file.bytes.count + 1 : file.offset(ofLine: number + 1)
            return [file.offset(ofLine: number)..<max(end, lineEnds[number] ?? 0)]
        }
        return Array(elements[elements.index(from: comment.upperBound)...].prefix(1))
    }

    private func isAlone(_ comment: Range<Int>, inLine number: Int) -> Bool {
        let start = file.utf8Offset(ofStored: comment.lowerBound)
        return file.line(number).prefix { $0 == 0x20 || (0x09...0x0D).contains($0) }.endIndex >= start
    }
}

extension [Range<Int>] {
    /// The index of the first range that begins at or after an offset; the ranges must be in ascending order.
    func index(from offset: Int) -> Int { partitioningIndex { $0.lowerBound >= offset } }
}
