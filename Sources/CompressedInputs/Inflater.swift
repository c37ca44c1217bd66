// SPDX-License-Identifier: MIT

import CArchiveZlib

/// Unpacks one deflate stream piece by piece; it needs no more memory than zlib's window.
struct Inflater: ~Copyable {
    /// The container of the deflated bytes.
    enum Wrapper: Int32 {
        /// Nothing, as in zip.
        case none = -15
        /// Header and trailer of gzip, which zlib checks.
        case gzip = 31
    }

    /// The state of zlib, which keeps its address: it must not move.
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

    /// What is damaged after the bytes that the last call has written; the next call throws it.
    private(set) var fault: ArchiveError?

    /// Begins the next stream.
    mutating func reset() { inflateReset(stream) }

    /// Unpacks input until the output is full.
    ///
    /// - Parameters:
    ///   - input: the next packed bytes; the bytes that were used are removed.
    ///   - output: where to write to.
    /// - Returns: the number of bytes written, and whether the stream is at its end.
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
        // Z_BUF_ERROR says that more input or more room is needed.
        case Z_OK, Z_BUF_ERROR: return (written, false)
        default:
            let reason = stream.pointee.msg.map { String(cString: $0) }
            let found =
                status == Z_MEM_ERROR
                ? ArchiveError("cannot be unpacked: not enough memory")
                : ArchiveError("is damaged" + (reason.map { ": \($0)" } ?? ""))
            // The output before the fault is returned first.
            guard written > 0 else { throw found }
            fault = found
            return (written, false)
        }
    }
}
