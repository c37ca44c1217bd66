// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import Foundation
import JSONTexts
import PayloadKit
import Synchronization
import Testing

@testable import CampaignRendering

@Suite struct RecordSequenceTests {
    /// What the campaign reads is in some profiles, null in some, missing in some, and in odd places.
    private static let input = """
        \u{FEFF}{"external_id":"a","first_name":"Ana","custom_attributes":{"n":1,"o":{"city":"Faro"},"size":"x"}}\r

        {"external_id":"b","first_name":null,"apps":[{"last_used":"2026-01-02T03:04:05Z","version":"1"}]}
        {"braze_id":"c","custom_attributes":{"n":null,"m":[1,{"k":"v"}]},"custom_attributes":{"o":{"city":"東京"}}}
        {"users":[{"external_id":"d","devices":[{"model":"iPhone"}],"email_subscribe":"opted_in"}]}
        {"user":{"user_id":"e","first_name":"Short"},"custom_attributes":{"n":2},"vars":{"greeting":"Hi"}}
        {"external_id":"f","unread":[1,2}
        [1]
        {"external_id":"g","notes":"\u{1F389} \\u00e9\\ud83d","language":"xx"}
        """

    private static let template = """
        {% if ${language} == 'xx' %}{% abort_message('no language') %}{% endif %}{{ greeting }} \
        {{ ${first_name} | default: 'you' }} {{ custom_attribute.${n} }} {{ custom_attribute.${o}.city }} \
        {{ most_recently_used_device.${model} }} {{ ${last_used_app_date} }} {{ subscribed_state.${email_global} }}
        """

    private static func renderer(_ body: String = template) throws -> CampaignRenderer {
        let text = "version: 1\npush:\n  title: t\n  body: >-\n    \(body.replacing("\n", with: "\n    "))\n"
        return try Messages.campaign(text).renderer(options: RenderOptions(now: Time(seconds: 0)))
    }

    /// The records as the lines of a batch.
    private static func text(_ records: [Record]) -> String {
        records.map { record in
            var json = JSONWriter()
            record.write(into: &json)
            return json.buffer.string()
        }
        .joined(separator: "\n")
    }

    private static func pieces(_ text: String, of count: Int) -> AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                continuation.yield(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            continuation.finish()
        }
    }

    @Test(arguments: ["lab_register", "{{ 'lab_register' }}"])
    func `key-value pairs are checked in every message, for a literal category too`(category: String) async throws {
        let campaign = """
            version: 1
            push:
              title: t
              category: "\(category)"
              extras:
                cert_title: a
                cert_description: b
                "{% if ${first_name} == 'Ana' %}braze_id{% else %}other{% endif %}": c
            """
        var settings = BatchSettings()
        settings.apps = [try App(contentsOf: Project.path("examples/BookDemo"))]
        let lines = ["Ana", "Ben", "Ana"].map { "{\"external_id\":\"\($0)\",\"first_name\":\"\($0)\"}\n" }
        let renderer = try Messages.campaign(campaign).renderer(options: RenderOptions(now: Time(seconds: 0)))
        var texts: [String] = []
        for try await record in renderer.records(of: Self.pieces(lines.joined(), of: 50), settings: settings) {
            texts.append(Self.text([record]))
        }
        #expect(texts.map { $0.contains("\"status\":\"rendered\"") } == [true, false, true], "\(texts)")
        #expect(texts[1].contains("braze_id"))
    }

    @Test func `what is not read is not decoded, and changes nothing`() async throws {
        let lean = try Self.renderer()
        // A computed name may be any, so that everything is decoded.
        let full = try Self.renderer(Self.template + "{% assign k = 'zz' %}{{ [k] }}")
        #expect(lean.profileFields.customAttributes == ["n", "o"])
        #expect(full.profileFields.customAttributes == nil)
        var records: [String] = []
        for renderer in [lean, full] {
            let all = renderer.records(of: Self.pieces(Self.input, of: 1_000))
            records.append(Self.text(try await all.reduce(into: []) { $0.append($1) }))
        }
        #expect(records[0] == records[1])
        #expect(records[0].contains(#""body":"Hi Short 2"#))
        #expect(records[0].contains(#""id":"c","line":4"#))
        #expect(records[0].contains("東京"))
    }

    @Test(arguments: [1, 7, 1_000], [1, 3])
    func `gives the same records however the bytes are cut`(piece: Int, jobs: Int) async throws {
        let renderer = try Self.renderer()
        var settings = BatchSettings()
        settings.jobs = jobs
        let input = (0..<200).map { "{\"external_id\":\"\($0)\",\"pad\":\"\(String(repeating: "-", count: 300))\"}\n" }
        let text = Self.input + "\n" + input.joined()
        var records: [Record] = []
        for try await record in renderer.records(of: Self.pieces(text, of: piece), settings: settings) {
            records.append(record)
        }
        #expect(records.count == 208)
        let lines = [1, 3, 4, 5, 6, 7, 8, 9] + Array(10..<210)
        #expect(records.map(\.line) == lines)
        #expect(records.prefix(8).map(\.id) == ["a", "b", "c", "d", "e", nil, nil, "g"])
        let whole = try await renderer.records(of: Self.pieces(text, of: .max)).reduce(into: []) { $0.append($1) }
        #expect(Self.text(records) == Self.text(whole))
    }

    @Test func `reads no more than is asked for`() async throws {
        let pulled = Mutex(0)
        let line = Array("{\"external_id\":\"a\",\"pad\":\"\(String(repeating: "-", count: 4_000))\"}\n".utf8)
        let source = AsyncStream<[UInt8]> {
            pulled.withLock { $0 += 1 }
            return line
        }
        var iterator = try Self.renderer().records(of: source).makeAsyncIterator()
        for _ in 0..<3 { _ = try await iterator.next() }
        #expect(pulled.withLock(\.self) <= 3)
    }

    @Test func `a block ends after the line in which the batch is cancelled`() throws {
        var lines = LineReader(path: "users")
        var block = LineBlock()
        var rest = Array(Self.input.utf8)[...]
        try #require(
            lines.fill(&block) { room in
                let piece = rest.prefix(room.count)
                room.copyBytes(from: piece)
                rest = rest.dropFirst(piece.count)
                return piece.count
            })
        var session = BatchSession(try Self.renderer(), BatchSettings())
        var written = BlockRecords(keepsValues: false)
        var whole = BlockRecords(keepsValues: false)
        var (asked, none) = (0, 0)
        let isCancelled = {
            asked += 1
            return asked > 4
        }
        session.render(block, skipping: &none, into: &written, until: isCancelled)
        session.render(block, skipping: &none, into: &whole, until: { false })
        let (isWhole, isOtherWhole) = (written.isWhole, whole.isWhole)
        #expect(!isWhole && isOtherWhole)
        let (some, all) = (Self.lines(written), Self.lines(whole))
        // One of the four lines is blank, and the last line of the input has no end yet.
        #expect(some.count == 3 && all.count == 7 && all.starts(with: some))
    }

    private static func lines(_ records: borrowing BlockRecords) -> [ArraySlice<UInt8>] {
        records.json.buffer.withUnsafeBytes { Array($0).split(separator: UInt8(ascii: "\n")) }
    }

    /// Cancels the task that asks for a zone, and counts how often one is asked for.
    private final class CancellingZones: TimeZoneProvider {
        let asked = Mutex(0)

        func offset(of identifier: String, at seconds: Int) -> (utcOffset: Int, abbreviation: String)? {
            asked.withLock { $0 += 1 }
            withUnsafeCurrentTask { $0?.cancel() }
            return (3_600, "CET")
        }
    }

    @Test func `a task that is cancelled ends before the end of its block`() async throws {
        let zones = CancellingZones()
        let text = "version: 1\npush: {title: \"{{ 'now' | time_zone: ${time_zone} | date: '%H' }}\"}\n"
        var options = RenderOptions(now: Time(seconds: 0))
        options.timeZones = zones
        let renderer = try Messages.campaign(text).renderer(options: options)
        let block = Array(String(repeating: "{\"time_zone\":\"Europe/Paris\"}\n", count: 100).utf8)
        let source = AsyncStream<[UInt8]> { continuation in
            continuation.yield(block)
            continuation.finish()
        }
        let task = Task {
            var count = 0
            for try await _ in renderer.records(of: source) { count += 1 }
            return count
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        // One user may ask more than once.
        #expect((1...3).contains(zones.asked.withLock(\.self)))
    }

    @Test func `ends when its task is cancelled, and with what the source throws`() async throws {
        let renderer = try Self.renderer()
        let endless = AsyncStream<[UInt8]> { Array("{\"external_id\":\"a\"}\n".utf8) }
        let task = Task {
            var count = 0
            for try await _ in renderer.records(of: endless) { count += 1 }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        struct Broken: Error {}
        let broken = AsyncThrowingStream<[UInt8], any Error> { continuation in
            continuation.yield(Array("{\"external_id\":\"a\"}\n{".utf8))
            continuation.finish(throwing: Broken())
        }
        var ids: [String?] = []
        await #expect(throws: Broken.self) {
            for try await record in renderer.records(of: broken) { ids.append(record.id) }
        }
        #expect(ids == ["a"])
    }

    @Test func `single bytes are gathered into pieces`() async throws {
        let bytes = AsyncStream<UInt8> { continuation in
            for byte in Self.input.utf8 { continuation.yield(byte) }
            continuation.finish()
        }
        var count = 0
        for try await _ in try Self.renderer().records(of: ByteChunks(bytes)) { count += 1 }
        #expect(count == 8)
    }

    @Test func `only spaces, tabs and carriage returns make a blank line`() async throws {
        let text = " \t\r\n\u{0}\n\u{C}\n\u{1B}[0m\n\t{\"external_id\":\"a\"}\r\n\r"
        var records: [Record] = []
        for try await record in try Self.renderer().records(of: Self.pieces(text, of: 3)) { records.append(record) }
        #expect(records.map(\.line) == [2, 3, 4, 5])
        #expect(records.map(\.id) == [nil, nil, nil, "a"])
    }

    @Test func `a record is no profile`() async throws {
        let renderer = try Self.renderer()
        var settings = BatchSettings()
        settings.idField = "status"
        var records: [Record] = []
        for try await record in renderer.records(of: Self.pieces(Self.input, of: 100)) { records.append(record) }
        let text =
            Self.text(records) + #"""

                {"external_id":"a","status":"gold","payload":1}
                {"external_id":"b","status":"failed"}
                {"users":[{"external_id":"c","status":"failed","error":1}]}
                """#
        var again: [Record] = []
        for try await record in renderer.records(of: Self.pieces(text, of: 100)) { again.append(record) }
        #expect(again.map(\.id) == Array(repeating: nil, count: 8) + ["a", "b", "c"])
        for case .failed(let error) in again.map(\.outcome) {
            #expect(error.message == "found a record that 'render' wrote, expected one user as a JSON object")
            let place = try #require(error.place)
            let status = String(decoding: place.file.bytes[place.range.offsets], as: UTF8.self)
            #expect(["\"rendered\"", "\"aborted\"", "\"failed\""].contains(status))
        }
        let named = renderer.records(of: Self.pieces(#"{"status":"x"}"#, of: 100), settings: settings)
        for try await record in named { #expect(record.id == "x") }
    }

    @Test func `records of a source with a name say which`() async throws {
        let source = Self.pieces(Self.input, of: 100)
        var records: [Record] = []
        for try await record in try Self.renderer().records(of: source, file: "a \"b\".ndjson") {
            records.append(record)
        }
        #expect(records.count == 8)
        #expect(records.allSatisfy { $0.file == "a \"b\".ndjson" })
        #expect(Self.text(records).hasPrefix(#"{"id":"a","file":"a \"b\".ndjson","line":1,"status":"rendered""#))
    }

    @Test(arguments: [1, 3]) func `a line that is too long is one failed record`(jobs: Int) async throws {
        var settings = BatchSettings()
        settings.jobs = jobs
        let text = "{\"external_id\":\"a\"}\n" + String(repeating: "x", count: 17 << 20) + "\n{\"external_id\":\"b\"}\n"
        var records: [Record] = []
        let all = try Self.renderer().records(of: Self.pieces(text, of: 100_000), settings: settings)
        for try await record in all { records.append(record) }
        #expect(records.map(\.id) == ["a", nil, "b"])
        #expect(records.map(\.line) == [1, 2, 3])
    }
}
