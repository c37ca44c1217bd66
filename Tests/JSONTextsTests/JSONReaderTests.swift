// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts
import Testing

/// What the reader reads from a text, on one line.
private func reading(_ text: String, depthLimit: Int = 512) throws(JSONError) -> String {
    try reading(Array(text.utf8), depthLimit: depthLimit)
}

private func reading(_ bytes: [UInt8], depthLimit: Int = 512) throws(JSONError) -> String {
    try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
        var json = JSONReader(bytes, depthLimit: depthLimit)
        var output = ""
        try describe(&json, into: &output)
        try json.finish()
        return output
    }
}

private func skipping(_ bytes: [UInt8], depthLimit: Int = 512) throws(JSONError) -> SourceRange {
    try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
        var json = JSONReader(bytes, depthLimit: depthLimit)
        let range = try json.skipValue()
        try json.finish()
        return range
    }
}

private func describe(_ json: inout JSONReader, into output: inout String) throws(JSONError) {
    switch try json.readValue() {
    case .null: output += "null"
    case .bool(let bool): output += "\(bool)"
    case .integer(let integer): output += "int \(integer)"
    case .bigInteger: output += "big \(json.string(in: json.tokenRange))"
    case .double(let double): output += "double \(double)"
    case .string(let text): output += "<\(json.string(text))>"
    case .array:
        output += "["
        while try json.nextElement() {
            try describe(&json, into: &output)
            output += ";"
        }
        output += "]"
    case .object:
        output += "{"
        while let key = try json.nextKey() {
            output += json.string(key) + "="
            try describe(&json, into: &output)
            output += ";"
        }
        output += "}"
    }
}

@Suite struct JSONReaderTests {
    @Test(arguments: [
        ("null", "null"), (" true ", "true"), ("\t\r\nfalse\n", "false"), ("[]", "[]"), ("{}", "{}"), ("[ ]", "[]"),
        ("\u{FEFF}1", "int 1"), ("\"\"", "<>"), ("\"aé日😀\"", "<aé日😀>"),
        ("\"123456789 123456789\"", "<123456789 123456789>"),
        ("[1,[2,[]],{\"a\":[{}]}]", "[int 1;[int 2;[];];{a=[{};];};]"),
        ("{\"b\":1,\"a\":2,\"b\":3}", "{b=int 1;a=int 2;b=int 3;}"),
        ("{\"\\u0061\\n\" : null}", "{a\n=null;}"),
    ])
    func `values keep their order and their keys`(text: String, expected: String) throws {
        #expect(try reading(text) == expected)
    }

    @Test(arguments: [
        ("1e400", true), ("-1e400", true), ("1e308", false), (String(repeating: "9", count: 10_000), false),
        (String(repeating: "9", count: 10_001), true), ("-" + String(repeating: "9", count: 10_001), true),
    ])
    func `a number that no value holds is refused where it is asked for`(_ number: String, _ isRefused: Bool) {
        var text = "[1, \(number)]"
        text.withUTF8 { bytes in
            for skips in [true, false] {
                var json = JSONReader(bytes)
                json.requiresFiniteNumbers = true
                var output = ""
                var error: JSONError?
                do throws(JSONError) {
                    if skips { _ = try json.skipValue() } else { try describe(&json, into: &output) }
                } catch let fault {
                    error = fault
                }
                #expect(error?.offset == (isRefused ? 4 : nil))
            }
        }
    }

    @Test(arguments: [
        ("0", "int 0"), ("-0", "int 0"), ("-0.0", "double -0.0"), ("123", "int 123"),
        ("999999999999999999", "int 999999999999999999"),
        ("9223372036854775807", "int 9223372036854775807"), ("9223372036854775808", "big 9223372036854775808"),
        ("-9223372036854775808", "int -9223372036854775808"), ("-9223372036854775809", "big -9223372036854775809"),
        ("18446744073709551617", "big 18446744073709551617"),
        ("1.5", "double 1.5"), ("0.1", "double 0.1"), ("1e3", "double 1000.0"), ("1E-2", "double 0.01"),
        ("0.1e1", "double 1.0"), ("1e22", "double 1e+22"), ("1e23", "double 1e+23"), ("-2.5e+3", "double -2500.0"),
        ("123456789.123456789", "double 123456789.12345679"), ("9007199254740993.0", "double 9007199254740992.0"),
        ("5e-324", "double 5e-324"), ("1.7976931348623157e308", "double 1.7976931348623157e+308"),
        ("1e400", "double inf"), ("1e-400", "double 0.0"), ("0e99999999999999999999", "double 0.0"),
        ("0.00000000000000000000000000000001", "double 1e-32"), ("1.00000000000000000000000000000", "double 1.0"),
    ])
    func `numbers are exact integers or the nearest double`(text: String, expected: String) throws {
        #expect(try reading(text) == expected)
    }

    @Test(arguments: [
        (#""\"\\\/\b\f\n\r\t""#, "<\"\\/\u{8}\u{C}\n\r\t>"),
        (#""\u00e9 \u65E5 \ud83d\ude00 x""#, "<é 日 😀 x>"),
        (#""\ud83d""#, "<\u{FFFD}>"), (#""\ude00\ud83d""#, "<\u{FFFD}\u{FFFD}>"), (#""\ud83d\u0041""#, "<\u{FFFD}A>"),
        (#""\u0000""#, "<\u{0}>"),
    ])
    func `escapes are resolved, and a lone surrogate becomes U+FFFD`(text: String, expected: String) throws {
        #expect(try reading(text).unicodeScalars.elementsEqual(expected.unicodeScalars))
    }

    static let faults: [(text: String, fault: JSONError.Fault, offset: Int)] = [
        ("", .expectedValue, 0), ("  ", .expectedValue, 0), ("{\"a\": 1 \n", .expectedCommaOrBrace, 7),
        ("{", .expectedKey, 1), ("[", .expectedValue, 1),
        ("nul", .expectedValue, 0), ("nulL", .expectedValue, 0), ("True", .expectedValue, 0), ("+1", .expectedValue, 0),
        ("'a'", .expectedValue, 0), ("NaN", .expectedValue, 0), ("[1,]", .trailingComma, 3),
        ("{\"a\":1,}", .trailingComma, 7), ("[1 2]", .expectedCommaOrBracket, 3), ("[1}", .expectedCommaOrBracket, 2),
        ("[,1]", .expectedValue, 1), ("{\"a\" 1}", .expectedColon, 5), ("{\"a\":}", .expectedValue, 5),
        ("{a:1}", .expectedKey, 1), ("{“a”:1}", .expectedKey, 1), ("{\"a\":1]", .expectedCommaOrBrace, 6),
        ("1 2", .textAfterValue, 2), ("1\u{0}", .textAfterValue, 1), ("[]]", .textAfterValue, 2),
        ("\"abc", .unterminatedString, 4), ("\"abc\\", .unterminatedString, 5),
        ("\"a\nb\"", .controlCharacterInString, 2),
        ("\"12345678\u{1F}\"", .controlCharacterInString, 9), ("\"\\x\"", .unknownEscape, 2),
        ("\"\\u12G4\"", .malformedUnicodeEscape, 5), ("\"\\u12", .malformedUnicodeEscape, 5),
        ("01", .leadingZero, 1), ("-", .malformedNumber, 1), ("-a", .malformedNumber, 1), ("1.", .malformedNumber, 2),
        ("1.e1", .malformedNumber, 2), ("1e", .malformedNumber, 2), ("1e+", .malformedNumber, 3),
        (".5", .expectedValue, 0), ("0x1", .textAfterValue, 1), ("\u{2028}1", .expectedValue, 0),
        ("// x\n1", .expectedValue, 0),
    ]

    @Test(arguments: faults)
    func `what is not JSON is reported with its place, by reading and by skipping`(
        text: String,
        fault: JSONError.Fault,
        offset: Int
    ) throws {
        let read = try #require(throws: JSONError.self) { try reading(text) }
        #expect(read.fault == fault)
        #expect(read.offset == offset)
        #expect(throws: read) { try skipping(Array(text.utf8)) }
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xF0, 0x8F, 0xBF, 0xBF, 0x22], [0x22, 0x80, 0x22],
        ] as [[UInt8]]
    )
    func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) throws {
        let error = try #require(throws: JSONError.self) { try reading(bytes) }
        #expect(error.fault == .invalidUTF8)
        #expect(error.offset == 1)
        #expect(throws: error) { try skipping(bytes) }
    }

    @Test(
        arguments: [
            ([0x22, 0xFF, 0x0A, 0x22], .controlCharacterInString, 2),
            ([0x22, 0xFF, 0xFE, 0x5C, 0x71, 0x22], .unknownEscape, 4),
            ([0x22, 0xFF, 0x5C, 0x6E, 0x61], .unterminatedString, 5),
        ] as [([UInt8], JSONError.Fault, Int)]
    )
    func `another fault of a string comes before bytes that are not UTF-8`(
        bytes: [UInt8],
        fault: JSONError.Fault,
        offset: Int
    ) throws {
        let error = try #require(throws: JSONError.self) { try reading(bytes) }
        #expect(error.fault == fault)
        #expect(error.offset == offset)
        #expect(throws: error) { try skipping(bytes) }
    }

    @Test func `nesting ends at the limit, and deep nesting within it is read and skipped`() throws {
        let deep = String(repeating: "[{\"a\":", count: 100) + "1" + String(repeating: "}]", count: 100)
        #expect(try skipping(Array(deep.utf8)) == SourceRange(0, deep.utf8.count))
        #expect(try reading(deep, depthLimit: 200).utf8.count > 200)
        let error = try #require(throws: JSONError.self) { try reading(deep, depthLimit: 199) }
        #expect(error.fault == .tooDeep(limit: 199))
        #expect(throws: error) { try skipping(Array(deep.utf8), depthLimit: 199) }
        let endless = Array(repeating: UInt8(ascii: "["), count: 1_000_000)
        #expect(throws: JSONError.self) { try skipping(endless) }
    }

    @Test func `a text with any one byte changed or cut off is read and skipped with the same result`() throws {
        let json =
            #"{"a":"b","c":"","d":{"e":"é","f":"\n","g":12},"h":[true,null,"i",-0.5e1],"j":false,"#
            + #""k":[{"l":"m","n":[{"o":1},{}]},{"p":"q"}]}"#
        let text = Array(json.utf8)
        func compare(_ bytes: [UInt8]) {
            var (read, skipped, selected): (JSONError?, JSONError?, JSONError?)
            do throws(JSONError) { _ = try reading(bytes) } catch { read = error }
            do throws(JSONError) { _ = try skipping(bytes) } catch { skipped = error }
            do throws(JSONError) {
                try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
                    var json = JSONReader(bytes)
                    guard try json.readValue() == .object else { return try json.finish() }
                    let names = JSONNames(["c", "h", "none"])
                    while try json.nextKey(among: names) != nil { try json.skipValue() }
                    try json.finish()
                }
            } catch {
                selected = error
            }
            #expect(read == skipped, "\(String(decoding: bytes, as: UTF8.self))")
            if bytes.first == UInt8(ascii: "{") {
                #expect(read == selected, "\(String(decoding: bytes, as: UTF8.self))")
            }
        }
        for index in text.indices {
            compare(Array(text[..<index]))
            for byte in "\"\\{}[],: 0-.eatn\u{1}".utf8 + [0x80, 0xC3, 0xFF] {
                var changed = text
                changed[index] = byte
                compare(changed)
            }
        }
    }

    @Test func `members that nobody wants are skipped, and keys compare without decoding`() throws {
        let text = Array(#"{"skip":{"x":[1,"}",{"]":2}]},"\u0075ser":"Ana","n":-1.5}"#.utf8)
        try text.withUnsafeBufferPointer { bytes in
            var json = JSONReader(bytes)
            let value = try json.readValue()
            guard case .object = value else {
                Issue.record("found \(value)")
                return
            }
            var found = ""
            while let key = try json.nextKey() {
                if json.matches(key, "user"), case .string(let name) = try json.readValue() {
                    found += json.string(name)
                    #expect(json.string(in: json.tokenRange) == "\"Ana\"")
                } else {
                    let range = try json.skipValue()
                    found += "[\(json.string(key)) \(range.offsets.count)]"
                }
            }
            try json.finish()
            #expect(found == "[skip 21]Ana[n 4]")
        }
    }

    @Test func `strings of all lengths are read wherever they start, also with marks of a longer text`() throws {
        var marks = TextMarks()
        for start in 0..<70 {
            for count in 0..<140 {
                for ending in ["", "é", "\\n", "😀x"] {
                    let text = String(repeating: "x", count: count) + ending
                    let bytes = Array((String(repeating: " ", count: start) + "\"\(text)\"").utf8)
                    let (read, unterminated) = try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
                        var json = JSONReader(bytes, reusing: &marks)
                        guard case .string(let text) = try json.readValue() else { return ("", false) }
                        var open = JSONReader(UnsafeBufferPointer(rebasing: bytes.dropLast()), reusing: &marks)
                        do throws(JSONError) {
                            _ = try open.readValue()
                            return (json.string(text), false)
                        } catch {
                            return (json.string(text), error.fault == .unterminatedString && error.found == .end)
                        }
                    }
                    #expect(read == text.replacing("\\n", with: "\n"))
                    #expect(unterminated)
                }
            }
        }
    }

    @Test func `a text is appended to a buffer with its escapes resolved`() throws {
        let text = Array(#"["plain","a\u00e9\n"]"#.utf8)
        try text.withUnsafeBufferPointer { bytes in
            var json = JSONReader(bytes)
            var buffer = ByteBuffer(capacity: 1)
            _ = try json.readValue()
            while try json.nextElement() {
                if case .string(let text) = try json.readValue() { json.append(text, to: &buffer) }
            }
            #expect(buffer.string() == "plainaé\n")
        }
    }

    @Test(arguments: [
        ("[1,]", "found ']' after a comma: JSON has no trailing comma (offset 3)"),
        ("{“a”:1}", "found '“' where a key in double quotes should start: write straight quotes, \" (offset 1)"),
        ("{\"a\": “b”}", "found '“' where a JSON value should start: write straight quotes, \" (offset 6)"),
        ("\"\u{1B}", "found U+001B in a string, expected an escape (offset 1)"),
        ("[1", "the text ends where ',' or ']' should follow the element (offset 2)"),
        ("\u{200B}1", "found U+200B where a JSON value should start (offset 0)"),
        ("\"\\q\"", #"found 'q' after a backslash, expected one of the escapes \" \\ \/ \b \f \n \r \t \u (offset 2)"#),
    ])
    func `messages say what was found and what was expected`(text: String, message: String) throws {
        let error = try #require(throws: JSONError.self) { try reading(text) }
        #expect(error.description == message)
    }
}
