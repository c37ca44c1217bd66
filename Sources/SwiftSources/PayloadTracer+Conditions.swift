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

        /// The categories for which it runs for some of these pushes only.
        var open = CategorySet.none

        /// The categories for which anything but the category and ``keys`` decides if the code is reached, here or in
        /// an exit before.
        var uncertain = CategorySet.none

        /// Whether the run began at a function that other code has already called with a push.
        var isRepeated = false

        func intersection(_ other: Circumstances) -> Circumstances {
            Circumstances(
                categories: categories.intersection(other.categories),
                keys: keys.union(other.keys),
                keysOfBranches: keysOfBranches.union(other.keysOfBranches),
                open: open.union(other.open),
                uncertain: uncertain.union(other.uncertain),
                isRepeated: isRepeated || other.isRepeated
            )
        }

        /// Adds the pushes of other circumstances.
        mutating func formUnion(_ other: Circumstances) {
            let (all, others) = (categories, other.categories)
            func both(_ own: CategorySet, _ other: CategorySet) -> CategorySet {
                all.union(others).subtracting(all.subtracting(own).union(others.subtracting(other)))
            }
            open = both(open, other.open)
            uncertain = both(uncertain, other.uncertain)
            categories = all.union(others)
            keys.formIntersection(other.keys)
            keysOfBranches.formIntersection(other.keysOfBranches)
            isRepeated = isRepeated && other.isRepeated
        }

        /// Whether these are those of all pushes of other circumstances.
        func covers(_ other: Circumstances) -> Bool {
            categories.isSuperset(of: other.categories)
                && other.open.isSuperset(of: open.intersection(other.categories))
        }

        /// The circumstances as a campaign can meet them: those for all pushes, and those for some of them.
        var conditions: [ReadCondition] {
            let known = keysOfBranches.filter { $0.path.isEmpty && !TargetCode.isSystem([], $0.key) }
            let keys = Set(known.map(\.key))
            let some = categories.intersection(open)
            let all = ReadCondition(categories: categories.subtracting(open), keys: keys)
            if some == .none { return [all] }
            let someCondition = ReadCondition(categories: some, keys: keys, isOpen: true)
            return all.categories == .none ? [someCondition] : [all, someCondition]
        }

        /// The pushes for which the code is certainly reached; open where that is not known.
        var certainCondition: ReadCondition {
            let tested = keys.filter { !TargetCode.isSystem($0.path, $0.key) }
            return ReadCondition(
                categories: categories.subtracting(uncertain), keys: Set(tested.filter(\.path.isEmpty).map(\.key)),
                isOpen: !tested.allSatisfy(\.path.isEmpty))
        }
    }

    /// What a condition says of the pushes for which it holds.
    struct Tested {
        /// The reads that must not be missing.
        var sites: [Int] = []

        /// The values in a push whose conversions must not fail.
        var conversions: [SentValue] = []

        /// The categories.
        var categories = CategorySet.all

        /// Whether it tests anything but the category.
        var isMixed = false

        /// Whether it tests nothing but the category and that the pairs of ``sites`` are sent, as texts.
        var isOfPairs = false

        /// Whether anything but a push decides it, as in `#available`, or a key that Apple or Braze does not always
        /// send.
        var isUncertain = false

        /// Whether pushes that have all pairs may fail it: it compares a value, or requires that a pair is missing.
        var isPartial = false

        /// The condition that both hold.
        func and(_ other: Tested) -> Tested {
            var both = self
            both.sites.formUnion(other.sites)
            both.conversions.formUnion(other.conversions)
            both.categories = categories.intersection(other.categories)
            both.isOfPairs = (isOfPairs || !isMixed) && (other.isOfPairs || !other.isMixed)
            both.isMixed = isMixed || other.isMixed
            both.isUncertain = isUncertain || other.isUncertain
            both.isPartial = isPartial || other.isPartial
            return both
        }

        /// The condition that one of them holds.
        func or(_ other: Tested) -> Tested {
            Tested(
                categories: categories.union(other.categories),
                isMixed: isMixed || other.isMixed,
                isUncertain: isUncertain || other.isUncertain,
                isPartial: isPartial || other.isPartial
            )
        }

        /// The condition that it does not hold, as far as that is known without its expression.
        var inverted: Tested {
            if !isMixed, categories != .all {
                return Tested(categories: categories.inverted, isUncertain: isUncertain)
            }
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
        // A push has one of several keys that the code may mean, and not all of them.
        let certain = tested.sites.filter { facts[$0].alternatives.allSatisfy { !tested.sites.contains($0) } }
        let keys = certain.map { KeyName(path: sites[$0].path, key: sites[$0].key) }
        circumstances.keys.formUnion(keys)
        if place == .branch ? tested.isMixed : tested.isPartial {
            circumstances.keysOfBranches.formUnion(keys)
            circumstances.open = .all
        }
        let isUncertain = tested.isMixed && (!tested.isOfPairs || certain.count < tested.sites.count)
        if isUncertain || tested.isUncertain { circumstances.uncertain = .all }
    }

    /// Narrows the circumstances to those in which a member of a value is used.
    ///
    /// Not every push gets there where the value is one of several objects, except in a loop over all of them, or where
    /// the value may be missing.
    func narrow(toUseOf value: TracedValue) {
        let receivers = Set(value.forms.filter(\.isReceiver))
        let isOneOfSeveral = !value.isEach && (receivers.count > 1 || value.isOfUnknownKey && !receivers.isEmpty)
        if isOneOfSeveral || value.isConditional { narrow(Tested(isMixed: true), .branch) }
    }

    /// Runs code for which a condition holds.
    func holding<Result>(_ tested: Tested, _ place: Guarded, _ body: () -> Result) -> Result {
        let outer = circumstances
        narrow(tested, place)
        defer { circumstances = outer }
        return body()
    }

    /// Runs code that may be skipped although the code around it runs.
    ///
    /// - Parameters:
    ///   - isUncertain: whether the code may be skipped.
    ///   - body: runs it.
    /// - Returns: what it returns.
    func uncertainly<Result>(_ isUncertain: Bool = true, _ body: () -> Result) -> Result {
        guard isUncertain else { return body() }
        let outer = circumstances.uncertain
        circumstances.uncertain = .all
        defer { circumstances.uncertain = outer }
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
    func selectedCategories(_ left: TracedValue, _ right: TracedValue, at place: CodePlace) -> CategorySet? {
        for (subject, other) in [(left, right), (right, left)] {
            guard case .category(let type)? = subject.forms.first, subject.forms.count == 1 else { continue }
            let names = other.forms.compactMap { categoryName($0, type) }
            guard names.count == 1, other.forms.count == 1 else { continue }
            comparedCategories.note(names[0], at: self.place(of: other.forms[0], in: type) ?? place)
            return CategorySet(Set(names))
        }
        return nil
    }

    /// The place where an enumeration declares one of its cases; nil for any other value.
    private func place(of form: Form, in type: Int?) -> CodePlace? {
        let declared: (type: Int, name: String)? =
            switch form {
            case .enumCase(let type, let name, _): (type, name)
            case .implicit(let name, _): type.map { ($0, name) }
            default: nil
            }
        guard let declared else { return nil }
        return index.types[declared.type].cases.first { $0.declaration.name == declared.name }.map {
            CodePlace(file: $0.file, offset: $0.declaration.offset)
        }
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

    // MARK: - Reading conditions

    /// Evaluates conditions and binds their names.
    ///
    /// - Returns: what all conditions together require.
    func tested(
        _ conditions: [CodeCondition],
        _ scope: Scope,
        _ frame: Frame,
        _ guarded: Guarded
    ) -> Tested {
        var found = Tested()
        let outer = circumstances
        let failures = frame.exits[.failure]
        defer {
            circumstances = outer
            if let found = frame.exits[.failure], found != failures {
                circumstances.uncertain.formUnion(found.categories)
            }
        }
        for condition in conditions {
            var tested = Tested(isMixed: true)
            switch condition {
            case .expression(let expression): tested = needed(expression, scope, frame, isTrue: true)
            case .binding(let pattern, let type, let expression, _):
                var value: TracedValue
                if let expression {
                    value = evaluate(expression, scope, frame, expected: type.map { .optional($0) })
                } else if let name = pattern.names.first {
                    value = self.value(named: name, scope, frame)
                } else {
                    value = .unknown
                }
                tested = present(value)
                if let type { value = annotated(value, with: type, frame) }
                bind(pattern, to: value.present, scope, frame)
            case .matching(let pattern, let expression):
                let value = evaluate(expression, scope, frame)
                tested = matched([pattern], value, scope, frame)
                bind(pattern, to: value, scope, frame)
            }
            found = found.and(tested)
            narrow(tested, guarded)
        }
        return found
    }

    /// The reads that must not be missing for a pattern to match.
    private func absence(_ pattern: CodePattern, _ value: TracedValue) -> [Int] {
        switch pattern {
        case .present, .typed: return value.absence
        case .enumCase(let name, _): return name == "none" ? [] : value.absence
        case .tuple(let parts):
            var found: [Int] = []
            for form in value.forms {
                guard case .tuple(let values) = form else { continue }
                for (part, value) in zip(parts, values) { found.formUnion(absence(part, value)) }
            }
            return found
        case .value: return value.absence
        case .name, .variable, .any: return []
        case .kind: return value.absence
        }
    }

    /// What it requires that one of several patterns matches a value.
    func matched(
        _ patterns: [CodePattern],
        _ value: TracedValue,
        _ scope: Scope,
        _ frame: Frame
    ) -> Tested {
        var found: Tested?
        for pattern in patterns {
            var tested = Tested(
                sites: absence(pattern, value), isMixed: !bindsPush(pattern, value) || value.isConditional,
                isPartial: value.isConditional)
            if let expression = pattern.expression {
                let other = evaluate(expression, scope, frame, expected: value.type)
                if other.isNull { tested.sites = [] }
                tested.isPartial = !value.influences.isEmpty
                let place = CodePlace(file: frame.file, offset: expression.offset)
                if let categories = selectedCategories(value, other, at: place) {
                    tested = Tested(categories: categories)
                }
            } else if case .enumCase(let name, let parts) = pattern, parts.isEmpty {
                let place = CodePlace(file: frame.file, offset: 0)
                if let categories = selectedCategories(value, TracedValue(.implicit(name, nil)), at: place) {
                    tested = Tested(categories: categories)
                }
            }
            found =
                found.map { first in
                    var either = first.or(tested)
                    either.sites = first.sites.filter { tested.sites.contains($0) }
                    return either
                } ?? tested
        }
        return found ?? Tested()
    }

    /// Whether a pattern binds the push itself, which no push is without.
    private func bindsPush(_ pattern: CodePattern, _ value: TracedValue) -> Bool {
        switch pattern {
        case .present(.name), .present(.variable), .typed: value.carriesPush
        case .enumCase(let name, let parts):
            parts.indices.contains { self.value(at: $0, ofCase: name, of: value).carriesPush }
        default: false
        }
    }

    /// What it requires of the push that a value is not nil.
    private func present(_ value: TracedValue) -> Tested {
        let isSent = !value.absence.isEmpty && value.absence.allSatisfy { isSystem($0) }
        let isAlways = isSent || value.carriesPush || value.forms.contains(.contentHandler)
        let mayBeText = value.type.map { ReadType($0) == .string } ?? true
        let isPair = mayBeText && value.sent.map { $0.conversion == nil && value.absence == [$0.site] } ?? false
        let isText = value.type.flatMap { ReadType($0) } == .string
        let isUncertain = isSent && (isText || !value.absence.allSatisfy { isInAllPushes($0) })
        return Tested(
            sites: value.absence, conversions: value.sent.map { $0.conversion == nil ? [] : [$0] } ?? [],
            isMixed: !isAlways || value.isConditional, isOfPairs: isPair, isUncertain: isUncertain,
            isPartial: value.isConditional)
    }

    /// Whether each push has the key of a read, with a dictionary.
    private func isInAllPushes(_ site: Int) -> Bool {
        switch (sites[site].path, sites[site].key) {
        case ([], "aps"), ([], "ab"), (["aps"], "alert"): true
        default: false
        }
    }

    /// Whether Apple or Braze sends the key of a read.
    private func isSystem(_ site: Int) -> Bool { TargetCode.isSystem(sites[site].path, sites[site].key) }

    /// What it requires of the push that a condition is true, or that it is false if `isTrue` is false.
    func needed(
        _ expression: CodeExpression,
        _ scope: Scope,
        _ frame: Frame,
        isTrue: Bool
    ) -> Tested {
        depth += 1
        defer { depth -= 1 }
        guard mayGoOn() else { return Tested(isMixed: true) }
        switch expression.kind {
        case .not(let inner): return needed(inner, scope, frame, isTrue: !isTrue)
        case .binary(let symbol, let left, let right) where symbol == "&&" || symbol == "||":
            let first = needed(left, scope, frame, isTrue: isTrue)
            let isBoth = (symbol == "&&") == isTrue
            // The right side is evaluated where the left one does not decide.
            let isOpen = isBoth ? first : needed(left, scope, frame, isTrue: !isTrue)
            let second = holding(isOpen, .branch) { needed(right, scope, frame, isTrue: isTrue) }
            if isBoth { return first.and(second) }
            noteAlternatives(TracedValue(sites: first.sites), TracedValue(sites: second.sites))
            return first.or(second)
        case .binary(let symbol, let length, let number) where length.isLength:
            // In Objective-C, the length of nil is 0.
            switch (symbol, number.number) {
            case ("==", "0"), ("<", "1"), ("<=", "0"): return needed(length, scope, frame, isTrue: !isTrue)
            case ("!=", "0"), (">", "0"), (">=", "1"): return needed(length, scope, frame, isTrue: isTrue)
            default: return Tested(isMixed: true, isPartial: evaluate(expression, scope, frame).isRead)
            }
        case .binary(let symbol, let left, let right) where symbol == "==" || symbol == "!=":
            let first = evaluate(left, scope, frame)
            let second = evaluate(right, scope, frame)
            let place = CodePlace(file: frame.file, offset: expression.offset)
            compare(first, second, at: place)
            let isEqual = (symbol == "==") == isTrue
            if first.isNull || second.isNull {
                // `x != nil` must be true, or `x == nil` false.
                let value = first.isNull ? second : first
                return isEqual ? Tested(isMixed: true, isPartial: value.isRead) : present(value)
            }
            if let categories = selectedCategories(first, second, at: place) {
                return Tested(categories: isEqual ? categories : categories.inverted)
            }
            return Tested(
                sites: isEqual ? first.absence + second.absence : [], isMixed: true,
                isPartial: !left.isEmptyText && !right.isEmptyText && (first.isRead || second.isRead))
        case .available: return isTrue ? Tested(isUncertain: true) : Tested(isMixed: true, isPartial: true)
        case .boolean(let value): return Tested(categories: value == isTrue ? .all : .none)
        case .attempt(let inner, _): return needed(inner, scope, frame, isTrue: isTrue)
        default:
            let value = evaluate(expression, scope, frame)
            if let categories = value.selectedCategories {
                return Tested(categories: isTrue ? categories : categories.inverted)
            }
            guard isTrue else { return Tested(isMixed: true, isPartial: value.isRead && !expression.testsEmptiness) }
            var tested = present(value)
            if value.isRead, expression.comparesText { tested.isPartial = true }
            return tested
        }
    }
}

extension CodeFunction {
    /// Whether the system calls it with a push.
    var isEntry: Bool {
        ["didReceive", "userNotificationCenter", "application", "scene"].contains { name.hasPrefix($0) }
    }

    /// Whether the system calls it for each push that its bundle gets, and not only for buttons of an extension.
    var isRunByPush: Bool {
        let isOfButtons =
            name == "didReceive" && parameters.first?.type?.unwrapped.name == "UNNotificationResponse"
            || name.hasPrefix("didReceiveNotificationResponse:")
        return isEntry && !isOfButtons
    }
}

extension TracedValue {
    /// The categories for which a Boolean value is true; nil where it is not the result of such a comparison.
    var selectedCategories: CategorySet? {
        guard forms.count == 1, case .isCategory(let categories) = forms[0] else { return nil }
        return categories
    }

    /// The value after a change to its text, list or dictionary.
    var changed: TracedValue {
        var value = self
        value.sent = nil
        value.isWholePush = false
        value.forms.removeAll { if case .category = $0 { true } else { false } }
        return value
    }
}

extension CodePattern {
    /// The expression with which the pattern compares a value, or the value of an optional.
    var expression: CodeExpression? {
        switch self {
        case .value(let expression), .present(.value(let expression)): expression
        default: nil
        }
    }
}

extension TracedValue {
    /// Whether the value depends on a read.
    fileprivate var isRead: Bool { !influences.isEmpty }
}

extension TracedValue {
    fileprivate init(sites: [Int]) {
        self.init()
        self.sites = sites
    }
}

extension CodeExpression {
    /// Whether it calls a method that compares texts.
    fileprivate var comparesText: Bool {
        guard case .call(let callee, let arguments) = kind, case .member(_, let name) = callee.kind else {
            return false
        }
        return PayloadTracer.comparing.contains(name) && arguments.first?.value.isEmptyText == false
    }

    /// Whether it asks if a text, list or dictionary is empty.
    fileprivate var testsEmptiness: Bool {
        switch kind {
        case .member(_, "isEmpty"), .member(_, "count"): true
        case .chained(let inner): inner.testsEmptiness
        case .call(_, let arguments): isLength || arguments.first?.value.isEmptyText == true
        default: isLength
        }
    }

    /// Whether it is a text without characters.
    fileprivate var isEmptyText: Bool {
        guard case .text(let parts) = kind else { return false }
        return parts.allSatisfy { if case .text("") = $0 { true } else { false } }
    }

    /// Whether it asks for the length of a text.
    fileprivate var isLength: Bool {
        switch kind {
        case .member(_, "length"): true
        case .call(let callee, let arguments): arguments.isEmpty && callee.isLength
        default: false
        }
    }

    /// The number that it is; nil for any other expression.
    fileprivate var number: String? {
        if case .number(let text) = kind { return text }
        return nil
    }
}
