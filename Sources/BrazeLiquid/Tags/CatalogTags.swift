// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates

extension TagDefinition {
    /// `{% catalog_items Games 1234 1235 :rerender %}`: sets `items`.
    ///
    /// IDs that are not in the catalog are skipped. Source: Braze, "Using catalogs".
    static let catalogItems = TagDefinition(
        "catalog_items",
        summary: "Sets 'items' to items of a catalog by their ids; ':rerender' renders Liquid in their fields.",
        takesText: true
    ) { (markup) throws(LiquidError) -> CatalogMarkup in
        let (words, rerenders) = try markup.catalogWords()
        guard words.count >= 2 else { throw markup.error("expected a catalog and the ids of items") }
        return try markup.readCatalog(words, rerenders)
    } run: { (markup, values, renderer) throws(LiquidError) in
        let name = try values.text(markup.catalog, renderer.limits)
        let state = try renderer.messageState()
        let catalog = try state.catalog("catalogs", name)
        var items: [Value] = []
        for text in markup.members {
            for id in try values.texts(text, renderer.limits) {
                try renderer.charge(work: 8, bytes: 200 + id.utf8.count)
                state.use("catalogs", "\(name)/\(id)")
                if let item = catalog[id] { items.append(item) }
            }
        }
        try renderer.assign("items", .array(markup.rerenders ? try renderer.rerendered(items) : items))
        return .proceed
    }

    /// `{% catalog_selection_items Games cheap_games %}`: sets `items` to at most 50 items.
    ///
    /// Source: Braze, "Selections".
    static let catalogSelectionItems = TagDefinition(
        "catalog_selection_items",
        summary: "Sets 'items' to the items of a catalog's selection; ':rerender' renders Liquid in their fields.",
        takesText: true
    ) { (markup) throws(LiquidError) -> CatalogMarkup in
        let (words, rerenders) = try markup.catalogWords()
        guard words.count == 2 else { throw markup.error("expected a catalog and one of its selections") }
        return try markup.readCatalog(words, rerenders)
    } run: { (markup, values, renderer) throws(LiquidError) in
        guard let member = markup.members.first else { return .proceed }
        let name = try values.text(markup.catalog, renderer.limits)
        let selection = try values.text(member, renderer.limits)
        let state = try renderer.messageState()
        let selections = try state.catalog("catalog_selections", name)
        guard case .array(let found)? = selections[selection] else {
            throw state.unusable(
                "selection of the catalog '\(name)' called", selection, of: selections, expected: "a list of items")
        }
        state.use("catalog_selections", "\(name)/\(selection)")
        let items = Array(found.prefix(50))
        try renderer.assign("items", .array(markup.rerenders ? try renderer.rerendered(items) : items))
        return .proceed
    }
}

/// The markup of a catalog tag: a catalog, and the IDs of items or the name of a selection.
private struct CatalogMarkup: Sendable {
    var catalog: MarkupText
    var members: [MarkupText]
    var rerenders: Bool
}

extension TagMarkup {
    /// The words of the markup, and whether `:rerender` is among them.
    fileprivate func catalogWords() throws(LiquidError) -> (words: [Range<Int>], rerenders: Bool) {
        var words = words(in: range)
        var rerenders = false
        for (index, word) in words.enumerated().reversed() where self[word.lowerBound] == UInt8(ascii: ":") {
            guard text(word) == ":rerender" else {
                throw error("found '\(text(word))', expected ':rerender' as the only option", at: word)
            }
            rerenders = true
            words.remove(at: index)
        }
        return (words, rerenders)
    }

    /// Reads the name of a catalog and the names of its items or selection.
    fileprivate mutating func readCatalog(
        _ words: [Range<Int>],
        _ rerenders: Bool
    ) throws(LiquidError) -> CatalogMarkup {
        let catalog = try readText(words[0])
        var members: [MarkupText] = []
        for word in words.dropFirst() { members.append(try readText(word)) }
        return CatalogMarkup(catalog: catalog, members: members, rerenders: rerenders)
    }
}

extension MessageState {
    /// The items or selections of a catalog.
    fileprivate func catalog(_ kind: String, _ name: String) throws(LiquidError) -> LiquidObject {
        let catalogs = members(kind)
        guard case .object(let catalog)? = catalogs[name] else {
            let expected = kind == "catalogs" ? "an object with items by their ids" : "an object with selections"
            throw unusable("catalog", name, in: kind, expected: expected)
        }
        return catalog
    }
}

extension Renderer {
    /// The items, with the Liquid in their fields rendered.
    fileprivate mutating func rerendered(_ items: [Value]) throws(LiquidError) -> [Value] {
        var result: [Value] = []
        for item in items { result.append(try rerendered(item)) }
        return result
    }

    private mutating func rerendered(_ value: Value) throws(LiquidError) -> Value {
        switch value {
        case .string(let text): return .string(try rerendered(text, name: "catalog item"))
        case .object(let object):
            var members = LiquidObject.Builder()
            for (key, value) in zip(object.keys, object.values) { members.set(key, try rerendered(value)) }
            return .object(LiquidObject(members))
        case .array(let elements):
            return .array(try rerendered(elements))
        default: return value
        }
    }

    /// The text after rendering the Liquid in it; the result is not rendered again.
    mutating func rerendered(_ source: String, name: String) throws(LiquidError) -> String {
        guard source.utf8.contains(where: { $0 == UInt8(ascii: "{") }) else { return source }
        return try text(ofSource: source, name: name, environment: BrazeEnvironment.rerender)
    }
}
