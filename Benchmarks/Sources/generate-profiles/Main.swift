// SPDX-License-Identifier: MIT

import Foundation

/// `generate-profiles COUNT [SEED] [FIRST]` writes synthetic profiles as Braze exports them, one a line.
///
/// A profile depends on the seed and its number alone: the same arguments give the same bytes on every machine, and the
/// profiles from FIRST on are those that a longer run has there.
@main
struct Main {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst().map { UInt64($0) }
        guard (1...3).contains(arguments.count), !arguments.contains(nil), let count = arguments[0] else {
            FileHandle.standardError.write(Data("usage: generate-profiles COUNT [SEED] [FIRST]\n".utf8))
            exit(64)
        }
        let seed = arguments.count > 1 ? arguments[1] ?? 1 : 1
        let first = arguments.count > 2 ? arguments[2] ?? 1 : 1
        var output: [UInt8] = []
        output.reserveCapacity(1 << 21)
        for number in first..<first + count {
            ProfileWriter(seed: seed, number: number).write(into: &output)
            if output.count >= 1 << 20 { flush(&output) }
        }
        flush(&output)
    }

    private static func flush(_ output: inout [UInt8]) {
        output.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
                let written = write(STDOUT_FILENO, start, rest.count)
                if written < 0 { exit(errno == EPIPE ? 0 : 74) }
                rest = rest.dropFirst(written)
            }
        }
        output.removeAll(keepingCapacity: true)
    }
}
