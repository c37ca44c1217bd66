// SPDX-License-Identifier: MIT

import ArgumentParser
import Foundation
import PayloadKit

/// The options for many users.
struct BatchOptions: ParsableArguments {
    enum Summary: String, ExpressibleByArgument, CaseIterable {
        case text, json
    }

    @Option(
        help: ArgumentHelp(
            "How many profiles are rendered at once; the output is the same for any number.", valueName: "n"))
    var jobs: Int?

    @Option(help: ArgumentHelp("Render one part of the profiles: part I of N, from 1.", valueName: "i/n"))
    var shard: Shard?

    @Flag(help: "Exit with 3 where a message was aborted.")
    var failOnAbort = false

    @Flag(help: "Continue the --output FILE of a run that was killed; the result has the same bytes.")
    var resume = false

    @Option(help: ArgumentHelp("The field of an export that gives a record its id.", valueName: "name"))
    var idField: String?

    @Option(help: "At the end, report the numbers of profiles by outcome, and the sizes of payloads.")
    var summary: Summary?

    @Option(
        help: ArgumentHelp("Write an HTML page with this summary and the largest payloads.", valueName: "file")
    )
    var report: String?

    @Option(
        help: ArgumentHelp(
            "Write few profiles that together reach every branch that any of the profiles reaches, as NDJSON.",
            valueName: "file"
        )
    )
    var onePerBranch: String?

    func validate() throws {
        if onePerBranch == "-" { throw ValidationError("found --one-per-branch -, expected a file") }
        if resume, onePerBranch != nil {
            throw ValidationError("found --one-per-branch with --resume, which renders only a part of the profiles")
        }
        if let jobs, jobs < 1 { throw ValidationError("found --jobs \(jobs), expected 1 or more") }
        if report == "-" { throw ValidationError("found --report -, expected a file: standard output is for records") }
    }

    /// Refuses options that need --profiles.
    func validateUnused() throws {
        if shard != nil { throw ValidationError("found --shard without --profiles") }
        if resume { throw ValidationError("found --resume without --profiles") }
        if idField != nil { throw ValidationError("found --id-field without --profiles") }
        if report != nil { throw ValidationError("found --report without --profiles") }
        if onePerBranch != nil { throw ValidationError("found --one-per-branch without --profiles") }
    }

    /// How many profiles are rendered at once.
    var jobCount: Int { min(jobs ?? ProcessInfo.processInfo.activeProcessorCount, 64) }
}
