// SPDX-License-Identifier: MIT

import Foundation
import JSONTexts
import PayloadKit

/// What may follow the text before the cursor in a template.
struct Completion {
    /// One suggestion.
    struct Item {
        /// The name, as it is shown.
        let label: String

        /// What is inserted in place of the word before the cursor.
        let insert: String

        /// What the name means: a value of the selected user, or a sentence.
        let detail: String
    }

    /// The number of UTF-16 units before the cursor that a suggestion replaces.
    let length: Int

    /// The suggestions, the most useful first.
    let items: [Item]

    /// The most suggestions.
    private static let most = 40

    /// Finds suggestions.
    ///
    /// - Parameters:
    ///   - text: the text before the cursor.
    ///   - scene: the selected user, whose values are shown.
    init(after text: String, in scene: Scene) {
        let environment = BrazeEnvironment.standard
        if let attribute = Self.attribute(in: text) {
            length = attribute.word.utf16.count
            items = Self.attributes(attribute.namespace, startingWith: attribute.word, scene)
            return
        }
        let word = String(text.reversed().prefix { $0.isLetter || $0 == "_" || $0.isNumber }.reversed())
        let before = text.dropLast(word.count)
        let trimmed = String(before.reversed().drop { $0 == " " }.reversed())
        length = word.utf16.count
        if trimmed.hasSuffix("|"), !trimmed.hasSuffix("||") {
            let filters = environment.filters.filter { $0.name.hasPrefix(word) }.sorted { $0.name < $1.name }
            items = filters.prefix(Self.most).map { filter in
                // `default` may have no value, but does nothing useful without one.
                let takesValue = filter.arity.lowerBound > 0 || filter.name == "default"
                let insert = takesValue ? filter.name + ": " : filter.name
                return Item(label: takesValue ? insert + "…" : insert, insert: insert, detail: filter.summary)
            }
        } else if trimmed.hasSuffix("{%") || trimmed.hasSuffix("{%-") {
            let summaries = Dictionary(
                environment.tags.map { ($0.name, $0.summary) }, uniquingKeysWith: { first, _ in first })
            let ends = environment.tags.filter(\.hasBody).map { "end" + $0.name }
            let names = (environment.tagNames + ["else", "elsif", "when"] + ends).filter { $0.hasPrefix(word) }
            items = names.prefix(Self.most).map { Item(label: $0, insert: $0, detail: summaries[$0] ?? "") }
        } else {
            items = []
        }
    }

    /// The namespace and the first letters of an attribute that is being written; nil where none is.
    private static func attribute(in text: String) -> (namespace: String?, word: String)? {
        guard let open = text.range(of: "${", options: .backwards) else { return nil }
        let word = String(text[open.upperBound...])
        guard !word.contains("}"), !word.contains("\n") else { return nil }
        guard text[..<open.lowerBound].last == "." else { return (nil, word) }
        let namespace = text[..<open.lowerBound].dropLast().reversed().prefix { $0.isLetter || $0 == "_" }
        return (String(namespace.reversed()), word)
    }

    private static func attributes(_ namespace: String?, startingWith word: String, _ scene: Scene) -> [Item] {
        let member = namespace ?? BrazeEnvironment.attributesMember
        var values: [String: String] = [:]
        if case .success(let profile) = scene.selected.person.profile {
            for entry in profile.entries where entry.namespace == member {
                values[entry.name] = entry.value?.shown ?? ""
            }
        }
        if member == "api_trigger_properties" {
            for (key, value) in zip(scene.trigger.keys, scene.trigger.values) { values[key] = value.shown }
        }
        var known = AttributeTable.all.filter { $0.namespace == namespace }.compactMap { attribute in
            attribute.name.map { ($0, attribute.type.rawValue) }
        }
        if namespace == "custom_attribute", let attributes = scene.draft.registry?.attributes?.values {
            known += attributes.sorted { $0.name < $1.name }.map { ($0.name, $0.type ?? "any") }
        }
        let types = Dictionary(known, uniquingKeysWith: { first, _ in first })
        // The values that this user has come first.
        let own = values.keys.sorted()
        let names = own + known.map(\.0).filter { values[$0] == nil }
        return names.filter { $0.lowercased().hasPrefix(word.lowercased()) }.prefix(most).map { name in
            let detail = values[name].map { "“\($0.prefix(40))”" } ?? types[name].map { "\($0), not known here" } ?? ""
            return Item(label: name, insert: name + "}", detail: detail)
        }
    }
}

extension PreviewAnswers {
    /// The suggestions for the text before the cursor: `{"view", "values", "field": text}`.
    func complete(_ body: [UInt8]) throws(PreviewProblem) -> [UInt8] {
        let message = try PageMessage(body)
        let scene = try scene(message)
        let completion = Completion(after: message.field, in: scene)
        return Self.answer { json in
            json.beginObject()
            json.member("length", completion.length)
            json.key("items")
            json.beginArray()
            for item in completion.items {
                json.beginObject()
                json.member("label", item.label)
                json.member("insert", item.insert)
                json.member("detail", item.detail)
                json.endObject()
            }
            json.endArray()
            json.endObject()
        }
    }
}
