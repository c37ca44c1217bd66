// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Fingerprints that identify findings and stay the same while other lines of the file change.
///
/// A fingerprint is made from the rule, the path, the text of the line, and the number of earlier findings that share
/// these. It contains no line number, so it does not change when lines are added above. If a finding is about a whole
/// file, its fingerprint contains no line text, although its place is the start of the file. If a finding has no place,
/// its message replaces the path and the line.
struct Fingerprints {
    /// The fingerprint of each finding, as 16 hexadecimal digits; each one is different.
    let values: [String]

    /// Computes the fingerprints of findings, which have to be in the order of reports.
    ///
    /// - Parameters:
    ///   - diagnostics: the findings.
    ///   - path: returns the path that the fingerprint contains, given a file's path in messages.
    init(_ diagnostics: [Diagnostic], path: (String) -> String = { $0 }) {
        var counts: [UInt64: UInt64] = [:]
        var used: Set<UInt64> = []
        values = diagnostics.map { diagnostic in
            var hash = StableHash()
            hash.add(diagnostic.rule.name)
            hash.add(0 as UInt8)
            if let place = diagnostic.place {
                hash.add(path(place.file.path))
                hash.add(0 as UInt8)
                if !place.isWholeFile { hash.add(Self.lineText(of: place)) }
            } else {
                hash.add(diagnostic.message)
            }
            let count = counts[hash.value, default: 0]
            counts[hash.value] = count + 1
            hash.add(0 as UInt8)
            hash.add(String(count))
            while !used.insert(hash.value).inserted { hash.add(0 as UInt8) }
            return hash.value.hexadecimal(digits: 16)
        }
    }

    /// The line at a place without spaces and tabs at either end, and at most 1,024 bytes of it.
    private static func lineText(of place: SourcePlace) -> ArraySlice<UInt8> {
        var line = place.file.line(place.start.line).drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        while let last = line.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") { line.removeLast() }
        return line.prefix(1_024)
    }
}
