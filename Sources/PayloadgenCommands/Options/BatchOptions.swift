// SPDX-License-Identifier: MIT

import ArgumentParser
import Foundation

/// The options that make sense for many users alone.
struct BatchOptions: ParsableArguments {
    enum Summary: String, ExpressibleByArgument, CaseIterable {
        case text, json
    }

    @Option(help: ArgumentHelp("How many profiles are rendered at once; the output is the same.", valueName: "n"))
    var jobs: Int?

    @Option(help: ArgumentHelp("Take one part of the profiles: part I of N, from 1.", valueName: "i/n"))
    var shard: Shard?

    @Flag(help: "End with 3 where a message was aborted.")
    var failOnAbort = false

    @Option(help: "Tell at the end how many were rendered, aborted and failed.")
    var summary: Summary?

    func validate() throws {
        if let jobs, jobs < 1 { throw ValidationError("found --jobs \(jobs), expected 1 or more") }
    }

    /// Refuses what one user has no use for.
    func validateUnused() throws {
        if shard != nil { throw ValidationError("found --shard without --profiles") }
    }

    /// How many profiles are rendered at once.
    var jobCount: Int { min(jobs ?? ProcessInfo.processInfo.activeProcessorCount, 64) }
}

/// One of several parts of a batch, `I/N`.
struct Shard: ExpressibleByArgument {
    let index: Int
    let count: Int

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let index = parts[0], let count = parts[1], (1...max(count, 1)).contains(index) else {
            return nil
        }
        self.index = index
        self.count = count
    }

    /// Whether what has these bytes belongs to the part: FNV-1a of 64 bits, which is the same everywhere.
    func contains(_ bytes: some Sequence<UInt8>) -> Bool {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash % UInt64(count) == UInt64(index - 1)
    }
}
