// SPDX-License-Identifier: MIT

import ArgumentParser
import DiagnosticSources
import ExtensionAnalytics
import Foundation
import JSONTexts
import LiquidTemplates

/// `payloadgen track`: makes requests to Braze from the records that extensions saved.
struct Track: Command {
    /// The maximum number of warnings that are reported one by one; the others are only counted.
    private static let warningLimit = 100

    static let configuration = CommandConfiguration(
        commandName: "track",
        _superCommandName: Payloadgen.name,
        abstract: "Turn pending analytics into request bodies for Braze's /users/track.",
        discussion: """
            One line for each request: {"request": n, "ids": [...], "body": {...}}. Nothing is sent and nothing is removed: send the \
            bodies, and give the lines whose requests have arrived to --acknowledge, which removes exactly their records. A \
            record that was sent and not acknowledged is in the next lines again, with the same id. What cannot be read \
            goes to the store's folder 'quarantine' or stays in the preferences, is reported, and ends the command with 2, as \
            long as it is there. So does a property with a reserved name, such as 'time', which is left out of its record, and \
            a record that alone is larger than --request-bytes, which gets a request of its own, and a record that names no \
            user, which is not sent without --braze-id.

            The records of --defaults are numbered in FILE.plist.payloadgen.json, beside the file: an id names one record \
            for good, so a line may be acknowledged twice, late or in any order. A line from before the app cleared \
            its records removes nothing, and ends the command with 65.

            Example: payloadgen track --store pending --summary > requests.ndjson
            """
    )

    @Option(help: ArgumentHelp("The folder of a pending store.", valueName: "dir"))
    var store: String?

    @Option(
        help: ArgumentHelp("The preferences of an app group with the keys of Braze's guides.", valueName: "file.plist")
    )
    var defaults: String?

    @Option(help: ArgumentHelp("The user for records without one.", valueName: "id"))
    var brazeID: String?

    @Option(
        help: ArgumentHelp("Remove the records of the lines in a file, or of standard input for -.", valueName: "file")
    )
    var acknowledge: String?

    @Option(
        help: ArgumentHelp(
            "The maximum number of objects in a request, by default 75; it depends on the contract with Braze.",
            valueName: "n"
        )
    )
    var limit: Int?

    @Option(
        help: ArgumentHelp(
            """
            The maximum number of bytes in the body of a request with several records, by default \
            \(TrackRequest.byteLimit); Braze accepts 4 MB.
            """,
            valueName: "n"
        )
    )
    var requestBytes: Int?

    @Option(
        help: ArgumentHelp(
            "The time of the records of --defaults; by default that of the file in which each was first seen.",
            valueName: "time"
        )
    )
    var now: TimeArgument?

    @Flag(help: "Report the number of records on standard error.")
    var summary = false

    @Flag(help: "Exit with 0 even if some records cannot be read.")
    var exitZero = false

    @OptionGroup var color: ColorOption

    func validate() throws {
        if (store == nil) == (defaults == nil) {
            throw ValidationError("expected one of --store and --defaults")
        }
        if let limit, limit < 1 { throw ValidationError("found --limit \(limit), expected at least 1") }
        if let requestBytes, requestBytes < 1 {
            throw ValidationError("found --request-bytes \(requestBytes), expected at least 1")
        }
        if let brazeID, brazeID.allSatisfy(\.isWhitespace) {
            throw ValidationError("found an empty --braze-id, expected the id of a user")
        }
        if now != nil, defaults == nil { throw ValidationError("found --now without --defaults") }
        if acknowledge != nil {
            let options = [
                ("--braze-id", brazeID != nil), ("--now", now != nil), ("--limit", limit != nil),
                ("--request-bytes", requestBytes != nil),
            ]
            let given = options.filter(\.1).map(\.0)
            guard given.isEmpty else {
                throw ValidationError("found \(given.listed()) with --acknowledge, which writes no requests")
            }
        }
    }

    /// The maximum number of events and attribute objects in a request.
    private var objectLimit: Int { limit ?? 75 }

    /// The maximum number of bytes in the body of a request that has several records.
    private var byteLimit: Int { requestBytes ?? TrackRequest.byteLimit }

    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        let source: any PendingSource =
            if let store { try StoreSource(store) } else { try DefaultsSource(defaults ?? "", time: now?.time) }
        if let acknowledge { return try remove(Acknowledgement(acknowledge), from: source, console) }
        var tally = Tally()
        try source.forEachBatch(of: objectLimit) { records, faults throws(CommandFailure) in
            let placeholders = records.compactMap { record in
                record.placeholder.map {
                    "warning: the record \(record.id) contains '\($0)', a placeholder of Braze's guide"
                }
            }
            let earlier = faults.earlier.map { [$0.warning] } ?? []
            for warning in faults.notes + earlier + faults.unreadable + faults.omissions + placeholders {
                warn(warning, &tally, console)
            }
            tally.unreadable += faults.unreadable.count + (faults.earlier?.count ?? 0)
            tally.omissions += faults.omissions.count
            try print(records, &tally, console)
        }
        if tally.warnings > Self.warningLimit {
            let rest = counted(tally.warnings - Self.warningLimit, "more warning")
            let others = tally.withoutUserText + tally.oversizedText
            console.log("warning: \(rest); \(counted(tally.unreadable, "record")) cannot be read\(others)")
        }
        if summary { console.log(tally.text) }
        let faults = tally.unreadable + tally.omissions + tally.withoutUser + tally.oversized
        return faults > 0 ? ExitStatus.partialFailure.forgiving(exitZero) : .success
    }

    private func warn(_ warning: String, _ tally: inout Tally, _ console: Console) {
        if tally.warnings < Self.warningLimit { console.log("\(warning)") }
        tally.warnings += 1
    }

    private func print(_ records: [PendingRecord], _ tally: inout Tally, _ console: Console) throws(CommandFailure) {
        let (requests, withoutUser) = TrackRequest.requests(
            for: records, user: brazeID.map { .brazeID($0) }, limit: .total(objectLimit), byteLimit: byteLimit)
        for record in withoutUser {
            tally.withoutUser += 1
            let warning = "warning: the record \(record.id) names no user, so it is left out; expected --braze-id"
            warn(warning, &tally, console)
        }
        for request in requests {
            tally.requests += 1
            tally.records += request.records.count
            let size = request.body.utf8.count
            if size > byteLimit, let id = request.ids.first {
                tally.oversized += 1
                let warning =
                    "warning: the record \(id) alone gives a request of \(size) bytes, more than --request-bytes \(byteLimit)"
                warn(warning, &tally, console)
            }
            var json = JSONWriter()
            json.beginObject()
            json.member("request", tally.requests)
            json.array("ids", request.ids) { $0.string($1.uuidString) }
            json.key("body")
            request.body.utf8.withContiguousStorageIfAvailable { json.raw($0) }
            json.endObject()
            json.buffer.append("\n")
            try console.print(line: json.buffer)
        }
    }

    private func remove(
        _ acknowledgement: Acknowledgement,
        from source: any PendingSource,
        _ console: Console
    ) throws(CommandFailure) -> ExitStatus {
        let removal = try source.remove(acknowledgement.ids)
        if summary {
            let refused = removal.refusals.isEmpty ? "" : ", \(counted(removal.refusals.count, "id")) without a record"
            console.log("\(counted(removal.removed, "record")) removed, \(removal.absent) were not there\(refused)")
        }
        if let failure = acknowledgement.failure(removal.refusals) { throw failure }
        return .success
    }

    private struct Tally {
        var records = 0
        var requests = 0
        var unreadable = 0
        var omissions = 0
        var withoutUser = 0
        var oversized = 0
        var warnings = 0

        var text: ShownText {
            let unread: ShownText = unreadable == 0 ? "" : ", \(unreadable) cannot be read"
            let left: ShownText = omissions == 0 ? "" : ", \(counted(omissions, "reserved name")) left out"
            let others = withoutUserText + oversizedText
            return "\(counted(records, "record")) in \(counted(requests, "request"))\(unread)\(left)\(others)"
        }

        /// The number of records that are not sent because they name no user, as the end of a line; empty if there are
        /// none.
        var withoutUserText: ShownText { withoutUser == 0 ? "" : ", \(withoutUser) without a user" }

        /// The number of records that are larger than `--request-bytes`, as the end of a line; empty if there are none.
        var oversizedText: ShownText { oversized == 0 ? "" : ", \(oversized) larger than --request-bytes" }
    }
}
