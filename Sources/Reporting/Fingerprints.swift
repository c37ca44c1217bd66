// SPDX-License-Identifier: MIT

import SourceText

/// What tells a finding from others and stays the same while the file around it changes.
///
/// A finding is known by its rule, its path and the text of its line; findings that share these are counted. Line numbers
/// take no part, so that lines added above do not make old findings new.
struct Fingerprints {
    /// The fingerprint of each finding, 16 hexadecimal digits; no two are the same.
    let values: [String]

    /// Computes the fingerprints of findings in the order of the report.
    init(_ diagnostics: [Diagnostic]) {
        var counts: [UInt64: UInt64] = [:]
        var used: Set<UInt64> = []
        values = diagnostics.map { diagnostic in
            var hash = FNV1a()
            hash.add(diagnostic.rule.name.utf8)
            hash.add([0])
            if let place = diagnostic.place {
                hash.add(place.file.path.utf8)
                hash.add([0])
                hash.add(Self.lineText(of: place))
            } else {
                hash.add(diagnostic.message.utf8)
            }
            let count = counts[hash.value, default: 0]
            counts[hash.value] = count + 1
            hash.add([0])
            hash.add(String(count).utf8)
            while !used.insert(hash.value).inserted { hash.add([0]) }
            let digits = String(hash.value, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }
    }

    /// The start of the line without blanks at either end; enough to tell lines, and no more than a kilobyte.
    private static func lineText(of place: SourcePlace) -> ArraySlice<UInt8> {
        var line = place.file.line(place.start.line).drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        while let last = line.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") { line.removeLast() }
        return line.prefix(1_024)
    }
}

/// The hash FNV-1a with 64 bits: small, and the same on every machine, which Swift's own hashing is not.
private struct FNV1a {
    var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
}
