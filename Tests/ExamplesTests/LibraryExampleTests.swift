// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestSupport
import Testing

/// The example of a tool for campaigns, which is built with the tests, works on the other examples.
@Suite struct LibraryExampleTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardizedFileURL

    private static let executable = builtProduct("RenderCampaigns")

    private func run(_ campaign: String) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = Self.executable
        process.arguments = [campaign, "examples/profiles/ana.json", "examples/BookDemo"]
        process.currentDirectoryURL = Self.package
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }

    @Test func `a campaign is rendered, measured and checked against the app`() throws {
        let (status, output) = try run("templates/lab-progress.campaign.yml")
        #expect(status == 0, "\(output)")
        #expect(output.contains(#""category":"lab_progress""#))
        #expect(output.contains("bytes, of which"))
    }

    @Test func `a campaign without requires has to send what the app reads`() throws {
        let text = "push: {title: Hi, category: lab_progress, extras: {completed_session_count: many}}\n"
        try withTemporaryFolder(["a.campaign.yml": text]) { folder in
            let (status, output) = try run(folder + "/a.campaign.yml")
            #expect(status == 1)
            #expect(output.contains("'completed_session_count' is 'many', expected an integer (extras-contract)"))
            #expect(output.contains("'total_session_count' is not sent, expected an integer (extras-contract)"))
        }
    }

    @Test func `a campaign that is not there ends with an error`() throws {
        let (status, output) = try run("templates/none.campaign.yml")
        #expect(status != 0)
        #expect(output.contains("none.campaign.yml"))
    }
}
