// SPDX-License-Identifier: MIT

/// What a compiler must know about everything in a block before it compiles the block.
///
/// The parser gathers it from the nodes and expressions as it reads them.
struct BlockTraits: OptionSet {
    let rawValue: UInt8

    /// A partial or a computed name may read any variable.
    static let readsAnyName = BlockTraits(rawValue: 1)
    /// `forloop` is read other than through one of its plain properties.
    static let usesLoop = BlockTraits(rawValue: 2)
    /// A `break` or `continue` may end the block early.
    static let mayInterrupt = BlockTraits(rawValue: 4)
    /// Several interrupts may be on their way at once, of which a loop around the block takes only one.
    static let mayLeaveInterrupts = BlockTraits(rawValue: 8)

    /// Those of code that the parser does not know.
    static let anything: BlockTraits = [.readsAnyName, .mayInterrupt, .mayLeaveInterrupts]

    /// What the branches of a `case` mean for the code around it: those that follow an interrupted one are still begun, and
    /// may be interrupted as well.
    var ofSelection: BlockTraits { contains(.mayInterrupt) ? union(.mayLeaveInterrupts) : self }

    /// What the body of a loop means for the code around it: the loop takes one interrupt, and others go on.
    var ofLoop: BlockTraits {
        contains(.mayLeaveInterrupts) ? union(.mayInterrupt) : subtracting(.mayInterrupt)
    }
}

/// What the parser finds out about a node.
struct NodeTraits {
    /// Whether the reference takes the node for white space.
    var isBlank: Bool
    /// What is in the node.
    var traits: BlockTraits

    init(isBlank: Bool, _ traits: BlockTraits = []) {
        self.isBlank = isBlank
        self.traits = traits
    }

    /// A node without a body that may print.
    static let prints = NodeTraits(isBlank: false)
    /// A node without a body that prints nothing.
    static let printsNothing = NodeTraits(isBlank: true)
}

extension SyntaxTree.Part {
    /// The traits of a block.
    var traits: BlockTraits { BlockTraits(rawValue: UInt8(truncatingIfNeeded: detail)) }
}
