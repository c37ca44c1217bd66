// SPDX-License-Identifier: MIT

/// Unpacks gzip piece by piece: one member or several in a row, each checked against its checksum.
///
/// Source: RFC 1952.
package struct GzipDecoder: ~Copyable {
    private enum State {
        case inside
        case betweenMembers
        /// Zeros after the last member, which pad the file to a whole block.
        case padding
    }

    private var inflater: Inflater
    private var state = State.inside
    private let limit: ExpansionLimit
    private var inputCount = 0
    private var outputCount = 0

    /// Creates a decoder for a gzip file that is read from its first byte.
    package init(limit: ExpansionLimit = ExpansionLimit()) throws(ArchiveError) {
        inflater = try Inflater(.gzip)
        self.limit = limit
    }

    /// Unpacks input until the output is full.
    ///
    /// - Parameters:
    ///   - input: the next packed bytes; used bytes are removed from it.
    ///   - output: the memory to write to.
    /// - Returns: the number of bytes written; 0 only once all input is used.
    /// - Throws: what is damaged, or that the input is not gzip at all.
    package mutating func decode(
        _ input: inout UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(ArchiveError) -> Int {
        while true {
            switch state {
            case .inside:
                // zlib is called even without new input: it may still have output that did not fit before.
                let before = input.count
                let (written, isAtEnd) = try inflater.inflate(&input, into: output)
                inputCount += before - input.count
                outputCount += written
                if isAtEnd { state = .betweenMembers }
                try limit.check(input: inputCount, output: outputCount)
                if written > 0 || !isAtEnd { return written }
            case .betweenMembers:
                guard let next = input.first else { return 0 }
                if next == 0 {
                    state = .padding
                } else {
                    inflater.reset()
                    state = .inside
                }
            case .padding:
                guard input.allSatisfy({ $0 == 0 }) else {
                    throw ArchiveError("has data after its end that is not gzip")
                }
                input = UnsafeRawBufferPointer(rebasing: input[..<0])
                return 0
            }
        }
    }

    /// Checks, at the end of the input, that the last member is complete.
    package func finish() throws(ArchiveError) {
        if let fault = inflater.fault { throw fault }
        if case .inside = state { throw ArchiveError("is cut off: the end of the gzip data is missing") }
    }
}
