// SPDX-License-Identifier: MIT

import SourceText

/// Expressions, outputs and conditions.
extension SyntaxView {
    func expression(_ part: Int) -> Expression {
        let range = tree[part].range
        switch tree[part].kind {
        case .blank: return Expression(.blank, range)
        case .empty: return Expression(.empty, range)
        case .range:
            let upper = tree.endOfPart(part + 1)
            return Expression(.range(expression(part + 1), expression(upper)), range)
        case .group: return Expression(.output(output(part + 1)), range)
        case .lookup: return Expression(.lookup(lookup(part)), range)
        default: return Expression(.literal(tree.literal(part, in: source) ?? .null), range)
        }
    }

    private func lookup(_ part: Int) -> Lookup {
        let root = part + 1
        return Lookup(
            root: {
                switch tree[root].kind {
                case .variable: .name(text(of: root))
                case .attribute: .attribute(source.attribute(tree[root]))
                case .computed: .computed(expression(root + 1))
                case .root: .value(expression(root + 1))
                default: .nothing
                }
            }(),
            segments: tree.parts(in: part).dropFirst().map { step in
                switch tree[step].kind {
                case .index: .index(expression(step + 1))
                case .attributeKey: .attribute(source.attribute(tree[step]))
                default: .key(text(of: step))
                }
            }
        )
    }

    /// A value with its filters.
    func output(_ part: Int) -> Output {
        var output = Output(expression: nil, filters: [], range: tree[part].range)
        for inner in tree.parts(in: part) {
            if tree[inner].kind == .filter {
                output.filters.append(filter(inner))
            } else {
                output.expression = expression(inner)
            }
        }
        return output
    }

    private func filter(_ part: Int) -> FilterCall {
        var call = FilterCall(name: text(of: part), nameRange: tree[part].range, positional: [], keywords: [])
        call.positional = tree.parts(in: part).filter { tree[$0].kind != .argument }.map(expression)
        call.keywords = namedArguments(of: part)
        return call
    }

    /// The arguments with a name; one that comes again keeps its place and takes the last value.
    func namedArguments(of part: Int) -> [(name: String, value: Expression)] {
        var names = NameTable()
        var arguments: [(name: String, value: Expression)] = []
        for argument in parts(.argument, in: part) {
            let name = text(of: argument)
            let place = names.number(of: Name(name))
            if place < arguments.count {
                arguments[place].value = expression(argument + 1)
            } else {
                arguments.append((name, expression(argument + 1)))
            }
        }
        return arguments
    }

    func term(_ part: Int) -> Condition.Term {
        let left = part + 1
        let right = tree.endOfPart(left)
        return Condition.Term(
            left: expression(left),
            comparison: comparison(part),
            right: right < tree.endOfPart(part) ? expression(right) : nil,
            orNext: tree[part].flags.contains(.or)
        )
    }

    private func comparison(_ part: Int) -> Condition.Operator? {
        switch SyntaxTree.Comparison(rawValue: tree[part].detail) {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .less
        case .greater: .greater
        case .lessOrEqual: .lessOrEqual
        case .greaterOrEqual: .greaterOrEqual
        case .contains: .contains
        case .unknown: .unknown(text(of: part))
        case .truth, nil: nil
        }
    }
}
