// SPDX-License-Identifier: MIT

import DiagnosticSources

/// Filters that sort elements.
///
/// Nil comes last; equal elements keep their order.
enum SortFilters {
    static let all: [FilterDefinition] = [
        FilterDefinition(
            "sort",
            arity: 0...1,
            summary: "The elements in order, or in the order of a property; capital letters come before small ones.",
            examples: [.init("{{ 'b,C,a' | split: ',' | sort | join }}", "C a b")],
            traits: [.makesList, .keepsMissing]
        ) { (input, arguments, context) throws(LiquidError) in
            let elements = try context.elements(of: input)
            let property = arguments[0]
            guard !property.isNull else {
                let sorted = try mergeSorted(elements) { (left, right) throws(LiquidError) in
                    try compare(left, right, &context)
                }
                try noteTextOrder(sorted.count, &context) { sorted[$0] }
                return .array(sorted)
            }
            guard !elements.isEmpty else { return .array([]) }
            guard elements.allSatisfy(\.hasItems) else { return .null }
            // If an element cannot have the property, the error is thrown only when the element is compared.
            var items: [Result<Value, LiquidError>] = []
            items.reserveCapacity(elements.count)
            var parts = 0
            for element in elements {
                let item = Result { () throws(LiquidError) in try context.item(property, of: element) ?? .null }
                if case .success(let item) = item { try context.count(item, of: element, in: &parts) }
                items.append(item)
            }
            let order = try mergeSorted(Array(elements.indices)) { (first, second) throws(LiquidError) in
                try compare(items[first].get(), items[second].get(), &context)
            }
            if case .success(.null)? = items.first { try context.noteUnknown(property, of: elements) }
            try noteTextOrder(order.count, &context) { try? items[order[$0]].get() }
            return .array(order.map { elements[$0] })
        },
        FilterDefinition(
            "sort_natural",
            arity: 0...1,
            summary:
                "The elements in the order of their text, or of the text of a property; upper and lower case count as the same.",
            examples: [.init("{{ 'b,C,a' | split: ',' | sort_natural | join }}", "a b C")],
            traits: [.makesList, .keepsMissing]
        ) { (input, arguments, context) throws(LiquidError) in
            let elements = try context.elements(of: input)
            let property = arguments[0]
            guard !property.isNull else {
                return try .array(naturallySorted(elements, by: elements, &context))
            }
            guard !elements.isEmpty else { return .array([]) }
            guard elements.allSatisfy(\.hasItems) else { return .null }
            // A single element is not compared, so its property is not read.
            guard elements.count > 1 else { return .array(elements) }
            let items = try context.items(property, of: elements) { $0 ?? .null }
            if case .null? = items.first { try context.noteUnknown(property, of: elements) }
            return try .array(naturallySorted(elements, by: items, &context))
        },
    ]

    private static func compare(
        _ left: Value,
        _ right: Value,
        _ context: inout FilterContext
    ) throws(LiquidError) -> Int {
        try context.charge(work: 1)
        try context.budget.charge(comparing: left, .less, right)
        if let order = left.compare(right) { return order }
        if left.isNull { return 1 }
        if right.isNull { return -1 }
        throw LiquidError(
            .argument,
            "the elements cannot be sorted, because some of them cannot be compared with each other",
            referenceText: "cannot sort values of incompatible types"
        )
    }

    /// Sorts elements by the texts of their keys; the texts made for this may have at most `stringLimit` bytes
    /// together.
    private static func naturallySorted(
        _ elements: [Value],
        by keys: [Value],
        _ context: inout FilterContext
    ) throws(LiquidError) -> [Value] {
        var texts: [String?] = []
        texts.reserveCapacity(keys.count)
        var length = 0
        for key in keys {
            switch key {
            case .null: texts.append(nil)
            case .string(let string): texts.append(string)
            default:
                let text = try context.text(of: key)
                length += text.utf8.count
                try context.checkLength(length)
                texts.append(text)
            }
        }
        let order = try mergeSorted(Array(elements.indices)) { (first, second) throws(LiquidError) in
            switch (texts[first], texts[second]) {
            case (nil, nil): return 0
            case (nil, _): return 1
            case (_, nil): return -1
            case (let first?, let second?):
                try context.charge(work: 1 + min(first.utf8.count, second.utf8.count) / 16)
                return compareWithoutCase(first, second)
            }
        }
        try noteTextOrder(order.count, &context) { keys[order[$0]] }
        return order.map { elements[$0] }
    }

    /// If all sorted texts are whole numbers, notes the first one that is a greater number than the text after it.
    private static func noteTextOrder(
        _ count: Int,
        _ context: inout FilterContext,
        _ key: (Int) -> Value?
    ) throws(LiquidError) {
        try context.charge(work: count)
        var found: (text: String, next: String)?
        var last: (text: String, number: Int)?
        for index in 0..<count {
            guard case .string(let text)? = key(index), (1...18).contains(text.utf8.count),
                text.utf8.allSatisfy(\.isDigit), let number = Int(text)
            else { return }
            if found == nil, let last, last.number > number { found = (last.text, text) }
            last = (text, number)
        }
        if let found { context.noteUnread(.string(found.text), .numberOrder(next: found.next)) }
    }

    /// Compares two texts by their bytes, treating ASCII letters as lower case.
    private static func compareWithoutCase(_ left: String, _ right: String) -> Int {
        var first = left.utf8.makeIterator()
        var second = right.utf8.makeIterator()
        while true {
            switch (first.next()?.lowercased, second.next()?.lowercased) {
            case (nil, nil): return 0
            case (nil, _): return -1
            case (_, nil): return 1
            case (let left?, let right?):
                if left != right { return left < right ? -1 : 1 }
            }
        }
    }

    /// Merge sort, which is stable and, unlike the standard library's sort, works with typed throws.
    private static func mergeSorted<Element>(
        _ elements: [Element],
        by order: (Element, Element) throws(LiquidError) -> Int
    ) throws(LiquidError) -> [Element] {
        var sorted = elements
        var merged: [Element] = []
        merged.reserveCapacity(elements.count)
        try mergeSort(&sorted, elements.indices, &merged, by: order)
        return sorted
    }

    /// Sorts a range in place, using `merged` as working memory.
    private static func mergeSort<Element>(
        _ elements: inout [Element],
        _ range: Range<Int>,
        _ merged: inout [Element],
        by order: (Element, Element) throws(LiquidError) -> Int
    ) throws(LiquidError) {
        guard range.count > 1 else { return }
        let middle = range.lowerBound + range.count / 2
        try mergeSort(&elements, range.lowerBound..<middle, &merged, by: order)
        try mergeSort(&elements, middle..<range.upperBound, &merged, by: order)
        merged.removeAll(keepingCapacity: true)
        var first = range.lowerBound
        var second = middle
        while first < middle, second < range.upperBound {
            if try order(elements[first], elements[second]) <= 0 {
                merged.append(elements[first])
                first += 1
            } else {
                merged.append(elements[second])
                second += 1
            }
        }
        // The rest of the second half is already in place.
        merged += elements[first..<middle]
        for (offset, element) in merged.enumerated() { elements[range.lowerBound + offset] = element }
    }
}
