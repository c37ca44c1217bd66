// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func noOrder(_ left: StaticType, _ right: StaticType, _ hint: String) -> RuleMessage {
        "\(left.rawValue) and \(right.rawValue) cannot be compared: the message fails\(hint)"
    }
    fileprivate static func versionAsText(_ version: String) -> RuleMessage {
        "the text '\(version)' is \(RenderMessages.versionsAsTexts)"
    }
    fileprivate static let nowAsText: RuleMessage =
        "'now' is the time only before the filter 'date'; here it is the text 'now'; expected {% assign now = 'now' | date: '%s' | plus: 0 %} before it"
    fileprivate static func quotedWord(_ word: String) -> RuleMessage {
        "'\(word)' in quotes is a text, not a missing value, expected \(word.lowercased()) without quotes"
    }
    fileprivate static func outOfBounds(_ value: String, _ bounds: NumberBounds, _ truth: Bool) -> RuleMessage {
        let numbers = bounds.range.upperBound
        let reason = numbers == .max ? "never negative" : "a number from \(bounds.range.lowerBound) to \(numbers)"
        return "'\(bounds.source)' is \(reason), so the comparison with \(value) is \(truth ? "always" : "never") true"
    }
    fileprivate static func impossible(_ source: String, _ value: String, _ reason: String) -> RuleMessage {
        "'\(source)' is never '\(value)': \(reason)"
    }
    fileprivate static func neverPrinted(_ value: String, _ format: String, _ expected: String) -> RuleMessage {
        "\"date: '\(format)'\" never prints '\(value)', \(expected)"
    }
    fileprivate static func otherThanDefault(_ attribute: String, _ value: String, _ truth: Bool) -> RuleMessage {
        """
        users without '\(attribute)' read the default \(value), but have no value here, so the comparison is \
        \(truth ? "true" : "false"); expected an 'assign' with the default, and its variable in both places
        """
    }
    fileprivate static func missing(_ attribute: String, _ comparison: Comparison, isSize: Bool) -> RuleMessage {
        let difference =
            isSize ? "no size, which differs from 0" : "no value at all, which differs from the empty text"
        return "users without '\(attribute)' have \(difference); expected '\(attribute) \(comparison.rawValue) blank'"
    }
}

extension Rule {
    /// The rules about comparisons.
    static let comparisons: [Rule] = [
        comparedTypes, valueComparison, impossibleValue, comparedWithEmptyText, comparedWithoutDefault,
    ]

    private static let comparedTypes = Rule(
        RuleID(
            "compared-types", .error,
            "a comparison by <, >, <= or >= of a text with a number, or a time with a text, so that the message fails"),
        source: "https://github.com/sebastienros/fluid/issues/313",
        rationale: """
            A comparison by <, >, <= or >= fails between a text and a number, or a time and a text, and the message is \
            not sent. 'capture' and 'date' produce text. '| plus: 0' makes a number of a text, and '| date: '%s' | \
            plus: 0' a number of a time. The rule knows the types of literals, of filter results, of Braze's \
            attributes and of those under 'attributes'. It is silent for all other values.
            """,
        failing: [
            .campaign("push: {title: \"{% capture r %}{% random 9 %}{% endcapture %}{% if r ⟦>⟧ 5 %}Hi{% endif %}\"}")
        ],
        passing: [.title("{% assign h = 'now' | date: '%H' | plus: 0 %}{% if h > 5 %}Hi{% endif %}")],
        .comparisons { $1.comparedTypesFinding($0) }
    )

    private static let valueComparison = Rule(
        .valueComparison,
        source: "https://github.com/sebastienros/fluid/issues/313",
        rationale: """
            To Liquid, the number 100 and the text '100' differ, and so do true and 'true', or a list and a text in \
            it. So every user gets the text of 'else'. Texts are ordered by their characters, so the version '9.2' \
            comes after '10.0'. The same goes for 'where' and 'sort'. 'lint' reports types that it knows: those of \
            literals, of filter results, of Braze's attributes and of those under 'attributes'. The values of a user \
            are compared when a message is rendered. The rule is silent for comparisons with nil, blank, empty and '', \
            and where the template has a comparison for the other type as well. It is also silent where the literal is \
            what the template sets itself, as in "default: 'none'".
            """,
        failing: [
            .title("{% if custom_attribute.${n} == ⟦'5'⟧ %}Hi{% endif %}", ["n": .number]),
            .title("{% if custom_attribute.${t} ⟦==⟧ 'vip' %}Hi{% endif %}", ["t": .array]),
            .title("{% if ${most_recent_app_version} >= ⟦'10.2'⟧ %}Hi{% endif %}"),
        ],
        passing: [
            .title("{% if custom_attribute.${n} == '5' %}Hi{% endif %}"),
            .title("{% if custom_attribute.${shoe}.size == 'EU 42' %}Hi{% endif %}"),
            .title("{% if ${most_recent_app_version} == '10.2' %}Hi{% endif %}"),
            .title("{% assign t = 'now' | date: '%H.%M' %}{% if t >= '09.30' %}Hi{% endif %}"),
        ],
        .comparisons { $1.valueComparisonFinding($0) ?? $1.versionComparisonFinding($0) },
        .rendering
    )

    private static let impossibleValue = Rule(
        RuleID("impossible-value", .warning, "a comparison of an attribute with a value that it never has"),
        source: .personalization("liquid/liquid_use_cases"),
        rationale: """
            Comparisons are case-sensitive, and Braze has spellings of its own. Platforms are in lower case. Countries \
            are two capital letters (ISO 3166-1), languages two lower-case letters (ISO 639-1), and genders one \
            capital letter. Time zones are IANA names. States of subscription are 'opted_in', 'subscribed' and \
            'unsubscribed'. 'date' prints days and months in English, with a capital letter, and most numbers with a \
            zero before them. If '| plus: 0' makes a number of such a text, it stays in the same bounds, such as 0 to \
            23 for hours. 'random 3' prints 0 to 2. 'downcase', 'upcase' and 'capitalize' exclude values too. The rule \
            is silent for bounds that the number may reach, and for custom attributes.
            """,
        failing: [
            .title("{% if most_recently_used_device.${platform} == ⟦'iOS'⟧ %}Hi{% endif %}"),
            .title("{% if ${time_zone} == ⟦'PST'⟧ %}Hi{% endif %}"),
            .title("{% if ${email_address} == ⟦'@example.com'⟧ %}Hi{% endif %}"),
            .title("{% if ${country} contains ⟦'US, CA'⟧ %}Hi{% endif %}"),
            .title("{% case ${language} %}{% when ⟦'EN'⟧ %}Hi{% endcase %}"),
            .title("{% assign d = 'now' | date: '%A' %}{% if d == ⟦'monday'⟧ %}Hi{% endif %}"),
            .title("{% assign h = 'now' | date: '%H' | plus: 0 %}{% if h >= ⟦24⟧ %}Hi{% endif %}"),
            .title("{% if ${random_bucket_number} > ⟦9999⟧ %}Hi{% endif %}"),
            .title("{% if custom_attribute.${l}.size < ⟦0⟧ %}Hi{% endif %}"),
            .title("{% assign c = ${country} | downcase %}{% if c == ⟦'US'⟧ %}Hi{% endif %}"),
            .title(
                "{% capture r %}{% random 3 %}{% endcapture %}{% assign r = r | plus: 0 %}{% if r == ⟦3⟧ %}Hi{% endif %}"
            ),
        ],
        passing: [
            .title("{% if most_recently_used_device.${platform} == 'ios' %}Hi{% endif %}"),
            .title("{% if ${country} == 'US' or ${language} == 'pt' %}Hi{% endif %}"),
            .title("{% assign h = 'now' | date: '%H' | plus: 0 %}{% if h >= 18 and h < 24 %}Hi{% endif %}"),
            .title("{% if ${random_bucket_number} < 10000 %}Hi{% endif %}"),
            .title("{% capture r %}{% random 3 %}{% endcapture %}{% if r == '2' %}Hi{% endif %}"),
            .title("{% assign c = ${country} | downcase %}{% if c == 'us' %}Hi{% endif %}"),
            .title("{% if ${country} contains 'US' or ${language} contains 'zh' %}Hi{% endif %}"),
        ],
        .texts { text in
            let dates = FormattedDates(text)
            let limits = text.randomLimits
            return text.comparisons.compactMap { text.impossibleValueFinding($0, dates, limits) }
        }
    )

    static let comparedWithEmptyText = Rule(
        RuleID("compared-with-empty-text", .warning, "a comparison with '' of an attribute that may be missing"),
        source: .conditionalLogic,
        rationale: """
            An attribute that a user does not have is nil, which differs from ''. So '!= ''' is true for such a user, \
            who reads a text with a gap. The same goes for a comparison of the attribute's 'size' with 0. Compare with \
            'blank' instead, which covers nil, the empty text and white space. The rule is silent where the text also \
            compares the attribute with nil, blank or empty, where the attribute alone is a condition, and where it \
            has a default.
            """,
        failing: [
            .title("{% if ${first_name} ⟦!=⟧ '' %}Hi {{ ${first_name} }}{% endif %}"),
            .title("{% if ${first_name}.size ⟦==⟧ 0 %}{% abort_message('no name') %}{% endif %}Hi"),
            .title("{% if custom_attribute.${code}.size ⟦==⟧ 0 %}No code{% else %}Your code{% endif %}"),
        ],
        passing: [
            .campaign("push: {title: \"{% if ${first_name} != blank %}Hi {{ ${first_name} }}{% endif %}\"}"),
            .title("{% if ${first_name} != nil and ${first_name} != '' %}Hi {{ ${first_name} }}{% endif %}"),
        ],
        .texts(\.emptyTextFindings)
    )
}

extension Rule {
    fileprivate static let comparedWithoutDefault = Rule(
        RuleID(
            "compared-without-default", .warning,
            "a comparison of an attribute that has a default only where it is printed, so the results differ"
        ),
        source: .defaultValues,
        rationale: """
            For a user without the attribute, the text prints the default, but the condition compares nil. With the \
            default 1 and a plural 's' if the number is not 1, such a user reads '1 lessons'. The rule reports \
            comparisons for which the default and nil give different results. It is silent where the text also tests \
            in another way that the attribute is there.
            """,
        failing: [
            .title(
                "{{ custom_attribute.${n} | default: 1 }} lesson{% if {{custom_attribute.${n}}} ⟦!=⟧ 1 %}s{% endif %}"),
            .title(
                "Your plan: {{ custom_attribute.${p} | default: 'free' }}{% if custom_attribute.${p} ⟦==⟧ 'free' %}!{% endif %}"
            ),
        ],
        passing: [
            .title(
                "{{ custom_attribute.${n} | default: 0 }} lesson{% if custom_attribute.${n} != 1 %}s{% endif %}"),
            .title(
                "{% assign n = custom_attribute.${n} | default: 1 %}{{ n }} lesson{% if n != 1 %}s{% endif %}"),
            .title(
                "{% if custom_attribute.${n} %}{% if custom_attribute.${n} != 1 %}{{ custom_attribute.${n} | default: 1 }}{% endif %}{% endif %}Hi"
            ),
        ],
        .texts(\.missingDefaultFindings)
    )
}

extension LintedText {
    /// The findings about attributes that are printed with a default but compared without it, where the comparison has
    /// another result for the default than for nil.
    fileprivate var missingDefaultFindings: [Finding] {
        let reads = Dictionary(first: analysis.reads.map { ($0.range, $0) })
        var defaults: [VariablePath: ExpressionSyntax] = [:]
        for node in parts.nodes {
            guard let markup = node.syntax.printedMarkup, let value = markup.expression,
                let filter = markup.filters.first,
                filter.name == "default", let text = filter.arguments.first?.value, text.literal != nil,
                let read = reads[value.range], read.guarded == .default, read.path.attribute != nil
            else { continue }
            defaults[read.path] = text
        }
        guard !defaults.isEmpty else { return [] }
        var found: [VariablePath: [Finding]] = [:]
        for compared in comparisons {
            for (side, other, comparison) in compared.bothWays {
                guard let read = reads[side.withoutBraces.range], let text = defaults[read.path],
                    let value = text.literal, let literal = other.literal
                else { continue }
                // A comparison whose result is not known gives no finding.
                guard let truth = comparison.isTrue(of: nil, literal), let other = comparison.isTrue(of: value, literal)
                else { continue }
                let finding = Finding(
                    .otherThanDefault("\(read.path)", text.text, truth), at: place(of: compared.range))
                found[read.path, default: []] += truth == other ? [] : [finding]
            }
        }
        return found.flatMap { path, findings in
            let tests = analysis.reads.count { $0.use == .condition && $0.path == path }
            let compared = comparisons.count { compared in
                compared.bothWays.contains { side, other, comparison in
                    reads[side.withoutBraces.range]?.path == path
                        && other.literal.flatMap { comparison.isTrue(of: nil, $0) } != nil
                }
            }
            return tests == compared ? findings : []
        }
    }
}

extension ExpressionSyntax {
    /// The value in an output without filters inside of markup; otherwise the expression itself.
    fileprivate var withoutBraces: ExpressionSyntax {
        if case .output(let inner) = kind, inner.filters.isEmpty, let value = inner.expression { value } else { self }
    }
}

extension Comparison {
    /// The result of comparing a value, or a missing value, with a literal; nil if it is not known.
    fileprivate func isTrue(of value: Value?, _ literal: Value) -> Bool? {
        switch (value, literal) {
        case (nil, .integer), (nil, .float), (nil, .string):
            switch self {
            case .equal, .less, .greater, .lessOrEqual, .greaterOrEqual: return false
            case .notEqual: return true
            case .contains, .unknown: return nil
            }
        case (.string(let left)?, .string(let right)):
            return self == .equal ? left == right : self == .notEqual ? left != right : nil
        case (.integer(let left)?, .integer(let right)): return holds(left, right)
        default: return nil
        }
    }
}

extension ComparedValues {
    /// Whether the type of one side is unknown because the side may read a member 'size' of an object, such as a
    /// product.
    ///
    /// A side that is compared with a number in quotes is still taken for a count.
    fileprivate func mayReadMember(_ types: ValueTypes) -> Bool {
        if comparison == .contains { return types.mayReadMember(left) }
        guard comparison == .equal || comparison == .notEqual else { return false }
        return bothWays.contains { side, other, _ in
            guard types.mayReadMember(side) else { return false }
            return if case .string(let text)? = other.literal { Int(text) == nil } else { other.literal == nil }
        }
    }
}

extension LintedText {
    fileprivate func comparedTypesFinding(_ compared: ComparedValues) -> Finding? {
        guard compared.comparison.isOrder, let left = types.type(of: compared.left),
            let right = types.type(of: compared.right), !compared.mayReadMember(types), !left.isOrdered(with: right)
        else { return nil }
        let hint = RenderMessages.hint(left, right, literal: nil)
        return Finding(.noOrder(left, right, hint), at: place(of: compared.range))
    }

    fileprivate func valueComparisonFinding(_ compared: ComparedValues) -> Finding? {
        guard let left = types.type(of: compared.left), !compared.mayReadMember(types) else { return nil }
        let right = types.type(of: compared.right)
        switch compared.comparison {
        case .contains:
            if right == .list {
                return Finding("\(RenderMessages.listOnTheRight)", at: place(of: compared.right.range))
            }
            guard left.isNumber || left == .boolean || left == .time else { return nil }
            return Finding("\(RenderMessages.searchesNothing(left.rawValue))", at: place(of: compared.range))
        case .equal, .notEqual:
            guard let right, !left.mayEqual(right) else { return nil }
            // If the mistake is a number or a boolean in quotes, the finding marks the quoted text.
            let literal = [compared.right, compared.left].first { $0.literal != nil && types.type(of: $0) == .text }
            let isQuoted = literal != nil && (left.isNumber || left == .boolean || right.isNumber || right == .boolean)
            let hint = RenderMessages.hint(left, right, literal: literal?.literal)
            return Finding(
                "\(RenderMessages.neverEqual(left.rawValue, right.rawValue, hint))",
                at: place(of: isQuoted ? literal?.range ?? compared.range : compared.range))
        case .less, .greater, .lessOrEqual, .greaterOrEqual, .unknown: return nil
        }
    }

    /// The finding about an attribute that is compared by order with a version in quotes, such as '10.2'.
    ///
    /// Dates and times that are printed with dots are not reported: each of their parts always has the same number of
    /// digits, so their order as texts is right.
    fileprivate func versionComparisonFinding(_ compared: ComparedValues) -> Finding? {
        guard compared.comparison.isOrder else { return nil }
        for (side, other, _) in compared.bothWays {
            guard case .string(let version)? = other.literal, let path = assigned.path(of: side) else { continue }
            let parts = version.split(separator: ".", omittingEmptySubsequences: false)
            let isVersion =
                parts[0].count < 4 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { ("0"..."9").contains($0) } }
            let isNamed = ExpressionSyntax(path).text.lowercased().containsBytes(of: "version")
            guard isVersion, parts.count > 2 || parts.count == 2 && isNamed else { continue }
            return Finding(.versionAsText(version), at: place(of: other.range))
        }
        return nil
    }

    /// The finding about a comparison with a value that the other side never has.
    fileprivate func impossibleValueFinding(
        _ compared: ComparedValues,
        _ dates: FormattedDates,
        _ limits: [String: Int]
    ) -> Finding? {
        if case .string(let word)? = compared.right.literal, compared.left.lookup != nil,
            ["nil", "null", "blank", "empty"].contains(word.lowercased())
        {
            return Finding(.quotedWord(word), at: place(of: compared.right.range))
        }
        for (side, other, comparison) in compared.bothWays where side.literal == nil {
            guard let value = assigned.literal(other)?.literal else { continue }
            if case .string("now") = value, side.lookup != nil, other.literal != nil {
                return Finding(.nowAsText, at: place(of: other.range))
            }
            if let bounds = bounds(of: side, dates, limits), let number = bounds.number(value),
                let truth = comparison.truth(of: bounds.range, number)
            {
                return Finding(.outOfBounds(value.text, bounds, truth), at: place(of: other.range))
            }
            guard case .string(let text) = value, !text.isEmpty,
                let message = comparison == .contains
                    ? impossiblePart(of: compared.left, text)
                    : [.equal, .notEqual].contains(comparison) ? impossibleText(side, text, dates) : nil
            else { continue }
            return Finding(message, at: place(of: other.range))
        }
        return nil
    }

    /// Why an attribute never contains a text; nil if it may.
    private func impossiblePart(of side: ExpressionSyntax, _ part: String) -> RuleMessage? {
        assigned.path(of: side).flatMap { AttributeSpelling($0)?.objection(toPart: part) }.map {
            .impossible(side.text, part, $0)
        }
    }

    /// Why an expression never equals a text; nil if it may.
    private func impossibleText(_ side: ExpressionSyntax, _ text: String, _ dates: FormattedDates) -> RuleMessage? {
        if let objection = assigned.path(of: side).flatMap({ AttributeSpelling($0)?.objection(to: text) }) {
            return .impossible(side.text, text, objection)
        }
        if let date = dates.date(of: side), date.mayBeText,
            let objection = DateDirective(date.format)?.objection(to: text)
        {
            return .neverPrinted(text, date.format, objection)
        }
        return assigned.source(of: side).filters.objection(to: text).map { .impossible(side.text, text, $0) }
    }

    /// The bounds of an expression that is a whole number; nil if none are known.
    private func bounds(of side: ExpressionSyntax, _ dates: FormattedDates, _ limits: [String: Int]) -> NumberBounds? {
        if case .attribute("random_bucket_number")? = side.lookup?.root {
            return NumberBounds(source: "${random_bucket_number}", range: 0...9999)
        }
        if let date = dates.date(of: side), date.mayBeNumber,
            case .numbers(let range, _, _)? = DateDirective(date.format)
        {
            return NumberBounds(source: "date: '\(date.format)'", range: range)
        }
        let (value, filters) = assigned.source(of: side)
        if side.isSize || filters.last?.name == "size" { return NumberBounds(source: side.text, range: 0...Int.max) }
        return value.variableName.flatMap { limits[$0] }.map {
            NumberBounds(source: "random \($0)", range: 0...$0 - 1, isText: true)
        }
    }
}

/// The range of values that a whole number in a template can have.
private struct NumberBounds {
    /// The expression that produces the number, as messages show it.
    var source: String
    var range: ClosedRange<Int>
    /// Whether the number is a text of digits, which is compared with other texts.
    var isText = false

    /// The number in a literal; digits in a text count only if the bounds are about a text.
    func number(_ value: Value) -> Double? { isText ? Double(value.text) : value.number }
}

extension Value {
    /// The value as a `Double`; nil unless it is a number of up to 64 bits, so also for texts of digits.
    var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .float(let number): number
        default: nil
        }
    }
}

extension Comparison {
    /// Whether the comparison asks which of two values comes first.
    fileprivate var isOrder: Bool {
        switch self {
        case .less, .greater, .lessOrEqual, .greaterOrEqual: true
        case .equal, .notEqual, .contains, .unknown: false
        }
    }

    /// The result of comparing any whole number in a range with a number; nil if the result depends on the whole
    /// number, or if the number is only just beyond the range, as in `hour < 24`.
    func truth(of range: ClosedRange<Int>, _ number: Double) -> Bool? {
        let (first, last) = (Double(range.lowerBound), Double(range.upperBound))
        switch self {
        case .equal, .notEqual:
            let isPossible = first...last ~= number && number == number.rounded()
            return isPossible ? nil : self == .notEqual
        case .less: return number <= first ? false : number > last + 1 ? true : nil
        case .lessOrEqual: return number < first ? false : number > last + 1 ? true : nil
        case .greater: return number >= last ? false : nil
        // 'size >= 0' is true for every list, so the author meant something else.
        case .greaterOrEqual: return number > last ? false : number <= 0 && range.upperBound == .max ? true : nil
        case .contains, .unknown: return nil
        }
    }
}

extension LintedText {
    fileprivate var emptyTextFindings: [Finding] {
        let all = comparisons.filter { $0.comparison == .equal || $0.comparison == .notEqual }
        let suspects = all.filter { compared in
            switch compared.right.literal {
            case .string("")?: return compared.left.isUserAttribute
            case .integer(0)?: return compared.left.attributeOfSize != nil
            default: return false
            }
        }
        guard !suspects.isEmpty else { return [] }
        var known = Set(all.filter(\.right.isNothing).map(\.left.text))
        for markup in parts.values where markup.filters.contains(where: { $0.name == "default" }) {
            if let value = markup.expression { known.insert(value.text) }
        }
        for term in parts.conditions.flatMap(\.terms) where term.comparison == nil { known.insert(term.left.text) }
        return suspects.compactMap { compared in
            let size = compared.left.attributeOfSize
            let name = size ?? compared.left.text
            return known.contains(name)
                ? nil : Finding(.missing(name, compared.comparison, isSize: size != nil), at: place(of: compared.range))
        }
    }
}

extension ExpressionSyntax {
    /// Whether the expression is an attribute of the user, without further members.
    fileprivate var isUserAttribute: Bool {
        switch kind {
        case .lookup(let lookup):
            if case .value(let value) = lookup.root { return lookup.steps.isEmpty && value.isUserAttribute }
            return lookup.attribute.map { [nil, "custom_attribute"].contains($0.namespace) } ?? false
        case .output(let markup):
            return markup.filters.isEmpty && markup.expression?.isUserAttribute ?? false
        default: return false
        }
    }

    /// The attribute whose size the expression reads, such as '${first_name}'; nil for other expressions.
    fileprivate var attributeOfSize: String? {
        let text = self.text
        guard isSize, let lookup, let path = VariablePath(lookup), let (namespace, _) = path.attribute,
            text.hasSuffix(".size"), [nil, "custom_attribute"].contains(namespace),
            path.segments.count == (namespace == nil ? 1 : 2)
        else { return nil }
        return String(text.dropLast(5))
    }

    /// Whether the expression is nil, blank or empty.
    fileprivate var isNothing: Bool {
        switch kind {
        case .blank, .empty, .literal(.null): true
        default: false
        }
    }
}
