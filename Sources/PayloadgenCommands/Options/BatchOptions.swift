// SPDX-License-Identifier: MIT

import ArgumentParser
import Foundation
import PayloadKit

/// The options for rendering many users.
struct BatchOptions: ParsableArguments {
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

    @Option(
        help: ArgumentHelp(
            "At the end, report the numbers of profiles by outcome, and the sizes of payloads: text or json, on standard error; FORMAT=FILE writes a file.",
            valueName: "format"
        )
    )
    var summary: FormatTarget<SummaryFormat>?

    @Option(
        help: ArgumentHelp("Write an HTML page with this summary and the largest payloads.", valueName: "file")
    )
    var report: String?

    @Option(
        help: ArgumentHelp(
            "Write a few profiles that together reach every branch that any of the profiles reaches, as NDJSON.",
            valueName: "file"
        )
    )
    var onePerBranch: String?

    @Option(
        help: ArgumentHelp(
            "Write the counts of this part of a batch as JSON, for a report on all parts with --merge.",
            valueName: "file"
        )
    )
    var counts: String?

    @Option(
        help: ArgumentHelp("The file that standard input is a part of, for the 'file' of records.", valueName: "path")
    )
    var assumeFilename: String?

    @Option(
        help: ArgumentHelp("The number that the first line of standard input has in its file.", valueName: "n")
    )
    var firstLine: Int?

    func validate() throws {
        if counts == "-" { throw ValidationError("found --counts -, expected a file: standard output is for records") }
        if resume, counts != nil {
            throw ValidationError("found --counts with --resume, which renders only a part of the profiles")
        }
        if let firstLine, !(1...Self.lineLimit).contains(firstLine) {
            throw ValidationError("found --first-line \(firstLine), expected 1 to \(Self.lineLimit)")
        }
        if let assumeFilename, assumeFilename.isEmpty {
            throw ValidationError("found an empty --assume-filename, expected a path")
        }
        if onePerBranch == "-" { throw ValidationError("found --one-per-branch -, expected a file") }
        if resume, onePerBranch != nil {
            throw ValidationError("found --one-per-branch with --resume, which renders only a part of the profiles")
        }
        if let jobs, jobs < 1 { throw ValidationError("found --jobs \(jobs), expected 1 or more") }
        if report == "-" { throw ValidationError("found --report -, expected a file: standard output is for records") }
        if let summary, summary.isForOutput {
            throw ValidationError("found \(summary.option)=-, expected a file: standard output is for records")
        }
    }

    /// The greatest number for `--first-line`, small enough that counting lines from it cannot overflow.
    private static let lineLimit = 1_000_000_000_000

    /// Throws an error for options that have an effect only with `--profiles`.
    func validateUnused() throws {
        if jobs != nil { throw ValidationError("found --jobs without --profiles") }
        if summary != nil { throw ValidationError("found --summary without --profiles") }
        if failOnAbort {
            throw ValidationError(
                "found --fail-on-abort without --profiles: one message that is aborted always ends with 3")
        }
        if shard != nil { throw ValidationError("found --shard without --profiles") }
        if resume { throw ValidationError("found --resume without --profiles") }
        if idField != nil { throw ValidationError("found --id-field without --profiles") }
        if report != nil { throw ValidationError("found --report without --profiles") }
        if onePerBranch != nil { throw ValidationError("found --one-per-branch without --profiles") }
        if counts != nil { throw ValidationError("found --counts without --profiles") }
        if assumeFilename != nil { throw ValidationError("found --assume-filename without --profiles -") }
        if firstLine != nil { throw ValidationError("found --first-line without --profiles -") }
    }

    /// Throws an error for options that have no effect with `--merge`.
    func validateMerging() throws {
        if jobs != nil { throw ValidationError("found --jobs with --merge, which renders no profiles") }
        if shard != nil { throw ValidationError("found --shard with --merge, which renders no profiles") }
        if resume { throw ValidationError("found --resume with --merge, which renders no profiles") }
        if onePerBranch != nil { throw ValidationError("found --one-per-branch with --merge, which reads no profiles") }
        if counts != nil { throw ValidationError("found --counts with --merge, which renders no profiles") }
        if assumeFilename != nil { throw ValidationError("found --assume-filename without --profiles -") }
        if firstLine != nil { throw ValidationError("found --first-line without --profiles -") }
    }

    /// Which part of a larger file standard input contains; nil unless an option says that it is a part.
    var inputPart: InputPart? {
        guard assumeFilename != nil || firstLine != nil else { return nil }
        return InputPart(file: assumeFilename, firstLine: firstLine ?? 1)
    }

    /// The number of profiles that are rendered at once.
    var jobCount: Int { min(jobs ?? ProcessInfo.processInfo.activeProcessorCount, 64) }
}

/// The formats of `--summary`.
enum SummaryFormat: String, CaseIterable {
    case text, json
}

extension FormatTarget<SummaryFormat> {
    /// The option, as messages show it.
    var option: String { "--summary \(format.rawValue)" }
}
