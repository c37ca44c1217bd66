// SPDX-License-Identifier: MIT

import BinaryPlists
import DiagnosticSources

/// Determines in which format a property list is stored, and reads it.
struct PlistReading {
    var file: SourceFile
    var format: PlistDocument.Format?
    var nodes: [PlistNode] = []
    var comments: [PlistComment] = []
    var diagnostics: [Diagnostic] = []

    /// Whether the build runs the C preprocessor on the file.
    private(set) var isPreprocessed: Bool

    /// Reads a file, and reads it again without its directives if the build preprocesses it, or if they caused errors.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - isPreprocessed: whether the build settings say that the build runs the preprocessor on the file.
    init(_ file: SourceFile, isPreprocessed: Bool) {
        self.isPreprocessed = isPreprocessed
        self.file = file
        read(file)
        guard isPreprocessed || isBrokenByDirectives, self.file.encoding == .utf8, !self.file.bytes.isEmpty else {
            self.isPreprocessed = false
            return
        }
        let read = self.file
        let directives = PlistDirectives(in: read.utf8)
        self.isPreprocessed = true
        diagnostics = []
        nodes = []
        comments = []
        self.read(SourceFile(path: read.path, bytes: directives.blanked))
        self.file = read
        diagnostics = diagnostics.filter { !isAboutMacro($0) }.map { $0.moved(to: read) }
        report(.preprocessed, directives.first ?? 0..<0)
    }

    /// Whether one of the errors is on a line with a directive of the preprocessor.
    private var isBrokenByDirectives: Bool {
        diagnostics.contains { finding in
            guard finding.rule == .plistSyntax, finding.severity == .error, let place = finding.place else {
                return false
            }
            return file.encoding == .utf8 && PlistDirectives.isDirective(at: Int(place.range.start), in: file.utf8)
        }
    }

    /// Whether a finding is only that the name of a macro is not a valid value, which may become valid when the
    /// preprocessor replaces it.
    private func isAboutMacro(_ finding: Diagnostic) -> Bool {
        guard finding.rule == .plistSyntax, let place = finding.place else { return false }
        return PlistDirectives.isMacro(place.file.text(in: place.range).utf8)
    }

    private mutating func read(_ file: SourceFile) {
        self.file = file
        guard file.bytes.count <= PlistBuilder.Limit.bytes else {
            report(.tooLarge(file.bytes.count, limit: PlistBuilder.Limit.bytes), 0..<0)
            return
        }
        guard !file.bytes.isEmpty else {
            report(.emptyFile, 0..<0)
            return
        }
        if file.bytes.starts(with: "bplist".utf8) {
            readBinary()
            return
        }
        switch XMLPrologue.encoding(of: file.bytes) {
        case .known(let encoding):
            if encoding != file.encoding {
                self.file = SourceFile(path: file.path, bytes: file.bytes, encoding: encoding)
            }
        case .fault(let fault):
            format = .xml
            report(fault.message, fault.range)
            return
        }
        let text = self.file.utf8
        let start = TextEncoding.utf8.lengthOfByteOrderMark(in: text)
        switch text[start...].first(where: { !PlistScalars.isBlank($0) }) {
        case nil: report(.onlyWhiteSpace, 0..<0)
        case UInt8(ascii: "<"): readXML(from: isPreprocessed ? text.firstIndex(of: UInt8(ascii: "<")) ?? start : start)
        default: readOpenStep(from: start)
        }
    }

    mutating func report(_ message: PlistMessage, _ range: Range<Int>) {
        let start = file.storedOffset(ofUTF8: range.lowerBound)
        let place = SourcePlace(file, SourceRange(start, file.storedOffset(ofUTF8: range.upperBound)))
        diagnostics.append(Diagnostic(message, at: place))
    }

    private mutating func readXML(from start: Int) {
        format = .xml
        let refusal = XMLPrologue.doctypeFault(in: file.utf8, from: start)
        if let refusal, !refusal.isQuoted {
            report(refusal.message, refusal.range)
            return
        }
        if let tag = XMLPrologue.overlongTag(in: file.utf8, from: start, limit: PlistBuilder.Limit.tag) {
            report(.tooLong(limit: PlistBuilder.Limit.tag), tag)
            return
        }
        // libxml2 would read U+0000 as the end of the text, and four of them in a row as a sign of another encoding.
        if let null = file.utf8[start...].firstIndex(of: 0) {
            report(.null, null..<(null + 1))
            return
        }
        let builder = PlistBuilder(file, from: start)
        guard parseXML(file.utf8, from: start, into: builder) else {
            report(.noMemory, 0..<0)
            return
        }
        let errors = builder.diagnostics.filter { $0.severity == .error }
        if !errors.isEmpty, let mark = file.utf8[start...].firstRange(ofBytes: "<%".utf8) {
            report(.template, mark)
            return
        }
        if builder.isRootComplete, errors.isEmpty, let invalid = file.firstInvalidOffset {
            // The invalid bytes are in a part that libxml2 skips, so this error is reported here.
            builder.fault(code: XMLFault.Code.invalidCharacter.rawValue, message: "", at: invalid)
        }
        comments = builder.comments
        if let refusal, !errors.contains(where: { Int($0.place?.range.start ?? 0) < refusal.range.lowerBound }) {
            report(refusal.message, refusal.range)
            return
        }
        nodes = builder.isRootComplete ? builder.nodes : []
        diagnostics = builder.diagnostics
        reportRepeatedKeys()
    }

    private mutating func readBinary() {
        format = .binary
        var reader = BinaryPlistReader(file.bytes)
        file = SourceFile(path: file.path, bytes: [])
        do throws(BinaryPlistError) {
            try reader.read()
            nodes = reader.nodes
            reportFormat(.binary)
            for key in reader.repeatedKeys.sorted() { report(.duplicateKey(key.shortened, counts: "first"), 0..<0) }
        } catch {
            report(.unreadableBinary(error), 0..<0)
        }
    }

    private mutating func readOpenStep(from start: Int) {
        var reader = OpenStepReader(file, from: start)
        do {
            try reader.read()
            format = .openStep
            nodes = reader.nodes
            reportFormat(.openStep)
            reportRepeatedKeys()
        } catch {
            report(error.message, error.range)
        }
    }

    /// Reports keys that repeat in one dictionary.
    private mutating func reportRepeatedKeys() {
        for node in nodes where node.kind == .dictionary && node.children.count > 1 {
            // Keys are compared by their bytes, because `String` treats canonically equivalent keys as equal.
            var firsts: [[UInt8]: SourceRange] = [:]
            for key in node.children.compactMap({ nodes[$0].key }) {
                let written = key.contentRange.offsets.isEmpty ? key.range : key.contentRange
                guard let first = firsts[Array(key.text.utf8)] else {
                    firsts[Array(key.text.utf8)] = written
                    continue
                }
                let related = Diagnostic.Related("first defined here", at: SourcePlace(file, first))
                let message = PlistMessage.duplicateKey(key.text.shortened, counts: "last")
                diagnostics.append(Diagnostic(message, at: SourcePlace(file, written), related: [related]))
            }
        }
    }

    /// Reports the format, unless the file is in a built bundle, where binary files are normal.
    private mutating func reportFormat(_ message: PlistMessage) {
        if !PlistDocument.isBuilt(file.path) { report(message, 0..<0) }
    }
}

extension Diagnostic {
    /// The finding with its places in another file whose text has the same offsets.
    fileprivate func moved(to file: SourceFile) -> Diagnostic {
        var finding = self
        finding.place = place.map { SourcePlace(file, $0.range) }
        finding.related = related.map { Related($0.message, at: SourcePlace(file, $0.place.range)) }
        finding.fixes = []
        return finding
    }
}

/// Determines the encoding of an XML file, and checks that its DOCTYPE declares no entities, before the file is parsed.
enum XMLPrologue {
    /// An encoding that payloadgen does not read, with the range of its name.
    struct EncodingFault {
        var message: PlistMessage
        var range: Range<Int>
    }

    /// A character in a DOCTYPE that is not accepted.
    struct DoctypeFault {
        var message: PlistMessage
        var range: Range<Int>
        /// Whether the character is in quotes, where XML allows it.
        var isQuoted: Bool
    }

    enum Encoding {
        case known(TextEncoding)
        case fault(EncodingFault)
    }

    /// The encoding of the bytes of a file.
    ///
    /// The byte order mark decides first, then the pattern of the first bytes, then the XML declaration; without any of
    /// these, the encoding is UTF-8.
    static func encoding(of bytes: [UInt8]) -> Encoding {
        // UTF-32 has to be checked before UTF-16, because its byte order mark begins with that of UTF-16.
        let wideStarts: [[UInt8]] = [[0xFF, 0xFE, 0, 0], [0, 0, 0xFE, 0xFF], [0x3C, 0, 0, 0], [0, 0, 0, 0x3C]]
        if wideStarts.contains(where: { bytes.starts(with: $0) }) {
            return .fault(EncodingFault(message: .utf32, range: 0..<0))
        }
        for encoding in [TextEncoding.utf8, .utf16LittleEndian, .utf16BigEndian]
        where bytes.starts(with: encoding.byteOrderMark) {
            return .known(encoding)
        }
        // Without a byte order mark, CoreFoundation recognizes UTF-16 only in one byte order, and only if there is no
        // XML declaration.
        if bytes.starts(with: [0, 0x3C, 0]) || bytes.starts(with: [0x3C, 0, 0x3F, 0]) {
            return .fault(EncodingFault(message: .unmarkedUTF16, range: 0..<0))
        }
        if bytes.starts(with: [0x3C, 0]), bytes.dropFirst(3).first == 0 { return .known(.utf16LittleEndian) }
        guard let range = declaredEncoding(in: bytes) else { return .known(.utf8) }
        let name = String(decoding: bytes[range], as: UTF8.self)
        switch name.uppercased() {
        case "UTF-8", "UTF8", "US-ASCII", "ASCII": return .known(.utf8)
        case "ISO-8859-1", "ISO8859-1", "ISO_8859-1", "LATIN1", "LATIN-1", "L1": return .known(.latin1)
        case "WINDOWS-1252", "CP1252": return .known(.windows1252)
        case let wide where wide.hasPrefix("UTF-16") || wide.hasPrefix("UTF-32") || wide == "UTF16":
            return .fault(EncodingFault(message: .wrongEncoding(name), range: range))
        default:
            return .fault(EncodingFault(message: .unknownEncoding(name.shortened), range: range))
        }
    }

    /// The range of the encoding's name in `<?xml … encoding="…"?>`; nil if the declaration has none.
    private static func declaredEncoding(in bytes: [UInt8]) -> Range<Int>? {
        let start = bytes.prefix { PlistScalars.isBlank($0) }.count
        guard bytes[start...].starts(with: "<?xml".utf8) else { return nil }
        let limit = Swift.min(bytes.count, start + 1024)
        guard let end = bytes[start..<limit].firstRange(ofBytes: "?>".utf8)?.lowerBound,
            let word = bytes[start..<end].firstRange(ofBytes: "encoding".utf8)?.lowerBound
        else { return nil }
        var index = word + 8
        while index < end, PlistScalars.isBlank(bytes[index]) || bytes[index] == UInt8(ascii: "=") { index += 1 }
        guard index < end, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") else { return nil }
        let name = index + 1
        guard let quote = bytes[name..<end].firstIndex(of: bytes[index]) else { return nil }
        return name..<quote
    }

    /// The first part of a DOCTYPE that is not accepted; nil if there is none.
    ///
    /// This is an internal subset, or a character that Foundation takes for the start of a subset or the end of the
    /// DOCTYPE. It is checked before parsing, because libxml2 reports a DOCTYPE only after reading the declarations in
    /// it.
    static func doctypeFault(in text: [UInt8], from start: Int) -> DoctypeFault? {
        var index = start
        while index < text.count {
            let rest = text[index...]
            if PlistScalars.isBlank(text[index]) {
                index += 1
            } else if rest.starts(with: "<!--".utf8) {
                guard let end = rest.dropFirst(4).firstRange(ofBytes: "-->".utf8)?.lowerBound else { return nil }
                index = end + 3
            } else if rest.starts(with: "<?".utf8) {
                guard let end = rest.dropFirst(2).firstRange(ofBytes: "?>".utf8)?.lowerBound else { return nil }
                index = end + 2
            } else if rest.starts(with: "<!DOCTYPE".utf8) {
                return fault(inDoctype: rest)
            } else {
                return nil
            }
        }
        return nil
    }

    /// The place of the first tag that is longer than `limit` bytes, as the range of its `<`; nil if there is none.
    ///
    /// libxml2 compares all attributes of a tag with each other, which takes quadratic time.
    static func overlongTag(in text: [UInt8], from start: Int, limit: Int) -> Range<Int>? {
        var index = start
        while let tag = text[index...].firstIndex(of: UInt8(ascii: "<")) {
            let rest = text[tag...]
            if rest.starts(with: "<!--".utf8) {
                index = rest.firstRange(ofBytes: "-->".utf8)?.lowerBound ?? text.count
            } else if rest.starts(with: "<![CDATA[".utf8) {
                index = rest.firstRange(ofBytes: "]]>".utf8)?.lowerBound ?? text.count
            } else {
                index = end(ofTag: rest.dropFirst().prefix(limit))
                if index == tag + 1 + limit { return tag..<(tag + 1) }
            }
        }
        return nil
    }

    /// The offset at which a tag ends or becomes invalid; the end of the text if it does neither.
    private static func end(ofTag text: ArraySlice<UInt8>) -> Int {
        var quote: UInt8?
        for index in text.indices {
            let byte = text[index]
            if byte == UInt8(ascii: "<") { return index }
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return index
            }
        }
        return text.endIndex
    }

    private static func fault(inDoctype text: ArraySlice<UInt8>) -> DoctypeFault? {
        var quote: UInt8?
        for index in text.indices {
            let byte = text[index]
            let isMark = byte == UInt8(ascii: "[") || byte == UInt8(ascii: ">")
            if let open = quote {
                if isMark {
                    return DoctypeFault(message: .markInDoctype(byte), range: index..<(index + 1), isQuoted: true)
                }
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if isMark {
                guard byte == UInt8(ascii: "[") else { return nil }
                return DoctypeFault(message: .internalSubset, range: index..<(index + 1), isQuoted: false)
            }
        }
        return nil
    }
}

/// The offset of the last occurrence of an ASCII mark; nil if there is none.
func lastIndex(of mark: String, in text: ArraySlice<UInt8>) -> Int? {
    text.indices.last { text[$0...].starts(with: mark.utf8) }
}
