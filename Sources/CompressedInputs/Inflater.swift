// SPDX-License-Identifier: MIT

import CArchiveZlib

/// Unpacks one deflate stream piece by piece, using no more memory than zlib's window.
struct Inflater: ~Copyable {
    /// The format around the deflated bytes; the raw value is zlib's parameter `windowBits`.
    enum Wrapper: Int32 {
        /// No header and no trailer: zip has its own.
        case none = -15
        /// The header and trailer of gzip, which zlib checks.
        case gzip = 31
    }

    /// The state of zlib.
    ///
    /// It must not move in memory, because it contains its own address.
    private let stream: UnsafeMutablePointer<z_stream>

    init(_ wrapper: Wrapper) throws(ArchiveError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream, wrapper.rawValue, ZLIB_VERSION, size) == Z_OK else {
            throw ArchiveError("cannot be unpacked: not enough memory")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// The error in the input directly after the bytes that the last call unpacked; the next call throws it.
    private(set) var fault: ArchiveError?

    /// Prepares for the next stream, and keeps the memory.
    mutating func reset() { inflateReset(stream) }

    /// Unpacks input until the output is full.
    /// - Parameters:
    ///   - input: the next packed bytes; used bytes are removed from it.
    ///   - output: the memory to write to.
    /// - Returns: the number of bytes written, and whether the stream has ended.
    /// - Throws: zlib's message about what is damaged.
    mutating func inflate(
        _ input: inout UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(ArchiveError) -> (written: Int, isAtEnd: Bool) {
        if let fault { throw fault }
        let given = UInt32(clamping: input.count)
        let room = UInt32(clamping: output.count)
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        )
        stream.pointee.avail_in = given
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = room
        let status = CArchiveZlib.inflate(stream, Z_NO_FLUSH)
        input = UnsafeRawBufferPointer(rebasing: input[Int(given - stream.pointee.avail_in)...])
        let written = Int(room - stream.pointee.avail_out)
        switch status {
        case Z_STREAM_END: return (written, true)
        // Z_BUF_ERROR is not a fault: zlib needs more input, or more memory to write to.
        case Z_OK, Z_BUF_ERROR: return (written, false)
        default:
            let reason = stream.pointee.msg.map { String(cString: $0) }
            let found =
                status == Z_MEM_ERROR
                ? ArchiveError("cannot be unpacked: not enough memory")
                : ArchiveError("is damaged" + (reason.map { ": \($0)" } ?? ""))
            // The bytes unpacked before the error are returned first; the next call throws the error.
            guard written > 0 else { throw found }
            fault = found
            return (written, false)
        }
    }
}
