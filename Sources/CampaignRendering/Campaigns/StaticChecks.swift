// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import DocumentFormats

/// Checks those rules of APNs and Braze that do not depend on rendering.
///
/// Sources: Apple, "Generating a remote notification" and "Sending notification requests to APNs"; Braze, "Apple push
/// object".
enum StaticChecks {
    /// Keys at the top of a payload that are reserved for the system, Braze's SDK or the simulator.
    static let reservedKeys = [
        "aps", "ab", "ab_uri", "ab_use_webview", "ab_push_fetch_test_triggers_key", "appboy_uninstall_tracking",
        "Simulator Target Bundle",
    ]

    static func findings(in campaign: Campaign) -> [Diagnostic] {
        let push = campaign.push
        return extrasFindings(push.extras) + buttonFindings(push) + backgroundFindings(push) + valueFindings(push)
    }

    /// The message about a reserved key of a key-value pair; nil if the key is not reserved.
    static func reservedKeyMessage(_ key: String) -> String? {
        guard reservedKeys.contains(where: { $0.utf8.elementsEqual(key.utf8) }) else { return nil }
        return "the key '\(key)' is reserved for the system or Braze; expected another name for the key-value pair"
    }

    private static func error(_ rule: RuleID, _ message: String, _ place: SourcePlace?) -> Diagnostic {
        Diagnostic(rule, message, at: place)
    }

    private static func error(_ field: PushField, _ message: String, _ place: SourcePlace?) -> Diagnostic {
        error(field.rule ?? .campaignSyntax, message, place)
    }

    private static func extrasFindings(_ extras: [PushMessage.Extra]) -> [Diagnostic] {
        extras.compactMap { extra in
            guard !extra.key.holdsLiquid, let message = reservedKeyMessage(extra.key.text) else { return nil }
            return error(.reservedKey, message, extra.key.place)
        }
    }

    /// Reports numbers outside their range and texts over their limit.
    private static func valueFindings(_ push: PushMessage) -> [Diagnostic] {
        push.fields.compactMap { field, value in
            switch (field.kind, value) {
            case (.count, .integer(let number)) where number.value < 0:
                return error(field, noCountMessage(field, "\(number.value)"), number.place)
            case (.count, .number(let number)):
                return error(field, noCountMessage(field, number.value.shortest), number.place)
            case (.number(let range?), .number(let number)) where !range.contains(number.value):
                return error(field, outOfRangeMessage(field, number.value, range), number.place)
            case (_, .members(let values, _)):
                for case (let member, .number(let number)?) in zip(field.members, values) {
                    guard case .number(let range?) = member.kind, !range.contains(number.value) else { continue }
                    return error(member, outOfRangeMessage(member, number.value, range), number.place)
                }
                return nil
            case (_, .text(let text)) where !text.holdsLiquid:
                return overLimitMessage(field, bytes: text.text.utf8.count).map { error(field, $0, text.place) }
            default: return nil
            }
        }
    }

    private static func noCountMessage(_ field: PushField, _ found: String) -> String {
        DocumentMessages.wrongType(field.name, found: "'\(found)'", expected: "a whole number of 0 or more")
    }

    private static func outOfRangeMessage(_ field: PushField, _ number: Double, _ range: ClosedRange<Double>) -> String
    {
        let bounds = "\(range.lowerBound.shortest) to \(range.upperBound.shortest)"
        return "'\(field.name)': found \(number.shortest), expected a number from \(bounds)"
    }

    /// The message about a text with more bytes than its field permits; nil if it is within the limit.
    static func overLimitMessage(_ field: PushField, bytes: Int) -> String? {
        guard let limit = field.byteLimit, bytes > limit else { return nil }
        return "'\(field.name)' has \(bytes) bytes; APNs accepts at most \(limit)"
    }

    private static func backgroundFindings(_ push: PushMessage) -> [Diagnostic] {
        guard let flag = push.contentAvailable, flag.value else { return [] }
        if push.hasAlert {
            return [
                Diagnostic(
                    .backgroundWithAlert,
                    "an alert that also wakes the app: APNs treats it as an alert, not as a background push",
                    at: flag.place,
                    severity: .info
                )
            ]
        }
        let image = push.image.map { [("an image", Optional($0.url.place))] } ?? []
        let shown = [("a badge", push["badge"]), ("a sound", push["sound"])].compactMap { name, value in
            value.map { (name, $0.place) }
        }
        var findings = (shown + image).map { name, place in
            error(.backgroundWithAlert, "a background push cannot have \(name)", place)
        }
        if let priority = push.priority, priority.value == 10 {
            findings.append(
                error(
                    .backgroundWithAlert,
                    "a background push cannot have the priority 10; expected 5 or 1",
                    priority.place
                )
            )
        }
        return findings
    }

    // MARK: - Buttons

    /// Braze's predefined categories, with the ids of their buttons, and whether each button is the accepting one.
    ///
    /// Source: Braze Swift SDK, `Braze.Notifications.categories`.
    static let brazeCategories: [(name: String, buttons: [(id: String, accepts: Bool)])] = [
        ("ab_cat_accept_decline", [("ab_pb_accept", true), ("ab_pb_decline", false)]),
        ("ab_cat_yes_no", [("ab_pb_yes", true), ("ab_pb_no", false)]),
        ("ab_cat_confirm_cancel", [("ab_pb_confirm", true), ("ab_pb_cancel", false)]),
        ("ab_cat_more", [("ab_pb_more", true)]),
    ]

    private static func buttonFindings(_ push: PushMessage) -> [Diagnostic] {
        guard let first = push.buttons.first else { return [] }
        guard let category = push.category else {
            return [
                error(
                    .buttonWithoutCategory,
                    "buttons without a category: the app would show none",
                    first.place
                )
            ]
        }
        let twice = repeatedButtonFindings(push.buttons)
        guard !category.holdsLiquid else { return twice + push.buttons.compactMap { missingURIFinding($0) } }
        let braze = brazeCategories.first { $0.name.utf8.elementsEqual(category.text.utf8) }
        if braze == nil, let near = nearestName(to: category.text, in: brazeCategories.map(\.name)) {
            let message = "the category '\(category.text)' is not one of Braze's, did you mean '\(near)'?"
            return twice + [error(.buttonAction, message, category.place)]
        }
        return twice
            + push.buttons.compactMap { button in
                if let braze { return brazeButtonFinding(button, braze.name, braze.buttons) }
                return ownButtonFinding(button)
            }
    }

    private static func repeatedButtonFindings(_ buttons: [PushMessage.Button]) -> [Diagnostic] {
        var firsts: [String: SourcePlace] = [:]
        return buttons.compactMap { button in
            let id = button.actionID
            guard let first = firsts[id.value] else {
                firsts[id.value] = id.place
                return nil
            }
            var finding = error(.buttonAction, "the button '\(id.value)' occurs twice", id.place)
            finding.related = [Diagnostic.Related("first defined here", at: first)]
            return finding
        }
    }

    private static func brazeButtonFinding(
        _ button: PushMessage.Button,
        _ category: String,
        _ known: [(id: String, accepts: Bool)]
    ) -> Diagnostic? {
        guard let found = known.first(where: { $0.id.utf8.elementsEqual(button.actionID.value.utf8) }) else {
            let ids = known.map { "'\($0.id)'" }.joined(separator: " and ")
            return error(
                .buttonAction,
                "'\(button.actionID.value)' is not a button of '\(category)', which has \(ids)",
                button.actionID.place
            )
        }
        if found.accepts, let action = button.action, action.value == .close {
            return error(
                .buttonAction,
                "CLOSE on '\(found.id)', which is the accepting button of its category; expected URI, DEEP_LINK or OPEN_APP",
                action.place
            )
        }
        if let action = button.action, action.value == .close || action.value == .openApp, let uri = button.uri {
            return Diagnostic(
                .buttonAction,
                "\(action.value.rawValue) opens no address, so 'uri' has no effect; expected URI or DEEP_LINK",
                at: uri.place,
                severity: .warning
            )
        }
        return missingURIFinding(button)
    }

    private static func ownButtonFinding(_ button: PushMessage.Button) -> Diagnostic? {
        let owner = brazeCategories.first { $0.buttons.contains { $0.id == button.actionID.value } }
        if let owner {
            return Diagnostic(
                .buttonAction,
                "'\(button.actionID.value)' is a button of Braze's category '\(owner.name)', but the push has another category",
                at: button.actionID.place,
                severity: .warning
            )
        }
        guard let action = button.action else {
            // The action may be there but invalid, which is reported on its own.
            if !button.isWhole { return nil }
            return error(
                .buttonAction,
                "a button of a category of your own needs 'action: URI' or 'action: DEEP_LINK'",
                button.place
            )
        }
        guard action.value.opensAddress else {
            return error(
                .buttonAction,
                "found \(action.value.rawValue), expected URI or DEEP_LINK: the category is not one of Braze's",
                action.place
            )
        }
        return missingURIFinding(button)
    }

    private static func missingURIFinding(_ button: PushMessage.Button) -> Diagnostic? {
        guard let action = button.action, action.value.opensAddress else { return nil }
        guard let uri = button.uri else {
            return error(
                .buttonAction, "\(action.value.rawValue) without 'uri', expected the address that a tap opens",
                action.place)
        }
        guard !uri.holdsLiquid, uri.text.allSatisfy(\.isWhitespace) else { return nil }
        return error(.buttonAction, blankURIMessage(action.value), uri.place)
    }

    /// The message about a button whose action opens an address but whose address is blank.
    static func blankURIMessage(_ action: PushMessage.Button.Action) -> String {
        "\(action.rawValue) with an empty 'uri', expected the address that a tap opens"
    }
}

extension PushMessage {
    /// The ids of the buttons in one of Braze's predefined categories; nil for any other category.
    package static func buttons(ofBrazeCategory name: String) -> [String]? {
        StaticChecks.brazeCategories.first { $0.name.utf8.elementsEqual(name.utf8) }?.buttons.map(\.id)
    }
}

extension Double {
    /// The number as JSON: without a decimal point if it is whole.
    var shortest: String { Int(exactly: self).map(String.init) ?? description }
}
