// SPDX-License-Identifier: MIT

package import DiagnosticSources

extension DocumentNode {
    /// The ranges of the comments of a YAML file, each from the number sign to the end of the line.
    ///
    /// - Parameter file: the file whose root is this node.
    /// - Returns: the ranges, in ascending order.
    package func comments(in file: SourceFile) -> [Range<Int>] {
        let bytes = file.bytes
        var scalars: [Range<Int>] = []
        addScalarRanges(to: &scalars)
        scalars.sort { $0.lowerBound < $1.lowerBound }
        return (1...file.lineCount).compactMap { number in
            let line = file.line(number)
            return line.indices.first { index in
                bytes[index] == UInt8(ascii: "#")
                    && YAMLOutline.isBlank(index > line.startIndex ? bytes[index - 1] : 0x20)
                    && !Self.isText(index, in: bytes, scalars)
            }.map { $0..<line.endIndex }
        }
    }

    /// Adds the ranges of all keys and scalars in this node.
    private func addScalarRanges(to ranges: inout [Range<Int>]) {
        switch content {
        case .scalar: ranges.append(range.offsets)
        case .sequence(let elements): for element in elements { element.addScalarRanges(to: &ranges) }
        case .mapping(let members):
            for member in members {
                ranges.append(member.keyRange.offsets)
                member.value.addScalarRanges(to: &ranges)
            }
        }
    }

    /// Whether an offset is in the text of a scalar; a comment after the `|` or `>` of a block is not.
    private static func isText(_ offset: Int, in bytes: [UInt8], _ scalars: [Range<Int>]) -> Bool {
        let next = scalars.partitioningIndex { $0.lowerBound >= offset + 1 }
        guard next > 0, scalars[next - 1].contains(offset) else { return false }
        let start = scalars[next - 1].lowerBound
        let isBlock = bytes[start] == UInt8(ascii: "|") || bytes[start] == UInt8(ascii: ">")
        return !isBlock || bytes[start..<offset].contains(UInt8(ascii: "\n"))
    }
}
