// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadgenTestSupport
import Testing

@testable import PlistDocuments

@Suite struct PlistDocumentTests {
    private func read(_ body: String) -> PlistDocument {
        PlistDocument(SourceFile(path: "t.plist", text: "<plist version=\"1.0\">\(body)</plist>"))
    }

    @Test(arguments: [5, 77])
    func `an element that is not closed is named, with the codes of old and new libxml2`(code: Int) {
        let text = Array("<plist><dict>\n".utf8)
        let dictionary = PlistBuilder.Frame(role: .dictionary, name: "dict", tag: 7..<13)
        let fault = XMLFault(
            code: code,
            message: "Premature end of data in tag dict line 1",
            offset: text.count,
            markupEnd: 13,
            text: text,
            element: dictionary
        )
        #expect(fault.finding.message == "the file ends, expected </dict>")
        #expect(fault.finding.opening == 7..<13)
    }

    @Test func `values, keys, comments and their ranges are found`() throws {
        let document = read(
            """
            <dict><!-- one --><key>a&amp;b</key><string>x<![CDATA[<]]>&#233;</string>
            <key>n</key><array><integer> -0x1F</integer><real>.5</real><true/><false></false><string/></array></dict>
            """
        )
        #expect(document.diagnostics.isEmpty)
        let root = try #require(document.root)
        let string = try #require(document[root, "a&b"])
        #expect(string.string == "x<é")
        #expect(document.file.text(in: string.range) == "<string>x<![CDATA[<]]>&#233;</string>")
        #expect(document.file.text(in: string.contentRange) == "x<![CDATA[<]]>&#233;")
        #expect(document.file.text(in: try #require(string.key).contentRange) == "a&amp;b")
        #expect(document.comments.map(\.text) == [" one "])
        let array = document.children(of: try #require(document["n"]))
        #expect(array.map(\.number) == [-31, 0.5, nil, nil, nil])
        #expect(array.map(\.boolean) == [nil, nil, true, false, nil])
        #expect(array[4].string?.isEmpty == true)
        #expect(document.file.text(in: root.openingRange) == "<dict>")
        #expect(document.parent(of: array[0])?.kind == .array)
    }

    @Test func `of a key that occurs twice the last value counts, and canonically equal keys are two`() {
        #expect(read("<dict><key>a</key><true/><key>a</key><false/></dict>")["a"]?.boolean == false)
        #expect(read("<dict><key>e\u{301}</key><true/><key>\u{E9}</key><true/></dict>").diagnostics.isEmpty)
    }

    @Test func `a key that occurs twice is reported in each format`() {
        let text = "{ a = { b = 1; b = 2; }; c = 3; }"
        let document = PlistDocument(SourceFile(path: "t.plist", text: text))
        let found = document.diagnostics.filter { $0.rule == .duplicateKey }
        #expect(found.map(\.place?.start.column) == [16] && document["a", "b"]?.text == "2")
        let bytes = binaryPlist([[0xD2, 1, 1, 2, 3], [0x51, 0x61], [0x08], [0x09]])
        let binary = PlistDocument(SourceFile(path: "t.plist", bytes: bytes))
        let message = "key 'a' occurs twice in one dictionary; the first value counts"
        #expect(binary.diagnostics.filter { $0.rule == .duplicateKey }.map(\.message) == [message])
        #expect(binary["a"]?.boolean == false)
    }

    @Test func `an empty text in UTF-16 is a text, and the list is not damaged`() {
        let document = PlistDocument(
            SourceFile(path: "t.plist", bytes: binaryPlist([[0xD1, 1, 2], [0x51, 0x61], [0x60]])))
        #expect(document["a"]?.string?.isEmpty == true)
    }

    @Test(arguments: ["a:dict", "a:b:c", ":a", "a:", "é"])
    func `the name of an element is the one in its tag, with its prefix`(name: String) {
        let found = read("<\(name) b=\"1\"\n/>").diagnostics.first
        #expect(found?.message.hasPrefix("unknown element <\(name)>, expected one of ") == true)
        #expect(found?.place?.start.column == 22)
    }

    @Test func `a grammar fault leaves the rest readable and is told once`() {
        let document = read("<dict><key>a</key><foo><bar/>x</foo><key>b</key><dict>y<key>c</key></dict></dict>")
        #expect(document.diagnostics.map(\.message).count == 3)
        #expect(document["b"]?.kind == .dictionary)
        #expect(document["a"] == nil)
    }

    @Test func `offsets and columns of UTF-16 and Latin-1 files are those of the stored file`() {
        let text = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<plist><string>日é</sting></plist>"
        let units: [[UInt8]] = text.utf16.map { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        let wide: [UInt8] = [0xFF, 0xFE] + units.joined()
        let place = PlistDocument(SourceFile(path: "t", bytes: wide)).diagnostics.first?.place
        #expect(place?.start == SourcePosition(offset: 2 + 2 * 61, line: 2, column: 18))

        let narrow = text.unicodeScalars.filter { $0 != "日" }.map { UInt8($0.value) }
        let narrowPlace = PlistDocument(SourceFile(path: "t", bytes: narrow)).diagnostics.first?.place
        #expect(narrowPlace?.start == SourcePosition(offset: 60, line: 2, column: 17))
    }

    @Test(arguments: ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<?xml version=\"1.0\"?>", ""])
    func `UTF-16 without a byte order mark is refused where CoreFoundation does not find it`(declaration: String) {
        let text = declaration + "<plist><string>a</string></plist>"
        let units: [[UInt8]] = text.utf16.map { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        let little = units.flatMap { $0 }
        let big = units.flatMap { [$0[1], $0[0]] }
        func errors(_ bytes: [UInt8]) -> [String] {
            PlistDocument(SourceFile(path: "t.plist", bytes: bytes)).diagnostics.map(\.message)
        }
        let refusal = ["UTF-16 without a byte order mark, which the system does not read; expected UTF-8"]
        #expect(errors(big) == refusal)
        #expect(errors(little) == (declaration.isEmpty ? [] : refusal))
        #expect(errors([0xFF, 0xFE] + little).isEmpty && errors([0xFE, 0xFF] + big).isEmpty)
    }

    @Test(arguments: [true, false], [true, false])
    func `UTF-32 is refused, with a byte order mark and without`(isLittleEndian: Bool, hasMark: Bool) {
        let list = "<?xml version=\"1.0\"?><plist><dict><key>a</key><true/></dict></plist>"
        let text = (hasMark ? "\u{FEFF}" : "") + list
        let bytes: [[UInt8]] = text.unicodeScalars.map { scalar in
            let bytes = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: scalar.value >> $0) }
            return isLittleEndian ? bytes : bytes.reversed()
        }
        let document = PlistDocument(SourceFile(path: "t.plist", bytes: Array(bytes.joined())))
        #expect(document.root == nil)
        #expect(document.diagnostics.map(\.message) == ["the file is stored in UTF-32, expected UTF-8"])
    }

    @Test func `U+0000 is refused wherever it is`() {
        let text = Array("<plist><dict><key>a</key><string>b</string></dict></plist>".utf8)
        for offset in text.indices {
            var bytes = text
            bytes[offset] = 0
            let document = PlistDocument(SourceFile(path: "t.plist", bytes: bytes))
            #expect(document.root == nil)
            #expect(document.diagnostics.contains { Int($0.place?.range.start ?? 0) == offset }, "at \(offset)")
        }
        // Four of these bytes are the start of another encoding; here, the first of them comes after a space.
        let wide = [0x20, 0x3C] + [UInt8](repeating: 0, count: 70_000)
        #expect(PlistDocument(SourceFile(path: "t.plist", bytes: wide)).root == nil)
    }

    @Test func `every beginning of a list is read without a trap, in every encoding`() {
        let text =
            "<?xml version=\"1.0\"?><!DOCTYPE plist><plist><!-- é --><dict><key>&#65;</key><data/><?a b?><![CDATA[]]>"
        let narrow = Array(text.utf8)
        let wide: [[UInt8]] = text.utf16.map { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        for bytes in [narrow, [0xFF, 0xFE] + Array(wide.joined()), [0xFE, 0xFF] + Array(wide.joined())] {
            for count in 1...bytes.count {
                let file = SourceFile(path: "t.plist", bytes: Array(bytes[..<count]))
                let diagnostics = PlistDocument(file).diagnostics
                #expect(!diagnostics.isEmpty)
                #expect(diagnostics.allSatisfy { Int($0.place?.range.end ?? 0) <= count })
            }
        }
    }

    @Test func `a binary list that stands for more objects than memory holds is refused`() {
        // Each of 100 arrays refers to the next one twice.
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for index in 0..<UInt8(100) {
            offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
            bytes += [0xA2, index + 1, index + 1]
        }
        offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
        bytes += [0x51, 0x61]
        let table = UInt8(bytes.count & 0xFF)
        let tableHigh = UInt8(bytes.count >> 8)
        bytes += offsets + [0, 0, 0, 0, 0, 0, 2, 1]
        bytes += [0, 0, 0, 0, 0, 0, 0, 101, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, tableHigh, table]
        let document = PlistDocument(SourceFile(path: "t", bytes: bytes))
        #expect(document.diagnostics.map(\.rule.name) == ["plist-syntax"])
        #expect(document.root == nil)
    }

    @Test func `512 levels are read, as Foundation does, and not one more`() {
        func nested(_ count: Int) -> String {
            String(repeating: "<array>", count: count) + "<true/>" + String(repeating: "</array>", count: count)
        }
        #expect(read(nested(512)).diagnostics.isEmpty)
        #expect(read(nested(513)).diagnostics.count == 1)
    }

    @Test func `marks in a DOCTYPE and endless tags are refused before parsing`() {
        let attributes = (0..<3000).map { " a\($0)=\">\"" }.joined()
        #expect(read("<dict/><string\(attributes)/>").diagnostics.map(\.summary) == ["1:29-1:30 plist-syntax"])
        let document = PlistDocument(
            SourceFile(path: "t", text: "<!DOCTYPE plist SYSTEM \"a[b\"><plist><dict/></plist>")
        )
        #expect(document.diagnostics.map(\.summary) == ["1:26-1:27 plist-syntax"])
    }

    @Test(arguments: [
        ("{ a = (1, \"b\\\"c\", <00 ff>,); /* c */ d = { }; }", nil),
        ("\"a\" = \"\\U00e9\"; // c\nb;", nil),
        ("{ a = b }", "1:9-1:10"),
        ("{ a = (1 2); }", "1:10-1:11"),
        ("{ a = 'b; }", "1:7-1:8"),
        ("{ a = b; /* }", "1:10-1:12"),
        ("{ a = ; }", "1:7-1:8"),
        ("{ a = b; } c", "1:12-1:13"),
        ("{", "1:2-1:2"),
    ])
    func `OpenStep lists are read, and their faults placed`(text: String, place: String?) {
        let document = PlistDocument(SourceFile(path: "A.app/t", text: text))
        #expect(document.diagnostics.map(\.summary) == (place.map { [$0 + " plist-syntax"] } ?? []))
        #expect((document.root == nil) == (place != nil))
    }

    @Test func `lists in built bundles may be binary`() {
        let openStep = Array("{ a = b; }".utf8)
        let paths = ["x/Info.plist", "A.app/Info.plist", "A.app/PlugIns/E.appex/Info.plist"]
        let counts = paths.map { PlistDocument(SourceFile(path: $0, bytes: openStep)).diagnostics.count }
        #expect(counts == [1, 0, 0])
    }

    @Test func `any damage is told, and no place lies outside the file`() {
        let sample = Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//A//B" "http://c">
            <plist version="1.0"><dict><!-- é --><key>k</key><string>日<![CDATA[x]]>&lt;</string></dict></plist>
            """.utf8
        )
        let replacements: [[UInt8]] = [[], [0], [0xFF], Array("<".utf8), Array("&".utf8), Array("]]>".utf8), [0x2F]]
        for index in sample.indices {
            for replacement in replacements {
                let bytes = Array(sample[..<index]) + replacement + Array(sample[(index + 1)...])
                let document = PlistDocument(SourceFile(path: "t", bytes: bytes))
                for diagnostic in document.diagnostics {
                    #expect((diagnostic.place?.range.end ?? 0) <= bytes.count)
                    #expect(!diagnostic.message.isEmpty)
                }
                if replacement == [0] || replacement == [0xFF] {
                    #expect(document.diagnostics.contains { Int($0.place?.range.start ?? 0) <= index }, "\(index)")
                }
            }
            let torn = PlistDocument(SourceFile(path: "t", bytes: Array(sample[..<index])))
            #expect(torn.isBroken)
        }
    }
}
