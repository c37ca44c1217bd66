// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import JSONTexts
import PayloadKit

/// The values of an iOS push that Braze returns.
struct ExportedMessage: Sendable, Hashable {
    /// A text that a response may contain.
    enum Text: Sendable, Hashable {
        /// The response does not contain the text.
        case notGiven
        /// The response says that there is no text.
        case none
        case text(String)
    }

    /// The id of the message variation.
    let id: String

    /// The name of the variation; nil where it has none.
    let name: String?

    var title = Text.notGiven
    var body = Text.notGiven
    var uri = Text.notGiven
    var image = Text.notGiven

    /// The key-value pairs in the order of the response; nil where the response does not contain them.
    var extras: [Pair]?

    /// The languages for which there are translations.
    var locales: [String] = []

    /// A key-value pair.
    struct Pair: Sendable, Hashable {
        let key: String
        let value: String
    }

    /// Whether the message has no content, as in an API campaign.
    var isEmpty: Bool {
        [title, body, uri, image].allSatisfy { if case .text(let text) = $0 { text.isEmpty } else { true } }
            && (extras ?? []).isEmpty
    }

    /// Whether a text has translations; the texts themselves do not contain them.
    var isTranslated: Bool {
        ([title, body, uri, image] + (extras ?? []).map { .text($0.value) }).contains { value in
            guard case .text(let text) = value else { return false }
            return text.holds("translation") && text.holds("{%")
        }
    }
}

/// A message variation of a response, for any channel.
enum ExportedVariation {
    /// An iOS push.
    case push(ExportedMessage)
    /// A control variation without content: its group of users gets no message.
    case control(id: String)
    /// A message for a different channel.
    case other(channel: String)

    private static let pushChannels: Set = ["ios_push", "apple_push", "push"]

    private static let knownKeys: Set = [
        "channel", "name", "type", "alert", "body", "title", "action", "image_url", "large_image_url", "extras",
        "has_translatable_content", "created_at", "updated_at",
    ]

    /// Reads a message.
    ///
    /// - Parameters:
    ///   - node: the message.
    ///   - unknownKeys: receives the keys of a push that this version does not know.
    init(_ node: JSONNode, unknownKeys: inout Set<String>) {
        let id = node.key ?? ""
        let channel = node["channel"]?.string ?? ""
        if node["type"]?.string == "control" {
            self = .control(id: id)
            return
        }
        guard Self.pushChannels.contains(channel) else {
            self = .other(channel: channel)
            return
        }
        for member in node.members {
            if let key = member.key, !Self.knownKeys.contains(key) { unknownKeys.insert(key) }
        }
        func text(_ key: String) -> ExportedMessage.Text {
            guard let value = node[key] else { return .notGiven }
            guard let text = value.string, !text.isEmpty else { return .none }
            return .text(text)
        }
        let name = node["name"]?.string
        var message = ExportedMessage(id: id, name: name.flatMap { $0.isEmpty ? nil : $0 })
        message.title = text("title")
        message.body = node["alert"] == nil ? text("body") : text("alert")
        message.uri = text("action")
        message.image = text("image_url")
        if let extras = node["extras"] {
            // Without pairs, this may be an empty array, which has no members.
            message.extras = extras.members.map { pair in
                ExportedMessage.Pair(key: pair.key ?? "", value: pair.string ?? (pair.isNull ? "" : pair.minified))
            }
        }
        self = .push(message)
    }
}

extension JSONNode {
    /// The value as JSON on one line.
    fileprivate var minified: String {
        (try? DocumentNode.json(SourceFile(path: "", text: source), rule: .campaignSyntax))?.json ?? source
    }
}
