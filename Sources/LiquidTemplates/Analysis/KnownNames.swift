// SPDX-License-Identifier: MIT

/// Facts about variables that hold at a place in a template, however rendering gets there.
///
/// Branches are walked one after the other from the same state: ``exit(to:isReachable:)`` undoes the changes of one
/// branch, and ``merge(_:)`` keeps what all branches agree on. The cost is proportional to the changes, not to the
/// number of facts.
struct KnownNames {
    typealias Root = VariablePath.Root

    /// What is known about one variable or attribute.
    struct Facts {
        /// Whether the template has assigned a value, so that the data is not read.
        var isAssigned = false
        /// The kind of value that the variable has if the values from which it was made are missing.
        var resultIfMissing = ResultIfMissing.null
        /// Paths that a condition has found present.
        var present: [VariablePath] = []
        /// The value of `KnownNames.epoch` when the facts were recorded; older facts about variables may be outdated.
        var epoch = 0
    }

    /// What a template makes from missing values.
    ///
    /// The later the case, the less a condition can find out about whether the values were missing.
    enum ResultIfMissing: Int {
        case null
        /// A text that is empty or white space, which a condition takes as true.
        case blankText
        /// Any other value, such as 0.
        case value
    }

    /// The state at the end of a branch.
    struct Exit {
        var facts: [Root: Facts]
        var isReachable: Bool
    }

    /// The maximum number of paths that are kept for one root, which bounds the work; further paths are ignored.
    private static let pathLimit = 64

    /// Whether rendering can reach this place.
    var isReachable = true

    private var facts: [Root: Facts] = [:]
    private var changes: [(root: Root, before: Facts?)] = []
    private var epoch = 0

    func isAssigned(_ root: Root) -> Bool { facts[root]?.isAssigned ?? false }

    /// The kind of value at a path if the values from which the template has made it are missing.
    func resultIfMissing(of path: VariablePath) -> ResultIfMissing {
        path.segments.isEmpty ? facts[path.root]?.resultIfMissing ?? .null : .null
    }

    /// Whether a condition has found the path, or a part of its value, present.
    func isPresent(_ path: VariablePath) -> Bool {
        guard path.isStatic, let facts = facts[path.root], facts.epoch == epoch || !path.root.isName else {
            return false
        }
        return facts.present.contains { $0.starts(with: path) }
    }

    /// All paths that conditions have found present.
    var presentPaths: [VariablePath] { facts.flatMap { $1.current($0, epoch) } }

    mutating func addPresent(_ paths: [VariablePath]) {
        for path in paths {
            change(path.root) { facts in
                if facts.present.count < Self.pathLimit { facts.present.append(path) }
            }
        }
    }

    /// Records that a name gets a new value.
    mutating func assign(_ name: String, surely: Bool, resultIfMissing: ResultIfMissing) {
        change(.name(name)) { facts in
            facts.present = []
            facts.resultIfMissing = resultIfMissing
            if surely { facts.isAssigned = true }
        }
    }

    /// Records that a name may get a new value.
    mutating func forget(_ name: String) {
        if facts[.name(name)]?.present.isEmpty ?? true { return }
        change(.name(name)) { $0.present = [] }
    }

    /// Records that any name may get a new value, so that what is known about names no longer holds.
    mutating func forgetAll() { epoch += 1 }

    private mutating func change(_ root: Root, _ body: (inout Facts) -> Void) {
        let before = facts[root]
        var after = before ?? Facts(epoch: epoch)
        if after.epoch != epoch {
            if root.isName { after.present = [] }
            after.epoch = epoch
        }
        body(&after)
        facts[root] = after
        changes.append((root, before))
    }

    /// The current state, to which ``exit(to:isReachable:)`` can return.
    var mark: Int { changes.count }

    /// Undoes the changes since a mark, and returns the changed facts as they were at the end of the branch.
    mutating func exit(to mark: Int, isReachable wasReachable: Bool) -> Exit {
        var exit = Exit(facts: [:], isReachable: isReachable)
        while changes.count > mark, let change = changes.popLast() {
            if exit.facts[change.root] == nil { exit.facts[change.root] = facts[change.root] ?? Facts(epoch: epoch) }
            facts[change.root] = change.before
        }
        isReachable = wasReachable
        return exit
    }

    /// Continues after several branches, one of which is taken: keeps what holds at the end of each of them.
    mutating func merge(_ exits: [Exit]) {
        let taken = exits.filter(\.isReachable)
        guard !taken.isEmpty else {
            isReachable = false
            return
        }
        var changed: [Root: [Facts]] = [:]
        for exit in taken {
            for (root, facts) in exit.facts { changed[root, default: []].append(facts) }
        }
        let epoch = epoch
        for (root, exits) in changed {
            // One unchanged state represents all branches that did not change the name.
            let others = exits.count < taken.count ? [facts[root] ?? Facts(epoch: epoch)] : []
            let found = others + exits
            let present = found.dropFirst().reduce(found[0].current(root, epoch)) { common, other in
                common.filter(other.current(root, epoch).contains)
            }
            change(root) { facts in
                facts.isAssigned = found.allSatisfy(\.isAssigned)
                facts.resultIfMissing = found.map(\.resultIfMissing).max { $0.rawValue < $1.rawValue } ?? .null
                facts.present = present
            }
        }
    }
}

extension KnownNames.Facts {
    /// The paths that are still present in an epoch.
    fileprivate func current(_ root: VariablePath.Root, _ epoch: Int) -> [VariablePath] {
        self.epoch == epoch || !root.isName ? present : []
    }
}

extension VariablePath.Root {
    /// Whether templates can set the root; attributes of a dialect never change.
    fileprivate var isName: Bool { if case .name = self { true } else { false } }
}

/// Determines which of the names that a template sets are read later.
///
/// A read inside a loop counts as a read at the end of the outermost loop, as the next iteration may execute it after
/// the binding.
struct ReadingOrder {
    private var step = 0
    private var bindings: [(binding: Int, step: Int)] = []
    private var lastReads: [VariablePath.Root: Int] = [:]
    private var lastReadOfAll = 0
    /// The names read so far in the outermost open loop.
    private var readInLoop: Set<VariablePath.Root> = []
    private var readsAllInLoop = false
    private var depth = 0

    mutating func add(binding: Int) {
        step += 1
        bindings.append((binding, step))
    }

    mutating func addRead(of name: String) {
        step += 1
        lastReads[.name(name)] = step
        if depth > 0 { readInLoop.insert(.name(name)) }
    }

    /// Records a place that may read any variable, such as an `include`.
    mutating func addReadOfAll() {
        step += 1
        lastReadOfAll = step
        if depth > 0 { readsAllInLoop = true }
    }

    mutating func beginLoop() { depth += 1 }

    mutating func endLoop() {
        depth -= 1
        guard depth == 0 else { return }
        step += 1
        for root in readInLoop { lastReads[root] = step }
        if readsAllInLoop { lastReadOfAll = step }
        readInLoop.removeAll()
        readsAllInLoop = false
    }

    /// Marks the bindings that are read later.
    func mark(_ result: inout [Binding]) {
        for (binding, step) in bindings {
            let last = max(lastReadOfAll, lastReads[.name(result[binding].name)] ?? 0)
            if last > step { result[binding].isRead = true }
        }
    }

    /// Whether the template has a place that may read any variable, such as an `include`.
    var readsAll: Bool { lastReadOfAll > 0 }
}
