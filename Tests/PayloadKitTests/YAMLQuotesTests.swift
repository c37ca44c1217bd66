// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import PayloadKit
import Testing

/// Liquid that YAML would swallow.
@Suite struct YAMLQuotesTests {
    private func findings(_ yaml: String) -> [Diagnostic] {
        do {
            _ = try DocumentNode.yaml(SourceFile(path: "a.yml", text: yaml), rule: .jsonSyntax)
            return []
        } catch {
            return error.diagnostics
        }
    }

    @Test(arguments: [
        "title: \"{{ ${a} | default: 'b' }}\"", "title: {{ ${a} }}", "title: Hi {{ ${a} }}: you",
    ])
    func `a merge conflict is the mistake, whatever Liquid is in it`(title: String) {
        let found = findings("push:\n<<<<<<< HEAD\n  \(title)\n=======\n  title: Hello\n>>>>>>> branch\n")
        #expect(found.count == 1 && found[0].place?.start.line == 2 && found[0].fixes.isEmpty)
        #expect(found[0].message.hasPrefix("found '<<<<<<<' of a merge conflict"))
    }

    private func fixed(_ yaml: String) -> String {
        var bytes = Array(yaml.utf8)
        for finding in findings(yaml).reversed() {
            for edit in finding.fixes.flatMap(\.edits).reversed() {
                bytes.replaceSubrange(edit.range.offsets, with: edit.replacement.utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: [
        ("title: {{ ${first_name} }}", "title: \"{{ ${first_name} }}\""),
        ("title: {{ ${first_name} | default: 'you' }}, hi", "title: \"{{ ${first_name} | default: 'you' }}, hi\""),
        ("body: {% if x %}a{% endif %}", "body: \"{% if x %}a{% endif %}\""),
        ("body: Hi {{ ${first_name} | default: \"you\" }}", "body: 'Hi {{ ${first_name} | default: \"you\" }}'"),
        ("body: You are #1, {{x}}", "body: \"You are #1, {{x}}\""),
        ("body: Hi {{x}} #1", "body: \"Hi {{x}} #1\""),
        ("a:\n  - {{ x }}\n  - b", "a:\n  - \"{{ x }}\"\n  - b"),
        ("a:\n  {{ x }}", "a:\n  \"{{ x }}\""),
        ("extras: {a: {{ x }}, b: \"{{ y }}\"}", "extras: {a: \"{{ x }}\", b: \"{{ y }}\"}"),
        ("{{ x }}: y", "\"{{ x }}\": y"),
        ("\"title\": {{ x }}", "\"title\": \"{{ x }}\""), ("'a title' : {{ x }}", "'a title' : \"{{ x }}\""),
        ("- {{ x }}", "- \"{{ x }}\""),
        ("a:\n  Join \"Us\", {{ x | default: 1 }}!", "a:\n  'Join \"Us\", {{ x | default: 1 }}!'"),
        ("a:\n  mailto:{{ x | default: 1 }}", "a:\n  \"mailto:{{ x | default: 1 }}\""),
    ])
    func `a value is put in quotes`(yaml: String, expected: String) throws {
        #expect(fixed(yaml) == expected)
        #expect(findings(expected).isEmpty)
    }

    @Test(arguments: [
        ("body: “{{x | default: 'a'}}, hi”", "body: \"{{x | default: 'a'}}, hi\""),
        ("body: ‘it’s {{x}}: you’", "body: \"it’s {{x}}: you\""), ("body: «{{x}}: \"a\"»", "body: '{{x}}: \"a\"'"),
        ("body: „Sale: {{x}}“", "body: \"Sale: {{x}}\""), ("body: “Sale: today”", "body: \"Sale: today\""),
    ])
    func `curly quotes around a value become straight ones`(yaml: String, expected: String) throws {
        let found = findings(yaml)
        #expect(found.count == 1 && found[0].message.hasPrefix("YAML does not know the quotes"), "\(found)")
        #expect(fixed(yaml) == expected)
        #expect(findings(expected).isEmpty)
    }

    @Test(arguments: ["body: You are {{x}} # 1 in line", "body: {{x}} # 1 in line", "body: Hi {{x}}: you # 1"])
    func `what may be a comment or text is not changed`(yaml: String) {
        let found = findings(yaml)
        #expect(found.map(\.rule.name) == ["yaml-needs-quotes"])
        #expect(found.first?.message.contains("expected quotes around all of it, or only around") == true)
        #expect(fixed(yaml) == yaml)
    }

    @Test(arguments: [
        "a: one\n  {{ x | y: 1 }}\n  two\nb: c", "a: Hi {{ x }}: you\n  b: c", "a:\n  Hi {{ x }}\n  and {{ y }}: z",
        "a: {b: c\n  } {{ x }}",
    ])
    func `several lines are not put in quotes`(yaml: String) {
        #expect(!findings(yaml).isEmpty)
        #expect(fixed(yaml) == yaml)
    }

    @Test(arguments: [
        ("push\n  a: \"Olá {{ x | default: 'y' }}\"\n  b: \"É\"\n", 1),
        ("c: d\npush\n  a: \"Olá {{ x | default: 'y' }}\"\n  b: \"É\"\n", 2),
        ("push:\n  a:\"Olá {{ x | default: 'y' }}\"\n  b: \"É\"\n", 2),
        ("push:\n  a \"Olá {{ x | default: 'y' }}\"\n  b: \"É\"\n", 2),
        ("push:\n  a Olá {{ x | default: 'y' }}\n  b: \"É\"\n", 2),
        ("push:\n  b: \"É\"\n  a Olá {{ x | default: 'y' }}\n", 3),
        ("push:\n  b: É\n  a\n    c: \"Olá {{ x | default: 'y' }}\"\n    d: e\n", 3),
        ("- a \"Olá {{ x | default: 'y' }}\"\n  b: \"É\"\n", 1),
        ("a: > Hi {{ x }}\nb: c\n", 1), ("a: | Hi {{ x | default: 'y' }}\n", 1),
    ])
    func `a mistake other than missing quotes has no fix`(yaml: String, line: Int) {
        let found = findings(yaml)
        #expect(found.map(\.rule.name) == ["json-syntax"])
        #expect(found.map { $0.place?.start.line } == [line])
        #expect(fixed(yaml) == yaml)
        let words = ["no colon", "no space after the colon", "found text after"]
        #expect(words.contains { found.first?.message.contains($0) ?? false })
    }

    @Test(arguments: [
        "body: |\n  {{ x }}\n  a: {{ y | z: 1 }} # b\n",
        "body: >-\n  {% if a: b %}\n\n  # {{ x }}\nother: 1\n",
        "body: \"{{ x }}: # y\"",
        "body: 'it''s\n  {{ x }}: y'",
        "# title: {{ x }}\nbody: a",
        "body: Hi {{ x }}, there",
        "uri: https://x.io/{{ x }}#top",
        "a: [\"{{ x }}\", '{% y %}']",
        "extras:\n  k: $json:{\"a\":{{x}}}",
        "a: &x # {{ x }} # b\nb: 1",
        "a: {b\"c: d}\ne: \"{{ x }}\"",
        "a: b\rc: \"{{ x }}: d\"",
    ])
    func `what YAML reads as one text is left alone`(yaml: String) {
        #expect(findings(yaml).map(\.message) == [])
    }

    @Test func `every mistake of a file is told in one run`() {
        let yaml = "title: {{ a }}\nbody: b {{ c }}: d\nx: 'fine {{ a }}'\nextras:\n  k: {% e %}\n"
        #expect(findings(yaml).map(\.rule.name) == Array(repeating: "yaml-needs-quotes", count: 3))
    }

    @Test(arguments: ["\n", "\r", "\r\n", "\u{85}", "\u{2028}"])
    func `lines that the parser would compare with each other have a limit`(lineBreak: String) {
        func directives(_ count: Int) -> String {
            (0..<count).map { "%TAG !a\($0)! b" + lineBreak }.joined() + "---\(lineBreak)a: 1\n"
        }
        #expect(findings(directives(40)).isEmpty)
        for start in ["", "a: 1\(lineBreak)...\(lineBreak)"] {
            let found = findings(start + directives(10_000)).first
            #expect(found?.message == "more than the limit of 40 lines that begin with '%'")
        }
    }

    @Test func `a character beyond ASCII is one of those that the parser counts`() throws {
        let text = "é: 😀\u{2028}ü: \"é\" # ä\u{85}x: [ö, y]\r\nz: $\n"
        for start in ["", "\u{FEFF}"] {
            let file = SourceFile(path: "a.yml", text: start + text)
            let root = try #require(try DocumentNode.yaml(file, rule: .jsonSyntax))
            let ranges = [root["é"], root["ü"], root["x"]?.elements?.last, root["z"]].compactMap { $0?.range }
            #expect(ranges.map { String(file.text(in: $0)) } == ["😀", "\"é\"", "y", "$"])
            let found = findings(start + "é: 😀 # ä\nü: @x\n").first
            #expect(found?.place.map { String($0.file.text(in: $0.range)) } == "@")
        }
    }

    @Test func `other faults keep the parser's words with a place`() {
        #expect(
            findings("a: b\n\tc: d").first?.message
                == "found a tab in the indentation, expected spaces: YAML does not allow tabs there")
        #expect(findings("a: @x").first?.message == "a plain YAML value cannot begin with '@'; put it in quotes")
        #expect(findings("a: \u{1}").first?.message == "YAML does not allow the control character U+0001")
        let twice = findings("push:\n  a: 1\n  b: 2\n  a: 3\n").first
        #expect(twice?.message == "the key 'a' occurs twice")
        #expect(twice?.place?.start.line == 4)
        #expect(twice?.related.first?.place.start.line == 2)
        for (first, second) in [("a", "\"a\""), ("\"a\"", "a"), ("'a'", "'a'"), ("\"a\"", "'a' ")] {
            let block = "x:\n  b: 0\n  \(first): '1'\n  c: 2\n  \(second): 3\n"
            for text in [block, "x: {\(first): '1', c: 2, \(second): 3}\n"] {
                let twice = findings(text).first
                #expect(twice?.message == "the key 'a' occurs twice", "\(text)")
                let key = twice?.place.map { String($0.file.text(in: $0.range)) }
                #expect(key == second.filter { $0 != " " }, "\(text)")
                let start = twice?.place?.range.start ?? 0
                #expect(twice?.related.first.map { $0.place.range.end <= start } == true, "\(text)")
            }
        }
        let escaped = findings("x:\n  \"{{ \\\"a\\\" }}\": 1\n  '{{ \"a\" }}': 2\n").first
        #expect(escaped?.place?.start.line == 3 && escaped?.related.first?.place.start.line == 2)
    }

    @Test(arguments: [
        ("a: {b: 'c' d: e}", 12, "found 'd' without a comma before it, expected ','"),
        ("a: {b: \"c\"\r\n  d: e}", 15, "found 'd' without a comma before it, expected ','"),
        ("a: ['b' 'c']", 9, "found another text without a comma before it, expected ','"),
        ("a: [{b: c} {d: e}]", 12, "found '{' without a comma before it, expected ','"),
        ("a: {\n  b: 1\n  c: 2\n}", 15, "found 'c' without a comma before it, expected ','"),
        (
            "a: {b: https://x.io type: png}", 21,
            "found a second ': ' in this value, expected ',' before 'type', or quotes around the text"
        ),
        (
            "a: {b: Note: read}", 8,
            "the value contains ': ', which YAML reads as the end of a key; expected quotes around it"
        ),
        (
            "a: {b: 'It's here'}", 11,
            "the quote ' ends the text here; expected another kind of quotes inside of it, or '' for an apostrophe"
        ),
        ("a: {b: c, d: 'e}", 14, "the quote ' is never closed, expected ' at the end of the text"),
        ("a: {b: it's, # 'c\n  d: ['e' f: g]}", 29, "found 'f' without a comma before it, expected ','"),
        ("a: {b: c,, d: e}", 10, "found ',' without a value before it"),
    ])
    func `mistakes in brackets are named at their place`(yaml: String, column: Int, message: String) {
        let found = findings(yaml).first
        #expect(found?.message == message)
        #expect(found?.place.map { Int($0.range.start) + 1 } == column)
    }

    @Test func `aliases that multiply are refused`() {
        var yaml = "a0: &a0 [x]\n"
        for level in 1..<30 { yaml += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n" }
        let hint = "the limit; an alias counts as all that it repeats"
        let found = findings(yaml).first
        #expect(found?.message == "more than 200000 values, \(hint)")
        #expect(found?.place?.start.line == 17)
        // As keys they were compared with all that they repeat, at each level.
        #expect(findings(yaml + "? *a29\n: 1\n").first?.message == found?.message)
        let text = "a: &a \(String(repeating: "x", count: 100_000))\nb: [\(String(repeating: "*a, ", count: 90))]\n"
        #expect(findings(text).first?.message == "more than 8388608 bytes of text, \(hint)")
    }

    @Test(arguments: [
        "- ", "? ", "[", "{ ", "[? ", "{a: ", "[a: ", "- ? ", "? - ", "? {a: [", "- - ? - ",
    ])
    func `nesting has a limit, with its place`(_ level: String) throws {
        for start in ["", "a: 1\nk:\n  "] {
            let found = findings(start + String(repeating: level, count: 200_000) + "x\n").first
            #expect(found?.message == "nested deeper than 512 levels", "\(level)")
            #expect((found?.place?.start.line).map { $0 == (start.isEmpty ? 1 : 3) } == true, "\(level)")
        }
    }

    @Test func `an alias is as deep as what it repeats`() {
        func nested(_ levels: Int, _ inner: String) -> String {
            String(repeating: "[", count: levels) + inner + String(repeating: "]", count: levels)
        }
        let start = "a: &a \(nested(250, "x"))\nb: &b \(nested(250, "*a"))\n"
        #expect(findings(start + "c: \(nested(11, "*b"))\n").isEmpty)
        #expect(findings(start + "c: \(nested(12, "*b"))\n").map(\.message) == ["nested deeper than 512 levels"])
        #expect(findings(start + "c: \(nested(250, "{k: *b}"))\n").map(\.message) == ["nested deeper than 512 levels"])
    }

    @Test func `the deepest nesting is read`() throws {
        #expect(findings(String(repeating: "- ", count: 512) + "x").isEmpty)
        #expect(findings(String(repeating: "[", count: 512) + String(repeating: "]", count: 512)).isEmpty)
        let found = findings(String(repeating: "- ", count: 513) + "x")
        #expect(found.map(\.message) == ["nested deeper than 512 levels"])
        #expect(found.first?.place?.range.start == 1_024)
        // Keys that are collections were compared with all that they hold, at each level.
        let keys = String(repeating: "? ", count: 500) + "[\(String(repeating: "a, ", count: 100_000))]"
        #expect(findings(keys).isEmpty)
    }

    @Test(arguments: [
        ("k: ", "&a "), ("k: ", "!x "), ("", "&a "), ("", ": "), ("k: ", "- "), ("k: @", "- "),
        ("", "- &a "), ("", "- !x "), ("", "- ["),
    ])
    func `a run that is not YAML is refused at its start`(_ start: String, _ unit: String) throws {
        let found = findings(start + String(repeating: unit, count: 200_000) + "x\n").first
        #expect(found?.place?.start.line == 1)
        #expect((found?.place?.start.column).map { $0 < 20 } == true)
    }

    @Test func `what may be a comment is searched for once`() {
        let found = findings("k: {{ x }}" + String(repeating: " #", count: 400_000) + "\n  y\n")
        #expect(found.map(\.rule.name) == ["yaml-needs-quotes"])
    }

    @Test func `the scanner is linear and never traps`() {
        var random = Random(seed: 3)
        let pieces = [
            "{{", "}}", "{%", "%}", "a: ", "- ", "\n", "\n  ", "'", "\"", " #", "|", ">", "[", "]", ",", "&x ", "é",
        ]
        for _ in 0..<2000 {
            _ = findings((0..<random.next(24)).map { _ in pieces[random.next(pieces.count)] }.joined())
        }
        _ = findings(String(repeating: "{{ a | b: ", count: 20_000))
    }
}
