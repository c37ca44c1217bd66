// SPDX-License-Identifier: MIT

import ExtensionAnalytics
import Foundation
import Testing

/// `payloadgen track`, and what `ExtensionAnalytics` reads from payloads that `render` has written.
@Suite struct TrackCommandTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func store(_ count: Int, user: UserIdentifier? = nil) throws -> PendingStore {
        let store = try PendingStore(folder: scratch.folder.appending(path: "store"), durability: .process)
        for number in 0..<count {
            let time = Date(timeIntervalSince1970: 1_795_165_200 + Double(number))
            try store.save(try PendingRecord(.event(name: "Played \(number)"), user: user, time: time))
        }
        return store
    }

    @Test func `a store becomes lines, and only what is acknowledged goes`() throws {
        _ = try store(5)
        let track = ["track", "--store", scratch.path("store"), "--braze-id", "5f1a", "--limit", "2", "--summary"]
        let first = try CommandRun(track)
        #expect(first.status == 0)
        #expect(first.errors == "5 records in 3 requests\n")
        let lines = first.output.split(separator: "\n")
        #expect(lines.count == 3 && lines[2].hasPrefix(#"{"request":3,"ids":[""#))
        #expect(
            lines[2].hasSuffix(
                #""],"body":{"events":[{"braze_id":"5f1a","name":"Played 4","time":"2026-11-20T09:00:04.000Z"}]}}"#
            )
        )
        #expect(try CommandRun(track).output == first.output, "nothing was acknowledged")

        let acknowledge = ["track", "--store", scratch.path("store"), "--acknowledge", "-", "--summary"]
        let sent = lines[0] + "\r\n\n" + lines[2]
        #expect(try CommandRun(acknowledge, input: String(sent)).errors == "3 records removed, 0 were not there\n")
        #expect(try CommandRun(acknowledge, input: String(sent)).errors == "0 records removed, 3 were not there\n")
        let rest = try CommandRun(track)
        #expect(rest.output.contains("Played 2") && rest.output.contains("Played 3"))
        #expect(rest.errors == "2 records in 1 request\n")
    }

    @Test func `what is left out and what was never replaced is reported`() throws {
        let preferences: [String: Any] = [
            "pending_custom_events": [
                ["event_name": "Played", "time": "now"], ["event_name": "YOUR-EVENT-NAME"],
            ]
        ]
        let file = scratch.folder.appending(path: "group.plist")
        try PropertyListSerialization.data(fromPropertyList: preferences, format: .binary, options: 0).write(to: file)
        let run = try CommandRun(["track", "--defaults", file.path, "--braze-id", "5f1a", "--summary"])
        #expect(run.status == 2 && run.output.contains("Played") && run.output.contains("YOUR-EVENT-NAME"))
        #expect(
            run.errors.contains("pending_custom_events[0]: properties.time: found a reserved name, which is left out"))
        #expect(run.errors.contains("contains 'YOUR-EVENT-NAME', a placeholder of Braze's guide"))
        #expect(run.errors.hasSuffix("2 records in 1 request, 1 reserved name left out\n"))
    }

    @Test func `a request keeps to the bytes that are given`() throws {
        _ = try store(3, user: .externalID("ana"))
        let run = try CommandRun(["track", "--store", scratch.path("store"), "--request-bytes", "1", "--summary"])
        #expect(run.status == 2 && run.output.split(separator: "\n").count == 3)
        #expect(run.errors.hasSuffix("3 records in 3 requests, 3 larger than --request-bytes\n"))
        let warnings = run.errors.split(separator: "\n").dropLast()
        #expect(warnings.count == 3 && warnings.allSatisfy { $0.contains("bytes, more than --request-bytes 1") })
        let id = try #require(run.output.firstMatch(of: #/"ids":\["([^"]+)"/#)).1
        #expect(warnings[0].hasPrefix("warning: the record \(id) alone gives a request of "))
        #expect(try CommandRun(["track", "--store", scratch.path("store"), "--request-bytes", "0"]).status == 64)
    }

    @Test func `a record without a user keeps no other one from being sent`() throws {
        let store = try store(1, user: .externalID("ana"))
        let time = Date(timeIntervalSince1970: 1_795_165_300)
        let record = try PendingRecord(.event(name: "Nobody"), time: time)
        try store.save(record)
        let track = ["track", "--store", scratch.path("store"), "--summary"]
        let run = try CommandRun(track)
        #expect(run.status == 2 && run.output.contains("Played 0") && !run.output.contains("Nobody"), "\(run.text)")
        let warning = "warning: the record \(record.id) names no user, so it is left out; expected --braze-id\n"
        #expect(run.errors == warning + "1 record in 1 request, 1 without a user\n")
        let acknowledged = try CommandRun(
            ["track", "--store", scratch.path("store"), "--acknowledge", "-"], input: run.output)
        #expect(acknowledged.status == 0)
        let named = try CommandRun(track + ["--braze-id", "5f1a"])
        #expect(named.status == 0 && named.output.contains("Nobody") && named.errors == "1 record in 1 request\n")
    }

    @Test func `warnings that are not printed are counted`() throws {
        _ = try store(101, user: .externalID("ana"))
        let run = try CommandRun(["track", "--store", scratch.path("store"), "--request-bytes", "1"])
        #expect(
            run.errors.hasSuffix("warning: 1 more warning; 0 records cannot be read, 101 larger than --request-bytes\n")
        )
    }

    @Test func `a torn acknowledgement removes nothing`() throws {
        _ = try store(2)
        let lines = try CommandRun(["track", "--store", scratch.path("store"), "--braze-id", "a", "--limit", "1"])
            .output
        try scratch.write("sent", String(lines.dropLast(20)))
        let run = try CommandRun(["track", "--store", scratch.path("store"), "--acknowledge", scratch.path("sent")])
        #expect(run.status == 65 && run.errors.contains("sent:2:"))
        #expect(
            try CommandRun(["track", "--store", scratch.path("store"), "--braze-id", "a", "--limit", "1"]).output
                == lines
        )
    }

    @Test func `what cannot be read is told and does not stop the rest`() throws {
        _ = try store(1, user: .externalID("ana"))
        try scratch.write("store/garbage.json", "{")
        let track = ["track", "--store", scratch.path("store")]
        let run = try CommandRun(track)
        #expect(run.status == 2 && run.output.contains(#"{"external_id":"ana","name":"Played 0""#))
        #expect(run.errors.contains("warning: 'garbage.json' was put into quarantine: invalid JSON"))
        #expect(try scratch.text("store/quarantine/garbage.json") == "{")
        let warning =
            "warning: '\(scratch.path("store/quarantine"))' contains 1 file that earlier runs could not read, and whose records are "
            + "not sent: correct them and move them back, or remove them\n"
        let again = try CommandRun(track + ["--summary"])
        #expect(again.status == 2 && again.output == run.output)
        #expect(again.errors == warning + "1 record in 1 request, 1 cannot be read\n")
        try FileManager.default.removeItem(atPath: scratch.path("store/quarantine/garbage.json"))
        #expect(try CommandRun(track).text == "exit 0\n--- stdout\n\(run.output)--- stderr\n")
    }

    /// The preferences of an app group as the guides' code writes them, with an element on which that code stops for
    /// good.
    @Test func `preferences of the guides become lines`() throws {
        let preferences: [String: Any] = [
            "pending_custom_events": [["event_name": "Played", "won": true], "poison"] as [Any],
            "pending_user_attributes": [try PropertyListEncoder().encode(["email": "ana@example.com"])],
        ]
        let file = scratch.folder.appending(path: "group.plist")
        try PropertyListSerialization.data(fromPropertyList: preferences, format: .binary, options: 0).write(to: file)
        let track = ["track", "--defaults", file.path, "--braze-id", "5f1a", "--now", "2026-11-20T09:00:00Z"]
        let run = try CommandRun(track)
        #expect(
            run.status == 2 && run.errors.contains("pending_custom_events[1] was left in place: expected a dictionary"))
        #expect(
            run.output.hasSuffix(
                #""body":{"attributes":[{"braze_id":"5f1a","email":"ana@example.com"}],"events":[{"braze_id":"5f1a","#
                    + #""name":"Played","time":"2026-11-20T09:00:00.000Z","properties":{"won":true}}]}}"# + "\n"
            )
        )
        #expect(try CommandRun(track + ["--exit-zero"]).status == 0)
        try scratch.write("sent", run.output)
        let sent = ["track", "--defaults", file.path, "--acknowledge", scratch.path("sent"), "--summary"]
        #expect(try CommandRun(sent).text == "exit 0\n--- stdout\n--- stderr\n2 records removed, 0 were not there\n")
        #expect(try CommandRun(track).output.isEmpty)
    }

    @Test func `faults have their exit codes`() throws {
        _ = try store(1)
        let store = scratch.path("store")
        try scratch.write("no.plist", "<plist>")
        for (arguments, status) in [
            ([], 64), (["--store", store, "--defaults", "a"], 64), (["--store", store, "--limit", "0"], 64),
            (["--store", store, "--acknowledge", "-", "--braze-id", "a"], 64),
            (["--store", store, "--acknowledge", "-", "--limit", "5"], 64),
            (["--store", store, "--acknowledge", "-", "--request-bytes", "5"], 64),
            (["--store", scratch.path("none")], 66), (["--store", scratch.folder.path], 65),
            (["--defaults", scratch.path("none"), "--braze-id", "a"], 66),
            (["--defaults", scratch.path("no.plist"), "--braze-id", "a"], 65),
            (["--store", store, "--acknowledge", scratch.path("none")], 66),
        ] as [([String], Int32)] {
            let run = try CommandRun(["track"] + arguments)
            #expect(run.status == status, "\(arguments)")
            #expect(run.output.isEmpty && run.errors.contains("error: "))
        }
    }

    @Test(
        arguments: [
            ("match-game", "ana", [.braze]), ("lab-register", "ana", [.braze, .rich]),
        ] as [(String, String, PushKind)]
    ) func `rendered payloads are classified`(_ campaign: String, _ profile: String, _ kind: PushKind) throws {
        let run = try CommandRun(
            [
                "render", "templates/\(campaign).campaign.yml", "--profile", "examples/profiles/\(profile).json",
                "--format", "payload", "--now", "2026-11-20T09:00:00Z",
            ],
            in: CommandRun.package
        )
        let payload = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [AnyHashable: Any]
        #expect(PushKind(try #require(payload)) == kind)
    }

    @Test(arguments: ["", " "])
    func `an empty id is no user`(id: String) throws {
        _ = try store(1)
        let run = try CommandRun(["track", "--store", scratch.path("store"), "--braze-id", id])
        #expect(run.status == 64 && run.output.isEmpty && run.errors.contains("empty --braze-id"), "\(run.text)")
    }
}
