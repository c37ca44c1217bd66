// SPDX-License-Identifier: MIT

/// The conditions under which code runs.
extension PayloadTracer {
    /// A key and the path to it.
    struct KeyName: Hashable {
        var path: [String]
        var key: String
    }

    /// The pushes for which a part of the code runs, as far as the conditions around it say.
    struct Circumstances: Hashable {
        var categories = CategorySet.all

        /// The keys that these pushes have.
        var keys: Set<KeyName> = []

        /// Those of ``keys`` for which a branch tests; others are tested for by an exit, which is a finding of its own.
        var keysOfBranches: Set<KeyName> = []

        /// Whether it runs for some of these pushes only.
        var isOpen = false

        /// Whether the run began at a function that other code has already called with a push.
        var isRepeated = false

        func intersection(_ other: Circumstances) -> Circumstances {
            Circumstances(
                categories: categories.intersection(other.categories),
                keys: keys.union(other.keys),
                keysOfBranches: keysOfBranches.union(other.keysOfBranches),
                isOpen: isOpen || other.isOpen,
                isRepeated: isRepeated || other.isRepeated
            )
        }

        /// The circumstances as a campaign can meet them.
        var condition: ReadCondition {
            let known = keysOfBranches.filter { $0.path.isEmpty && !TargetCode.isSystem([], $0.key) }
            return ReadCondition(categories: categories, keys: Set(known.map(\.key)), isOpen: isOpen)
        }
    }

    /// What a condition says of the pushes for which it holds.
    struct Tested {
        /// The reads that must not be missing.
        var sites: [Int] = []

        /// The categories.
        var categories = CategorySet.all

        /// Whether it tests anything but the category.
        var isMixed = false

        /// Whether pushes that have all pairs may fail it: it compares a value, or requires that a pair is missing.
        var isPartial = false

        /// The condition that both hold.
        func and(_ other: Tested) -> Tested {
            var both = self
            both.sites.formUnion(other.sites)
            both.categories = categories.intersection(other.categories)
            both.isMixed = isMixed || other.isMixed
            both.isPartial = isPartial || other.isPartial
            return both
        }

        /// The condition that one of them holds.
        func or(_ other: Tested) -> Tested {
            Tested(
                categories: categories.union(other.categories),
                isMixed: isMixed || other.isMixed,
                isPartial: isPartial || other.isPartial
            )
        }

        /// The condition that it does not hold, as far as that is known without its expression.
        var inverted: Tested {
            if !isMixed, categories != .all { return Tested(categories: categories.inverted) }
            return Tested(isMixed: true, isPartial: isPartial || !sites.isEmpty || !isMixed)
        }
    }

    /// Where code is that a condition guards.
    enum Guarded {
        /// In a branch, which runs for some pushes only.
        case branch
        /// After an exit, which is not where a push is meant to end, unless the condition compares a value in it.
        case rest
    }

    /// Adds a condition to those under which the code from here on runs.
    func narrow(_ tested: Tested, _ place: Guarded) {
        circumstances.categories = circumstances.categories.intersection(tested.categories)
        let keys = tested.sites.map { KeyName(path: sites[$0].path, key: sites[$0].key) }
        circumstances.keys.formUnion(keys)
        if place == .branch ? tested.isMixed : tested.isPartial {
            circumstances.keysOfBranches.formUnion(keys)
            circumstances.isOpen = true
        }
    }

    /// Runs code for which a condition holds.
    func holding<Result>(_ tested: Tested, _ place: Guarded, _ body: () -> Result) -> Result {
        let outer = circumstances
        narrow(tested, place)
        defer { circumstances = outer }
        return body()
    }

    /// Runs code in other circumstances than those of the code that is being run.
    func inCircumstances<Result>(_ other: Circumstances, _ body: () -> Result) -> Result {
        let outer = circumstances
        circumstances = other
        defer { circumstances = outer }
        return body()
    }

    /// The categories that a comparison of two values selects; nil where it does not compare the category with a text.
    func selectedCategories(_ left: TracedValue, _ right: TracedValue) -> CategorySet? {
        for (subject, other) in [(left, right), (right, left)] {
            guard case .category(let type)? = subject.forms.first, subject.forms.count == 1 else { continue }
            let names = other.forms.compactMap { categoryName($0, type) }
            if names.count == 1, other.forms.count == 1 { return CategorySet(Set(names)) }
        }
        return nil
    }

    /// The category that a value of the code means: a text, or a case of the enumeration of the categories.
    private func categoryName(_ form: Form, _ type: Int?) -> String? {
        switch form {
        case .text(let text, _): text
        case .enumCase(let type, let name, _): rawValue(type, name)
        case .implicit(let name, _): type.flatMap { rawValue($0, name) }
        default: nil
        }
    }

    /// The categories in a list of the code; nil where it has anything else.
    func categories(in list: TracedValue) -> CategorySet? {
        guard list.forms.count == 1, case .list(let values) = list.forms[0] else { return nil }
        let names = values.map { $0.forms.count == 1 ? categoryName($0.forms[0], nil) : nil }
        let known = names.compactMap(\.self)
        return known.count == names.count ? CategorySet(Set(known)) : nil
    }

    /// Methods that compare texts.
    static let comparing: Set<String> = ["isEqualToString:", "isEqual:", "isEqualToNumber:", "elementsEqual"]
}

extension CodeFunction {
    /// Whether the system calls it with a push.
    var isEntry: Bool {
        ["didReceive", "userNotificationCenter", "application", "scene"].contains { name.hasPrefix($0) }
    }
}

extension TracedValue {
    /// The categories for which a Boolean value is true; nil where it is not the result of such a comparison.
    var selectedCategories: CategorySet? {
        guard forms.count == 1, case .isCategory(let categories) = forms[0] else { return nil }
        return categories
    }

    /// The value after a change to its text.
    var changed: TracedValue {
        var value = self
        value.forms.removeAll { if case .category = $0 { true } else { false } }
        return value
    }
}
