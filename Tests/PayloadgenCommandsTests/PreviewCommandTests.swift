// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestSupport
import Testing

@testable import PayloadgenCommands

@Suite struct PreviewCommandTests {
    private static let campaign = "version: 1\npush: {title: Hi, body: x}\n"

    @Test func `a person whom nobody is called is a wrong use`() throws {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", Self.campaign)
        try scratch.write("examples/profiles/ana.json", #"{"external_id": "u1", "first_name": "Ana"}"#)
        let arguments = ["preview", "a.campaign.yml", "--output", "page.html", "--people"]
        let wrong = try CommandRun(arguments + ["1,anna"], in: scratch.folder)
        #expect(wrong.status == 64)
        #expect(wrong.errors.contains("no person 'anna', did you mean 'ana'?"))
        #expect(try CommandRun(arguments + [" ,"], in: scratch.folder).status == 64)
        #expect(try CommandRun(arguments + ["u1, ana,0"], in: scratch.folder).status == 0)
        #expect(try scratch.text("page.html").contains("1 profile"))
    }

    @Test func `people come from folders named profiles in and beside the folder of the campaign`() throws {
        let scratch = try Scratch()
        try scratch.write(".payloadgen.yml", "version: 1\n")
        try scratch.write("campaigns/a.campaign.yml", Self.campaign)
        let arguments = ["preview", "campaigns", "--output"]
        #expect(try CommandRun(arguments + ["none.html"], in: scratch.folder).status == 0)
        #expect(try scratch.text("none.html").contains("0 profiles"))
        try scratch.write("profiles/ana.json", #"{"external_id": "u1", "first_name": "Ana"}"#)
        try scratch.write("campaigns/profiles/bea.json", #"{"external_id": "u2", "first_name": "Bea"}"#)
        #expect(try CommandRun(arguments + ["all.html"], in: scratch.folder).status == 0)
        let page = try scratch.text("all.html")
        #expect(page.contains("<bdi>Ana</bdi>") && page.contains("<bdi>Bea</bdi>"))
        // Nothing outside of the project is read.
        let campaigns = scratch.folder.appending(path: "campaigns")
        let own = ["preview", "a.campaign.yml", "--output", "../own.html"]
        let run = try CommandRun(own, in: campaigns)
        #expect(run.status == 0, "\(run.text)")
        #expect(try scratch.text("own.html").contains("<bdi>Ana</bdi>"))
        try FileManager.default.removeItem(at: scratch.folder.appending(path: ".payloadgen.yml"))
        let alone = try CommandRun(own, in: campaigns)
        #expect(try alone.status == 0 && !scratch.text("own.html").contains("<bdi>Ana</bdi>"))
    }

    @Test func `a folder gets a page for each campaign, and one that shows them all`() throws {
        let scratch = try Scratch()
        try scratch.write("x/a.campaign.yml", Self.campaign)
        try scratch.write("x/b c.campaign.yml", "version: 1\npush: {title: '<xx-evil>', body: '{{ 1 | nope }}'}\n")
        try scratch.write("x/b-c.campaign.yml", "version: 1\npush: [\n")
        let run = try CommandRun(["preview", "x", "--output", "pages"], in: scratch.folder)
        #expect(run.status == 0, "\(run.text)")
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path("pages")).sorted()
        #expect(names == ["index.html", "x-a.html", "x-b-c-2.html", "x-b-c.html"])
        let index = HTMLTokens(try scratch.text("pages/index.html"))
        #expect(index.faults == [] && index.links == Set(names.dropFirst()))
        let html = try scratch.text("pages/index.html")
        #expect(html.contains("&lt;xx-evil&gt;") && html.contains("no findings") && html.contains("No notification"))
        #expect(try scratch.text("pages/x-a.html").contains("<bdi>x/a.campaign.yml</bdi>"))
        // The same input gives the same bytes, also in a folder that exists already.
        #expect(try CommandRun(["preview", "x/a.campaign.yml", "--output", "pages/"], in: scratch.folder).status == 0)
        for path in ["page.html", "-"] {
            let wrong = try CommandRun(["preview", "x", "--output", path], in: scratch.folder)
            #expect(wrong.status == 64 && wrong.errors.contains("expected a folder for their pages"), "\(wrong.text)")
        }
        let input = try CommandRun(["preview", "x", "--output", "x/a.campaign.yml"], in: scratch.folder)
        #expect(input.status == 64)
    }

    @Test func `a campaign that a link leads out to is not read, and is reported`() throws {
        let scratch = try Scratch()
        let outside = try Scratch()
        try outside.write("outside.campaign.yml", Self.campaign.replacing("Hi", with: "Secret"))
        try scratch.write(".payloadgen.yml", "version: 1\n")
        try scratch.write("templates/a.campaign.yml", Self.campaign)
        try FileManager.default.createSymbolicLink(
            at: scratch.folder.appending(path: "templates/b.campaign.yml"),
            withDestinationURL: outside.folder.appending(path: "outside.campaign.yml"))
        let run = try CommandRun(["preview", ".", "--output", "page.html"], in: scratch.folder)
        #expect(run.status == 0, "\(run.text)")
        #expect(run.errors.contains("templates/b.campaign.yml:1:1: error: not read: it is outside of the project"))
        let page = try scratch.text("page.html")
        #expect(!page.contains("Secret") && page.contains("ot read: it is outside of the project"))
    }

    @Test func `a campaign with an error does not make the name of a person wrong`() throws {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", "version: 1\npush: {title: Hi\ntests: [{name: t, profile: ana.json}]\n")
        try scratch.write("ana.json", #"{"first_name": "Ana"}"#)
        let run = try CommandRun(
            ["preview", "a.campaign.yml", "--output", "page.html", "--people", "ana"], in: scratch.folder)
        #expect(run.status == 0, "\(run.text)")
    }

    @Test func `a folder without a campaign is an error, whatever else is found`() throws {
        let scratch = try Scratch()
        try scratch.write("sub/a.scenario.yml", "version: 1\n")
        try scratch.write("none.ndjson", "")
        let run = try CommandRun(["preview", "sub", "--profiles", "none.ndjson"], in: scratch.folder)
        #expect(run.status == 66)
        #expect(run.errors.contains("error: no campaign in 'sub'"))
    }

    @Test func `an example profile that cannot be read is reported`() throws {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", Self.campaign)
        try scratch.write("examples/profiles/bad.json/x.txt", "")
        let run = try CommandRun(["preview", "a.campaign.yml", "--output", "page.html"], in: scratch.folder)
        #expect(run.status == 0)
        #expect(run.errors.contains("examples/profiles/bad.json:1:1: error: not read: "), "\(run.text)")
    }

    @Test func `names of properties that no text reads are checks`() throws {
        let scratch = try Scratch()
        try scratch.write(
            "a.campaign.yml", "version: 1\npush: {title: 'Hi', body: '{{ api_trigger_properties.${session} }}'}\n")
        try scratch.write("t.json", #"{"campaign_id": "c", "recipients": [{"trigger_properties": {"session": 1}}]}"#)
        let arguments = ["preview", "a.campaign.yml", "--output", "page.html", "--trigger-properties", "t.json"]
        #expect(try CommandRun(arguments, in: scratch.folder).status == 0)
        #expect(try scratch.text("page.html").contains("his is the list of a request to Braze"))
        try scratch.write("t.json", #"{"session": 1}"#)
        #expect(try CommandRun(arguments, in: scratch.folder).status == 0)
        #expect(try !scratch.text("page.html").contains("his is the list of a request to Braze"))
    }

    @Test func `files without a profile are reported`() throws {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", Self.campaign)
        try scratch.write("none.ndjson", "")
        let run = try CommandRun(
            ["preview", "a.campaign.yml", "--profiles", "none.ndjson", "--output", "page.html"], in: scratch.folder)
        #expect(run.errors.contains("found no profile in 'none.ndjson' (nothing-checked)"))
    }

    @Test func `a page that another process writes is not written`() throws {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", Self.campaign)
        let lock = open(scratch.path("page.html.partial"), O_RDWR | O_CREAT, 0o600)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
        let run = try CommandRun(["preview", "a.campaign.yml", "--output", "page.html"], in: scratch.folder)
        #expect(run.status == 74, "\(run.text)")
        #expect(run.errors.contains("'page.html' is being written by another process"), "\(run.text)")
        #expect(!FileManager.default.fileExists(atPath: scratch.path("page.html")))
    }

    @Test(.timeLimit(.minutes(2))) func `connections for which there are no descriptors do not end it`() throws {
        let scratch = try Scratch()
        try scratch.write("a.campaign.yml", Self.campaign)
        let script = """
            cd '\(scratch.folder.path)'
            # The last descriptors are used up by a few connections.
            (for number in $(seq 10 38); do eval "exec $number</dev/null"; done
            ulimit -n 40; exec "$PAYLOADGEN" preview a.campaign.yml --no-open > address) &
            for attempt in $(seq 600); do test -s address && break; sleep 0.1; done
            rest=$(sed s,http://127.0.0.1:,, address); port=${rest%%/*}; path=/${rest#*/}
            ask() {
                exec 9<>/dev/tcp/127.0.0.1/$port
                printf 'GET %s HTTP/1.1\\r\\nHost: 127.0.0.1:%s\\r\\n\\r\\n' "$path" "$port" >&9
                head -n 1 <&9
                exec 9>&-
            }
            for number in $(seq 40 140); do eval "exec $number<>/dev/tcp/127.0.0.1/$port"; done
            ask
            for number in $(seq 40 140); do eval "exec $number>&-"; done
            sleep 0.5; ask
            kill $!
            """
        try scratch.write("exhaust", script)
        let run = try CommandRun(shell: "bash '\(scratch.path("exhaust"))'")
        let answers = run.output.split(separator: "\r\n")
        #expect(answers == ["HTTP/1.1 200 OK", "HTTP/1.1 200 OK"], "\(run.text)")
    }

    @Test func `the arguments of the browser do not show the address`() throws {
        let scratch = try Scratch()
        let folder = scratch.folder.path
        try scratch.write("open", "#!/bin/sh\ncat \"$1\" >'\(folder)/text'; echo \"$@\" >'\(folder)/arguments'\n")
        #expect(chmod(scratch.path("open"), 0o755) == 0)
        let address = "http://127.0.0.1:4000/0123456789abcdef/"
        let opened = Browser.open(address, with: scratch.path("open"), in: folder, for: 3)
        var arguments = ""
        for _ in 0..<100 where arguments.isEmpty {
            Thread.sleep(forTimeInterval: 0.02)
            arguments = (try? scratch.text("arguments")) ?? ""
        }
        let file = arguments.trimmingCharacters(in: .newlines)
        #expect(file == opened?.path && file.hasPrefix(folder) && !file.contains("0123456789abcdef"))
        #expect(try scratch.text("text").contains("url=\(address)\""))
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        for _ in 0..<300 where FileManager.default.fileExists(atPath: file) { Thread.sleep(forTimeInterval: 0.02) }
        #expect(!FileManager.default.fileExists(atPath: file))
        let second = try #require(Browser.open(address, with: scratch.path("open"), in: folder))
        #expect(FileManager.default.fileExists(atPath: second.path))
        second.remove()
        #expect(!FileManager.default.fileExists(atPath: second.path))
    }

    #if !canImport(Darwin)
        @Test func `the file for the browser is in the home folder, where there is one`() throws {
            let scratch = try Scratch()
            let home = scratch.folder.path
            #expect(Browser.folder(home: home) == home)
            for home in [nil, "", home + "/none"] { #expect(Browser.folder(home: home) == NSTemporaryDirectory()) }
        }
    #endif
}
