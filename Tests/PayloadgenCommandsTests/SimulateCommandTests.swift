// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@Suite struct SimulateCommandTests {
    private static let options = ["--profile", "examples/profiles/ana.json", "--now", "2026-11-20T09:00:00Z"]

    @Test(arguments: ["triggers", "stack", "discarded"])
    func `tells what is shown when, and why everything else is not`(_ name: String) throws {
        let arguments = ["simulate", "examples/scenarios/\(name).yml"] + Self.options
        let run = try CommandRun(arguments, in: CommandRun.package)
        expectSnapshot(run.text, named: name + ".txt", in: "Snapshots/Simulate")
        #expect(run.status == 0)
    }

    @Test func `writes a JSON object a line`() throws {
        let scenario = """
            {"messages": [{"id": "a", "triggers": ["push_click"], "start": "2026-11-20T09:00:01Z",
              "extras": {"at": "{{ 'now' | date: '%T' }}"}}],
             "timeline": [{"at": 0.5, "event": "push_click"}, {"at": "2026-11-20T09:00:02Z", "event": "push_click"}]}
            """
        let arguments = ["simulate", "-", "--format", "json"] + Self.options
        let run = try CommandRun(arguments, input: scenario, in: CommandRun.package)
        #expect(
            run.output == """
                {"at":0.5,"message":"a","action":"refused","why":"push click: its time has not begun"}
                {"at":0.5,"message":null,"action":"not_matched","why":"no message matches push click"}
                {"at":2.0,"message":"a","action":"shown","why":"push click","extras":{"at":"09:00:02"}}

                """
        )
        #expect(run.status == 0 && run.errors.isEmpty)
    }
}
