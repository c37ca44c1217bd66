// SPDX-License-Identifier: MIT

/// Collects single bytes into pieces, for sources such as `FileHandle.AsyncBytes` or `URLSession.AsyncBytes`.
///
/// A piece ends at the first line break at which it has at least 64 KiB, or at the end of the bytes.
public struct ByteChunks<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
    private let base: Base

    /// Creates the pieces of a sequence of bytes.
    public init(_ base: Base) { self.base = base }

    /// Begins the iteration.
    public func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator()) }

    /// The iterator of ``ByteChunks``.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: Base.AsyncIterator

        private static var count: Int { 1 << 16 }

        /// The next piece; nil at the end.
        public mutating func next() async throws -> [UInt8]? {
            var piece: [UInt8] = []
            piece.reserveCapacity(Self.count + 4_096)
            while let byte = try await base.next() {
                piece.append(byte)
                if byte == UInt8(ascii: "\n"), piece.count >= Self.count { break }
            }
            return piece.isEmpty ? nil : piece
        }
    }
}
