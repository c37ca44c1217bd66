// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Fingerprints that identify findings and stay the same while other lines of the file change.
///
/// A fingerprint is made of the rule, the path and the text of the line, and of a count where findings share these. It
/// has no line number, so it does not change when lines are added above. That of a finding about a whole file, whose
/// place is the start of the file, has no text of a line: such a finding is not about the first line.
struct Fingerprints {
    /// The fingerprint of each finding, 16 hexadecimal digits; no two are the same.
    let values: [String]

    /// Computes the fingerprints of findings in the order of the report.
    ///
    /// - Parameters:
    ///   - diagnostics: the findings.
    ///   - path: returns the path of a file that counts, from its path in messages.
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

    /// The line without leading and trailing spaces and tabs, at most its first 1,024 bytes.
    private static func lineText(of place: SourcePlace) -> ArraySlice<UInt8> {
        var line = place.file.line(place.start.line).drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        while let last = line.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") { line.removeLast() }
        return line.prefix(1_024)
    }
}
