// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// A comparison that is probably not what is meant: its result follows from the types of its values, such as `==`
/// between a number and a text, or it orders versions as texts.
public struct UnlikeComparison: Sendable {
    /// The value before the operator, or the value of a `case`.
    public let left: Value

    /// The value after the operator, or the value of a `when`.
    public let right: Value

    /// The operator.
    public let comparison: Comparison

    /// The side that is a literal; nil if neither side is.
    public let literal: Value?

    /// The place in the template or partial.
    ///
    /// It is the text in quotes that is compared with a number, boolean or version; otherwise, it is the operator or
    /// the value of a `when`.
    public let range: SourceRange

    /// The text of the template at ``range``.
    public let writtenText: String

    /// The name of the partial with the comparison; nil for the template itself.
    public let partial: String?
}

/// The values of an ``UnlikeComparison``, to which the renderer later adds the place.
struct UnlikeValues {
    let left: Value
    let right: Value
    let comparison: Comparison
}

/// The kind of a compared value; values of different kinds are never equal.
enum ComparedKind {
    case number, boolean, text, list, object, time

    /// Whether values of this kind have no parts.
    var isScalar: Bool { self == .number || self == .boolean || self == .text }
}

extension Value {
    /// The kind of the value; nil for nil, which may be compared with any value, and for ranges and objects of the
    /// engine.
    var comparedKind: ComparedKind? {
        switch self {
        case .integer, .bigInteger, .float: .number
        case .bool: .boolean
        case .string: .text
        case .array: .list
        case .object: .object
        case .time: .time
        case .null, .range, .drop: nil
        }
    }

    private var isEmptyText: Bool { if case .string("") = self { true } else { false } }

    /// Whether ``Renderer/noteUnlike(_:_:_:holds:)`` has to check the values; false for nil and for the most frequent
    /// pairs of equal types.
    @inline(__always)
    func mayBeUnlike(_ other: Value, _ comparison: Comparison) -> Bool {
        switch (self, other) {
        case (.null, _), (_, .null), (.bool, .bool), (.float, .float), (.integer, .float), (.float, .integer): false
        case (.string, .string):
            switch comparison {
            case .less, .greater, .lessOrEqual, .greaterOrEqual: true
            case .equal, .notEqual, .contains, .unknown: false
            }
        default: true
        }
    }

    /// Whether the result of `self comparison other` depends only on the types of the values, or both are versions that
    /// are ordered as texts.
    ///
    /// A comparison with the empty text does not count: it asks whether there is a text, which makes sense for values
    /// of any type.
    fileprivate func isUnlike(_ other: Value, _ comparison: Comparison, holds: Bool) -> Bool {
        guard let kind = comparedKind, let otherKind = other.comparedKind else { return false }
        switch comparison {
        case .equal, .notEqual: return kind != otherKind && !isEmptyText && !other.isEmptyText
        case .less, .greater, .lessOrEqual, .greaterOrEqual:
            guard case .string(let left) = self, case .string(let right) = other else { return kind != otherKind }
            return left.order(ofVersion: right).flatMap { comparison.holds($0, 0) } == !holds
        case .contains:
            if holds || other.isEmptyText { return false }
            return switch self {
            case .array(let elements): !elements.isEmpty && !elements.contains { $0.comparedKind == otherKind }
            case .string: otherKind == .list
            case .object: false
            default: true
            }
        case .unknown: return false
        }
    }
}

extension String {
    /// The order of two versions such as `9.2.1` and `10.0` by their numbers; nil if either text is not a version.
    fileprivate func order(ofVersion other: String) -> Int? {
        withBytes { left in other.withBytes { right in Self.order(ofVersions: left[...], right[...]) } }
    }

    private static func order(ofVersions left: Slice<Bytes>, _ right: Slice<Bytes>) -> Int? {
        var (left, right) = (left, right)
        var order = 0
        while !left.isEmpty || !right.isEmpty {
            guard let first = number(&left), let second = number(&right) else { return nil }
            if order == 0 { order = first < second ? -1 : first > second ? 1 : 0 }
        }
        return order
    }

    /// Reads the digits at the start of a version and the dot after them; if the version has ended, returns 0.
    private static func number(_ version: inout Slice<Bytes>) -> Int? {
        if version.isEmpty { return 0 }
        let digits = version.prefix { $0.isDigit }
        guard (1...18).contains(digits.count) else { return nil }
        version = version.dropFirst(digits.count)
        if let dot = version.popFirst() {
            guard dot == UInt8(ascii: "."), !version.isEmpty else { return nil }
        }
        return digits.reduce(0) { $0 * 10 + Int($1 & 0xF) }
    }
}

extension Renderer {
    /// Notes two values if their comparison is probably not what is meant, for ``keepUnlike(at:_:)``.
    @inline(never)
    mutating func noteUnlike(_ left: Value, _ comparison: Comparison, _ right: Value, holds: Bool) {
        guard left.isUnlike(right, comparison, holds: holds) else { return }
        unlike = UnlikeValues(left: left, right: right, comparison: comparison)
    }

    /// Keeps the values that were noted when an instruction compared them, with the place of the comparison.
    ///
    /// Each place is kept only once, and comparisons that the template makes on purpose are not kept.
    @inline(never)
    mutating func keepUnlike(at counter: Int, _ activation: Activation) {
        guard let values = unlike.take(), unlikeComparisons.count < Self.undefinedLimit,
            let partial = origin(of: activation)
        else { return }
        let operatorRange = activation.program.place(of: counter)
        let term = comparedTerms.term(at: operatorRange, of: activation.program.parsed)
        let range = term?.place(of: values) ?? operatorRange
        if unlikeComparisons.contains(where: { $0.range == range && $0.partial == partial }) { return }
        if let term, comparedTerms.isMeant(term, values, in: activation.program.parsed) { return }
        let comparison = UnlikeComparison(
            left: values.left,
            right: values.right,
            comparison: values.comparison,
            literal: term?.literal,
            range: range,
            writtenText: String(decoding: activation.program.parsed.source.bytes[range.offsets], as: UTF8.self),
            partial: partial
        )
        observe { $0.unlikeComparisons.append(comparison) }
    }
}

/// The comparisons with literals in templates, which show what types of values the authors expect.
///
/// A template is searched when it first makes a comparison that is probably not what is meant.
struct ComparedTerms {
    /// A comparison with a literal.
    struct Term {
        /// The side that is not the literal, as written.
        let subject: String
        let literal: Value
        let literalRange: SourceRange
        let isLiteralFirst: Bool
        /// The place of the branch that contains the comparison.
        let clause: SourceRange

        /// The value of the side that is not the literal; if a list is searched, the first element of the list.
        fileprivate func value(_ values: UnlikeValues) -> Value {
            if values.comparison == .contains, case .array(let elements) = values.left {
                return elements.first ?? .null
            }
            return isLiteralFirst ? values.right : values.left
        }

        /// The place of a text that should probably not be in quotes, or that is a version; nil for any other
        /// comparison.
        fileprivate func place(of values: UnlikeValues) -> SourceRange? {
            guard case .string = literal, values.comparison != .contains else { return nil }
            switch value(values) {
            case .integer, .bigInteger, .float, .bool, .string: return literalRange
            default: return nil
            }
        }
    }

    fileprivate struct Terms {
        /// The template, kept alive so that no other template gets its identity.
        let template: ParsedTemplate
        var terms: [SourceRange: Term] = [:]
        /// The comparisons by their subject.
        var subjects: [String: [Term]] = [:]
        /// The literals that the template assigns to each variable, or sets with `default`.
        var given: [String: [Value]] = [:]
    }

    /// The maximum number of templates that are kept, as for ``GuardedReads``.
    private static let limit = 64

    private var terms: [ObjectIdentifier: Terms] = [:]

    /// The comparison with a literal whose operator or `when` value is at a place; nil if there is none.
    mutating func term(at range: SourceRange, of template: ParsedTemplate) -> Term? {
        terms(of: template).terms[range]
    }

    /// Whether the template shows that it expects a value of this type.
    ///
    /// It does if it also compares the value with a literal of this type, in the same branch or with the same text, or
    /// if the literal is a mark that the template itself sets where there is no value.
    mutating func isMeant(_ term: Term, _ values: UnlikeValues, in template: ParsedTemplate) -> Bool {
        let value = term.value(values)
        // Values of the same kind are two versions, which are texts.
        if value.comparedKind == term.literal.comparedKind { return false }
        let all = terms(of: template)
        let text = term.literal.text
        let hasOwnTerm = (all.subjects[term.subject] ?? []).contains { other in
            other.literal.comparedKind == value.comparedKind
                && (other.clause == term.clause || other.literal.text.sameBytes(as: text))
        }
        if hasOwnTerm { return true }
        return !value.text.sameBytes(as: text)
            && (all.given[term.subject] ?? []).contains { $0.equals(term.literal) }
    }

    private mutating func terms(of template: ParsedTemplate) -> Terms {
        let identity = ObjectIdentifier(template)
        if let known = terms[identity] { return known }
        if terms.count == Self.limit { terms = [:] }
        var found = Terms(template: template)
        found.add(template.root)
        terms[identity] = found
        return found
    }
}

extension ComparedTerms.Terms {
    fileprivate mutating func add(_ block: BlockSyntax) {
        for tag in block.nodes.compactMap(\.tag) {
            let subject = tag.name.text == "case" ? tag.subject : nil
            for clause in tag.clauses {
                for term in clause.terms { if let right = term.right { add(term.left, right, term.range, clause) } }
                if let subject { for value in clause.values { add(subject, value, value.range, clause) } }
            }
            if let (name, value) = tag.assignment {
                let defaults = value.filters.lazy.filter { $0.name == "default" }.map(\.arguments.first?.value)
                let all = [value.expression] + defaults
                given[name.text, default: []] += all.compactMap { $0?.literal }
            }
            for block in tag.blocks { add(block) }
        }
    }

    private mutating func add(
        _ left: ExpressionSyntax,
        _ right: ExpressionSyntax,
        _ range: SourceRange,
        _ clause: ClauseSyntax
    ) {
        guard let literal = right.literal ?? left.literal else { return }
        let isFirst = right.literal == nil
        let term = ComparedTerms.Term(
            subject: (isFirst ? right : left).text,
            literal: literal,
            literalRange: (isFirst ? left : right).range,
            isLiteralFirst: isFirst,
            clause: clause.range
        )
        terms[range] = term
        subjects[term.subject, default: []].append(term)
    }
}
