// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    private static let fails = "may be missing and counts as 0, and a division by 0 makes the message fail"
    fileprivate static func divisor(_ path: VariablePath) -> RuleMessage {
        "'\(path)' \(fails); expected a condition, or a default other than 0"
    }
    fileprivate static func zeroDefault(_ path: VariablePath) -> RuleMessage {
        "'\(path)' may be missing, and with the default 0 the division makes the message fail; expected a condition, or another default"
    }
}

extension LintedText {
    /// The divisions that rendering can reach, with their divisors.
    var divisions: [(filter: FilterUse, divisor: ExpressionSyntax)] {
        analysis.filters.filter { ["divided_by", "modulo"].contains($0.name) && $0.isReachable }
            .compactMap { filter in filter.call.arguments.first.map { (filter, $0.value) } }
    }

    /// The findings about divisors that are 0 for users without an attribute.
    ///
    /// - Parameter mayMiss: whether a path may be missing.
    /// - Returns: the findings, in the order of the text.
    func missingDivisors(_ mayMiss: (VariablePath) -> Bool) -> [Finding] {
        let divisions = self.divisions
        guard !divisions.isEmpty else { return [] }
        let reads = Dictionary(analysis.reads.map { ($0.range, $0) }, uniquingKeysWith: { first, _ in first })
        let tested = Set(analysis.reads.filter { $0.use == .condition }.map(\.path))
        return divisions.compactMap { _, divisor in
            guard divisor.literal == nil,
                case let (value, filters) = assigned.source(of: divisor),
                let path = value.lookup.flatMap({ VariablePath($0) }), mayMiss(path),
                let isDefault = Self.zero(filters)
            else { return nil }
            // A variable has one read where it is set, and another one where it divides.
            let isGuarded = [value, divisor].contains { expression in
                switch reads[expression.range]?.guarded {
                case nil: false
                case .default: !isDefault
                case .condition, .variable, .otherwise, .accumulation: true
                }
            }
            guard !isGuarded, value.range == divisor.range || !tested.contains(path) else { return nil }
            return Finding(isDefault ? .zeroDefault(path) : .divisor(path), at: place(of: divisor.range))
        }
    }

    /// Whether filters make 0 of a missing value by a default; false where it is missing or 0 without one, and nil
    /// where they give another value.
    private static func zero(_ filters: [FilterSyntax]) -> Bool? {
        var isDefault = false
        for filter in filters {
            switch (filter.name, filter.arguments.first?.value.literal?.number) {
            case ("plus", 0?), ("minus", 0?), ("times", _), ("abs", _), ("round", _), ("ceil", _), ("floor", _):
                continue
            case ("default", 0?): isDefault = true
            case ("default", _): return nil
            default: guard environment.filterTraits(filter.name).contains(.keepsMissing) else { return nil }
            }
        }
        return isDefault
    }
}
