// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadLinting
import PayloadgenTestSupport
import Testing

@Suite struct FixTests {
    /// An example as it may come from another editor.
    enum Variant: CaseIterable {
        case asIs, carriageReturns, byteOrderMark, comment

        func bytes(of file: RuleExample.File) -> [UInt8] {
            switch self {
            case .asIs: return Array(file.text.utf8)
            case .carriageReturns:
                return file.text.utf8.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }
            case .byteOrderMark: return [0xEF, 0xBB, 0xBF] + Array(file.text.utf8)
            case .comment:
                return Array((file.path.hasSuffix(".yml") ? "# é\n" + file.text : file.text + "<!-- é -->\n").utf8)
            }
        }
    }

    private static let syntax = ["plist-syntax", "campaign-syntax", "liquid-syntax"]

    private func findings(_ bytes: [UInt8], _ path: String) throws -> [Diagnostic] {
        let file = SourceFile(path: path, bytes: bytes)
        return path.contains(".campaign.") ? LintedCampaign(file).findings : try file.lintFindings()
    }

    /// The bytes of a file with the fixes of its findings, checked for what no fix may do.
    private func mended(_ bytes: [UInt8], _ path: String) throws -> [UInt8] {
        let found = try findings(bytes, path)
        let applied = FixIt.apply(found.flatMap { $0.fixes.prefix(1) }, to: bytes)
        var position = 0
        var rest = applied.bytes[...]
        for edit in applied.edits {
            let kept = bytes[position..<Int(edit.range.start)]
            #expect(rest.starts(with: kept))
            rest = rest.dropFirst(kept.count)
            #expect(rest.starts(with: edit.replacement.utf8))
            rest = rest.dropFirst(edit.replacement.utf8.count)
            position = Int(edit.range.end)
        }
        #expect(rest.elementsEqual(bytes[position...]))
        let before = found.filter { Self.syntax.contains($0.rule.name) }.count
        #expect(try findings(applied.bytes, path).filter { Self.syntax.contains($0.rule.name) }.count <= before)
        return applied.bytes
    }

    @Test(arguments: Rule.all.filter { $0.fix != nil }.map(\.id.name), Variant.allCases)
    func `a fix takes the finding away and keeps every other byte`(id: String, variant: Variant) throws {
        let rule = try #require(Rule.named(id))
        for file in rule.failing.compactMap(\.files.first) {
            var bytes = variant.bytes(of: file)
            // One fix may make place for another.
            for _ in 0..<4 { bytes = try mended(bytes, file.path) }
            #expect(
                try findings(bytes, file.path).filter { $0.rule.name == id && !$0.fixes.isEmpty }.map(\.message) == [])
        }
    }

    @Test(arguments: [
        ("title: \"{{ a | default: “you” }}\"", "title: \"{{ a | default: 'you' }}\""),
        ("title: \"{{ a | default: “it's you” }}\"", "title: \"{{ a | default: \\\"it's you\\\" }}\""),
        ("title: '{{ a | default: ‘you’ }}'", "title: '{{ a | default: \"you\" }}'"),
        ("title: '{{ a | default: ‘say \"you\"’ }}'", "title: '{{ a | default: ''say \"you\"'' }}'"),
        (
            "title: >-\n    {{ a | default: ‘don’t’ | append: ’x’ }}",
            "title: >-\n    {{ a | default: \"don’t\" | append: \"x\" }}"
        ),
        ("title: \"{{ a | default: “it's \\\"you\\\"” }}\"", nil),
        ("title: '{{ a | default: “it''s” }}'", "title: '{{ a | default: \"it''s\" }}'"),
        ("title: \"{{ a | default: “a \\\"b\\\"” }}\"", "title: \"{{ a | default: 'a \\\"b\\\"' }}\""),
        ("title: \"{{ a | default: “a\\tb” }}\"", nil),
        ("title: \"{{ a | default: ‘you }}\"", nil),
        ("title: \"{% abort_message(‘no’) %}\"", "title: \"{% abort_message('no') %}\""),
        ("title: \"{%\\u00A0if\\_a %}{% endif %}\"", "title: \"{% if a %}{% endif %}\""),
        ("title: \"{{ ${\u{200B}first\u{A0}name} }} “{{ a }}”\"", "title: \"{{ ${first\u{A0}name} }} “{{ a }}”\""),
        ("title: \"{% raw %}{{ ‘a’ }}{% endraw %}{% comment %}‘{% endcomment %}\"", "same"),
        ("title: \"{% if a == '‘' %}{{ a | default: 'it’s' }}{% endif %}\"", "same"),
    ])
    func `curly quotes become straight ones as the file has to write them`(text: String, expected: String?) throws {
        let path = "a.campaign.yml"
        let source = "version: 1\npush:\n  \(text)\n"
        let found = try findings(Array(source.utf8), path).filter { $0.rule.name == "smart-quote" }
        #expect(found.isEmpty == (expected == "same"))
        let mended = try String(decoding: mended(Array(source.utf8), path), as: UTF8.self)
        #expect(mended == "version: 1\npush:\n  \(expected == "same" ? text : expected ?? text)\n")
        #expect(try findings(Array(mended.utf8), path).contains { $0.rule.name == "smart-quote" } == (expected == nil))
    }

    @Test(arguments: [
        "|\n    Hello: {{ ${first_name} }}", "|\n    {{ ${first_name} }}: you", "|\n    {{ ${first_name} }}",
        "|\n      Hi\n    {{ ${first_name} }}: you", "|\n      Hi\n    Dear: {{ ${first_name} }}",
        ">-\n      Hi\n    {{ ${first_name} }}", "|\n    Note: @you", "|\n    Note: 10: 30",
        "\n      - |\n      - {{ ${first_name} }}", "| # text\n   {{ ${first_name} }}: you",
    ])
    func `text of a block that is indented too little is not put in quotes`(value: String) throws {
        let text = "version: 1\npush:\n  title: Hi\n  extras:\n    intro: \(value)\n"
        let found = try findings(Array(text.utf8), "a.campaign.yml")
        #expect(found.contains { $0.severity == .error })
        #expect(found.flatMap(\.fixes) == [])
    }

    @Test(arguments: [
        ("  body: |\n    Hi\n  subtitle: {{ x }}", "  body: |\n    Hi\n  subtitle: \"{{ x }}\""),
        ("  extras: {a: {{ x }}, b: {{ y }}}", "  extras: {a: \"{{ x }}\", b: \"{{ y }}\"}"),
        ("  body:\n    Hello\n   see: {{ x }}\n  subtitle: {{ x }}", nil),
    ])
    func `values are put in quotes where the file can be read then`(text: String, expected: String?) throws {
        let file = SourceFile(path: "a.campaign.yml", text: "version: 1\npush:\n  title: Hi\n\(text)\n")
        let fixes = try findings(file.bytes, file.path).flatMap(\.fixes)
        #expect(!fixes.isEmpty)
        let checked = CheckedFixes(fixes, to: file)
        let fixed = String(decoding: checked.applied.bytes, as: UTF8.self)
        #expect(fixed == "version: 1\npush:\n  title: Hi\n\(expected ?? text)\n")
        #expect(checked.refused == (expected == nil ? fixes : []))
    }

    @Test func `a fix that changes more than it says is refused, and the others are made`() throws {
        let file = SourceFile(
            path: "a.campaign.yml", text: "push:\n  title: Hi\n  body: |\n    One\n    Two\n  extras: {a: b}\n")
        func fix(_ old: String, _ new: String, value: String? = nil) throws -> FixIt {
            let range = try #require(file.bytes[...].firstRange(ofBytes: old.utf8))
            return FixIt(new, edits: [FixIt.Edit(SourceRange(range), replacement: new)], value: value)
        }
        let right = [try fix("title", "subtitle"), try fix("Hi", "Ho"), try fix("b}", "\"b\"}", value: nil)]
        #expect(CheckedFixes(right, to: file).refused == [])
        let wrong = [
            // The quotes are a part of the text.
            try fix("Two", "\"Two\"", value: "Two"),
            // The rest of the line, or the next key, gets another meaning.
            try fix("Hi", "'Hi"), try fix("Hi\n", "Hi"), try fix("{a", "{c: d, a"), try fix("{a: b}", "[a, b]"),
        ]
        for fix in wrong {
            let checked = CheckedFixes([right[0], fix], to: file)
            #expect(checked.refused == [fix], "\(fix.message)")
            #expect(checked.applied.applied == [right[0]])
        }
    }

    @Test(arguments: Rule.all.filter { $0.fix != nil }.map(\.id.name))
    func `no fix of a rule is refused`(id: String) throws {
        let rule = try #require(Rule.named(id))
        for file in rule.failing.compactMap(\.files.first) {
            let source = SourceFile(path: file.path, text: file.text)
            let fixes = try findings(source.bytes, file.path).filter { $0.rule == rule.id }.flatMap {
                $0.fixes.prefix(1)
            }
            #expect(CheckedFixes(fixes, to: source).refused == [], "\(file.text)")
        }
    }

    @Test func `a file that no fix makes readable is read once with all of them`() throws {
        let lines = (0..<2_000).map { "    k\($0): {{ ${first_name} }}\n" }.joined()
        let text = "push:\n  title: Hi\n  extras:\n\(lines)  sound: \"open\n"
        let source = SourceFile(path: "a.campaign.yml", text: text)
        let fixes = try findings(source.bytes, source.path).flatMap { $0.fixes.prefix(1) }
        #expect(fixes.count > 900)
        #expect(CheckedFixes(fixes, to: source).applied.applied.isEmpty)
    }

    @Test func `a key is not renamed to one that is there already`() throws {
        let text = "push: {title: a, titel: b, boddy: c, boody: d}\n"
        let mended = try String(decoding: mended(Array(text.utf8), "a.campaign.yml"), as: UTF8.self)
        #expect(mended == "push: {title: a, titel: b, body: c, boody: d}\n")
    }

    @Test func `of two misspelt keys that mean one, none is renamed`() throws {
        let rule = try #require(Rule.named("unknown-key"))
        let example = try #require(rule.failing.first?.files.first)
        let key = "<key>UNNotificationExtensionInteractionEnabled</key>"
        let text = example.text.replacing(
            key,
            with: key + "<false/>" + key.replacing("Interaction", with: "UserIntraction")
        )
        #expect(text != example.text)
        let found = try findings(Array(text.utf8), example.path).filter { $0.rule == rule.id }
        #expect(found.count == 2)
        #expect(found.allSatisfy { $0.fixes.isEmpty })
    }

    @Test func `no text makes a rule trap, and every place and fix lies in its file`() throws {
        let text = """
            # payloadgen:disable unknown-filter,
            push:
              title: "{{ ${frist_name | default: “you” }} {% assign x = ‘a %}{% abort_message(x) %}"
              body: |- # payloadgen:disable
                {% comment %}payloadgen:disable bare-attribute{% endcomment %}${a}\u{200B}{%\u{A0}if a %}
              extras: {A: "$json:\\"{{ a }}\\"", a: '{{ custom_attribute.${a} | lstrip }}', "": }
            requires: {text_input: true, extras: {a: {type: string, required: true}}}

            """
        var random = SplitMix(seed: 7)
        let pieces = [
            "{{", "}}", "{%", "%}", "${", "\"", "'", "“", "’", "\n", "  ", "#", ": ", "-", "|", "\u{A0}", "\u{FEFF}",
        ]
        for _ in 0..<400 {
            var bytes = Array(text.utf8)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let start = Int.random(in: 0..<bytes.count, using: &random)
                let end = min(bytes.count, start + Int.random(in: 0...12, using: &random))
                bytes.replaceSubrange(start..<end, with: pieces[Int.random(in: 0..<pieces.count, using: &random)].utf8)
            }
            let found = try findings(bytes, "a.campaign.yml")
            for finding in found {
                guard let range = finding.place?.range else { continue }
                #expect(range.start <= range.end && Int(range.end) <= bytes.count, "\(finding.rule.name)")
            }
            let fixes = found.flatMap { $0.fixes.prefix(1) }
            let applied = FixIt.apply(fixes, to: bytes)
            #expect(applied.applied.count + applied.conflicting.count == fixes.count)
        }
    }
}
