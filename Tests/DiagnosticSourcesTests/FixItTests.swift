// SPDX-License-Identifier: MIT

import DiagnosticSources
import Testing

@Suite struct FixItTests {
    private func fix(_ edits: (Int, Int, String)...) -> FixIt {
        FixIt("fix", edits: edits.map { FixIt.Edit(SourceRange($0.0, $0.1), replacement: $0.2) })
    }

    private func apply(_ fixes: [FixIt], to text: String) -> (text: String, conflicts: Int) {
        let result = FixIt.apply(fixes, to: Array(text.utf8))
        #expect(result.applied.count + result.conflicting.count == fixes.count)
        return (String(decoding: result.bytes, as: UTF8.self), result.conflicting.count)
    }

    @Test func `edits are made wherever their fixes stand in the list`() {
        let result = apply([fix((6, 7, "Z")), fix((0, 1, "X"), (2, 4, "")), fix((4, 4, "_"))], to: "abcdefg")
        #expect(result == ("Xb_efZ", 0))
    }

    @Test func `a fix that touches what an earlier one changes is left out as a whole`() {
        #expect(apply([fix((1, 3, "X")), fix((0, 1, "Y"), (2, 4, "Z"))], to: "abcd") == ("aXd", 1))
        #expect(apply([fix((1, 1, "X")), fix((1, 1, "Y"))], to: "ab") == ("aXb", 1))
        #expect(apply([fix((0, 3, "X")), fix((1, 1, "Y"))], to: "abcd") == ("Xd", 1))
        #expect(apply([fix((1, 1, "Y")), fix((0, 3, "X"))], to: "abcd") == ("aYbcd", 1))
    }

    @Test func `neighbours do not conflict, and the same edit twice counts once`() {
        #expect(
            apply([fix((0, 1, "X")), fix((1, 2, "Y")), fix((0, 0, "<")), fix((2, 2, ">"))], to: "ab") == ("<XY>", 0)
        )
        #expect(apply([fix((0, 1, "X")), fix((0, 1, "X"), (1, 2, "Y"))], to: "ab") == ("XY", 0))
    }

    @Test func `edits outside the file or over each other are refused`() {
        #expect(apply([fix((1, 9, "X"))], to: "ab") == ("ab", 1))
        #expect(apply([fix((0, 2, "X"), (1, 2, "Y"))], to: "ab") == ("ab", 1))
        #expect(apply([fix((0, 0, "X"), (0, 0, "X"))], to: "ab") == ("ab", 1))
    }

    @Test func `a file keeps its encoding, and text that it cannot hold is refused`() {
        let bytes: [UInt8] = [0xFF, 0xFE, 0x61, 0, 0xE9, 0, 0x62, 0, 0x0A, 0]
        let file = SourceFile(path: "t", bytes: bytes, encoding: .utf16LittleEndian)
        let result = FixIt.apply([fix((4, 6, "日"))], to: file)
        #expect(result.bytes == [0xFF, 0xFE, 0x61, 0, 0xE5, 0x65, 0x62, 0, 0x0A, 0])
        var buffer = ByteBuffer()
        UnifiedDiff().write(file, edits: result.edits, into: &buffer)
        #expect(buffer.string().hasSuffix("@@ -1 +1 @@\n-aéb\n+a日b\n"))
        let latin = SourceFile(path: "t", bytes: [0x61, 0xE9], encoding: .latin1)
        #expect(FixIt.apply([fix((1, 2, "日"))], to: latin).conflicting.count == 1)
        #expect(FixIt.apply([fix((1, 2, "ü"))], to: latin).bytes == [0x61, 0xFC])
    }

    private func diff(_ text: String, _ fixes: FixIt...) -> String {
        let file = SourceFile(path: "t", text: text)
        var buffer = ByteBuffer()
        UnifiedDiff().write(file, edits: FixIt.apply(fixes, to: file.bytes).edits, into: &buffer)
        return buffer.string()
    }

    private let ten = (1...9).map { "\($0)\n" }.joined() + "end"

    @Test func `a diff shows changed lines with their context`() {
        #expect(
            diff(ten, fix((8, 9, "five"))) == "--- a/t\n+++ b/t\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
        )
    }

    @Test func `near changes share a hunk, far ones do not`() {
        let near = diff(ten, fix((0, 1, "a")), fix((14, 15, "b")))
        #expect(near.split(separator: "@@").count == 3)
        let far = diff(ten + "\n11\n12\n", fix((0, 1, "a\nb")), fix((16, 17, "c")))
        #expect(far.contains("@@ -1,4 +1,5 @@") && far.contains("@@ -6,7 +7,7 @@"))
    }

    @Test func `inserted, removed and joined lines are counted`() {
        #expect(diff("a\nb\n", fix((2, 2, "x\n"))) == "--- a/t\n+++ b/t\n@@ -1,2 +1,3 @@\n a\n+x\n b\n")
        #expect(diff("a\nb\n", fix((0, 2, ""))) == "--- a/t\n+++ b/t\n@@ -1,2 +1 @@\n-a\n b\n")
        #expect(diff("a\nb\n", fix((1, 2, ""))) == "--- a/t\n+++ b/t\n@@ -1,2 +1 @@\n-a\n-b\n+ab\n")
        #expect(diff("", fix((0, 0, "x\n"))) == "--- a/t\n+++ b/t\n@@ -0,0 +1 @@\n+x\n")
        #expect(diff("a\n", fix((2, 2, "x\n"))) == "--- a/t\n+++ b/t\n@@ -1 +1,2 @@\n a\n+x\n")
        #expect(diff("a\n", fix((0, 2, ""))) == "--- a/t\n+++ b/t\n@@ -1 +0,0 @@\n-a\n")
        #expect(diff("a\n", fix((0, 1, "a"))).isEmpty)
    }

    @Test func `a missing line break at the end is told`() {
        #expect(
            diff("a\nb", fix((3, 3, "\n"))) == """
                --- a/t
                +++ b/t
                @@ -1,2 +1,2 @@
                 a
                -b
                \\ No newline at end of file
                +b

                """
        )
    }

    @Test func `names and lines cannot break out of a diff for a terminal`() {
        let file = SourceFile(path: "a\nb\u{1B}é", text: "x\u{1B}[2J\ty\n")
        var buffer = ByteBuffer()
        let edit = FixIt.Edit(SourceRange(0, 1), replacement: "z")
        UnifiedDiff(isForPeople: true).write(file, edits: [edit], into: &buffer)
        #expect(
            buffer.string() == #"""
                --- "a/a\012b\033\303\251"
                +++ "b/a\012b\033\303\251"
                @@ -1 +1 @@
                -x\u{1B}[2J	y
                +z\u{1B}[2J	y

                """#
        )
    }
}
