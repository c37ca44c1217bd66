// SPDX-License-Identifier: MIT

import PayloadgenTestSupport
import Testing

@testable import DiagnosticSources

/// Searches of bytes give the same results as simple ones; wildcards and cut texts are right.
@Suite struct ByteSearchTests {
    @Test func `every search finds what a simple one finds`() {
        var random = SplitMix(seed: 4)
        for _ in 0..<4_000 {
            let letters = UInt8.random(in: 1...3, using: &random)
            func bytes(_ range: ClosedRange<Int>) -> [UInt8] {
                (0..<Int.random(in: range, using: &random)).map { _ in
                    UInt8(ascii: "a") + UInt8.random(in: 0..<letters, using: &random)
                }
            }
            let pattern = bytes(1...12)
            var text = bytes(0...200)
            if Bool.random(using: &random) { text += pattern + bytes(0...9) }
            let last = text.count - pattern.count
            let expected = last < 0 ? nil : (0...last).first { Array(text[$0..<$0 + pattern.count]) == pattern }
            pattern.withUnsafeBufferPointer { pattern in
                text.withUnsafeBufferPointer { text in
                    #expect(TwoWaySearch(pattern).first(in: text) == expected)
                    #expect(ByteSearch.first(pattern, in: text, from: 0) == expected)
                }
            }
            let slice = ([0] + text)[1...]
            let found = slice.firstRange(ofBytes: String(decoding: pattern, as: UTF8.self).utf8)
            #expect(found?.lowerBound == expected.map { $0 + 1 } && found?.count ?? pattern.count == pattern.count)
        }
    }

    @Test func `an empty pattern is found at the start`() {
        let bytes: [UInt8] = [1, 2]
        #expect(bytes[1...].firstRange(ofBytes: "".utf8) == 1..<1)
        #expect(bytes[2...].firstRange(ofBytes: "".utf8) == 2..<2)
        #expect("".holds("") && !"".holds("a"))
    }

    @Test(arguments: [
        ("four", 4, "four", "four"), ("fives", 4, "five…", "five…"), ("one\ntwo", 9, "one\ntwo", "one…"),
        ("one\r\n", 9, "one\r\n", "one…"), ("e\u{301}e", 2, "e\u{301}…", "e\u{301}…"), ("", 0, "", ""),
        ("a", 0, "…", "…"),
    ])
    func `a text is cut after scalars`(text: String, count: Int, shortened: String, line: String) {
        #expect(text.shortened(to: count).utf8.elementsEqual(shortened.utf8))
        #expect(text.firstLine(upTo: count).utf8.elementsEqual(line.utf8))
    }
}
