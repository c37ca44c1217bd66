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
    fileprivate static func outerBlank(_ field: String, isFirst: Bool) -> RuleMessage {
        "'\(field)' \(isFirst ? "begins" : "ends") with a space, so it is not a valid URL; expected it without the space"
    }
    fileprivate static func noScheme(_ field: String, _ text: String) -> RuleMessage {
        RuleMessage(RenderMessages.noScheme(field, text))
    }
    fileprivate static func schemeSign(_ field: String, _ scheme: String, _ sign: String) -> RuleMessage {
        "'\(field)' has '\(sign)' in its scheme '\(scheme)', so it is not a valid URL; a scheme has only letters, digits, '+', '-' and '.'"
    }
    fileprivate static func backslash(_ field: String) -> RuleMessage {
        "'\(field)' contains a backslash, so it is not a valid URL; expected '/'"
    }
    fileprivate static func percent(_ field: String, _ text: String) -> RuleMessage {
        "'\(field)' contains '\(text)', where '%' has to begin two hexadecimal digits; expected '%25' for a percent sign"
    }
    fileprivate static func entity(_ field: String) -> RuleMessage {
        "'\(field)' contains '&amp;', which is '&' in HTML only; expected '&'"
    }
    fileprivate static func local(_ field: String, _ host: String) -> RuleMessage {
        "'\(field)' leads to '\(host)', which other devices do not reach; expected a public address"
    }
    fileprivate static func letter(_ field: String, _ text: String) -> RuleMessage {
        let encoded = text.utf8.map { "%" + String($0, radix: 16, uppercase: true) }.joined()
        return "'\(field)' contains '\(text)', so it is not a valid URL before iOS 17; expected '\(encoded)'"
    }
    fileprivate static func scheme(_ field: String, _ found: String, _ expected: String) -> RuleMessage {
        "'\(field)' begins with '\(found)', which opens nothing; expected '\(expected)'"
    }
    fileprivate static func unopened(_ field: String, _ scheme: String) -> RuleMessage {
        "'\(field)' has the scheme '\(scheme)', which a tap opens in no app; expected https or a scheme of the app"
    }
    fileprivate static func insecure(_ field: String) -> RuleMessage {
        RuleMessage(RenderMessages.insecure(field))
    }
    fileprivate static func type(_ suffix: String, _ type: String) -> RuleMessage {
        "the address ends in '.\(suffix)' and the type is '\(type)', by which iOS reads the file; expected '\(suffix)'"
    }
    fileprivate static func otherType(_ suffix: String, _ type: String, _ types: String) -> RuleMessage {
        "the address ends in '.\(suffix)' and the type is '\(type)', by which iOS reads the file; expected a file of one of the types \(types)"
    }
    fileprivate static func sound(_ name: String) -> RuleMessage {
        "iOS plays only aiff, wav and caf files; for '\(name)' it plays the default sound"
    }
    fileprivate static func noSuffix(_ name: String) -> RuleMessage {
        "the sound '\(name)' has no file type, expected the name of a file in the app such as '\(name).caf', or 'default'"
    }
    fileprivate static func folder(_ name: String, _ file: String) -> RuleMessage {
        "'\(name)' contains a folder, and iOS looks for the name of a file in the app; expected '\(file)'"
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
        RuleDescription(
            RuleID("unescaped-address", .warning, "a name or a city in an address without url_param_escape"),
            name: "Unescaped address",
            source: .connectedContent,
            rationale: """
                'New York' contains a space, a name may contain '&' or '#', and an email address '+', which is read as a \
                space: the address is cut short, invalid or another one. \
                The rule checks Braze's attributes that hold any text, and names of campaigns, in the addresses of the \
                push and of connected content. Silent for custom attributes, ids and codes.
                """,
            failing: [
                .campaign("push: {title: Hi, uri: 'https://example.com/?c={{ ⟦${city}⟧ }}'}"),
                .campaign(
                    "push: {title: '{% connected_content https://example.com/?c={{⟦${city}⟧}} :save r %}{{ r.a }}'}"),
            ],
            passing: [
                .campaign("push: {title: Hi, uri: 'https://example.com/?c={{ ${city} | url_param_escape }}'}"),
                .campaign("push: {title: Hi, uri: 'https://example.com/{{ ${language} }}'}"),
            ]
        ),
        .campaign { campaign in
            let uris = campaign.addresses.compactMap { campaign.text(of: $0) }.flatMap { text in
                text.markups.map { (text, $0.expression, Array($0.filters)) }
            }
            let requests = campaign.templates.flatMap { text in
                text.valuesInRequests.map { (text, $0.value, $0.filters) }
            }
            return (uris + requests).compactMap { text, value, filters in
                guard let value, value.lookup.map(Self.isFreeText) ?? false,
                    !filters.contains(where: \.makesAddressable)
                else { return nil }
                return Finding(.unescaped(LaxText.text(value)), at: text.place(of: value.range))
            }
        }
    )

    /// Whether an attribute of Braze contains text that people have typed.
    private static func isFreeText(_ lookup: LookupSyntax) -> Bool {
        let steps = Array(lookup.steps)
        switch lookup.root {
        case .attribute(let name):
            return steps.isEmpty && ["city", "first_name", "last_name", "email_address"].contains(name)
        case .name("campaign"), .name("canvas"):
            guard steps.count == 1, case .attribute(let name) = steps[0].kind else { return false }
            return ["name", "message_name", "variant_name"].contains(name)
        default: return false
        }
    }

    private static let addressForm = Rule(
        RuleDescription(
            .addressForm,
            name: "Form of an address",
            source: .uris,
            rationale: """
                Before iOS 17, Foundation does not create a URL from text with a space, so a tap opens nothing; a \
                line break at the end, which '|' in YAML keeps, has the same effect, and so have letters outside of ASCII, \
                backslashes, and '%' without two digits. '&amp;' separates parameters only in HTML. Without a scheme, with one that has other signs than letters, \
                digits, '+', '-' and '.', or with a misspelt web scheme, no app is found, none opens 'javascript:' or 'file:', and \
                'localhost' is the phone itself. What Liquid prints is checked when a message is rendered, for spaces and a \
                missing scheme alone.
                """,
            failing: [
                .campaign("push: {title: Hi, uri: 'https://example.com/?q=summer⟦ ⟧sale'}"),
                .campaign("push: {title: Hi, uri: ⟦'example.com/sale'⟧}"),
                .campaign("push: {title: Hi, uri: ⟦'htps://example.com/sale'⟧}"),
                .campaign("push: {title: Hi, uri: ⟦'javascript:history.back()'⟧}"),
                .campaign("push: {title: Hi, uri: 'book⟦_⟧demo://lab'}"),
                .campaign("push: {title: Hi, uri: 'https://example.com/?q=50⟦%⟧'}"),
                .campaign("push: {title: Hi, uri: 'https://example.com/?a=1⟦&amp;⟧b=2'}"),
                .campaign("push: {title: Hi, uri: ⟦'http://localhost:3000/sale'⟧}"),
                .campaign("push: {title: Hi, uri: ⟦'http://[::1]:3000/sale'⟧}"),
                .campaign("push: {title: Hi, uri: \"{{ custom_attribute.${u} | default: ⟦'example.com'⟧ }}\"}"),
                .campaign("push:\n  title: Hi\n  uri: ⟦|\n    https://example.com/\n⟧"),
            ],
            passing: [
                .campaign("push: {title: Hi, uri: 'https://example.com/?q=summer%20sale'}"),
                .campaign("push: {title: Hi, uri: \"bookdemo://lab?c={{ ${city} | url_param_escape }}\"}"),
                .campaign("push: {title: Hi, uri: 'https://example.com/AT&T'}"),
            ]
        ),
        .rendering,
        .campaign { campaign in campaign.addresses.compactMap { campaign.formFinding($0) } }
    )

    private static let assetForm = Rule(
        RuleDescription(
            .assetForm,
            name: "Form of an image or sound",
            source: .attachments,
            rationale: """
                A service extension fetches images only over https, and iOS reads a file as the type that the push \
                states. Sounds are aiff, wav or caf files in the app or in its Library/Sounds folder. Of what Liquid prints, \
                only whether an image has an http address is checked, when a message is rendered. Sources: Apple, "UNNotificationAttachment" and "UNNotificationSound".
                """,
            failing: [
                .campaign("push: {title: Hi, sound: ⟦chime.mp3⟧}"),
                .campaign("push: {title: Hi, sound: ⟦sounds/chime.caf⟧}"),
                .campaign("push: {title: Hi, image: {url: ⟦'http://example.com/a.png'⟧, type: png}}"),
                .campaign("push: {title: Hi, image: {url: 'https://example.com/a.png', type: ⟦gif⟧}}"),
            ],
            passing: [
                .campaign("push: {title: Hi, sound: chime.caf, image: {url: 'https://example.com/a.png', type: png}}")
            ]
        ),
        .rendering,
        .campaign { campaign in
            campaign.imageFindings + campaign.soundFindings + campaign.alertSoundFindings
        }
    )
}

extension LintedCampaign {
    /// The URLs of the message: those that a tap and the buttons open, and that of the image.
    var addresses: [TemplateText] {
        guard let push = campaign?.push else { return [] }
        var texts = push.buttons.compactMap(\.uri)
        if case .text(let uri)? = push["uri"] { texts.insert(uri, at: 0) }
        if let image = push.image { texts.append(image.url) }
        return texts
    }

    fileprivate func formFinding(_ text: TemplateText) -> Finding? {
        let bytes = Array(text.text.utf8)
        guard !bytes.isEmpty else { return nil }
        let field = text.field
        let isBreak = bytes[bytes.count - 1] == UInt8(ascii: "\n")
        if isBreak { return Finding(.blank(field, true), at: text.place) }
        let literals = text.holdsLiquid ? self.text(of: text)?.literalRanges ?? [] : [0..<bytes.count]
        if let first = literals.first, first.lowerBound == 0, let sign = schemeSign(in: bytes[first]) {
            let message = RuleMessage.schemeSign(
                field, String(decoding: bytes[..<sign.colon], as: UTF8.self),
                String(decoding: bytes[sign.range], as: UTF8.self))
            return Finding(message, at: text.place(of: SourceRange(sign.range)))
        }
        for range in literals {
            guard let blank = bytes[range].firstIndex(where: { $0 <= 0x20 }) else { continue }
            // White space next to tags at the very ends is not trimmed either, but it is visible in the rendered
            // message.
            let isOuter =
                bytes[blank] != UInt8(ascii: "\n") && (blank == 0 || bytes[blank...].allSatisfy { $0 <= 0x20 })
            return Finding(
                isOuter ? .outerBlank(field, isFirst: blank == 0) : .blank(field, bytes[blank] == UInt8(ascii: "\n")),
                at: text.place(of: SourceRange(blank, blank + 1)))
        }
        for range in literals {
            guard let odd = oddByte(in: bytes[range], endsText: range.upperBound == bytes.count) else { continue }
            let message: RuleMessage =
                switch bytes[odd.lowerBound] {
                case UInt8(ascii: "\\"): .backslash(field)
                case UInt8(ascii: "&"): .entity(field)
                case UInt8(ascii: "%"): .percent(field, String(decoding: bytes[odd], as: UTF8.self))
                default: .letter(field, String(decoding: bytes[odd], as: UTF8.self))
                }
            return Finding(message, at: text.place(of: SourceRange(odd)))
        }
        if literals.isEmpty, let (value, range) = self.text(of: text)?.defaultOfWhole, !value.contains(":") {
            return Finding(.noScheme(field, value), at: text.place(of: range))
        }
        guard !text.holdsLiquid || literals.first?.lowerBound == 0 else { return nil }
        let start = text.holdsLiquid ? String(decoding: bytes[literals[0]], as: UTF8.self) : text.text
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
        return Finding(.noScheme(field, text.holdsLiquid ? start + "…" : text.text), at: text.place)
    }

    /// The first character before `://` that a scheme cannot have; nil for blanks at the start.
    ///
    /// Source: RFC 3986, section 3.1.
    private func schemeSign(in bytes: ArraySlice<UInt8>) -> (range: Range<Int>, colon: Int)? {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8),
            case let scheme = bytes[..<colon], let first = scheme.first, first > 0x20,
            !scheme.contains(where: { "/?#".utf8.contains($0) }),
            let odd = scheme.firstIndex(where: { !$0.isLetter && !$0.isDigit && !"+-.".utf8.contains($0) })
        else { return nil }
        let rest = scheme[(odd + 1)...].prefix { $0 & 0xC0 == 0x80 }
        return (odd..<rest.endIndex, colon)
    }

    /// Schemes that the system hands to no app.
    private static let unopenedSchemes: Set<String> = ["javascript", "data", "file", "about", "blob", "ftp"]

    /// What is wrong at the start of an address, and what is meant; nil for every other scheme than one of the web.
    private static func schemeFault(_ scheme: String, _ rest: String) -> (found: String, expected: String)? {
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

    /// The first text in a part of an address that a URL cannot have as it is: a backslash, a percent sign without two
    /// hexadecimal digits, a letter that is not ASCII, a sign such as `|` or `^`, or `&amp;`.
    private func oddByte(in bytes: ArraySlice<UInt8>, endsText: Bool) -> Range<Int>? {
        for index in bytes.indices {
            let byte = bytes[index]
            if "\\|^`<>\"{}".utf8.contains(byte) { return index..<index + 1 }
            if byte == UInt8(ascii: "&"), bytes[index...].starts(with: "&amp;".utf8) { return index..<index + 5 }
            if byte >= 0x80 {
                let rest = bytes[(index + 1)...].prefix { $0 & 0xC0 == 0x80 }
                return index..<rest.endIndex
            }
            guard byte == UInt8(ascii: "%") else { continue }
            let digits = bytes[(index + 1)...].prefix(2)
            // Liquid may print the digits.
            if digits.count < 2, !endsText { continue }
            if digits.count < 2 || !digits.allSatisfy(\.isHexadecimal) { return index..<digits.endIndex }
        }
        return nil
    }

    fileprivate var imageFindings: [Finding] {
        guard let image = campaign?.push.image else { return [] }
        var found: [Finding] = []
        let text = image.url.text
        if text.lowercased().hasPrefix("http://") {
            found.append(Finding(.insecure(image.url.field), at: image.url.place))
        }
        let path = text.prefix { $0 != "?" && $0 != "#" }
        guard !image.url.holdsLiquid || path.last != "}", let dot = path.lastIndex(of: "."),
            path[dot...].allSatisfy({ $0 == "." || $0.isLetter || $0.isNumber })
        else { return found }
        let suffix = path[path.index(after: dot)...].lowercased()
        let known = ["jpeg": "jpg", "aiff": "aif", "aifc": "aif"][suffix] ?? suffix
        guard let place = image.type.place else { return found }
        if let meant = PushMessage.FileType(rawValue: known) {
            if meant != image.type.value { found.append(Finding(.type(suffix, image.type.value.rawValue), at: place)) }
        } else if Self.otherMedia.contains(suffix) {
            let types = PushMessage.FileType.allCases.map(\.rawValue).joined(separator: ", ")
            found.append(Finding(.otherType(suffix, image.type.value.rawValue, types), at: place))
        }
        return found
    }

    /// Suffixes of images, sounds and videos that no attachment has.
    private static let otherMedia: Set<String> = [
        "webp", "svg", "heic", "heif", "avif", "bmp", "tif", "tiff", "ico", "pdf", "mov", "webm", "mkv", "wmv", "flv",
        "ogg", "oga", "ogv", "flac", "opus",
    ]

    /// The finding about a sound for Live Activities in a push that is not one.
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
        if let file = text.text.fileInFolder { return [Finding(.folder(text.text, file), at: text.place)] }
        guard let dot = text.text.lastIndex(of: ".") else { return [Finding(.noSuffix(text.text), at: text.place)] }
        let suffix = text.text[text.text.index(after: dot)...].lowercased()
        return ["aiff", "aif", "aifc", "wav", "caf"].contains(suffix)
            ? [] : [Finding(.sound(text.text), at: text.place)]
    }
}

extension String {
    /// The file name of a path with a folder; nil for a name without one, and for a folder alone.
    fileprivate var fileInFolder: String? { fileName.isEmpty || fileName == self ? nil : fileName }
}

extension FilterSyntax {
    /// Whether the filter returns a text without characters that an address cannot have: an escaped one or a digest.
    fileprivate var makesAddressable: Bool {
        ["url_param_escape", "url_escape", "url_encode", "md5"].contains(name)
            || name.hasPrefix("sha") || name.hasPrefix("hmac_")
    }
}

extension LintedText {
    /// The text that one output, which is the whole template, prints for a missing value.
    fileprivate var defaultOfWhole: (value: String, range: SourceRange)? {
        guard let template, isWhole, case let nodes = Array(template.root.nodes), nodes.count == 1,
            case .output(let output) = nodes[0].kind, let filter = Array(output.filters).last, filter.name == "default",
            let argument = filter.arguments.first?.value, case .string(let value)? = argument.literal,
            !value.allSatisfy(\.isWhitespace)
        else { return nil }
        return (value, argument.range)
    }

    /// The values that are printed in the addresses of connected content, with their filters.
    fileprivate var valuesInRequests: [(value: ExpressionSyntax?, filters: [FilterSyntax])] {
        let addresses = analysis.tags.filter { $0.name == "connected_content" && $0.isReachable }.compactMap {
            words(of: $0).first?.range
        }
        guard !addresses.isEmpty else { return [] }
        let ranges = Intervals(addresses.map(\.offsets))
        let values = tags.filter { $0.name.text == "connected_content" }.flatMap(\.expressions)
        return values.filter { ranges.covers($0.range) }.map { value in
            if case .output(let markup) = value.kind { (markup.expression, Array(markup.filters)) } else { (value, []) }
        }
    }

    /// The ranges of text that are always printed as written, outside all branches.
    var literalRanges: [Range<Int>] {
        guard let template else { return [] }
        return template.root.nodes.compactMap { node in
            if case .text = node.kind { node.range.offsets } else { nil }
        }
    }
}
