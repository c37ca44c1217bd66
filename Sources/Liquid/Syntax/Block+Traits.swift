// SPDX-License-Identifier: MIT

extension Block {
    /// What a compiler must know about everything in a block before it compiles the block.
    ///
    /// The parser gathers it from the nodes and expressions as it reads them.
    struct Traits: OptionSet {
        let rawValue: UInt8

        /// A partial or a computed name may read any variable.
        static let readsAnyName = Traits(rawValue: 1)
        /// `forloop` is read other than through one of its plain properties.
        static let usesLoop = Traits(rawValue: 2)
        /// A `break` or `continue` may end the block early.
        static let mayInterrupt = Traits(rawValue: 4)
        /// Several interrupts may be on their way at once, of which a loop around the block takes but one.
        static let mayLeaveInterrupts = Traits(rawValue: 8)

    }
}

extension Node.Kind {
    /// What the node tells the block that it stands in, but for its own expressions.
    var traits: Block.Traits {
        switch self {
        case .text, .raw, .comment, .output, .assign, .cycle, .counter: []
        case .interrupt: .mayInterrupt
        case .partial(let partial):
            partial.kind == .include ? [.readsAnyName, .mayInterrupt, .mayLeaveInterrupts] : .mayInterrupt
        case .custom: [.readsAnyName, .mayInterrupt, .mayLeaveInterrupts]
        case .capture(_, let body), .ifChanged(let body): body.traits
        case .conditional(let conditional): conditional.branches.reduce(into: []) { $0.formUnion($1.body.traits) }
        case .selection(let selection): selection.traits
        case .loop(let loop): loop.body.traitsOfLoop.union(loop.otherwise?.traits ?? [])
        case .table(let table): table.body.traitsOfLoop
        }
    }
}

extension Selection {
    /// Branches that follow an interrupted one are still begun, and may be interrupted as well.
    fileprivate var traits: Block.Traits {
        let traits: Block.Traits = bodies.reduce(into: []) { $0.formUnion($1.traits) }
        return traits.contains(.mayInterrupt) ? traits.union(.mayLeaveInterrupts) : traits
    }
}

extension Block {
    /// What the block tells around a loop whose body it is: the loop takes one interrupt, and others go on.
    fileprivate var traitsOfLoop: Traits {
        traits.contains(.mayLeaveInterrupts) ? traits.union(.mayInterrupt) : traits.subtracting(.mayInterrupt)
    }
}

extension Lookup {
    /// What the lookup tells the block that it stands in, but for the expressions in it.
    var traits: Block.Traits {
        switch root {
        case .computed: return .readsAnyName
        case .name(let name) where name.spells("self"): return .readsAnyName
        case .name(let name) where name.spells("forloop"):
            // A plain property is read from the loop itself.
            guard case .key(let key)? = segments.first, let field = LoopField(key), field != .parentloop else {
                return .usesLoop
            }
            return []
        case .name, .attribute, .value, .nothing: return []
        }
    }
}
