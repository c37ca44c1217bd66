// SPDX-License-Identifier: MIT

extension Node {
    /// The blocks inside the node, in the order in which they stand.
    public var blocks: [Block] {
        switch kind {
        case .capture(_, let body), .ifChanged(let body): [body]
        case .conditional(let conditional): conditional.branches.map(\.body)
        case .selection(let selection): selection.bodies
        case .loop(let loop): [loop.body] + (loop.otherwise.map { [$0] } ?? [])
        case .table(let table): [table.body]
        case .custom(let tag): tag.body.map { [$0] } ?? []
        case .text, .raw, .comment, .output, .assign, .interrupt, .cycle, .counter, .partial: []
        }
    }

    /// The expressions of the node itself, without those of the blocks inside it.
    public var expressions: [Expression] {
        switch kind {
        case .output(let output), .assign(_, let output): output.expressions
        case .conditional(let conditional): conditional.branches.flatMap { $0.condition?.expressions ?? [] }
        case .selection(let selection): [selection.subject] + selection.branches.compactMap(\.value)
        case .loop(let loop): loop.expressions
        case .table(let table): [table.collection] + [table.columns, table.limit, table.offset].compactMap { $0 }
        case .cycle(let cycle): (cycle.name.map { [$0] } ?? []) + cycle.values
        case .partial(let partial):
            [partial.name] + (partial.value.map { [$0] } ?? []) + partial.arguments.map(\.value)
        case .custom(let tag): tag.arguments
        case .text, .raw, .comment, .capture, .interrupt, .counter, .ifChanged: []
        }
    }
}

extension Output {
    /// The value and the arguments of the filters.
    public var expressions: [Expression] {
        (expression.map { [$0] } ?? []) + filters.flatMap { $0.positional + $0.keywords.map(\.value) }
    }
}

extension Condition {
    /// The sides of the comparisons.
    public var expressions: [Expression] {
        terms.flatMap { [$0.left] + ($0.right.map { [$0] } ?? []) }
    }
}

extension Loop {
    /// The collection, the offset and the limit.
    public var expressions: [Expression] {
        var expressions = [collection]
        if case .index(let index)? = offset { expressions.append(index) }
        if let limit { expressions.append(limit) }
        return expressions
    }
}
