// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import DocumentFormats
import LiquidTemplates

/// The parts of a REST body other than its push, unchanged.
package struct RESTRequest: Sendable {
    /// A member of the body, with its value and its place.
    struct Member: Sendable {
        let name: String
        let value: DocumentNode
        let place: SourcePlace
    }

    /// The members of the body in the order of the file, except `messages`.
    var members: [Member] = []

    /// The messages to channels other than iOS push.
    var otherMessages: [Member] = []
}

/// Reads a REST body: the body of a request to Braze's `POST /messages/send` or `/messages/schedule/create`.
///
/// The message is in `messages.apple_push`. The parts around it are kept, so that they can be written into a rendered
/// body.
///
/// Sources: Braze, "Apple push object", <https://www.braze.com/docs/api/objects_filters/messaging/apple_object>, and
/// "Send messages immediately", <https://www.braze.com/docs/api/endpoints/messaging/send_messages/post_send_messages>.
struct RESTReader {
    var push: PushReader
    private(set) var campaignID: String?

    private static let bodyKeys = [
        "broadcast", "external_user_ids", "user_aliases", "segment_id", "audience", "campaign_id", "send_id",
        "override_frequency_capping", "override_messaging_limits", "recipient_subscription_state", "schedule",
        "messages",
    ]

    /// Keys that belong to endpoints which trigger a campaign or Canvas of the dashboard; bodies for these endpoints
    /// have no `messages`.
    private static let triggerKeys = [
        "trigger_properties", "recipients", "attachments", "canvas_id", "canvas_entry_properties", "context",
    ]

    init(file: SourceFile, table: PushTable) {
        push = PushReader(document: DocumentReader(campaign: file), table: table)
    }

    mutating func read(_ root: DocumentNode) {
        let members = push.document.members(of: root, name: "the body")
        guard root.members != nil else { return }
        if root["messages"] == nil, let alone = members.first(where: { $0.name == "apple_push" }) {
            return push.document.report(
                "found 'apple_push' alone, expected it inside 'messages': {\"messages\": {\"apple_push\": {…}}}",
                at: alone.keyRange
            )
        }
        for member in members where Self.triggerKeys.contains(member.name) {
            push.document.report(
                """
                '\(member.name)' belongs to a request that triggers a campaign or Canvas of the dashboard; \
                a request with 'messages' cannot have it
                """,
                at: member.keyRange,
                rule: .campaignUnknownKey
            )
        }
        push.document.reportUnknownKeys(
            of: members,
            owner: "the REST body",
            keys: Self.bodyKeys,
            besides: Set(Self.triggerKeys)
        )
        checkTypes(of: members)
        if let everybody = root["broadcast"], case .bool(true)? = everybody.scalar?.value {
            for name in ["external_user_ids", "user_aliases"] {
                guard let member = root.member(name) else { continue }
                push.document.report(
                    "'\(name)' beside 'broadcast: true', which sends to a whole segment; expected one of them",
                    at: member.keyRange, severity: .warning)
            }
        }
        if let id = root["campaign_id"] { campaignID = push.document.checked(id, .text, "campaign_id")?.scalar?.text }
        guard let messages = root["messages"] else {
            return push.document.report(DocumentMessages.missingKey("messages", of: "the REST body"), at: root.range)
        }
        let channels = push.document.members(of: messages, name: "messages")
        push.push.request = RESTRequest(
            members: members.filter { $0.name != "messages" }.map(kept),
            otherMessages: channels.filter { $0.name != "apple_push" }.map(kept)
        )
        for channel in channels where channel.name != "apple_push" {
            push.document.report(
                "'\(channel.name)' is not checked, as only 'apple_push' of a REST body is", at: channel.keyRange,
                severity: .info)
        }
        guard let apple = messages["apple_push"] else {
            if messages.members != nil {
                let meant = messages.members?.first {
                    KeySynonyms.campaign.key(for: $0.name, among: ["apple_push"]) != nil
                }
                push.document.report(
                    DocumentMessages.missingKey("apple_push", of: "'messages'")
                        + (meant.map { "; '\($0.name)' is not a channel, did you mean 'apple_push'?" } ?? ""),
                    at: meant?.keyRange ?? messages.range
                )
            }
            return
        }
        readApplePush(apple)
        if let variation = apple.member("message_variation_id"), root["campaign_id"] == nil {
            push.document.report(
                "found 'message_variation_id' without 'campaign_id', expected both",
                at: variation.keyRange,
                severity: .warning
            )
        }
    }

    /// Reports values that the API does not accept, mostly because of their type; a wrong boolean or id is only a
    /// warning.
    ///
    /// A wrong type is more than a matter of form: a text such as "false" may count as true.
    private mutating func checkTypes(of members: [DocumentMember]) {
        for member in members {
            let isRight: Bool
            let expected: String
            var severity = Severity.error
            switch member.name {
            case "broadcast", "override_frequency_capping", "override_messaging_limits":
                if case .bool? = member.value.scalar?.value { isRight = true } else { isRight = false }
                expected = "a boolean, true or false without quotes"
                severity = .warning
            case "external_user_ids", "user_aliases":
                let elements = member.value.elements
                let isOfKind =
                    elements?.allSatisfy {
                        member.name == "user_aliases" ? $0.members != nil : $0.scalar?.style == .quoted
                    } ?? false
                isRight = isOfKind && elements.map { $0.count <= 50 } ?? false
                let kind = member.name == "user_aliases" ? "objects" : "texts in quotes"
                expected = isOfKind ? "at most 50 in one request" : "a list of \(kind)"
            case "audience", "schedule":
                isRight = member.value.members != nil
                expected = "an object"
            case "recipient_subscription_state":
                isRight = ["opted_in", "subscribed", "all"].contains(member.value.scalar?.text ?? "")
                expected = "opted_in, subscribed or all"
            case "segment_id", "campaign_id", "send_id":
                isRight = member.value.scalar.map { !$0.text.allSatisfy(\.isWhitespace) } ?? false
                expected = member.value.scalar == nil ? "text" : "an id that is not empty"
                severity = .warning
            default: continue
            }
            guard !isRight else { continue }
            let count = member.value.elements.map { "a list of \($0.count)" }
            let found = count ?? DocumentMessages.describe(member.value)
            push.document.report(
                DocumentMessages.wrongType(member.name, found: found, expected: expected),
                at: member.value.range,
                severity: severity
            )
        }
    }

    private func kept(_ member: DocumentMember) -> RESTRequest.Member {
        RESTRequest.Member(name: member.name, value: member.value, place: push.document.place(member.keyRange))
    }

    private mutating func readApplePush(_ node: DocumentNode) {
        let format = Format.applePush(push.push.table)
        guard let node = push.document.checked(node, format, path: "apple_push") else { return }
        for field in push.push.table.fields {
            if case .push(let key)? = field.rest, let value = node[key] { push.read(field, value, label: key) }
        }
        if let alert = node["alert"] {
            readAlert(alert)
            let isSilent = push.push.contentAvailable?.value == true
            if alert.members != nil, alert["body"] == nil, alert["loc_key"] == nil, !isSilent {
                push.document.report(
                    DocumentMessages.missingKey("body", of: "'alert'") + ", which the REST API requires",
                    at: alert.range,
                    severity: .warning
                )
            }
        }
        push.checkOwners()
        if let member = node.member("use_webview"), node["custom_uri"] == nil {
            push.document.report(
                "'use_webview' has no effect without 'custom_uri'", at: member.keyRange, severity: .warning)
        }
        checkTexts(in: node)
        if let extra = node["extra"] { push.readExtras(extra) }
        if let buttons = node["buttons"] { push.readButtons(buttons) }
        readAsset(in: node)
        if node["alert"] == nil { push.reportMissingContent(node) }
    }

    /// Reports numbers and booleans where the API takes texts.
    private mutating func checkTexts(in node: DocumentNode) {
        var texts: [(key: String, value: DocumentNode)] = []
        for field in push.push.table.fields {
            guard case .template = field.restKind else { continue }
            switch field.rest {
            case .push(let key)?: if let value = node[key] { texts.append((key, value)) }
            case .alert(let key)?: if let value = node["alert"]?[key] { texts.append((key, value)) }
            case nil: break
            }
        }
        if let alert = node["alert"], alert.scalar != nil { texts.append(("alert", alert)) }
        for (key, value) in texts {
            switch value.scalar?.value {
            case .integer?, .float?, .bool?:
                let found = DocumentMessages.describe(value)
                push.document.report(
                    DocumentMessages.wrongType(key, found: found, expected: "text in quotes"), at: value.range)
            default: break
            }
        }
    }

    /// Reads an `alert`: an object, or a text that is the body.
    private mutating func readAlert(_ node: DocumentNode) {
        for field in push.push.table.fields {
            guard case .alert(let key)? = field.rest else { continue }
            if let value = node.scalar == nil ? node[key] : key == "body" ? node : nil {
                push.read(field, value, label: key)
            }
        }
        if let subtitle = node.member("subtitle") {
            push.document.report(
                "the REST API has no subtitle: Braze will not send it",
                at: subtitle.keyRange,
                rule: .campaignUnknownKey,
                severity: .warning
            )
        }
    }

    /// Reads the address and the type of an asset, which have to be given together.
    private mutating func readAsset(in node: DocumentNode) {
        let (url, type) = ("asset_url", "asset_file_type")
        switch (node[url], node[type]) {
        case (let address?, let kind?): push.push.image = push.image(address, kind)
        case (let address?, nil):
            push.document.report(DocumentMessages.missingKey(type, of: "'apple_push'"), at: address.range)
        case (nil, let kind?):
            push.document.report(DocumentMessages.missingKey(url, of: "'apple_push'"), at: kind.range)
        case (nil, nil): break
        }
    }
}
