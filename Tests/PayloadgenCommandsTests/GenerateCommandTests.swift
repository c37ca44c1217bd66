// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestSupport
import Testing

/// The code that `generate swift` writes compiles, and reads what campaigns send.
@Suite struct GenerateCommandTests {
    private static let swiftc = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/swiftc" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    private func run(_ arguments: [String], in folder: String) throws -> CommandRun {
        try CommandRun(arguments, in: URL(filePath: folder))
    }

    private func tool(_ path: String, _ arguments: [String], in folder: String) throws -> (status: Int32, text: String)
    {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: folder)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }

    private static let extras = """
        count: {type: integer, required: true}
        title: {required: true}
        price: {type: number}
        is_new: {type: boolean}
        link_url: {type: url}
        until: {type: date}
        stats: {type: json}
        self: {}
        "class": {}
        "1st \\"(key)\\\\": {}
        is-new: {}
        日本: {}

        """

    private static let reader = """
        import Foundation

        func read(_ more: [AnyHashable: Any]) {
            let required: [AnyHashable: Any] = ["count": "3", "title": "Hi", 7: 7]
            do {
                let push = try DemoExtras(userInfo: required.merging(more) { $1 })
                let values: [Any?] = [
                    push.price, push.isNew, push.linkURL, push.until?.timeIntervalSince1970,
                    push.stats.map { String(decoding: $0, as: UTF8.self) }, push.selfPair, push.class,
                    push.pair1stKey, push.isNew2, push.日本,
                ]
                print(push.count, push.title, values.map { $0.map { "\\($0)" } ?? "-" }.joined(separator: " "))
            } catch let error as DemoExtras.InvalidPair {
                print("\\(error.key): \\(error)")
            } catch {
                print("another error: \\(error)")
            }
        }

        read([:])
        read(["price": "-2.5e1", "is_new": "true", "link_url": "app://a", "until": "2026-12-04", "stats": ["b": [1], "a": true]])
        read(["self": "a", "class": "b", "1st \\"(key)\\\\": "c", "is-new": "d", "日本": "e"])
        for time in ["2026-12-04T09:00:00Z", "2026-12-04 10:30:00.25+01:30", "2026-12-04t09:00:00z"] { read(["until": time]) }
        for blank in ["", " \\n"] { read(["price": blank, "link_url": blank, "until": blank, "is_new": blank]) }
        for value in [NSNull(), 1, ["a"], ["a": NSNull()], "text"] as [Any] { read(["stats": value]) }
        read(["count": ""])
        read(["count": "3.0"])
        read(["count": 3])
        read(["title": " "])
        read(["title": NSNull()])
        for price in ["nan", "0x1p3", "1,5", "inf"] { read(["price": price]) }
        read(["is_new": "yes"])
        for link in ["a.png", "https"] { read(["link_url": link]) }
        for time in ["soon", "2026-12-04T09:00:00", "2026-12-04T09:00:00.Z", "2026-13-04"] { read(["until": time]) }
        read(["stats": Date()])

        """

    @Test(.enabled(if: swiftc != nil, "needs swiftc"), arguments: ["5", "6"])
    func `the type compiles, and reads good and bad pairs`(_ mode: String) throws {
        let swiftc = try #require(Self.swiftc)
        try withTemporaryFolder(["Demo/payloadgen.extras.yml": Self.extras, "main.swift": Self.reader]) { folder in
            let generate = ["generate", "swift", "Demo/payloadgen.extras.yml", "--output", "DemoExtras.swift"]
            let made = try run(generate, in: folder)
            #expect(made.text == "exit 0\n--- stdout\n--- stderr\n")
            let strict = [
                "-swift-version", mode, "-warnings-as-errors", "-strict-concurrency=complete",
                "-enable-upcoming-feature", "ExistentialAny", "-enable-upcoming-feature", "MemberImportVisibility",
            ]
            let built = try tool(swiftc, strict + ["main.swift", "DemoExtras.swift", "-o", "demo"], in: folder)
            try #require(built.status == 0, "\(built.text)")
            let printed = try tool(folder + "/demo", [], in: folder)
            #expect(printed.status == 0)
            expectSnapshot(printed.text, named: "read.txt", in: "Snapshots/Generate")

            let access = try run(generate + ["--access", "public"], in: folder)
            #expect(access.status == 0)
            let library = ["-typecheck", "-parse-as-library", "DemoExtras.swift"]
            let internalImports = ["-enable-upcoming-feature", "InternalImportsByDefault"]
            for features in [[], internalImports] {
                let checked = try tool(swiftc, strict + features + library, in: folder)
                #expect(checked.status == 0, "\(checked.text)")
            }
            // If no type of Foundation is used, a public import of Foundation would be a warning.
            try "count: {type: integer}\n".write(
                toFile: folder + "/payloadgen.extras.yml", atomically: true, encoding: .utf8)
            let plain = [
                "generate", "swift", "payloadgen.extras.yml", "--access", "public", "--output", "DemoExtras.swift",
            ]
            #expect(try run(plain, in: folder).status == 0)
            let checked = try tool(swiftc, strict + internalImports + library, in: folder)
            #expect(checked.status == 0, "\(checked.text)")
        }
    }

    @Test func `the type of a campaign is documented`() throws {
        let campaign = "templates/lab-progress.campaign.yml"
        let made = try CommandRun(["generate", "swift", campaign], in: CommandRun.package)
        expectSnapshot(made.text, named: "lab-progress.txt", in: "Snapshots/Generate")
    }

    @Test func `a file that is out of date ends with 1, and stays as it is`() throws {
        let extras = "a: {type: integer}\n"
        try withTemporaryFolder(["Lab/payloadgen.extras.yml": extras]) { folder in
            let generate = ["generate", "swift", "Lab/payloadgen.extras.yml", "--output", "Lab.swift"]
            #expect(try run(generate + ["--check"], in: folder).status == 1)
            #expect(!FileManager.default.fileExists(atPath: folder + "/Lab.swift"))
            #expect(try run(generate, in: folder).status == 0)
            let first = try String(contentsOfFile: folder + "/Lab.swift", encoding: .utf8)
            #expect(try run(generate + ["--check"], in: folder).text == "exit 0\n--- stdout\n--- stderr\n")
            let more = extras + "b: {type: url, required: true}\n"
            try Data(more.utf8).write(to: URL(filePath: folder + "/Lab/payloadgen.extras.yml"))
            let check = try run(generate + ["--check"], in: folder)
            #expect(check.status == 1 && check.errors.contains("'Lab.swift' is out of date"))
            #expect(try String(contentsOfFile: folder + "/Lab.swift", encoding: .utf8) == first)
            #expect(try run(generate, in: folder).status == 0)
            #expect(try String(contentsOfFile: folder + "/Lab.swift", encoding: .utf8).contains("let b: URL"))
        }
    }

    @Test func `what cannot be generated is refused`() throws {
        let files = [
            "a.campaign.yml": "version: 1\npush: {title: Hi}\n",
            "payloadgen.extras.yml": "count: {type: int}\n", "empty/payloadgen.extras.yml": "# nothing\n",
            "b.campaign.yml": "version: 1\npush: {title: Hi}\nrequires: {extras: {a: {}}}\n",
        ]
        try withTemporaryFolder(files) { folder in
            for (arguments, status, message) in [
                (["a.campaign.yml"], 65, "requires no key-value pairs"),
                (["payloadgen.extras.yml"], 65, "payloadgen.extras.yml:1:15: error: 'extras.count.type': found 'int'"),
                (["empty/payloadgen.extras.yml"], 65, "lists no key-value pairs"),
                (["none/payloadgen.extras.yml"], 66, "none/payloadgen.extras.yml"),
                (["b.campaign.yml", "--check"], 64, "--check without --output"),
                (["b.campaign.yml", "--type", "a b"], 64, "expected the name of a type"),
                (["b.campaign.yml", "--type", "Pairs"], 64, "expected the name of a type"),
                (["b.campaign.yml", "--output", "b.campaign.yml"], 64, "expected two files"),
                (["b.txt"], 64, "expected NAME.campaign.yml or payloadgen.extras.yml"),
                (["b.campaign.yml", "--output", "none/b.swift"], 74, "none/b.swift"),
            ] {
                let refused = try run(["generate", "swift"] + arguments, in: folder)
                #expect(refused.status == status, "\(arguments): \(refused.text)")
                #expect(refused.errors.contains(message), "\(arguments): \(refused.errors)")
            }
        }
    }
}
