// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// One of the ways that rendering can take at a decision of a template, such as a branch of an `if`.
///
/// The first branch of every template is the template itself. Branches are in the order of the compiled code, in which a branch
/// comes before the branches inside it.
public struct TemplateBranch: Sendable {
    /// The kind of a branch.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The whole template.
        case template
        /// A branch with a condition or values: `if`, `elsif`, `unless` or `when`.
        case branch
        /// The `else` of an `if`, `unless` or `case`.
        case otherwise
        /// No branch is taken, and there is no `else`.
        case noBranch
        /// A loop with at least one element.
        case elements
        /// A loop without elements, which renders its `else` if it has one.
        case noElements
        /// The `default` filter returns its input.
        case value
        /// The `default` filter replaces its input.
        case replacement
        /// A tag that always ends the message.
        case stop
    }

    /// The kind.
    public let kind: Kind

    /// The number of the decision; the branches of one decision are alternatives.
    public let decision: Int

    /// The index of the branch around the decision; nil for the template itself.
    public let parent: Int?

    /// The place: the tag that begins the branch, the name of the filter, or, if the branch has no tag of its own, the tag
    /// of the decision; for the template itself, all of it.
    public let range: SourceRange

    /// The tag that makes the decision; nil for the template itself and for a `default`.
    public let tag: TagSyntax?

    /// The branch with its condition; nil for a branch without a tag of its own.
    public let clause: ClauseSyntax?

    /// The `default` filter that makes the decision, in the value and filters that it is part of; nil for all other
    /// branches.
    public let filter: (call: FilterSyntax, markup: MarkupSyntax)?

    /// What a `case` compares or a loop iterates over; nil for other decisions.
    public var subject: ExpressionSyntax? { tag?.subject }
}

/// A node of a template, with the branch that renders it.
public struct BranchNode: Sendable, Hashable {
    /// The node's place; for a tag with a body, the place of its opening tag.
    public let range: SourceRange

    /// The index of the innermost branch around the node.
    public let branch: Int
}

/// The branches and nodes of a template, for reports about what its renderings have done.
public struct TemplateMap: Sendable {
    /// The branches.
    public let branches: [TemplateBranch]

    /// The nodes in the order of the source, without comments.
    public let nodes: [BranchNode]

    /// The nodes of the template with their syntax.
    public let root: BlockSyntax

    init(_ program: Program) {
        branches = program.lists.branches
        root = program.parsed.root
        nodes = program.lists.branchNodes
    }
}

extension Template {
    /// The branches and nodes of the template; compiles the template again.
    public var map: TemplateMap { TemplateMap(Compiler.program(of: program.parsed, recording: .branches)) }
}
