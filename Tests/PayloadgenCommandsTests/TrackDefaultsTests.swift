// SPDX-License-Identifier: MIT

import ExtensionAnalytics
import Foundation
import PayloadgenTestSupport
import Testing

@testable import PayloadgenCommands

/// `payloadgen track --defaults` removes from preferences what was acknowledged, and nothing else.
@Suite struct TrackDefaultsTests {
    private static let events = "pending_custom_events"

    private let scratch: Scratch
    private let file: URL

    init() throws {
        scratch = try Scratch()
        file = scratch.folder.appending(path: "group.plist")
    }

    /// Writes preferences as an app does: completely, to a new file that replaces the old one.
    private func write(
        _ preferences: [String: Any],
        _ format: PropertyListSerialization.PropertyListFormat = .binary
    ) throws {
        try PropertyListSerialization.data(fromPropertyList: preferences, format: format, options: 0)
            .write(to: file, options: .atomic)
    }

    private func preferences() throws -> [String: Any] {
        let data = try Data(contentsOf: file)
        let root = try PropertyListSerialization.propertyList(from: data, format: nil)
        return try #require(root as? [String: Any])
    }

    private func count() throws -> Int { (try preferences()[Self.events] as? [Any])?.count ?? 0 }

    private func played(_ count: Int) -> [String: Any] {
        [Self.events: Array(repeating: ["event_name": "Played"], count: count)]
    }

    private func track(_ path: String? = nil) throws -> CommandRun {
        try CommandRun(["track", "--defaults", path ?? file.path, "--braze-id", "5f1a", "--summary"])
    }

    private func acknowledge(_ lines: some StringProtocol, _ path: String? = nil) throws -> CommandRun {
        let arguments = ["track", "--defaults", path ?? file.path, "--acknowledge", "-", "--summary"]
        return try CommandRun(arguments, input: String(lines))
    }

    @Test func `a file without a key of the guides is reported until it had one`() throws {
        let warning = "has none of the keys 'pending_custom_events'"
        try write(["theme": "dark"], .binary)
        for _ in 0..<2 {
            let run = try track()
            #expect(run.status == 0 && run.errors.contains(warning), "\(run.text)")
        }
        try write([Self.events: [String]()], .binary)
        #expect(try !track().errors.contains(warning))
        try write(played(1), .binary)
        #expect(try !track().errors.contains(warning))
        // The app has removed the key after it had sent everything.
        try write(["theme": "dark"], .binary)
        #expect(try !track().errors.contains(warning))
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func `a misspelt key is reported`(_ format: PropertyListSerialization.PropertyListFormat) throws {
        for key in ["pendingCustomEvents", "pending_custom_event"] {
            try write([key: [["event_name": "Played"]]], format)
            let run = try track()
            #expect(run.status == 2 && run.errors.contains("did you mean 'pending_custom_events'?"), "\(run.text)")
        }
        try write(["pending_custom_events": [String](), "pending_custom_event": ["a"]], format)
        #expect(try track().status == 2)
        // Another part of the app's code may use the right key.
        for key in ["pending_custom_event", "pendingCustomEvents"] {
            try write([Self.events: [["event_name": "Played"]], key: [["event_name": "Won"]]], format)
            let run = try track()
            #expect(run.status == 2 && run.errors.contains("'\(key)' was left in place"), "\(run.text)")
        }
        try write(["pending_user_attributes": [Data("a".utf8)], "pending_user_attribute": [Data("b".utf8)]], format)
        #expect(try track().errors.contains("did you mean 'pending_user_attributes'?"))
        for other: [String: Any] in [
            ["pending_user_events": ["a"]], ["pending_custom_event": [String]()], ["pending_custom_event": "a"],
            [Self.events: [["event_name": "Played"]], "pending_custom_event": ["a"]],
        ] {
            try write(other, format)
            #expect(try track().status == 0)
        }
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func `lines of equal events remove their own`(_ format: PropertyListSerialization.PropertyListFormat) throws {
        try write(played(150), format)
        let lines = try track().output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(try acknowledge(lines[0]).errors == "75 records removed, 0 were not there\n")
        let again = try acknowledge(lines[0])
        #expect(again.status == 0 && again.errors == "0 records removed, 75 were not there\n")
        #expect(try count() == 75)

        // New elements are appended before the second line is acknowledged.
        try write(played(80), format)
        #expect(try acknowledge(lines[1] + "\n" + lines[0]).errors == "75 records removed, 75 were not there\n")
        #expect(try count() == 5)
        #expect(try track().errors == "5 records in 1 request\n")
    }

    @Test func `a line from before the app cleared its records removes nothing`() throws {
        try write(played(3))
        let old = try track().output
        try write([:])
        _ = try track()
        try write(played(4))
        let new = try track().output
        let run = try acknowledge(old + new + old)
        #expect(run.status == 65 && run.output.isEmpty)
        #expect(run.errors.hasPrefix("4 records removed, 0 were not there, 3 ids without a record\n"))
        for line in [1, 3] {
            let message = "nothing is removed: 3 records that 'pending_custom_events' had before the app"
            #expect(run.errors.contains("<stdin>:\(line):20: error: \(message) cleared it"), "\(run.errors)")
        }
        #expect(try count() == 0)
    }

    @Test func `a line of other preferences removes nothing`() throws {
        try write(played(2))
        let lines = try track().output
        try FileManager.default.removeItem(atPath: file.path + ".payloadgen.json")
        for _ in 0..<2 {
            let run = try acknowledge(lines)
            #expect(run.status == 65 && run.errors.contains("2 ids that track did not print for these preferences"))
        }
        #expect(try count() == 2)
    }

    @Test func `what remains keeps its time, its types, its link and its permissions`() throws {
        let foreign: [String: Any] = [
            "large": NSNumber(value: UInt64.max), "one": 1.0, "at": Date(timeIntervalSince1970: 1e9 + 0.5),
            "bytes": Data([0, 255]),
        ]
        try write(foreign.merging(played(2)) { $1 })
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o640, .modificationDate: Date(timeIntervalSince1970: 1_577_836_800)],
            ofItemAtPath: file.path
        )
        let link = scratch.path("link.plist")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "group.plist")
        let lines = try CommandRun(["track", "--defaults", link, "--braze-id", "a", "--limit", "1"]).output
            .split(separator: "\n")
        #expect(lines[1].contains(#""time":"2020-01-01T00:00:00.000Z""#))
        #expect(try acknowledge(lines[0], link).status == 0)
        #expect(try track(link).output.contains(#""time":"2020-01-01T00:00:00.000Z""#))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "group.plist")
        for (path, mode) in [(file.path, 0o640), (file.path + ".payloadgen.json", 0o600)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == mode)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path)
        #expect(Set(names) == ["group.plist", "group.plist.payloadgen.json", "link.plist"])
        let rest = try preferences()
        #expect(rest["large"] as? UInt64 == .max && rest["bytes"] as? Data == Data([0, 255]))
        #expect(rest["at"] as? Date == Date(timeIntervalSince1970: 1e9 + 0.5))
        let raw = try Data(contentsOf: file)
        #expect(raw.starts(with: "bplist00".utf8) && raw.firstRange(of: Data([0x23, 0x3F, 0xF0])) != nil)
    }

    /// Data on which Foundation's decoders crash or never end.
    @Test func `what has no end is refused, and gets no numbering`() throws {
        let key = [0x5F, 0x10, UInt8(Self.events.utf8.count)] + Array(Self.events.utf8)
        let chain = (0..<UInt8(100)).map { [0xA2, $0 + 1, $0 + 1] as [UInt8] }
        let nested = String(repeating: "<array>", count: 200_000) + String(repeating: "</array>", count: 200_000)
        let files: [[UInt8]] = [
            Array("bplist01".utf8), binaryPlist([[0xD1, 1, 2], key, [0xA1, 2]]),
            binaryPlist([[0xD1, 101, 1]] + chain.dropFirst() + [[0x08], key]),
            Array("<plist version=\"1.0\"><dict><key>\(Self.events)</key>\(nested)</dict></plist>".utf8),
            Array("{ \(Self.events) = (); }".utf8),
        ]
        for bytes in files {
            try Data(bytes).write(to: file)
            let run = try track()
            #expect(run.status == 65 && run.output.isEmpty && run.errors.contains("group.plist"), "\(run.errors)")
            #expect(try acknowledge("").status == 65)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path) == ["group.plist"])
    }

    @Test func `preferences are a file`() throws {
        #expect(mkfifo(scratch.path("pipe"), 0o600) == 0)
        for (path, status) in [(scratch.path("pipe"), 65), ("/dev/zero", 65), (scratch.folder.path, 65), ("-", 64)] {
            #expect(try track(path).status == Int32(status), "\(path)")
        }
    }

    @Test func `a numbering that cannot be read is reported with its place`() throws {
        try write(played(1))
        try scratch.write("group.plist.payloadgen.json", "{\"version\":1,\n\"origin\":7}")
        let run = try track()
        #expect(run.status == 65)
        #expect(run.errors.contains("group.plist.payloadgen.json:2:10: error: expected a hexadecimal"), "\(run.errors)")
        try scratch.write("group.plist.payloadgen.json", "")
        #expect(try track().status == 0)
    }

    /// Random actions of the app and of people who acknowledge lines, with files of both formats.
    @Test func `nothing is lost, removed by another's id or sent again`() throws {
        for seed in 0..<12 as Range<UInt64> {
            var run = Run(random: SplitMix(seed: seed), file: scratch.folder.appending(path: "\(seed).plist"))
            for _ in 0..<25 { try run.step() }
        }
    }

    private struct Run {
        var random: SplitMix
        let file: URL
        /// The elements of two keys: names of events, each with a number that distinguishes equal ones.
        var arrays: [[(name: String, token: Int)]] = [[], []]
        var tokenCount = 0
        var tokens: [UUID: Int] = [:]
        var lines: [[UUID]] = []
        var acknowledged: Set<Int> = []

        mutating func step() throws {
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<3: try append(to: Int.random(in: 0...1, using: &random))
            case 3:
                arrays[Int.random(in: 0...1, using: &random)] = []
                try write()
                try track()
            case 4, 5: try track()
            default: try acknowledge()
            }
        }

        private mutating func append(to index: Int) throws {
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                arrays[index].append((Bool.random(using: &random) ? "A" : "B", tokenCount))
                tokenCount += 1
            }
            try write()
        }

        private mutating func write() throws {
            var preferences: [String: Any] = ["one": 1.0, "large": NSNumber(value: UInt64.max)]
            let keys = ["pending_custom_events", "pending_custom_attributes"]
            for (key, array) in zip(keys, arrays) where !array.isEmpty {
                preferences[key] = array.map { [key == keys[0] ? "event_name" : "plan": $0.name] }
            }
            let format: PropertyListSerialization.PropertyListFormat = Bool.random(using: &random) ? .binary : .xml
            try PropertyListSerialization.data(fromPropertyList: preferences, format: format, options: 0)
                .write(to: file, options: .atomic)
        }

        private mutating func track() throws {
            if !FileManager.default.fileExists(atPath: file.path) { try write() }
            var ids: [UUID] = []
            try DefaultsSource(file.path, time: nil).forEachBatch(of: 10) { records, faults in
                #expect(faults.unreadable.isEmpty)
                ids += records.map(\.id)
            }
            let elements = arrays.flatMap(\.self)
            #expect(ids.count == elements.count && Set(ids).count == ids.count)
            for (id, element) in zip(ids, elements) {
                #expect(tokens[id] == nil || tokens[id] == element.token, "an id names two elements")
                tokens[id] = element.token
                #expect(!acknowledged.contains(element.token), "sent again after it was acknowledged")
            }
            let limit = Int.random(in: 1...5, using: &random)
            for start in stride(from: 0, to: ids.count, by: limit) { lines.append(Array(ids[start...].prefix(limit))) }
        }

        private mutating func acknowledge() throws {
            guard let line = lines.randomElement(using: &random) else { return }
            let removal = try DefaultsSource(file.path, time: nil).remove(Set(line))
            #expect(removal.removed + removal.absent + removal.refusals.count == line.count)
            let named = Set(line.compactMap { tokens[$0] })
            let removed = arrays.joined().filter { named.contains($0.token) }.map(\.token)
            #expect(removal.removed == removed.count)
            acknowledged.formUnion(removed)
            arrays = arrays.map { $0.filter { !named.contains($0.token) } }
        }
    }
}
