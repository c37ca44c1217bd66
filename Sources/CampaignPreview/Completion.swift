// SPDX-License-Identifier: MIT

import JSONTexts
import PayloadKit

extension LiquidCompletion {
    /// The maximum number of suggestions.
    private static let suggestionLimit = 40

    /// The suggestions, the most useful first: names for which the selected person has a value come before the others.
    fileprivate func items(in scene: Scene) -> [Item] {
        var values: [String: String] = [:]
        if case .attribute(let namespace) = kind {
            let member = namespace ?? BrazeEnvironment.attributesMember
            if case .success(let profile) = scene.selected.person.profile {
                for entry in profile.entries where entry.namespace == member {
                    values[entry.name] = entry.value?.shown ?? ""
                }
            }
            if member == "api_trigger_properties" {
                for (key, value) in zip(scene.trigger.keys, scene.trigger.values) { values[key] = value.shown }
            }
        }
        var names = values.sorted { $0.key < $1.key }.map { (name: $0.key, detail: "“\($0.value.prefix(40))”") }
        if kind == .attribute(namespace: "custom_attribute"), let known = scene.draft.registry?.attributes {
            names += known.values.filter { values[$0.name] == nil }.sorted { $0.name < $1.name }.map {
                ($0.name, "\($0.type ?? "any"), not known here")
            }
        }
        return Array(items(own: names) { "\($0.type.rawValue), not known here" }.prefix(Self.suggestionLimit))
    }
}

extension PreviewAnswers {
    /// Answers a request for suggestions: `{"view", "values", "field"}`, where `field` is the text before the cursor.
    func complete(_ body: [UInt8]) throws(PreviewProblem) -> [UInt8] {
        let message = try PageMessage(body)
        let scene = try scene(message)
        let completion = LiquidCompletion(after: message.field)
        return Self.answer { json in
            json.member("length", completion?.word.utf16.count ?? 0)
            json.objects("items", completion?.items(in: scene) ?? []) { json, item in
                json.member("label", item.insert.hasSuffix(": ") ? item.insert + "…" : item.name)
                json.member("insert", item.insert)
                json.member("detail", item.detail)
            }
        }
    }
}
