// SPDX-License-Identifier: MIT

import SourceText

/// The syntax of a template: its parts in the order in which they stand, each before the parts inside it.
///
/// Parts have one size and hold places in the source in place of texts, so that reading a template allocates nothing for
/// any of them. ``Node`` and ``Expression`` show the same to those who ask; see ``Template/root``.
struct SyntaxTree: Sendable {
    /// A part of the template, and how many parts it takes.
    struct Part: Sendable {
        var kind: Kind
        var flags: Flags = []
        /// The number of parts: itself and all inside it.
        var size: UInt32 = 1
        var start: UInt32
        var end: UInt32
        /// What `kind` says of it.
        var detail: UInt32 = 0

        /// Where it stands, the quotes of a string included.
        var range: SourceRange {
            kind == .string ? SourceRange(start: start - 1, end: end + 1) : SourceRange(start: start, end: end)
        }
        /// The bytes, without the quotes of a string.
        var offsets: Range<Int> { Int(start)..<Int(end) }
    }

    /// What a part is; behind each kind, the parts inside it.
    enum Kind: UInt8, Sendable {
        // Nodes. Their range is that of the tag, and `detail`, but for text, the line of it as the reference counts.

        /// Text; nothing.
        case text
        /// `verbatim`
        case raw
        /// `comment`, `doc` and `#`; nothing.
        case comment
        /// `{{ … }}` and `echo`; `markup`.
        case output
        /// `name`, `markup`
        case assign
        /// `name`, `block`
        case capture
        /// `block`
        case ifChanged
        /// `branch` …
        case conditional
        /// The value, `when` … and `otherwise` …
        case selection
        /// `name` (the variable), `name` (the collection as written), the collection, `limit` …, `offset` …, `resume` …,
        /// `block`, `block` (behind `else`)
        case loop
        /// `name` (the variable), the collection, `columns` …, `limit` …, `offset` …, `block`
        case table
        /// `break`; nothing.
        case leave
        /// `continue`; nothing.
        case next
        /// `cycleName`, the values
        case cycle
        /// `name`
        case increment
        /// `name`
        case decrement
        /// The partial's name, `value`, `name` (of the value in the partial), `argument` …
        case include
        /// The same.
        case render
        /// A tag of the dialect: `definition`, its expressions, `block`
        case custom

        // Parts of nodes.

        /// Nodes between two tags; `detail` are ``Block/Traits``.
        case block
        /// A branch of `if` or `unless`: `term` …, none behind `else`; `block`
        case branch
        /// A comparison whose operator stands in the range, or a value alone; `detail` is the ``Comparison``.
        case term
        /// The values; `block`
        case when
        /// `else` of a `case`: `block`
        case otherwise
        case limit
        case offset
        /// `offset: continue`; nothing.
        case resume
        case columns
        /// The expression that names the cycle; without one the range is the start of the markup.
        case cycleName
        /// The value behind `with` or `for`.
        case value
        /// An argument's name, and its value inside it.
        case argument
        /// The tag of the dialect, whose index is `detail`.
        case definition
        /// A name, or the bytes of a loop's collection.
        case name
        /// The body of `raw`.
        case verbatim
        /// A value with its filters: the value if there is one, `filter` …
        case markup
        /// A filter's name; inside it expressions and `argument` …
        case filter

        // Expressions.

        case null
        case `true`
        case `false`
        /// The word `blank`, on one side of a comparison.
        case blank
        /// The word `empty`, on one side of a comparison.
        case empty
        /// `blank` or `empty` in any other place, and a quote alone.
        case emptyString
        /// A string; the quotes are outside of the range.
        case string
        /// An integer, which is `detail`.
        case integer
        /// A value, whose index in ``SyntaxTree/values`` is `detail`.
        case constant
        /// The two bounds.
        case range
        /// An output in the place of a value: `markup`.
        case group
        /// What it starts from, and the steps of its path.
        case lookup

        // Parts of lookups. The expression, where there is one, is inside.

        /// A variable by its name.
        case variable
        /// An attribute of the dialect; `detail` is the index of the substitution.
        case attribute
        /// A variable whose name an expression gives.
        case computed
        /// A value in the place of a variable.
        case root
        /// No name at all, which is nil.
        case nothing
        /// `.name`
        case key
        /// `.${name}` of the dialect; `detail` is the index of the substitution.
        case attributeKey
        /// `[expression]`
        case index
    }

    /// What is told of a part beside its kind.
    struct Flags: OptionSet {
        let rawValue: UInt8

        /// Of a node: the reference takes it for white space, and prints no error of it and no text of its branches.
        static let blank = Flags(rawValue: 1)
        /// Of a loop: `reversed`.
        static let reversed = Flags(rawValue: 2)
        /// Of a partial: `for`.
        static let each = Flags(rawValue: 2)
        /// Of a branch: it runs where the condition fails.
        static let negated = Flags(rawValue: 4)
        /// Of a branch: it has no condition.
        static let otherwise = Flags(rawValue: 8)
        /// Of a term: `or`, else `and`, ties the next term to it.
        static let or = Flags(rawValue: 16)
    }

    /// The operator of a term.
    enum Comparison: UInt32, Sendable {
        /// The left side alone is tested.
        case truth
        case equal
        case notEqual
        case less
        case greater
        case lessOrEqual
        case greaterOrEqual
        case contains
        /// A word that stands where an operator should; using it fails when it is rendered.
        case unknown
    }

    /// The parts, from the first of the outermost block on.
    var parts: [Part] = []
    /// Values that do not fit into a part, or do not stand in the source.
    var values: [Value] = []

    subscript(index: Int) -> Part {
        get { parts[index] }
        _modify { yield &parts[index] }
    }
}
