// SPDX-License-Identifier: MIT

import Liquid
import PayloadKit
import SourceText

/// Branches whose condition contradicts the conditions around it.
///
/// Only attributes are followed into inner branches, which no template can change; variables are compared within the
/// branches of one tag. All comparisons are those with literals.
struct ExcludedBranches {
    /// A branch that nobody reaches, and the two conditions that exclude each other.
    struct Found {
        let range: SourceRange
        let condition: String
        let other: String
    }

    /// What a condition says of one attribute.
    fileprivate enum Claim {
        case equals(Value)
        case differs(Value)
        case isOneOf([Value])
        case isPresent
        case isMissing
        case isBlank
        case isNotBlank
        case isAtLeast(Double, orEqual: Bool)
        case isAtMost(Double, orEqual: Bool)
        /// A comparison that is not true; it says nothing of what is not a number.
        case isNotAtLeast(Double, orEqual: Bool)
        case isNotAtMost(Double, orEqual: Bool)
    }

    private struct Fact {
        let attribute: String
        /// Whether no template can change the value.
        let isFixed: Bool
        let claim: Claim
        let text: String
    }

    private let arms: [TemplateArm]

    /// The indices of the arms of each decision.
    private let alternatives: [Int: [Int]]

    /// The most branches before one that are compared with it.
    private static let earlierLimit = 32

    init(_ template: Template) {
        let arms = template.map.arms
        self.arms = arms
        alternatives = Dictionary(grouping: arms.indices) { arms[$0].decision }
    }

    /// The outermost branches that nobody reaches.
    var found: [Found] {
        var found: [Found] = []
        var excluded: Set<Int> = []
        for (index, arm) in arms.enumerated() {
            if let parent = arm.parent, excluded.contains(parent) {
                excluded.insert(index)
                continue
            }
            guard arm.kind == .branch || arm.kind == .otherwise else { continue }
            let around = arm.parent.map { facts(around: $0) } ?? []
            var known = around
            for fact in facts(of: index) {
                if let other = known.first(where: { $0.attribute == fact.attribute && $0.claim.excludes(fact.claim) }) {
                    found.append(Found(range: arm.range, condition: fact.text, other: other.text))
                    excluded.insert(index)
                    break
                }
                known.append(fact)
            }
        }
        return found
    }

    /// What is known to be true inside an arm.
    private func facts(around index: Int) -> [Fact] {
        (arms[index].parent.map { facts(around: $0) } ?? []) + facts(of: index).filter(\.isFixed)
    }

    /// What the decision itself says of an arm: that the branches before it were not taken, and its own condition.
    private func facts(of index: Int) -> [Fact] {
        let arm = arms[index]
        guard [.branch, .otherwise, .noBranch].contains(arm.kind) else { return [] }
        let before = (alternatives[arm.decision] ?? []).prefix { $0 < index }.suffix(Self.earlierLimit)
        let earlier = before.compactMap { arms[$0].clause }
        if let subject = arm.subject {
            guard let (name, isFixed) = Self.subject(subject) else { return [] }
            if let clause = arm.clause, arm.kind == .branch {
                let values = clause.values.compactMap(\.literal)
                guard values.count == clause.values.count(where: { _ in true }) else { return [] }
                let text = "\(name) is one of the values of 'when'"
                return [Fact(attribute: name, isFixed: isFixed, claim: .isOneOf(values), text: text)]
            }
            let text = "\(name) is none of the values of 'when'"
            return earlier.flatMap { $0.values.compactMap(\.literal) }.map { value in
                Fact(attribute: name, isFixed: isFixed, claim: .differs(value), text: text)
            }
        }
        let own = arm.kind == .branch ? arm.clause.map { Self.facts($0, holding: true) } ?? [] : []
        return earlier.flatMap { Self.facts($0, holding: false) } + own
    }

    /// What follows from a condition that holds, or does not: all of its terms, or nothing.
    private static func facts(_ clause: ClauseSyntax, holding: Bool) -> [Fact] {
        let holds = holding != clause.isNegated
        let terms = Array(clause.terms)
        guard terms.dropLast().allSatisfy({ $0.hasOr != holds }) else { return [] }
        return terms.compactMap { fact($0, holds) }
    }

    private static func fact(_ term: TermSyntax, _ holds: Bool) -> Fact? {
        guard let (name, isFixed) = subject(term.left), let claim = claim(term, holds) else { return nil }
        let text = LaxText.text(term)
        return Fact(attribute: name, isFixed: isFixed, claim: claim, text: holds ? "\"\(text)\"" : "not \"\(text)\"")
    }

    private static func claim(_ term: TermSyntax, _ holds: Bool) -> Claim? {
        guard let comparison = term.comparison else { return holds ? .isPresent : .isMissing }
        let isEqual = (comparison == .equal) == holds
        switch term.right?.kind {
        case .blank?:
            guard comparison == .equal || comparison == .notEqual else { return nil }
            return isEqual ? .isBlank : .isNotBlank
        case .literal(let value)?:
            switch comparison {
            case .equal, .notEqual: return isEqual ? .equals(value) : .differs(value)
            case .less where holds: return value.double.map { .isAtMost($0, orEqual: false) }
            case .lessOrEqual where holds: return value.double.map { .isAtMost($0, orEqual: true) }
            case .greater where holds: return value.double.map { .isAtLeast($0, orEqual: false) }
            case .greaterOrEqual where holds: return value.double.map { .isAtLeast($0, orEqual: true) }
            case .less: return value.double.map { .isNotAtMost($0, orEqual: false) }
            case .lessOrEqual: return value.double.map { .isNotAtMost($0, orEqual: true) }
            case .greater: return value.double.map { .isNotAtLeast($0, orEqual: false) }
            case .greaterOrEqual: return value.double.map { .isNotAtLeast($0, orEqual: true) }
            default: return nil
            }
        default: return nil
        }
    }

    /// An attribute or variable as written, and whether no template can change it.
    private static func subject(_ expression: ExpressionSyntax) -> (name: String, isFixed: Bool)? {
        guard let lookup = expression.lookup, let path = VariablePath(lookup), path.isStatic else { return nil }
        return (path.description, path.attribute != nil)
    }
}

extension ExcludedBranches.Claim {
    /// Whether no value fulfils both claims.
    fileprivate func excludes(_ other: ExcludedBranches.Claim) -> Bool {
        switch (self, other) {
        case (.equals(let value), _): !other.admits(value)
        case (_, .equals(let value)): !admits(value)
        case (.isOneOf(let values), _): !values.contains(where: other.admits)
        case (_, .isOneOf(let values)): !values.contains(where: admits)
        case (.isPresent, .isMissing), (.isMissing, .isPresent), (.isBlank, .isNotBlank), (.isNotBlank, .isBlank),
            (.isNotBlank, .isMissing), (.isMissing, .isNotBlank):
            true
        case (.isAtLeast, .isBlank), (.isAtMost, .isBlank), (.isBlank, .isAtLeast), (.isBlank, .isAtMost),
            (.isAtLeast, .isMissing), (.isAtMost, .isMissing), (.isMissing, .isAtLeast), (.isMissing, .isAtMost):
            true
        case (.isAtLeast(let low, let lowEqual), .isAtMost(let high, let highEqual)),
            (.isAtMost(let high, let highEqual), .isAtLeast(let low, let lowEqual)):
            low > high || (low == high && !(lowEqual && highEqual))
        case (.isNotAtLeast(let bound, let orEqual), .isAtLeast(let low, let lowEqual)),
            (.isAtLeast(let low, let lowEqual), .isNotAtLeast(let bound, let orEqual)):
            low > bound || (low == bound && (orEqual || !lowEqual))
        case (.isNotAtMost(let bound, let orEqual), .isAtMost(let high, let highEqual)),
            (.isAtMost(let high, let highEqual), .isNotAtMost(let bound, let orEqual)):
            high < bound || (high == bound && (orEqual || !highEqual))
        default: false
        }
    }

    /// Whether a literal fulfils the claim.
    private func admits(_ value: Value) -> Bool {
        switch self {
        case .equals(let other): value.equals(other)
        case .differs(let other): !value.equals(other)
        case .isOneOf(let values): values.contains { $0.equals(value) }
        case .isPresent: value.isTruthy
        case .isMissing: !value.isTruthy
        case .isBlank: value.isBlank
        case .isNotBlank: !value.isBlank
        case .isAtLeast(let low, let orEqual): value.double.map { orEqual ? $0 >= low : $0 > low } ?? false
        case .isAtMost(let high, let orEqual): value.double.map { orEqual ? $0 <= high : $0 < high } ?? false
        case .isNotAtLeast(let bound, let orEqual): value.double.map { orEqual ? $0 < bound : $0 <= bound } ?? true
        case .isNotAtMost(let bound, let orEqual): value.double.map { orEqual ? $0 > bound : $0 >= bound } ?? true
        }
    }
}
