// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// A value that a filter cannot read, such as a text that is not a number, or misreads.
///
/// The filter does not fail, so the output is wrong.
public struct UnreadInput: Sendable {
    /// What a filter needs, and what it does with a value that it cannot read.
    public enum Need: Sendable, Hashable {
        /// A number; the filter calculates with the number at the start of the value, or with zero if there is none.
        case number(counted: String)
        /// A number to format; the filter returns the value unchanged.
        case numberToFormat
        /// A time; the filter returns the value unchanged.
        case time
        /// A time; the filter reads the value as a time that is probably not meant, such as `1 January 1970`.
        case otherTime(DateDoubt, read: String)
        /// The name of a property; no element has this property, but one has a property with a similar name.
        case property(near: String)
        /// The name of a property; the value is a path, which filters do not follow.
        case plainProperty
        /// A value of the same type as the elements' property, such as `item`; the value equals the property of no
        /// element.
        case typeOf(item: DistinctValue)
        /// Numbers to sort; the value and `next` are texts, which are in a different order than their numbers.
        case numberOrder(next: String)
        /// A multiple of the divisor; the fraction of the quotient is dropped, and the result is printed.
        case multiple(of: Int)
    }

    /// The value that the filter cannot read.
    public let value: Value

    /// What the filter needs.
    public let need: Need

    /// The name of the filter.
    public let filter: String

    /// The place of the filter's name in the template or partial.
    public let filterRange: SourceRange

    /// The place of the value if it is an argument or comes before the first filter; otherwise, the place of the
    /// filter's name.
    public let range: SourceRange

    /// Whether the value is an argument that is a literal in the template.
    public let isLiteral: Bool

    /// The name of the partial that uses the filter; nil for the template itself.
    public let partial: String?
}

/// A value that a filter cannot read, to which the renderer later adds its place.
///
/// It is a class so that, after each call, checking for one is a single comparison.
final class UnreadValue: Sendable {
    let value: Value
    let need: UnreadInput.Need
    /// The index of the argument that is the value; nil for the input.
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
    /// A double counts as the decimal that its shortest digits represent. A string is a decimal if the whole text is
    /// one, such as ` -1.50 `; otherwise, it is the integer at its start. Any other value is zero.
    ///
    /// - Parameters:
    ///   - value: the input or an argument.
    ///   - argument: the index of the argument; nil for the input.
    /// - Returns: the number.
    /// - Throws: `argument` for a decimal with a null byte before or after it, `memory` for a number with too many
    ///   digits.
    mutating func number(of value: Value, argument: Int? = nil) throws(LiquidError) -> Number {
        switch value {
        case .integer(let integer): return .integer(integer)
        case .float(let double):
            // The charge grows with the digits that the exact decimal has before and after the point.
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
    /// The name of the partial whose instructions are running, `.some(nil)` for the template itself; nil if it is not
    /// known.
    func origin(of activation: Activation) -> String?? {
        activation.firstSlot == nil && scope.frame.base == 0 ? .some(nil) : partialName.map { .some($0) }
    }

    /// Keeps the value that the filter of an instruction could not read, with its place; keeps only one for each place.
    @inline(never)
    mutating func keepUnread(at counter: Int, _ activation: Activation) {
        guard let unread = context.takeUnread(), unreadInputs.count < Self.undefinedLimit,
            let partial = origin(of: activation)
        else { return }
        let place = activation.program.place(of: counter)
        func isKept(_ place: SourceRange) -> Bool {
            unreadInputs.contains { $0.filterRange == place && $0.partial == partial }
        }
        if case .multiple = unread.need, observations?.unprintedQuotients.contains(place) == true { return }
        guard !isKept(place), let (filter, markup) = activation.program.parsed.root.filter(at: place) else { return }
        let earlier = markup.filters.prefix { $0.nameRange != place }
        // A value that is returned unchanged reaches the next filter, which cannot read it either.
        if case .time = unread.need, unread.argument == nil, earlier.contains(where: { isKept($0.nameRange) }) {
            return
        }
        if case .multiple = unread.need, !activation.program.parsed.root.printsQuotient(of: place) {
            return observe { $0.unprintedQuotients.insert(place) }
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
        observe { $0.unreadInputs.append(input) }
    }
}

extension BlockSyntax {
    /// Whether the result of the division at a place is printed unchanged.
    ///
    /// False if the template also has a filter that multiplies, rounds or computes a remainder, because the whole
    /// number is then meant.
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

    /// The filter whose name is at a place, and the markup that uses the filter; nil if there is none.
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
