// SPDX-License-Identifier: MIT

import BinaryPlists
import DiagnosticSources
import PayloadgenTestSupport
import Testing

@testable import PlistDocuments

/// Elements of arrays are removed, and everything else stays as it was stored.
@Suite struct PreferencesTests {
    private static func string(_ text: String) -> [UInt8] { [0x50 | UInt8(text.utf8.count)] + Array(text.utf8) }

    /// Values that other programs change when they write them: 2^64 - 1, the real 1 in four and in eight bytes, a date
    /// between two seconds, a reference, text that is not valid Unicode, a set, an integer in more bytes than it needs,
    /// empty data.
    private static let foreign: [[UInt8]] = [
        [0x14, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255], [0x22, 0x3F, 0x80, 0, 0],
        [0x23, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0], [0x33, 0x41, 0xC7, 0x85, 0x3B, 0x4E, 0x19, 0x99, 0x9A], [0x81, 1, 2],
        [0x62, 0xD8, 0x3D, 0, 0x41], [0xC1, 6], [0x13, 0, 0, 0, 0, 0, 0, 0, 7], [0x40], [0x08], [0x00],
    ]

    private func preferences(_ bytes: [UInt8]) throws -> Preferences { try Preferences(path: "p", bytes: bytes) }

    private func texts(_ values: [PlistValue]) -> [String] { values.map { "\($0)" } }

    @Test func `a binary list keeps every other value as it was stored`() throws {
        // The dictionary at the top: the keys are objects 1 to 3, the values 4 (the array with the elements 7, 8, 7), 5
        // and 6.
        let top: [[UInt8]] = [
            [0xD3, 1, 2, 3, 4, 5, 6], Self.string("events"), Self.string("other"), Self.string("same"),
            [0xA3, 7, 8, 7], [0xAB] + (9..<20).map { UInt8($0) }, [0xA2, 4, 5], Self.string("A"), Self.string("B"),
        ]
        // The set in `foreign` refers to object 6 + 9, the integer 7.
        var objects = top + Self.foreign
        objects[15] = [0xC1, 16]
        let old = try preferences(binaryPlist(objects, version: "01"))
        let bytes = try old.removing(["events": [0, 1]])
        let new = try preferences(bytes)
        #expect(texts(new.values(of: "events")) == texts([.array([.string("A")])]))
        #expect(texts(new.values(of: "other")) == texts(old.values(of: "other")))
        #expect(texts(new.values(of: "same")) == texts(old.values(of: "same")), "a shared array stays what it was")
        for object in objects.dropFirst(9) where object[0] != 0xC1 {
            #expect(bytes.firstRange(of: object) != nil, "\(object)")
        }
        #expect(bytes.starts(with: "bplist01".utf8))
        #expect(bytes[bytes.count - 27] == 1, "the trailer keeps its version")

        let rest = try preferences(try old.removing(["events": [0, 1, 2]]))
        #expect(rest.values(of: "events").isEmpty)
        #expect(texts(rest.values(of: "same")) == texts(old.values(of: "same")))
    }

    @Test func `a binary list loses what nothing refers to any more`() throws {
        let objects: [[UInt8]] = [
            [0xD1, 1, 2], Self.string("events"), [0xA2, 3, 4], Self.string("ana@example"),
            Self.string("B"),
        ]
        let bytes = try preferences(binaryPlist(objects)).removing(["events": [0]])
        #expect(bytes.firstRange(of: Array("ana@".utf8)) == nil)
        let expected = binaryPlist([[0xD1, 2, 1], [0xA1, 3], Self.string("events"), Self.string("B")])
        #expect(try texts(preferences(bytes).values(of: "events")) == texts(preferences(expected).values(of: "events")))
    }

    @Test func `long arrays keep their counts`() throws {
        for count in [15, 16, 255, 256, 70_000] {
            let size = count < 256 ? 1 : 4
            func number(_ value: Int, _ size: Int) -> [UInt8] {
                (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            }
            var bytes = Array("bplist00".utf8) + [0xD1, 0, 0, 0, 1, 0, 0, 0, 2] + Self.string("e")
            let array = bytes.count
            bytes += [0xAF, size == 1 ? 0x10 : 0x12] + number(count, size)
            for index in 0..<count { bytes += [0, 0, 0, index % 2 == 0 ? 3 : 4] }
            let elements = bytes.count
            bytes += [0x08, 0x09]
            let table = bytes.count
            for offset in [8, 17, array, elements, elements + 1] { bytes += number(offset, 4) }
            bytes += [0, 0, 0, 0, 0, 0, 4, 4] + number(5, 8) + number(0, 8) + number(table, 8)
            let new = try preferences(try preferences(bytes).removing(["e": [0]]))
            guard case .array(let rest)? = new.values(of: "e").first else { throw PreferencesError.message("no array") }
            #expect(rest.count == count - 1)
            #expect(texts(Array(rest.prefix(2))) == texts([.boolean(true), .boolean(false)]))
        }
    }

    @Test func `XML is edited as text`() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
            \t<key>large</key> <!-- kept --> <integer>18446744073709551615</integer>
            \t<key>events</key>
            \t<array>
            \t\t<string>A</string>
            \t\t<string>B</string><!-- of C -->
            \t\t<dict><key>x</key><array/></dict>
            \t</array>
            \t<key>one</key><real>1.0</real>
            </dict>
            </plist>

            """
        let old = try preferences(Array(text.utf8))
        #expect(try String(decoding: old.removing([:]), as: UTF8.self) == text)
        #expect(try String(decoding: old.removing(["one": [0], "none": [0]]), as: UTF8.self) == text)
        let removed = try String(decoding: old.removing(["events": [0, 2]]), as: UTF8.self)
        #expect(
            removed
                == text.replacing("\n\t\t<string>A</string>", with: "")
                .replacing("\n\t\t<dict><key>x</key><array/></dict>", with: "")
        )
        let all = try String(decoding: old.removing(["events": [0, 1, 2]]), as: UTF8.self)
        #expect(!all.contains("events") && !all.contains("<array>") && all.contains("<real>1.0</real>"))
        #expect(try preferences(Array(all.utf8)).values(of: "one").count == 1)
    }

    @Test func `XML in UTF-16 stays what it is`() throws {
        let text = "<plist><dict><key>é</key><array><string>A</string> <string>日</string></array></dict></plist>"
        let wide: [UInt8] = [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let rest = try preferences(wide).removing(["é": [0]])
        #expect(rest.starts(with: [0xFF, 0xFE]))
        #expect(try texts(preferences(rest).values(of: "é")) == texts([.array([.string("日")])]))
    }

    @Test func `XML gives exact values`() throws {
        let values = [
            ("<integer>-9223372036854775808</integer>", PlistValue.integer(.min)),
            ("<integer>0x10</integer>", .integer(16)),
            ("<integer>9007199254740993</integer>", .integer(9_007_199_254_740_993)),
            ("<integer>18446744073709551615</integer>", .largeInteger(.max)),
            ("<real>1.0</real>", .real(1)),
            ("<date>2001-01-01T00:00:00Z</date>", .date(0)), ("<date>2026-11-20T09:00:00Z</date>", .date(816_858_000)),
            ("<date>2000-02-29T00:00:01Z</date>", .date(-26_524_799)), ("<true/>", .boolean(true)),
            ("<data> aGk= \n</data>", .data([0x68, 0x69])), ("<data>aGkh</data>", .data([0x68, 0x69, 0x21])),
            ("<data>aA==</data>", .data([0x68])), ("<data></data>", .data([])), ("<data>a-b</data>", .data([])),
            ("<string>&lt;é</string>", .string("<é")),
        ]
        for (text, value) in values {
            let plist = "<plist><dict><key>k</key>\(text)</dict></plist>"
            #expect(try texts(preferences(Array(plist.utf8)).values(of: "k")) == texts([value]), "\(text)")
        }
    }

    @Test func `binary lists give exact integers of sixteen bytes`() throws {
        let (zeros, ones) = ([UInt8](repeating: 0, count: 8), [UInt8](repeating: 0xFF, count: 8))
        for (bytes, value) in [
            (zeros + ones, PlistValue.largeInteger(.max)), (ones + ones, .integer(-1)), (zeros + zeros, .integer(0)),
        ] {
            let list = binaryPlist([[0xD1, 1, 2], Self.string("k"), [0x14] + bytes])
            #expect(try texts(preferences(list).values(of: "k")) == texts([value]))
        }
        let larger = binaryPlist([[0xD1, 1, 2], Self.string("k"), [0x14] + [1] + zeros.dropLast() + ones])
        #expect(throws: PreferencesError.self) { try preferences(larger) }
    }

    @Test func `a repeated key is shown as such and left alone`() throws {
        let text = "<plist><dict><key>e</key><array><true/></array><key>e</key><array><true/></array></dict></plist>"
        let old = try preferences(Array(text.utf8))
        #expect(old.values(of: "e").count == 2)
        #expect(try String(decoding: old.removing(["e": [0]]), as: UTF8.self) == text)
    }

    /// Data on which Foundation's decoders crash or never end.
    @Test func `what has no end is refused`() throws {
        let chain = (0..<UInt8(100)).map { [0xA2, $0 + 1, $0 + 1] as [UInt8] }
        let nested = String(repeating: "<array>", count: 200_000) + String(repeating: "</array>", count: 200_000)
        let damaged: [[UInt8]] = [
            Array("bplist01".utf8), Array("bplist00".utf8), Array("bplist".utf8),
            Array("bplist15".utf8) + Array(repeating: 0, count: 99),
            binaryPlist([[0xD1, 1, 0], Self.string("e")]),
            binaryPlist([[0xD1, 1, 2], Self.string("e"), [0xA1, 2]]),
            binaryPlist([[0xD1, 101, 1]] + chain.dropFirst() + [[0x08], Self.string("e")]),
            binaryPlist([[0xD1, 1, 9], Self.string("e")]), binaryPlist([[0xD1, 0, 0]]), binaryPlist([[0xA0]]),
            binaryPlist([[0x93]]), Array("<plist><dict><key>e</key>\(nested)</dict></plist>".utf8),
            Array("<plist><array/></plist>".utf8), Array("{ e = (); }".utf8), [], Array("text".utf8),
        ]
        for bytes in damaged {
            #expect(throws: PreferencesError.self, "\(bytes.prefix(40))") { try preferences(bytes) }
        }
    }

    @Test func `never traps on damaged lists`() throws {
        let objects: [[UInt8]] = [
            [0xD2, 1, 2, 3, 4], Self.string("events"), Self.string("other"), [0xA3, 5, 6, 5], [0xD1, 1, 3],
            Self.string("A"), [0x63, 0, 65, 0, 66, 0, 67],
        ]
        let original = binaryPlist(objects)
        var random = SplitMix(seed: 11)
        var readable = 0
        for _ in 0..<20_000 {
            var bytes = original
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            guard let old = try? preferences(bytes) else { continue }
            readable += 1
            guard let rest = try? old.removing(["events": [0]]) else { continue }
            #expect(texts(try preferences(rest).values(of: "other")) == texts(old.values(of: "other")))
        }
        #expect(readable > 1_000)
    }
}
