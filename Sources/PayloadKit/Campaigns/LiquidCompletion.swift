// SPDX-License-Identifier: MIT

import BrazeLiquid

/// What may follow the text before a cursor in a template.
package struct LiquidCompletion: Sendable {
    /// What is being written.
    package enum Kind: Sendable, Equatable {
        /// The name of an attribute after `${`; nil is no namespace.
        case attribute(namespace: String?)
        case filter, tag
    }

    /// One suggestion.
    package struct Item: Sendable {
        /// The name.
        package let name: String

        /// What is inserted in place of ``LiquidCompletion/word``.
        package let insert: String

        /// What the name means.
        package let detail: String

        package init(name: String, insert: String, detail: String) {
            self.name = name
            self.insert = insert
            self.detail = detail
        }
    }

    /// What is being written.
    package let kind: Kind

    /// What is already there of the name.
    package let word: String

    /// Looks at the text before a cursor; nil where no name of Liquid is being written.
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
            // `}}` also ends `${…}` inside an output that ends with it.
            case (UInt8(ascii: "}"), UInt8(ascii: "}")): return false
            default: break
            }
        }
        return false
    }

    /// The namespace and the first letters of an attribute that is being written; nil where none is.
    private static func attribute(in text: some StringProtocol) -> (namespace: String?, word: String)? {
        guard let dollar = text.lastIndex(of: "$"), text[dollar...].hasPrefix("${") else { return nil }
        let word = String(text[dollar...].dropFirst(2))
        guard !word.contains("}"), !word.contains("\n") else { return nil }
        guard text[..<dollar].last == "." else { return (nil, word) }
        let namespace = text[..<dollar].dropLast().reversed().prefix { $0.isLetter || $0 == "_" }
        return (String(namespace.reversed()), word)
    }

    /// The filters and tags that may be meant, and of the names of attributes first those that are known of some user
    /// or project.
    ///
    /// - Parameters:
    ///   - own: the names that are known in a namespace, with what to show of them.
    ///   - detail: what to show of an attribute of Braze.
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
                // `default` may have no value, but does nothing useful without one.
                let takesValue = filter.arity.lowerBound > 0 || filter.name == "default"
                return Item(
                    name: filter.name, insert: takesValue ? filter.name + ": " : filter.name, detail: filter.summary)
            }
        case .tag:
            let summaries = Dictionary(
                environment.tags.map { ($0.name, $0.summary) }, uniquingKeysWith: { first, _ in first })
            let ends = environment.tags.filter(\.hasBody).map { "end" + $0.name }
            return (environment.tagNames + ["else", "elsif", "when"] + ends).filter { $0.hasPrefix(word) }.map {
                Item(name: $0, insert: $0, detail: summaries[$0] ?? "")
            }
        }
    }
}
