// SPDX-License-Identifier: MIT

/// Facts about the contents of a block that the compiler needs before it compiles the block.
///
/// The parser collects them from nodes and expressions while it reads them.
struct BlockTraits: OptionSet {
    let rawValue: UInt8

    /// A partial or a computed name may read any variable.
    static let readsAnyName = BlockTraits(rawValue: 1)
    /// `forloop` is read other than through one of its plain properties.
    static let usesLoop = BlockTraits(rawValue: 2)
    /// A `break` or `continue` may end the block early.
    static let mayInterrupt = BlockTraits(rawValue: 4)
    /// Several interrupts may be pending at once; a loop around the block takes only one of them.
    static let mayLeaveInterrupts = BlockTraits(rawValue: 8)

    /// The traits of code that the parser does not know.
    static let anything: BlockTraits = [.readsAnyName, .mayInterrupt, .mayLeaveInterrupts]

    /// The traits of a `case` whose branches have these traits: the branches after an interrupted one are still begun,
    /// and may be interrupted as well.
    var ofSelection: BlockTraits { contains(.mayInterrupt) ? union(.mayLeaveInterrupts) : self }

    /// The traits of a loop whose body has these traits: the loop takes one interrupt and passes the others on.
    var ofLoop: BlockTraits {
        contains(.mayLeaveInterrupts) ? union(.mayInterrupt) : subtracting(.mayInterrupt)
    }
}

/// The traits of one node.
struct NodeTraits {
    /// Whether the reference counts the node as white space.
    var isBlank: Bool
    /// The traits of the node's contents.
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
