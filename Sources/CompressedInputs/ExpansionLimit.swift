// SPDX-License-Identifier: MIT

/// Limits for how much compressed input may expand, so that a small file cannot fill the memory or the disk.
///
/// Exports of profiles stay far below them.
package struct ExpansionLimit: Sendable {
    /// The maximum number of unpacked bytes for each compressed byte.
    ///
    /// Deflate allows 1,032; exports of profiles reach fewer than 30.
    package var ratio = 400

    /// The number of unpacked bytes up to which ``ratio`` is not checked: 64 MiB.
    package var freeBytes = 64 << 20

    /// The maximum number of unpacked bytes of one gzip file or one member of a zip archive: 1 TiB, about 400 million
    /// profiles.
    package var bytes = 1 << 40

    /// Creates the default limits.
    package init() {}

    /// Throws an error if `input` compressed bytes have expanded to `output` bytes and this is beyond a limit.
    package func check(input: Int, output: Int) throws(ArchiveError) {
        if output > freeBytes, output / ratio > input {
            throw ArchiveError(
                "unpacks to more than \(ratio) times its size, which no export of profiles does, and is refused"
            )
        }
        if output > bytes { throw ArchiveError("exceeds the limit of \(bytes >> 30) GiB when unpacked") }
    }
}
