// SPDX-License-Identifier: MIT

import Foundation
import PayloadLinting
import PayloadgenTestSupport
import Testing

@testable import CampaignPreview

/// Images are fetched only from public addresses.
@Suite struct ImageFetchTests {
    private static let public4 = HostAddress(bytes: [93, 184, 215, 14])

    /// A program that is run instead of `curl`, and writes its arguments and settings to a file.
    private func program(_ script: String) throws -> (fetch: ImageFetch, folder: TemporaryFolder) {
        let folder = try TemporaryFolder()
        try folder.write("#!/bin/sh\n(echo \"$@\"; cat) >> '\(folder.url.path)/arguments'\n\(script)\n", to: "script")
        let (written, file) = (folder.url.appending(path: "script"), folder.url.appending(path: "curl"))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: written.path)
        // The system runs no file that is open for writing, and a process that a parallel test starts may have inherited
        // the file that was written here. The copy is written by another process.
        try Process.run(URL(fileURLWithPath: "/bin/cp"), arguments: [written.path, file.path]).waitUntilExit()
        return (try ImageFetch(program: file.path), folder)
    }

    @Test(arguments: [[10, 1, 2, 3], Array(repeating: 0, count: 15) + [1], []] as [[UInt8]])
    func `addresses of private networks are refused`(bytes: [UInt8]) throws {
        let address = HostAddress(bytes: bytes)
        let (fetch, folder) = try program("exit 1")
        #expect(throws: PreviewProblem.self) {
            try fetch.image(at: "https://example.com/a.png") { _, _ in [Self.public4, address] }
        }
        #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "arguments").path))
    }

    @Test(arguments: [
        "http://example.com/a.png", "file:///etc/passwd", "https://user@example.com/a.png", "https://a:b@example.com/",
        "https://exam_ple.com/", "https://[::1]/a.png", "//example.com/a.png", "", "https://", "https://-x/",
        "https://example.com\\@127.0.0.1/",
    ])
    func `other addresses are not fetched`(address: String) {
        #expect(throws: PreviewProblem.self) { try ImageFetch.Target(address) }
    }

    @Test func `a local server is not reached`() throws {
        let (fetch, folder) = try program("exit 0")
        for host in ["localhost", "127.0.0.1", "2130706433", "0x7f.1"] {
            #expect(throws: PreviewProblem.self) { try fetch.image(at: "https://\(host)/a.png") }
        }
        #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "arguments").path))
    }

    @Test func `an image becomes a data URL, asked for at the address that was checked`() throws {
        let (fetch, folder) = try program(#"printf '\211PNG\r\n\032\n'; printf '200 ' >&2"#)
        let image = try fetch.image(at: "https://Example.com/a b.png?x=1".replacing(" ", with: "%20")) { _, _ in
            [Self.public4]
        }
        #expect(image == "data:image/png;base64,iVBORw0KGgo=")
        let arguments = try String(contentsOf: folder.url.appending(path: "arguments"), encoding: .utf8)
        // Arguments are visible to other users, so the settings are not among them.
        #expect(arguments.hasPrefix("--disable --config -\n"))
        #expect(arguments.contains("\nresolve = \"example.com:443:93.184.215.14\"\n"))
        #expect(arguments.contains("\nproto = \"=https\"\nnoproxy = \"*\"\n"))
        #expect(arguments.hasSuffix("\nurl = \"https://example.com:443/a%20b.png?x=1\"\n"))
    }

    @Test func `what is not an image, is too large or leads elsewhere is refused`() throws {
        func fetch(_ script: String) throws -> String {
            let (fetch, folder) = try program(script)
            return try withExtendedLifetime(folder) {
                try fetch.image(at: "https://example.com/a") { host, _ in
                    host == "example.com" ? [Self.public4] : [HostAddress(bytes: [10, 0, 0, 1])]
                }
            }
        }
        for script in [
            "echo '<svg>'; printf '200 ' >&2", "printf '404 ' >&2", "printf '000 ' >&2; exit 6", "exit 1",
            "head -c 6000000 /dev/zero; printf '200 ' >&2", "printf '302 https://intern.example/' >&2",
            "printf '302 http://example.com/' >&2", "printf '302 https://example.com/a' >&2",
        ] {
            #expect(throws: PreviewProblem.self, "\(script)") { try fetch(script) }
        }
    }
}
