// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestSupport
import Testing

@testable import PayloadgenCommands

/// The GitHub action takes a release of the command, if there is one, instead of building it.
@Suite struct PackagingTests {
    private let scratch: Scratch
    private let tag = "v" + Payloadgen.version

    /// Makes a folder with a release whose command prints its name.
    init() throws {
        scratch = try Scratch()
        let script = """
            mkdir -p '\(scratch.path("releases/" + tag))' && cd '\(scratch.path("releases/" + tag))'
            for system in linux-x86_64 linux-aarch64 macos-universal; do
                name=payloadgen-\(Payloadgen.version)-$system
                mkdir $name && printf '#!/bin/sh\\necho released\\n' > $name/payloadgen && chmod 755 $name/payloadgen
                tar -czf $name.tar.gz $name && rm -r $name
            done
            (sha256sum -- *.gz || shasum -a 256 -- *.gz) > SHA256SUMS 2>/dev/null
            """
        #expect(try CommandRun(shell: script).status == 0)
    }

    private func fetch(_ ref: String) throws -> CommandRun {
        let releases = URL(filePath: scratch.path("releases")).absoluteString
        let script = CommandRun.package.appending(path: "Packaging/fetch").path
        return try CommandRun(
            shell: "GITHUB_ACTION_REF='\(ref)' PAYLOADGEN_RELEASES='\(releases)' '\(script)' '\(scratch.path("taken"))'"
        )
    }

    @Test func `the release of a tag is taken, also by the first numbers of its version`() throws {
        let major = tag.prefix { $0 != "." }
        for ref in [tag, String(major)] {
            let run = try fetch(ref)
            #expect(run.status == 0, "\(run.text)")
            let command = run.output.trimmingCharacters(in: .newlines)
            #expect(try CommandRun(shell: "'\(command)'").output == "released\n")
        }
    }

    @Test(arguments: ["main", "v99.0.0", "v", "", "0123456789abcdef0123456789abcdef01234567"])
    func `another ref is built`(ref: String) throws {
        let run = try fetch(ref)
        #expect(run.status == 0 && run.output.isEmpty, "\(run.text)")
    }

    @Test func `a release that is not there is built`() throws {
        try FileManager.default.removeItem(atPath: scratch.path("releases"))
        let run = try fetch(tag)
        #expect(run.status == 0 && run.output.isEmpty, "\(run.text)")
        #expect(run.errors.contains("found no release \(tag)"))
    }

    @Test func `an archive with another checksum is an error`() throws {
        let folder = scratch.path("releases/" + tag)
        #expect(try CommandRun(shell: "cd '\(folder)' && for file in *.gz; do echo >> $file; done").status == 0)
        let run = try fetch(tag)
        #expect(run.status == 1 && run.output.isEmpty, "\(run.text)")
        #expect(run.errors.contains("its checksum differs"))
    }
}
