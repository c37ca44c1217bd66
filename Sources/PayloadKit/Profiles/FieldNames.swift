// SPDX-License-Identifier: MIT

import SourceText

/// The names that keys of JSON are compared with; most keys are none of them, which their length tells.
struct FieldNames {
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    /// A bit for each length that a name has.
    private var lengths: UInt64 = 0

    init(_ names: [String]) {
        for name in names {
            bytes += name.utf8
            ends.append(bytes.count)
            lengths |= 1 << UInt64(name.utf8.count & 63)
        }
    }

    /// The place of the name that a key spells, at or behind a place; nil where there is none.
    @inline(__always)
    func index(of key: JSONText, from first: Int = 0, in json: borrowing JSONReader) -> Int? {
        let length = key.range.offsets.count
        if !key.hasEscapes, lengths >> UInt64(length & 63) & 1 == 0 { return nil }
        return bytes.withUnsafeBufferPointer { bytes in
            for index in first..<ends.count {
                let start = index > 0 ? ends[index - 1] : 0
                guard key.hasEscapes || ends[index] - start == length else { continue }
                if json.matches(key, UnsafeBufferPointer(rebasing: bytes[start..<ends[index]])) { return index }
            }
            return nil
        }
    }
}
