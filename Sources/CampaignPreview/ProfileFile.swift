// SPDX-License-Identifier: MIT

import JSONTexts
package import POSIXFiles

/// A file with one profile, or with one profile on each line.
///
/// Large files are not kept in memory; a profile is read when it is shown.
package struct ProfileFile: Sendable {
    private enum Storage: Sendable {
        case memory([UInt8])
        case file(OpenFile)
    }

    /// The path of the file, as it is shown to users.
    package let path: String

    /// Whether the file has one profile on each line.
    let hasLines: Bool

    private let storage: Storage
    /// The range of bytes of each profile.
    private let ranges: [Range<Int>]
    /// The line number of each profile, from 1.
    private let lines: [Int]

    /// The largest size in bytes of a file that is kept in memory.
    private static let memoryLimit = 1 << 22

    /// The number of profiles.
    package var count: Int { ranges.count }

    /// Creates a file from its bytes.
    package init(path: String, bytes: [UInt8]) {
        self.path = path
        storage = .memory(bytes)
        var splitter = LineSplitter()
        bytes.withUnsafeBufferPointer { splitter.read($0) }
        splitter.finish()
        hasLines = Self.isProfile(bytes, at: splitter.ranges.first)
        ranges = hasLines ? splitter.ranges : bytes.isEmpty ? [] : [0..<bytes.count]
        lines = hasLines ? splitter.lines : [1]
    }

    /// Reads the file at a path.
    ///
    /// - Throws: the reason that it cannot be read.
    package init(contentsOf path: String) throws(FileError) {
        let file = try OpenFile(path)
        if file.status.size <= Self.memoryLimit {
            self.init(path: path, bytes: try file.bytes())
        } else {
            self.init(large: file)
        }
    }

    private init(large file: OpenFile) {
        path = file.path
        storage = .file(file)
        var splitter = LineSplitter()
        var offset = 0
        while true {
            let bytes = Self.read(file, offset..<offset + (1 << 20))
            if bytes.isEmpty { break }
            bytes.withUnsafeBufferPointer { splitter.read($0) }
            offset += bytes.count
        }
        splitter.finish()
        let first = splitter.ranges.first.map { Self.read(file, $0) } ?? []
        hasLines = Self.isProfile(first, at: 0..<first.count)
        ranges = hasLines ? splitter.ranges : [0..<offset]
        lines = hasLines ? splitter.lines : [1]
    }

    /// The JSON of the profile at an index.
    func bytes(of index: Int) -> [UInt8] {
        switch storage {
        case .memory(let bytes): Array(bytes[ranges[index]])
        case .file(let file): Self.read(file, ranges[index])
        }
    }

    /// The line number of the profile at an index, from 1.
    func line(of index: Int) -> Int { lines[index] }

    private static func read(_ file: OpenFile, _ range: Range<Int>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            count = Descriptor.read(file.descriptor, at: range.lowerBound, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    /// Whether the first line is a complete JSON value, so that each line is read as a profile.
    private static func isProfile(_ bytes: [UInt8], at range: Range<Int>?) -> Bool {
        guard let range else { return false }
        return bytes[range].withUnsafeBufferPointer { line in
            var json = JSONReader(line)
            do throws(JSONError) {
                _ = try json.skipValue()
                try json.finish()
                return true
            } catch {
                return false
            }
        }
    }
}

/// Finds the lines of a text that are not blank.
private struct LineSplitter {
    private(set) var ranges: [Range<Int>] = []
    private(set) var lines: [Int] = []
    private var offset = 0
    private var start = 0
    private var line = 1
    private var isBlank = true

    mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) {
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\n"): endLine()
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
            default: isBlank = false
            }
            offset += 1
        }
    }

    mutating func finish() { endLine() }

    private mutating func endLine() {
        if !isBlank {
            ranges.append(start..<offset)
            lines.append(line)
        }
        start = offset + 1
        line += 1
        isBlank = true
    }
}
