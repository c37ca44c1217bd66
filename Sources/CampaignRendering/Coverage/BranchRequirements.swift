// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates

/// Derives the data values that may satisfy the conditions of a branch.
struct BranchRequirements {
    /// One way to satisfy a condition, as changes of the data.
    typealias Alternative = [BranchSearch.Change]

    private let branches: [TemplateBranch]

    /// The branches of each decision.
    private let decisions: [Int: [Int]]

    /// The values that the template assigns to each variable.
    private var assignments: [String: [MarkupSyntax]] = [:]

    /// The maximum number of assignments that are followed from one variable to the next.
    private static let depth = 6

    /// The maximum number of alternatives for one condition.
    private static let limit = 24

    /// The maximum number of conditions of one branch for which alternatives are tried; the nearest conditions take
    /// precedence.
    ///
    /// With more conditions, the combinations would exceed the number of messages that are rendered for one branch.
    private static let conditionLimit = 12

    init(_ text: CoverageMap.Text) {
        branches = text.map.branches
        decisions = text.alternatives
        addAssignments(in: text.map.root)
    }

    private mutating func addAssignments(in block: BlockSyntax) {
        for node in block.nodes {
            if let (name, value) = node.tag?.assignment { assignments[name.text, default: []].append(value) }
            for inner in node.blocks { addAssignments(in: inner) }
        }
    }

    /// Ways to satisfy each of the nearest conditions of a branch, the outermost condition first.
    func alternatives(forBranch index: Int) -> [[Alternative]] {
        var found: [[Alternative]] = []
        var next: Int? = index
        while let current = next, found.count < Self.conditionLimit {
            addRequirements(of: current, to: &found)
            next = branches[current].parent
        }
        // Whatever satisfies an outer condition may already satisfy an inner one, so the first alternative changes
        // nothing.
        return found.reversed().map { [[]] + $0 }
    }

    /// Adds ways to satisfy the conditions of one branch, the nearest condition first.
    private func addRequirements(of index: Int, to found: inout [[Alternative]]) {
        let branch = branches[index]
        func add(_ alternatives: [Alternative]) {
            if !alternatives.isEmpty { found.append(alternatives) }
        }
        let decision = decisions[branch.decision] ?? []
        let earlier = decision[..<decision.partitioningIndex { $0 >= index }].lazy.compactMap { branches[$0].clause }
        func addFailing() {
            for clause in earlier.reversed() where found.count < Self.conditionLimit {
                add(alternatives(clause, holding: false, in: index))
            }
        }
        switch branch.kind {
        case .template, .stop: return
        case .branch:
            guard let clause = branch.clause else { return }
            if let subject = branch.subject {
                return add(clause.values.flatMap { alternatives(subject, .equal, $0, true, in: index) })
            }
            // The list is reversed later, so the values for this condition replace the values that make earlier
            // conditions fail.
            add(alternatives(clause, holding: true, in: index))
            addFailing()
        case .otherwise, .noBranch:
            guard let subject = branch.subject else { return addFailing() }
            let value = earlier.lazy.flatMap { Array($0.values) }.first
            add(value.map { alternatives(subject, .equal, $0, false, in: index) } ?? [])
        case .elements, .noElements:
            guard let subject = branch.subject else { return }
            let values: [Value?] =
                branch.kind == .elements
                ? [.array([.string("a")]), .array([.integer(1)]), .string("a")] : [nil, .array([])]
            add(values.flatMap { changes(subject, to: $0, in: index) })
        case .value, .replacement:
            guard let expression = branch.filter?.markup.expression else { return }
            let values: [Value?] =
                branch.kind == .replacement ? [nil] : [.string("a"), .integer(1), .bool(true), .array([.string("a")])]
            add(values.flatMap { changes(expression, to: $0, in: index) })
        }
    }

    // MARK: - Conditions

    private func alternatives(_ clause: ClauseSyntax, holding: Bool, in branch: Int) -> [Alternative] {
        Array(
            alternatives(Array(clause.terms)[...], holding != clause.isNegated, in: branch).prefix(Self.limit)
        )
    }

    /// Ways to make a chain of terms true or false; each term has all following terms as its right operand.
    private func alternatives(_ terms: ArraySlice<TermSyntax>, _ holding: Bool, in branch: Int) -> [Alternative] {
        guard let term = terms.first else { return [] }
        let own = alternatives(term, holding, in: branch)
        guard terms.count > 1 else { return own }
        let others = alternatives(terms.dropFirst(), holding, in: branch)
        // One side is enough to make an 'or' true or an 'and' false.
        if term.hasOr == holding { return Array((own + others).prefix(Self.limit)) }
        return Array(own.prefix(6).flatMap { one in others.prefix(6).map { one + $0 } }.prefix(Self.limit))
    }

    private func alternatives(_ term: TermSyntax, _ holding: Bool, in branch: Int) -> [Alternative] {
        guard let comparison = term.comparison else {
            let values: [Value?] = holding ? [.bool(true), .string("a"), .integer(1)] : [nil, .bool(false)]
            return values.flatMap { changes(term.left, to: $0, in: branch) }
        }
        guard let right = term.right else {
            let values: [Value?] = (comparison == .equal) == holding ? [nil] : [.string("a"), .integer(1)]
            return values.flatMap { changes(term.left, to: $0, in: branch) }
        }
        return alternatives(term.left, comparison, right, holding, in: branch)
    }

    private func alternatives(
        _ left: ExpressionSyntax,
        _ comparison: Comparison,
        _ right: ExpressionSyntax,
        _ holding: Bool,
        in branch: Int
    ) -> [Alternative] {
        if isConstant(left), !isConstant(right), let mirrored = comparison.mirrored {
            return alternatives(right, mirrored, left, holding, in: branch)
        }
        switch right.kind {
        case .blank, .empty:
            let isMissing = (comparison == .equal) == holding
            let values: [Value?] =
                isMissing ? [nil, .string("")] : [.string("a"), .integer(1), .array([.string("a")])]
            return values.flatMap { changes(left, to: $0, in: branch) }
        case .literal(let literal):
            return comparison.candidates(literal, holding).flatMap { changes(left, to: $0, in: branch) }
        case .lookup, .range, .output:
            // Both sides come from the data.
            let pairs: [(Value?, Value?)]
            switch comparison {
            case .equal, .notEqual:
                pairs =
                    (comparison == .equal) == holding
                    ? [(.string("a"), .string("a")), (.integer(1), .integer(1))]
                    : [(.string("a"), .string("b")), (.integer(1), .integer(2))]
            case .less, .lessOrEqual: pairs = holding ? [(.integer(1), .integer(2))] : [(.integer(2), .integer(1))]
            case .greater, .greaterOrEqual:
                pairs = holding ? [(.integer(2), .integer(1))] : [(.integer(1), .integer(2))]
            case .contains: pairs = holding ? [(.string("a"), .string("a"))] : [(.string("a"), .string("b"))]
            case .unknown: pairs = []
            }
            return pairs.flatMap { one, other in
                changes(left, to: one, in: branch).prefix(3).flatMap { first in
                    changes(right, to: other, in: branch).prefix(3).map { first + $0 }
                }
            }
        }
    }

    private func isConstant(_ expression: ExpressionSyntax) -> Bool {
        switch expression.kind {
        case .literal, .blank, .empty: true
        case .lookup, .range, .output: false
        }
    }

    // MARK: - Paths

    /// Changes of the data that may give an expression a certain value.
    private func changes(
        _ expression: ExpressionSyntax,
        to value: Value?,
        in branch: Int,
        depth: Int = 0
    ) -> [Alternative] {
        guard depth < Self.depth else { return [] }
        switch expression.kind {
        case .output(let markup): return changes(markup, to: value, in: branch, depth: depth)
        case .lookup(let lookup):
            guard let path = VariablePath(lookup), path.isStatic else { return [] }
            guard case .name(let name) = path.root, path.attribute == nil else {
                return [[BranchSearch.Change(path: path, value: value)]]
            }
            var found: [Alternative] = []
            if let collection = collection(ofLoopVariable: name, around: branch) {
                // A loop variable is an element of the loop's collection.
                let element = value.map { Self.element($0, at: path.segments[...]) }
                found += changes(collection, to: .array(element.map { [$0] } ?? [.null]), in: branch, depth: depth + 1)
            }
            if path.segments.isEmpty {
                for markup in assignments[name] ?? [] {
                    found += changes(markup, to: value, in: branch, depth: depth + 1)
                }
            }
            return found
        case .literal, .blank, .empty, .range: return []
        }
    }

    /// Changes that may give a certain value to an expression with filters; the effects of the filters are undone as
    /// far as possible.
    private func changes(_ markup: MarkupSyntax, to value: Value?, in branch: Int, depth: Int) -> [Alternative] {
        guard let expression = markup.expression else { return [] }
        var value = value
        for filter in Array(markup.filters).reversed() {
            value = Self.input(of: filter, giving: value)
        }
        return changes(expression, to: value, in: branch, depth: depth)
    }

    /// The input for which a filter returns a value; the value itself where the filter cannot be undone.
    private static func input(of filter: FilterSyntax, giving value: Value?) -> Value? {
        let argument = filter.arguments.first?.value.literal
        switch (filter.name, value, argument) {
        case ("plus", .integer(let sum)?, .integer(let addend)?): return .integer(sum &- addend)
        case ("minus", .integer(let rest)?, .integer(let number)?): return .integer(rest &+ number)
        case ("times", .integer(let product)?, .integer(let factor)?) where factor > 0:
            return .integer(product / factor)
        case ("divided_by", .integer(let quotient)?, .integer(let divisor)?):
            return .integer(quotient &* divisor)
        case ("size", .integer(let count)?, _):
            return .string(String(repeating: "a", count: min(max(count, 0), 1_000)))
        default: return value
        }
    }

    /// A value wrapped in the objects and arrays that a path goes through.
    private static func element(_ value: Value, at path: ArraySlice<VariablePath.Segment>) -> Value {
        switch path.first {
        case .key(let key)?, .attribute(let key)?:
            .object(LiquidObject([(key, element(value, at: path.dropFirst()))]))
        case .index?: .array([element(value, at: path.dropFirst())])
        case .computed?, nil: value
        }
    }

    /// The collection of the innermost loop around a branch whose loop variable has this name.
    private func collection(ofLoopVariable name: String, around branch: Int) -> ExpressionSyntax? {
        var next: Int? = branch
        while let current = next {
            let loop = branches[current]
            if loop.kind == .elements, let variable = loop.tag?.boundName?.text, variable.utf8.elementsEqual(name.utf8)
            {
                return loop.subject
            }
            next = loop.parent
        }
        return nil
    }
}

extension Comparison {
    /// The comparison with its two sides exchanged; nil if there is none.
    package var mirrored: Comparison? {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .greater: .less
        case .lessOrEqual: .greaterOrEqual
        case .greaterOrEqual: .lessOrEqual
        case .contains, .unknown: nil
        }
    }

    /// Values for which the comparison with a literal has the result `holding`.
    fileprivate func candidates(_ literal: Value, _ holding: Bool) -> [Value?] {
        switch self {
        case .equal, .notEqual:
            if (self == .equal) == holding { return [literal.isNull ? nil : literal] }
            switch literal {
            case .integer(let number): return [.integer(number &+ 1), nil]
            case .string(let text): return [.string(text + "a"), nil]
            case .bool(let flag): return [.bool(!flag), nil]
            case .null: return [.string("a"), .integer(1)]
            default: return [nil, .string("a")]
            }
        case .less: return literal.neighbours(holding ? -1 : 0, then: holding ? -10 : 1)
        case .lessOrEqual: return literal.neighbours(holding ? 0 : 1, then: holding ? -1 : 10)
        case .greater: return literal.neighbours(holding ? 1 : 0, then: holding ? 10 : -1)
        case .greaterOrEqual: return literal.neighbours(holding ? 0 : -1, then: holding ? 1 : -10)
        case .contains:
            return holding ? [literal, .array([literal])] : [.string("-"), .array([]), nil]
        case .unknown: return []
        }
    }
}

extension Value {
    /// Two numbers near a number; empty for any other value.
    fileprivate func neighbours(_ first: Int, then second: Int) -> [Value?] {
        switch self {
        case .integer(let number): [.integer(number &+ first), .integer(number &+ second)]
        case .float(let number): [.float(number + Double(first)), .float(number + Double(second))]
        default: []
        }
    }
}
