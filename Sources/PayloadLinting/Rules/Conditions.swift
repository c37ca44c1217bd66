// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func constant(_ text: String, _ truth: Bool, _ hint: RuleMessage) -> RuleMessage {
        "\(text) alone is always \(truth)\(hint.text)"
    }
    fileprivate static func same(_ text: String, _ truth: Bool) -> RuleMessage {
        "\"\(text)\" is always \(truth); expected an attribute or a variable on one side"
    }
    fileprivate static func alwaysTrue(_ name: String, _ reason: String, expected: String) -> RuleMessage {
        "'\(name)' is always true: \(reason); expected \(expected)"
    }
    fileprivate static func neverMissing(_ name: String, _ reason: String, isEqual: Bool) -> RuleMessage {
        "'\(name)' \(reason), so '\(name)' is never missing and this is always \(!isEqual)"
    }
    fileprivate static func tautology(_ text: String, _ truth: Bool) -> RuleMessage {
        truth
            ? "\"\(text)\" is always true, as every value differs from one of them; expected 'and'"
            : "\"\(text)\" is always false, as nothing equals both; expected 'or'"
    }
    fileprivate static let afterElse: RuleMessage =
        "a branch after 'else' is never rendered; expected 'else' as the last branch"
    fileprivate static let elseBeforeWhen: RuleMessage =
        "'else' is not the last branch of this 'case': Liquid renders it, and also the branches after it that match; expected one 'else' at the end"
    fileprivate static func rangeInWhen(_ range: String) -> RuleMessage {
        "'when \(range)' compares with the range itself, which nothing equals; expected {% if %} with '>=' and '<='"
    }
    fileprivate static func taken(_ condition: String) -> RuleMessage {
        "this branch is never reached: an earlier one has the same condition \"\(condition)\"; expected another condition"
    }
    fileprivate static func after(_ tag: String) -> RuleMessage {
        "what follows '\(tag)' in the same branch is never reached; expected it before '\(tag)'"
    }
    fileprivate static func noLoop(_ tag: String) -> RuleMessage {
        "'\(tag)' outside of a loop ends the whole text here; expected it between {% for %} and {% endfor %}"
    }
    fileprivate static func twice(_ value: String) -> RuleMessage {
        "\(value) occurs twice: an earlier 'when' has the same value, and Liquid renders both; expected it once"
    }
    fileprivate static let aborted: RuleMessage =
        "every message is aborted here, so nobody gets one; expected it inside of a condition"
    fileprivate static func blank(_ tag: String) -> RuleMessage {
        "'\(tag)' with nothing but spaces in it prints nothing; expected {{ ' ' }} for a space"
    }
}

extension Rule {
    /// The rules about conditions with the same result for all users, and about branches that no user reaches.
    static let conditions: [Rule] = [constantCondition, unreachableBranch, abortAlways]

    private static let constantCondition = Rule(
        RuleID("constant-condition", .warning, "a condition that is the same for every user"),
        source: "https://shopify.github.io/liquid/basics/truthy-and-falsy/",
        rationale: """
            A text, a number or 'blank' alone is always true. So "x == 'es' or 'pt'" is true for everybody, because \
            each side of 'or' is a condition of its own. A comparison of two literals has the same result for \
            everybody too. "x != 'a' or x != 'b'" is always true, and "x == 'a' and x == 'b'" never. A number, a text \
            or a list that a filter or 'capture' makes is never nil, and is true even if it is 0 or empty. A 'size' \
            alone is always true for the same reason; the rule is silent if the text prints it, because it may be the \
            size of a shirt. A value with a 'default' is neither missing nor empty, so a test for that has one result \
            for everybody. A lone true or false is reported as info, because authors use it to switch parts off.
            """,
        failing: [
            .title("{% if ${language} == 'es' or ⟦'pt'⟧ %}Hola{% endif %}"),
            .campaign("push: {title: \"{% if ${first_name} == nil or ⟦blank⟧ %}Hi{% endif %}\"}"),
            .title("{% if ${city} != 'Oslo' or ${city} ⟦!=⟧ 'Rio' %}Hi{% endif %}"),
            .title("{% assign n = custom_attribute.${n} | plus: 0 %}{% if ⟦n⟧ %}Hi{% endif %}"),
            .title("{% assign n = custom_attribute.${n} | plus: 0 %}{% if n ⟦==⟧ blank %}Hi{% endif %}"),
            .title("{% if ⟦custom_attribute.${tags}.size⟧ %}Hi{% endif %}"),
            .title("{% assign g = ${first_name} | default: 'you' %}{% if g ⟦==⟧ blank %}Hi{% endif %}"),
            .title("{% assign n = custom_attribute.${n} | default: 0 %}{% if ⟦n⟧ %}{{ n }} new{% endif %}"),
        ],
        passing: [
            .title("{% if ${language} == 'es' or ${language} == 'pt' %}Hola{% endif %}"),
            .title("{% if ${city} != 'Oslo' and ${city} != 'Rio' %}Hi{% endif %}"),
            .title("{% if custom_attribute.${tags}.size > 0 %}Hi{% endif %}"),
            .title("{% assign g = ${first_name} | default: '' %}{% if g == '' %}Hi{% endif %}"),
            .title("{% assign v = custom_attribute.${v} | default: false %}{% if v %}Hi{% endif %}"),
        ],
        .texts { $0.constantConditionFindings + $0.sizeConditionFindings }
    )

    private static let unreachableBranch = Rule(
        RuleID("unreachable-branch", .warning, "a branch that no user reaches"),
        source: "https://shopify.github.io/liquid/tags/control-flow/",
        rationale: """
            Liquid never renders a branch after 'else', a branch with the condition of an earlier branch of the same \
            'if', or what follows 'abort_message', 'break' or 'continue' in the same branch. A 'case' is different: \
            Liquid renders every 'when' with the value, so a value that occurs twice prints both. An 'else' before the \
            last branch does not end the 'case': the branches after it that match are rendered too.
            """,
        failing: [
            .campaign("push: {title: \"{% if ${city} %}a{% else %}b⟦{% else %}⟧c{% endif %}\"}"),
            .title("{% if ${city} == 'Oslo' %}a⟦{% elsif ${city} == 'Oslo' %}⟧b{% endif %}"),
            .title("{% case ${city} %}{% when 'Oslo' %}a{% when ⟦'Oslo'⟧ %}b{% endcase %}"),
        ],
        passing: [
            .title("{% if ${city} == 'Oslo' %}a{% elsif ${city} %}b{% else %}c{% endif %}"),
            .title(
                "{% for t in custom_attribute.${a} %}{% if t == 'x' %}{% abort_message('x') %}{% break %}{% endif %}{% endfor %}Hi"
            ),
        ],
        .nodes { $1.unreachableBranchFindings($0) + $1.unreachableTextFindings($0) }
    )

    private static let abortAlways = Rule(
        RuleID("abort-always", .error, "a message that is aborted for every user"),
        source: .abortingMessages,
        rationale: """
            Such a tag is probably a leftover from a test: nobody gets the message. The same goes for conditions that \
            abort in every branch. The rule is silent inside of other conditions and of loops.
            """,
        failing: [
            .title("Hi⟦{% abort_message('test') %}⟧"),
            .title("{% if ${city} %}⟦{% abort_message('a') %}⟧{% else %}{% abort_message('b') %}{% endif %}Hi"),
        ],
        passing: [.title("{% if ${city} == blank %}{% abort_message('no city') %}{% endif %}Hi")],
        .campaign { campaign in
            // In a text that cannot be read completely, the tag may be inside a condition.
            campaign.texts.filter(\.isWhole).compactMap { text in
                text.abortForAll.map { Finding(.aborted, at: text.place(of: $0)) }
            }
        }
    )

    static let blankBlock = Rule(
        RuleID("blank-block", .warning, "a block that holds only spaces, which are not printed"),
        source: "https://github.com/jg-rp/liquid/issues/127",
        rationale: """
            If an 'if', 'unless', 'case' or 'for' holds only white space, Liquid does not print it, so the space \
            between two words is missing. The rule is silent for line breaks, which only separate tags. It is also \
            silent where a branch of the tag prints something, because then the spaces of the other branches are \
            printed too.
            """,
        failing: [
            .title(
                """
                {% for f in custom_attribute.${friends} %}{{ f }}\
                {% unless forloop.last %}⟦ ⟧{% endunless %}{% endfor %}
                """
            )
        ],
        passing: [
            .title(
                """
                {% for f in custom_attribute.${friends} %}{{ f }}\
                {% unless forloop.last %}{{ ' ' }}{% endunless %}{% endfor %}
                """
            ),
            .title("{% if ${city} %} {% else %}, {% endif %}you"),
            .campaign("push:\n  title: |-\n    {% if ${city} %}\n    {% endif %}\n    Hi"),
        ],
        .texts(\.blankBlockFindings)
    )
}

extension LintedText {
    fileprivate var constantConditionFindings: [Finding] {
        parts.conditions.filter { !isIgnored($0.range) }.flatMap { clause -> [Finding] in
            let terms = clause.terms
            let alone = terms.enumerated().compactMap { constantFinding($1, at: $0, of: terms) }
            return alone.isEmpty ? contradictionFindings(in: terms) : alone
        }
    }

    /// The findings about sizes that are conditions on their own.
    ///
    /// A size that is also printed is left out: it may be a member of an object, such as the size of a shirt.
    fileprivate var sizeConditionFindings: [Finding] {
        let printed = Set(parts.values.compactMap(\.expression).filter(\.isSize).map(\.text))
        return parts.conditions.flatMap(\.terms).filter { $0.comparison == nil && $0.left.isSize }.compactMap { term in
            let (value, name) = (term.left, term.left.text)
            guard !printed.contains(name), !isIgnored(value.range) else { return nil }
            let reason = "it is the number of elements, and a number is true even where it is 0"
            return Finding(.alwaysTrue(name, reason, expected: "'\(name) > 0'"), at: place(of: value.range))
        }
    }

    private func constantFinding(_ term: TermSyntax, at index: Int, of terms: [TermSyntax]) -> Finding? {
        guard let comparison = term.comparison else { return loneValueFinding(term, at: index, of: terms) }
        let isEqual = comparison == .equal
        let truth: Bool
        switch (term.left.literal, term.right?.literal) {
        case (let left?, let right?) where isEqual || comparison == .notEqual: truth = left.equals(right) == isEqual
        case (.string(let left)?, .string(let right)?) where comparison != .contains && comparison != .unknown:
            let order = left.compareBytes(with: right)
            let isGreater = comparison == .greater || comparison == .greaterOrEqual
            truth = order == 0 ? comparison == .lessOrEqual || comparison == .greaterOrEqual : (order > 0) == isGreater
        case (.some, .some): return nil
        default:
            return isEqual || comparison == .notEqual ? neverMissingFinding(term, isEqual: isEqual, of: terms) : nil
        }
        return Finding(.same(term.meaning, truth), at: place(of: term.range))
    }

    private func loneValueFinding(_ term: TermSyntax, at index: Int, of terms: [TermSyntax]) -> Finding? {
        var truth = true
        var severity: Severity?
        switch term.left.kind {
        case .literal(let value):
            truth = value.isTruthy
            if terms.count == 1, case .bool = value { severity = .info }
        // Outside of comparisons, 'blank' and 'empty' are the empty text, which is true in Liquid.
        case .blank, .empty, .range: break
        case .lookup, .output: return alwaysTrueFinding(term.left)
        }
        var hint: RuleMessage = ""
        if index > 0, let comparison = terms[index - 1].comparison {
            let word = terms[index - 1].hasOr ? "or" : "and"
            // Every value differs from one of two texts, so 'or' between two '!=' would always be true.
            let meant = comparison == .notEqual ? "and" : word
            let left = terms[index - 1].left.text
            hint =
                "; each side of '\(word)' is a condition of its own; expected '\(meant) \(left) \(comparison == .unknown ? "==" : comparison.rawValue) \(term.left.text)'"
        }
        return Finding(.constant(term.left.text, truth, hint), at: place(of: term.left.range), severity: severity)
    }

    /// The finding about a lone value that is always true because 'capture', 'assign' or a filter makes it: even the
    /// number 0 and an empty text are true.
    private func alwaysTrueFinding(_ value: ExpressionSyntax) -> Finding? {
        let name = value.text
        // A variable that is set in a branch may be missing.
        guard value.variableName.map({ assigned.isSet($0, before: value.range.start) }) ?? true else { return nil }
        func finding(_ reason: String, _ expected: String) -> Finding {
            Finding(.alwaysTrue(name, reason, expected: expected), at: place(of: value.range))
        }
        let (text, number) = ("a text is true even where it is empty", "a number is true even where it is 0")
        let (source, filters) = assigned.source(of: value)
        switch madeType(of: value) {
        case .text?: return finding(text, "'\(name) != blank'")
        case .list?: return finding("a list is true even where it is empty", "'\(name).size > 0'")
        case .some: return finding(number, "a comparison such as '\(name) > 0'")
        case nil: break
        }
        let given = filters.isEmpty && value.variableName != nil ? source.literal : filters.last?.givenDefault
        switch given {
        case .string(let word)? where ["true", "false", "yes", "no"].contains(word.lowercased()):
            return finding("'\(word)' in quotes is a text", "true or false without quotes")
        case .string(let word)? where !filters.isEmpty || word.isEmpty: return finding(text, "'\(name) != blank'")
        case .integer(let amount)? where !filters.isEmpty || amount == 0:
            return finding(number, "a comparison such as '\(name) > 0'")
        case .bool(true)? where !filters.isEmpty:
            return finding(
                "'default' replaces false as well",
                "'default: true, allow_false: true', or 'default: false' where missing means no"
            )
        default: return nil
        }
    }

    /// The type of a value that 'capture' or a filter makes even if its input is missing; nil for other values.
    private func madeType(of value: ExpressionSyntax) -> StaticType? {
        if let variable = value.variableName {
            guard assigned.isSet(variable, before: value.range.start) else { return nil }
            if assigned.captured.contains(variable) { return .text }
        }
        return assigned.source(of: value).filters.last?.madeType
    }

    /// The finding about a value that is compared with nil, 'blank' or an empty text, but is never missing, because a
    /// filter makes it even from a missing value.
    ///
    /// If the filter is not 'default', the comparison is reported only if the condition does not compare the value with
    /// anything else.
    private func neverMissingFinding(_ term: TermSyntax, isEqual: Bool, of terms: [TermSyntax]) -> Finding? {
        guard let right = term.right,
            term.left.variableName.map({ assigned.isSet($0, before: term.left.range.start) }) ?? true
        else { return nil }
        let name = term.left.text
        if right.isMissingOrEmpty, let given = assigned.source(of: term.left).filters.last?.givenDefault,
            given.isTruthy,
            !given.isBlank
        {
            return Finding(.neverMissing(name, "has a default", isEqual: isEqual), at: place(of: term.range))
        }
        guard let type = madeType(of: term.left),
            terms.count(where: { $0.left.text == name || $0.left.text == name + ".size" }) == 1
        else { return nil }
        switch right.kind {
        case .literal(.null): break
        case .blank where type == .decimal: break
        default: return nil
        }
        let made = type == .decimal ? "is 0" : type == .text ? "is an empty text" : "is an empty list"
        return Finding(
            .neverMissing(name, "\(made) where the value before its filters is missing", isEqual: isEqual),
            at: place(of: term.range))
    }

    /// The finding about one value that is compared with two different literals, so that the condition is always true
    /// or always false.
    private func contradictionFindings(in terms: [TermSyntax]) -> [Finding] {
        guard terms.count > 1 else { return [] }
        let joiners = terms.dropLast().map(\.hasOr)
        guard let joiner = joiners.first, joiners.allSatisfy({ $0 == joiner }) else { return [] }
        let comparison: Comparison = joiner ? .notEqual : .equal
        var seen: [String: (Value, TermSyntax)] = [:]
        for term in terms where term.comparison == comparison {
            guard let value = term.right?.literal, term.right?.text != "nil", term.left.lookup != nil else {
                continue
            }
            let name = term.left.text
            if let (other, first) = seen[name], !other.equals(value) {
                let text = "\(first.meaning) \(joiner ? "or" : "and") \(term.meaning)"
                return [Finding(.tautology(text, joiner), at: place(of: term.range))]
            }
            seen[name] = (value, term)
        }
        return []
    }

    /// The findings about branches after `else`, and about branches whose condition an earlier branch has.
    fileprivate func unreachableBranchFindings(_ node: TemplateVisitor.Node) -> [Finding] {
        guard let tag = node.syntax.tag, ["if", "unless"].contains(tag.name.text) else { return [] }
        var found: [Finding] = []
        var conditions: [String] = []
        var isOver = false
        for clause in tag.clauses {
            if isOver {
                found.append(Finding(.afterElse, at: place(of: clause.range)))
                continue
            }
            isOver = clause.isOtherwise
            let condition = (clause.isNegated ? "not " : "") + clause.meaning
            if !clause.isOtherwise, conditions.contains(condition) {
                found.append(Finding(.taken(condition), at: place(of: clause.range)))
            }
            conditions.append(condition)
        }
        return found
    }
}

extension LintedText {
    /// The first tag that aborts the message for everybody.
    fileprivate var abortForAll: SourceRange? {
        let range = template?.root.state(from: SourceRange?.none) { ends in
            ends.contains(nil) ? .some(nil) : ends.first
        } step: { first, node in
            first ?? (node.tag?.name.text == "abort_message" ? node.range : nil)
        }
        return range ?? nil
    }

    /// The findings about text after a tag that ends the branch, about 'break' and 'continue' outside of loops, and
    /// about branches of `case`.
    fileprivate func unreachableTextFindings(_ node: TemplateVisitor.Node) -> [Finding] {
        guard let tag = node.syntax.tag, !unreachable.covers(tag.range) else { return [] }
        let name = tag.name.text
        switch name {
        case "case": return caseFindings(tag)
        case "break", "continue":
            let isInLoop = node.isInLoop || source.field.hasPrefix("content_blocks.")
            return (isInLoop ? [] : [Finding(.noLoop(name), at: place(of: tag.range))]) + findings(after: name, node)
        // A tag at the top level aborts the message for every user, which another rule reports.
        case "abort_message" where !node.ancestors.isEmpty: return findings(after: name, node)
        default: return []
        }
    }

    private func findings(after name: String, _ node: TemplateVisitor.Node) -> [Finding] {
        let next = node.following.first { next in
            let text = next.verbatimRange.map { String(decoding: bytes[$0.offsets], as: UTF8.self) }
            // A 'break' or 'continue' after the tag does no harm.
            return !(text?.allSatisfy(\.isWhitespace) ?? ["break", "continue"].contains(next.tag?.name.text))
        }
        return next.map { [Finding(.after(name), at: place(of: $0.range))] } ?? []
    }

    private func caseFindings(_ tag: TagSyntax) -> [Finding] {
        var found: [Finding] = []
        var seen: Set<String> = []
        for value in tag.clauses.filter({ !$0.isOtherwise }).flatMap(\.values) {
            let text = value.text
            if value.literal != nil, !seen.insert(text).inserted {
                found.append(Finding(.twice(text), at: place(of: value.range)))
            }
            if text.hasPrefix("("), text.hasSuffix(")"), text.holds("..") {
                found.append(Finding(.rangeInWhen(text), at: place(of: value.range)))
            }
        }
        if let next = tag.clauses.drop(while: { !$0.isOtherwise }).dropFirst().first {
            found.append(Finding(.elseBeforeWhen, at: place(of: next.range)))
        }
        return found
    }
}

extension FilterSyntax {
    /// The type of the value that the filter returns for every input, even for a missing value.
    fileprivate var madeType: StaticType? {
        switch name {
        case "append", "prepend", "upcase", "downcase", "capitalize", "strip", "replace", "remove": .text
        case "split", "where", "map", "sort", "uniq", "compact": .list
        default: isCalculation || name == "size" ? .decimal : nil
        }
    }

    /// The literal that a 'default' filter puts in place of a missing, empty or false value; nil for other filters.
    fileprivate var givenDefault: Value? {
        guard name == "default", arguments.count == 1 else { return nil }
        return arguments[0].value.literal
    }
}

extension ExpressionSyntax {
    /// Whether the expression ends with the member 'size'.
    var isSize: Bool {
        guard let lookup, case .key("size")? = lookup.steps.last?.kind else { return false }
        return true
    }

    /// Whether the expression is nil, 'blank', 'empty' or an empty text.
    fileprivate var isMissingOrEmpty: Bool {
        switch kind {
        case .blank, .empty: true
        case .literal(.null), .literal(.string("")): true
        default: false
        }
    }
}

extension LintedText {
    fileprivate var blankBlockFindings: [Finding] {
        parts.tags.filter { ["if", "unless", "case", "for"].contains($0.name.text) }.flatMap { tag -> [Finding] in
            let blocks = tag.blocks.map { $0.nodes.map(\.self) }
            let isBlank = blocks.allSatisfy { nodes in
                nodes.allSatisfy { node in node.verbatimRange.map { isOnlySpaces($0, " \n\r\t") } ?? false }
            }
            guard isBlank else { return [] }
            return blocks.compactMap { nodes in
                guard nodes.count == 1, let range = nodes[0].verbatimRange, isOnlySpaces(range, " ") else { return nil }
                return Finding(.blank(tag.name.text), at: place(of: range))
            }
        }
    }

    private func isOnlySpaces(_ range: SourceRange, _ spaces: String) -> Bool {
        bytes[range.offsets].allSatisfy(spaces.utf8.contains)
    }
}
