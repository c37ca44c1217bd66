// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import LiquidTemplates

/// Suggests what to write instead of markup that Liquid's grammar does not allow.
struct MarkupAdvice {
    private let markup: TemplateMarkup
    private let fault: (index: Int, expected: MarkupReading.Expectation)
    private var tokens: [MarkupToken] { markup.tokens }

    /// - Parameters:
    ///   - markup: the markup.
    ///   - index: the index of the first token that the strict rules do not allow.
    ///   - expected: what the strict rules allow at this token.
    init(_ markup: TemplateMarkup, _ index: Int, _ expected: MarkupReading.Expectation) {
        self.markup = markup
        fault = (index, expected)
    }

    private var found: String { text(fault.index) }

    private func text(_ index: Int) -> String { markup.text(index) }

    private func read(_ token: MarkupToken) -> String { markup.text(token.range) }

    private func kind(_ index: Int) -> ExpressionLexer.Kind? { markup.kind(index) }

    /// Whether a colon, a bar or the end is expected after the name of a filter.
    private var isAfterFilterName: Bool {
        fault.expected == .end && kind(fault.index - 1) == .word && kind(fault.index - 2) == .pipe
    }

    /// Whether the mistake is in the arguments of a filter.
    private var isInArguments: Bool {
        guard let pipe = tokens.prefix(fault.index).lastIndex(where: { $0.kind == .pipe }) else { return false }
        return kind(pipe + 2) == .colon && pipe + 2 < fault.index
    }

    /// The index of the first token of the value before the mistake.
    private var valueStart: Int {
        var start = max(0, fault.index - 1)
        while kind(start - 1) == .dot, kind(start - 2) == .word { start -= 2 }
        return start
    }

    /// The advice, as the last part of a message.
    func text(_ environment: Environment) -> RuleMessage {
        atEnd ?? nothingAdvice ?? nameAdvice ?? tagAdvice ?? quoteAdvice ?? bracketAdvice ?? wordAdvice(environment)
            ?? operatorAdvice(found) ?? loopAdvice ?? separatorAdvice(environment) ?? barAdvice ?? general
    }

    // MARK: - Kinds of mistakes

    private var atEnd: RuleMessage? {
        guard fault.index >= tokens.count else { return nil }
        switch fault.expected {
        case .filterName: return "expected the name of a filter after the bar, or no bar"
        case .closing: return "expected a closing bracket"
        default: return "expected a value after it"
        }
    }

    private var nothingAdvice: RuleMessage? {
        guard markup.tag == "else" else { return nil }
        return found == "if"
            ? "expected 'elsif' in one word for a further condition"
            : "'else' takes no condition, expected 'elsif' where one is meant"
    }

    /// The advice about tags and objects inside of markup, and about tags and operators in outputs.
    private var tagAdvice: RuleMessage? {
        if found == "{" {
            return text(fault.index + 1) == "%"
                ? "a tag cannot be inside of another: expected {% capture v %} around the inner one, and v here"
                : "Liquid has no objects or lists of its own, expected a text with '| split:', or '| json_parse'"
        }
        guard markup.kind == .output else { return nil }
        if markup.tag.isEmpty, fault.expected == .end, fault.index == 1, Self.tags.contains(text(0)) {
            return "tags are written {% \(text(0)) … %}"
        }
        if fault.index == 0, found == "#" || found == "/" {
            return "expected a tag, such as {% if … %}…{% endif %} or {% for … in … %}…{% endfor %}"
        }
        if found == "or", kind(fault.index + 1) == .string {
            return "expected '| default:' for what is printed instead"
        }
        return found == "and" || found == "or" ? Self.condition : nil
    }

    private static let condition: RuleMessage =
        "operators belong in {% if … %}, where a variable can be set for each answer"

    private static let tags: Set<String> = [
        "if", "unless", "elsif", "else", "case", "when", "for", "assign", "capture", "echo", "abort_message",
        "connected_content", "promotion", "catalog_items", "random", "message_extras",
    ]

    private var nameAdvice: RuleMessage? {
        if markup.tag == "assign", found.hasPrefix("=="), tokens.prefix(fault.index).allSatisfy({ read($0) != "=" }) {
            return "expected one '='"
        }
        guard fault.expected == .name || fault.expected == .equals else { return nil }
        if found.hasSuffix("=") { return "expected '=' and a filter, such as '= n | plus: 1'" }
        guard markup.tag == "assign" || markup.tag == "capture" else { return nil }
        let words = tokens.prefix { read($0) != "=" }
        return words.count > 1 && words.allSatisfy { $0.kind == .word && !read($0).contains("$") }
            ? "a name has no spaces, expected '\(words.map(read).joined(separator: "_"))'"
            : "expected a name of letters, digits and underscores"
    }

    private var quoteAdvice: RuleMessage? {
        if let open = tokens.dropFirst(max(0, fault.index - 1)).first(where: { $0.kind == .openQuote }) {
            let quote = String(read(open).prefix(1))
            return
                "the quote \(quote) has no partner: expected quotes on both sides, and another kind of quotes around \(quote)"
        }
        if found.utf8.contains(where: { $0 >= 0x80 }), found.unicodeScalars.allSatisfy(\.properties.isAlphabetic) {
            return "names have only the letters a to z, expected quotes around a text"
        }
        if found.contains("`") { return "backticks are not quotes, expected ' or \"" }
        // A word, text or number directly after a quoted text was probably meant as a part of it, but a quote inside of
        // it ended it.
        if fault.expected == .end, fault.index > 0,
            kind(fault.index - 1) == .string, !tokens[fault.index].isApart,
            [.word, .string, .number].contains(kind(fault.index))
        {
            let quote = String(text(fault.index - 1).suffix(1))
            let other = quote == "'" ? "\"" : "'"
            return "the quote \(quote) inside of the text ends it, expected \(other) around a text that holds \(quote)"
        }
        return nil
    }

    private var bracketAdvice: RuleMessage? {
        let parentheses: RuleMessage =
            "Liquid has no parentheses around conditions, expected 'if' inside of 'if', or a variable for one part"
        if found == "(" || found == ")" {
            guard fault.index > 0, kind(fault.index - 1) == .word else { return parentheses }
            let word = text(fault.index - 1)
            if isAfterFilterName {
                return "arguments follow a colon, without parentheses: '| \(word): …'"
            }
            return word == "not"
                ? "Liquid has no 'not': expected {% unless … %}, or '!=' for '=='"
                : "Liquid has no function calls: expected '\(word)' without parentheses"
        }
        guard let open = markup.openBrackets(before: fault.index).last else { return nil }
        if kind(open) == .openRound {
            return found == "," || kind(fault.index) != .dotDot && markup.kind != .condition
                ? "parentheses are for ranges such as (1..5)" : parentheses
        }
        guard kind(open) == .openSquare, fault.expected != .member else { return nil }
        if found.hasPrefix("..") { return range }
        let isIndex =
            open > 0 && kind(open - 1) == .word
            && !["in", "contains", "and", "or", "when"].contains(text(open - 1))
        if !isIndex {
            return
                "Liquid has no lists: expected a text with \"| split: ','\", such as {% assign a = 'x,y' | split: ',' %}"
        }
        return found == "|"
            ? "no filters in brackets, expected {% assign i = … %} before and [i]"
            : "expected a name, a number or a quoted text and ']'"
    }

    private var range: RuleMessage {
        "expected parentheses around a range: (\(text(fault.index - 1))..\(text(fault.index + 1)))"
    }

    private func wordAdvice(_ environment: Environment) -> RuleMessage? {
        guard kind(fault.index) == .word else { return nil }
        let lower = found.lowercased()
        if markup.kind == .condition, lower != found, ["and", "or", "contains"].contains(lower) {
            return "expected '\(lower)' in lower case"
        }
        if markup.tag == "capture", fault.index > 0 {
            let words = tokens.filter { $0.kind == .word }.map(read)
            return "a name has no spaces, expected '\(words.joined(separator: "_"))'"
        }
        if markup.kind == .loop {
            let options = ["limit", "offset"] + (markup.tag == "tablerow" ? ["cols", "range"] : [])
            if fault.expected == .optionValue || options.contains(found) { return "expected '\(found): 3'" }
            if found == "reversed" { return "expected 'reversed' right after the collection" }
            return "a loop takes \(options.map { "'\($0):'" }.joined(separator: ", ")) and 'reversed' only"
        }
        // This is the name of a filter without a bar before it.
        if fault.expected == .end, markup.kind == .output, environment.filterIndex(found) != nil,
            kind(fault.index + 1) == .colon || found == "default" || text(valueStart).hasPrefix("$")
        {
            return "expected a bar before the filter: '| \(found)'"
        }
        if isAfterFilterName { return missingColon }
        if markup.kind == .condition, RenderMessages.foreignOperators[found] != nil,
            !["not", "between"].contains(found)
        {
            return operatorAdvice(found)
        }
        if markup.kind == .output, found == "contains", fault.expected == .end { return Self.condition }
        guard fault.index > 0, kind(fault.index - 1) == .word, fault.expected == .end else { return nil }
        let namespace = text(fault.index - 1)
        if found.hasPrefix("${"), BrazeNamespace.names.contains(namespace) {
            return "expected a dot: '\(namespace).\(found)'"
        }
        let words = tokens[min(valueStart, fault.index - 1)...].prefix { $0.kind == .word }.map(read)
        let joined = words.joined(separator: "_").lowercased()
        if markup.kind != .condition, ForeignNames.attribute(joined) == joined {
            return "expected '${\(joined)}' for the attribute"
        }
        let text = words.joined(separator: " ")
        return markup.kind == .condition
            ? "expected 'and' or 'or' between conditions, or quotes: '\(text)'"
            : "expected quotes around a text: '\(text)'"
    }

    /// What to write instead of the operators of other languages, unless ``conditions`` has other advice for
    /// conditions.
    private static let calculations = [
        "+": "the filter '| plus:', or '| append:' for text", "++": "the filter '| plus:', or '| append:' for text",
        "-": "the filter '| minus:'", "*": "the filter '| times:'", "/": "the filter '| divided_by:'",
        "//": "{% comment %}…{% endcomment %} around a comment, or the filter '| divided_by:'",
        "&&": "{% if … and … %}", "&": "{% if … and … %}", "||": "'| default:' for what is printed instead",
        "??": "'| default:'", "?": "{% if … %}…{% else %}…{% endif %}", "=": "{% assign … %}",
    ]

    /// What to write in conditions instead of the operators of other languages.
    private static let conditions = [
        "&&": "'and'", "&": "'and'", "||": "'or'", "=": "'=='", "≥": "'>='", "≤": "'<='", "≠": "'!='",
        "!": "'unless', or a comparison such as '!= true'", "?": "'and' or 'or' and another condition",
        "%": "a number without '%'",
    ]

    private func operatorAdvice(_ sign: String) -> RuleMessage? {
        let isCondition = markup.kind == .condition
        if sign == "&", let end = tokens[fault.index...].prefix(4).first(where: { read($0) == ";" }) {
            let written = tokens[fault.index...].prefix(while: { $0.range.lowerBound <= end.range.lowerBound }).map(
                read
            ).joined()
            return "expected the character itself in place of '\(written)', which is HTML"
        }
        if markup.tag == "when", ["||", "|", "&&", "&"].contains(sign) { return "expected 'or' between values" }
        switch sign {
        case "%" where fault.expected == .value && isInArguments && kind(fault.index + 1) == .word:
            return "expected quotes around the format: '%\(text(fault.index + 1))'"
        case "$" where kind(fault.index + 1) == .number: return "expected a number without '$'"
        case "$":
            let name = tokens.dropFirst(fault.index + 1).first { $0.kind == .word }
            return "expected '${\(name.map(read) ?? "name")}' with braces"
        case "=" where isAfterFilterName, ";" where isAfterFilterName:
            return "expected a colon before the argument: '\(text(fault.index - 1)): \(text(fault.index + 1))'"
        case ";": return "expected a tag of its own for each statement"
        case "=":
            if markup.kind == .loop { return nil }
            if markup.tag == "capture" {
                return "'capture' takes only a name, and its value up to {% endcapture %}"
            }
        default: break
        }
        if let meant = isCondition ? Self.conditions[sign] ?? Self.calculations[sign] : Self.calculations[sign] {
            return "expected \(meant)"
        }
        guard kind(fault.index) == .comparison || RenderMessages.foreignOperators[sign] != nil else { return nil }
        if markup.tag == "when" || markup.tag == "case" {
            let operation = RenderMessages.foreignOperators[sign] ?? sign
            return "'when' only compares for equality, expected {% if … \(operation.split(separator: " ")[0]) … %}"
        }
        return isCondition ? "expected one operator between two values, and 'and' between comparisons" : Self.condition
    }

    private var loopAdvice: RuleMessage? {
        guard markup.kind == .loop else { return nil }
        if fault.expected == .optionValue {
            let value = found.drop { $0 == "=" }
            return
                "expected a colon: '\(text(fault.index - 1)): \(value.isEmpty ? text(fault.index + 1) : String(value))'"
        }
        return kind(fault.index) == .dotDot ? range : nil
    }

    /// The advice about separators between values and between arguments.
    private func separatorAdvice(_ environment: Environment) -> RuleMessage? {
        guard fault.expected == .end else { return nil }
        if found == ",", fault.index > 0, kind(fault.index - 1) == .number, kind(fault.index + 1) == .number,
            !tokens[fault.index].isApart, !tokens[fault.index + 1].isApart
        {
            return .numberWithComma(text(fault.index - 1), text(fault.index + 1))
        }
        if found == ",", markup.kind == .condition { return "expected 'or' and a whole comparison for each value" }
        if found == ",", environment.filterIndex(text(fault.index + 1)) != nil {
            return "expected a bar before the filter: '| \(text(fault.index + 1))'"
        }
        if markup.tag == "cycle" { return "expected a comma between values" }
        if markup.tag == "when", kind(fault.index) != .pipe { return "expected ',' or 'or' between values" }
        return isInArguments && [.string, .number].contains(kind(fault.index))
            ? "expected a comma between arguments" : nil
    }

    /// The advice about a bar where no filter may follow.
    private var barAdvice: RuleMessage? {
        guard kind(fault.index) == .pipe else { return nil }
        if [.filterName, .value].contains(fault.expected) {
            return "expected a value or the name of a filter before the bar"
        }
        switch markup.tag {
        case "for" where text(fault.index + 1) == "reverse":
            return "'for' takes no filters, expected 'reversed', or {% assign %} before the loop"
        case "if", "unless", "elsif", "case", "when", "cycle", "for", "tablerow":
            return "'\(markup.tag)' takes no filters, expected {% assign v = … | … %} before it, and v here"
        default: return nil
        }
    }

    private var missingColon: RuleMessage {
        let argument = found == "：" || found == "=" ? text(fault.index + 1) : found
        return "expected a colon before the argument: '\(text(fault.index - 1)): \(argument)'"
    }

    private var general: RuleMessage {
        switch fault.expected {
        case .value: "expected a name, a number or a quoted text"
        case .filterName: "expected the name of a filter"
        case .member:
            kind(fault.index) == .number ? "expected '[\(found)]' for an element" : "expected a name after the dot"
        case .closing: "expected a closing bracket"
        case .name: "expected a name"
        case .equals: "expected '='"
        case .keyword: "expected 'in'"
        case .option, .optionValue: "expected 'limit:', 'offset:' or 'reversed'"
        case .end where isAfterFilterName: missingColon
        case .end:
            markup.kind == .condition ? "expected 'and', 'or' or the end" : "expected '|' and a filter, or the end"
        }
    }
}

extension RuleMessage {
    /// What to write instead of a number with a comma in it, which separates thousands or a fraction.
    static func numberWithComma(_ whole: String, _ rest: String) -> RuleMessage {
        rest.utf8.count == 3
            ? "expected a number without separators: \(whole)\(rest)" : "expected a decimal point: \(whole).\(rest)"
    }
}
