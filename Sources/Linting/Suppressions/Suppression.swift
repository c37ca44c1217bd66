// SPDX-License-Identifier: MIT

import Liquid
import SourceText

/// A comment that takes findings back: `payloadgen:disable` and the ids of rules, with commas or blanks between them.
struct Suppression {
    /// A rule that the comment names.
    struct Name {
        var text: String
        var place: SourcePlace
    }

    /// What the comment says.
    enum Content {
        case rules([Name])
        /// It begins with `payloadgen:` and says nothing that is known.
        case unknown(Name)
    }

    var content: Content

    /// Where findings have to begin to be taken back, in bytes of the file.
    var scopes: [Range<Int>]

    /// Reads a comment; nil for one that is none of this tool's business.
    ///
    /// - Parameters:
    ///   - comment: the text between the marks of the comment.
    ///   - scopes: where findings have to begin to be taken back.
    ///   - place: the place in the file of bytes of the text.
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

    /// What every such comment begins with.
    static let prefix = "payloadgen:"
    static let disable = prefix + "disable"

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
    }

    /// Whether a file may hold such a comment at all.
    static func mayStand(in bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { text in
            Array(prefix.utf8).withUnsafeBufferPointer { ByteSearch.first($0, in: text, from: 0) != nil }
        }
    }
}

/// Where the elements of a file begin and end, and so what a comment between them covers.
///
/// A comment alone on its line covers the next element with everything in it: a key with its value, or an item of a list.
/// Before the first content it covers the whole file. A comment after something covers what begins on its line.
struct CommentScopes {
    private let file: SourceFile
    private let contentStart: Int
    private let elements: [Range<Int>]

    /// How far the elements reach that begin in a line, by the number of the line.
    private var lineEnds: [Int: Int] = [:]

    /// - Parameters:
    ///   - file: the file.
    ///   - contentStart: where its content begins.
    ///   - elements: all elements.
    init(_ file: SourceFile, contentStart: Int, elements: [Range<Int>]) {
        self.file = file
        self.contentStart = contentStart
        // Of those that begin in one place the outer one goes first.
        self.elements = elements.sorted { ($0.lowerBound, $1.upperBound) < ($1.lowerBound, $0.upperBound) }
        for element in elements {
            let line = file.position(of: element.lowerBound).line
            lineEnds[line] = max(lineEnds[line] ?? 0, element.upperBound)
        }
    }

    /// Where findings have to begin that a comment covers.
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
    /// The index of the first range, in ascending order, that begins at an offset or after it.
    func index(from offset: Int) -> Int { partitioningIndex { $0.lowerBound >= offset } }
}
