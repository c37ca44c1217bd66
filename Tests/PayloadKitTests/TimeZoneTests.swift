// SPDX-License-Identifier: MIT

import LiquidTemplates
import PayloadKit
import Testing

@Suite struct TimeZoneTests {
    /// 2021-01-15T12:00:00Z and 2021-07-15T12:00:00Z.
    private static let (winter, summer) = (1_610_712_000, 1_626_350_400)

    @Test(arguments: [
        ("Europe/Paris", "CET 3600", "CEST 7200"), ("America/New_York", "EST -18000", "EDT -14400"),
        ("Eastern Time (US & Canada)", "EST -18000", "EDT -14400"), ("Asia/Kolkata", "IST 19800", "IST 19800"),
        ("Australia/Sydney", "AEDT 39600", "AEST 36000"), ("Kathmandu", "+0545 20700", "+0545 20700"),
        ("UTC", "UTC 0", "UTC 0"), ("Etc/GMT+5", "-05 -18000", "-05 -18000"),
    ])
    func `zones have the offsets and abbreviations of tzdata`(
        _ identifier: String,
        _ winter: String,
        _ summer: String
    ) throws {
        let zones = SystemTimeZones()
        for (seconds, expected) in [(Self.winter, winter), (Self.summer, summer), (Self.winter, winter)] {
            let found = try #require(zones.offset(of: identifier, at: seconds))
            #expect("\(found.abbreviation) \(found.utcOffset)" == expected)
        }
    }

    @Test(arguments: [
        "", "Mars", "europe/paris", "Europe", "Europe/", "../zoneinfo/UTC", "/UTC", "Europe/../UTC", "GMT+3",
        "localtime",
        "Eastern Time", "+VERSION", "Üsküb", "Europe/Paris\0",
    ])
    func `other names are no zones`(_ identifier: String) {
        #expect(SystemTimeZones().offset(of: identifier, at: 0) == nil)
    }

    @Test func `every Rails name is a zone`() {
        let zones = SystemTimeZones()
        for name in RailsTimeZones.names { #expect(zones.offset(of: name, at: 0) != nil, "\(name)") }
    }

    @Test func `without files Foundation answers`() throws {
        let zones = SystemTimeZones(folders: ["/nowhere"])
        #expect(zones.offset(of: "Europe/Paris", at: Self.summer)?.utcOffset == 7_200)
        #expect(zones.offset(of: "Mars", at: Self.summer) == nil)
    }

    @Test(arguments: [
        ("CET-1CEST,M3.5.0,M10.5.0/3", "CET 3600", "CEST 7200"), ("<+0330>-3:30", "+0330 12600", "+0330 12600"),
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "GMT 0", "IST 3600"),
        ("AEST-10AEDT,M10.1.0,M4.1.0/3", "AEDT 39600", "AEST 36000"),
        ("XXX3EDT4,0/0,J365/23", "EDT -14400", "EDT -14400"), ("AAA0BBB,J60,J300", "AAA 0", "BBB 3600"),
    ])
    func `the rule of the years to come`(_ text: String, _ winter: String, _ summer: String) throws {
        let rule = try #require(TimeZoneRule(Array(text.utf8)))
        for (seconds, expected) in [(Self.winter, winter), (Self.summer, summer)] {
            let found = rule.offset(at: seconds)
            #expect("\(found.abbreviation) \(found.seconds)" == expected)
        }
        for seconds in [Int.min, Int.max] { _ = rule.offset(at: seconds) }
    }

    @Test(arguments: [
        "", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-999", "<+03-3", "1",
    ])
    func `what is no rule is refused`(_ text: String) {
        #expect(TimeZoneRule(Array(text.utf8)) == nil)
    }

    @Test func `a file changes its offset at the transitions and then follows its rule`() throws {
        let file = try #require(TimeZoneFile(Self.file))
        let names = [-10, 0, 99, Self.winter, Self.summer].map { file.offset(at: $0).abbreviation }
        #expect(names == ["LMT", "AAA", "AAA", "CET", "CEST"])
    }

    @Test func `damaged files are refused or read, but never trap`() {
        for count in 0..<Self.file.count { #expect(TimeZoneFile(Array(Self.file.prefix(count))) == nil) }
        for position in Self.file.indices {
            for value in [0, 1, 127, 255] as [UInt8] {
                var damaged = Self.file
                damaged[position] = value
                for seconds in [Int.min, 50, Int.max] { _ = TimeZoneFile(damaged)?.offset(at: seconds) }
            }
        }
    }

    /// A TZif file of version 2 with an empty first block, two transitions and a rule.
    private static let file: [UInt8] = {
        func header(_ counts: [UInt8]) -> [UInt8] {
            Array("TZif2".utf8) + Array(repeating: 0, count: 15) + counts.flatMap { [0, 0, 0, $0] }
        }
        let names = Array("LMT\0AAA\0BBB\0".utf8)
        let transitions: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 100]
        let types: [UInt8] = [0, 0, 0, 60, 0, 0] + [0, 0, 14, 16, 0, 4] + [255, 255, 241, 240, 0, 8]
        return header([0, 0, 0, 0, 1, 0]) + [0, 0, 0, 0, 0, 0] + header([0, 0, 0, 2, 3, 12]) + transitions + [1, 2]
            + types + names + Array("\nCET-1CEST,M3.5.0,M10.5.0/3\n".utf8)
    }()
}
