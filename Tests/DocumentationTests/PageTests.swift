// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Every page of the documentation is right: its commands print what it shows, and its code builds.
///
/// `RECORD_SNAPSHOTS=1` writes the actual output into the pages, and fails.
@Suite struct PageTests {
    private static let repository = Result { try Repository() }

    /// The pages whose fences another test, `DialectPageTests`, runs or writes: Liquid templates with their context and
    /// output.
    private static let liquidPages = ["Dialect.md", "Filters.md"].map { "Sources/BrazeLiquid/BrazeLiquid.docc/\($0)" }

    /// Whether `GeneratedPageTests` writes the page, from what other tests run.
    private static func isGenerated(_ path: String) -> Bool {
        path.hasPrefix("docs/rules/") || path == "docs/configuration.md"
    }

    @Test(arguments: try repository.get().pages.filter { !liquidPages.contains($0) && !isGenerated($0) })
    func `a page says what happens`(path: String) throws {
        let repository = try Self.repository.get()
        let page = Page(path: path, text: try repository.text(path))
        let check = try PageCheck(page, exceptions: NotRun.all, repository: repository)
        let file = repository.root.appending(path: path)
        if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1", let corrected = check.corrected {
            try Data(corrected.utf8).write(to: file)
            Issue.record("recorded what the commands of \(path) print: look at it and run again")
        }
        for fault in check.faults {
            let location = SourceLocation(fileID: "Pages/\(path)", filePath: file.path, line: fault.line, column: 1)
            Issue.record("\(path):\(fault.line): \(fault.message)", sourceLocation: location)
        }
    }

    @Test(arguments: NotRun.all)
    func `what is listed as not run is on a page and has a reason`(exception: NotRun) throws {
        #expect(try Self.repository.get().pages.contains(exception.page))
        #expect(!exception.reason.isEmpty)
    }
}
