// SPDX-License-Identifier: MIT

/// A file format, recognized by the first bytes of the file or, failing that, by its name.
///
/// Gzip, zip and, with the system's command, zstd are unpacked. The other formats are listed so that a message can name
/// them; otherwise such a file would be read as lines of text.
///
/// Sources: RFC 1952 (gzip), PKWARE's APPNOTE.TXT (zip), RFC 8878 (zstd), the xz file format, and the lists of magic
/// numbers of bzip2, 7-Zip, RAR, LZ4, compress, Parquet and Avro; POSIX.1-2024, "pax" (tar).
package struct FileFormat: Sendable, Hashable {
    /// The name of the format with its article, for messages.
    package let name: String

    /// How a user can make a file in this format readable, such as `unpack it first (xz -d)`.
    package let advice: String

    private let suffixes: [String]
    private let magics: [[UInt8]]

    /// The number of bytes at the start of a file that are enough to recognize every format.
    package static let prefixCount = 512

    package static let gzip = FileFormat("gzip", [".gz", ".gzip"], "gzip -d", [[0x1F, 0x8B]])

    /// A zip archive, which can start in three ways: with a member, as an empty archive, or as one split over several
    /// disks.
    package static let zip = FileFormat(
        "a zip archive",
        [".zip"],
        "unzip",
        [[0x50, 0x4B, 0x03, 0x04], [0x50, 0x4B, 0x05, 0x06], [0x50, 0x4B, 0x07, 0x08]]
    )

    /// Zstandard, which is unpacked with the system's `zstd` command if it is installed.
    package static let zstd = FileFormat("zstd", [".zst", ".zstd"], "zstd -d", [[0x28, 0xB5, 0x2F, 0xFD]])

    /// A tar archive, which has no magic number: it is recognized by the checksum of its first header.
    private static let tar = FileFormat("a tar archive", [".tar"], "tar -xf", [])

    private static let all = [
        gzip, zip, zstd, tar,
        FileFormat("xz", [".xz"], "xz -d", [[0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]]),
        FileFormat(
            "bzip2",
            [".bz2"],
            "bzip2 -d",
            // A digit from 1 to 9 gives the block size. After it, a block or the end of the data begins.
            (UInt8(ascii: "1")...UInt8(ascii: "9")).flatMap { digit in
                [[0x31, 0x41, 0x59, 0x26, 0x53, 0x59], [0x17, 0x72, 0x45, 0x38, 0x50, 0x90]].map { start in
                    Array("BZh".utf8) + [digit] + start
                }
            }
        ),
        FileFormat("a 7z archive", [".7z"], "7z x", [[0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]]),
        FileFormat("a RAR archive", [".rar"], "unrar x", [[0x52, 0x61, 0x72, 0x21, 0x1A, 0x07]]),
        FileFormat("LZ4", [".lz4"], "lz4 -d", [[0x04, 0x22, 0x4D, 0x18]]),
        FileFormat("compress", [".z"], "uncompress", [[0x1F, 0x9D]]),
        FileFormat("Parquet", [".parquet"], advice: "export it as NDJSON", [Array("PAR1".utf8)]),
        FileFormat("Avro", [".avro"], advice: "export it as NDJSON", [Array("Obj".utf8) + [1]]),
        // UTF-32 comes first because the byte order mark of UTF-32LE begins with that of UTF-16LE.
        FileFormat(
            "UTF-32", [], advice: "save it as UTF-8", [[0xFF, 0xFE, 0x00, 0x00], [0x00, 0x00, 0xFE, 0xFF]]),
        FileFormat("UTF-16", [], advice: "save it as UTF-8", [[0xFF, 0xFE], [0xFE, 0xFF]]),
    ]

    private init(_ name: String, _ suffixes: [String], advice: String, _ magics: [[UInt8]]) {
        self.name = name
        self.suffixes = suffixes
        self.advice = advice
        self.magics = magics
    }

    private init(_ name: String, _ suffixes: [String], _ tool: String, _ magics: [[UInt8]]) {
        self.init(name, suffixes, advice: "unpack it first (\(tool))", magics)
    }

    /// Determines the format of a file; nil for text.
    ///
    /// - Parameters:
    ///   - start: the first bytes of the file: enough for ``isEnough(_:)``, or the whole file.
    ///   - name: the name of the file; nil if it has none.
    /// - Throws: that the file is too short to have the format that its name suggests.
    package init?(start: some Collection<UInt8>, name: String?) throws(ArchiveError) {
        if let known = Self.all.first(where: { $0.begins(start) }) {
            self = known
            return
        }
        guard let promised = name.flatMap(Self.promised(by:)), promised.isTooShort(start) else { return nil }
        let bytes = start.isEmpty ? "no byte" : start.count == 1 ? "1 byte" : "\(start.count) bytes"
        throw ArchiveError("holds \(bytes), expected \(promised.name)")
    }

    /// Whether the bytes read so far are enough to determine the format of a file.
    ///
    /// A line break is enough, so that the first line from a pipe is rendered before the next line is written.
    package static func isEnough(_ start: some Collection<UInt8>) -> Bool {
        start.count >= prefixCount || start.count > 1 && start.contains(UInt8(ascii: "\n"))
    }

    /// The error for a file in a format that is not unpacked.
    ///
    /// - Parameter start: the words before the name of the format.
    /// - Returns: an error such as "is bzip2, expected lines of JSON, …".
    package func refusal(_ start: String = "is") -> ArchiveError {
        ArchiveError("\(start) \(name), expected lines of JSON, plain or compressed with gzip or zip: \(advice)")
    }

    private func begins(_ start: some Collection<UInt8>) -> Bool {
        if self == Self.tar { return Self.isTarHeader(Array(start.prefix(512))) }
        return magics.contains { start.starts(with: $0) }
    }

    private func isTooShort(_ start: some Collection<UInt8>) -> Bool {
        start.count <= 1 || magics.contains { $0.starts(with: start) }
    }

    private static func promised(by name: String) -> FileFormat? {
        let name = name.lowercased()
        return all.first { format in format.suffixes.contains { name.hasSuffix($0) } }
    }

    /// Whether 512 bytes are the header of a tar archive.
    ///
    /// The header holds the sum of all its bytes, in which the bytes of the checksum itself count as spaces.
    private static func isTarHeader(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 512, bytes[0] != 0, !bytes.contains(UInt8(ascii: "\n")) else { return false }
        let field = 148..<156
        let digits = bytes[field].drop { $0 == UInt8(ascii: " ") }.prefix { (0x30...0x37).contains($0) }
        guard !digits.isEmpty else { return false }
        let wanted = digits.reduce(0) { $0 * 8 + Int($1 - 0x30) }
        let sum = bytes.indices.reduce(0) { $0 + (field.contains($1) ? 0x20 : Int(bytes[$1])) }
        return sum == wanted
    }
}
