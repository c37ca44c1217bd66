// SPDX-License-Identifier: MIT

/// The ways in which statements leave the blocks that contain them.
extension PayloadTracer {
    /// The way in which a block of statements ends.
    enum Exit {
        case crash
        case give(CodeExpression?)
        case failure
        case loop
        /// By delivering the notification, the last action of a service extension.
        case delivery
    }

    /// The pushes for which statements may leave.
    struct Leaving: Hashable {
        /// The categories of these pushes.
        var categories = CategorySet.none

        /// Those of ``categories`` for which a value in the push decides.
        var open = CategorySet.none

        /// Those of ``categories`` for which code leaves although nothing has failed: exits in the `else` of a `guard`
        /// and in `catch` do not count.
        var usual = CategorySet.none

        mutating func formUnion(_ other: Leaving) {
            categories.formUnion(other.categories)
            open.formUnion(other.open)
            usual.formUnion(other.usual)
        }
    }

    /// The pushes for which statements may leave, by what they leave.
    typealias Exits = [CodeTarget: Leaving]

    // MARK: - Recording

    /// Records that a statement leaves something in the current circumstances.
    func noteExit(_ target: CodeTarget, _ frame: Frame) {
        guard circumstances.categories != .none else { return }
        let categories = circumstances.categories
        frame.exits[target, default: Leaving()].formUnion(Leaving(categories: categories, usual: categories))
    }

    /// Runs code, and finds for which pushes it may leave the block that contains it.
    ///
    /// - Parameters:
    ///   - frame: the function that contains the code.
    ///   - ended: what ends with the code, so that leaving this does not leave the block.
    ///   - isFailure: whether the code is run where something has failed.
    ///   - body: runs the code.
    /// - Returns: its exits, without those that leave what ends with it.
    func exits(
        _ frame: Frame,
        ending ended: Set<CodeTarget> = [],
        isFailure: Bool = false,
        _ body: () -> Void
    ) -> Exits {
        let before = frame.exits
        frame.exits = [:]
        body()
        var found = frame.exits.filter { !ended.contains($0.key) }
        if isFailure { for target in found.keys { found[target]?.usual = .none } }
        frame.exits = before
        frame.add(found)
        return found
    }

    /// Goes on after a block that may leave where a condition does not hold.
    ///
    /// - Parameters:
    ///   - tested: what the condition requires.
    ///   - exit: the way in which the block ends; nil where it always leaves, in a way that is not known.
    ///   - exits: the exits of the block.
    ///   - frame: the function that contains it.
    func goOn(_ tested: Tested, after exit: Exit?, _ exits: Exits, _ frame: Frame) {
        let guarded = exit?.guarded ?? .rest
        if guarded == .branch ? tested.isMixed : tested.isPartial { frame.add(exits.open) }
        narrow(tested, guarded)
    }

    /// Notes that what comes after a block which does not always run is not reached where it leaves the function.
    ///
    /// - Parameters:
    ///   - exits: the exits of the block.
    ///   - tested: what the condition requires that decides if the block runs, or that it does not run.
    ///   - frame: the function that contains it.
    func noteExits(_ exits: Exits, _ tested: Tested, _ frame: Frame) {
        var exits = exits.filter { frame.labels[$0.key] != frame.bodyDepth }
        if tested.isPartial {
            exits = exits.open
        } else if tested.isMixed, !tested.sites.isEmpty {
            // A push is shown in one of several ways, by the pairs that it has.
            for (target, leaving) in exits { exits[target]?.open.formUnion(leaving.usual) }
        }
        frame.add(exits)
        for leaving in exits.values {
            circumstances.uncertain.formUnion(leaving.categories)
            circumstances.open.formUnion(leaving.open)
        }
    }

    // MARK: - Exits where reads are missing

    /// Runs the block that is executed when reads are missing, and marks the reads with the way in which it ends.
    func leave(
        _ conditions: Tested,
        _ block: [CodeStatement],
        _ scope: Scope,
        _ frame: Frame,
        isGuard: Bool
    ) {
        let tested = conditions.sites
        func mark(_ requirement: ReadRequirement, isGate: Bool = false, for categories: CategorySet = .all) {
            // The reads are tested for pushes of these categories only.
            holding(Tested(categories: conditions.categories.intersection(categories)), .rest) {
                self.mark(tested, requirement, frame, isGate: isGate)
            }
        }
        func run(_ statements: [CodeStatement]) {
            holding(conditions.inverted, .branch) { self.run(statements, scope, frame) }
        }
        let way = exit(of: block, scope, frame)
        if isGuard, block.dropLast().allSatisfy(\.isLog) { noteExit(way, withoutConversions: conditions, frame) }
        switch way {
        case .crash?:
            // The block may leave before it crashes, and not after it.
            let end = block.firstIndex { exit(of: [$0], scope, frame)?.isCrash ?? false } ?? block.endIndex - 1
            let left = exits(frame) { run(Array(block[...end])) }.categories
            let reached = frame.exits
            run(Array(block[(end + 1)...]))
            frame.exits = reached
            mark(.crash, for: left.inverted)
            mark(.return, for: left)
        case .give(let expression)?:
            let before = (frame.returned, frame.returnsNull, frame.hasReturned, frame.branchReturns)
            run(block)
            guard let expression, !tested.isEmpty else {
                mark(.return)
                return
            }
            if expression.isNull {
                frame.nullAbsence.formUnion(tested)
            } else if frame.result == nil && !frame.isAccessor && !(frame.isClosure && !expression.isCall) {
                // `return show(x)` in a function without a result.
                mark(.return)
                (frame.returned, frame.returnsNull, frame.hasReturned, frame.branchReturns) = before
            } else if frame.result?.unwrapped.name == "Void" {
                mark(.return)
            } else if isGuard || frame.isAccessor {
                frame.otherReturns.formUnion(tested)
            }
        case .failure?:
            mark(.return)
            frame.throwing.formUnion(tested)
            run(block)
        case .loop?:
            mark(.return, isGate: true)
            run(block)
        case .delivery?:
            mark(.return)
            run(block)
        case nil:
            if isGuard { mark(.return) }
            run(block)
        }
    }

    /// Records the conversions at which the code leaves or crashes if they fail.
    private func noteExit(_ exit: Exit?, withoutConversions tested: Tested, _ frame: Frame) {
        if case .loop? = exit { return }
        let isCrash = exit?.isCrash ?? false
        // What a function leaves that others call may be one feature of several.
        let isOfEntry = frame.depth == 0 && !frame.isClosure && !frame.isAside && frame.loops == 0
        guard isCrash || isOfEntry && !frame.mayHaveShown else { return }
        holding(Tested(categories: tested.categories), .rest) {
            for sent in tested.conversions { noteFailure(of: sent, isExit: !isCrash, frame) }
        }
    }

    /// Forgets the categories for which code only leaves, so that what it does for others comes after.
    ///
    /// - Parameters:
    ///   - before: the categories with which code compares elsewhere.
    ///   - tested: what is required of the pushes for which the block runs.
    ///   - block: the block.
    func forgetCategories(comparedAfter before: [String: CodePlace], _ tested: Tested, leftBy block: [CodeStatement]) {
        guard tested.categories != .all, case .giveBack(nil)? = block.last,
            block.dropLast().allSatisfy({ $0.isLog || $0.setsConstant })
        else { return }
        for name in comparedCategories.keys where before[name] == nil && tested.categories.contains(name) {
            comparedCategories[name] = nil
        }
    }

    /// The way in which a block ends in all builds; nil if execution continues after it.
    func exit(of block: [CodeStatement], _ scope: Scope, _ frame: Frame) -> Exit? {
        var delivers = false
        for statement in block {
            switch statement {
            case .giveBack(let expression):
                if let expression, crashes(expression, scope, frame) { return .crash }
                return .give(expression)
            case .throwing: return .failure
            case .leave: return .loop
            case .expression(let expression):
                if crashes(expression, scope, frame) { return .crash }
                if this(delivers: expression) { delivers = true }
            default: break
            }
        }
        return delivers ? .delivery : nil
    }

    private func this(delivers expression: CodeExpression) -> Bool {
        guard case .call(let callee, _) = expression.kind else { return false }
        var current = callee
        while true {
            switch current.kind {
            case .chained(let inner), .forced(let inner): current = inner
            case .name(let name), .member(_, let name):
                return name.isContentHandler
            default: return false
            }
        }
    }

    // MARK: - Functions that do not return

    /// Whether an expression terminates the process.
    func crashes(_ expression: CodeExpression, _ scope: Scope, _ frame: Frame) -> Bool {
        guard case .call(let callee, let arguments) = expression.kind else { return false }
        switch callee.kind {
        case .name(let name):
            // Names of the code take the place of those of the system.
            guard scope.lookUp(name) == nil else { return false }
            var outer = frame.owner
            while let owner = outer {
                let methods = index.methods(name, of: owner)
                if !methods.isEmpty { return methods.neverReturn }
                if index.variable(name, of: owner) != nil { return false }
                outer = index.outerType(of: owner, file: frame.file)
            }
            guard index.variables[name] == nil else { return false }
            if let chosen = overload(index.functions[name] ?? [], arguments) { return [chosen].neverReturn }
            guard name == "precondition" else { return SystemTypes.crashing.contains(name) }
            if case .boolean(false)? = arguments.first?.value.kind { return true }
            return false
        case .member(let base?, let name):
            guard case .name(let owner) = base.kind else { return false }
            if SystemTypes.modulesOfCrashing.contains(owner), !index.mayDeclare(owner) {
                return SystemTypes.crashing.contains(name)
            }
            if owner == "self" || owner == "Self" {
                return frame.owner.map { index.methods(name, of: $0).neverReturn } ?? false
            }
            guard scope.lookUp(owner) == nil, case .metatype(let type)? = typeForm(owner, frame) else { return false }
            return index.methods(name, of: type).neverReturn
        default: return false
        }
    }
}

extension PayloadTracer.Frame {
    /// Adds exits to those of the statements that have been run.
    func add(_ others: PayloadTracer.Exits) { exits.merge(others) { $0.union($1) } }
}

extension PayloadTracer.Leaving {
    func union(_ other: PayloadTracer.Leaving) -> PayloadTracer.Leaving {
        var both = self
        both.formUnion(other)
        return both
    }
}

extension PayloadTracer.Exits {
    /// All of their categories.
    var categories: CategorySet { values.reduce(.none) { $0.union($1.categories) } }

    /// The same exits, where a value in the push decides.
    var open: PayloadTracer.Exits {
        mapValues { PayloadTracer.Leaving(categories: $0.categories, open: $0.categories, usual: $0.usual) }
    }
}

extension PayloadTracer.Exit {
    /// Where the code after the block is: an iteration that is skipped is not where the function is meant to end.
    fileprivate var guarded: PayloadTracer.Guarded {
        if case .loop = self { return .branch }
        return .rest
    }

    /// Whether a block that ends so leaves the function, by an error too, and not only a loop or `switch`.
    var leavesFunction: Bool {
        switch self {
        case .crash, .give, .failure: true
        case .loop, .delivery: false
        }
    }

    fileprivate var isCrash: Bool {
        if case .crash = self { return true }
        return false
    }

    /// Whether nothing after the block in the same list of statements runs.
    var endsBlock: Bool {
        if case .delivery = self { return false }
        return true
    }
}

extension CodeStatement {
    /// Whether the person may see what it does: it calls a function, or sets a property of another object.
    var mayShow: Bool {
        guard case .expression(let expression) = self else { return false }
        switch expression.withoutMarks.kind {
        case .assign(let target, let value):
            // Such as `_ = show()`.
            if case .other = target.kind { return CodeStatement.expression(value).mayShow }
            return target.isPartOfOther
        case .binary("+=", let target, _): return target.isPartOfOther
        case .call(let callee, _):
            if case .member(let base?, _) = callee.kind, case .name("super") = base.kind { return false }
            return !isLog
        default: return false
        }
    }

    /// Whether it sets a property to a constant.
    fileprivate var setsConstant: Bool {
        guard case .expression(let expression) = self, case .assign(_, let value) = expression.kind else {
            return false
        }
        switch value.kind {
        case .boolean, .number, .null, .member(nil, _): return true
        case .text(let parts): return parts.allSatisfy { if case .text = $0 { true } else { false } }
        default: return false
        }
    }

    /// Whether it only writes to a log.
    fileprivate var isLog: Bool {
        guard case .expression(let expression) = self, case .call(let callee, _) = expression.kind else { return false }
        switch callee.kind {
        case .name(let name), .member(_, let name): return SystemTypes.readsNoPairs(name)
        default: return false
        }
    }
}

extension [CodeIndex.Placed<CodeFunction>] {
    /// Whether there are any, and none of them returns.
    fileprivate var neverReturn: Bool { !isEmpty && allSatisfy { $0.declaration.result?.name == "Never" } }
}

extension SystemTypes {
    /// The modules that have the functions which terminate the process.
    fileprivate static let modulesOfCrashing: Set<String> = ["Swift", "Darwin", "Foundation", "Glibc", "UIKit"]
}

extension CodeExpression {
    /// Whether it is a property of another object than `self`, or one of several places in a tuple.
    fileprivate var isPartOfOther: Bool {
        switch withoutMarks.kind {
        case .member(let base?, _):
            if case .name("self") = base.kind { return false }
            return true
        case .tuple: return true
        default: return false
        }
    }

    /// The expression without `?`, `!` and `try` around it.
    var withoutMarks: CodeExpression {
        switch kind {
        case .chained(let inner), .forced(let inner), .attempt(let inner, _): inner.withoutMarks
        default: self
        }
    }

    var isNull: Bool {
        switch kind {
        case .null, .member(nil, "none"), .name("nil"), .name("NULL"), .name("Nil"): true
        default: false
        }
    }

    fileprivate var isCall: Bool {
        if case .call = kind { return true }
        return false
    }
}
