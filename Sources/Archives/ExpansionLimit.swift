// SPDX-License-Identifier: MIT

/// How much may come out of compressed input: what a bomb passes and no export does.
package struct ExpansionLimit: Sendable {
    /// How many bytes may come out of one; deflate itself ends at 1,032, exports of profiles stay under 30.
    package var ratio = 400

    /// The bytes up to which ``ratio`` is not asked for: a small file harms nobody.
    package var freeBytes = 64 << 20

    /// The bytes that may come out of one gzip file or one member of a zip archive: 1 TiB, some 400 million profiles.
    package var bytes = 1 << 40

    /// Creates the default limits.
    package init() {}

    /// Refuses what looks like a bomb.
    func check(input: Int, output: Int) throws(ArchiveError) {
        if output > freeBytes, output / ratio > input {
            throw ArchiveError(
                "unpacks to more than \(ratio) times its size, which no export of profiles does: it is refused as a bomb"
            )
        }
        if output > bytes { throw ArchiveError("unpacks to more than \(bytes >> 30) GiB: it is refused as a bomb") }
    }
}
