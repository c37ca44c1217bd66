// SPDX-License-Identifier: MIT

import Archives
import Foundation

/// The bytes of one source of profiles, unpacked as they come.
struct ProfileStream: ~Copyable {
    private let source: ProfileSource
    private let descriptor: Int32
    private var member: ZipMemberReader?
    private var gzip: GzipDecoder?
    /// What was read and not given yet.
    private var input = [UInt8](repeating: 0, count: 1 << 16)
    private var inputRange = 0..<0
    private var isBegun = false

    /// The number of bytes that were read since they were asked for, packed ones as they are.
    private var readCount = 0

    init(_ source: ProfileSource) throws(CommandFailure) {
        self.source = source
        if case .standardInput = source.place {
            descriptor = STDIN_FILENO
            return
        }
        let descriptor = open(source.path, O_RDONLY)
        self.descriptor = descriptor
        guard descriptor >= 0 else { throw Inputs.fault(errno, at: source.path) }
        guard case .member(let entry) = source.place else { return }
        do throws(ArchiveError) {
            member = try ZipMemberReader(entry, descriptor: descriptor)
        } catch {
            throw CommandFailure(error, in: source.path)
        }
    }

    deinit {
        if descriptor != STDIN_FILENO { close(descriptor) }
    }

    /// Reads what comes next, and gives the number of bytes; 0 is the end.
    mutating func read(into output: UnsafeMutableRawBufferPointer) throws(CommandFailure) -> Int {
        do throws(ArchiveError) {
            if let count = try member?.read(into: output) { return count }
        } catch {
            throw CommandFailure(error, in: source.path)
        }
        if !isBegun { try begin() }
        if gzip != nil { return try unpack(into: output) }
        guard inputRange.isEmpty else { return giveInput(to: output) }
        let count = try Inputs.read(descriptor, into: output, at: source.path)
        readCount += count
        return count
    }

    /// The number of bytes that were read since this was asked last.
    mutating func takeReadCount() -> Int {
        readCount += member?.takeReadCount() ?? 0
        defer { readCount = 0 }
        return readCount
    }

    /// Looks at how the input starts: gzip is told by its first bytes, whatever the name is.
    private mutating func begin() throws(CommandFailure) {
        isBegun = true
        let magics = [GzipDecoder.magic, ZipArchive.magic]
        while inputRange.count < 4, magics.contains(where: { $0.starts(with: input[inputRange].prefix($0.count)) }) {
            guard try fill() > 0 else { break }
        }
        if input[inputRange].starts(with: ZipArchive.magic) {
            throw CommandFailure(
                .unreadableInput,
                "'\(source.path)' is a zip archive, which is read from its end: expected its name as a file"
            )
        }
        guard input[inputRange].starts(with: GzipDecoder.magic) else { return }
        do throws(ArchiveError) { gzip = try GzipDecoder() } catch { throw CommandFailure(error, in: source.path) }
    }

    /// Reads more input behind what is there.
    private mutating func fill() throws(CommandFailure) -> Int {
        if inputRange.isEmpty { inputRange = 0..<0 }
        let end = inputRange.upperBound
        let count = try Inputs.read(descriptor, into: &input, from: end, at: source.path)
        readCount += count
        inputRange = inputRange.lowerBound..<end + count
        return count
    }

    private mutating func giveInput(to output: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(inputRange.count, output.count)
        output.copyBytes(from: input[inputRange].prefix(count))
        inputRange = inputRange.lowerBound + count..<inputRange.upperBound
        return count
    }

    private mutating func unpack(into output: UnsafeMutableRawBufferPointer) throws(CommandFailure) -> Int {
        while true {
            if inputRange.isEmpty, try fill() == 0 {
                do throws(ArchiveError) { try gzip?.finish() } catch { throw CommandFailure(error, in: source.path) }
                return 0
            }
            let range = inputRange
            var used = 0
            do throws(ArchiveError) {
                let written = try input.withUnsafeBufferPointer { bytes throws(ArchiveError) in
                    var packed = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[range]))
                    let written = try gzip?.decode(&packed, into: output) ?? 0
                    used = range.count - packed.count
                    return written
                }
                inputRange = range.lowerBound + used..<range.upperBound
                if written > 0 { return written }
            } catch {
                throw CommandFailure(error, in: source.path)
            }
        }
    }
}
