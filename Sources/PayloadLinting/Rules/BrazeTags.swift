// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import JSONTexts
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static let extras: RuleMessage =
        "'message_extras' adds nothing in this form, expected ':key' first and then ':value'"
    fileprivate static func scheme(_ url: String) -> RuleMessage {
        "the address '\(url)' of connected content has no scheme, so the message fails; expected 'https://\(url)'"
    }
    fileprivate static func method(_ method: String) -> RuleMessage {
        "connected content has no method '\(method)', so the message fails; expected get or post"
    }
    fileprivate static func seconds(_ option: String, _ value: String) -> RuleMessage {
        "'\(option)' is '\(value)', so the message fails; expected a number of seconds"
    }
    fileprivate static func name(_ value: String) -> RuleMessage {
        "':save' takes a name of letters, digits and underscores that does not begin with a digit, found '\(value)'"
    }
    fileprivate static func noColon(_ option: String) -> RuleMessage {
        "'\(option)' without a colon is part of the address, expected ':\(option)'"
    }
    fileprivate static let credentials: RuleMessage =
        "the address contains a user and a password, which everybody reads here; expected credentials stored at Braze and ':basic_auth NAME'"
    fileprivate static func local(_ host: String) -> RuleMessage {
        "Braze cannot reach '\(host)', expected a public address"
    }
    fileprivate static func port(_ port: String) -> RuleMessage {
        "Braze connects to the ports 80 and 443 only, found \(port)"
    }
    fileprivate static func parentheses(_ tag: String) -> RuleMessage {
        "Braze writes '\(tag)' with parentheses around the quoted text: {% \(tag)('…') %}"
    }
    fileprivate static func catalog(_ tag: String, _ found: String) -> RuleMessage {
        "'\(found)' is taken for the name of a catalog; expected names with spaces between them, without parentheses or quotes: {% \(tag) games g1 %}"
    }
    fileprivate static func withoutBraces(_ value: String) -> RuleMessage {
        "'\(value)' is taken for an id as it is written, expected braces around a value: {{\(value)}}"
    }
    fileprivate static func comma(_ id: String) -> RuleMessage {
        "the comma is taken for a part of the id '\(id)', expected ids with spaces between them"
    }
    fileprivate static func quotes(_ option: String, _ value: String) -> RuleMessage {
        "the quotes of \(value) are a part of the \(option) and are sent with it; expected \(value.filter { $0 != "'" && $0 != "\"" }) without quotes"
    }
    fileprivate static func random(_ found: String) -> RuleMessage {
        """
        'random' takes one whole number above 0 and prints a number below it, found '\(found)'; expected \
        {% random 10 %}
        """
    }
    fileprivate static func space(_ word: String) -> RuleMessage {
        "the space before '\(word)' is a part of the address; expected '%20', or ':' before the name of an option"
    }
    fileprivate static func headers(_ text: String) -> RuleMessage {
        "the headers are not JSON: '\(text)'; expected an object with double quotes, such as {\"X-Key\": \"abc\"}"
    }
    fileprivate static let bodyWithSpaces: RuleMessage =
        "the body ends at its first space, expected JSON without spaces, or {% capture %} and ':body {{name}}'"
    fileprivate static let bodyWithoutMethod: RuleMessage =
        "':body' is sent only with ':method post', and this request has no method"
    fileprivate static func twice(_ option: String) -> RuleMessage {
        "the option '\(option)' occurs twice, and only one of them counts"
    }
    fileprivate static let noList: RuleMessage =
        "'promotion' has no name of a list of codes, so Braze sends no message; expected {% promotion('…') %}"
    fileprivate static func status(_ name: String, _ response: String) -> RuleMessage {
        "Braze puts the status of a response into '\(response).__http_status_code__', found '\(name)'"
    }
    fileprivate static func nested(_ id: String) -> RuleMessage {
        "the translation '\(id)' is inside of another one, which Braze does not allow; expected one after the other"
    }
    fileprivate static func sameID(_ id: String) -> RuleMessage {
        "the translation '\(id)' occurs twice with different texts, and ids are unique in a message; expected another id"
    }
    fileprivate static func blockName(_ name: String) -> RuleMessage {
        "'\(name)' cannot be the name of a content block at Braze, which takes letters, digits, '-' and '_'"
    }
    fileprivate static func notRendered(_ tag: String) -> RuleMessage {
        "the Liquid in this field is printed as it is written, as '\(tag)' has no ':rerender'; expected ':rerender' at the tag, or text without Liquid"
    }
}

extension Rule {
    /// The rules about the markup of Braze's tags.
    static let brazeTags: [Rule] = [messageExtrasOrder, connectedContent, tagForm]

    private static let messageExtrasOrder = Rule(
        RuleID("message-extras-order", .warning, "message extras whose key does not come first"),
        source: .personalization("liquid/advanced_filters/message_extras"),
        rationale: """
            Braze reads ':key' and then ':value'. If the order is another one, or one of the two is missing, Braze \
            adds nothing.
            """,
        failing: [.title("Hi⟦{% message_extras :value 1 :key test %}⟧")],
        passing: [.title("Hi{% message_extras :key test :value 1 %}")],
        .tags("message_extras") { tag, text in
            let words = text.words(of: tag).map(\.text)
            let isRight = words.first == ":key" && words.dropFirst(2).contains(":value") && words.last != ":value"
            return isRight ? [] : [Finding(.extras, at: text.place(of: tag.range))]
        }
    )

    private static let connectedContent = Rule(
        RuleID("connected-content", .error, "connected content that fails whatever the response is"),
        source: .connectedContent,
        rationale: """
            An address needs http:// or https://, and the method has to be get or post. ':headers' is a JSON object, \
            and times are whole seconds. Two faults are warnings: an option without its colon, which Braze takes for a \
            part of the address, and a port that Braze does not connect to. The rule is silent for values that Liquid \
            computes.
            """,
        failing: [
            .title("{% connected_content ⟦example.com/a⟧ :save r %}{{ r.a }}"),
            .title("{% connected_content ⟦https://me:secret@example.com/⟧ :save r %}{{ r.a }}"),
            .title("{% connected_content https://example.com/a :method ⟦put⟧ :save r %}{{ r.a }}"),
        ],
        passing: [.title("{% connected_content https://example.com/a :method post :save r %}{{ r.a }}")],
        .tags("connected_content") { tag, text in tag.isReachable ? text.optionFindings(tag) : [] }
    )

    static let tagForm = Rule(
        RuleID("tag-form", .warning, "markup of a Braze tag that does not mean what it seems to"),
        source: .abortingMessages,
        rationale: """
            Most tags of Braze take their markup as text. So quotes and parentheses, which other tags need, become a \
            part of a name or an address. The status of a response is in '__http_status_code__'. Headers of connected \
            content are JSON, and a body needs a method. A limit of 'random' that is not a whole number fails, which \
            is an error. The rule is silent for what Liquid computes, and for a field such as 'status_code' that the \
            responses in the fixtures have.
            """,
        failing: [
            .title("{% if ${city} == blank %}⟦{% abort_message 'no city' %}⟧{% endif %}Hi"),
            .title("Hi{% message_extras :key ⟦'name'⟧ :value test %}"),
            .title("Hi {% random ⟦(1..9)⟧ %}"),
            .title("{% catalog_items games ⟦custom_attribute.${g}⟧ %}{{ items[0].title }}"),
            .title("{% catalog_items games ⟦g1,⟧ g2 %}{{ items[1].title }}"),
            .title("Hi ⟦{% promotion('') %}⟧"),
            .title("{% connected_content https://example.com/ :headers ⟦{X-Key: abc}⟧ :save r %}{{ r.a }}"),
            .title("{% connected_content https://example.com/ :method post :body ⟦{\"a\":⟧ 1} :save r %}{{ r.a }}"),
            .title("{% connected_content https://example.com/?q=a ⟦b⟧ :save r %}{{ r.a }}"),
            .title("{% connected_content https://example.com/ :save r %}{% if ⟦r.http_status⟧ == 200 %}Hi{% endif %}"),
        ],
        passing: [
            .title("{% if ${city} == blank %}{% abort_message ('no city') %}{% endif %}Hi"),
            .title("Hi{% message_extras :key name :value a test %}"),
            .title(
                "{% connected_content https://example.com/ :save r %}{% if r.__http_status_code__ == 200 %}Hi{% endif %}"
            ),
        ],
        .campaign { campaign in
            let fields = campaign.responseFields
            return campaign.templates.flatMap { text in
                text.analysis.tags.filter(\.isReachable).flatMap { text.formFindings($0) } + text.statusFindings(fields)
            }
        }
    )

    /// The rules about Liquid in catalogs, ids of translations and names of content blocks.
    static let responses: [Rule] = [liquidInData, translationID, blockName]

    private static let translationID = Rule(
        RuleID("translation-id", .warning, "a translation inside of another one, or with the id of another one"),
        source: .translations,
        rationale: """
            Braze finds a translation by its id, which is unique in a message. A translation inside of another one is \
            an error, because Braze does not support it. The rule is silent for an id that occurs again with the same \
            text.
            """,
        failing: [.title("{% translation a %}Hi{% endtranslation %}⟦{% translation a %}⟧Bye{% endtranslation %}")],
        passing: [.title("{% translation a %}Hi{% endtranslation %}{% translation b %}Bye{% endtranslation %}")],
        .campaign { campaign in
            var texts: [String: [UInt8]] = [:]
            return campaign.texts.filter(\.isWhole).flatMap { $0.translationFindings(&texts) }
        }
    )

    private static let blockName = Rule(
        RuleID("block-name", .warning, "a name of a content block that Braze does not allow"),
        source: .contentBlocks,
        rationale:
            "At Braze, names consist of letters, digits, '-' and '_'. The rule is silent for names that Liquid makes.",
        failing: [.blocks("Hi {{content_blocks.${⟦my footer⟧}}}", ["my footer": "Bye"])],
        passing: [.blocks("Hi {{content_blocks.${my_footer}}}", ["my_footer": "Bye"])],
        .campaign { campaign in
            campaign.texts.flatMap { text in
                text.blockUses.compactMap { use -> Finding? in
                    let isName = use.name.utf8.allSatisfy(\.isNameByte)
                    guard !isName, !use.name.contains("{"), campaign.holds(block: use.name) else { return nil }
                    return Finding(.blockName(use.name), at: text.place(of: use.range))
                }
            }
        }
    )

    static let liquidInData = Rule(
        RuleID("liquid-in-data", .warning, "Liquid in an item of a catalog, which is not rendered", set: .strict),
        source: .catalogs,
        rationale: """
            Without ':rerender', Liquid in an item is not rendered, so users read the braces. The rule is silent for \
            fields without Liquid, and for items that a tag with ':rerender' reads.
            """,
        failing: [
            .fixtures(
                "{% catalog_items games g1 %}{{ items[0].name }}",
                "catalogs:\n  games: {g1: {name: ⟦'Go, {{ ${first_name} }}'⟧}}\n")
        ],
        passing: [
            .fixtures(
                "{% catalog_items games g1 :rerender %}{{ items[0].name }}{{ ${first_name} }}",
                "catalogs:\n  games: {g1: {name: 'Go, {{ ${first_name} }}'}}\n")
        ],
        .campaign { campaign in
            guard let (file, root) = campaign.campaign?.fixturesDocument else { return [] }
            let rendered = Set(campaign.rerendered.map { $0.source.range.start })
            return campaign.fixtureRequests.catalogMembers(in: root).flatMap { kind, _, member in
                let tag = kind == .catalog ? "catalog_items" : "catalog_selection_items"
                return member.value.texts(in: file, field: member.name).filter { text in
                    !rendered.contains(text.range.start) && ["{{", "{%"].contains(where: text.text.holds)
                }.map { Finding(.notRendered(tag), at: $0.place) }
            }
        }
    )
}

extension LintedText {
    /// The port in an HTTP address; nil if the address has none or if Liquid produces a part of the host.
    private static func port(of url: String) -> String? {
        let scheme = ["https://", "http://"].first { url.hasPrefix($0) }
        guard let scheme else { return nil }
        let host = url.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
        guard !host.contains("{"), let colon = host.lastIndex(of: ":") else { return nil }
        let port = host[host.index(after: colon)...]
        return !port.isEmpty && port.allSatisfy(\.isNumber) ? String(port) : nil
    }

    fileprivate func optionFindings(_ tag: TagUse) -> [Finding] {
        let words = words(of: tag)
        guard let url = words.first else { return [] }
        var found: [Finding] = []
        // The scheme is not known if the URL begins with Liquid or a quotation mark.
        if !url.text.hasPrefix("{{"), !url.text.hasPrefix("${"), !url.text.hasPrefix("'"), !url.text.hasPrefix("\""),
            !url.text.hasPrefix("http://"), !url.text.hasPrefix("https://"),
            !url.text.holds("${")
                || url.text.prefix(while: { $0 != "$" }).contains("/")
        {
            found.append(Finding(.scheme(url.text), at: place(of: url.range)))
        }
        for word in words.dropFirst().prefix(while: { !$0.text.hasPrefix(":") })
        where Self.contentOptions.contains(word.text) {
            found.append(Finding(.noColon(word.text), at: place(of: word.range), severity: .warning))
        }
        if url.text.hasPrefix("http"), let at = url.text.firstIndex(of: "@"),
            !url.text[..<at].dropFirst("https://".count).contains(where: { "/?#{$".contains($0) })
        {
            found.append(Finding(.credentials, at: place(of: url.range), severity: .warning))
        }
        if let host = LocalHost.name(in: url.text) {
            found.append(Finding(.local(host), at: place(of: url.range), severity: .warning))
        } else if let port = Self.port(of: url.text), port != "80", port != "443" {
            found.append(Finding(.port(port), at: place(of: url.range), severity: .warning))
        }
        for (option, value) in zip(words.dropFirst(), words.dropFirst(2))
        where !Self.isMade(value.text) && !value.text.hasPrefix(":") {
            switch option.text {
            case ":method" where !["get", "post"].contains(value.text.lowercased()):
                found.append(Finding(.method(value.text), at: place(of: value.range)))
            case ":cache_max_age", ":cache":
                guard Int(value.text).map({ $0 < 0 }) ?? true else { continue }
                found.append(Finding(.seconds(option.text, value.text), at: place(of: value.range)))
            case ":save":
                let isName = value.text.utf8.allSatisfy(\.isWordByte)
                guard !isName || value.text.first?.isNumber ?? false else { continue }
                found.append(Finding(.name(value.text), at: place(of: value.range)))
            default: break
            }
        }
        return found
    }
}

extension LintedCampaign {
    /// The names of the fields in all connected content responses of the fixtures.
    fileprivate var responseFields: Set<String> {
        let responses = campaign?.fixturesDocument?.root["connected_content"]?.elements ?? []
        return Set(responses.flatMap { $0["body"]?.members ?? [] }.map(\.name))
    }
}

extension LintedText {
    /// The options of connected content.
    static let contentOptions: Set<String> = [
        "save", "method", "body", "headers", "content_type", "basic_auth", "auth_credentials", "cache_max_age", "cache",
        "no_cache", "retry", "rerender",
    ]

    private static func isQuoted(_ text: String) -> Bool {
        text.utf8.count > 1 && (text.first == "'" || text.first == "\"")
    }

    /// Whether Liquid produces a part of a text inside a tag.
    static func isMade(_ text: String) -> Bool { text.holds("{{") || text.holds("${") }

    fileprivate func formFindings(_ tag: TagUse) -> [Finding] {
        let words = words(of: tag)
        guard let first = words.first else { return [] }
        switch tag.name {
        case "promotion" where ["('')", "(\"\")"].contains(words.map(\.text).joined()):
            return [Finding(.noList, at: place(of: tag.range), severity: .error)]
        case "abort_message", "promotion":
            guard Self.isQuoted(first.text) else { return [] }
            return [Finding(.parentheses(tag.name), at: place(of: tag.range))]
        case "catalog_items", "catalog_selection_items":
            if first.text.hasPrefix("(") || Self.isQuoted(first.text) {
                return [Finding(.catalog(tag.name, first.text), at: place(of: first.range))]
            }
            return words.dropFirst().compactMap { word in
                if word.text.holds("${"), !word.text.holds("{{") {
                    return Finding(.withoutBraces(word.text), at: place(of: word.range))
                }
                guard word.text.hasSuffix(","), !Self.isMade(word.text) else { return nil }
                return Finding(.comma(word.text), at: place(of: word.range))
            }
        case "random":
            guard let start = first.text.utf8.first, start.isDigit || "-+'\"([.".utf8.contains(start),
                Int(first.text).map({ $0 < 1 }) ?? true
            else { return [] }
            return [Finding(.random(first.text), at: place(of: first.range), severity: .error)]
        case "message_extras":
            return zip(words, words.dropFirst()).compactMap { option, value in
                guard [":key", ":value"].contains(option.text), Self.isQuoted(value.text), !Self.isMade(value.text)
                else { return nil }
                return Finding(.quotes(String(option.text.dropFirst()), value.text), at: place(of: value.range))
            }
        case "connected_content":
            let options = optionFindings(words)
            guard !Self.isQuoted(first.text), !Self.isMade(first.text) else { return options }
            let rest = words.dropFirst().prefix { !$0.text.hasPrefix(":") }
            let isOption = rest.contains { Self.contentOptions.contains($0.text.filter { $0 != ":" && $0 != "=" }) }
            guard let word = rest.first, !isOption, !Self.isMade(word.text) else { return options }
            return [Finding(.space(word.text), at: place(of: word.range))] + options
        default: return []
        }
    }

    /// The findings about the options of connected content.
    private func optionFindings(_ words: [Word]) -> [Finding] {
        func isOption(_ word: Word) -> Bool {
            word.text.hasPrefix(":") && Self.contentOptions.contains(String(word.text.dropFirst()))
        }
        var found: [Finding] = []
        for (index, word) in words.enumerated() where isOption(word) {
            if words[..<index].contains(where: { $0.text == word.text }) {
                found.append(Finding(.twice(word.text), at: place(of: word.range)))
            }
            let values = words[(index + 1)...].prefix { !isOption($0) }
            guard let first = values.first, let last = values.last else { continue }
            let range = SourceRange(start: first.range.start, end: last.range.end)
            let text = String(decoding: bytes[range.offsets], as: UTF8.self)
            switch word.text {
            case ":body"
            where values.count > 1 && text.hasPrefix("{") && !["{{", "{%"].contains(where: text.hasPrefix):
                found.append(Finding(.bodyWithSpaces, at: place(of: first.range)))
            case ":headers" where !Self.isMade(text) && !text.holds("{%"):
                let document = try? JSONDocument(SourceFile(path: "headers", text: text))
                if document?.root.kind != .object { found.append(Finding(.headers(text), at: place(of: range))) }
            default: break
            }
        }
        if let body = words.first(where: { $0.text == ":body" }), !words.contains(where: { $0.text == ":method" }) {
            found.append(Finding(.bodyWithoutMethod, at: place(of: body.range)))
        }
        return found
    }

    /// The findings about reads that use a wrong name for the HTTP status of a response.
    fileprivate func statusFindings(_ fields: Set<String>) -> [Finding] {
        let saved = Set(uses(of: "connected_content").compactMap { savedName(of: $0) })
        guard !saved.isEmpty else { return [] }
        return analysis.reads.compactMap { read in
            guard case .name(let name) = read.path.root, saved.contains(name) else { return nil }
            let text = read.path.description
            let member = String(text.dropFirst(name.count + 1))
            guard text.hasPrefix(name + "."), !fields.contains(member), member != "__http_status_code__" else {
                return nil
            }
            let plain = member.lowercased().filter { $0 != "_" }
            guard ["httpstatus", "httpstatuscode", "statuscode", "httpcode"].contains(plain) else { return nil }
            return Finding(.status(text, name), at: place(of: read.range))
        }
    }
}

extension LintedCampaign {
    fileprivate func holds(block name: String) -> Bool {
        blocks.contains { $0.source.field == "content_blocks.\(name)" }
    }
}

extension LintedText {
    fileprivate func translationFindings(_ texts: inout [String: [UInt8]]) -> [Finding] {
        parts.nodes.compactMap { node in
            guard let tag = node.syntax.tag, tag.isTranslation, let id = Self.id(tag, bytes) else { return nil }
            let body = tag.blocks.flatMap(\.nodes).flatMap { bytes[$0.range.offsets] }
            let first = texts[id]
            texts[id] = first ?? body
            if node.ancestors.contains(where: \.isTranslation) {
                return Finding(.nested(id), at: place(of: tag.range), severity: .error)
            }
            return first.map { $0 == body } ?? true ? nil : Finding(.sameID(id), at: place(of: tag.range))
        }
    }

    /// The id of a translation: the word after the name of the tag.
    private static func id(_ tag: TagSyntax, _ bytes: [UInt8]) -> String? {
        let markup = bytes[Int(tag.name.range.end)..<Int(tag.range.end)]
        let word = markup.drop { $0 <= 0x20 }.prefix { $0 > 0x20 && $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: "-") }
        return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
    }
}

extension TagSyntax {
    fileprivate var isTranslation: Bool { name.text == "translation" }
}
