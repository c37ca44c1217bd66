// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import POSIXFiles
import PayloadKit

extension RuleMessage {
    fileprivate static func blank(_ field: String, _ isNewline: Bool) -> RuleMessage {
        isNewline
            ? """
            '\(field)' contains a line break, which becomes part of the value; expected '|-' instead of '|', or one \
            line
            """
            : RuleMessage(RenderMessages.space(field))
    }
    fileprivate static func odd(_ field: String, _ text: String, _ expected: String) -> RuleMessage {
        "'\(field)' contains '\(text)', so it is not a valid URL; expected \(expected)"
    }
    fileprivate static func local(_ field: String, _ host: String) -> RuleMessage {
        "'\(field)' leads to '\(host)', which other devices do not reach; expected a public address"
    }
    fileprivate static func scheme(_ field: String, _ found: String, _ expected: String) -> RuleMessage {
        "'\(field)' begins with '\(found)', which opens nothing; expected '\(expected)'"
    }
    fileprivate static func unopened(_ field: String, _ scheme: String) -> RuleMessage {
        "'\(field)' has the scheme '\(scheme)', so a tap opens no app; expected https or a scheme of the app"
    }
    fileprivate static func type(_ suffix: String, _ type: String, _ expected: String) -> RuleMessage {
        "iOS reads the file as '\(type)', as 'type' says, but the address ends in '.\(suffix)'; expected \(expected)"
    }
    fileprivate static func sound(_ name: String, _ expected: String) -> RuleMessage {
        "iOS plays the default sound for '\(name)'; expected the name of an aiff, wav or caf file in the app, such as '\(expected)'"
    }
    fileprivate static func unescaped(_ value: String) -> RuleMessage {
        "a space or a special character in '\(value)' breaks the address, expected '| url_param_escape'"
    }
    fileprivate static let alertSound: RuleMessage =
        "'sound' inside 'alert' is only for Live Activities, so the push is silent; expected 'sound' next to 'alert'"
}

extension Rule {
    /// The rules about URLs, images and sounds.
    static let addresses: [Rule] = [addressForm, assetForm, unescapedAddress]

    private static let unescapedAddress = Rule(
        RuleID("unescaped-address", .warning, "a name or a city in an address without url_param_escape"),
        source: .connectedContent,
        rationale: """
            'New York' contains a space, a name may contain '&' or '#', and an email address '+', which is read as a \
            space. So the address is cut short, invalid or another one. The rule checks Braze's attributes that hold \
            any text, and names of campaigns, in the addresses of the push and of connected content. It is silent for \
            custom attributes, ids and codes.
            """,
        failing: [
            .push("uri: 'https://example.com/?c={{ ⟦${city}⟧ }}'"),
            .campaign("push: {title: '{% connected_content https://example.com/?c={{⟦${city}⟧}} :save r %}{{ r.a }}'}"),
        ],
        passing: [
            .push("uri: 'https://example.com/?c={{ ${city} | url_param_escape }}'"),
            .push("uri: 'https://example.com/{{ ${language} }}'"),
        ],
        .campaign { campaign in
            let uris = campaign.addresses.compactMap { campaign.text(of: $0) }.flatMap { text in
                text.parts.values.map { (text, $0.expression, $0.filters) }
            }
            let requests = campaign.templates.flatMap { text in
                text.valuesInRequests.map { (text, $0.value, $0.filters) }
            }
            return (uris + requests).compactMap { text, value, filters in
                guard let value, value.lookup.map(Self.isFreeText) ?? false,
                    !filters.contains(where: \.makesAddressable)
                else { return nil }
                return Finding(.unescaped(value.text), at: text.place(of: value.range))
            }
        }
    )

    /// Whether a Braze attribute contains text that people type freely, such as a city or a name.
    private static func isFreeText(_ lookup: LookupSyntax) -> Bool {
        switch lookup.attribute {
        case (nil, let name)?: ["city", "first_name", "last_name", "email_address"].contains(name)
        case ("campaign"?, let name)?, ("canvas"?, let name)?:
            ["name", "message_name", "variant_name"].contains(name)
        default: false
        }
    }

    private static let addressForm = Rule(
        .addressForm,
        source: "https://www.rfc-editor.org/rfc/rfc3986",
        rationale: """
            A tap on such an address opens nothing, or the wrong page. Before iOS 17, Foundation makes no URL from a \
            text with a space. The same goes for a line break at the end, which '|' in YAML keeps, for letters outside \
            of ASCII, for backslashes, and for '%' without two digits. '&amp;' separates parameters only in HTML: a \
            link needs '&'. No app is found for an address without a scheme, with a misspelt web scheme, or with a \
            scheme that has characters other than letters, digits, '+', '-' and '.'. No app opens 'javascript:' or \
            'file:', and 'localhost' is the phone itself. What Liquid prints is checked when a message is rendered, \
            but only for spaces and a missing scheme.
            """,
        failing: [
            .push("uri: 'https://example.com/?q=summer⟦ ⟧sale'"),
            .push("uri: ⟦'example.com/sale'⟧"),
            .push("uri: ⟦'htps://example.com/sale'⟧"),
            .push("uri: ⟦'bookdemo//:lab'⟧"),
            .push("uri: ⟦'javascript:history.back()'⟧"),
            .push("uri: 'book⟦_⟧demo://lab'"),
            .push("uri: 'https://example.com/?q=50⟦%⟧'"),
            .push("uri: 'https://example.com/?a=1⟦&amp;⟧b=2'"),
            .push("uri: ⟦'http://localhost:3000/sale'⟧"),
            .campaign("push:\n  title: Hi\n  uri: ⟦|\n    https://example.com/\n⟧"),
        ],
        passing: [
            .push("uri: 'https://example.com/?q=summer%20sale'"),
            .push("uri: \"bookdemo://lab?c={{ ${city} | url_param_escape }}\""),
            .push("uri: 'https://example.com/AT&T'"),
        ],
        .rendering,
        .campaign { campaign in campaign.addresses.compactMap { campaign.formFinding($0) } }
    )

    private static let assetForm = Rule(
        .assetForm,
        source: .apple("usernotifications/unnotificationattachment"),
        rationale: """
            A service extension fetches images only over https. iOS reads a file as the type that the push states, so \
            'type' has to be that of the file. Sounds are aiff, wav or caf files, in the app or in its Library/Sounds \
            folder. What Liquid prints is checked when a message is rendered, but only for images with an http \
            address. Sources: Apple, "UNNotificationAttachment" and "UNNotificationSound".
            """,
        failing: [
            .push("sound: ⟦chime.mp3⟧"),
            .push("sound: ⟦sounds/chime.caf⟧"),
            .push("image: {url: ⟦'http://example.com/a.png'⟧, type: png}"),
            .push("image: {url: 'https://example.com/a.png', type: ⟦gif⟧}"),
        ],
        passing: [.push("sound: chime.caf, image: {url: 'https://example.com/a.png', type: png}")],
        .rendering,
        .campaign { campaign in
            campaign.imageFindings + campaign.soundFindings + campaign.alertSoundFindings
        }
    )
}

extension LintedCampaign {
    /// The URLs in the push: those that a tap and its buttons open, and the URL of its image.
    var addresses: [TemplateText] {
        guard let push = campaign?.push else { return [] }
        var texts = push.buttons.compactMap(\.uri)
        if case .text(let uri)? = push["uri"] { texts.insert(uri, at: 0) }
        if let image = push.image { texts.append(image.url) }
        return texts
    }

    fileprivate func formFinding(_ text: TemplateText) -> Finding? {
        let bytes = Array(text.text.utf8)
        let field = text.field
        guard let last = bytes.last else { return nil }
        if last == UInt8(ascii: "\n") { return Finding(.blank(field, true), at: text.place) }
        let literals = text.holdsLiquid ? self.text(of: text)?.literalRanges ?? [] : [0..<bytes.count]
        for range in literals {
            if let blank = bytes[range].firstIndex(where: { $0 <= 0x20 }) {
                let isOuter = blank == 0 || bytes[blank...].allSatisfy { $0 <= 0x20 }
                let message =
                    isOuter
                    ? RuleMessage(RenderMessages.padded(field, text.text.whiteSpaceAtEnds ?? "begins with white space"))
                    : .blank(field, bytes[blank] == UInt8(ascii: "\n"))
                return Finding(message, at: text.place(of: SourceRange(blank, blank + 1)))
            }
        }
        for range in literals {
            if let (odd, expected) = oddText(in: bytes[range], endsText: range.upperBound == bytes.count) {
                let found = String(decoding: bytes[odd], as: UTF8.self)
                return Finding(.odd(field, found, expected), at: text.place(of: SourceRange(odd)))
            }
        }
        guard let first = literals.first, first.lowerBound == 0 else { return nil }
        let start = String(decoding: bytes[first], as: UTF8.self)
        if let colon = start.firstIndex(of: ":") {
            let fault = Self.schemeFault(String(start[..<colon]), String(start[colon...].dropFirst()))
            if let fault { return Finding(.scheme(field, fault.found, fault.expected), at: text.place) }
            let scheme = start[..<colon].lowercased()
            if Self.unopenedSchemes.contains(scheme), text.field != campaign?.push.image?.url.field {
                return Finding(.unopened(field, scheme), at: text.place)
            }
            return LocalHost.name(in: start).map { Finding(.local(field, $0), at: text.place) }
        }
        guard !text.holdsLiquid || start.contains("/") else { return nil }
        let message = RenderMessages.noScheme(field, text.holdsLiquid ? start + "…" : text.text)
        return Finding("\(message)", at: text.place)
    }

    /// URL schemes that the system never passes to an app.
    private static let unopenedSchemes: Set<String> = ["javascript", "data", "file", "about", "blob", "ftp"]

    /// Finds a misplaced colon in any scheme or a misspelling of `https://` or `http://`, and returns it with the text
    /// that was probably meant.
    private static func schemeFault(_ scheme: String, _ rest: String) -> (found: String, expected: String)? {
        if scheme.hasSuffix("//"), scheme.count > 2 { return (scheme + ":", scheme.dropLast(2) + "://") }
        let lower = scheme.lowercased()
        let web = ["https", "http"]
        guard let meant = web.contains(lower) ? lower : nearestName(to: lower, in: web), lower.utf8.count > 3 else {
            return nil
        }
        let slashes = String(rest.prefix { $0 == "/" })
        let host = rest.dropFirst(slashes.count)
        if lower != meant || slashes.count != 2 { return ("\(scheme):\(slashes)", "\(meant)://") }
        let second = web.first { host.lowercased().hasPrefix($0 + "://") || host.lowercased().hasPrefix($0 + "//") }
        return second.map { ("\(scheme)://\($0)…", "\($0)://") }
    }

    /// The first characters in a literal part of a URL that are not allowed there, with what is expected instead.
    ///
    /// Source: RFC 3986.
    private func oddText(in bytes: ArraySlice<UInt8>, endsText: Bool) -> (Range<Int>, expected: String)? {
        let scheme = bytes.startIndex == 0 ? bytes.firstRange(ofBytes: "://".utf8).map { bytes[..<$0.lowerBound] } : nil
        if let scheme, !scheme.contains(where: { "/?#".utf8.contains($0) }),
            let odd = scheme.firstIndex(where: { $0 < 0x80 && !$0.isLetter && !$0.isDigit && !"+-.".utf8.contains($0) })
        {
            return (odd..<odd + 1, "letters, digits, '+', '-' and '.' in the scheme")
        }
        for index in bytes.indices {
            let byte = bytes[index]
            if byte == UInt8(ascii: "&"), bytes[index...].starts(with: "&amp;".utf8) {
                return (index..<index + 5, "'&'")
            }
            if byte == UInt8(ascii: "%") {
                let digits = bytes[(index + 1)...].prefix(2)
                // Liquid after this part may print the missing digits.
                if digits.allSatisfy(\.isHexadecimal), digits.count == 2 || !endsText { continue }
                return (index..<digits.endIndex, "'%25' for a percent sign")
            }
            guard byte >= 0x80 || "\\|^`<>\"{}".utf8.contains(byte) else { continue }
            let end = bytes[(index + 1)...].prefix { $0 & 0xC0 == 0x80 }.endIndex
            let encoded = bytes[index..<end].map { "%" + String($0, radix: 16, uppercase: true) }.joined()
            return (index..<end, "'\(byte == UInt8(ascii: "\\") ? "/" : encoded)'")
        }
        return nil
    }

    fileprivate var imageFindings: [Finding] {
        guard let image = campaign?.push.image else { return [] }
        var found: [Finding] = []
        let text = image.url.text
        if text.lowercased().hasPrefix("http://") {
            found.append(Finding("\(RenderMessages.insecure(image.url.field))", at: image.url.place))
        }
        let path = text.prefix { $0 != "?" && $0 != "#" }
        guard let place = image.type.place, !image.url.holdsLiquid || path.last != "}",
            let dot = path.lastIndex(of: ".")
        else { return found }
        let suffix = path[path.index(after: dot)...].lowercased()
        let type = image.type.value
        let known = ["jpeg": "jpg", "aiff": "aif", "aifc": "aif"][suffix] ?? suffix
        if let meant = PushMessage.FileType(rawValue: known) {
            if meant != type { found.append(Finding(.type(suffix, type.rawValue, "'\(suffix)'"), at: place)) }
        } else if ["webp", "svg", "heic", "avif", "bmp", "tiff", "pdf", "mov", "webm", "ogg"].contains(suffix) {
            let types = PushMessage.FileType.allCases.map(\.rawValue).joined(separator: ", ")
            found.append(Finding(.type(suffix, type.rawValue, "a file of one of the types \(types)"), at: place))
        }
        return found
    }

    /// The finding about a push that sets `alert_sound`, which only Live Activities use, but no `sound`.
    fileprivate var alertSoundFindings: [Finding] {
        guard let push = campaign?.push, let place = push["alert_sound"]?.place, push["sound"] == nil else { return [] }
        return [Finding(.alertSound, at: place)]
    }

    fileprivate var soundFindings: [Finding] {
        let text: TemplateText
        switch campaign?.push["sound"] {
        case .text(let sound)?: text = sound
        case .members(let members, _)?:
            guard case .text(let name)?? = members.first else { return [] }
            text = name
        default: return []
        }
        guard !text.holdsLiquid, !text.text.isEmpty, text.text != "default" else { return [] }
        let name = text.text.split(separator: "/").last.map(String.init) ?? text.text
        let base = name.split(separator: ".").first.map(String.init) ?? name
        let isPlayed = ["aiff", "aif", "aifc", "wav", "caf"].contains { name.lowercased().hasSuffix("." + $0) }
        return isPlayed && name == text.text
            ? [] : [Finding(.sound(text.text, isPlayed ? name : base + ".caf"), at: text.place)]
    }
}

extension FilterSyntax {
    /// Whether the filter returns text that is safe in an address: escaped text or a digest.
    fileprivate var makesAddressable: Bool {
        ["url_param_escape", "url_escape", "url_encode", "md5"].contains(name)
            || name.hasPrefix("sha") || name.hasPrefix("hmac_")
    }
}

extension LintedText {
    /// The values that are printed in the addresses of connected content, with their filters.
    fileprivate var valuesInRequests: [(value: ExpressionSyntax?, filters: [FilterSyntax])] {
        let addresses = uses(of: "connected_content").filter(\.isReachable).compactMap { words(of: $0).first?.range }
        guard !addresses.isEmpty else { return [] }
        let ranges = Intervals(addresses.map(\.offsets))
        let values = parts.tags.filter { $0.name.text == "connected_content" }.flatMap(\.expressions)
        return values.filter { ranges.covers($0.range) }.map { value in
            if case .output(let markup) = value.kind { (markup.expression, markup.filters) } else { (value, []) }
        }
    }

    /// The ranges of text outside all tags, which are always printed as written.
    var literalRanges: [Range<Int>] {
        parts.nodes.compactMap { node in
            guard case .text = node.syntax.kind, node.ancestors.isEmpty else { return nil }
            return node.syntax.range.offsets
        }
    }
}
