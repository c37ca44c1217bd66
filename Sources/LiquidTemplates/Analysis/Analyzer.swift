// SPDX-License-Identifier: MIT

import DiagnosticSources

extension Template {
    /// Collects what the template reads, sets, calls and prints, in the order of the source.
    public func analysis() -> TemplateAnalysis {
        var analyzer = Analyzer(program.parsed)
        return analyzer.analysis()
    }
}

/// Walks through a template in the order of rendering, and collects what it finds.
struct Analyzer {
    private let template: ParsedTemplate
    private var environment: Environment { template.environment }

    private var result = TemplateAnalysis()
    private var known = KnownNames()
    /// The variables of the open loops, innermost last, by their indices in the bindings.
    private var loops: [Int] = []
    /// The position of each binding and read in the order of rendering.
    private var order = ReadingOrder()
    /// The reads in the bodies of `capture` tags that print nothing but values, and the binding of each tag.
    private var captured: [(reads: Range<Int>, binding: Int)] = []
    /// The bindings whose value always has a size, as a filter makes a text or list even of a missing value.
    private var sized: Set<Int> = []
    /// The names that are assigned a value without filters, by the range of the value.
    private(set) var assignments: [SourceRange: String] = [:]
    /// Whether a `break` or similar may end the template early.
    private var endsEarly = false
    /// Whether the last node was unreachable; an unreachable node after it extends the same range.
    private var extendsUnreachable = false

    init(_ template: ParsedTemplate) { self.template = template }

    mutating func analysis() -> TemplateAnalysis {
        walk(template.root)
        if !endsEarly { result.requiredPaths = known.presentPaths }
        finish()
        return result
    }

    private mutating func walk(_ block: BlockSyntax) {
        for node in block.nodes { walk(node) }
    }

    private mutating func walk(_ node: NodeSyntax) {
        noteReachability(of: node)
        switch node.kind {
        case .text: break
        case .output(let markup): walk(printed: markup, node.range)
        case .tag(let tag):
            noteTag(tag)
            walk(tag)
        }
    }

    private mutating func walk(printed markup: MarkupSyntax, _ range: SourceRange) {
        result.outputs.append(OutputUse(output: markup, range: range, isReachable: known.isReachable))
        read(markup, for: .output)
    }

    private mutating func walk(_ tag: TagSyntax) {
        switch tag.node.contents {
        case .nothing, .ownText, .text, .block:
            if let binding = tag.node.binding { return walk(binding, of: tag) }
            for expression in tag.expressions { read(expression, for: .tag) }
            for block in tag.blocks { walk(block) }
        case .value(let markup): walk(printed: markup, tag.range)
        case .captured(let body): if let name = tag.boundName { walk(body, capturedAs: name, tag) }
        case .branches(let clauses): walk(branches: clauses)
        case .selection(let subject, let clauses): walk(clauses, equalTo: subject, tag)
        case .loop(let collection, let body, let otherwise):
            if let name = tag.boundName { walk(loop: tag, name, collection, body, otherwise) }
        case .interrupt:
            known.isReachable = false
            endsEarly = true
        case .partial(let kind, let name): walk(partial: tag, kind, name)
        case .custom(let body): walk(custom: tag, body)
        }
    }

    private mutating func walk(_ binding: TagBinding, of tag: TagSyntax) {
        let name = binding.name
        let index = bind(name, in: tag)
        if let markup = binding.value {
            // If a filter or range fails, the name keeps its old value.
            var isSure = markup.filters.isEmpty
            if case .range? = markup.expression?.kind { isSure = false }
            let accumulates = !loops.isEmpty && markup.expression?.staticPath == VariablePath(.name(name.text))
            let made = environment.filterTraits(markup.filters.last?.name ?? "")
            if !made.isDisjoint(with: [.makesText, .makesList]) { sized.insert(index) }
            if markup.filters.isEmpty, binding.kind == .assign, let value = markup.expression, value.staticPath != nil {
                assignments[value.range] = name.text
            }
            read(markup, for: .assign(binding: index), guarded: accumulates ? .accumulation : nil)
            known.assign(name.text, surely: isSure, resultIfMissing: resultIfMissing(of: markup))
        } else {
            note(VariablePath(.name(name.text)), name.range, .counter, guarded: .default)
        }
        order.add(binding: index)
    }

    private mutating func walk(_ body: BlockSyntax, capturedAs name: NameSyntax, _ tag: TagSyntax) {
        let binding = bind(name, in: tag)
        let first = result.reads.count
        walk(body)
        let staysBlank = printsOnlyValues(body)
        if staysBlank { captured.append((first..<result.reads.count, binding)) }
        known.assign(name.text, surely: true, resultIfMissing: staysBlank ? .blankText : .value)
        order.add(binding: binding)
    }

    // MARK: - tags

    private mutating func walk(partial tag: TagSyntax, _ kind: PartialKind, _ name: ExpressionSyntax) {
        for expression in tag.expressions { read(expression, for: .tag) }
        var text: String?
        if case .string(let string)? = name.literal { text = string }
        let use = kind == .include ? PartialUse.Kind.include : .render
        result.partials.append(PartialUse(kind: use, name: text, range: tag.range, isReachable: known.isReachable))
        guard kind == .include else { return }
        known.forgetAll()
        order.addReadOfAll()
    }

    private mutating func walk(custom tag: TagSyntax, _ body: BlockSyntax?) {
        for argument in tag.expressions { read(argument, for: .tag) }
        let effects = tag.definition.effects
        if effects.contains(.usesVariables) {
            result.readsAnyVariable = true
            known.forgetAll()
            order.addReadOfAll()
        }
        if let body {
            let mark = known.mark
            let wasReachable = known.isReachable
            walk(body)
            let exit = known.exit(to: mark, isReachable: wasReachable)
            known.merge([exit, KnownNames.Exit(facts: [:], isReachable: wasReachable)])
        }
        if effects.contains(.stops) { known.isReachable = false }
    }

    // MARK: - notes

    /// Records a binding, and returns its index.
    private mutating func bind(_ name: NameSyntax, in tag: TagSyntax) -> Int {
        result.bindings.append(
            Binding(
                kind: tag.node.binding?.kind ?? .assign,
                name: name.text,
                nameRange: name.range,
                range: tag.range,
                isRead: false,
                isReachable: known.isReachable
            )
        )
        return result.bindings.count - 1
    }

    private mutating func noteTag(_ tag: TagSyntax) {
        result.tags.append(
            TagUse(
                name: tag.name.text,
                nameRange: tag.name.range,
                range: tag.range,
                arguments: tag.expressions,
                isReachable: known.isReachable
            )
        )
    }

    private mutating func noteReachability(of node: NodeSyntax) {
        guard !known.isReachable else {
            extendsUnreachable = false
            return
        }
        if extendsUnreachable, let last = result.unreachable.indices.last {
            result.unreachable[last].end = max(result.unreachable[last].end, node.range.end)
        } else {
            result.unreachable.append(node.range)
            extendsUnreachable = true
        }
    }
}

/// Branches and loops.
extension Analyzer {
    private mutating func walk(branches clauses: [ClauseSyntax]) {
        let mark = known.mark
        let wasReachable = known.isReachable
        var exits: [KnownNames.Exit] = []
        for clause in clauses {
            var truth: Bool? = true
            if !clause.isOtherwise {
                for expression in clause.expressions { read(expression, for: .condition) }
                truth = clause.constantTruth.map { $0 != clause.isNegated }
            }
            let inner = known.mark
            let reachesBranch = known.isReachable
            known.addPresent(clause.presentPaths(holding: !clause.isNegated, known))
            if truth == false { known.isReachable = false }
            walk(clause.body)
            exits.append(known.exit(to: inner, isReachable: reachesBranch && truth != true))
            known.addPresent(clause.presentPaths(holding: clause.isNegated, known))
        }
        exits.append(known.exit(to: mark, isReachable: wasReachable))
        known.merge(exits)
    }

    private mutating func walk(_ clauses: [ClauseSyntax], equalTo subject: ExpressionSyntax, _ tag: TagSyntax) {
        for expression in tag.expressions { read(expression, for: .condition) }
        // More than one branch may run.
        for clause in clauses { forgetNames(in: clause.body) }
        let wasReachable = known.isReachable
        var exits: [KnownNames.Exit] = []
        for clause in clauses {
            let mark = known.mark
            if !clause.isOtherwise, clause.values.allSatisfy(\.isPresentLiteral), let path = subject.staticPath {
                known.addPresent([path])
            }
            walk(clause.body)
            exits.append(known.exit(to: mark, isReachable: wasReachable))
        }
        if !tag.alwaysTakesClause { exits.append(KnownNames.Exit(facts: [:], isReachable: wasReachable)) }
        known.merge(exits)
    }

    private mutating func walk(
        loop tag: TagSyntax,
        _ name: NameSyntax,
        _ collection: ExpressionSyntax,
        _ body: BlockSyntax,
        _ otherwise: BlockSyntax?
    ) {
        // The first expression is the collection.
        for (index, expression) in tag.expressions.enumerated() {
            read(expression, for: .loop, guarded: index == 0 && otherwise != nil ? .otherwise : nil)
        }
        let binding = bind(name, in: tag)
        // From the second iteration on, names have the values that the body has set.
        forgetNames(in: body)
        let mark = known.mark
        let wasReachable = known.isReachable
        if let path = collection.staticPath { known.addPresent([path]) }
        loops.append(binding)
        order.beginLoop()
        walk(body)
        order.endLoop()
        loops.removeLast()
        _ = known.exit(to: mark, isReachable: wasReachable)
        if let otherwise {
            forgetNames(in: otherwise)
            walk(otherwise)
            _ = known.exit(to: mark, isReachable: wasReachable)
        }
    }

    private mutating func forgetNames(in block: BlockSyntax) {
        for node in block.nodes {
            guard let tag = node.tag else { continue }
            switch tag.node.contents {
            case .partial(.include, _), .custom: known.forgetAll()
            default: break
            }
            if let binding = tag.node.binding, binding.kind == .assign || binding.kind == .capture {
                known.forget(binding.name.text)
            }
            for inner in tag.blocks { forgetNames(in: inner) }
        }
    }

    /// Completes the results that depend on the whole template.
    private mutating func finish() {
        order.mark(&result.bindings)
        if order.readsAll { return }
        let others = Set(result.bindings.indices.filter { !sized.contains($0) }.map { result.bindings[$0].name })
        let sizedNames = Set(sized.map { result.bindings[$0].name }).subtracting(others)
        for index in result.reads.indices where result.reads[index].guarded == nil {
            let path = result.reads[index].path
            guard case .name(let name) = path.root, path.segments == [.key("size")], sizedNames.contains(name) else {
                continue
            }
            result.reads[index].guarded = .variable
        }
        // If every use of a variable is guarded, the values assigned to it are guarded too; four rounds follow chains
        // of variables.
        for _ in 0..<4 {
            var unguarded: Set<VariablePath.Root> = []
            for read in result.reads where read.guarded == nil && !read.isRootPresent && read.loopBinding == nil {
                unguarded.insert(read.path.root)
            }
            var hasChanged = false
            for index in result.reads.indices {
                guard result.reads[index].guarded == nil, case .assign(let binding) = result.reads[index].use,
                    !unguarded.contains(.name(result.bindings[binding].name))
                else { continue }
                result.reads[index].guarded = .variable
                hasChanged = true
            }
            for (reads, binding) in captured where !unguarded.contains(.name(result.bindings[binding].name)) {
                for index in reads where result.reads[index].guarded == nil && result.reads[index].use == .output {
                    result.reads[index].guarded = .variable
                    hasChanged = true
                }
            }
            if !hasChanged { return }
        }
    }
}

extension ExpressionSyntax {
    /// The path, for a lookup that is known without rendering; nil for any other expression.
    var staticPath: VariablePath? {
        guard let lookup, let path = VariablePath(lookup), path.isStatic else { return nil }
        return path
    }

    /// Whether the expression is a literal other than nil.
    var isPresentLiteral: Bool {
        literal.map { !$0.isNull } ?? false
    }

    private var isMissingWord: Bool {
        switch kind {
        case .literal(.null), .blank, .empty: true
        default: false
        }
    }

    /// A path whose presence follows from a comparison for equality.
    ///
    /// `whenEqual` says whether the path is present if both sides are equal, or if they differ.
    fileprivate static func presence(
        _ left: ExpressionSyntax,
        _ right: ExpressionSyntax?,
        _ known: KnownNames
    ) -> (VariablePath, whenEqual: Bool)? {
        for (side, other) in [(left, right), (right, left)] {
            guard let path = side?.staticPath else { continue }
            // A missing right side counts as nil.
            guard let other, !other.isMissingWord else {
                return known.resultIfMissing(of: path) == .value ? nil : (path, false)
            }
            if case .string("")? = other.literal, known.resultIfMissing(of: path) == .blankText { return (path, false) }
            if other.isPresentLiteral { return (path, true) }
        }
        return nil
    }
}

extension ClauseSyntax {
    /// The maximum number of paths that are kept when conditions are joined.
    private static let pathLimit = 16

    /// The paths that must be present if the condition is true, or if it is false.
    fileprivate func presentPaths(holding: Bool, _ known: KnownNames) -> [VariablePath] {
        var paths: [VariablePath] = []
        for (index, term) in terms.enumerated().reversed() {
            let own = term.presentPaths(holding: holding, known)
            if index == terms.count - 1 {
                paths = own
            } else if term.hasOr == holding {
                // Only one of the two sides is certain to hold, so a path must be present for both.
                paths = own.filter(paths.contains)
            } else {
                paths = Array((own + paths).prefix(Self.pathLimit))
            }
        }
        return paths
    }

    /// True if the condition always holds, false if it never does; nil if that depends on values.
    fileprivate var constantTruth: Bool? {
        var truth: Bool?
        for (index, term) in terms.enumerated().reversed() {
            let own = term.constantTruth
            if index == terms.count - 1 {
                truth = own
            } else if term.hasOr {
                truth = own == true || truth == true ? true : own == false ? truth : nil
            } else {
                truth = own == false || truth == false ? false : own == true ? truth : nil
            }
        }
        return truth
    }
}

extension TermSyntax {
    fileprivate func presentPaths(holding: Bool, _ known: KnownNames) -> [VariablePath] {
        guard let comparison else {
            guard holding, let path = left.staticPath, known.resultIfMissing(of: path) == .null else { return [] }
            return [path]
        }
        switch comparison {
        case .equal, .notEqual:
            guard let (path, whenEqual) = ExpressionSyntax.presence(left, right, known) else { return [] }
            return whenEqual == (holding == (comparison == .equal)) ? [path] + elementPaths(holding) : []
        case .less, .greater, .lessOrEqual, .greaterOrEqual:
            return holding ? [left.staticPath, right?.staticPath].compactMap { $0 } + elementPaths(holding) : []
        case .contains: return holding ? [left.staticPath, right?.staticPath].compactMap { $0 } : []
        case .unknown: return []
        }
    }

    /// The first and the last element of a list, if the comparison of its size with a number shows that it has any.
    private func elementPaths(_ holding: Bool) -> [VariablePath] {
        guard holding, let size = left.staticPath, size.segments.last == .key("size"),
            case .integer(let number)? = right?.literal
        else { return [] }
        let hasElements =
            switch comparison {
            case .greater: number >= 0
            case .equal, .greaterOrEqual: number >= 1
            case .notEqual, .less, .lessOrEqual, .contains, .unknown, nil: false
            }
        guard hasElements else { return [] }
        return [.index(0), .key("first"), .key("last")].map {
            VariablePath(size.root, size.segments.dropLast() + [$0])
        }
    }

    fileprivate var constantTruth: Bool? {
        guard let value = left.literal else { return nil }
        guard let comparison else { return value.isTruthy }
        guard let other = right?.literal else { return nil }
        switch comparison {
        case .equal: return value.equals(other)
        case .notEqual: return !value.equals(other)
        default: return nil
        }
    }
}

/// Collects the reads and filters of expressions.
extension Analyzer {
    private mutating func read(_ output: MarkupSyntax, for use: VariableRead.Use, guarded: VariableRead.Guard? = nil) {
        if let expression = output.expression {
            read(expression, for: use, guarded: guarded ?? (hasDefault(output) ? .default : nil))
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

    /// The kind of value that the filters give if the value before them is missing.
    private func resultIfMissing(of output: MarkupSyntax) -> KnownNames.ResultIfMissing {
        var resultIfMissing = KnownNames.ResultIfMissing.null
        for filter in output.filters {
            let traits = environment.filterTraits(filter.name)
            guard traits.contains(.keepsMissing) else { return .value }
            if traits.contains(.makesText) { resultIfMissing = .blankText }
        }
        return resultIfMissing
    }

    /// Whether a block prints nothing but white space if its values are missing.
    private func printsOnlyValues(_ block: BlockSyntax) -> Bool {
        block.nodes.allSatisfy { node in
            if let range = node.verbatimRange {
                return template.source.bytes[range.offsets].allSatisfy(\.isRubySpace)
            }
            if let markup = node.printedMarkup { return resultIfMissing(of: markup) != .value }
            switch node.tag?.node.contents {
            case nil, .nothing, .captured, .text, .value: return true
            case .branches, .selection, .loop: return node.blocks.allSatisfy(printsOnlyValues)
            case .ownText, .block, .partial, .custom, .interrupt: return false
            }
        }
    }

    private func hasDefault(_ output: MarkupSyntax) -> Bool {
        for filter in output.filters {
            if filter.name == "default" { return filter.arguments.contains { $0.name == nil } }
            if !environment.filterTraits(filter.name).contains(.keepsMissing) { return false }
        }
        return false
    }

    private mutating func read(
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

    private mutating func read(_ lookup: LookupSyntax, _ use: VariableRead.Use, _ guarded: VariableRead.Guard?) {
        for case .index(let expression) in lookup.steps.map(\.kind) { read(expression, for: .key) }
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
    private mutating func note(
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
                guarded: use == .condition || known.isPresent(path) ? .condition : guarded,
                isRootPresent: !path.segments.isEmpty && known.isPresent(VariablePath(path.root)),
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
        return loops.isEmpty || (name != "forloop" && name != "tablerowloop")
    }

    /// Records a partial if the path leads to a value that the dialect renders as a template, such as a content block.
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
