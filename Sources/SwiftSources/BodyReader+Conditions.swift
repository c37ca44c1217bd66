// SPDX-License-Identifier: MIT

import AppDeclarations

/// Conditions: what they test, and what follows for the code after them and for the pairs that are missing.
extension BodyReader {
    /// The facts about a push that the conditions of a statement test.
    struct Test {
        var absentFalse: Set<Absence> = []
        var absentTrue: Set<Absence> = []
        var categoriesTrue = CategorySet.all
        var categoriesFalse = CategorySet.none
        /// Whether the result depends only on the category and on which pairs are present.
        var isPlain = true
        /// Whether the result depends only on the category.
        var isOfCategories = true
        var isTested = false
        var values: [AbstractValue] = []

        /// The opposite test.
        var negated: Test {
            Test(
                absentFalse: absentTrue, absentTrue: absentFalse, categoriesTrue: categoriesFalse,
                categoriesFalse: categoriesTrue, isPlain: isPlain, isOfCategories: isOfCategories, isTested: isTested,
                values: values.map(\.swapped))
        }
    }

    func test(_ conditions: [CodeCondition]) -> Test {
        var test = Test()
        for condition in conditions {
            let meaning: AbstractValue
            var isNeutral = false
            switch condition {
            case .expression(let expression):
                meaning = evaluate(expression)
                if case .available = expression.kind { isNeutral = true }
                if conditions.count == 1 { test.absentTrue = meaning.present }
            case .binding(let pattern, let type, let value):
                meaning = evaluate(value, expecting: type)
                bind(pattern, to: annotated(meaning, type).unwrapped)
                if case .name("self") = value.kind { isNeutral = true }
            case .matching(let pattern, let value):
                let subject = evaluate(value)
                meaning = match(pattern, subject)
            }
            if isNeutral { continue }
            test.values.append(meaning)
            test.absentFalse.formUnion(meaning.absent)
            learn(meaning.absent)
            if let categories = meaning.categories {
                test.categoriesTrue = test.categoriesTrue.intersection(categories)
                test.categoriesFalse = test.categoriesFalse.union(categories.inverted)
                continue
            }
            test.isOfCategories = false
            test.categoriesFalse = .all
            if meaning.isTested { test.isTested = true }
            if meaning.isTested || (meaning.absent.isEmpty && meaning.present.isEmpty) { test.isPlain = false }
        }
        if conditions.isEmpty { test.categoriesFalse = .all }
        return test
    }

    /// Binds the names of a pattern, and returns what makes it match or not match.
    func match(_ pattern: CodePattern, _ subject: AbstractValue) -> AbstractValue {
        bind(pattern, to: subject)
        var found = AbstractValue()
        switch pattern {
        case .present(let inner):
            found = match(inner, subject.unwrapped)
            found.absent.formUnion(subject.absent)
        case .typed, .kind, .enumCase("some", _):
            found = subject
            if case .typed(_, let type) = pattern { found = cast(subject, to: type, .test, at: 0) }
            if case .kind(let type) = pattern { found = cast(subject, to: type, .test, at: 0) }
        case .tuple(let parts):
            for (index, part) in parts.enumerated() where index < subject.parts.count {
                found.absent.formUnion(match(part, subject.parts[index]).absent)
            }
        case .value(let value):
            if value.isNull {
                found.present = subject.absent
            } else {
                found = compare(subject, evaluate(value, expecting: subject.type), at: value.offset)
            }
        case .enumCase(let name, _):
            found = subject
            found.isTested = true
            if name == "none" { (found.present, found.absent) = (subject.absent, []) }
        case .name, .variable, .any: break
        }
        return found
    }

    /// The top-level keys whose absence alone makes a test fail, except keys that the system sends.
    func keys(_ absences: Set<Absence>) -> Set<String> {
        Set(
            absences.filter { $0.sites.count == 1 }.flatMap(\.sites).compactMap { site in
                let site = pairs.facts.sites[site]
                guard site.dictionary.path.isEmpty, let key = site.key.literal, !TargetCode.isSystem([], key) else {
                    return nil
                }
                return key
            })
    }

    /// Whether only the absence of `aps`, which every push has, makes a test fail.
    private func isOfSystem(_ test: Test) -> Bool {
        !test.absentFalse.isEmpty
            && test.absentFalse.allSatisfy { absence in
                absence.sites.allSatisfy { site in
                    let site = pairs.facts.sites[site]
                    return site.dictionary.path.isEmpty && site.key.literal == "aps"
                }
            }
    }

    /// Whether only the absence of `aps`, or of top-level pairs that campaigns send, makes a test fail.
    private func isOfPairs(_ test: Test) -> Bool {
        test.absentFalse.flatMap(\.sites).allSatisfy { site in
            let site = pairs.facts.sites[site]
            let key = site.key.literal ?? ""
            return site.dictionary.path.isEmpty && (key == "aps" || !TargetCode.isSystem([], key))
        }
    }

    /// The circumstances of a block that runs if a test is true.
    func circumstances(of test: Test) -> Circumstances {
        var found = circumstances
        found.condition.categories = found.condition.categories.intersection(test.categoriesTrue)
        guard !test.isOfCategories else { return found }
        if isOfSystem(test), test.isPlain { return found }
        found.condition.require(keys(test.absentFalse))
        found.isOfPresence =
            test.isPlain && isOfPairs(test) && (circumstances.isOfPresence || !circumstances.condition.isOpen)
        found.condition.isOpen = true
        return found
    }

    /// Updates what is known after a statement that leaves the function if a test fails.
    func narrow(to test: Test) {
        learn(test.absentFalse)
        passed.require(keys(test.absentFalse))
        if !test.isOfCategories, test.values.contains(where: { $0.absent.isEmpty && $0.categories == nil }) {
            mayHaveEnded = true
        }
        circumstances.condition.categories = circumstances.condition.categories.intersection(test.categoriesTrue)
        if test.isTested, !isOfSystem(test) {
            circumstances.condition.require(keys(test.absentFalse.filter { !$0.isOpen }))
            circumstances.condition.isOpen = true
            mayHaveLeft = true
        }
    }

    /// Whether leaving only skips one feature, and code does more with the push after that.
    func isSkip(_ exit: Exit) -> Bool {
        switch exit {
        case .breaks, .skips: true
        case .leaves: closures.count > 0 && !isLast
        case .crash: false
        }
    }

    /// Records what code does if a test is false, or true, because pairs are missing.
    func apply(_ test: Test, isFalse: Bool, _ exit: Exit?, isPure: Bool = true) {
        guard let exit, exit != .breaks else { return }
        let absences = isFalse ? test.absentFalse : test.absentTrue
        if exit == .leaves(.null) || exit == .leaves(.error),
            test.isOfCategories ? test.categoriesTrue != .all : !test.isPlain
        {
            // Something other than pairs also decides whether the function returns a value.
            result.isTested = true
        }
        if isFalse, exit == .crash || isPure && exit != .skips {
            for value in test.values { noteFailures(of: value, isExit: exit != .crash) }
        }
        // Where the conditions fail, the facts that they would prove are not known.
        let outer = unproven
        unproven = Set(absences.filter { $0.sites.count == 1 }.flatMap(\.sites).map(pairName))
        leave(absences, exit)
        unproven = outer
    }

    /// Records that code leaves the function if pairs are missing, and what the function then returns.
    func leave(_ absences: Set<Absence>, _ exit: Exit) {
        guard case .leaves(let returned) = exit else { return demand(absences, exit.requirement, isSkip: isSkip(exit)) }
        let isEntry = !circumstances.isAside && closures.count == 0
        // The absences for which callers get no value.
        let passed = circumstances.condition.isOpen ? absences.opened : absences
        switch returned {
        case .nothing: demand(absences, .return, isSkip: isSkip(exit))
        case .null, .no:
            if isEntry { demand(absences, .return) } else if returned == .no { demand(absences, .default) }
            result.absent.formUnion(passed)
        case .value: demand(absences, isEntry ? .return : .default)
        case .optional: if isEntry { demand(absences, .return) }
        case .error:
            demand(absences, .return, isSkip: isSkip(exit))
            thrown.formUnion(passed)
        }
        if returned == .nothing, function?.kind == .failableInitializer { result.absent.formUnion(passed) }
    }
}
