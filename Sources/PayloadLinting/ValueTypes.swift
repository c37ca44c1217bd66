// SPDX-License-Identifier: MIT

import BrazeLiquid
import LiquidTemplates
import PayloadKit

/// Determines the types of the values in a template.
///
/// A missing value has no type; the type applies to users who have the value.
struct ValueTypes: Sendable {
    private let attributes: [String: AttributeType]
    private let environment: Environment
    /// The type of each variable; nil if it is not known, or if the values that are set differ in type.
    private var variables: [String: StaticType?] = [:]
    /// The variables that hold only lists of texts.
    private var listsOfTexts: Set<String> = []

    init(_ tags: [TagSyntax], _ attributes: [String: AttributeType], _ environment: Environment) {
        self.attributes = attributes
        self.environment = environment
        var assigned: [(name: String, value: MarkupSyntax)] = []
        add(tags, &assigned)
        settle(assigned)
        let others = assigned.filter { !$0.value.splitsText }.map(\.name)
        listsOfTexts = Set(assigned.map(\.name)).subtracting(others).filter { variables[$0] == .some(.list) }
    }

    /// Adds the variables that tags other than 'assign' set, with their types, and collects the values of assigned
    /// variables.
    private mutating func add(_ tags: [TagSyntax], _ assigned: inout [(name: String, value: MarkupSyntax)]) {
        for tag in tags {
            if let (name, value) = tag.assignment {
                assigned.append((name.text, value))
            } else if let name = tag.boundName {
                let type: StaticType? =
                    tag.isCapture ? .text : ["increment", "decrement"].contains(tag.name.text) ? .integer : nil
                set(name.text, type)
            }
        }
    }

    private mutating func set(_ name: String, _ type: StaticType?) {
        if let known = variables[name], known != type {
            variables[name] = .some(nil)
        } else {
            variables[name] = .some(type)
        }
    }

    /// Determines the types of assigned variables, which can depend on each other.
    ///
    /// A variable first gets the type of its first value, and loses it if another value has a different type. This can
    /// change the types of values that read the variable, so all types are determined again until nothing changes.
    private mutating func settle(_ assigned: [(name: String, value: MarkupSyntax)]) {
        for _ in 0..<8 {
            let before = variables
            for (name, value) in assigned { set(name, type(of: value)) }
            if variables == before { return }
        }
        for (name, _) in assigned { variables[name] = .some(nil) }
    }

    /// The type of an expression; nil if it is not known.
    func type(of expression: ExpressionSyntax) -> StaticType? {
        switch expression.kind {
        case .literal(let value): StaticType(value)
        case .blank, .empty, .range: nil
        case .output(let markup): type(of: markup)
        case .lookup(let lookup): type(of: lookup)
        }
    }

    /// The type of a value with its filters.
    func type(of markup: MarkupSyntax) -> StaticType? {
        guard let expression = markup.expression else { return nil }
        return markup.filters.reduce(type(of: expression)) { type(of: $1, on: $0) }
    }

    /// The types of the values that the filters of a value get, one for each filter; nil for a type that is not known.
    func inputs(of markup: MarkupSyntax) -> [StaticType?] {
        guard let expression = markup.expression else { return [] }
        var type = type(of: expression)
        var inputs: [StaticType?] = []
        for filter in markup.filters {
            inputs.append(type)
            type = self.type(of: filter, on: type)
        }
        return inputs
    }

    /// The type of the value to which the first `count` steps of a lookup lead; nil if it is not known.
    ///
    /// If other steps follow '.size', 'size' is taken for a member of an object, because Liquid first looks for a key
    /// of an object, unless the value before it is known not to be an object.
    func type(of lookup: LookupSyntax, without count: Int) -> StaticType? {
        let steps = lookup.steps
        if count < steps.count, mayReadMember(lookup, Array(steps.prefix(count))) { return nil }
        return type(of: lookup, steps: Array(steps.prefix(count)))
    }

    /// Whether an expression ends with '.size' after a value that may be an object, so that 'size' may be a member of
    /// any type.
    func mayReadMember(_ expression: ExpressionSyntax) -> Bool {
        expression.lookup.map { mayReadMember($0, Array($0.steps)) } ?? false
    }

    private func mayReadMember(_ lookup: LookupSyntax, _ steps: [LookupSyntax.Step]) -> Bool {
        guard case .key("size")? = steps.last?.kind else { return false }
        let owner = type(of: lookup, steps: Array(steps.dropLast()))
        return owner == nil || owner == .object
    }

    private func type(of lookup: LookupSyntax) -> StaticType? { type(of: lookup, steps: lookup.steps) }

    private func type(of lookup: LookupSyntax, steps: [LookupSyntax.Step]) -> StaticType? {
        if case .key(let key)? = steps.last?.kind, ["size", "__http_status_code__"].contains(key) { return .integer }
        switch lookup.root {
        case .attribute(let name): return steps.isEmpty ? Self.type(nil, name) : nil
        case .name(let name):
            if steps.isEmpty { return variables[name] ?? nil }
            if name == "forloop", steps.count == 1, case .key(let key) = steps[0].kind {
                return ["first", "last"].contains(key) ? .boolean : key == "parentloop" ? nil : .integer
            }
            if listsOfTexts.contains(name), steps.count == 1, steps[0].isElement { return .text }
            guard steps.count == 1, case .attribute(let attribute) = steps[0].kind else { return nil }
            if name == "custom_attribute" { return attributes[attribute].map { StaticType($0) } }
            return Self.type(name, attribute)
        case .value(let expression): return steps.isEmpty ? type(of: expression) : nil
        case .computed, .nothing: return nil
        }
    }

    private static func type(_ namespace: String?, _ name: String) -> StaticType? {
        AttributeTable.all.first { $0.namespace == namespace && $0.name == name }.flatMap { StaticType($0.type) }
    }

    // MARK: - Filters

    private func type(of filter: FilterSyntax, on input: StaticType?) -> StaticType? {
        let argument = filter.arguments.first.flatMap { type(of: $0.value) }
        switch filter.name {
        case "size", "ceil", "floor": return .integer
        case "round": return filter.arguments.isEmpty ? .integer : .decimal
        case "times", "minus", "plus", "modulo", "at_least", "at_most":
            return input == .integer && argument == .integer ? .integer : .decimal
        case "divided_by": return argument == .integer && input == .integer ? .integer : .decimal
        case "abs": return input == .integer ? .integer : .decimal
        // 'date' prints text, apart from values that are not times, which it returns unchanged.
        case "date": return filter.arguments.isEmpty ? input : .text
        case "time_zone": return input == .time ? .time : nil
        case "default": return input == argument ? input : nil
        case "slice": return input
        default:
            let traits = environment.filterTraits(filter.name)
            return traits.contains(.makesText) ? .text : traits.contains(.makesList) ? .list : nil
        }
    }
}

extension LookupSyntax.Step {
    /// Whether the step leads to an element, if the value before it is a list.
    fileprivate var isElement: Bool {
        switch kind {
        case .index: true
        case .key(let key): key == "first" || key == "last"
        default: false
        }
    }
}

extension MarkupSyntax {
    /// Whether the value is a list of the parts of a text.
    fileprivate var splitsText: Bool {
        let kept = ["sort", "sort_natural", "reverse", "uniq", "compact"]
        return filters.last { !kept.contains($0.name) }?.name == "split"
    }
}
