// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import JSONTexts
import PayloadKit

/// An iOS push as Braze's API returns it.
struct ExportedMessage: Sendable, Hashable {
    /// A text of a push, which a response need not contain.
    enum Text: Sendable, Hashable {
        /// The response does not contain the text.
        case notGiven
        /// The response says that the push does not have the text.
        case none
        case text(String)
    }

    /// The id of the message variation.
    let id: String

    /// The name of the message variation; nil if it has none.
    let name: String?

    var title = Text.notGiven
    var body = Text.notGiven
    var uri = Text.notGiven
    var image = Text.notGiven

    /// The key-value pairs in the order of the response; nil if the response does not contain them.
    var extras: [Pair]?

    /// The languages into which the push is translated.
    var locales: [String] = []

    /// A key-value pair of a push, with the key and the value as text.
    struct Pair: Sendable, Hashable {
        let key: String
        let value: String
    }

    /// Whether the push has no content, as in campaigns whose messages are sent through the API.
    var isEmpty: Bool {
        [title, body, uri, image].allSatisfy { if case .text(let text) = $0 { text.isEmpty } else { true } }
            && (extras ?? []).isEmpty
    }

    /// Whether one of the texts has translations: it then contains Liquid tags `translation`, but not the translations.
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
    /// A control variation, whose users get no message.
    case control(id: String)
    /// A message for a channel other than iOS push.
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
            // In a push without key-value pairs, this may be an empty array, which has no members.
            message.extras = extras.members.map { pair in
                ExportedMessage.Pair(key: pair.key ?? "", value: pair.string ?? (pair.isNull ? "" : pair.minified))
            }
        }
        self = .push(message)
    }
}

extension JSONNode {
    /// The value as JSON without spaces and line breaks.
    fileprivate var minified: String {
        (try? DocumentNode.json(SourceFile(path: "", text: source), rule: .campaignSyntax))?.json ?? source
    }
}
