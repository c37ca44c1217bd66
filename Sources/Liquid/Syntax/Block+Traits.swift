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

        /// Of code that the parser does not know.
        static let anything: Traits = [.readsAnyName, .mayInterrupt, .mayLeaveInterrupts]

        /// What the branches of a `case` tell around it: those that follow an interrupted one are still begun, and may be
        /// interrupted as well.
        var ofSelection: Traits { contains(.mayInterrupt) ? union(.mayLeaveInterrupts) : self }

        /// What the body of a loop tells around it: the loop takes one interrupt, and others go on.
        var ofLoop: Traits {
            contains(.mayLeaveInterrupts) ? union(.mayInterrupt) : subtracting(.mayInterrupt)
        }
    }
}

extension SyntaxTree.Part {
    /// The traits of a block.
    var traits: Block.Traits { Block.Traits(rawValue: UInt8(truncatingIfNeeded: detail)) }
}
