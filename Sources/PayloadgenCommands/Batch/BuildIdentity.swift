// SPDX-License-Identifier: MIT

import Foundation
import POSIXFiles
import PayloadKit

/// Identifies the running program and the machine's time zone data, as two builds may have the same version.
///
/// A copy of the program has the same identity on another machine with the same time zone data, which can therefore
/// render a part of the batch.
enum BuildIdentity {
    /// The identity, in hexadecimal digits.
    ///
    /// - Throws: an error if the program's own file cannot be read.
    static func text() throws(CommandFailure) -> String {
        do throws(FileError) {
            return try text(ofProgram: OpenFile(program))
        } catch {
            throw CommandFailure(.internalError, "cannot read the running program: \(error.description)")
        }
    }

    /// The path of the running program.
    private static var program: String {
        #if !canImport(Darwin)
            // This path works even if the program's file has been replaced.
            if FileStatus(path: "/proc/self/exe") != nil { return "/proc/self/exe" }
        #endif
        return Bundle.main.executablePath ?? CommandLine.arguments[0]
    }

    /// The identity of an open program file.
    ///
    /// The linker may store a hash of everything that it has linked. Together with the size of the file, which differs
    /// if something was added or removed later, this hash identifies the program. The remaining 100 MB are then not
    /// read, which would take as long as rendering 10,000 users. Without the hash, all bytes of the program are hashed.
    static func text(ofProgram program: OpenFile) throws(FileError) -> String {
        var hash = ContentHash()
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        func read(_ count: Int) throws(FileError) -> Int {
            let count = buffer.withUnsafeMutableBytes { buffer in
                Descriptor.read(program.descriptor, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
            }
            if count < 0 { throw FileError(.read, program.path, number: errno) }
            return count
        }
        var count = try read(ELFNotes.prefixCount)
        if let id = ELFNotes.buildID(in: buffer[..<count]) {
            hash.add(id)
            hash.add("\(program.status.size)")
        } else {
            while count > 0 {
                hash.add(buffer[..<count])
                count = try read(buffer.count)
            }
        }
        hash.add(SystemTimeZones.release ?? "")
        return hash.text
    }
}

/// The notes of a program in ELF, the format of Linux.
///
/// Source: "Tool Interface Standard, Executable and Linking Format", version 1.2, and its extension to 64 bits.
enum ELFNotes {
    /// The number of bytes at the start of a file that contain its header, its list of segments and nearly always its
    /// notes.
    static let prefixCount = 1 << 12

    /// Finds the linker's hash of everything that it has linked.
    ///
    /// - Parameter start: the first bytes of the file.
    /// - Returns: the hash; nil if these bytes do not contain it, or the file is not in this format.
    static func buildID(in start: ArraySlice<UInt8>) -> [UInt8]? {
        let reader = Reader(bytes: Array(start))
        // The magic number, then 64 bits and little-endian.
        guard start.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]), let segments = reader.integer(at: 32, 8),
            let size = reader.integer(at: 54, 2), let count = reader.integer(at: 56, 2)
        else { return nil }
        for index in 0..<count {
            let segment = segments + index * size
            guard reader.integer(at: segment, 4) == 4, let offset = reader.integer(at: segment + 8, 8),
                let count = reader.integer(at: segment + 32, 8), let id = reader.buildID(from: offset, count)
            else { continue }
            return id
        }
        return nil
    }

    private struct Reader {
        let bytes: [UInt8]

        func bytes(at offset: Int, _ count: Int) -> ArraySlice<UInt8>? {
            guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else { return nil }
            return bytes[offset..<offset + count]
        }

        /// An integer; nil beyond the bytes, or for a number larger than any file.
        func integer(at offset: Int, _ count: Int) -> Int? {
            guard let value = bytes(at: offset, count)?.reversed().reduce(0 as UInt64, { $0 << 8 | UInt64($1) }),
                value < 1 << 48
            else { return nil }
            return Int(value)
        }

        /// Finds the hash among the notes of a segment.
        ///
        /// Each note consists of the sizes of its name and of its contents, its type, and then the name and the
        /// contents, each padded to a multiple of four bytes.
        func buildID(from start: Int, _ count: Int) -> [UInt8]? {
            var offset = start
            while offset < start + count, let name = integer(at: offset, 4), let size = integer(at: offset + 4, 4),
                let type = integer(at: offset + 8, 4)
            {
                let contents = offset + 12 + (name + 3) & ~3
                if type == 3, size > 0, bytes(at: offset + 12, name)?.elementsEqual("GNU\0".utf8) == true {
                    return bytes(at: contents, size).map(Array.init)
                }
                offset = contents + (size + 3) & ~3
            }
            return nil
        }
    }
}
