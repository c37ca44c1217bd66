// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestSupport
import Testing

@testable import PayloadgenCommands

/// Every line of every input is read once, whatever form the input has.
@Suite struct BatchInputTests {
    private static let render = "$PAYLOADGEN render greeting.campaign.yml --rule campaign-without-app=off --profiles"

    private static func lines(_ range: Range<Int>) -> String {
        range.map { "{\"external_id\":\"id-\($0)\",\"first_name\":\"José\"}\n" }.joined()
    }

    private static func render(_ scratch: Scratch, _ arguments: String) throws -> CommandRun {
        try CommandRun(shell: "F='\(scratch.folder.path)'; \(render) \(arguments)")
    }

    @Test(arguments: [
        ("{\n\"users\": [\n{\"external_id\": \"a\"},\n", true), ("{\n\"external_id\": \"a\",\n", false),
    ])
    func `an object on several lines is known by its first bytes, but lines where it is cut off`(
        _ text: String,
        _ isExport: Bool
    ) {
        func form(isWhole: Bool) -> ProfileForm {
            Array(text.utf8).withUnsafeBufferPointer { ProfileForm($0, .init(isWhole: isWhole, isLast: true)) }
        }
        guard case .other(let words) = form(isWhole: false) else {
            Issue.record("read as lines")
            return
        }
        #expect(words.contains("'.users[]'") == isExport)
        #expect(form(isWhole: true) == .lines)
    }

    /// The records without the names of their files, for a comparison.
    private static func unnamed(_ records: String) -> String {
        records.replacing(/"file":"[^"]*",/, with: "")
    }

    // MARK: - Forms

    /// Lines, some of which are not profiles, some are blank, and some are longer than the buffer of a pipe.
    private static func text(_ random: inout SplitMix) -> [UInt8] {
        var text: [UInt8] = Bool.random(using: &random) ? [0xEF, 0xBB, 0xBF] : []
        for line in 0..<Int.random(in: 1..<60, using: &random) {
            switch Int.random(in: 0..<9, using: &random) {
            case 0: text += " \t\r".utf8
            case 1: text += [[0], [0x0C], [0x1B, 0x5B], [0xFF], Array("{".utf8)].randomElement(using: &random) ?? []
            case 2: text += "{\"status\":\"rendered\",\"payload\":{}}".utf8
            case 3:
                let pad = String(repeating: "x", count: Int.random(in: 0..<100_000, using: &random))
                text += "{\"external_id\":\"\(line)\",\"pad\":\"\(pad)\"}".utf8
            default: text += "{\"external_id\":\"\(line)\"}\(line % 2 == 0 ? "" : "\r")".utf8
            }
            text += "\n".utf8
        }
        if Bool.random(using: &random) { text.removeLast() }
        return text
    }

    /// The text as gzip with several members, split at random places.
    private static func gzip(_ text: [UInt8], _ random: inout SplitMix) -> [UInt8] {
        let cut = Int.random(in: 0...text.count, using: &random)
        return packed(Array(text[..<cut])) + packed(Array(text[cut...]))
    }

    /// The records of a text that comes through a pipe in random parts.
    private static func piped(_ text: [UInt8], _ random: inout SplitMix, _ scratch: Scratch) throws -> String {
        let process = CommandRun.process(["render", "greeting.campaign.yml", "--profiles", "-"])
        let pipe = Pipe()
        process.standardInput = pipe
        try scratch.write("piped", "")
        process.standardOutput = try FileHandle(forWritingTo: scratch.folder.appending(path: "piped"))
        process.standardError = FileHandle.nullDevice
        try process.run()
        var rest = text[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...max(1, min(rest.count, text.count / 3)), using: &random))
            try pipe.fileHandleForWriting.write(contentsOf: Data(piece))
            rest = rest.dropFirst(piece.count)
        }
        try pipe.fileHandleForWriting.close()
        process.waitUntilExit()
        return try scratch.text("piped")
    }

    @Test(arguments: 1...6) func `the same lines give the same records in every form`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let scratch = try Scratch()
        let text = Self.text(&random)
        try scratch.write("lines", text)
        try scratch.write("lines.gz", Self.gzip(text, &random))
        let member = ZipFile.Member("lines", text).with { member in
            member.isDeflated = Bool.random(using: &random)
            member.hasDescriptor = Bool.random(using: &random)
        }
        try scratch.write("lines.zip", ZipFile([member]).bytes)
        try FileManager.default.createDirectory(atPath: scratch.path("d/a"), withIntermediateDirectories: true)
        try scratch.write("d/a/lines", text)
        let plain = try Self.render(scratch, "$F/lines --jobs 1").output
        let expected = text.split(separator: UInt8(ascii: "\n")).count { line in
            !line.allSatisfy { [0x20, 0x09, 0x0D].contains($0) } && !line.elementsEqual([0xEF, 0xBB, 0xBF])
        }
        #expect(plain.split(separator: "\n").count == expected)
        #expect(try Self.piped(text, &random, scratch) == plain)
        let forms = ["$F/lines.gz", "$F/lines.zip", "$F/d", "'$F/l*s'", "- < $F/lines.gz", "- < $F/lines.zip"]
        for form in forms {
            let run = try Self.render(scratch, "\(form.replacing("'$F/l*s'", with: "\"$F/l*s\"")) --jobs 3")
            #expect(Self.unnamed(run.output) == plain, "\(form)")
        }
        // The shards of a batch together have all lines, whatever form the input has.
        let parts = try (1...3).map { try Self.render(scratch, "$F/lines --shard \($0)/3").output }
        let sorted = parts.joined().split(separator: "\n").sorted()
        #expect(sorted == plain.split(separator: "\n").sorted())
        for (index, part) in parts.enumerated() {
            let run = try Self.render(scratch, "$F/lines.zip --shard \(index + 1)/3")
            #expect(Self.unnamed(run.output) == part)
        }
    }

    // MARK: - Pipes

    @Test func `a named pipe is opened once`() throws {
        let scratch = try Scratch()
        try scratch.write("users", Self.lines(0..<20_000))
        try scratch.write("packed", packed(Array(Self.lines(20_000..<20_010).utf8)))
        let run = try CommandRun(
            shell: """
                F='\(scratch.folder.path)'; mkfifo $F/a $F/b
                cat $F/users > $F/a & cat $F/packed > $F/b &
                \(Self.render) $F/a --profiles $F/b; echo "exit $?"; wait
                """
        )
        let records = run.output.split(separator: "\n")
        #expect(records.count == 20_011)
        #expect(records.first?.hasPrefix(#"{"id":"id-0","file":"\#(scratch.path("a"))","line":1,"#) == true)
        #expect(
            records.dropLast().last?.hasPrefix(#"{"id":"id-20009","file":"\#(scratch.path("b"))","line":10,"#) == true)
        #expect(records.last == "exit 0")
        #expect(run.errors == "")
    }

    @Test func `a pipe gives the record of a line before the next line is written`() throws {
        let scratch = try Scratch()
        try scratch.write("out", "")
        let run = try CommandRun(
            shell: """
                F='\(scratch.folder.path)'
                { echo '{"external_id":"a"}'
                  for i in $(seq 500); do grep -q '"id":"a"' $F/out && break; sleep 0.02; done
                  grep -q '"id":"a"' $F/out && echo '{"external_id":"b"}'; } | \(Self.render) - > $F/out
                cut -c1-9 $F/out
                """
        )
        #expect(run.output == "{\"id\":\"a\"\n{\"id\":\"b\"\n")
    }

    @Test func `a pipe cannot be gone on with`() throws {
        let scratch = try Scratch()
        let run = try CommandRun(
            shell:
                "mkfifo \(scratch.path("p")); \(Self.render) \(scratch.path("p")) --resume --output \(scratch.path("o"))"
        )
        #expect(run.status == 64)
        #expect(
            run.errors == "error: found --resume with the pipe '\(scratch.path("p"))', expected profiles from files\n")
    }

    // MARK: - Which files are read

    @Test func `hidden files and what macOS adds are no users`() throws {
        let scratch = try Scratch()
        let names = ["a/.DS_Store", "a/.git/x", "__MACOSX/x", "a/__MACOSX/x", ".x", "./b.txt", "a/Pods/c.txt", "a/d/"]
        let zip = ZipFile(names.map { ZipFile.Member($0, Array(Self.lines(0..<1).utf8)) })
        try scratch.write("x.zip", zip.bytes)
        for name in names where !name.hasSuffix("/") && !name.hasPrefix("./") {
            let file = scratch.folder.appending(path: "folder/" + name)
            let folder = file.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(Self.lines(0..<1).utf8).write(to: file)
        }
        let arguments = ["$F/x.zip --profiles $F/folder", "\"$F/folder/*\""]
        let records = try arguments.map { try Self.render(scratch, $0).output }
        let files = records.joined().split(separator: "\n").map { $0.split(separator: "\"")[7] }
        #expect(
            files
                == ["x.zip!./b.txt", "x.zip!a/Pods/c.txt", "folder/a/Pods/c.txt", "folder/a/Pods/c.txt"]
                .map { Substring(scratch.path($0)) })
    }

    @Test func `records say which file they are of where there may be several`() throws {
        let scratch = try Scratch()
        try scratch.write("a", "{}\n")
        try scratch.write("a.gz", packed(Array("{}\n".utf8)))
        try FileManager.default.createDirectory(atPath: scratch.path("d"), withIntermediateDirectories: true)
        try scratch.write("d/b", "\n{}\n{")
        for alone in ["$F/a", "$F/a.gz", "- < $F/a"] {
            #expect(try Self.render(scratch, alone).output.hasPrefix("{\"id\":null,\"line\":1,\"status\":"), "\(alone)")
        }
        let run = try Self.render(scratch, "- --profiles $F/d --summary text < $F/a")
        let starts = run.output.split(separator: "\n").map { $0.prefix { $0 != "s" } }
        #expect(starts.prefix(1) == ["{\"id\":null,\"file\":\"-\",\"line\":1,\""])
        #expect(
            run.output.contains("{\"id\":null,\"file\":\"\(scratch.path("d/b"))\",\"line\":3,\"status\":\"failed\""))
        #expect(run.errors.contains("first in line 3 of '\(scratch.path("d/b"))'"))
        for several in ["$F/d", "\"$F/d/*\"", "\"$F/?/b\""] {
            let start = "{\"id\":null,\"file\":\"\(scratch.path("d/b"))\",\"line\":2,"
            #expect(try Self.render(scratch, several).output.hasPrefix(start), "\(several)")
        }
    }

    // MARK: - What is refused

    private static func tar(_ name: String) -> [UInt8] {
        var header = Array(name.utf8) + [UInt8](repeating: 0, count: 512 - name.utf8.count)
        header.replaceSubrange(124..<136, with: "00000000000\0".utf8)
        header.replaceSubrange(148..<156, with: "        ".utf8)
        let sum = String(header.reduce(0) { $0 + Int($1) }, radix: 8)
        header.replaceSubrange(148..<156, with: (String(repeating: "0", count: 6 - sum.count) + sum + "\0 ").utf8)
        return header + [UInt8](repeating: 0, count: 1_024)
    }

    private static let formats: [(name: String, start: [UInt8])] = [
        ("a tar archive", tar("users.ndjson")), ("zstd", [0x28, 0xB5, 0x2F, 0xFD, 1]),
        ("xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]), ("bzip2", Array("BZh91AY&SY".utf8)),
        ("a 7z archive", [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]), ("a RAR archive", Array("Rar!\u{1A}\u{7}\u{1}".utf8)),
        ("LZ4", [4, 0x22, 0x4D, 0x18]), ("compress", [0x1F, 0x9D, 0x90]), ("Parquet", Array("PAR1".utf8)),
        ("Avro", Array("Obj\u{1}".utf8)), ("UTF-16", [0xFF, 0xFE, 0x7B, 0]),
        ("UTF-32", [0xFF, 0xFE, 0, 0, 0x7B, 0, 0, 0]), ("UTF-32", [0, 0, 0xFE, 0xFF, 0, 0, 0, 0x7B]),
        ("gzip", packed([65])),
        ("a zip archive", ZipFile([ZipFile.Member("a", [65])]).bytes),
    ]

    @Test func `other formats are refused by name, alone and inside of others`() throws {
        let scratch = try Scratch()
        for (name, start) in Self.formats {
            try scratch.write("in.gz", packed(start))
            try scratch.write("in.zip", ZipFile([ZipFile.Member("m", start)]).bytes)
            let nested = try Self.render(scratch, "$F/in.gz")
            let member = try Self.render(scratch, "$F/in.zip")
            #expect([nested.status, member.status] == [65, 65])
            #expect([nested.output, member.output] == ["", ""])
            let wish = "expected lines of JSON, plain or compressed with gzip or zip: "
            #expect(nested.errors.hasPrefix("error: '\(scratch.path("in.gz"))' holds \(name), \(wish)"), "\(name)")
            #expect(member.errors.hasPrefix("error: '\(scratch.path("in.zip"))' holds 'm', which is \(name), \(wish)"))
            let isUnpacked = name == "zstd" && ZstdReader.program != nil
            if ["gzip", "a zip archive"].contains(name) || isUnpacked { continue }
            try scratch.write("in", start)
            let alone = try Self.render(scratch, "$F/in")
            #expect(alone.status == 65)
            #expect(alone.errors.hasPrefix("error: '\(scratch.path("in"))' is \(name), \(wish)"), "\(name)")
            let piped = try CommandRun(shell: "cat '\(scratch.path("in"))' | \(Self.render) -")
            #expect(piped.status == 65)
        }
    }

    @Test(.enabled(if: ZstdReader.program != nil, "zstd is not installed"))
    func `zstd is unpacked with the command of the system`() throws {
        let scratch = try Scratch()
        let users = (0..<2_000).map { "{\"external_id\": \"u\($0)\"}\n" }.joined()
        try scratch.write("in", users)
        #expect(try CommandRun(shell: "zstd -q '\(scratch.path("in"))'").status == 0)
        let plain = try Self.render(scratch, "$F/in")
        let packed = try Self.render(scratch, "$F/in.zst")
        #expect(packed.status == 0 && packed.output == plain.output, "\(packed.errors)")
        let bytes = Array(try Data(contentsOf: scratch.folder.appending(path: "in.zst")))
        try scratch.write("cut.zst", Array(bytes.dropLast(20)))
        let cut = try Self.render(scratch, "$F/cut.zst")
        #expect(cut.status == 65 && cut.errors.contains("cut.zst' is damaged or cut off"), "\(cut.errors)")
        // The first bytes of a pipe are read to determine the format, so zstd would not get them.
        let piped = try CommandRun(shell: "cat '\(scratch.path("in.zst"))' | \(Self.render) -")
        #expect(piped.status == 65 && piped.errors.contains("is zstd, expected lines of JSON"), "\(piped.errors)")
        try scratch.write("in", String(repeating: " ", count: 200 << 20))
        #expect(try CommandRun(shell: "zstd -qf '\(scratch.path("in"))'").status == 0)
        let bomb = try Self.render(scratch, "$F/in.zst")
        #expect(bomb.status == 65 && bomb.errors.contains("unpacks to more than 400 times its size"), "\(bomb.errors)")
    }

    @Test(arguments: [
        ("a.gz", [], "holds no byte, expected gzip"), ("a.GZ", [0x1F], "holds 1 byte, expected gzip"),
        ("a.gz", Array("\n".utf8), "holds 1 byte, expected gzip"),
        ("a.gz", [0x1F, 0x8B], "is cut off: the end of the gzip data is missing"),
        ("a.zip", [], "holds no byte, expected a zip archive"),
        ("a.zip", Array("PK".utf8), "holds 2 bytes, expected a zip archive"),
        ("a.zip", ZipFile([]).bytes, "holds no file, expected a zip archive of profiles"),
        ("a.zip", ZipFile([ZipFile.Member("b.gz", [])]).bytes, "holds no byte, expected gzip"),
        ("a.zst", [], "holds no byte, expected zstd"),
    ]) func `files that end before they begin are refused`(name: String, bytes: [UInt8], message: String) throws {
        let scratch = try Scratch()
        try scratch.write(name, bytes)
        let run = try Self.render(scratch, "$F/\(name)")
        #expect(run.status == 65)
        #expect(run.errors == "error: '\(scratch.path(name))' \(message)\n")
    }

    @Test func `what is short and no archive is text`() throws {
        let scratch = try Scratch()
        try scratch.write("a.gz", "{}")
        try scratch.write("b.zip", "{}\n")
        try scratch.write("c", [0x1F])
        try scratch.write("d", "")
        let run = try Self.render(scratch, "$F/a.gz --profiles $F/b.zip --profiles $F/c --profiles $F/d")
        #expect(run.status == 2)
        #expect(run.output.split(separator: "\n").count == 3)
    }

    private static let ana = "--profile ../../../examples/profiles/ana.json"

    @Test(arguments: [
        "render greeting.campaign.yml --profiles X", "render greeting.campaign.yml --profile X", "render X \(ana)",
        "render greeting.campaign.yml \(ana) --context X", "render greeting.campaign.yml \(ana) --trigger-properties X",
        "render greeting.campaign.yml \(ana) --event-properties X", "render greeting.campaign.yml \(ana) --plist X",
        "simulate X", "track --store STORE --acknowledge X", "track --defaults X", "eval @X", "eval a --context X",
        "test X",
        "lint --baseline X",
    ]) func `devices, folders and sockets are refused before they are read`(command: String) throws {
        let scratch = try Scratch()
        let socket = Self.socket(scratch.path("s"))
        defer { close(socket) }
        let store = scratch.path("store")
        try FileManager.default.createDirectory(atPath: store + "/quarantine", withIntermediateDirectories: true)
        let command = command.replacing("STORE", with: store)
        for path in ["/dev/zero", scratch.path("s"), "d/none"] {
            let line = "ulimit -v 4000000; timeout 20 $PAYLOADGEN \(command.replacing("X", with: path))"
            let run = try CommandRun(shell: line)
            #expect([65, 66].contains(run.status), "\(command) \(path): \(run.status) \(run.errors)")
            // The reports of `test` and `lint` name what is missing.
            let isReported = path == "d/none" && (command.hasPrefix("test") || command.hasPrefix("lint"))
            #expect((isReported ? run.output : run.errors).contains(path))
            #expect(isReported || run.output.isEmpty)
        }
        if command.contains("--profiles") || command.hasPrefix("test") || command.contains("--store") { return }
        let folder = try CommandRun(shell: "$PAYLOADGEN \(command.replacing("X", with: "GuideKey"))")
        #expect([65, 66].contains(folder.status), "\(command): \(folder.status)")
    }

    private static func socket(_ path: String) -> Int32 {
        let descriptor = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return descriptor
    }

    // MARK: - Closed streams

    @Test func `a closed standard input is an error that says so`() throws {
        for arguments in ["- --output OUT", "../../../examples/profiles/many.ndjson --profiles - --output OUT"] {
            let scratch = try Scratch()
            let command = arguments.replacing("OUT", with: scratch.path("out"))
            let run = try CommandRun(shell: "timeout 20 \(Self.render) \(command) <&-")
            #expect(run.status == 65)
            #expect(run.errors == "error: cannot read '<stdin>': it is closed\n")
            #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path) == [])
        }
        #expect(try CommandRun(shell: "timeout 20 $PAYLOADGEN eval - <&-").status == 65)
        #expect(
            try CommandRun(shell: "timeout 20 \(Self.render) - < .").errors.contains("is a folder, expected a file"))
        #expect(try CommandRun(shell: "timeout 20 \(Self.render) - < /dev/zero").status == 65)
        #expect(try CommandRun(shell: "timeout 20 \(Self.render) - < /dev/null").status == 0)
    }

    @Test func `no file takes the number of a stream that is closed`() throws {
        let scratch = try Scratch()
        try scratch.write("users", Self.lines(0..<3))
        try scratch.write("stdout", "")
        let arguments = "\(scratch.path("users")) --output \(scratch.path("out")) --summary text"
        for closed in [">&-", "2>&-", "<&- >&- 2>&-"] {
            let run = try CommandRun(shell: "timeout 20 \(Self.render) \(arguments) \(closed)")
            // The summary is lost if standard error is closed.
            #expect(run.status == (closed.contains("2>&-") ? 74 : 0), "\(closed)")
            #expect(try scratch.text("out").split(separator: "\n").count == 3)
            #expect(!(try scratch.text("out").contains("profiles:")))
        }
        let run = try CommandRun(shell: "timeout 20 \(Self.render) \(scratch.path("users")) >&-")
        #expect(run.status == 74)
        #expect(run.errors == "error: cannot write standard output: it is closed\n")
        #expect(try scratch.text("users") == Self.lines(0..<3))
    }

    // MARK: - What is not read

    @Test func `a preview shows folders that are not read`() throws {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", "version: 1\npush: {title: Hi}\n")
        try scratch.write("d/a.ndjson", "{}\n")
        try scratch.write("other/c.ndjson", "{}\n")
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path("d/other"), withDestinationPath: "../other")
        let arguments = ["preview", "a.campaign.yml", "--profiles", "d", "--output", "page.html"]
        let run = try CommandRun(arguments, in: scratch.folder)
        #expect(run.status == 0, "\(run.text)")
        let page = try scratch.text("page.html")
        #expect(page.contains("Not read: a symbolic link to a folder inside of another folder"))
        #expect(page.contains("unread-file"))
    }

    @Test func `folders and files without users are counted among the findings`() throws {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", "version: 1\npush: {title: Hi}\n")
        try scratch.write("d/a.ndjson", "{}\n")
        try scratch.write("d/in/b.ndjson", "{}\n")
        try scratch.write("d/empty.ndjson", " \n\n")
        try scratch.write("other/c.ndjson", "{}\n")
        let links = [("d/other", "../other"), ("d/latest", "in")]
        for (path, target) in links {
            try FileManager.default.createSymbolicLink(atPath: scratch.path(path), withDestinationPath: target)
        }
        let arguments = ["render", "a.campaign.yml", "--profiles", "d", "--summary", "json", "--report", "page.html"]
        let run = try CommandRun(arguments, in: scratch.folder)
        #expect(run.status == 0 && run.output.split(separator: "\n").count == 2, "\(run.text)")
        #expect(run.errors.contains("d/other:1:1: warning: not read: a symbolic link to a folder"))
        #expect(run.errors.contains("d/empty.ndjson:1:1: warning: found no profile in 'd/empty.ndjson'"))
        let summary = run.errors.split(separator: "\n").last ?? ""
        #expect(summary.contains(#""rule":"unread-file","severity":"warning""#))
        #expect(summary.contains(#""rule":"nothing-checked","severity":"warning""#))
        #expect(summary.contains(#""file":"d/empty.ndjson","start":{"offset":0,"line":1,"column":1},"end":"#))
        try scratch.write("b.campaign.yml", "version: 1\npush: {title: \"{{ 'Hi' | shuot }}{{ ${city} }}\"}\n")
        let warned = try CommandRun(["render", "b.campaign.yml"] + arguments.dropFirst(2), in: scratch.folder)
        let findings = warned.errors.split(separator: "\n").last ?? ""
        #expect(findings.contains(#""rule":"unknown-filter""#), "\(findings)")
        #expect(findings.contains("'${city}' is missing"), "\(findings)")
        // The folder to which the link leads is read anyway, so the link is not mentioned.
        #expect(!summary.contains("latest"))
        let page = try scratch.text("page.html")
        #expect(page.contains("(unread-file)") && page.contains("(nothing-checked)"))
        let strict = try CommandRun(arguments + ["--rule", "unread-file=error"], in: scratch.folder)
        #expect(strict.status == 1 && strict.output.isEmpty, "\(strict.text)")
    }

    @Test(arguments: [
        ["render", "a", "--profiles", "-", "--context", "-"], ["render", "-", "--profiles", "-"],
        ["render", "a", "--profiles", "-", "--trigger-properties", "-"],
        ["render", "a", "--merge", "-", "--merge", "-"],
        ["render", "a", "--profile", "-", "--event-properties", "-"], ["eval", "-", "--context", "-"],
        ["eval", "x", "--trigger-properties", "-", "--event-properties", "-"], ["simulate", "-", "--profile", "-"],
    ])
    func `standard input is one input`(_ arguments: [String]) throws {
        let run = try CommandRun(arguments, input: "{}\n")
        #expect(run.status == 64 && run.errors.contains("standard input is read to its end"), "\(run.text)")
    }

    @Test func `fields of another kind are warned about where the campaign reads them`() throws {
        let scratch = try Scratch()
        let title = "{{ custom_attribute.${a} | default: 1 }}"
        try scratch.write("a.campaign.yml", "version: 1\npush: {title: \"\(title)\"}\n")
        let users = [
            #"{"external_id": "1", "custom_attributes": []}"#, #"{"external_id": "2", "custom_attributes": null}"#,
            #"{"users": {}}"#, #"{"external_id": "4", "apps": 5}"#,
        ]
        let arguments = ["render", "a.campaign.yml", "--profiles", "-"]
        let run = try CommandRun(arguments, input: users.joined(separator: "\n"), in: scratch.folder)
        let warned = run.output.split(separator: "\n").map { $0.contains(#""rule":"profile-field""#) }
        #expect(warned == [true, false, true, false], "\(run.text)")
    }

    @Test func `fields that are left out are warned about once, at their places in the first profiles`() throws {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", "version: 1\npush: {title: \"Hi {{ custom_attribute.${a} }}\"}\n")
        let good = #"{"external_id": "1", "custom_attributes": {"a": 1}}"#
        let users = [good, #"{"external_id": "2", "custom_attribute": {"a": 1}}"#, "", "{", good]
        try scratch.write("u.ndjson", (users + users).joined(separator: "\n"))
        let arguments = ["render", "a.campaign.yml", "--output", "out", "--profiles"]
        for (input, path) in [("u.ndjson", "u.ndjson"), ("-", "<stdin>")] {
            let text = try scratch.text("u.ndjson")
            let run = try CommandRun(arguments + [input], input: input == "-" ? text : "", in: scratch.folder)
            let message = "an export of Braze has no field 'custom_attribute', so it is left out"
            #expect(run.errors.ranges(of: message).count == 1, "\(run.text)")
            #expect(run.errors.contains("\(path):2:22: warning: \(message)"), "\(run.text)")
        }
        let strict = try CommandRun(arguments + ["u.ndjson", "--rule", "profile-field=error"], in: scratch.folder)
        #expect(strict.status == 1, "\(strict.text)")
        try scratch.write("u.ndjson", good)
        #expect(try !CommandRun(arguments + ["u.ndjson"], in: scratch.folder).errors.contains("profile-field"))
    }

    @Test func `an attribute of another kind is not read, and warned about`() throws {
        let scratch = try Scratch()
        let title = "{{ ${first_name} | default: 'you' }}{{ ${most_recent_location} }}"
        try scratch.write("a.campaign.yml", "version: 1\npush: {title: \"\(title)\"}\n")
        let users = [
            (
                #"{"external_id":"1","first_name":["a"],"email":{"a":1}}"#, "you",
                "'first_name' is not read, expected a text"
            ),
            (#"{"external_id":"2","first_name":{"a":1},"first_name":"Ana"}"#, "Ana", nil),
            (#"{"external_id":"3","first_name":{"$time":"2026-11-20T09:00:00Z"}}"#, "2026-11-20 09:00:00 UTC", nil),
            (
                #"{"external_id":"4","last_coordinates":"1,2"}"#, "you",
                "'last_coordinates' is not read, expected a list of two numbers"
            ),
            (#"{"external_id":"5","last_coordinates":[1,2],"first_name":7}"#, "712", nil),
            (#"{"external_id":["6"],"braze_id":"6"}"#, "you", "'external_id' is not read, expected a text"),
        ]
        let arguments = ["render", "a.campaign.yml", "--profiles", "-"]
        let run = try CommandRun(arguments, input: users.map(\.0).joined(separator: "\n"), in: scratch.folder)
        let records = run.output.split(separator: "\n")
        #expect(records.count == users.count, "\(run.text)")
        for (record, user) in zip(records, users) {
            #expect(record.contains(#""title":"\#(user.1)""#), "\(record)")
            let warning = user.2.map { #""warnings":[{"message":"\#($0)","rule":"profile-field"}"# }
            #expect(warning.map { record.contains($0) } ?? !record.contains("profile-field"), "\(record)")
        }
        try scratch.write("one.json", users[0].0)
        let one = try CommandRun(["render", "a.campaign.yml", "--profile", "one.json"], in: scratch.folder)
        #expect(one.errors.contains("Braze exports 'first_name' as a text, found a list"), "\(one.text)")
    }

    /// Users in about 6 MB, more than any pipe or buffer of the command can hold.
    private static let large = (0..<6_000).map { index in
        "{\"external_id\":\"\(index)\",\"pad\":\"\(String(repeating: "x", count: 1_000))\"}\n"
    }.joined()

    @Test(arguments: ["head -c 1000000", "cat - ../extra"])
    func `a file that changes while it is read is no whole batch`(change: String) throws {
        let scratch = try Scratch()
        try scratch.write("users", Self.large)
        try scratch.write("extra", Self.lines(0..<1))
        try FileManager.default.createDirectory(atPath: scratch.path("in"), withIntermediateDirectories: false)
        let run = try CommandRun(
            shell: """
                cd '\(scratch.folder.path)' && mkfifo out && cp users in/users && \
                { "$PAYLOADGEN" render '\(CommandRun.fixtures.path)/greeting.campaign.yml' --profiles in/users --jobs 1 \
                --output out & } && exec 3<out && head -c 1000 <&3 >/dev/null && \
                (cd in && \(change) <../users >changed && cat changed >users) && cat <&3 >/dev/null; wait $!
                """)
        #expect(run.status == 65, "\(run.text)")
        #expect(run.errors.contains("'in/users' was changed while it was read: \(Self.large.utf8.count) bytes when"))
    }

    @Test func `a file that changes before it is read leaves a partial output`() throws {
        let scratch = try Scratch()
        try scratch.write("users", Self.lines(0..<9))
        let run = try CommandRun(
            shell: """
                cd '\(scratch.folder.path)' && mkfifo first && \
                { "$PAYLOADGEN" render '\(CommandRun.fixtures.path)/greeting.campaign.yml' --profiles first \
                --profiles users --output out & } && exec 3>first && \
                until [ -e out.partial ]; do sleep 0.02; done; echo '{}' >>users; echo '{}' >&3; exec 3>&-; wait $!
                """)
        #expect(run.status == 65 && run.errors.contains("'users' was changed while it was read"), "\(run.text)")
        #expect(try scratch.text("out.partial").split(separator: "\n").count == 1)
        #expect(!FileManager.default.fileExists(atPath: scratch.path("out")))
    }

    @Test func `a carriage return inside of a line is no end of it`() throws {
        let scratch = try Scratch()
        try scratch.write("users", "{}\n{\"a\":1,\r\"b\" 2}\r\n")
        let render = ["render", "greeting.campaign.yml"]
        let run = try CommandRun(render + ["--profiles", scratch.path("users"), "--counts", scratch.path("counts")])
        #expect(run.output.contains(#""line":2,"column":13"#), "\(run.text)")
        let merged = try CommandRun(render + ["--merge", scratch.path("counts")])
        #expect(merged.errors.contains("users:2:13"), "\(merged.text)")
    }
}
