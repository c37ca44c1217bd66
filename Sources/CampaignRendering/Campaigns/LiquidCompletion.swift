// SPDX-License-Identifier: MIT

import BrazeLiquid

/// The suggestions for the text before a cursor in a template.
package struct LiquidCompletion: Sendable {
    /// The kinds of names that can be completed.
    package enum Kind: Sendable, Equatable {
        /// The name of an attribute after `${`; a nil namespace means none.
        case attribute(namespace: String?)
        case filter, tag
    }

    /// One suggestion.
    package struct Item: Sendable {
        /// The name.
        package let name: String

        /// The text that replaces ``LiquidCompletion/word``.
        package let insert: String

        /// The meaning of the name.
        package let detail: String

        package init(name: String, insert: String, detail: String) {
            self.name = name
            self.insert = insert
            self.detail = detail
        }
    }

    /// The kind of name that is being written.
    package let kind: Kind

    /// The part of the name that is already written.
    package let word: String

    /// Examines the text before a cursor; nil if no name of Liquid is being written.
    package init?(after text: some StringProtocol) {
        if let (namespace, word) = Self.attribute(in: text) {
            (kind, self.word) = (.attribute(namespace: namespace), word)
            return
        }
        let word = String(text.reversed().prefix { $0.isLetter || $0 == "_" || $0.isNumber }.reversed())
        let before = String(text.dropLast(word.count).reversed().drop { $0 == " " }.reversed())
        self.word = word
        if before.hasSuffix("{%") || before.hasSuffix("{%-") {
            kind = .tag
        } else if before.hasSuffix("|"), !before.hasSuffix("||"), Self.isInMarkup(before) {
            kind = .filter
        } else {
            return nil
        }
    }

    /// Whether the end of a text is inside an output or a tag.
    private static func isInMarkup(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count > 1 else { return false }
        for index in (1..<bytes.count).reversed() {
            switch (bytes[index - 1], bytes[index]) {
            case (UInt8(ascii: "{"), UInt8(ascii: "{")), (UInt8(ascii: "{"), UInt8(ascii: "%")): return true
            case (UInt8(ascii: "%"), UInt8(ascii: "}")): return false
            // `}}` ends an output; in `${name}}}`, the last two braces do.
            case (UInt8(ascii: "}"), UInt8(ascii: "}")): return false
            default: break
            }
        }
        return false
    }

    /// The namespace and the first letters of the attribute that is being written; nil if none is.
    private static func attribute(in text: some StringProtocol) -> (namespace: String?, word: String)? {
        guard let dollar = text.lastIndex(of: "$"), text[dollar...].hasPrefix("${") else { return nil }
        let word = String(text[dollar...].dropFirst(2))
        guard !word.contains("}"), !word.contains("\n") else { return nil }
        guard text[..<dollar].last == "." else { return (nil, word) }
        let namespace = text[..<dollar].dropLast().reversed().prefix { $0.isLetter || $0 == "_" }
        return (String(namespace.reversed()), word)
    }

    /// The filters, tags or attributes that may be meant; known attributes of a user or project come before the
    /// attributes that Braze defines.
    ///
    /// - Parameters:
    ///   - own: the known attributes in the namespace, each with the detail to show.
    ///   - detail: returns the detail to show for one of Braze's attributes.
    /// - Returns: the suggestions.
    package func items(
        own: [(name: String, detail: String)],
        detail: (AttributeDescription) -> String
    ) -> [Item] {
        let environment = BrazeEnvironment.standard
        switch kind {
        case .attribute(let namespace):
            let names = Set(own.map(\.name))
            let known = AttributeTable.all.filter { $0.namespace == namespace }.compactMap { attribute in
                attribute.name.map { ($0, detail(attribute)) }
            }
            return (own.map { ($0.name, $0.detail) } + known.filter { !names.contains($0.0) })
                .filter { $0.0.lowercased().hasPrefix(word.lowercased()) }
                .map { Item(name: $0, insert: $0 + "}", detail: $1) }
        case .filter:
            return environment.filters.filter { $0.name.hasPrefix(word) }.sorted { $0.name < $1.name }.map { filter in
                // `default` can be written without a value, but is useful only with one.
                let takesValue = filter.arity.lowerBound > 0 || filter.name == "default"
                return Item(
                    name: filter.name, insert: takesValue ? filter.name + ": " : filter.name, detail: filter.summary)
            }
        case .tag:
            let summaries = Dictionary(first: environment.tags.map { ($0.name, $0.summary) })
            let ends = environment.tags.filter(\.hasBody).map { "end" + $0.name }
            return (environment.tagNames + ["else", "elsif", "when"] + ends).filter { $0.hasPrefix(word) }.map {
                Item(name: $0, insert: $0, detail: summaries[$0] ?? "")
            }
        }
    }
}
