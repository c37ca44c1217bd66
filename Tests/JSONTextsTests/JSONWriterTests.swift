// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts
import Testing

@Suite struct JSONWriterTests {
    private func escaped(_ bytes: [UInt8]) -> String {
        var buffer = ByteBuffer(capacity: 1)
        bytes.withUnsafeBufferPointer { buffer.appendJSON(utf8: $0) }
        return buffer.string()
    }

    @Test(arguments: [
        ("", #""""#), ("a/b é 日 😀 \u{2028}\u{2029}\u{7F}", "\"a/b é 日 😀 \u{2028}\u{2029}\u{7F}\""),
        ("\"\\\u{8}\u{C}\n\r\t\u{0}\u{1F}", #""\"\\\b\f\n\r\t\u0000\u001f""#),
        ("a longer text, with \"quotes\" in it", #""a longer text, with \"quotes\" in it""#),
    ])
    func `strings are escaped where JSON asks for it and nowhere else`(text: String, expected: String) {
        #expect(escaped(Array(text.utf8)) == expected)
    }

    @Test func `bytes that are not UTF-8 become replacement characters`() {
        #expect(escaped([0x61, 0xFF, 0x62]) == "\"a\u{FFFD}b\"")
    }

    @Test(arguments: [
        (1.0, "1.0"), (0.1, "0.1"), (-0.0, "-0.0"), (1e21, "1e+21"), (.leastNonzeroMagnitude, "5e-324"),
        (.infinity, "null"),
        (.nan, "null"),
        (0.1 + 0.2, "0.30000000000000004"),
    ])
    func `doubles are written in the shortest form that reads back`(double: Double, expected: String) {
        var buffer = ByteBuffer()
        buffer.appendJSON(double)
        #expect(buffer.string() == expected)
    }

    private func sample(pretty: Bool) -> String {
        var json = JSONWriter(pretty: pretty)
        json.beginObject()
        json.member("name", "Ana \"A\"")
        json.member("count", 2)
        json.member("vip", true)
        json.key("list")
        json.beginArray()
        json.integer(-1)
        json.double(0.5)
        json.null()
        json.beginObject()
        json.endObject()
        json.endArray()
        json.key("none")
        json.beginArray()
        json.endArray()
        json.endObject()
        return json.buffer.string()
    }

    @Test func `one description gives compact and pretty text`() {
        #expect(
            sample(pretty: false) == #"{"name":"Ana \"A\"","count":2,"vip":true,"list":[-1,0.5,null,{}],"none":[]}"#
        )
        #expect(
            sample(pretty: true) == #"""
                {
                  "name": "Ana \"A\"",
                  "count": 2,
                  "vip": true,
                  "list": [
                    -1,
                    0.5,
                    null,
                    {}
                  ],
                  "none": []
                }
                """#
        )
    }

    @Test func `values of a stream are told apart by the caller`() {
        var json = JSONWriter()
        for number in 1...2 {
            json.integer(number)
            json.buffer.append("\n")
            json.endValue()
        }
        #expect(json.buffer.string() == "1\n2\n")
    }
}
