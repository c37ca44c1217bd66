// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import LiquidTemplates

/// Suggests what to write instead of markup that Liquid's grammar does not allow.
struct MarkupAdvice {
    private let fault: StrictReading.Fault
    private let markup: TemplateMarkup
    private let tokens: [MarkupToken]
    private let read: (MarkupToken) -> String

    /// - Parameters:
    ///   - fault: the place at which the grammar stopped.
    ///   - markup: the markup.
    ///   - tokens: its tokens.
    ///   - read: returns the text of a token as written.
    init(
        _ fault: StrictReading.Fault,
        _ markup: TemplateMarkup,
        _ tokens: [MarkupToken],
        read: @escaping (MarkupToken) -> String
    ) {
        self.fault = fault
        self.markup = markup
        self.tokens = tokens
        self.read = read
    }

    private var found: String { text(fault.index) }

    private func text(_ index: Int) -> String { tokens.indices.contains(index) ? read(tokens[index]) : "" }

    private func kind(_ index: Int) -> MarkupToken.Kind? {
        tokens.indices.contains(index) ? tokens[index].kind : nil
    }

    /// The advice, as the last part of a message.
    func text(_ environment: Environment) -> String {
        atEnd ?? nothingAdvice ?? nameAdvice ?? tagAdvice ?? quoteAdvice ?? bracketAdvice ?? barAdvice(environment)
            ?? wordAdvice(environment)
            ?? comparisonAdvice
            ?? filterAdvice(environment)
            ?? general
    }

    // MARK: - Kinds of mistakes

    private var atEnd: String? {
        guard fault.index >= tokens.count else { return nil }
        switch fault.expected {
        case .filterName: return "expected the name of a filter after the bar, or no bar"
        case .closing: return "expected a closing bracket"
        default: return "expected a value after it"
        }
    }

    private var nothingAdvice: String? {
        guard case .nothing = markup.context else { return nil }
        return found == "if"
            ? "expected 'elsif' in one word for a further condition"
            : "'else' takes no condition, expected 'elsif' where one is meant"
    }

    /// Tags and objects inside markup.
    private var tagAdvice: String? {
        if found == "{" {
            return text(fault.index + 1) == "%"
                ? "a tag cannot be inside of another: expected {% capture v %} around the inner one, and v here"
                : "Liquid has no objects or lists of its own, expected a text with '| split:', or '| json_parse'"
        }
        let isOutput = markup.tag.isEmpty && markup.kind == .output
        if isOutput, fault.expected == .end, fault.index == 1, kind(0) == .word, Self.tags.contains(text(0)) {
            return "tags are written {% \(text(0)) … %}"
        }
        if isOutput, fault.index == 0 || fault.index == tokens.count - 1, found == "%" {
            return "tags are written {% … %}, with one brace on each side"
        }
        if isOutput, fault.index == 0, found == "#" || found == "/", let advice = Self.handlebars[text(1)] {
            return found == "#" ? advice.start : "expected {% \(advice.end) %}"
        }
        if markup.kind == .output, found == "or", kind(fault.index + 1) == .string {
            return "expected '| default:' for what is printed instead"
        }
        if markup.kind == .output, found == "and" || found == "or" {
            return "operators belong in {% if … %}, where a variable can be set for each answer"
        }
        return nil
    }

    /// What to write for the blocks of Handlebars.
    private static let handlebars: [String: (start: String, end: String)] = [
        "each": ("loops are written {% for … in … %}", "endfor"),
        "if": ("conditions are written {% if … %}", "endif"),
        "unless": ("conditions are written {% unless … %}", "endunless"),
    ]

    private static let tags: Set<String> = [
        "if", "unless", "elsif", "else", "case", "when", "for", "assign", "capture", "echo", "abort_message",
        "connected_content", "promotion", "catalog_items", "random", "message_extras",
    ]

    private var nameAdvice: String? {
        switch fault.expected {
        case .name, .equals:
            if found == "==" { return "expected one '='" }
            if found.hasSuffix("=") { return "expected '=' and a filter, such as '= n | plus: 1'" }
            if markup.tag == "assign" || markup.tag == "capture" {
                let words = tokens.prefix { read($0) != "=" }
                let isPlain = words.allSatisfy { $0.kind == .word && !read($0).contains("$") }
                if words.count > 1, isPlain {
                    let joined = words.map(read).joined(separator: "_")
                    return "a name has no spaces, expected '\(joined)'"
                }
                return "expected a name of letters, digits and underscores"
            }
            return nil
        default: return nil
        }
    }

    private var quoteAdvice: String? {
        if let open = tokens.dropFirst(max(0, fault.index - 1)).first(where: { $0.kind == .openQuote }) {
            let quote = String(read(open).prefix(1))
            if let before = tokens.firstIndex(where: { $0.range == open.range }).map({ $0 - 1 }), before >= 0,
                kind(before) == .word, !open.isApart
            {
                return "the quote \(quote) has no partner, expected one before '\(text(before))' as well"
            }
            return
                "the quote \(quote) has no partner: expected quotes on both sides, and another kind of quotes around \(quote)"
        }
        if found.utf8.contains(where: { $0 >= 0x80 }), found.unicodeScalars.allSatisfy(\.properties.isAlphabetic) {
            var first = fault.index
            while first > 0, !tokens[first].isApart, kind(first - 1) == .word || isLetter(first - 1) { first -= 1 }
            var last = fault.index
            while last + 1 < tokens.count, !tokens[last + 1].isApart, kind(last + 1) == .word || isLetter(last + 1) {
                last += 1
            }
            let word = tokens[first...last].map(read).joined()
            return "names have only the letters a to z, expected quotes around a text: '\(word)'"
        }
        if found.contains("`") { return "backticks are not quotes, expected ' or \"" }
        // A word or text directly after the end of a quoted text.
        if fault.expected == .end || fault.expected == .afterFilterName, fault.index > 0,
            kind(fault.index - 1) == .string, !tokens[fault.index].isApart,
            [.word, .string, .number].contains(kind(fault.index))
        {
            let quote = String(text(fault.index - 1).suffix(1))
            let other = quote == "'" ? "\"" : "'"
            return "the quote \(quote) inside of the text ends it, expected \(other) around a text that holds \(quote)"
        }
        return nil
    }

    private func isLetter(_ index: Int) -> Bool {
        kind(index) == .other && text(index).unicodeScalars.allSatisfy(\.properties.isAlphabetic)
    }

    /// A sign in place of the bar before a filter.
    private func barAdvice(_ environment: Environment) -> String? {
        guard markup.kind == .output, fault.expected == .end, kind(fault.index) != .word, found != ",", found != "|",
            kind(fault.index + 1) == .word, environment.filterIndex(text(fault.index + 1)) != nil,
            kind(fault.index + 2) == .colon || !["first", "last", "size"].contains(text(fault.index + 1))
        else { return nil }
        return "expected a bar before the filter: '| \(text(fault.index + 1))'"
    }

    private var bracketAdvice: String? {
        if found == "(" || found == ")" {
            if fault.index > 0, kind(fault.index - 1) == .word {
                if fault.expected == .afterFilterName {
                    return "arguments follow a colon, without parentheses: '| \(text(fault.index - 1)): …'"
                }
                let word = text(fault.index - 1)
                if word == "not" { return "Liquid has no 'not': expected {% unless … %}, or '!=' for '=='" }
                if let test = Self.functions[word.lowercased()] {
                    return "Liquid has no function calls: expected a comparison such as '… \(test)'"
                }
                return "Liquid has no function calls: expected '\(word)' without parentheses"
            }
            return
                "Liquid has no parentheses around conditions, expected 'if' inside of 'if', or a variable for one part"
        }
        guard let open = fault.openBrackets.last else { return nil }
        if kind(open) == .openSquare, found.hasPrefix("..") {
            return "expected parentheses around a range: (\(text(fault.index - 1))..\(text(fault.index + 1)))"
        }
        if kind(open) == .openSquare, fault.expected != .member {
            let before = open > 0 ? text(open - 1) : ""
            if open == fault.valueStart || open == 0 || kind(open - 1) != .word
                || ["in", "contains", "and", "or", "when"].contains(before)
            {
                return
                    "Liquid has no lists: expected a text with '| split: ','', such as {% assign a = 'x,y' | split: ',' %}"
            }
            if found == "|" { return "no filters in brackets, expected {% assign i = … %} before and [i]" }
            return "expected a name, a number or a quoted text and ']'"
        }
        if kind(open) == .openRound {
            return found == "," || kind(fault.index) != .dotDot && markup.kind != .condition
                ? "parentheses are for ranges such as (1..5)"
                : "Liquid has no parentheses around conditions, expected 'if' inside of 'if', or a variable for one part"
        }
        return nil
    }

    private func wordAdvice(_ environment: Environment) -> String? {
        guard kind(fault.index) == .word else { return nil }
        let lower = found.lowercased()
        if markup.kind == .condition, lower != found, ["and", "or", "contains"].contains(lower) {
            return "expected '\(lower)' in lower case"
        }
        if case .capture = markup.context, fault.index > 0 {
            let words = tokens.filter { $0.kind == .word }.map(read)
            return "a name has no spaces, expected '\(words.joined(separator: "_"))'"
        }
        if case .loop(let options) = markup.context {
            if fault.expected == .optionValue || options.contains(found) { return "expected '\(found): 3'" }
            if found == "reversed" { return "expected 'reversed' right after the collection" }
            return "a loop takes \(options.map { "'\($0):'" }.joined(separator: ", ")) and 'reversed' only"
        }
        // The name of a filter without a bar before it.
        if kind(fault.index + 1) == .colon || found == "default", environment.filterIndex(found) != nil,
            fault.expected == .end, markup.kind == .output
        {
            return "expected a bar before the filter: '| \(found)'"
        }
        if fault.expected == .afterFilterName { return missingColon }
        if markup.kind == .condition, Self.spelledOperators[found] != nil { return operatorAdvice(found) }
        if fault.index > 0, kind(fault.index - 1) == .word, fault.expected == .end {
            var first = fault.valueStart
            var last = fault.index
            while last + 1 < tokens.count, kind(last + 1) == .word { last += 1 }
            if first > fault.index { first = fault.index - 1 }
            let words = tokens[first...last].map(read).joined(separator: " ")
            let namespace = text(fault.index - 1)
            if found.hasPrefix("${"), BrazeNamespace.names.contains(namespace) {
                return "expected a dot: '\(namespace).\(found)'"
            }
            let joined = words.split(separator: " ").joined(separator: "_").lowercased()
            if markup.kind != .condition, !words.hasPrefix("$"), ForeignNames.attribute(joined) == joined {
                return "expected '${\(joined)}' for the attribute"
            }
            if markup.kind == .output, words.hasPrefix("$"), environment.filterIndex(found) != nil {
                return "expected a bar before the filter: '| \(found)'"
            }
            if markup.kind == .condition { return "expected 'and' or 'or' between conditions, or quotes: '\(words)'" }
            return "expected quotes around a text: '\(words)'"
        }
        return nil
    }

    /// What to write for functions of other languages.
    private static let functions = [
        "isset": "!= blank", "exists": "!= blank", "defined": "!= blank", "empty": "== blank", "isempty": "== blank",
        "isblank": "== blank", "isnull": "== blank", "is_null": "== blank",
    ]

    private static let spelledOperators = [
        "is": "==", "equals": "==", "eq": "==", "ne": "!=", "gt": ">", "lt": "<", "gte": ">=", "lte": "<=",
        "like": "contains", "includes": "contains", "in": "contains",
    ]

    /// Characters by the names that HTML has for them.
    private static let entities = [
        "lt": "'<'", "gt": "'>'", "amp": "'and'", "quot": "a quote", "apos": "a quote", "nbsp": "a space",
    ]

    private var comparisonAdvice: String? { operatorAdvice(found) }

    /// A percent sign after a number, or the sign of a currency at one.
    private func unitAdvice(_ sign: String) -> String? {
        let isUnit =
            sign == "%"
            || sign.unicodeScalars.allSatisfy { $0.properties.generalCategory == .currencySymbol } && !sign.isEmpty
        guard isUnit else { return nil }
        let (before, after) = (kind(fault.index - 1), kind(fault.index + 1))
        let follows = before == .number && !tokens[fault.index].isApart
        let precedes = sign != "%" && after == .number && !tokens[fault.index + 1].isApart
        // '5 % 2' is a calculation.
        let isCalculation =
            sign == "%" && [.number, .word].contains(after) && !["and", "or"].contains(text(fault.index + 1))
        guard precedes || follows && !isCalculation else { return nil }
        return "expected the number without '\(sign)': \(text(precedes ? fault.index + 1 : fault.index - 1))"
    }

    private func operatorAdvice(_ sign: String) -> String? {
        let isCondition = markup.kind == .condition
        if sign == "&", text(fault.index + 1).hasPrefix("#") {
            let code = tokens.dropFirst(fault.index + 1).prefix { read($0) != ";" }.map(read).joined()
            return "expected the character itself in place of '&\(code);', which is HTML"
        }
        if case .when = markup.context, ["||", "|", "&&", "&"].contains(sign) { return "expected 'or' between values" }
        if let unit = unitAdvice(sign) { return unit }
        if sign == "&", let plain = Self.entities[text(fault.index + 1)] {
            return "expected \(plain) in place of '&\(text(fault.index + 1));', which is HTML"
        }
        switch sign {
        case "&&", "&": return isCondition ? "expected 'and'" : "expected {% if … and … %}"
        case "||": return isCondition ? "expected 'or'" : "expected '| default:' for what is printed instead"
        case "≥", "≤", "≠":
            let signs = ["≥": ">=", "≤": "<=", "≠": "!="]
            return "expected '\(signs[sign] ?? "==")'"
        case "!": return "expected 'unless', or a comparison such as '!= true'"
        case "?", "??":
            return isCondition
                ? "expected 'and' or 'or' and another condition"
                : sign == "??" ? "expected '| default:'" : "expected {% if … %}…{% else %}…{% endif %}"
        case "+", "++": return "expected the filter '| plus:', or '| append:' for text"
        case "-": return "expected the filter '| minus:'"
        case "*", "**": return "expected the filter '| times:'"
        case "/": return "expected the filter '| divided_by:'"
        case "//": return "expected {% comment %}…{% endcomment %} around a comment, or the filter '| divided_by:'"
        case "%":
            if fault.isInArguments, kind(fault.index + 1) == .word {
                return "expected quotes around the format: '%\(text(fault.index + 1))'"
            }
            return "expected the filter '| modulo:'"
        case "$" where text(fault.index + 1).hasPrefix("$"): return "expected one '$'"
        case "$":
            let name = tokens.dropFirst(fault.index + 1).first { $0.kind == .word }
            return "expected '${\(name.map(read) ?? "name")}' with braces"
        case ";" where fault.expected == .afterFilterName:
            return "expected a colon before the argument: '\(text(fault.index - 1)): \(text(fault.index + 1))'"
        case ";": return "expected a tag of its own for each statement"
        case "=":
            if fault.expected == .afterFilterName {
                return "expected a colon before the argument: '\(text(fault.index - 1)): \(text(fault.index + 1))'"
            }
            if case .loop = markup.context { return nil }
            if case .capture = markup.context {
                return "'capture' takes only a name, and its value up to {% endcapture %}"
            }
            return isCondition ? "expected '=='" : "expected {% assign … %}"
        default: break
        }
        if kind(fault.index) == .comparison || Self.spelledOperators[sign] != nil {
            let meant = Self.spelledOperators[sign] ?? sign
            if markup.tag == "when" || markup.tag == "case" {
                return "'when' only compares for equality, expected {% if … \(meant) … %}"
            }
            if isCondition { return "expected one operator between two values, and 'and' between comparisons" }
            return "operators belong in {% if … %}, where a variable can be set for each answer"
        }
        if kind(fault.index) == .number, found.hasPrefix("-") {
            return "expected the filter '| minus: \(found.dropFirst())'"
        }
        return nil
    }

    private func filterAdvice(_ environment: Environment) -> String? {
        if kind(fault.index) == .openSquare, fault.expected == .filterName, kind(fault.index + 1) == .number {
            return "expected '[\(text(fault.index + 1))]' directly after the name of a list"
        }
        if case .loop = markup.context {
            if fault.expected == .optionValue {
                let value = found.drop { $0 == "=" }
                let number = value.isEmpty ? text(fault.index + 1) : String(value)
                return "expected a colon: '\(text(fault.index - 1)): \(number)'"
            }
            if kind(fault.index) == .dotDot {
                return "expected parentheses around a range: (\(text(fault.index - 1))..\(text(fault.index + 1)))"
            }
        }
        if found == ",", fault.index > 0, kind(fault.index - 1) == .number, kind(fault.index + 1) == .number,
            !tokens[fault.index].isApart, !tokens[fault.index + 1].isApart
        {
            let (whole, rest) = (text(fault.index - 1), text(fault.index + 1))
            return rest.utf8.count == 3
                ? "expected a number without separators: \(whole)\(rest)" : "expected a decimal point: \(whole).\(rest)"
        }
        if found == ",", fault.expected == .end, markup.kind == .condition {
            return "expected 'or' and a whole comparison for each value"
        }
        if case .when = markup.context, fault.expected == .end { return "expected ',' or 'or' between values" }
        if case .cycle = markup.context, fault.expected == .end { return "expected a comma between values" }
        if fault.isInArguments, fault.expected == .end, [.string, .number].contains(kind(fault.index)) {
            return "expected a comma between arguments"
        }
        if kind(fault.index) == .pipe {
            if fault.expected == .filterName || fault.expected == .argument || fault.expected == .value {
                return "expected a value or the name of a filter before the bar"
            }
            switch markup.context {
            case .condition, .subject, .when, .cycle:
                return "'\(markup.tag)' takes no filters, expected {% assign v = … | … %} before it, and v here"
            case .loop:
                return text(fault.index + 1) == "reverse"
                    ? "'for' takes no filters, expected 'reversed', or {% assign %} before the loop"
                    : "'for' takes no filters, expected {% assign %} with the filter before the loop"
            default: return nil
            }
        }
        if kind(fault.index) == .comma, fault.expected == .end, environment.filterIndex(text(fault.index + 1)) != nil {
            return "expected a bar before the filter: '| \(text(fault.index + 1))'"
        }
        if fault.expected == .afterFilterName { return missingColon }
        return nil
    }

    private var missingColon: String {
        if found == "：" { return "expected the ASCII ':' in place of '：'" }
        return "expected a colon before the argument: '\(text(fault.index - 1)): \(found)'"
    }

    private var general: String {
        switch fault.expected {
        case .value, .argument: "expected a name, a number or a quoted text"
        case .filterName: "expected the name of a filter"
        case .member:
            kind(fault.index) == .number ? "expected '[\(found)]' for an element" : "expected a name after the dot"
        case .closing: "expected a closing bracket"
        case .afterFilterName: missingColon
        case .name: "expected a name"
        case .equals: "expected '='"
        case .keyword: "expected 'in'"
        case .option, .optionValue: "expected 'limit:', 'offset:' or 'reversed'"
        case .end:
            switch markup.context {
            case .condition: "expected 'and', 'or' or the end"
            case .capture: "expected one name"
            case .loop: "expected the end"
            default: "expected '|' and a filter, or the end"
            }
        }
    }
}
