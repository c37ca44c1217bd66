// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// A value that a filter cannot read, such as a text that is not a number, or reads as another one than is meant; the
/// filter does not fail, so the output is wrong.
public struct UnreadInput: Sendable {
    /// What a filter needs, and what it does with another value.
    public enum Need: Sendable, Hashable {
        /// A number; the filter calculates with the one that the value begins with, which is zero where there is none.
        case number(counted: String)
        /// A number to be formatted; the value is returned unchanged.
        case numberToFormat
        /// A time; the value is returned unchanged.
        case time
        /// A time; the value is read as one that is probably not meant, such as `1 January 1970`.
        case otherTime(DateDoubt, read: String)
        /// The name of a property; no element has this one, but a property with a similar name.
        case property(near: String)
        /// The name of a property; this is a path, which filters do not follow.
        case plainProperty
        /// A value of the type that the property of the elements has, such as `item`; the value equals none of them.
        case typeOf(item: DistinctValue)
        /// Numbers to be sorted; the value and `next` are texts, whose order is another one than that of their numbers.
        case numberOrder(next: String)
        /// A number that the divisor divides; the fraction is dropped, and the result is printed.
        case multiple(of: Int)
    }

    /// The value.
    public let value: Value

    /// What the filter needs.
    public let need: Need

    /// The name of the filter.
    public let filter: String

    /// The place of the name in the template, or in the partial.
    public let filterRange: SourceRange

    /// The place of the value: an argument, the value before the first filter, or else the name of the filter.
    public let range: SourceRange

    /// Whether the template contains the value as a literal, as an argument.
    public let isLiteral: Bool

    /// The partial that uses the filter; nil for the template itself.
    public let partial: String?
}

/// A value that a filter cannot read, before the renderer adds its place.
///
/// It is a class so that the check for one after each call is a single comparison.
final class UnreadValue: Sendable {
    let value: Value
    let need: UnreadInput.Need
    /// The index of the argument; nil for the input.
    let argument: Int?

    init(_ value: Value, _ need: UnreadInput.Need, argument: Int?) {
        self.value = value
        self.need = need
        self.argument = argument
    }
}

extension FilterContext {
    /// The number that a filter calculates with; a value that is neither a number nor nil is noted.
    ///
    /// A double counts as the decimal that its shortest digits spell. A string is a decimal where the whole text is
    /// one, such as ` -1.50 `, else the integer that it starts with. Any other value is zero.
    ///
    /// - Parameters:
    ///   - value: the input or an argument.
    ///   - argument: the index of the argument; nil for the input.
    /// - Returns: the number.
    /// - Throws: `argument` for a decimal with a null byte around it, `memory` for one with too many digits.
    mutating func number(of value: Value, argument: Int? = nil) throws(LiquidError) -> Number {
        switch value {
        case .integer(let integer): return .integer(integer)
        case .float(let double):
            // The digits of an exact decimal before and after the point.
            try charge(work: 32 + (double.isFinite && double != 0 ? abs(Int(double.exponent)) * 3 / 10 : 0))
            return .decimal(ExactDecimal(double))
        case .bigInteger(let integer):
            try charge(reading: value)
            return .bigInteger(integer.value)
        case .string(let string):
            let words = min(string.utf8.count, Number.maximumDigits) / 19
            try charge(work: string.utf8.count / 8 + (words == 0 ? 8 : 64 + words * words))
            var isWhole = false
            let number = try NumberText.number(string, &isWhole)
            if !isWhole { noteUnread(value, .number(counted: number.value.text), argument: argument) }
            return number
        case .null: return .integer(0)
        case .bool, .array, .object, .range, .time, .drop:
            noteUnread(value, .number(counted: "0"), argument: argument)
            return .integer(0)
        }
    }
}

extension Renderer {
    /// The partial whose instructions run, `.some(nil)` for the template itself; nil where it is not known.
    func origin(of activation: Activation) -> String?? {
        activation.firstSlot == nil && scope.frame.base == 0 ? .some(nil) : partialName.map { .some($0) }
    }

    /// Keeps the value that the filter of an instruction could not read, with its place; each place once.
    @inline(never)
    mutating func keepUnread(at counter: Int, _ activation: Activation) {
        guard let unread = context.takeUnread(), unreadInputs.count < Self.undefinedLimit,
            let partial = origin(of: activation)
        else { return }
        let place = activation.program.place(of: counter)
        func isKept(_ place: SourceRange) -> Bool {
            unreadInputs.contains { $0.filterRange == place && $0.partial == partial }
        }
        if case .multiple = unread.need, remarks?.unprintedQuotients.contains(place) == true { return }
        guard !isKept(place), let (filter, markup) = activation.program.parsed.root.filter(at: place) else { return }
        let earlier = markup.filters.prefix { $0.nameRange != place }
        // A value that is returned unchanged reaches the next filter, which cannot read it either.
        if case .time = unread.need, unread.argument == nil, earlier.contains(where: { isKept($0.nameRange) }) {
            return
        }
        if case .multiple = unread.need, !activation.program.parsed.root.printsQuotient(of: place) {
            return remark { $0.unprintedQuotients.insert(place) }
        }
        var range = earlier.isEmpty ? markup.expression?.range : nil
        var argument: ExpressionSyntax?
        if let index = unread.argument {
            argument = filter.arguments.filter { $0.name == nil }.dropFirst(index).first?.value
            range = argument?.range
        }
        if case .numberOrder = unread.need { range = nil }
        let input = UnreadInput(
            value: unread.value,
            need: unread.need,
            filter: filter.name,
            filterRange: filter.nameRange,
            range: range ?? filter.nameRange,
            isLiteral: argument?.literal != nil,
            partial: partial
        )
        remark { $0.unreadInputs.append(input) }
    }
}

extension BlockSyntax {
    /// Whether the result of the division at a place is printed as it is.
    ///
    /// It is not where the template has a filter that computes the rest or rounds, so that the whole number is meant.
    fileprivate func printsQuotient(of place: SourceRange) -> Bool {
        let shown = ["divided_by", "append", "prepend", "default"]
        let counting = ["modulo", "times", "floor", "ceil", "round"]
        var isPrinted = false
        func walk(_ block: BlockSyntax) -> Bool {
            block.nodes.allSatisfy { node in
                let filters = (node.printedMarkup ?? node.tag?.markup)?.filters ?? []
                if filters.contains(where: { counting.contains($0.name) }) { return false }
                if node.printedMarkup != nil, let index = filters.firstIndex(where: { $0.nameRange == place }) {
                    isPrinted = filters[(index + 1)...].allSatisfy { shown.contains($0.name) }
                }
                if case .captured? = node.tag?.node.contents { return true }
                return node.blocks.allSatisfy(walk)
            }
        }
        return walk(self) && isPrinted
    }

    /// The filter whose name is at a place, and the markup that uses it; nil where there is none.
    fileprivate func filter(at place: SourceRange) -> (call: FilterSyntax, markup: MarkupSyntax)? {
        for node in nodes {
            if let found = (node.printedMarkup ?? node.tag?.markup)?.filter(at: place) { return found }
            for expression in node.expressions {
                if let found = expression.filter(at: place) { return found }
            }
            for block in node.blocks {
                if let found = block.filter(at: place) { return found }
            }
        }
        return nil
    }
}

extension MarkupSyntax {
    fileprivate func filter(at place: SourceRange) -> (call: FilterSyntax, markup: MarkupSyntax)? {
        if let own = filters.first(where: { $0.nameRange == place }) { return (own, self) }
        for expression in expressions {
            if let found = expression.filter(at: place) { return found }
        }
        return nil
    }
}

extension ExpressionSyntax {
    fileprivate func filter(at place: SourceRange) -> (call: FilterSyntax, markup: MarkupSyntax)? {
        guard range.start <= place.start, place.end <= range.end else { return nil }
        switch kind {
        case .literal, .blank, .empty: return nil
        case .range(let range): return range.lower.filter(at: place) ?? range.upper.filter(at: place)
        case .output(let markup): return markup.filter(at: place)
        case .lookup(let lookup):
            if case .computed(let name) = lookup.root, let found = name.filter(at: place) { return found }
            if case .value(let value) = lookup.root, let found = value.filter(at: place) { return found }
            for case .index(let index) in lookup.steps.map(\.kind) {
                if let found = index.filter(at: place) { return found }
            }
            return nil
        }
    }
}
