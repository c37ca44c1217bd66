// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestSupport
import Testing

@Suite struct PullCommandTests {
    private static let responses = CommandRun.package.appending(path: "examples/braze").path

    @Test func `--check ends with 1 where Braze no longer has what files hold`() throws {
        let scratch = try Scratch()
        #expect(try CommandRun(["pull", "--from", Self.responses], in: scratch.folder).status == 0)
        let check = ["pull", "--check", "--from", Self.responses]
        let same = try CommandRun(check, in: scratch.folder)
        #expect(same.status == 0 && same.errors.hasSuffix("the files are what Braze has\n"), "\(same.text)")
        try scratch.write(
            "campaigns/old--1/v.campaign.yml",
            "version: 1\ncampaign: {api_id: old-1, message_api_id: m-1}\npush: {title: Hi}\n")
        let gone = try CommandRun(check, in: scratch.folder)
        #expect(gone.status == 1, "\(gone.text)")
        #expect(gone.errors.hasSuffix("1 file has what Braze no longer has\n"), "\(gone.text)")
    }

    @Test(arguments: [
        ("dashboard-01.braze.com", "rest.iad-01.braze.com"), ("dashboard-02.braze.eu", "rest.fra-02.braze.eu"),
        ("dashboard.us-10.braze.com", "rest.us-10.braze.com"),
    ])
    func `the address of a dashboard is answered with that of the REST API`(dashboard: String, rest: String) throws {
        let run = try CommandRun(
            ["pull", "--url", "https://\(dashboard)"], environment: ["BRAZE_API_KEY": "not-a-key-123"])
        #expect(run.status == 64 && run.errors.contains("'https://\(rest)'"), "\(run.text)")
    }
}
