// SPDX-License-Identifier: MIT

import DiagnosticSources
package import LiquidTemplates

extension CoverageMap.Text {
    /// The lines of the file that contain a node: the line where a tag or output begins, or all lines of a text that
    /// are not blank.
    package func lines(of node: BranchNode) -> Set<Int> {
        let range = node.range.offsets.clamped(to: 0..<source.text.utf8.count)
        let bytes = source.text.utf8.dropFirst(range.lowerBound).prefix(range.count)
        guard !bytes.starts(with: "{{".utf8), !bytes.starts(with: "{%".utf8) else {
            return [source.place(of: node.range).start.line]
        }
        var lines: Set<Int> = []
        var wasBlank = true
        for (offset, byte) in zip(range, bytes) {
            let isBlank = byte == UInt8(ascii: " ") || (UInt8(ascii: "\t")...UInt8(ascii: "\r")).contains(byte)
            // A text is folded only at white space, so each of its words is on one line.
            if wasBlank, !isBlank { lines.insert(source.place(of: SourceRange(offset, offset + 1)).start.line) }
            wasBlank = isBlank
        }
        return lines
    }
}
