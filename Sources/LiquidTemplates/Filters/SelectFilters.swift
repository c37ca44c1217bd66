// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Filters that select elements by a property, or return that property.
///
/// An element is selected if its property equals the given value; if no value is given, or it is nil, the property has
/// to be true. A filter that selects returns nil if it reaches an element that cannot have properties, such as nil or a
/// double.
enum SelectFilters {
    static let all: [FilterDefinition] = [
        FilterDefinition(
            "where",
            arity: 1...2,
            summary: "The elements whose property equals a value, or is true if no value is given.",
            examples: [.init("{{ 'ab,b,a' | split: ',' | where: 'a' | join }}", "ab a")],
            traits: [.makesList]
        ) { (input, arguments, context) throws(LiquidError) in
            try filtered(input, arguments, keeping: true, &context)
        },
        FilterDefinition(
            "reject",
            arity: 1...2,
            summary: "The elements whose property does not equal a value, or is not true if none is given.",
            examples: [.init("{{ 'ab,b,a' | split: ',' | reject: 'a' | join }}", "b")]
        ) { (input, arguments, context) throws(LiquidError) in
            try filtered(input, arguments, keeping: false, &context)
        },
        first(
            "find",
            summary: "The first element whose property equals a value, or is true if no value is given.",
            .init("{{ 'ab,b,a' | split: ',' | find: 'b' }}", "ab")
        ) { _, element in .value(element) },
        first(
            "find_index",
            summary:
                "The position from 0 of the first element whose property equals a value, or is true if no value is given.",
            .init("{{ 'x,ab,b' | split: ',' | find_index: 'b' }}", "1")
        ) { position, _ in .integer(position) },
        first(
            "has",
            summary: "Whether the property of any element equals a value, or is true if no value is given.",
            .init("{{ 'x,ab,b' | split: ',' | has: 'b' }}", "true"),
            otherwise: .bool(false)
        ) { _, _ in .bool(true) },
        FilterDefinition(
            "map",
            arity: 1...1,
            summary: "The property of each element.",
            examples: [.init("{{ 'x,ab' | split: ',' | map: 0 | join }}", "x a")],
            traits: [.makesList]
        ) { (input, arguments, context) throws(LiquidError) in
            let property = arguments[0]
            let elements = try context.elements(of: input)
            // In Ruby, every object has this method, which returns the object itself.
            if case .string("to_liquid") = property { return .array(elements) }
            let items = try context.items(property, of: elements) { $0 ?? .null }
            if case .null? = items.first { try context.noteUnknown(property, of: elements) }
            return .array(items)
        },
        FilterDefinition(
            "sum",
            arity: 0...1,
            summary: "The sum of the elements, or of a property of each element.",
            examples: [.init("{{ '1,2.5,x' | split: ',' | sum }}", "3.5")],
            traits: [.isSafeInJSON]
        ) { (input, arguments, context) throws(LiquidError) in
            var values = try context.elements(of: input)
            let property = arguments[0]
            if !property.isNull {
                let items = try context.items(property, of: values) { $0 ?? .integer(0) }
                if case .null? = items.first { try context.noteUnknown(property, of: values) }
                values = try context.elements(of: .array(items))
            }
            var sum = Number.integer(0)
            for value in values {
                let number = try context.number(of: value)
                try context.charge(work: sum.words * sum.words / 32)
                sum = sum.adding(number)
            }
            return .value(sum.value)
        },
    ]

    /// A filter whose result depends on the first element that is selected.
    private static func first(
        _ name: String,
        summary: String,
        _ example: FilterDefinition.Example,
        otherwise: FilterResult = .null,
        _ result: @escaping @Sendable (_ position: Int, _ element: Value) -> FilterResult
    ) -> FilterDefinition {
        FilterDefinition(
            name,
            arity: 1...2,
            summary: summary,
            examples: [example]
        ) { (input, arguments, context) throws(LiquidError) in
            let elements = try context.elements(of: input)
            for (position, element) in elements.enumerated() {
                guard let isChosen = try isChosen(element, arguments, &context) else { return .null }
                if isChosen { return result(position, element) }
            }
            try context.noteUnchosen(elements, arguments)
            return otherwise
        }
    }

    private static func filtered(
        _ input: Value,
        _ arguments: Arguments,
        keeping: Bool,
        _ context: inout FilterContext
    ) throws(LiquidError) -> FilterResult {
        var kept: [Value] = []
        let elements = try context.elements(of: input)
        for element in elements {
            guard let isChosen = try isChosen(element, arguments, &context) else { return .null }
            if isChosen == keeping { kept.append(element) }
        }
        if kept.count == (keeping ? 0 : elements.count) { try context.noteUnchosen(elements, arguments) }
        return .array(kept)
    }

    private static func isChosen(
        _ element: Value,
        _ arguments: Arguments,
        _ context: inout FilterContext
    ) throws(LiquidError) -> Bool? {
        guard let item = try context.item(arguments[0], of: element) else { return nil }
        let target = arguments[1]
        return try target.isNull ? item.isTruthy : context.budget.holds(item, .equal, target)
    }
}

extension FilterContext {
    /// The maximum number of properties of an element that are compared with a possibly misspelt name.
    private static let mostCompared = 64

    /// Notes why a property and a value selected no element, if that is probably not meant: no element has the
    /// property, or its values have other types.
    @inline(never)
    fileprivate mutating func noteUnchosen(_ elements: [Value], _ arguments: Arguments) throws(LiquidError) {
        guard case .string(let name) = arguments[0], case .object? = elements.first,
            try !noteUnknown(arguments[0], of: elements), let wanted = arguments[1].comparedKind, wanted.isScalar,
            !arguments[1].isBlank
        else { return }
        try charge(work: elements.count)
        var item: Value?
        for case .object(let object) in elements {
            guard let value = object[name], let kind = value.comparedKind else { continue }
            guard kind != wanted, kind.isScalar else { return }
            if item == nil { item = value }
        }
        if let item { noteUnread(arguments[1], .typeOf(item: DistinctValue(item)), argument: 1) }
    }

    /// Notes a property that no element has, if it is a path or the first element has a property with a similar name.
    ///
    /// - Returns: whether the property was noted.
    @inline(never)
    @discardableResult
    mutating func noteUnknown(_ property: Value, of elements: [Value]) throws(LiquidError) -> Bool {
        try charge(work: elements.count)
        guard case .string(let name) = property, case .object(let first)? = elements.first,
            elements.allSatisfy({ if case .object(let object) = $0 { object[name] == nil } else { false } })
        else { return false }
        let start = name.prefix { $0 != "." }
        if start.utf8.count < name.utf8.count, case .object? = first[String(start)] {
            noteUnread(property, .plainProperty, argument: 0)
            return true
        }
        let names = first.keys.prefix(Self.mostCompared).filter { $0.utf8.count <= Self.mostCompared }
        // Comparing two names looks at each byte of one name for each byte of the other.
        try charge(work: names.reduce(0) { $0 + $1.utf8.count } * min(name.utf8.count, Self.mostCompared))
        guard name.utf8.count <= Self.mostCompared, let near = nearestName(to: name, in: names),
            mayBeMisspelt(name, near)
        else { return false }
        noteUnread(property, .property(near: near), argument: 0)
        return true
    }
}
