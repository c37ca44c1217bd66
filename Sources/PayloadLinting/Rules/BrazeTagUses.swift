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
}

extension Rule {
    /// The rules about the markup of Braze's tags.
    static let brazeTags: [Rule] = [messageExtrasOrder, connectedContent, tagForm]

    private static let messageExtrasOrder = Rule(
        RuleID("message-extras-order", .warning, "message extras whose key does not come first"),
        source: .personalization("liquid/advanced_filters/message_extras"),
        rationale:
            "Braze reads ':key' and then ':value', and adds nothing where they come in another order or one is missing.",
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
            An address needs http:// or https://, methods are get and post, ':headers' is a JSON object, and times are \
            whole seconds. An option without its colon, which Braze takes for a part of the address, and a port that \
            Braze does not connect to are warnings. Silent for values that Liquid computes.
            """,
        failing: [
            .title("{% connected_content ⟦example.com/a⟧ :save r %}{{ r.a }}"),
            .title("{% connected_content https://example.com/a :method ⟦put⟧ :save r %}{{ r.a }}"),
        ],
        passing: [.title("{% connected_content https://example.com/a :method post :save r %}{{ r.a }}")],
        .tags("connected_content") { tag, text in tag.isReachable ? text.optionFindings(tag) : [] }
    )
}

extension LintedText {
    /// The port that an address names; nil where it names none, or Liquid makes a part of the host.
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
        // Nothing is known about a URL that begins with Liquid.
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
