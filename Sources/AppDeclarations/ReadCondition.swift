// SPDX-License-Identifier: MIT

/// A set of notification categories, written as the categories in it or as those that are not in it.
package struct CategorySet: Sendable, Hashable {
    /// The categories in the set; if ``isComplement`` is true, the categories that are not in it.
    package let names: Set<String>

    /// Whether ``names`` are the categories that are not in the set.
    package let isComplement: Bool

    /// The set of all categories.
    package static let all = CategorySet([], isComplement: true)

    /// The empty set.
    package static let none = CategorySet([])

    /// Creates a set.
    package init(_ names: Set<String>, isComplement: Bool = false) {
        self.names = names
        self.isComplement = isComplement
    }

    /// The categories that are not in the set.
    package var inverted: CategorySet { CategorySet(names, isComplement: !isComplement) }

    package func intersection(_ other: CategorySet) -> CategorySet {
        switch (isComplement, other.isComplement) {
        case (false, false): CategorySet(names.intersection(other.names))
        case (false, true): CategorySet(names.subtracting(other.names))
        case (true, false): CategorySet(other.names.subtracting(names))
        case (true, true): CategorySet(names.union(other.names), isComplement: true)
        }
    }

    package func union(_ other: CategorySet) -> CategorySet { inverted.intersection(other.inverted).inverted }

    package mutating func formUnion(_ other: CategorySet) { self = union(other) }

    package func subtracting(_ other: CategorySet) -> CategorySet { intersection(other.inverted) }

    package func isSuperset(of other: CategorySet) -> Bool { union(other) == self }

    /// Whether a category is in the set.
    package func contains(_ category: String) -> Bool { names.contains(category) != isComplement }
}

/// Describes the pushes for which an app's code needs a key-value pair.
package struct ReadCondition: Sendable, Hashable {
    /// The categories that these pushes can have.
    package var categories: CategorySet

    /// The keys that all of these pushes have at the top level of their payload.
    package var keys: Set<String>

    /// Whether only some of these pushes need the pair: they also depend on a condition in the code whose result is not
    /// known.
    package var isOpen: Bool

    /// Describes a condition; without arguments it is met by all pushes.
    package init(categories: CategorySet = .all, keys: Set<String> = [], isOpen: Bool = false) {
        self.categories = categories
        self.keys = keys
        self.isOpen = isOpen
    }

    /// The condition that all pushes meet.
    package static let always = ReadCondition()

    /// Whether all pushes that meet another condition meet this one too.
    package func covers(_ other: ReadCondition) -> Bool {
        categories.isSuperset(of: other.categories) && keys.isSubset(of: other.keys) && (!isOpen || other.isOpen)
    }
}
