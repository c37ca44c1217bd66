// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import LiquidTemplates
import PayloadKit
import Testing

/// The examples that ship with the project.
@Suite struct ExampleTests {
    private func options() -> RenderOptions { RenderOptions(now: Messages.now) }

    @Test(arguments: try Project.campaigns())
    func `the tests of each campaign pass`(path: String) throws {
        let campaign = try Campaign(contentsOf: Project.path(path))
        #expect(campaign.findings.map(\.message) == [])
        #expect(campaign.tests.count >= 3)
        for test in campaign.tests {
            let result = try campaign.run(test, options: options(), folder: DiskFolder(around: Project.path(path)))
            #expect(result.mismatches.map(\.message) == [], "\(test.name)")
        }
    }

    @Test(arguments: try Project.campaigns())
    func `the app is ready for each campaign`(path: String) throws {
        let app = try App(contentsOf: Project.path("examples/BookDemo"))
        #expect(app.bundleIdentifier == "com.example.bookdemo")
        let renderer = try Campaign(contentsOf: Project.path(path)).renderer(options: options())
        let ana = try Profile(contentsOf: Project.path("examples/profiles/ana.json"))
        guard case .rendered(let payload) = renderer.render(ana) else {
            Issue.record("no payload")
            return
        }
        #expect(app.check(payload).map(\.message) == [])
        #expect(!payload.size.isOverBudget)
    }

    @Test func `of many users one fails and one is left alone`() throws {
        let path = Project.path("templates/lab-register.campaign.yml")
        let renderer = try Campaign(contentsOf: path).renderer(options: options())
        var session = renderer.session()
        let file = try #require(Project.file("examples/profiles/many.ndjson"))
        var statuses: [String] = []
        for number in 1..<file.lineCount {
            let line = Array(file.line(number))
            let profile = try line.withUnsafeBufferPointer { try Profile(json: $0) }
            switch session.render(profile) {
            case .rendered: statuses.append("rendered")
            case .aborted(let reason): statuses.append(reason)
            case .failed(let error): statuses.append(error.rule?.name ?? error.message)
            }
        }
        #expect(statuses == ["rendered", "rendered", "already registered", "rendered", "extras-contract", "rendered"])
    }
}
