// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates

extension CoverageMap.Text {
    /// A description of a branch in the words of its author, such as `when 'pt'` or `default used: ${first_name}`.
    public func label(ofBranch index: Int) -> String {
        let branch = branch(index)
        let written = markup(branch.range)
        switch branch.kind {
        case .template: return isBlock ? "the content block" : "the text"
        case .branch, .otherwise, .stop: return written
        case .noBranch: return "no branch: \(written)"
        case .elements: return "\(written): with elements"
        case .noElements: return "\(written): without elements"
        case .value: return "default not used: \(branch.filter?.markup.expression?.text ?? "")"
        case .replacement: return "default used: \(branch.filter?.markup.expression?.text ?? "")"
        }
    }

    /// The conditions under which rendering takes a branch, the outermost condition first.
    ///
    /// If many conditions precede the branch at the same decision, only the nearest ones are named; the rest are
    /// counted.
    public func conditions(ofBranch index: Int) -> [String] {
        var conditions: [String] = []
        var next: Int? = index - firstBranch
        while let current = next {
            if let words = condition(of: current) { conditions.insert(words, at: 0) }
            next = map.branches[current].parent
        }
        return conditions
    }

    /// The attributes and variables that the named conditions of a branch read, as written, each only once.
    public func reads(ofBranch index: Int) -> [String] {
        var reads: [String] = []
        var next: Int? = index - firstBranch
        while let current = next {
            for expression in expressions(of: current) {
                for read in expression.lookups where !reads.contains(where: { $0.utf8.elementsEqual(read.utf8) }) {
                    reads.append(read)
                }
            }
            next = map.branches[current].parent
        }
        return reads
    }

    /// The text of a tag without its braces.
    private func markup(_ range: SourceRange) -> String {
        var text = Substring(source.text(of: range))
        for (start, end) in [("{%", "%}"), ("-", "-")] {
            if text.hasPrefix(start), text.utf8.count > start.utf8.count { text = text.dropFirst(start.count) }
            if text.hasSuffix(end), text.utf8.count > end.utf8.count { text = text.dropLast(end.count) }
        }
        return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The maximum number of preceding conditions, and of values, that are named.
    private static let namedLimit = 8

    /// The nearest clauses before a branch at the same decision, and the number of clauses before these.
    private func earlier(than index: Int) -> (clauses: [ClauseSyntax], more: Int) {
        let all = alternatives[map.branches[index].decision] ?? []
        let before = all[..<all.partitioningIndex { $0 >= index }]
        let named = before.suffix(Self.namedLimit)
        return (named.compactMap { map.branches[$0].clause }, before.count - named.count)
    }

    /// The clauses of a `case`.
    private func clauses(of decision: Int) -> [ClauseSyntax] {
        (alternatives[decision] ?? []).map { map.branches[$0] }.filter { $0.kind == .branch }.compactMap(\.clause)
    }

    private func condition(of index: Int) -> String? {
        let branch = map.branches[index]
        let subject = branch.subject
        switch branch.kind {
        case .template, .stop: return nil
        case .branch:
            guard let clause = branch.clause else { return nil }
            if let subject { return Self.words(subject, isOneOf: Array(clause.values)) }
            return ([Self.words(clause, holding: true)] + failed(before: index)).joined(separator: ", and ")
        case .otherwise, .noBranch:
            guard let subject else { return failed(before: index).joined(separator: ", and ") }
            let values = clauses(of: branch.decision).flatMap { Array($0.values) }
            return Self.words(subject, isOneOf: values, negated: true)
        case .elements: return "\(subject?.text ?? "") has elements"
        case .noElements: return "\(subject?.text ?? "") is missing or has no elements"
        case .value: return "\(branch.filter?.markup.expression?.text ?? "") is neither missing, false nor empty"
        case .replacement: return "\(branch.filter?.markup.expression?.text ?? "") is missing, false or empty"
        }
    }

    /// The opposites of the conditions before a branch at the same decision.
    private func failed(before index: Int) -> [String] {
        let (clauses, more) = earlier(than: index)
        return clauses.map { Self.words($0, holding: false) }
            + (more > 1 ? ["none of \(more) earlier conditions holds"] : [])
            + (more == 1 ? ["1 earlier condition does not hold"] : [])
    }

    /// The expressions that decide whether a branch is taken.
    private func expressions(of index: Int) -> [ExpressionSyntax] {
        let branch = map.branches[index]
        switch branch.kind {
        case .template, .stop: return []
        case .branch, .otherwise, .noBranch:
            let clauses = earlier(than: index).clauses + [branch.clause].compactMap(\.self)
            return [branch.subject].compactMap(\.self) + clauses.flatMap(\.expressions)
        case .elements, .noElements: return [branch.subject].compactMap(\.self)
        case .value, .replacement: return [branch.filter?.markup.expression].compactMap(\.self)
        }
    }

    // MARK: - Words

    private static func words(
        _ subject: ExpressionSyntax,
        isOneOf values: [ExpressionSyntax],
        negated: Bool = false
    ) -> String {
        if values.count == 1 { return "\(subject.text) is \(negated ? "not " : "")\(values[0].text)" }
        let list = values.lazy.map(\.text).listed(atMost: namedLimit)
        return "\(subject.text) is \(negated ? "none" : "one") of \(list)"
    }

    /// A condition in words, or its opposite.
    private static func words(_ clause: ClauseSyntax, holding: Bool) -> String {
        let holds = holding != clause.isNegated
        let terms = Array(clause.terms)
        guard terms.count > 1 else { return terms.first.map { words($0, holding: holds) } ?? "" }
        var text = ""
        for (index, term) in terms.enumerated() {
            text += words(term, holding: true)
            if index < terms.count - 1 { text += term.hasOr ? " or " : " and " }
        }
        return holds ? text : "not (\(text))"
    }

    private static func words(_ term: TermSyntax, holding: Bool) -> String {
        let left = term.left.text
        guard let comparison = term.comparison else {
            return holding ? "\(left) is neither missing nor false" : "\(left) is missing or false"
        }
        let right = term.right?.text ?? "nil"
        switch comparison {
        case .equal: return "\(left) is \(holding ? "" : "not ")\(right)"
        case .notEqual: return "\(left) is \(holding ? "not " : "")\(right)"
        case .less: return holding ? "\(left) is less than \(right)" : "\(left) is at least \(right), or missing"
        case .greaterOrEqual:
            return holding ? "\(left) is at least \(right)" : "\(left) is less than \(right), or missing"
        case .greater: return holding ? "\(left) is more than \(right)" : "\(left) is at most \(right), or missing"
        case .lessOrEqual: return holding ? "\(left) is at most \(right)" : "\(left) is more than \(right), or missing"
        case .contains: return "\(left) \(holding ? "contains" : "does not contain") \(right)"
        case .unknown: return "\(left) \(term.text) \(right)"
        }
    }
}

extension ExpressionSyntax {
    /// The lookups in the expression, as they are written.
    fileprivate var lookups: [String] {
        switch kind {
        case .literal, .blank, .empty: []
        case .lookup: [text]
        case .range(let range): range.lower.lookups + range.upper.lookups
        case .output(let markup): markup.expressions.flatMap(\.lookups)
        }
    }
}
