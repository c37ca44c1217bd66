// SPDX-License-Identifier: MIT

public import Liquid

extension Template {
    /// The uses of filters that an environment does not know, in the order in which they stand.
    ///
    /// ``BrazeEnvironment/standard`` lets their input through, ``BrazeEnvironment/strict`` fails where they are reached.
    public func unknownFilters(in environment: Environment) -> [FilterCall] {
        var found: [FilterCall] = []
        root.forEachFilter { call in
            if environment.filterIndex(call.name) == nil { found.append(call) }
        }
        return found
    }
}

extension Block {
    fileprivate func forEachFilter(_ body: (FilterCall) -> Void) {
        for node in nodes {
            switch node.kind {
            case .output(let output), .assign(_, let output): output.forEachFilter(body)
            default: for expression in node.expressions { expression.forEachFilter(body) }
            }
            for block in node.blocks { block.forEachFilter(body) }
        }
    }
}

extension Output {
    fileprivate func forEachFilter(_ body: (FilterCall) -> Void) {
        expression?.forEachFilter(body)
        for filter in filters {
            body(filter)
            for argument in filter.positional + filter.keywords.map(\.value) { argument.forEachFilter(body) }
        }
    }
}

extension Expression {
    fileprivate func forEachFilter(_ body: (FilterCall) -> Void) {
        switch kind {
        case .literal, .blank, .empty: break
        case .output(let output): output.forEachFilter(body)
        case .range(let lower, let upper):
            lower.forEachFilter(body)
            upper.forEachFilter(body)
        case .lookup(let lookup):
            switch lookup.root {
            case .computed(let expression), .value(let expression): expression.forEachFilter(body)
            case .name, .attribute, .nothing: break
            }
            for case .index(let expression) in lookup.segments { expression.forEachFilter(body) }
        }
    }
}
