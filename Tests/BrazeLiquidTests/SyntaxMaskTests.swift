// SPDX-License-Identifier: MIT

import Liquid
import SourceText
import TestSupport
import Testing

@testable import BrazeLiquid

@Suite
struct SyntaxMaskTests {
    @Test(arguments: [
        ("Hi {{${first_name}}}", "Hi {{_____________}}", "${first_name}"),
        ("{{ custom_attribute.${zip code}.x }}", "{{ custom_attribute.___________.x }}", "${zip code}"),
        ("Hi ${first_name},", "Hi _____________,", "${first_name}"),
        ("{% if {{a}} > 1 %}{% endif %}", "{% if _____ > 1 %}{% endif %}", "{{a}}"),
        ("{{ 1 | plus: {{b}}}}", "{{ 1 | plus: _____}}", "{{b}}"),
        ("A<!-- {{\n ${x}-->B", "A       \n        B", "<!-- {{\n ${x}-->"),
        ("${{a}}", "${{a}}", ""),
        ("{% raw %}{{ ${x} }}{% endraw %}", "{% raw %}{{ ${x} }}{% endraw %}", ""),
        ("{% comment %}{{{ ${x} {% endcomment %}", "{% comment %}{{{ ${x} {% endcomment %}", ""),
        ("{% assign a = '{{ ${x} }}' %}", "{% assign a = '__________' %}", ""),
        ("{% liquid\n# don't\necho ${x}\n%}", "{% liquid\n# don't\necho ____\n%}", "${x}"),
        ("{{ a | default: '{{${x}}}' }}", "{{ a | default: '________' }}", ""),
        ("{% connected_content https://x.io?q='{{a}}' %}", "{% connected_content https://x.io?q='_____' %}", "{{a}}"),
        ("${open {{a}}", "${open {{a}}", ""),
    ])
    func `Braze's syntax is covered with words of the same length`(
        _ source: String,
        _ covered: String,
        _ runs: String
    ) throws {
        let mask = try SyntaxMask.cover(Array(source.utf8))
        #expect(String(decoding: mask.bytes, as: UTF8.self) == covered)
        let found = mask.substitutions.map { String(decoding: mask.original[$0.range.offsets], as: UTF8.self) }
        #expect(found.joined(separator: " ") == runs)
    }

    @Test
    func `an output in an output is listed behind the one that holds it`() throws {
        let mask = try SyntaxMask.cover(Array("{% if {{ a | plus: {{-${b}-}} }} %}".utf8))
        let meanings = mask.substitutions.map(\.meaning)
        #expect(meanings.count == 3)
        #expect(meanings[0] == .output(SourceRange(8, 30)))
        #expect(meanings[1] == .output(SourceRange(22, 26)))
        #expect(meanings[2] == .attribute("b"))
    }

    @Test(arguments: [
        ("{{{a}}}", "found '{{{', expected '{{': Braze takes no third brace"),
        ("{% if {{a %}", "'{{' has no matching '}}'"),
        ("{{ a | plus: {{b }", "'{{' has no matching '}}'"),
        (
            String(repeating: "{{ ", count: 10) + String(repeating: " }}", count: 10),
            "outputs nest deeper than the limit of 4"
        ),
    ])
    func `braces that do not match are refused`(_ source: String, _ message: String) {
        #expect {
            try SyntaxMask.cover(Array(source.utf8))
        } throws: { error in
            (error as? LiquidError)?.message == message
        }
    }

    @Test
    func `whatever the bytes, lengths agree and runs lie in order inside the source`() {
        let parts = [
            "{{", "}}", "{%", "%}", "${", "}", "$", "'", "\"", "<!--", "-->", " ", "\n", "a", "raw", "endraw",
            "comment",
            "endcomment", "liquid", "-", "|", ":", "connected_content", "é", "_", "if", "x.y[0]",
        ].map { Array($0.utf8) }
        var random = SplitMix(seed: 42)
        var renderer = BrazeRenderer(BrazeSettings(clock: Time(seconds: 0)))
        for _ in 0..<20_000 {
            var source: [UInt8] = []
            for _ in 0..<Int.random(in: 0...14, using: &random) {
                source += parts.randomElement(using: &random) ?? []
            }
            guard let mask = try? SyntaxMask.cover(source) else { continue }
            #expect(mask.bytes.count == source.count && mask.original == source)
            var start: UInt32 = 0
            for run in mask.substitutions {
                #expect(run.range.start >= start && run.range.end > run.range.start && run.range.end <= source.count)
                start = run.range.start
                if case .output(let inner) = run.meaning {
                    #expect(inner.start >= run.range.start && inner.end <= run.range.end && inner.start <= inner.end)
                }
            }
            guard let template = try? Template(source, environment: BrazeEnvironment.standard) else { continue }
            _ = try? renderer.render(template)
            _ = template.analysis()
        }
    }

    @Test
    func `long sources are covered in linear time`() throws {
        for part in ["<!-- ", "${a ", "{{ ${b} | c: '{{", "{% raw %}", "{% comment %}{{", "\"{{a", "{% if '${"] {
            let source = Array(String(repeating: part, count: 200_000 / part.utf8.count).utf8)
            _ = try? SyntaxMask.cover(source)
        }
    }
}
