// SPDX-License-Identifier: MIT

import SourceText

/// Collects the reads and filters of expressions.
extension Analyzer {
    mutating func read(_ output: MarkupSyntax, for use: VariableRead.Use, guarded: VariableRead.Guard? = nil) {
        if let expression = output.expression {
            read(expression, for: use, guarded: guarded ?? (Self.hasDefault(output) ? .default : nil))
        }
        for filter in output.filters {
            result.filters.append(
                FilterUse(
                    call: filter,
                    isKnown: environment.filterIndex(filter.name) != nil,
                    isReachable: known.isReachable
                )
            )
            for argument in filter.arguments { read(argument.value, for: .filter(filter.name)) }
        }
    }

    private static func hasDefault(_ output: MarkupSyntax) -> Bool {
        for filter in output.filters {
            if filter.name == "default" { return filter.arguments.contains { $0.name == nil } }
            if !filter.keepsMissing { return false }
        }
        return false
    }

    mutating func read(
        _ expression: ExpressionSyntax,
        for use: VariableRead.Use,
        guarded: VariableRead.Guard? = nil
    ) {
        switch expression.kind {
        case .literal, .blank, .empty: break
        case .range(let range):
            read(range.lower, for: use == .condition ? use : .loop)
            read(range.upper, for: use == .condition ? use : .loop)
        case .output(let output): read(output, for: use, guarded: guarded)
        case .lookup(let lookup): read(lookup, use, guarded)
        }
    }

    private mutating func read(
        _ lookup: LookupSyntax,
        _ use: VariableRead.Use,
        _ guarded: VariableRead.Guard?
    ) {
        for case .index(let expression) in lookup.steps.lazy.map(\.kind) { read(expression, for: .key) }
        switch lookup.root {
        case .value(let value):
            // Printing a member of a value needs the value itself.
            read(value, for: use, guarded: guarded)
            return
        case .computed(let expression): read(expression, for: .key)
        case .nothing: return
        case .name, .attribute: break
        }
        guard let path = VariablePath(lookup) else { return }
        note(path, lookup.range, use, guarded: guarded)
    }

    /// Records a read of a path.
    mutating func note(
        _ path: VariablePath,
        _ range: SourceRange,
        _ use: VariableRead.Use,
        guarded: VariableRead.Guard? = nil
    ) {
        let loop = loopBinding(of: path)
        result.reads.append(
            VariableRead(
                path: path,
                range: range,
                use: use,
                guarded: guarded ?? (use == .condition || known.isPresent(path) ? .condition : nil),
                mayReadData: mayReadData(path, loop),
                loopBinding: loop,
                isReachable: known.isReachable
            )
        )
        if let loop {
            result.bindings[loop].isRead = true
        } else if case .name(let name) = path.root, name != "self" {
            order.addRead(of: name)
        } else if path.root.readsAnyName {
            result.readsAnyVariable = true
            order.addReadOfAll()
        }
        notePartial(path, range)
    }

    private func loopBinding(of path: VariablePath) -> Int? {
        guard case .name(let name) = path.root else { return nil }
        return loops.last { result.bindings[$0].name.sameBytes(as: name) }
    }

    private func mayReadData(_ path: VariablePath, _ loop: Int?) -> Bool {
        guard case .name(let name) = path.root else { return true }
        if loop != nil || known.isAssigned(path.root) { return false }
        return !(loopDepth > 0 && (name == "forloop" || name == "tablerowloop"))
    }

    /// Records a partial, where the path leads to a value that the dialect renders as a template, such as a content
    /// block.
    private mutating func notePartial(_ path: VariablePath, _ range: SourceRange) {
        guard let member = environment.partialsMember, case .name(member) = path.root else { return }
        var name: String?
        if case .attribute(let attribute)? = path.segments.first { name = attribute }
        result.partials.append(
            PartialUse(kind: .attribute, name: name, range: range, isReachable: known.isReachable)
        )
        known.forgetAll()
        order.addReadOfAll()
    }
}

extension VariablePath {
    /// The path of a lookup; nil for a lookup that starts from a value other than a variable.
    package init?(_ lookup: LookupSyntax) {
        switch lookup.root {
        case .name(let name): root = .name(name)
        case .attribute(let name): root = .attribute(name)
        case .computed(let expression):
            if case .string(let name)? = expression.literal { root = .name(name) } else { root = .computed }
        case .value, .nothing: return nil
        }
        segments = lookup.steps.map { step in
            switch step.kind {
            case .key(let key): .key(key)
            case .attribute(let name): .attribute(name)
            case .index(let expression):
                switch expression.literal {
                case .string(let key): .key(key)
                case .integer(let index): .index(index)
                default: .computed
                }
            }
        }
    }
}

extension VariablePath.Root {
    /// Whether the root may be any variable: a computed name, or `self`, whose members are all variables.
    fileprivate var readsAnyName: Bool {
        switch self {
        case .computed: true
        case .name(let name): name == "self"
        case .attribute: false
        }
    }
}

extension FilterSyntax {
    /// Whether the filter returns an empty value for a missing one, so that a `default` after it still applies.
    package var keepsMissing: Bool { Self.namesKeepingMissing.contains(name) }

    private static let namesKeepingMissing: Set<String> = [
        "capitalize", "compact", "date", "downcase", "escape", "escape_once", "first", "h", "join", "last", "lstrip",
        "newline_to_br", "remove", "remove_first", "remove_last", "replace", "replace_first", "replace_last", "reverse",
        "rstrip", "sort", "sort_natural", "split", "squish", "strip", "strip_html", "strip_newlines", "truncate",
        "truncatewords", "uniq", "upcase", "url_decode", "url_encode",
    ]
}
