// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Inputs that once made a reader trap, hang or print what it must not are read within the limits; they are in
/// `Tests/Fuzz/Found`.
@Suite struct FoundInputTests {
    @Test func `inputs that once failed are read within the limits`() throws {
        let found = CommandRun.package.appending(path: "Tests/Fuzz/Found")
        let names = FileManager.default.enumerator(atPath: found.path)?.compactMap { $0 as? String } ?? []
        let count = names.count { $0.contains("/") }
        try #require(count > 0)
        let run = try CommandRun(program: "payloadgen-fuzz", ["replay"], in: CommandRun.package)
        #expect(run.status == 0 && run.output.hasSuffix("\n\(count) passed, 0 failed\n"), "\(run.text)")
    }
}
