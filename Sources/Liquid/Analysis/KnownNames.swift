// SPDX-License-Identifier: MIT

/// What is known about variables at a place in a template, whichever way rendering came there.
///
/// Branches are walked one after the other from the same start: ``branch(_:)`` takes back what one has changed, and
/// ``merge(_:)`` keeps what all of them agree on. The work is that of the changes, not of what is known.
struct KnownNames {
    typealias Root = VariablePath.Root

    /// What is known of one root.
    struct Facts {
        /// Whether a value was assigned, so that the data is not asked.
        var isAssigned = false
        /// Paths that a condition found present.
        var present: [VariablePath] = []
        /// Counts up where anything may have been changed.
        var epoch = 0
    }

    /// What a branch has left.
    struct Exit {
        var facts: [Root: Facts]
        var isReachable: Bool
    }

    /// How many paths are kept for one root; what is more is forgotten, so that no template makes the work grow.
    private static let pathLimit = 64

    /// Whether rendering can come here.
    var isReachable = true

    private var facts: [Root: Facts] = [:]
    private var changes: [(root: Root, before: Facts?)] = []
    private var epoch = 0

    func isAssigned(_ root: Root) -> Bool { facts[root]?.isAssigned ?? false }

    /// Whether a condition found the path, or something inside its value, present.
    func isPresent(_ path: VariablePath) -> Bool {
        guard path.isStatic, let facts = facts[path.root], facts.epoch == epoch || !path.root.isName else {
            return false
        }
        return facts.present.contains { $0.starts(with: path) }
    }

    /// The paths that a condition found present.
    var presentPaths: [VariablePath] { facts.flatMap { $1.current($0, epoch) } }

    mutating func addPresent(_ paths: [VariablePath]) {
        for path in paths {
            change(path.root) { facts in
                if facts.present.count < Self.pathLimit { facts.present.append(path) }
            }
        }
    }

    /// A name gets a new value.
    mutating func assign(_ name: String, surely: Bool) {
        change(.name(name)) { facts in
            facts.present = []
            if surely { facts.isAssigned = true }
        }
    }

    /// A name may get a new value.
    mutating func forget(_ name: String) {
        if facts[.name(name)]?.present.isEmpty ?? true { return }
        change(.name(name)) { $0.present = [] }
    }

    /// Any name may get a new value.
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

    /// A point to which ``exit(to:)`` goes back.
    var mark: Int { changes.count }

    /// Takes back what has changed since a mark, and returns it.
    mutating func exit(to mark: Int, isReachable wasReachable: Bool) -> Exit {
        var exit = Exit(facts: [:], isReachable: isReachable)
        while changes.count > mark, let change = changes.popLast() {
            if exit.facts[change.root] == nil { exit.facts[change.root] = facts[change.root] ?? Facts(epoch: epoch) }
            facts[change.root] = change.before
        }
        isReachable = wasReachable
        return exit
    }

    /// Goes on after branches of which one was taken.
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
            // The branches that leave a name alone agree, however many they are.
            let others = exits.count < taken.count ? [facts[root] ?? Facts(epoch: epoch)] : []
            let found = others + exits
            let present = found.dropFirst().reduce(found[0].current(root, epoch)) { common, other in
                common.filter(other.current(root, epoch).contains)
            }
            change(root) { facts in
                facts.isAssigned = found.allSatisfy(\.isAssigned)
                facts.present = present
            }
        }
    }
}

extension KnownNames.Facts {
    /// The paths that are still known in an epoch.
    fileprivate func current(_ root: VariablePath.Root, _ epoch: Int) -> [VariablePath] {
        self.epoch == epoch || !root.isName ? present : []
    }
}

extension VariablePath.Root {
    /// Whether templates can set it; attributes of a dialect stay what they are.
    fileprivate var isName: Bool { if case .name = self { true } else { false } }
}
