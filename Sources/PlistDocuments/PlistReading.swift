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

    /// Reads a file; reads it again without its directives if they caused the errors.
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
            // The invalid bytes are in a part that libxml2 skips, so this error is reported here; 9 is libxml2's code
            // for it.
            builder.fault(code: 9, message: "", at: invalid)
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
