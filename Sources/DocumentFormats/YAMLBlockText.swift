// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Recognizes lines that may be meant as text of a block scalar above them, and are indented too little for it.
///
/// Such a line is read as a key or a value, and quotes around it would hide the mistake.
struct YAMLBlockText {
    /// The most lines above that are read.
    private static let lineLimit = 200

    /// The most bytes of a line; nobody means a longer one as text of a block.
    private static let lengthLimit = 1_000

    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether the line that holds an offset may be text of a block scalar.
    ///
    /// Below a block without text every line may be; below another one, a line that begins with a key in small letters is
    /// not.
    func mayHold(_ offset: Int) -> Bool {
        guard var start = startOfLine(offset) else { return false }
        let (column, line) = (indent(start), start)
        // The last line with text between the block and this one.
        var next = start
        for _ in 0..<Self.lineLimit where start > 0 {
            let end = start - 1
            guard let above = startOfLine(end) else { return false }
            start = above
            let text = start + indent(start)
            if text >= bytes.count || bytes[text] <= 0x20 { continue }
            let own = indent(start)
            if own < column { return false }
            if beginsBlock(start..<end) { return indent(next) <= own || !beginsWithKey(line) }
            next = start
        }
        return false
    }

    /// The start of the line that holds an offset; nil where it is too far away.
    private func startOfLine(_ offset: Int) -> Int? {
        let end = min(offset, bytes.count)
        let first = max(0, end - Self.lengthLimit)
        if let feed = bytes[first..<end].lastIndex(of: UInt8(ascii: "\n")) { return feed + 1 }
        return first == 0 ? 0 : nil
    }

    private func indent(_ start: Int) -> Int {
        (bytes[start...].firstIndex { $0 != UInt8(ascii: " ") } ?? bytes.count) - start
    }

    private func beginsWithKey(_ start: Int) -> Bool {
        let first = start + indent(start)
        let end = bytes[first...].firstIndex { !$0.isNameByte } ?? bytes.count
        return end > first && end < bytes.count && bytes[end] == UInt8(ascii: ":")
            && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(bytes[first])
    }

    /// Whether a line ends with the sign of a block scalar after a key or a dash, perhaps before a comment.
    private func beginsBlock(_ line: Range<Int>) -> Bool {
        // Most lines have neither sign.
        guard bytes[line].contains(where: { $0 == UInt8(ascii: "|") || $0 == UInt8(ascii: ">") }) else { return false }
        var words = bytes[line].split { $0 <= 0x20 }
        if let comment = words.firstIndex(where: { $0.first == UInt8(ascii: "#") }) { words.removeSubrange(comment...) }
        guard words.count > 1, let sign = words.last, let before = words[words.count - 2].last else { return false }
        let hasSign = "|>".utf8.contains(sign[sign.startIndex])
        return hasSign && sign.dropFirst().allSatisfy { "+-123456789".utf8.contains($0) } && ":-".utf8.contains(before)
    }
}
