// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import DocumentFormats
import PayloadKit
import PayloadLinting

extension FeatureRequest {
    /// The number of bytes before the cursor in which the start of Liquid is searched for.
    private static let reach = 4_096

    /// The maximum number of suggestions in one answer; the client asks again when more of the name is typed.
    private static let suggestionLimit = 200

    /// A kind of suggestion, for which editors show an icon; the raw value is its number in the protocol.
    private enum Kind: Int {
        case function = 3
        case variable = 6
        case property = 10
        case value = 12
        case keyword = 14
    }

    private struct Suggestion {
        let label: String
        let insert: String
        let detail: String
        let kind: Kind
    }

    /// The suggestions for what is being written at an offset.
    func completion(at offset: Int) -> ProtocolValue {
        let bytes = text.file.bytes
        let before = String(decoding: bytes[max(0, offset - Self.reach)..<offset], as: UTF8.self)
        let isBlock = text.path?.hasSuffix(".liquid") ?? false
        if isBlock || format != nil {
            if let liquid = LiquidCompletion(after: before) {
                let items = liquid.items(own: names(liquid.kind)) { "\($0.type.rawValue), such as \($0.sample)" }
                return list(items.map { suggestion($0, liquid.kind, offset) }, liquid.word, at: offset)
            }
            if let word = Self.catalogName(in: before) {
                return list(catalogs.filter { $0.hasPrefix(word) }.map(Self.value), word, at: offset)
            }
        }
        guard !isBlock, let format, text.path?.hasSuffix(".json") == false else { return list([], "", at: offset) }
        let outline = LineOutline(bytes, before: offset)
        let path = formatPrefix + outline.path
        if outline.isKey {
            return list(keys(format, path, outline), outline.word, at: offset)
        }
        let word = String(outline.word.drop { $0 == "\"" || $0 == "'" || $0 == "[" })
        return list(values(format, path).filter { $0.label.hasPrefix(word) }, word, at: offset)
    }

    private func list(_ suggestions: [Suggestion], _ word: String, at offset: Int) -> ProtocolValue {
        let range = text.file.range(of: SourceRange(offset - word.utf8.count, offset), client.encoding)
        let items = suggestions.prefix(Self.suggestionLimit).enumerated().map { index, suggestion -> ProtocolValue in
            [
                "label": .string(suggestion.label),
                "kind": .integer(suggestion.kind.rawValue),
                "detail": suggestion.detail.isEmpty ? .nothing : .string(suggestion.detail),
                // Clients sort suggestions by this text, which keeps the order of this list.
                "sortText": .string(String(1_000 + index)),
                "filterText": .string(suggestion.label),
                "textEdit": ["range": range, "newText": .string(suggestion.insert)],
            ]
        }
        return ["isIncomplete": .bool(suggestions.count > Self.suggestionLimit), "items": .array(Array(items))]
    }

    private static func value(_ word: String) -> Suggestion {
        Suggestion(label: word, insert: word, detail: "", kind: .value)
    }

    // MARK: - Liquid

    private func suggestion(_ item: LiquidCompletion.Item, _ kind: LiquidCompletion.Kind, _ offset: Int) -> Suggestion {
        let isClosed = text.file.bytes[offset...].first == UInt8(ascii: "}")
        return switch kind {
        case .attribute:
            Suggestion(
                label: item.name, insert: isClosed ? item.name : item.insert, detail: item.detail, kind: .variable)
        case .filter: Suggestion(label: item.name, insert: item.insert, detail: item.detail, kind: .function)
        case .tag: Suggestion(label: item.name, insert: item.insert, detail: item.detail, kind: .keyword)
        }
    }

    /// The names that the project knows for a kind of attribute, each with a detail for the list.
    private func names(_ kind: LiquidCompletion.Kind) -> [(name: String, detail: String)] {
        guard case .attribute(let namespace) = kind else { return [] }
        let all = (project?.kept.campaigns ?? []).compactMap(\.campaign)
        let openCampaign = campaign?.campaign
        var found: [String: String] = [:]
        switch namespace {
        case "content_blocks":
            for block in openCampaign?.blocks ?? all.flatMap(\.blocks) { found[block.name] = block.text.file.path }
        case "custom_attribute":
            for campaign in all { found.merge(campaign.attributeTypes.mapValues(\.rawValue)) { first, _ in first } }
            let registered = (registry?.attributes ?? [:]).mapValues { $0.description ?? $0.type ?? "" }
            found.merge(registered) { first, _ in first }
        case "api_trigger_properties", "event_properties":
            let isTrigger = namespace == "api_trigger_properties"
            for test in openCampaign?.tests ?? all.flatMap(\.tests) {
                for key in (isTrigger ? test.triggerProperties : test.eventProperties)?.keys ?? [] {
                    found[key] = "in the test '\(test.name)'"
                }
            }
        default: break
        }
        return found.sorted { $0.key < $1.key }.map { (name: $0.key, detail: $0.value) }
    }

    /// The part of a catalog's name that was typed after the name of its tag; nil if no catalog is being named.
    private static func catalogName(in text: String) -> String? {
        guard let tag = text.lastIndex(of: "%"), text[..<tag].last == "{" else { return nil }
        let words = text[text.index(after: tag)...].drop { $0 == "-" || $0 == " " }
            .split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, ["catalog_items", "catalog_selection_items"].contains(String(words[0])) else {
            return nil
        }
        return String(words[1])
    }

    /// The custom attributes, catalogs and events of the project's Braze workspace; nil if they are not known.
    private var registry: WorkspaceRegistry? {
        campaign?.registry ?? (project?.kept.campaigns ?? []).lazy.compactMap(\.registry).first
    }

    private var catalogs: [String] {
        let campaigns = campaign.map { [$0] } ?? project?.kept.campaigns ?? []
        let names = campaigns.compactMap(\.campaign?.fixturesDocument?.root).flatMap { root in
            (root.members("catalogs") + root.members("catalog_selections")).map(\.name)
        }
        return Set(names).union((registry?.catalogs ?? [:]).keys).sorted()
    }

    // MARK: - Keys and values

    private func keys(_ format: Format, _ path: [String], _ outline: LineOutline) -> [Suggestion] {
        let known = format.keys(under: path).map { key -> Suggestion in
            let isNested = format.kinds(at: path + [key.name]).allSatisfy(\.isNested)
            let end = outline.hasColon ? "" : isNested ? ":" : ": "
            return Suggestion(label: key.name, insert: key.name + end, detail: key.summary, kind: .property)
        }
        var sent: [String: String] = [:]
        if path == ["push", "extras"] || path == ["requires", "extras"] {
            for reader in readers(category) where sent[reader.key] == nil { sent[reader.key] = reader.detail }
        }
        let pairs = sent.sorted { $0.key < $1.key }.map { key, detail in
            Suggestion(label: key, insert: key + (outline.hasColon ? "" : ": "), detail: detail, kind: .property)
        }
        return (pairs + known).filter { $0.label.hasPrefix(outline.word) }
    }

    private func values(_ format: Format, _ path: [String]) -> [Suggestion] {
        let apps = project?.apps ?? []
        switch path {
        case ["push", "category"] where Campaign.isCampaign(text.path ?? ""):
            return apps.flatMap { app in
                app.contentExtensions.flatMap { found in
                    found.categories.map { category in
                        let detail = "claimed by \(found.name ?? app.name)"
                        return Suggestion(label: category.value, insert: category.value, detail: detail, kind: .value)
                    }
                }
            }
        case ["app"] where Campaign.isCampaign(text.path ?? ""): return apps.map { Self.value($0.name) }
        default: return format.kinds(at: path).flatMap(\.suggestedWords).map(Self.value)
        }
    }
}

extension Format.Kind {
    /// Whether a value of this kind is written on the lines below its key.
    fileprivate var isNested: Bool {
        switch self {
        case .object, .mapping, .collection: true
        default: false
        }
    }
}
