// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The offsets of one zone, read from a TZif file (RFC 9636).
///
/// It is a class because then reading it from the cache changes one reference count instead of one for each array.
package final class TimeZoneFile: Sendable {
    /// The instants at which the offset changes, ascending.
    private let transitions: [Int]
    /// For each transition, the index in ``offsets`` of the offset that begins there.
    private let indices: [UInt8]
    private let offsets: [TimeZoneRule.Offset]
    /// The rule after the last transition; nil if the offset no longer changes, or the file has no rule.
    private let rule: TimeZoneRule?

    /// Reads a file; nil if it is not a TZif file, or is damaged.
    package init?(_ bytes: [UInt8]) {
        guard var header = Header(bytes, at: 0) else { return nil }
        var width = 4
        if header.version >= UInt8(ascii: "2") {
            // The first block is for 32-bit readers; the second has 64-bit times and is followed by the rule.
            guard let second = Header(bytes, at: header.end(width: 4)) else { return nil }
            (header, width) = (second, 8)
        }
        let times = header.start
        let kinds = times + header.timeCount * width
        let types = kinds + header.timeCount
        let names = types + header.typeCount * 6
        guard header.typeCount > 0, header.end(width: width) <= bytes.count else { return nil }

        transitions = (0..<header.timeCount).map { bytes.bigEndian(width, at: times + $0 * width) }
        indices = Array(bytes[kinds..<types])
        var offsets: [TimeZoneRule.Offset] = []
        for type in 0..<header.typeCount {
            let place = types + type * 6
            let name = Int(bytes[place + 5])
            guard name < header.nameCount else { return nil }
            let text = bytes[(names + name)..<(names + header.nameCount)].prefix { $0 != 0 }
            offsets.append(
                TimeZoneRule.Offset(
                    seconds: bytes.bigEndian(4, at: place),
                    abbreviation: String(decoding: text, as: UTF8.self)
                )
            )
        }
        guard indices.allSatisfy({ $0 < offsets.count }), zip(transitions, transitions.dropFirst()).allSatisfy(<)
        else { return nil }
        self.offsets = offsets
        guard width == 8 else {
            rule = nil
            return
        }
        let footer = bytes[header.end(width: 8)...]
        guard footer.count >= 2, footer.first == UInt8(ascii: "\n"), footer.last == UInt8(ascii: "\n") else {
            return nil
        }
        let text = footer.dropFirst().dropLast()
        rule = text.isEmpty ? nil : TimeZoneRule(text)
        guard text.isEmpty || rule != nil else { return nil }
    }

    /// The offset in force at an instant; before the first transition, the first offset of the file.
    package func offset(at seconds: Int) -> TimeZoneRule.Offset {
        if let rule, seconds >= transitions.last ?? .min { return rule.offset(at: seconds) }
        let next = transitions.partitioningIndex { $0 > seconds }
        return next == 0 ? offsets[0] : offsets[Int(indices[next - 1])]
    }
}

extension TimeZoneFile {
    /// The counts at the start of a block.
    private struct Header {
        let version: UInt8
        /// Where the block's data begins.
        let start: Int
        let timeCount: Int
        let typeCount: Int
        let nameCount: Int
        private let leapCount: Int
        private let indicatorCount: Int

        init?(_ bytes: [UInt8], at position: Int) {
            guard bytes.count >= position + 44, bytes[position..<position + 4].elementsEqual("TZif".utf8) else {
                return nil
            }
            version = bytes[position + 4]
            start = position + 44
            let counts = (0..<6).map { bytes.bigEndian(4, at: position + 20 + $0 * 4) }
            guard counts.allSatisfy({ (0...bytes.count).contains($0) }) else { return nil }
            indicatorCount = counts[0] + counts[1]
            leapCount = counts[2]
            timeCount = counts[3]
            typeCount = counts[4]
            nameCount = counts[5]
        }

        /// Where the block ends if each of its times has `width` bytes: 4 or 8.
        func end(width: Int) -> Int {
            start + timeCount * (width + 1) + typeCount * 6 + nameCount + leapCount * (width + 4) + indicatorCount
        }
    }
}

extension [UInt8] {
    /// A signed number of 4 or 8 bytes, most significant first.
    fileprivate func bigEndian(_ width: Int, at position: Int) -> Int {
        let value = self[position..<position + width].reduce(into: UInt64(0)) { $0 = $0 << 8 | UInt64($1) }
        return width == 4 ? Int(Int32(truncatingIfNeeded: value)) : Int(truncatingIfNeeded: value)
    }
}
