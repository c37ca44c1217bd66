// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates

extension RuleMessage {
    fileprivate static func mixed(_ meaning: String) -> RuleMessage {
        """
        'and' and 'or' in one condition: Liquid groups from the right and reads "\(meaning)"; expected 'if' inside of 'if', or \
        two conditions
        """
    }
    fileprivate static func literal(_ text: String) -> RuleMessage {
        """
        '\(text)' is inside quotes, so it is printed as it is written; expected {% capture %} around text with Liquid, or \
        '| append:' without quotes around the value
        """
    }
}

extension Rule {
    /// The rules about markup whose meaning in Liquid differs from what it seems to be.
    static let readings: [Rule] = [liquidIgnored, mixedConditions, liquidInString]

    static let liquidIgnored = Rule(
        RuleID("liquid-ignored", .warning, "text in a tag or output that Liquid silently ignores"),
        source: "https://github.com/Shopify/liquid/issues/1567",
        rationale: """
            Braze reads templates by Liquid's lax rules, which silently ignore what they do not recognize. So \
            payloadgen reads each template a second time, by the strict grammar. The message says how Liquid reads the \
            markup and what to write instead. Braze accepts filters only in outputs and 'assign', and operators only \
            in 'if', 'unless' and 'elsif'. In 'for', 'case', 'when' and brackets, it accepts neither. The rule is \
            silent for markup that fails at rendering, which other rules report, and in tags of Braze, whose markup is \
            text.
            """,
        failing: [
            .title("{% if ${country} == 'US' ⟦|| ${country} == 'CA'⟧ %}Hi{% endif %}"),
            .title("{% if ${language}⟦==⟧'en' %}Hi{% endif %}"),
            .title("Hi {{ ${first_name} | default ⟦'you'⟧ }}"),
            .campaign("push: {title: \"{% if ${city} %}Hi{% else ⟦if ${country}⟧ %}Ho{% endif %}\"}"),
            .title("{% if ${city} ⟦| downcase == 'oslo'⟧ %}Hei{% endif %}"),
            .campaign("push: {title: \"{% assign n = custom_attribute.${a} ⟦+ 1⟧ %}{{ n }}\"}"),
            .title("Hi {{ ${first_name} | default: 'you' ⟦|⟧ }}"),
        ],
        passing: [
            .title("{% if ${country} == 'US' or ${country} == 'CA' %}Hi{% endif %}"),
            .title("Hi {{ ${first_name} | default: 'you' | upcase }}"),
            .title("{% if{{${city}}} == 'Oslo' %}Hei{% endif %}"),
            .campaign("push: {title: \"{% for s in custom_attribute.${songs} limit:2 %}{{ s }}{% endfor %}\"}"),
        ],
        .texts { text in
            text.ignored.map { Finding($0.message, at: text.place(of: $0.range), severity: $0.severity) }
        }
    )

    private static let mixedConditions = Rule(
        RuleID("mixed-and-or", .warning, "a condition with 'and' and 'or'"),
        source: "https://shopify.github.io/liquid/basics/operators/",
        rationale: """
            In Liquid, neither 'and' nor 'or' comes first. Liquid groups a condition from the right, so 'a and b or c' \
            means 'a and (b or c)'. Braze's pages do not say so, and most other languages group it differently. \
            Parentheses do not help, because Liquid ignores them. The rule is silent where both groupings mean the \
            same, as in 'a or b and c'.
            """,
        failing: [.title("{% if ${city} and ${country} == 'US' ⟦or⟧ ${gender} == 'F' %}Hi{% endif %}")],
        passing: [
            .title("{% if ${country} == 'US' or ${country} == 'CA' or ${city} %}Hi{% endif %}"),
            .title("{% if ${city} %}{% if ${country} == 'US' %}Hi{% endif %}{% endif %}"),
            .title("{% if ${gender} == 'F' or ${city} and ${country} == 'US' %}Hi{% endif %}"),
            .title("{% if ${city} and ${gender} == 'F' or ${city} and ${gender} == 'M' %}Hi{% endif %}"),
        ],
        .texts(\.mixedConditionFindings)
    )

    private static let liquidInString = Rule(
        RuleID("liquid-in-string", .error, "Liquid inside of a quoted text, where it is not read"),
        source: RuleSource(mistake: "'{{ … }}' inside of the quotes of an assign"),
        rationale: """
            A quoted text stays as it is written, so users read the braces. Instead, use 'capture', which takes text \
            with Liquid in it, or 'append', which joins a text and a value.
            """,
        failing: [
            .title("{% assign g = 'Hi ⟦{{${first_name}}}⟧' %}{{ g }}"),
            .title("Hi {{ ${first_name} | default: '⟦${last_name}⟧' }}"),
        ],
        passing: [
            .campaign("push: {title: \"{% capture g %}Hi {{${first_name}}}{% endcapture %}{{ g }}\"}"),
            .campaign("push: {title: \"Hi {{ ${first_name} | default: ${last_name} }}\"}"),
        ],
        .texts(\.liquidInStringFindings)
    )
}

extension LintedText {
    fileprivate var mixedConditionFindings: [Finding] {
        markups.compactMap { markup in
            guard markup.kind == .condition, let clause = markup.clause, markup.fault == nil,
                !isIgnored(SourceRange(markup.range))
            else { return nil }
            let words = markup.terms.joiners.map { markup.tokens[$0] }
            let isOr = words.map { $0.range.count == 2 }
            guard let first = isOr.first, let other = isOr.firstIndex(of: !first), !Self.isSameEitherWay(clause)
            else { return nil }
            return Finding(.mixed(Self.grouped(clause)), at: place(of: SourceRange(words[other].range)))
        }
    }

    /// Whether a condition means the same if 'and' binds more tightly than 'or', as in most languages.
    private static func isSameEitherWay(_ clause: ClauseSyntax) -> Bool {
        let terms = clause.terms
        var tests: [(text: String, value: String, literal: Value?)] = []
        // For each term, the index of its test in `tests`, and whether the term is true if the test is false.
        let read = terms.map { term -> (test: Int, isNegated: Bool) in
            let value = term.left.text
            let isNegated = term.comparison == .notEqual
            let isEquality = isNegated || term.comparison == .equal
            let text = isEquality ? value + " == " + (term.right?.text ?? "") : term.meaning
            if let known = tests.firstIndex(where: { $0.text == text }) { return (known, isNegated) }
            tests.append((text, value, isEquality ? term.right?.literal : nil))
            return (tests.count - 1, isNegated)
        }
        guard tests.count <= 10 else { return false }
        return (0..<(1 << tests.count)).allSatisfy { bits in
            let holding = tests.indices.filter { bits & (1 << $0) != 0 }
            // A value never equals two different literals, so this combination does not occur.
            for (index, one) in holding.enumerated() {
                for other in holding[(index + 1)...] where tests[one].value == tests[other].value {
                    if let left = tests[one].literal, let right = tests[other].literal, !left.equals(right) {
                        return true
                    }
                }
            }
            let values = read.map { (bits & (1 << $0.test) != 0) != $0.isNegated }
            var fromRight = values[values.count - 1]
            for index in terms.indices.dropLast().reversed() {
                fromRight = terms[index].hasOr ? values[index] || fromRight : values[index] && fromRight
            }
            var (byPrecedence, group) = (false, values[0])
            for index in terms.indices.dropFirst() {
                if terms[index - 1].hasOr {
                    (byPrecedence, group) = (byPrecedence || group, values[index])
                } else {
                    group = group && values[index]
                }
            }
            return fromRight == (byPrecedence || group)
        }
    }

    /// The condition as a text, with parentheses that show how Liquid groups its terms.
    private static func grouped(_ clause: ClauseSyntax) -> String {
        let terms = clause.terms
        guard var text = terms.last?.meaning else { return "" }
        for (index, term) in terms.dropLast().enumerated().reversed() {
            let isAlone = index == terms.count - 2 || terms[index].hasOr == terms[index + 1].hasOr
            text = "\(term.meaning) \(term.hasOr ? "or" : "and") \(isAlone ? text : "(\(text))")"
        }
        return text
    }

    fileprivate var liquidInStringFindings: [Finding] {
        markups.flatMap { markup in
            markup.tokens.compactMap { token in
                guard token.kind == .string, let range = Self.liquid(in: token.range, of: bytes) else { return nil }
                return Finding(.literal(markup.text(range)), at: place(of: SourceRange(range)))
            }
        }
    }

    /// The first output, tag or attribute in a range of text.
    private static func liquid(in range: Range<Int>, of source: [UInt8]) -> Range<Int>? {
        let pairs = [("{{", "}}"), ("{%", "%}"), ("${", "}")]
        let found = pairs.compactMap { open, close -> Range<Int>? in
            guard let start = source[range].firstRange(ofBytes: open.utf8)?.lowerBound,
                var end = source[(start + 2)..<range.upperBound].firstRange(ofBytes: close.utf8)?.upperBound
            else { return nil }
            // The output in `{{${x}}}` ends at the last brace.
            while end < range.upperBound, open == "{{", source[end] == UInt8(ascii: "}") { end += 1 }
            return start..<end
        }
        return found.min { $0.lowerBound < $1.lowerBound }
    }
}
