// SPDX-License-Identifier: MIT

extension Format {
    /// The keys that the mapping at a path may have.
    ///
    /// - Parameter path: the keys that lead to the mapping; lists on the way add nothing to the path.
    /// - Returns: the keys of every object that the mapping may be.
    package func keys(under path: some Sequence<String>) -> [Key] {
        kinds(at: path).flatMap { kind -> [Key] in
            if case .object(let format) = kind { format.keys } else { [] }
        }
    }

    /// The key at a path, with its kind; nil if the format has no such key.
    package func key(at path: [String]) -> Key? {
        guard let name = path.last else { return nil }
        return keys(under: path.dropLast()).first { $0.name == name }
    }

    /// The kinds that the value at a path may have; for a list, those of its elements; for `either` and `oneOf`, all
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
    /// The kinds that the value itself may have, or the elements if it is a list; `either` and `oneOf` are replaced by
    /// their alternatives.
    fileprivate var leaves: [Format.Kind] {
        switch self {
        case .list(let kind): kind.leaves
        case .either(let kinds): kinds.flatMap(\.leaves)
        case .oneOf(let formats): formats.map { .object($0) }
        default: [self]
        }
    }

    /// The words that an editor can suggest for a value of this kind; empty if any value is possible.
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
