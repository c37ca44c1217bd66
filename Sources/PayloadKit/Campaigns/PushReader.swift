// SPDX-License-Identifier: MIT

import AppBundles
import Liquid
import SourceText

/// Reads the `push` of a campaign file.
struct PushReader {
    var document: DocumentReader
    var push = PushMessage()

    static let keys = [
        "category", "title", "subtitle", "body", "uri", "use_webview", "image", "sound", "badge", "thread_id",
        "interruption_level", "relevance_score", "content_available", "mutable_content", "collapse_id", "expiry",
        "priority", "buttons", "extras", "rest",
    ]

    init(document: DocumentReader) { self.document = document }

    mutating func read(_ node: DocumentNode) {
        let members = document.members(of: node, name: "push", owner: "'push'", keys: Self.keys)
        guard node.members != nil else { return }
        for member in members { read(member.name, member.value) }
        if node["uri"] == nil, let member = members.first(where: { $0.name == "use_webview" }) {
            document.report("'push.use_webview' without 'push.uri'", at: member.keyRange)
        }
        if !["title", "subtitle", "body"].contains(where: { node[$0] != nil }) {
            checkThatItSaysSomething(at: node.range)
        }
    }

    private mutating func read(_ key: String, _ node: DocumentNode) {
        switch key {
        case "category": push.category = template(node, key)
        case "title": push.title = template(node, key)
        case "subtitle": push.subtitle = template(node, key)
        case "body": push.body = template(node, key)
        case "uri": push.uri = template(node, key)
        case "use_webview": push.useWebView = document.bool(node, key) ?? true
        case "image": readImage(node)
        case "sound": push.sound = template(node, key)
        case "badge": readBadge(node)
        case "thread_id": push.threadID = template(node, key)
        case "interruption_level": push.interruptionLevel = document.choice(node, key).map { placed($0, node) }
        case "relevance_score": push.relevanceScore = document.number(node, key).map { placed($0, node) }
        case "content_available": push.contentAvailable = document.bool(node, key).map { placed($0, node) }
        case "mutable_content": push.mutableContent = document.bool(node, key).map { placed($0, node) }
        case "collapse_id": push.collapseID = template(node, key)
        case "expiry": push.expiry = document.time(node, key).map { placed($0, node) }
        case "priority": readPriority(node, key)
        case "buttons": readButtons(node)
        case "extras": readExtras(node)
        default: break
        }
    }

    // MARK: - Parts that the REST body has too

    func placed<Value: Sendable>(_ value: Value, _ node: DocumentNode) -> Placed<Value> {
        Placed(value, at: document.place(node.range))
    }

    mutating func template(_ node: DocumentNode, _ field: String) -> TemplateText? {
        document.text(node, field).map { scalar in
            TemplateText(field: field, text: scalar.text, file: document.file, range: node.range, map: scalar.map)
        }
    }

    /// A number, or Liquid that prints one.
    mutating func readBadge(_ node: DocumentNode) {
        guard let scalar = node.scalar, !scalar.isNullMark else {
            return document.reportType(node, "badge", expected: "a whole number from 0 on")
        }
        switch scalar.value {
        case .integer(let number) where number >= 0: push.badge = .number(placed(number, node))
        case .string:
            guard let template = template(node, "badge"), template.holdsLiquid else { fallthrough }
            push.badge = .template(template)
        default:
            document.report(
                DocumentMessages.wrongType(
                    "badge",
                    found: DocumentMessages.describe(node),
                    expected: "a whole number from 0 on"
                ),
                at: node.range,
                rule: CampaignRule.badgeValue
            )
        }
    }

    mutating func readPriority(_ node: DocumentNode, _ key: String) {
        guard let priority = document.integer(node, key) else { return }
        guard [1, 5, 10].contains(priority) else {
            return document.reportType(node, key, expected: "10 (at once), 5 (when power allows) or 1")
        }
        push.priority = placed(priority, node)
    }

    mutating func readExtras(_ node: DocumentNode) {
        for member in document.members(of: node, name: "extras") {
            let field = "extras." + member.name
            guard let scalar = document.text(member.value, field) else { continue }
            let isJSON = scalar.text.utf8.starts(with: "$json:".utf8)
            push.extras.append(
                PushMessage.Extra(
                    key: TemplateText(
                        field: field + " (key)",
                        text: member.name,
                        file: document.file,
                        range: member.keyRange,
                        map: member.key.map
                    ),
                    value: TemplateText(
                        field: field,
                        text: scalar.text,
                        file: document.file,
                        range: member.value.range,
                        map: scalar.map,
                        skipping: isJSON ? 6 : 0
                    ),
                    isJSON: isJSON
                )
            )
        }
    }

    mutating func readButtons(_ node: DocumentNode) {
        for (index, element) in document.elements(of: node, name: "buttons").enumerated() {
            let name = "buttons[\(index)]"
            let keys = ["action_id", "action", "uri", "use_webview"]
            let members = document.members(of: element, name: name, owner: "'\(name)'", keys: keys)
            guard let id = element["action_id"] else {
                if element.members != nil {
                    document.report(DocumentMessages.missingKey("action_id", of: "'\(name)'"), at: element.range)
                }
                continue
            }
            guard let actionID = document.text(id, name + ".action_id") else { continue }
            var button = PushMessage.Button(
                actionID: placed(actionID.text, id),
                place: document.place(element.range)
            )
            for member in members {
                let field = name + "." + member.name
                switch member.name {
                case "action":
                    button.action = document.choice(member.value, field, rule: CampaignRule.buttonAction)
                        .map { placed($0, member.value) }
                case "uri": button.uri = template(member.value, field)
                case "use_webview": button.useWebView = document.bool(member.value, field) ?? true
                default: break
                }
            }
            push.buttons.append(button)
        }
    }

    mutating func checkThatItSaysSomething(at range: SourceRange) {
        guard !push.hasAlert, push.contentAvailable?.value != true else { return }
        let start = SourceRange(start: range.start, end: range.start)
        document.report("a push needs a title or a body, or 'content_available: true'", at: start)
    }

    // MARK: - Parts of the campaign file alone

    private mutating func readImage(_ node: DocumentNode) {
        let members = document.members(of: node, name: "image", owner: "'image'", keys: ["url", "type"])
        guard node.members != nil else { return }
        var url: TemplateText?
        var type: Placed<PushMessage.FileType>?
        for member in members {
            switch member.name {
            case "url": url = template(member.value, "image.url")
            case "type": type = document.choice(member.value, "image.type").map { placed($0, member.value) }
            default: break
            }
        }
        for key in ["url", "type"] where node[key] == nil {
            document.report(DocumentMessages.missingKey(key, of: "'image'"), at: node.range)
        }
        if let url, let type { push.image = PushMessage.Image(url: url, type: type) }
    }
}
