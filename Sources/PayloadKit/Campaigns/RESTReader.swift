// SPDX-License-Identifier: MIT

import AppBundles
import Liquid
import SourceText

/// What the body of a request to Braze holds around the push, as it was read.
package struct RESTRequest: Sendable {
    /// A member of the body with its value.
    struct Member: Sendable {
        let name: String
        let value: DocumentNode
        let place: SourcePlace
    }

    /// The members of the body in the order of the file, all but `messages`.
    var members: [Member] = []

    /// The messages of other channels.
    var otherMessages: [Member] = []
}

/// Reads the body of a request to Braze's `POST /messages/send` or `/messages/schedule/create`, of which
/// `messages.apple_push` is the message.
///
/// What is around the message is kept as it is, so that a rendered body can hold it again.
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

    /// Keys of the endpoints that send a campaign or Canvas of the dashboard, which know no `messages`.
    private static let triggerKeys = [
        "trigger_properties", "recipients", "attachments", "canvas_id", "canvas_entry_properties", "context",
    ]

    /// The keys of `apple_push` that are not fields of the table.
    private static let parts = ["alert", "extra", "asset_url", "asset_file_type", "buttons"]

    init(file: SourceFile, table: PushTable) {
        push = PushReader(
            document: DocumentReader(
                file: file,
                syntaxRule: CampaignRule.syntax,
                unknownKeyRule: CampaignRule.unknownKey
            ),
            table: table
        )
    }

    mutating func read(_ root: DocumentNode) {
        let members = push.document.members(of: root, name: "the body")
        guard root.members != nil else { return }
        var taken = members.map(\.name)
        for member in members where !Self.bodyKeys.contains(member.name) {
            if member.name == "apple_push", root["messages"] == nil {
                return push.document.report(
                    "found 'apple_push' alone, expected it inside 'messages': {\"messages\": {\"apple_push\": {…}}}",
                    at: member.keyRange
                )
            }
            if Self.triggerKeys.contains(member.name) {
                push.document.report(
                    """
                    '\(member.name)' belongs to a request that triggers a campaign or Canvas of the dashboard; \
                    a request with 'messages' cannot have it
                    """,
                    at: member.keyRange,
                    rule: CampaignRule.unknownKey
                )
                continue
            }
            push.document.reportUnknownKey(member, besides: &taken, owner: "the REST body", keys: Self.bodyKeys)
        }
        if let id = root["campaign_id"] { campaignID = push.document.text(id, "campaign_id")?.text }
        guard let messages = root["messages"] else {
            return push.document.report(DocumentMessages.missingKey("messages", of: "the REST body"), at: root.range)
        }
        let channels = push.document.members(of: messages, name: "messages")
        push.push.request = RESTRequest(
            members: members.filter { $0.name != "messages" }.map(kept),
            otherMessages: channels.filter { $0.name != "apple_push" }.map(kept)
        )
        guard let apple = messages["apple_push"] else {
            if messages.members != nil {
                push.document.report(DocumentMessages.missingKey("apple_push", of: "'messages'"), at: messages.range)
            }
            return
        }
        readApplePush(apple)
    }

    private func kept(_ member: DocumentMember) -> RESTRequest.Member {
        RESTRequest.Member(name: member.name, value: member.value, place: push.document.place(member.keyRange))
    }

    private mutating func readApplePush(_ node: DocumentNode) {
        var fields: [String: PushField] = [:]
        for field in push.push.table.fields {
            if case .push(let key)? = field.rest { fields[key] = field }
        }
        let members = push.document.members(
            of: node,
            name: "apple_push",
            owner: "'apple_push'",
            keys: fields.keys.sorted() + Self.parts
        )
        guard node.members != nil else { return }
        for member in members {
            switch member.name {
            case "alert": readAlert(member.value)
            case "extra": push.readExtras(member.value)
            case "buttons": push.readButtons(member.value)
            default:
                guard let field = fields[member.name] else { continue }
                push.read(field, member.value, label: member.name, isREST: true)
            }
        }
        readAsset(in: node)
        if node["alert"] == nil { push.checkThatItSaysSomething(at: node.range) }
    }

    /// A text is the body.
    private mutating func readAlert(_ node: DocumentNode) {
        if node.scalar != nil {
            if let body = push.push.table["body"] { push.read(body, node, label: "alert", isREST: true) }
            return
        }
        var fields: [String: PushField] = [:]
        for field in push.push.table.fields {
            if case .alert(let key)? = field.rest { fields[key] = field }
        }
        let members = push.document.members(of: node, name: "alert")
        let keys = fields.keys.sorted()
        var taken = members.map(\.name)
        for member in members {
            if let field = fields[member.name] {
                push.read(field, member.value, label: member.name, isREST: true)
            } else if member.name == "subtitle" {
                push.document.report(
                    "the REST API has no subtitle: Braze will not send it",
                    at: member.keyRange,
                    rule: CampaignRule.unknownKey,
                    severity: .warning
                )
            } else {
                push.document.reportUnknownKey(member, besides: &taken, owner: "'alert'", keys: keys)
            }
        }
    }

    private mutating func readAsset(in node: DocumentNode) {
        guard let address = node["asset_url"] else {
            if let kind = node["asset_file_type"] {
                push.document.report(DocumentMessages.missingKey("asset_url", of: "'apple_push'"), at: kind.range)
            }
            return
        }
        guard let kind = node["asset_file_type"] else {
            return push.document.report(
                DocumentMessages.missingKey("asset_file_type", of: "'apple_push'"),
                at: address.range
            )
        }
        guard let url = push.template(address, "image.url", label: "asset_url"),
            let type: PushMessage.FileType = push.document.choice(kind, "asset_file_type")
        else { return }
        push.push.image = PushMessage.Image(url: url, type: push.placed(type, kind))
    }
}
