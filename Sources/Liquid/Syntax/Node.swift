// SPDX-License-Identifier: MIT

public import SourceText

/// A part of a template.
public struct Node: Sendable {
    /// What a part of a template is.
    public enum Kind: Sendable {
        /// Text, as written in `range`.
        case text
        /// The body of `raw`, as written in the range.
        case raw(SourceRange)
        /// `comment`, `doc` and `#`.
        case comment
        /// `{{ … }}` and `echo`.
        case output(Output)
        indirect case assign(name: String, Output)
        case capture(name: String, Block)
        case conditional(Conditional)
        indirect case selection(Selection)
        indirect case loop(Loop)
        indirect case table(Table)
        case interrupt(Interrupt)
        indirect case cycle(Cycle)
        case counter(name: String, step: Int)
        case ifChanged(Block)
        indirect case partial(Partial)
        /// A tag of the dialect.
        indirect case custom(CustomTag)
    }

    /// What it is.
    public var kind: Kind

    /// Where the part stands; for a tag with a body, its first tag.
    public var range: SourceRange
}

/// A run of nodes between two tags.
public struct Block: Sendable {
    /// The nodes.
    public var nodes: [Node] = []

    /// What stands in it, in short.
    var traits: Traits = []
}

/// `if`, `unless` and what follows in them.
public struct Conditional: Sendable {
    /// A branch.
    public struct Branch: Sendable {
        /// The condition; nil for `else`.
        public var condition: Condition?
        /// Whether the condition must fail for the branch to run, as in `unless`.
        public var isNegated: Bool
        /// What the branch renders.
        public var body: Block
    }

    /// The branches in order.
    public var branches: [Branch]
}

/// `case`.
public struct Selection: Sendable {
    /// One value of a `when`, or an `else`.
    public struct Branch: Sendable {
        /// The value to compare with; nil for `else`.
        public var value: Expression?
        /// Which of ``Selection/bodies`` the branch renders; the values of one `when` share theirs.
        public var body: Int
    }

    /// The value.
    public var subject: Expression
    /// The branches in order.
    public var branches: [Branch]
    /// What the branches render.
    public var bodies: [Block]
}

/// `for`.
public struct Loop: Sendable {
    /// Where a loop starts.
    public enum Offset: Sendable {
        /// At an index.
        case index(Expression)
        /// Where the last loop of the same name and collection ended.
        case resume
    }

    /// The variable.
    public var variable: String
    /// What it goes through.
    public var collection: Expression
    /// The name by which `offset: continue` finds the loop again, and `forloop.name`.
    public var name: String
    /// How many elements at most.
    public var limit: Expression?
    /// Where to start.
    public var offset: Offset?
    /// Whether it runs backwards.
    public var isReversed: Bool
    /// What runs for each element.
    public var body: Block
    /// What runs where there is no element.
    public var otherwise: Block?
}

/// `tablerow`.
public struct Table: Sendable {
    /// The variable.
    public var variable: String
    /// What it goes through.
    public var collection: Expression
    /// Cells in a row.
    public var columns: Expression?
    /// How many elements at most.
    public var limit: Expression?
    /// How many elements to pass over.
    public var offset: Expression?
    /// What runs for each element.
    public var body: Block
}

/// `break` and `continue`.
public enum Interrupt: Sendable {
    case leave
    case next
}

/// `cycle`.
public struct Cycle: Sendable {
    /// The group's name; nil where the values name it.
    public var name: Expression?
    /// The values.
    public var values: [Expression]
}

/// `include` and `render`.
public struct Partial: Sendable {
    /// How a partial is bound to the template.
    public enum Kind: Sendable {
        /// It shares the variables.
        case include
        /// It sees its arguments alone.
        case render
    }

    /// How it is bound.
    public var kind: Kind
    /// The partial's name.
    public var name: Expression
    /// The value behind `with` or `for`.
    public var value: Expression?
    /// Whether `for` runs it for each element of the value.
    public var isLoop: Bool
    /// The name of the value in the partial.
    public var alias: String?
    /// Arguments with a name.
    public var arguments: [(name: String, value: Expression)]
}
