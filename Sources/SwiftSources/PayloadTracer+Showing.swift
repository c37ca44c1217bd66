// SPDX-License-Identifier: MIT

/// The pairs without which an extension shows nothing, because all that shows something runs only where it finds them.
extension PayloadTracer {
    /// What the condition of an `if` tests, in one of the circumstances in which it is run.
    struct BranchTest: Hashable {
        /// The pairs that must be sent.
        var names: Set<KeyName>

        /// The reads of ``names``.
        var sites: Set<Int>

        /// The pushes for which the condition is tested.
        var circumstances: Circumstances

        /// Whether nothing but the category and missing pairs skips the block, and no other block runs instead.
        var isOfPairsAlone: Bool
    }

    /// Records what the conditions of an `if` test.
    func noteBranch(_ conditions: [CodeCondition], _ tested: Tested, hasOther: Bool, _ frame: Frame) {
        guard let first = conditions.first, !circumstances.isRepeated, !frame.isAside else { return }
        // A push has one of several keys that the code may mean, and not all of them; of the keys of a loop, some.
        let certain = (frame.loops > 0 ? [] : tested.sites).filter { site in
            let found = facts[site]
            return found.alternatives.allSatisfy { !tested.sites.contains($0) } && !found.isOneOfMany
                && found.choosers.isEmpty && !TargetCode.isSystem(sites[site].path, sites[site].key)
        }
        let test = BranchTest(
            names: Set(certain.map(name(ofSite:))), sites: Set(certain), circumstances: circumstances,
            isOfPairsAlone: !tested.isPartial && !hasOther)
        branchTests[CodePlace(file: frame.file, offset: first.offset), default: []].insert(test)
    }

    private func name(ofSite site: Int) -> KeyName { KeyName(path: sites[site].path, key: sites[site].key) }

    /// Marks the pairs without which the code shows nothing, and those without which it does nothing with another pair.
    func markNeededToShow() {
        guard !isExhausted, !branchTests.isEmpty else { return }
        let reads = Dictionary(grouping: sites.indices, by: name(ofSite:))
        let tests = Set(branchTests.values.joined())
        let tested = Dictionary(grouping: Set(tests.flatMap(\.sites)), by: name(ofSite:))
        for type in index.types.indices {
            for method in index.types[type].methods where method.declaration.showsNotification {
                var search = ShowSearch(index, branchTests)
                search.walk(method, owner: type, [])
                markNeeded(for: search.shows, tested: tested, reads)
            }
        }
        for test in tests where test.isOfPairsAlone { markNeededTogether(test, reads) }
    }

    /// Marks the pairs that are needed for all that shows something, or one of which is.
    ///
    /// - Parameters:
    ///   - shows: for each place that shows something, the pairs that have to be sent.
    ///   - tested: the reads for which conditions test.
    ///   - reads: all reads.
    private func markNeeded(for shows: Set<Set<KeyName>>, tested: [KeyName: [Int]], _ reads: [KeyName: [Int]]) {
        guard !shows.contains([]) else { return }
        // What needs more pairs than something else is an addition to it.
        let shows = shows.filter { show in !shows.contains { $0 != show && $0.isSubset(of: show) } }
        for name in shows.reduce(into: Set<KeyName>(), { $0.formUnion($1) }) {
            let others = shows.filter { !$0.contains(name) }
            let alternatives = others.map { $0.filter { $0.path == name.path } }
            // Only keys of the same dictionary are compared with those that are sent.
            guard alternatives.allSatisfy({ !$0.isEmpty }) else { continue }
            let names = alternatives.reduce(into: Set<KeyName>()) { $0.formUnion($1) }
            let instead = Set(names.flatMap { reads[$0] ?? [] })
            let demand = Demand(
                requirement: .return, isGate: false, circumstances: Circumstances(), instead: instead)
            for site in tested[name] ?? [] { facts[site].demands.insert(demand) }
        }
    }

    /// Marks the pairs of a condition that are needed in a push that has another one of them, if the code does nothing
    /// else with that one.
    private func markNeededTogether(_ test: BranchTest, _ reads: [KeyName: [Int]]) {
        let names = test.names.filter(\.path.isEmpty)
        guard names.count > 1 else { return }
        for sent in names {
            let uses = (reads[sent] ?? []).filter { !test.sites.contains($0) }
            var circumstances = test.circumstances
            circumstances.keys.insert(sent)
            circumstances.keysOfBranches.insert(sent)
            let demand = Demand(requirement: .return, isGate: false, circumstances: circumstances)
            for missing in names where missing != sent {
                guard uses.allSatisfy({ facts[$0].circumstances.keys.contains(missing) }) else { continue }
                for site in test.sites where name(ofSite: site) == missing { facts[site].demands.insert(demand) }
            }
        }
    }
}

extension CodeFunction {
    /// Whether the system calls it with a notification that an extension is to show.
    fileprivate var showsNotification: Bool {
        let isOfSwift = name == "didReceive" && parameters.map { $0.type?.unwrapped.name } == ["UNNotification"]
        return isOfSwift || name == "didReceiveNotification:"
    }
}

/// Finds the places in a function, and in those that it calls, that may show something.
///
/// It looks at the statements alone. Whatever is not known to show nothing may show something.
private struct ShowSearch {
    private enum Limit {
        static let calls = 6
        static let statements = 5_000
        static let tests = 4
    }

    /// A function that is searched.
    private struct Context {
        var owner: Int?
        var file: Int
        var returnsValue: Bool
        var names: Set<String> = []
        var calls = 0
    }

    /// For each place that may show something, the pairs without which it is not reached.
    private(set) var shows: Set<Set<PayloadTracer.KeyName>> = []

    private let index: CodeIndex
    private let tests: [CodePlace: Set<PayloadTracer.BranchTest>]
    private var statementCount = 0

    init(_ index: CodeIndex, _ tests: [CodePlace: Set<PayloadTracer.BranchTest>]) {
        self.index = index
        self.tests = tests
    }

    mutating func walk(
        _ function: CodeIndex.Placed<CodeFunction>,
        owner: Int?,
        calls: Int = 0,
        _ needed: Set<PayloadTracer.KeyName>
    ) {
        guard let body = function.declaration.body, calls < Limit.calls else { return show(needed) }
        let result = function.declaration.result?.unwrapped.name ?? "Void"
        var context = Context(
            owner: owner, file: function.file, returnsValue: result != "Void" && result != "void",
            names: Set(function.declaration.parameters.map(\.name)), calls: calls)
        if context.returnsValue, body.count == 1, case .expression(let only) = body[0] {
            scan(only, needed, context)
        } else {
            walk(body, needed, &context)
        }
    }

    private mutating func show(_ needed: Set<PayloadTracer.KeyName>) { shows.insert(needed) }

    private mutating func walk(
        _ statements: [CodeStatement],
        _ needed: Set<PayloadTracer.KeyName>,
        _ context: inout Context
    ) {
        for statement in statements { walk(statement, needed, &context) }
    }

    private mutating func walk(
        _ statement: CodeStatement,
        _ needed: Set<PayloadTracer.KeyName>,
        _ context: inout Context
    ) {
        statementCount += 1
        guard statementCount < Limit.statements else { return show([]) }
        switch statement {
        case .expression(let expression): walk(expression, needed, &context)
        case .variable(let variable):
            context.names.formUnion(variable.pattern.names)
            if let initial = variable.initial { scan(initial, needed, context) }
        case .guarding(let conditions, let otherwise):
            scan(conditions, needed, &context)
            walk(otherwise, needed, &context)
        case .branch(let conditions, let body, let otherwise):
            scan(conditions, needed, &context)
            let found = conditions.first.flatMap { tests[CodePlace(file: context.file, offset: $0.offset)] } ?? []
            if found.isEmpty || found.count > Limit.tests {
                walk(body, needed, &context)
            } else {
                for test in found { walk(body, needed.union(test.names), &context) }
            }
            if let otherwise { walk(otherwise, needed, &context) }
        case .choose(let subject, let cases):
            scan(subject, needed, context)
            for entry in cases {
                for pattern in entry.patterns { context.names.formUnion(pattern.names) }
                walk(entry.body, needed, &context)
            }
        case .loop(let pattern, let sequence, let conditions, let body, _):
            context.names.formUnion(pattern.names)
            for expression in [sequence] + conditions { scan(expression, needed, context) }
            walk(body, needed, &context)
        case .repeating(let conditions, let body):
            scan(conditions, needed, &context)
            walk(body, needed, &context)
        case .attempt(let body, let catches, _): for part in [body] + catches { walk(part, needed, &context) }
        case .labelled(_, let body): walk(body, needed, &context)
        case .giveBack(let expression?):
            if context.returnsValue {
                scan(expression, needed, context)
            } else {
                walk(expression, needed, &context)
            }
        case .throwing(let expression?): scan(expression, needed, context)
        case .giveBack(nil), .throwing(nil), .leave: break
        // A call of it is one of a name that no type declares.
        case .function(let function): context.names.insert(function.name)
        case .conditional(let body, let isForOthers): if !isForOthers { walk(body, needed, &context) }
        }
    }

    /// Searches an expression that is a statement.
    private mutating func walk(
        _ expression: CodeExpression,
        _ needed: Set<PayloadTracer.KeyName>,
        _ context: inout Context
    ) {
        let expression = expression.withoutMarks
        switch expression.kind {
        case .assign(let target, let value):
            if case .other = target.kind { return walk(value, needed, &context) }
            scan(value, needed, context)
            if !setsOnlyValue(target, context) { show(needed) }
        case .binary(let symbol, let target, let value)
        where symbol.hasSuffix("=") && !["==", "!=", "<=", ">=", "===", "!=="].contains(symbol):
            scan(value, needed, context)
            if !setsOnlyValue(target, context) { show(needed) }
        case .call(let callee, let arguments):
            let statement = CodeStatement.expression(expression)
            if let own = ownFunction(callee, context) {
                walk(own.function, owner: own.owner, calls: context.calls + 1, needed)
            } else if callee.runsLater, case .closure(let closure)? = arguments.last?.value.kind {
                walk(closure.body, needed, &context)
            } else if statement.mayShow {
                show(needed)
            }
            for argument in arguments { scan(argument.value, needed, context) }
        case .block(let statements): walk(statements, needed, &context)
        case .choice(let condition, let first, let second):
            scan(condition, needed, context)
            walk(first, needed, &context)
            walk(second, needed, &context)
        default: scan(expression, needed, context)
        }
    }

    private mutating func scan(
        _ conditions: [CodeCondition],
        _ needed: Set<PayloadTracer.KeyName>,
        _ context: inout Context
    ) {
        for condition in conditions {
            switch condition {
            case .expression(let expression): scan(expression, needed, context)
            case .binding(let pattern, _, let expression, _):
                context.names.formUnion(pattern.names)
                if let expression { scan(expression, needed, context) }
            case .matching(let pattern, let expression):
                context.names.formUnion(pattern.names)
                scan(expression, needed, context)
            }
        }
    }

    /// Searches the functions of the target that an expression calls for a value.
    private mutating func scan(
        _ expression: CodeExpression,
        _ needed: Set<PayloadTracer.KeyName>,
        _ context: Context
    ) {
        if case .call(let callee, _) = expression.kind, let own = ownFunction(callee, context) {
            statementCount += 1
            guard statementCount < Limit.statements else { return show([]) }
            walk(own.function, owner: own.owner, calls: context.calls + 1, needed)
        }
        for part in expression.parts { scan(part, needed, context) }
    }

    /// The function of the target that a call certainly runs; nil where there is none.
    private func ownFunction(
        _ callee: CodeExpression,
        _ context: Context
    ) -> (function: CodeIndex.Placed<CodeFunction>, owner: Int?)? {
        let name: String
        switch callee.withoutMarks.kind {
        case .name(let found) where !context.names.contains(found): name = found
        case .member(let base?, let found):
            guard case .name("self") = base.withoutMarks.kind else { return nil }
            name = found
        default: return nil
        }
        if let owner = context.owner {
            let methods = index.methods(name, of: owner)
            if !methods.isEmpty { return methods.count == 1 ? (methods[0], owner) : nil }
        }
        let functions = index.functions[name] ?? []
        return functions.count == 1 ? (functions[0], nil) : nil
    }

    /// Whether an assignment only keeps a value: in a local variable, or in a property that nothing observes and that
    /// no other code of its class reads, except that for buttons.
    private func setsOnlyValue(_ target: CodeExpression, _ context: Context) -> Bool {
        let name: String
        switch target.withoutMarks.kind {
        case .name(let found):
            if context.names.contains(found) { return true }
            name = found
        case .member(let base?, let found):
            guard case .name("self") = base.withoutMarks.kind else { return false }
            name = found
        default: return false
        }
        if name == "preferredContentSize" { return true }
        guard let owner = context.owner, let (declared, variable) = index.variable(name, of: owner) else {
            return false
        }
        return variable.declaration.setters.isEmpty && variable.declaration.attributes.isEmpty
            && variable.declaration.getter == nil && !isRead(name, in: index.types[declared])
    }

    private func isRead(_ name: String, in type: CodeIndex.TypeEntry) -> Bool {
        let others = type.methods.map(\.declaration).filter { !$0.showsNotification && ($0.isRunByPush || !$0.isEntry) }
        return others.contains { $0.mentions.contains(name) }
            || type.stored.contains { $0.declaration.name != name && $0.declaration.mentions.contains(name) }
    }
}

extension CodeCondition {
    /// The offset at which it begins.
    fileprivate var offset: Int {
        switch self {
        case .expression(let expression), .matching(_, let expression): expression.offset
        case .binding(_, _, _, let offset): offset
        }
    }
}

extension CodeExpression {
    /// Whether it is a function that runs its last argument, as on another queue.
    fileprivate var runsLater: Bool {
        switch withoutMarks.kind {
        case .name(let name): ["Task", "dispatch_async", "dispatch_after", "dispatch_sync"].contains(name)
        case .member(_, let name): ["async", "asyncAfter", "sync", "run", "performWithoutAnimation"].contains(name)
        default: false
        }
    }

    /// The expressions that it is put together from, without the bodies of closures.
    fileprivate var parts: [CodeExpression] {
        switch kind {
        case .name, .number, .boolean, .null, .closure, .keyPath, .type, .block, .available: []
        case .text(let parts): parts.compactMap { if case .value(let value) = $0 { value } else { nil } }
        case .member(let base, _): [base].compactMap(\.self)
        case .call(let base, let arguments), .index(let base, let arguments): [base] + arguments.map(\.value)
        case .cast(let inner, _, _), .forced(let inner), .chained(let inner), .passed(let inner),
            .attempt(let inner, _), .not(let inner):
            [inner]
        case .binary(_, let left, let right), .assign(let left, let right): [left, right]
        case .choice(let condition, let first, let second): [condition, first, second]
        case .tuple(let arguments): arguments.map(\.value)
        case .list(let values), .other(let values): values
        case .map(let members): members.flatMap { [$0.key, $0.value] }
        }
    }
}
