// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadKit

extension RuleMessage {
    fileprivate static func empty(_ field: String) -> RuleMessage {
        RuleMessage(RenderMessages.leftOut(field))
    }
    fileprivate static func localized(_ text: String, _ key: String) -> RuleMessage {
        "'\(key)' replaces '\(text)', and the push has both; expected one of them"
    }
    fileprivate static func sign(_ value: String, _ sign: String) -> RuleMessage {
        "'\(value)' ends with '\(sign)', which is part of the value; expected it without"
    }
    fileprivate static func curly(_ text: String) -> RuleMessage {
        "the curly quotes around \(text) are sent with it, as only straight quotes are quotes in YAML; expected straight quotes in their place, or straight quotes around them if users should read them"
    }
    fileprivate static func inside(_ field: String) -> RuleMessage {
        "'\(field)' contains a space, which is part of the name; expected the name that the app registers"
    }
    fileprivate static func spaces(_ field: String, _ isBreak: Bool) -> RuleMessage {
        isBreak
            ? "'\(field)' ends with a line break, which is part of the value; expected '|-' instead of '|', or one line"
            : "'\(field)' has white space at its ends, which is part of the value; expected the value without it"
    }
    fileprivate static func midnight(_ date: String) -> RuleMessage {
        "'expiry' has no time of day, so the push expires when \(date) begins in UTC; expected '\(date)T23:59:59Z' or another time with its zone"
    }
}

extension Rule {
    /// The rules about the fields of a push.
    static let pushFields: [Rule] = [blankField, fieldSpaces, localizedText]

    private static let blankField = Rule(
        .blankField,
        source: .remotePayload,
        rationale: """
            APNs would show nothing for such a field, or refuse the push. The title, the body and key-value pairs are \
            an exception: they are sent, and records list them under 'blank'. A push in which all texts of the alert \
            are empty shows nothing, so it is reported too. A field that is empty for every user is found without \
            rendering.
            """,
        failing: [
            .push("collapse_id: ⟦''⟧"),
            .campaign("push: {title: ⟦''⟧, body: ' '}"),
            .push("image: {url: ⟦''⟧, type: png}"),
        ],
        passing: [.push("collapse_id: lab, subtitle: ''")],
        .rendering,
        .campaign { campaign in
            campaign.fieldTexts.compactMap { field, text in
                guard field.whenBlank == .leftOut, !text.holdsLiquid, text.text.allSatisfy(\.isWhitespace) else {
                    return nil
                }
                return Finding(.empty(text.field), at: text.place)
            } + campaign.emptyImageFindings + campaign.emptyAlertFindings
        }
    )

    private static let localizedText = Rule(
        RuleID("localized-text", .warning, "a text and the key of a localized text for the same line"),
        source: .remotePayload,
        rationale: """
            The system shows the text that the app has for the key, and not the text in the push. Source: Apple, \
            "Generating a remote notification".
            """,
        failing: [.push("body: Ho, loc_key: ⟦HELLO⟧")],
        passing: [.push("loc_key: HELLO")],
        .campaign { campaign in
            guard let push = campaign.campaign?.push else { return [] }
            let pairs = [("title", "title_loc_key"), ("subtitle", "subtitle_loc_key"), ("body", "loc_key")]
            return pairs.compactMap { text, key in
                guard push[text] != nil, let place = push[key]?.place else { return nil }
                return Finding(.localized(text, key), at: place)
            }
        }
    )

    private static let fieldSpaces = Rule(
        RuleID(
            "field-spaces", .warning,
            "an identifier or file name with white space, quotes or a comma at its ends, or a text in curly quotes alone"
        ),
        source: .applePushObject,
        rationale: """
            Names are compared byte for byte, and '|' in YAML keeps the line break at the end of a value. No extension \
            claims a category with such an end, and no sound of that name is found. A space inside of a category is \
            reported as info. In other texts, keys and values, the rule finds only curly quotes around the whole text, \
            where YAML has no straight quotes around them.
            """,
        failing: [
            .push("thread_id: ⟦'lab,'⟧"),
            .campaign("push:\n  title: Hi\n  thread_id: ⟦|\n    lab\n⟧"),
            .push("sound: ⟦'chime.caf '⟧"),
            .push("category: ⟦lab progress⟧"),
            .campaign("push:\n  title: ⟦“Hi”⟧\n  extras:\n    ⟦“name”⟧: ⟦“Segments”⟧"),
        ],
        passing: [
            .campaign("push:\n  title: Hi\n  body: |\n    Hello\n  thread_id: |-\n    lab\n"),
            .campaign("push: {title: '“Hi”', body: “Hi” and “Ho”}"),
        ],
        .campaign { campaign in
            let names = campaign.fieldTexts.compactMap { field, text -> Finding? in
                if field.isName, let sign = text.text.signAtEnd {
                    return Finding(.sign(text.text, sign), at: text.place)
                }
                if field.name == "category", !text.holdsLiquid,
                    text.text.split(whereSeparator: \.isWhitespace).count > 1
                {
                    return Finding(.inside(text.field), at: text.place, severity: .info)
                }
                guard field.isName, text.text.contains(where: { !$0.isWhitespace }),
                    text.text.first?.isWhitespace ?? false || text.text.last?.isWhitespace ?? false
                else { return nil }
                return Finding(.spaces(text.field, text.text.last?.isNewline ?? false), at: text.place)
            }
            let texts = (campaign.campaign?.push.texts ?? []).filter { text in
                text.isInCurlyQuotes && !names.contains { $0.place?.range == text.range }
            }
            return names + texts.map { Finding(.curly($0.text), at: $0.place) }
        }
    )

    static let expiryForm = Rule(
        RuleID("expiry-form", .warning, "an expiry without a time of day"),
        source: .applePushObject,
        rationale: """
            Without a time of day, the expiry is midnight in UTC at the start of the day. In America, that is the \
            evening before.
            """,
        failing: [.push("expiry: ⟦2026-12-31⟧")],
        passing: [.push("expiry: '2026-12-31T20:00:00+01:00'")],
        .campaign { campaign in
            guard case .time(let time)? = campaign.campaign?.push["expiry"], let place = time.place else { return [] }
            let text = place.file.text(in: place.range).filter { $0 != "'" && $0 != "\"" }
            guard text.utf8.count == 10 else { return [] }
            return [Finding(.midnight(text), at: place)]
        }
    )
}

extension LintedCampaign {
    /// The finding about an image whose address is empty for every user.
    fileprivate var emptyImageFindings: [Finding] {
        guard let url = campaign?.push.image?.url, isEmpty(url) else { return [] }
        return [Finding(.empty(url.field), at: url.place)]
    }

    /// The finding about an alert whose texts are empty for every user.
    fileprivate var emptyAlertFindings: [Finding] {
        let alert = (campaign?.push.fields ?? []).filter(\.field.isShown)
        let texts = alert.compactMap { if case .text(let text) = $0.value { text } else { nil } }
        guard let first = texts.first, texts.count == alert.count, texts.allSatisfy(isEmpty) else { return [] }
        let message = RuleMessage(RenderMessages.emptyAlert(texts.map(\.field)))
        return [Finding(message, at: first.place, severity: .error)]
    }

    /// Whether a text is empty, or only white space, for every user.
    private func isEmpty(_ source: TemplateText) -> Bool {
        guard source.holdsLiquid else { return source.text.allSatisfy(\.isWhitespace) }
        guard let text = text(of: source), text.isWhole, let ways = TemplateDrafts(text, fill: { _, _, _ in nil })
        else { return false }
        return !ways.drafts.isEmpty && ways.drafts.allSatisfy { $0.text.allSatisfy(\.isWhitespace) }
    }

    /// The texts of the fields of the push, each with its field.
    fileprivate var fieldTexts: [(field: PushField, text: TemplateText)] {
        (campaign?.push.fields ?? []).flatMap { field, value -> [(field: PushField, text: TemplateText)] in
            switch value {
            case .text(let text): [(field, text)]
            case .members(let values, _):
                zip(field.members, values).compactMap { member, value in
                    if case .text(let text)? = value { (member, text) } else { nil }
                }
            default: []
            }
        }
    }
}

extension TemplateText {
    /// Whether the text begins and ends with curly quotes, contains no others, and has no straight quotes around it in
    /// the file.
    fileprivate var isInCurlyQuotes: Bool {
        guard text.isInCurlyQuotes, let first = text.first else { return false }
        return file.bytes[range.offsets].starts(with: String(first).utf8)
    }
}

extension String {
    /// The quote at the end, if the whole text is in quotes; otherwise the comma or semicolon at the end.
    fileprivate var signAtEnd: String? {
        guard count > 1, let last else { return nil }
        let isQuoted = "\"'".contains(last) && first == last || isInCurlyQuotes
        return ",;".contains(last) || isQuoted ? String(last) : nil
    }

    /// Whether the whole text is in curly quotes; guillemets do not count, because they also enclose the titles of
    /// books and films.
    fileprivate var isInCurlyQuotes: Bool { insideCurlyQuotes != nil && first.map { !"«»‹›".contains($0) } ?? false }
}

extension PushField {
    /// Whether the system or the app compares the text with names.
    fileprivate var isName: Bool {
        let names: Set<String> = [
            "category", "thread_id", "collapse_id", "target_content_id", "sound", "alert_sound", "launch_image",
            "title_loc_key", "subtitle_loc_key", "loc_key", "action_loc_key",
        ]
        return names.contains(name) || place == .member("name")
    }
}
