// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The syntax tree of a template, stored as one array: the parts in the order of the source, each followed by the parts
/// inside it.
///
/// All parts have the same size and hold ranges of the source instead of texts, so reading a template makes no
/// allocation for a part. ``SyntaxWriter`` writes them; types such as ``ExpressionSyntax`` name the parts inside a
/// part.
final class SyntaxTree: SyntaxParts, Sendable {
    /// An element of the tree.
    ///
    /// It is followed by the parts inside it.
    struct Part: Sendable {
        var kind: Kind
        var flags: Flags = []
        /// The number of parts: itself and all inside it.
        var size: UInt32 = 1
        var start: UInt32
        var end: UInt32
        /// Its meaning depends on `kind`.
        var detail: UInt32 = 0

        /// The place in the source, with the quotes of a string.
        @inline(__always)
        var range: SourceRange {
            kind == .string ? SourceRange(start: start - 1, end: end + 1) : SourceRange(start: start, end: end)
        }
        /// The bytes, without the quotes of a string.
        @inline(__always)
        var offsets: Range<Int> { Int(start)..<Int(end) }
    }

    /// The kind of a part.
    ///
    /// The comment on each case lists the parts inside it after a colon; `…` after a name means any number of them.
    enum Kind: UInt8, Sendable {
        // Nodes. The range is that of the tag. `detail` is the line as the reference counts it, except for text.

        /// Text: nothing.
        case text
        /// `{{ … }}`, and a bare attribute of a dialect: `markup`.
        case output
        /// `tagName`, then what the tag's definition adds; see the files of `Tags`.
        case tag

        // Parts of nodes.

        /// The name of a tag; `detail` is the index of the tag in ``Environment/tags``.
        case tagName
        /// The nodes between two tags; `detail` holds ``BlockTraits``.
        case block
        /// A branch of a tag: conditions or values, `block`.
        case clause
        /// A comparison, whose operator is the range, or a value that is tested for truth; `detail` is the
        /// ``Comparison``, or 0.
        case term
        /// An option of a tag: its value if it has one; `detail` is the option's number, which each tag defines.
        case option
        /// The name of an argument: the argument's value.
        case argument
        /// A name, or other bytes that are kept as written.
        case name
        /// Bytes that are printed as written.
        case verbatim
        /// The data that a tag of a dialect keeps of its markup; `detail` is the index in ``SyntaxTree/runs``.
        case payload
        /// A value with its filters: the value if there is one, `filter` …
        case markup
        /// The name of a filter: expressions and `argument` …
        case filter

        // Expressions.

        case null
        case `true`
        case `false`
        /// The word `blank` on one side of a comparison.
        case blank
        /// The word `empty` on one side of a comparison.
        case empty
        /// `blank` or `empty` in any other place, or a lone quotation mark.
        case emptyString
        /// A string; the quotes are outside the range.
        case string
        /// An integer; `detail` is its value.
        case integer
        /// A value; `detail` is its index in ``SyntaxTree/values``.
        case constant
        /// A range; contains its two bounds.
        case range
        /// An output in place of a value: `markup`.
        case group
        /// A lookup: the start of the path and its steps.
        case lookup

        // Parts of lookups, with the expression inside, if there is one.

        /// A variable by its name.
        case variable
        /// An attribute of a dialect; `detail` is the index in ``TemplateSource/insertions``.
        case attribute
        /// A variable whose name an expression gives.
        case computed
        /// A value in place of a variable.
        case root
        /// No name at all; the value is nil.
        case nothing
        /// `.name`
        case key
        /// `.${name}` of a dialect; `detail` is the index in ``TemplateSource/insertions``.
        case attributeKey
        /// `[expression]`
        case index
    }

    /// Properties of a part besides its kind.
    struct Flags: OptionSet {
        let rawValue: UInt8

        /// Of a node: the reference counts it as white space, and prints neither its errors nor the text of its
        /// branches.
        static let blank = Flags(rawValue: 1)
        /// Of a clause: it runs if the condition fails.
        static let negated = Flags(rawValue: 2)
        /// Of a clause: it has no condition.
        static let otherwise = Flags(rawValue: 4)
        /// Of a term: `or` joins the next term to it; without the flag, `and` does.
        static let or = Flags(rawValue: 8)
    }

    let parts: FixedTable<Part>
    /// The number of bytes that are printed as written.
    let textCount: Int
    /// The memory of the parts, and of the program that is compiled first.
    let arena: TableArena
    /// Values that do not fit into a part, or are not in the source.
    let values: [Value]
    /// The functions that tags of a dialect run, with the data that they keep of their markup.
    let runs: [TagRun]
    let source: TemplateSource
    let environment: Environment
    /// How strictly the source was read.
    let mode: ErrorMode

    init(_ writer: consuming SyntaxWriter, _ source: TemplateSource, _ environment: Environment, _ mode: ErrorMode) {
        values = writer.values
        runs = writer.runs
        textCount = writer.textCount
        writer.parts.shrink()
        parts = writer.parts.finish()
        arena = writer.arena
        self.source = source
        self.environment = environment
        self.mode = mode
    }

    subscript(id: PartID) -> Part { parts[Int(id.index)] }

    /// The outermost block.
    var root: BlockSyntax { BlockSyntax(SyntaxCursor(self, .root)) }
}

/// The index of a part in its tree.
struct PartID: Hashable, Sendable {
    let index: UInt32

    init(_ index: Int) { self.index = UInt32(truncatingIfNeeded: index) }

    fileprivate init(index: UInt32) { self.index = index }

    /// The outermost block.
    static let root = PartID(index: 0)
}

/// A sequence of parts, either being written or finished.
protocol SyntaxParts: ~Copyable {
    subscript(id: PartID) -> SyntaxTree.Part { get }
}

extension SyntaxParts where Self: ~Copyable {
    /// The first part inside a part that has one.
    @inline(__always)
    func first(in id: PartID) -> PartID { PartID(index: id.index &+ 1) }

    /// The part that follows a part and all that is inside it.
    @inline(__always)
    func next(after id: PartID) -> PartID { PartID(index: id.index &+ self[id].size) }
}

extension SyntaxTree.Part {
    /// The value of a literal; nil for any other part.
    func literal<Bytes: RandomAccessCollection<UInt8>>(_ values: [Value], _ bytes: Bytes) -> Value?
    where Bytes.Index == Int {
        switch kind {
        case .null: .null
        case .true: .bool(true)
        case .false: .bool(false)
        case .emptyString: .string("")
        case .string: .string(String(decoding: bytes[offsets], as: UTF8.self))
        case .integer: .integer(Int(detail))
        case .constant: values[Int(detail)]
        default: nil
        }
    }
}

/// Writes the parts of a ``SyntaxTree``.
struct SyntaxWriter: ~Copyable, SyntaxParts {
    fileprivate var parts: TableBuilder<SyntaxTree.Part>
    fileprivate let arena: TableArena
    fileprivate var textCount = 0
    private(set) var values: [Value] = []
    private(set) var runs: [TagRun] = []

    /// Creates an empty tree with room for the parts of a source of `sourceCount` bytes that consists of short tags.
    ///
    /// Too little room would cost more than too much: a table that grows is copied, and its old memory stays unused
    /// until the tree is freed.
    init(sourceCount: Int) {
        let capacity = sourceCount / 3 + 4
        // For a small template, the program's tables are in the same block.
        let program = min(sourceCount * 10 + 768, 4_096)
        arena = TableArena(bytes: capacity * MemoryLayout<SyntaxTree.Part>.stride + program)
        parts = TableBuilder(capacity: capacity, in: arena.memory)
    }

    subscript(id: PartID) -> SyntaxTree.Part {
        get { parts[Int(id.index)] }
        _modify { yield &parts[Int(id.index)] }
    }

    /// The ID of the part that will be added next.
    var end: PartID { PartID(parts.count) }

    /// Adds a part.
    @discardableResult
    mutating func add(
        _ kind: SyntaxTree.Kind,
        _ start: Int,
        _ end: Int,
        detail: Int = 0,
        flags: SyntaxTree.Flags = []
    ) -> PartID {
        parts.append(
            SyntaxTree.Part(
                kind: kind,
                flags: flags,
                start: UInt32(truncatingIfNeeded: start),
                end: UInt32(truncatingIfNeeded: end),
                detail: UInt32(truncatingIfNeeded: detail)
            )
        )
        return PartID(parts.count &- 1)
    }

    @discardableResult
    mutating func add(_ kind: SyntaxTree.Kind, _ offsets: Range<Int>, detail: Int = 0) -> PartID {
        add(kind, offsets.lowerBound, offsets.upperBound, detail: detail)
    }

    @discardableResult
    mutating func add(
        _ kind: SyntaxTree.Kind,
        _ range: SourceRange,
        detail: Int = 0,
        flags: SyntaxTree.Flags = []
    ) -> PartID {
        add(kind, Int(range.start), Int(range.end), detail: detail, flags: flags)
    }

    /// Adds a value.
    @discardableResult
    mutating func add(_ value: Value, _ start: Int, _ end: Int) -> PartID {
        if case .integer(let integer) = value, let detail = UInt32(exactly: integer) {
            return add(.integer, start, end, detail: Int(detail))
        }
        values.append(value)
        return add(.constant, start, end, detail: values.count - 1)
    }

    /// Adds bytes that are printed as written, as a part of kind `text` or `verbatim`.
    @discardableResult
    mutating func addPrinted(_ kind: SyntaxTree.Kind, _ start: Int, _ end: Int) -> PartID {
        textCount &+= end &- start
        return add(kind, start, end)
    }

    /// Adds what a tag of a dialect runs.
    mutating func add(_ run: TagRun, _ range: SourceRange) -> PartID {
        runs.append(run)
        return add(.payload, range, detail: runs.count - 1)
    }

    /// Makes all parts that were added after a part its contents.
    mutating func close(_ id: PartID) { self[id].size = end.index - id.index }

    /// Makes all parts that were added after a part its contents, and sets its end, which was not known before.
    mutating func close(_ id: PartID, end: Int) {
        self[id].end = UInt32(truncatingIfNeeded: end)
        close(id)
    }

    /// Removes a part and all parts after it.
    mutating func truncate(to id: PartID) { parts.truncate(to: Int(id.index)) }

    /// The parts from `id` on, which ``append(_:)`` can add again at any place, since no part holds an absolute
    /// position.
    func parts(from id: PartID) -> [SyntaxTree.Part] {
        var copy: [SyntaxTree.Part] = []
        for index in Int(id.index)..<parts.count { copy.append(parts[index]) }
        return copy
    }

    mutating func append(_ copy: [SyntaxTree.Part]) {
        for part in copy { parts.append(part) }
    }

    /// Removes the parts from `outer` up to `inner`, each of which has `inner` as its last part; `inner` takes their
    /// place.
    mutating func unwrap(_ outer: PartID, to inner: PartID) {
        parts.removeSubrange(Int(outer.index)..<Int(inner.index))
    }

    /// Whether a part, with its contents, is the last one so far.
    func isLast(_ id: PartID) -> Bool { next(after: id) == end }
}

/// A reference to one part of a template's syntax tree.
///
/// Parts are read through plain pointers: retaining the tree for each of the several parts of every output would take a
/// fifth of the time of reading a template. A cursor keeps the tree alive, except in the compiler, which itself holds
/// the tree. The parts of a finished tree never change, so threads may share a cursor.
public struct SyntaxCursor: @unchecked Sendable {
    private let parts: UnsafePointer<SyntaxTree.Part>
    private let unowned: Unmanaged<SyntaxTree>
    /// The tree, if the cursor keeps it alive.
    private let owner: SyntaxTree?
    let id: PartID

    /// A cursor that keeps the tree alive.
    init(_ tree: SyntaxTree, _ id: PartID) {
        self.init(tree, owner: tree, id)
    }

    /// A cursor that is valid only while its caller keeps the tree alive.
    init(borrowing tree: SyntaxTree, _ id: PartID) {
        self.init(tree, owner: nil, id)
    }

    private init(_ tree: SyntaxTree, owner: SyntaxTree?, _ id: PartID) {
        parts = tree.parts.base
        unowned = .passUnretained(tree)
        self.owner = owner
        self.id = id
    }

    @inline(__always)
    private init(_ other: SyntaxCursor, owner: SyntaxTree?, _ id: PartID) {
        parts = other.parts
        unowned = other.unowned
        self.owner = owner
        self.id = id
    }

    /// The same cursor, valid only while its caller keeps the tree alive.
    ///
    /// The functions of the compiler begin with such a cursor, so that the optimiser sees that there is nothing to
    /// retain.
    @inline(__always)
    var borrowed: SyntaxCursor { SyntaxCursor(self, owner: nil, id) }

    /// The tree.
    ///
    /// Getting it retains it, so the compiler does so rarely.
    var tree: SyntaxTree { unowned.takeUnretainedValue() }

    @inline(__always)
    var part: SyntaxTree.Part { parts[Int(id.index)] }

    @inline(__always)
    var kind: SyntaxTree.Kind { part.kind }

    @inline(__always)
    var isEmpty: Bool { part.size == 1 }

    /// The ID of the first part inside.
    @inline(__always)
    fileprivate var start: PartID { PartID(Int(id.index) + 1) }

    /// The ID of the part after this one and all that is inside it.
    @inline(__always)
    var end: PartID { PartID(Int(id.index) + Int(part.size)) }

    /// The first part inside; only for kinds that have one.
    @inline(__always)
    var first: SyntaxCursor { moved(to: start) }

    /// The part after this one and all that is inside it; only where there is one.
    @inline(__always)
    var next: SyntaxCursor { moved(to: end) }

    @inline(__always)
    fileprivate func kind(at id: PartID) -> SyntaxTree.Kind { parts[Int(id.index)].kind }

    /// A cursor at another part of the tree, which keeps the tree alive if this one does.
    @inline(__always)
    fileprivate func moved(to id: PartID) -> SyntaxCursor { SyntaxCursor(self, owner: owner, id) }

    /// The parts directly inside this one, optionally without the first, and only those before the first of kind
    /// `stop`.
    @inline(__always)
    func inside<Element: Syntax>(
        afterFirst: Bool = false,
        before stop: SyntaxTree.Kind? = nil
    ) -> SyntaxSequence<Element> {
        SyntaxSequence(self, from: afterFirst && !isEmpty ? first.end : start, to: end, stop)
    }

    var inside: SyntaxSequence<Part> { inside() }

    /// A part of any kind.
    struct Part: Syntax {
        let cursor: SyntaxCursor

        init(_ cursor: SyntaxCursor) { self.cursor = cursor }

        var kind: SyntaxTree.Kind { cursor.kind }
        var flags: SyntaxTree.Flags { cursor.part.flags }
        var detail: Int { Int(cursor.part.detail) }
    }

    /// The value of a literal; nil for any other part.
    var literal: Value? {
        switch kind {
        // Most expressions are of these kinds, which need no access to the tree.
        case .lookup, .range, .group, .blank, .empty: nil
        case .integer: .integer(Int(part.detail))
        default: part.literal(tree.values, tree.source.bytes)
        }
    }

    /// The name of the dialect's attribute, for a part of a lookup that is one.
    var attribute: String {
        let source = tree.source
        return String(decoding: source.bytes[source.insertions[Int(part.detail)].content.offsets], as: UTF8.self)
    }
}

/// Consecutive parts, each viewed as `Element`.
public struct SyntaxSequence<Element: Syntax>: Sequence, IteratorProtocol, Sendable {
    /// The part that holds them.
    private let outer: SyntaxCursor
    private var position: PartID
    private let end: PartID
    /// The kind of part that ends the sequence.
    private let stop: SyntaxTree.Kind?

    @inline(__always)
    fileprivate init(_ outer: SyntaxCursor, from start: PartID, to end: PartID, _ stop: SyntaxTree.Kind?) {
        self.outer = outer
        position = start
        self.end = end
        self.stop = stop
    }

    /// The next part; nil after the last one.
    @inline(__always)
    public mutating func next() -> Element? {
        if isEmpty { return nil }
        let cursor = outer.moved(to: position)
        position = cursor.end
        return Element(cursor)
    }

    /// Whether no part is left.
    @inline(__always)
    public var isEmpty: Bool { position == end || (stop != nil && outer.kind(at: position) == stop) }

    /// The next part, without moving to the one after it.
    @inline(__always)
    public var first: Element? { isEmpty ? nil : Element(outer.moved(to: position)) }
}
