// SPDX-License-Identifier: MIT

import AppBundles
import Liquid
import SourceText

/// Reads the body of Braze's `POST /messages/send`, of which `messages.apple_push` is the message.
///
/// Source: Braze, "Apple push object", <https://www.braze.com/docs/api/objects_filters/messaging/apple_object>.
struct RESTReader {
    var push: PushReader
    private(set) var campaignID: String?

    private static let bodyKeys = [
        "broadcast", "external_user_ids", "user_aliases", "segment_id", "audience", "campaign_id", "send_id",
        "override_frequency_capping", "recipient_subscription_state", "messages",
    ]

    private static let pushKeys = [
        "alert", "badge", "sound", "extra", "content-available", "interruption_level", "relevance_score", "expiry",
        "custom_uri", "use_webview", "message_variation_id", "notification_group_thread_id", "asset_url",
        "asset_file_type", "collapse_id", "mutable_content", "send_to_most_recent_device_only", "category", "buttons",
        "apns_priority",
    ]

    private static let alertKeys = [
        "body", "title", "title_loc_key", "title_loc_args", "action_loc_key", "loc_key", "loc_args", "sound",
    ]

    init(file: SourceFile) {
        push = PushReader(
            document: DocumentReader(
                file: file,
                syntaxRule: CampaignRule.syntax,
                unknownKeyRule: CampaignRule.unknownKey
            )
        )
    }

    mutating func read(_ root: DocumentNode) {
        _ = push.document.members(of: root, name: "the body", owner: "the REST body", keys: Self.bodyKeys)
        guard root.members != nil else { return }
        if let id = root["campaign_id"] { campaignID = push.document.text(id, "campaign_id")?.text }
        guard let messages = root["messages"] else {
            return push.document.report(DocumentMessages.missingKey("messages", of: "the REST body"), at: root.range)
        }
        // Other channels may stand beside it; they are none of this tool's business.
        _ = push.document.members(of: messages, name: "messages")
        guard let apple = messages["apple_push"] else {
            if messages.members != nil {
                push.document.report(DocumentMessages.missingKey("apple_push", of: "'messages'"), at: messages.range)
            }
            return
        }
        readApplePush(apple)
    }

    private mutating func readApplePush(_ node: DocumentNode) {
        let members = push.document.members(
            of: node,
            name: "apple_push",
            owner: "'apple_push'",
            keys: Self.pushKeys
        )
        guard node.members != nil else { return }
        for member in members { read(member.name, member.value) }
        readAsset(in: node)
        if node["alert"] == nil { push.checkThatItSaysSomething(at: node.range) }
    }

    private mutating func read(_ key: String, _ node: DocumentNode) {
        switch key {
        case "alert": readAlert(node)
        case "badge": push.readBadge(node)
        case "sound": push.push.sound = push.template(node, key)
        case "extra": push.readExtras(node)
        case "content-available":
            push.push.contentAvailable = push.document.bool(node, key).map { push.placed($0, node) }
        case "interruption_level":
            push.push.interruptionLevel = push.document.choice(node, key).map { push.placed($0, node) }
        case "relevance_score":
            push.push.relevanceScore = push.document.number(node, key).map { push.placed($0, node) }
        case "expiry": push.push.expiry = push.document.time(node, key).map { push.placed($0, node) }
        case "custom_uri": push.push.uri = push.template(node, "uri")
        case "use_webview": push.push.useWebView = push.document.bool(node, key) ?? true
        case "notification_group_thread_id": push.push.threadID = push.template(node, "thread_id")
        case "collapse_id": push.push.collapseID = push.template(node, key)
        case "mutable_content":
            push.push.mutableContent = push.document.bool(node, key).map { push.placed($0, node) }
        case "category": push.push.category = push.template(node, key)
        case "buttons": push.readButtons(node)
        case "apns_priority": push.readPriority(node, key)
        default: break
        }
    }

    private mutating func readAlert(_ node: DocumentNode) {
        if node.scalar != nil {
            push.push.body = push.template(node, "body")
            return
        }
        var members = push.document.members(of: node, name: "alert")
        if let subtitle = members.first(where: { $0.name == "subtitle" }) {
            push.document.report(
                "the REST API has no subtitle: Braze will not send it",
                at: subtitle.keyRange,
                rule: CampaignRule.unknownKey,
                severity: .warning
            )
            members.removeAll { $0.name == "subtitle" }
        }
        var taken = members.map(\.name)
        for member in members where !Self.alertKeys.contains(member.name) {
            push.document.reportUnknownKey(member, besides: &taken, owner: "'alert'", keys: Self.alertKeys)
        }
        for member in members {
            switch member.name {
            case "title": push.push.title = push.template(member.value, "title")
            case "body": push.push.body = push.template(member.value, "body")
            case "title_loc_key", "action_loc_key", "loc_key":
                guard let text = push.template(member.value, member.name) else { continue }
                addLocalization(member.name, [text], isList: false)
            case "title_loc_args", "loc_args":
                var texts: [TemplateText] = []
                for (index, element) in push.document.elements(of: member.value, name: member.name).enumerated() {
                    if let text = push.template(element, "\(member.name)[\(index)]") { texts.append(text) }
                }
                addLocalization(member.name, texts, isList: true)
            default: break
            }
        }
    }

    private mutating func addLocalization(_ key: String, _ texts: [TemplateText], isList: Bool) {
        push.push.localization.append(
            PushMessage.Localization(key: key.replacing("_", with: "-"), texts: texts, isList: isList)
        )
    }

    private mutating func readAsset(in node: DocumentNode) {
        guard let address = node["asset_url"] else { return }
        guard let kind = node["asset_file_type"] else {
            return push.document.report(
                DocumentMessages.missingKey("asset_file_type", of: "'apple_push'"),
                at: address.range
            )
        }
        guard let url = push.template(address, "image.url"),
            let type: PushMessage.FileType = push.document.choice(kind, "asset_file_type")
        else { return }
        push.push.image = PushMessage.Image(url: url, type: push.placed(type, kind))
    }
}
