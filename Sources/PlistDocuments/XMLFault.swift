// SPDX-License-Identifier: MIT

import DiagnosticSources

/// An error of XML syntax as libxml2 reports it, and the finding that payloadgen makes from it.
///
/// libxml2 reports the offset that it had reached when it gave up, which is often after the construct that is wrong.
struct XMLFault {
    /// The codes of `xmlParserErrors` in libxml2's xmlerror.h, which are part of its stable interface.
    enum Code: Int {
        /// `PLIST_XML_LOST`, which is not one of libxml2's codes.
        case impossibleOffset = -1
        case documentEnd = 5
        case hexadecimalReference = 6
        case decimalReference = 7
        case characterReference = 8
        case invalidCharacter = 9
        case semicolonMissing = 23
        case undeclaredEntity = 26
        case undeclaredEntityWarning = 27
        case lessThanInAttribute = 38
        case valueNotQuoted = 39
        case attributeWithoutValue = 41
        case attributeTwice = 42
        case commentOpen = 45
        case instructionWithoutName = 46
        case instructionOpen = 47
        case doctypeOpen = 61
        case cdataEnd = 62
        case cdataOpen = 63
        case misplacedDeclaration = 64
        case nameMissing = 68
        case greaterThanMissing = 73
        case mismatch = 76
        /// An element that is open at the end of the text, from libxml2 2.12 on; before, that is `documentEnd`.
        case elementOpen = 77
        case hyphensInComment = 80
        case unsupportedVersion = 108
    }

    /// A message with the range of the construct that is wrong, and the start tag whose end tag is missing.
    struct Finding {
        var message: String
        var range: Range<Int>
        var opening: Range<Int>?

        init(_ message: String, _ range: Range<Int>, _ opening: Range<Int>? = nil) {
            (self.message, self.range, self.opening) = (message, range, opening)
        }
    }

    let code: Int
    /// libxml2's message, used for codes for which payloadgen has no message.
    let message: String
    /// The offset that libxml2 had reached.
    let offset: Int
    /// The offset after the last complete tag, comment or instruction.
    let markupEnd: Int
    let text: [UInt8]
    /// The innermost open element; nil outside of the outermost one.
    let element: PlistBuilder.Frame?

    var finding: Finding {
        switch Code(rawValue: code) {
        case .impossibleOffset:
            Finding("the XML parser reports an impossible position here; the rest of the file is not read", character)
        case .mismatch:
            quotingFinding(since("</"), opening: element?.tag) {
                "found \($0), expected \(element.map { "</\($0.name)>" } ?? "no end tag")"
            }
        case .undeclaredEntity, .undeclaredEntityWarning:
            quotingFinding(since("&")) {
                "unknown entity \($0), expected one of &amp; &lt; &gt; &apos; &quot; or a number such as &#65;"
            }
        case .semicolonMissing:
            quotingFinding(since("&")) { "found \($0) without ';', expected an entity such as &amp;" }
        case .hexadecimalReference, .decimalReference, .characterReference:
            quotingFinding(since("&")) { "found \($0), expected a character reference such as &#65; or &#x41;" }
        case .invalidCharacter where byte >= 0x80 && character.count == 1:
            Finding("byte 0x\(hexadecimal) is not valid UTF-8, in which the file is read", character)
        case .invalidCharacter where byte < 0x20 && !PlistScalars.isBlank(byte) && offset < text.count:
            Finding("found control character U+00\(hexadecimal), which XML does not allow", character)
        case .invalidCharacter where previous == UInt8(ascii: ";"):
            quotingFinding(since("&")) { "\($0) is not a character that XML allows" }
        case .nameMissing where previous == UInt8(ascii: "&"):
            Finding("found '&', expected &amp;", (offset - 1)..<offset)
        case .nameMissing where previous == UInt8(ascii: "<"):
            lessThanFinding
        case .nameMissing where byte == UInt8(ascii: "<"):
            Finding("found '<' inside a tag, expected '>'", character)
        case .lessThanInAttribute:
            Finding("found '<' inside an attribute's value, expected &lt; or the closing quote", character)
        case .valueNotQuoted:
            Finding("an attribute's value without quotes, expected name=\"value\"", character)
        case .attributeWithoutValue:
            Finding("an attribute without a value, expected name=\"value\"", character)
        case .attributeTwice:
            Finding("an attribute occurs twice in one tag", since("<"))
        case .commentOpen:
            Finding("the comment is never closed, expected -->", first("<!--", from: markupEnd) ?? character)
        case .hyphensInComment:
            Finding("found '--' inside a comment, expected -->", offset..<Swift.min(offset + 2, text.count))
        case .instructionWithoutName:
            Finding("found <? without a name", since("<?"))
        case .instructionOpen:
            Finding(
                "the processing instruction is never closed, expected ?>", first("<?", from: markupEnd) ?? character
            )
        case .doctypeOpen:
            Finding("the DOCTYPE is never closed, expected >", character)
        case .cdataEnd:
            Finding("found ']]>' in text, expected ]]&gt;", first("]]>", from: offset) ?? character)
        case .misplacedDeclaration:
            Finding("found an XML declaration after the start of the file, expected it first", since("<?"))
        case .unsupportedVersion:
            Finding("unsupported XML version, expected 1.0", character)
        case .greaterThanMissing where offset == text.count:
            Finding("the file ends inside a tag, expected '>'", character)
        case .greaterThanMissing:
            quotingFinding(character) { "found '\($0)', expected '>'" }
        case .documentEnd, .elementOpen, .cdataOpen:
            endFinding
        case .invalidCharacter, .nameMissing, nil:
            Finding("not well-formed: " + Self.lowercased(message), character)
        }
    }

    /// The finding about `<` before something other than a name.
    private var lessThanFinding: Finding {
        let run = text[(offset - 1)...].prefix { $0 == UInt8(ascii: "<") }
        guard ConflictMark(startOf: run) != nil else {
            return Finding("found '<', expected &lt; or a tag", run.indices)
        }
        return quotingFinding(run.indices) { "found the merge conflict marker '\($0)', expected XML" }
    }

    /// The finding about a document or CDATA section that is cut off, or about text after the end of the document.
    private var endFinding: Finding {
        if let open = first("<![CDATA[", from: markupEnd), first("]]>", from: open.upperBound) == nil {
            return Finding("the CDATA section is never closed, expected ]]>", open)
        }
        let rest = text[markupEnd...].drop(while: PlistScalars.isBlank)
        if element == nil, !rest.isEmpty {
            let line = rest.prefix { $0 != 0x0A && $0 != 0x0D }
            return quotingFinding(line.indices) { "found '\($0)' after the end of the property list, expected nothing" }
        }
        let end = text.lastIndex { !PlistScalars.isBlank($0) }.map { $0 + 1 } ?? text.count
        return Finding("the file ends, expected <\(element.map { "/" + $0.name } ?? "plist")>", end..<end, element?.tag)
    }

    /// The byte at the offset; 0 at the end of the text.
    private var byte: UInt8 { offset < text.count ? text[offset] : 0 }

    private var hexadecimal: String { byte.hexadecimal(digits: 2, uppercase: true) }

    /// The byte before the offset; nil at the start of the text.
    private var previous: UInt8? { text[..<offset].last }

    /// The range of the Unicode scalar at the offset, or of one byte if the bytes there are invalid.
    private var character: Range<Int> {
        guard offset < text.count else { return offset..<offset }
        var parser = UTF8.ForwardParser()
        var rest = text[offset...].prefix(4).makeIterator()
        guard case .valid(let scalar) = parser.parseScalar(from: &rest) else { return offset..<(offset + 1) }
        return offset..<(offset + scalar.count)
    }

    /// The range from the last occurrence of a mark to the offset, at least as long as the mark; if there is none, it
    /// starts at the offset.
    private func since(_ mark: String) -> Range<Int> {
        let start = lastIndex(of: mark, in: text[Swift.min(markupEnd, offset)..<offset]) ?? offset
        return start..<Swift.min(Swift.max(offset, start + mark.utf8.count), text.count)
    }

    private func first(_ mark: String, from start: Int) -> Range<Int>? {
        text[start...].firstRange(ofBytes: mark.utf8)
    }

    /// A finding whose message quotes the text in its range.
    private func quotingFinding(_ range: Range<Int>, opening: Range<Int>? = nil, _ message: (String) -> String)
        -> Finding
    {
        Finding(message(String(decoding: text[range], as: UTF8.self).shortened), range, opening)
    }

    private static func lowercased(_ message: String) -> String {
        let line = message.shortened.trimmed
        return line.prefix(1).lowercased() + line.dropFirst()
    }
}
