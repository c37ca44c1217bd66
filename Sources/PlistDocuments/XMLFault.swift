// SPDX-License-Identifier: MIT

import DiagnosticSources

/// An error of XML syntax, with a message of this project and the range of the construct that is wrong.
///
/// libxml2 reports the offset that it had reached when it gave up, which is often after the construct.
struct XMLFault {
    var message: String
    var range: Range<Int>
    var related: [(message: String, range: Range<Int>)] = []

    /// The code for the fault that the parser reports an offset outside of the text; it is not one of libxml2's codes.
    static let invalidOffset = -1

    /// The codes of `xmlParserErrors` in libxml2's xmlerror.h, which are part of its stable interface.
    private enum Code {
        static let documentEnd = 5
        static let characterReferences = 6...8
        static let invalidCharacter = 9
        static let semicolonMissing = 23
        static let undeclaredEntities = 26...27
        static let lessThanInAttribute = 38
        static let valueNotQuoted = 39
        static let attributeWithoutValue = 41
        static let attributeTwice = 42
        static let commentOpen = 45
        static let instructionWithoutName = 46
        static let instructionOpen = 47
        static let doctypeOpen = 61
        static let cdataEnd = 62
        static let cdataOpen = 63
        static let misplacedDeclaration = 64
        static let nameMissing = 68
        static let greaterThanMissing = 73
        static let mismatch = 76
        static let hyphensInComment = 80
        static let unsupportedVersion = 108
    }

    /// Finds the construct that caused an error of libxml2.
    ///
    /// - Parameters:
    ///   - code: libxml2's error code, or ``invalidOffset``.
    ///   - message: libxml2's message, used for codes for which this project has no message.
    ///   - offset: the offset that libxml2 had reached.
    ///   - markupEnd: the offset after the last complete tag, comment or instruction.
    ///   - text: the text.
    ///   - stack: the open elements.
    init(
        code: Int,
        message: String,
        offset: Int,
        after markupEnd: Int,
        in text: [UInt8],
        open stack: [PlistBuilder.Frame]
    ) {
        let offset = Swift.max(0, Swift.min(offset, text.count))
        let markupEnd = Swift.max(0, Swift.min(markupEnd, text.count))
        let byte = offset < text.count ? text[offset] : 0
        range = Self.scalar(at: offset, in: text)

        func back(to mark: String) -> Range<Int> {
            let start = lastIndex(of: mark, in: text[Swift.min(markupEnd, offset)..<offset]) ?? offset
            return start..<Swift.min(Swift.max(offset, start + mark.utf8.count), text.count)
        }
        func forward(to mark: String, from start: Int) -> Range<Int>? {
            text[Swift.min(start, text.count)...].firstRange(ofBytes: mark.utf8)
        }
        func written(_ range: Range<Int>) -> String {
            String(decoding: text[range], as: UTF8.self).shortened
        }
        let innermost = stack.last { $0.role != .document }

        switch code {
        case Self.invalidOffset:
            self.message = "the XML parser reports an impossible position here; the rest of the file is not read"
        case Code.mismatch:
            range = back(to: "</")
            let expected = innermost.map { "</\($0.name)>" } ?? "no end tag"
            self.message = "found \(written(range)), expected \(expected)"
            if let innermost { related = [("opened here", innermost.tag)] }
        case Code.undeclaredEntities:
            range = back(to: "&")
            self.message =
                "unknown entity \(written(range)), expected one of &amp; &lt; &gt; &apos; &quot; or a number such as &#65;"
        case Code.semicolonMissing:
            range = back(to: "&")
            self.message = "found \(written(range)) without ';', expected an entity such as &amp;"
        case Code.characterReferences:
            range = back(to: "&")
            self.message = "found \(written(range)), expected a character reference such as &#65; or &#x41;"
        case Code.invalidCharacter where byte >= 0x80 && range.count == 1:
            self.message =
                "byte 0x\(byte.hexadecimal(digits: 2, uppercase: true)) is not valid UTF-8, in which the file is read"
        case Code.invalidCharacter
        where byte < 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D && offset < text.count:
            self.message =
                "found control character U+00\(byte.hexadecimal(digits: 2, uppercase: true)), which XML does not allow"
        case Code.invalidCharacter where offset > 0 && text[offset - 1] == UInt8(ascii: ";"):
            range = back(to: "&")
            self.message = "\(written(range)) is not a character that XML allows"
        case Code.nameMissing where offset > 0 && text[offset - 1] == UInt8(ascii: "&"):
            range = (offset - 1)..<offset
            self.message = "found '&', expected &amp;"
        case Code.nameMissing where offset > 0 && text[offset - 1] == UInt8(ascii: "<"):
            let run = text[(offset - 1)...].prefix { $0 == UInt8(ascii: "<") }
            range = (offset - 1)..<run.endIndex
            self.message =
                ConflictMark(startOf: run) != nil
                ? "found the merge conflict marker '\(written(range))', expected XML"
                : "found '<', expected &lt; or a tag"
        case Code.nameMissing where byte == UInt8(ascii: "<"):
            self.message = "found '<' inside a tag, expected '>'"
        case Code.lessThanInAttribute:
            self.message = "found '<' inside an attribute's value, expected &lt; or the closing quote"
        case Code.valueNotQuoted:
            self.message = "an attribute's value without quotes, expected name=\"value\""
        case Code.attributeWithoutValue:
            self.message = "an attribute without a value, expected name=\"value\""
        case Code.attributeTwice:
            range = back(to: "<")
            self.message = "an attribute occurs twice in one tag"
        case Code.commentOpen:
            range = forward(to: "<!--", from: markupEnd) ?? range
            self.message = "the comment is never closed, expected -->"
        case Code.hyphensInComment:
            range = offset..<Swift.min(offset + 2, text.count)
            self.message = "found '--' inside a comment, expected -->"
        case Code.instructionWithoutName:
            range = back(to: "<?")
            self.message = "found <? without a name"
        case Code.instructionOpen:
            range = forward(to: "<?", from: markupEnd) ?? range
            self.message = "the processing instruction is never closed, expected ?>"
        case Code.doctypeOpen:
            self.message = "the DOCTYPE is never closed, expected >"
        case Code.cdataEnd:
            range = forward(to: "]]>", from: offset) ?? range
            self.message = "found ']]>' in text, expected ]]&gt;"
        case Code.misplacedDeclaration:
            range = back(to: "<?")
            self.message = "found an XML declaration after the start of the file, expected it first"
        case Code.unsupportedVersion:
            self.message = "unsupported XML version, expected 1.0"
        case Code.greaterThanMissing where offset >= text.count:
            self.message = "the file ends inside a tag, expected '>'"
        case Code.greaterThanMissing:
            self.message = "found '\(written(range))', expected '>'"
        case Code.documentEnd, Code.cdataOpen:
            if let open = forward(to: "<![CDATA[", from: markupEnd), forward(to: "]]>", from: open.upperBound) == nil {
                range = open
                self.message = "the CDATA section is never closed, expected ]]>"
            } else if let innermost {
                range = Self.end(of: text)
                self.message = "the file ends, expected </\(innermost.name)>"
                related = [("opened here", innermost.tag)]
            } else if text[markupEnd...].allSatisfy(PlistScalars.isBlank) {
                range = Self.end(of: text)
                self.message = "the file ends, expected <plist>"
            } else {
                let rest = text[markupEnd...].drop(while: PlistScalars.isBlank)
                let line = rest.prefix { $0 != 0x0A && $0 != 0x0D }
                range = line.startIndex..<line.endIndex
                self.message = "found '\(written(range))' after the end of the property list, expected nothing"
            }
        default:
            self.message = "not well-formed: " + Self.lowercased(message)
        }
    }

    /// The place of the end of a text: the empty range after its last character that is not white space.
    private static func end(of text: [UInt8]) -> Range<Int> {
        let end = text.lastIndex { !PlistScalars.isBlank($0) }.map { $0 + 1 } ?? text.count
        return end..<end
    }

    /// The range of the Unicode scalar at an offset, or of one byte if the bytes there are invalid.
    private static func scalar(at offset: Int, in text: [UInt8]) -> Range<Int> {
        guard offset < text.count else { return text.count..<text.count }
        var parser = UTF8.ForwardParser()
        var rest = text[offset...].prefix(4).makeIterator()
        guard case .valid(let scalar) = parser.parseScalar(from: &rest) else { return offset..<(offset + 1) }
        return offset..<(offset + scalar.count)
    }

    private static func lowercased(_ message: String) -> String {
        let line = message.shortened.trimmed
        return line.prefix(1).lowercased() + line.dropFirst()
    }
}
