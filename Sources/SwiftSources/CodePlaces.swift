// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources

/// Converts offsets in files to places.
struct CodePlaces {
    let files: [SourceFile]

    func place(_ place: CodePlace) -> SourcePlace {
        let file = files[place.file]
        let start = file.storedOffset(ofUTF8: place.offset)
        var end = place.offset
        // Extends the place to the end of the word, bracket or text that begins there.
        while end < file.utf8.count, end - place.offset < 200, Self.isWord(file.utf8[end]) { end += 1 }
        if end == place.offset, end < file.utf8.count, file.utf8[end] == UInt8(ascii: "[") {
            let line = file.utf8[end...].prefix(200).prefix { $0 != UInt8(ascii: "\n") }
            if let close = line.firstIndex(of: UInt8(ascii: "]")) { end = close + 1 }
        }
        if end == place.offset, end < file.utf8.count, file.utf8[end] == UInt8(ascii: "\"") {
            let line = file.utf8[(end + 1)...].prefix(200).prefix { $0 != UInt8(ascii: "\n") }
            if let close = line.firstIndex(of: UInt8(ascii: "\"")) { end = close + 1 }
        }
        let stored = file.storedOffset(ofUTF8: Swift.max(end, Swift.min(place.offset + 1, file.utf8.count)))
        return SourcePlace(file, SourceRange(start, stored))
    }

    /// The place of a literal; nil if it is on the line where code uses it.
    func literal(_ literal: CodePlace?, usedAt place: SourcePlace) -> SourcePlace? {
        guard let found = literal.map(self.place),
            found.file.path != place.file.path || found.start.line != place.start.line
        else { return nil }
        return found
    }

    /// For reads with the same path and key, the literals of the keys in the path and of the key, with their texts.
    func literals(_ sites: [ReadSite], usedAt place: SourcePlace) -> [TargetCode.Name] {
        guard let first = sites.first else { return [] }
        return
            (first.dictionary.path.indices.map { index in sites.map { $0.dictionary.path[index] } }
            + [sites.map(\.key)]).compactMap { texts in
                let found = texts.lazy.compactMap { text in text.origin.map { (text, $0) } }.first
                guard let (text, origin) = found, let literal = text.literal,
                    let written = self.literal(origin, usedAt: place)
                else { return nil }
                let mark = TargetCode.textMark
                return TargetCode.Name(
                    text: literal.hasSuffix(mark) ? String(literal.dropLast(mark.count)) : literal, place: written)
            }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte.isWordByte || byte >= 0x80
    }
}
