// SPDX-License-Identifier: MIT

extension Format {
    /// The keys that a mapping may have.
    ///
    /// - Parameter path: the keys that lead to the mapping; lists on the way add nothing to the path.
    /// - Returns: the keys of every object that the mapping may be.
    package func keys(under path: some Sequence<String>) -> [Key] {
        kinds(at: path).flatMap { kind -> [Key] in
            if case .object(let format) = kind { format.keys } else { [] }
        }
    }

    /// The key at a path; nil if the format has no such key.
    package func key(at path: [String]) -> Key? {
        guard let name = path.last else { return nil }
        return keys(under: path.dropLast()).first { $0.name == name }
    }

    /// The kinds that the value at a path may have: of a list, the kinds of its elements; of a choice, all
    /// alternatives.
    package func kinds(at path: some Sequence<String>) -> [Kind] {
        path.reduce([.object(self)]) { kinds, name in
            kinds.flatMap(\.leaves).flatMap { kind -> [Kind] in
                switch kind {
                case .object(let format): format.keys.filter { $0.name == name }.map(\.kind)
                case .mapping(let value, _): [value]
                default: []
                }
            }
        }.flatMap(\.leaves)
    }
}

extension Format.Kind {
    /// The kinds that a value or an element of a list may be.
    fileprivate var leaves: [Format.Kind] {
        switch self {
        case .list(let kind): kind.leaves
        case .either(let kinds): kinds.flatMap(\.leaves)
        case .oneOf(let formats): formats.map { .object($0) }
        default: [self]
        }
    }

    /// The words to suggest for a value; empty if the kind has no fixed set of values.
    package var suggestedWords: [String] {
        switch self {
        case .choice(let words), .choiceOrNumber(let words, _): words
        case .boolean, .booleanOrBit, .booleanOrNull: ["true", "false"]
        case .yes: ["true"]
        case .level(let numbers, _): numbers.map(String.init)
        case .version(let version, _): [String(version)]
        default: []
        }
    }
}
