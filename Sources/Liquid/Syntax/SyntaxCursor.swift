// SPDX-License-Identifier: MIT

public import SourceText

/// A part of a template's syntax, with its place and names for the parts inside it.
public protocol Syntax: Sendable {
    /// The part.
    var cursor: SyntaxCursor { get }

    /// Gives the parts inside a part their names; the part must be of the kind that the type describes.
    init(_ cursor: SyntaxCursor)
}

extension Syntax {
    /// The bytes of the template; of a tag with a body, those of its first tag.
    public var range: SourceRange { cursor.part.range }

    /// The text as written; of a string without its quotes.
    public var text: String { String(decoding: cursor.tree.source.bytes[offsets], as: UTF8.self) }

    /// The bytes of the template; of a string without its quotes.
    var offsets: Range<Int> { cursor.part.offsets }
}

/// A place in the syntax of a template.
///
/// Reading goes through plain pointers: to count a reference to the tree for each of the several parts of every output
/// would take a fifth of the time of reading a template. A cursor keeps the tree alive, except for those of the compiler,
/// which holds the tree itself.
public struct SyntaxCursor: @unchecked Sendable {
    private let parts: UnsafePointer<SyntaxTree.Part>
    private let unowned: Unmanaged<SyntaxTree>
    /// The same tree, where the cursor keeps it alive.
    private let owner: SyntaxTree?
    let id: PartID

    /// A cursor that keeps the tree alive.
    init(_ tree: SyntaxTree, _ id: PartID) {
        self.init(tree, owner: tree, id)
    }

    /// A cursor for as long as someone else keeps the tree alive.
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
    private init(_ other: SyntaxCursor, _ id: PartID) {
        parts = other.parts
        unowned = other.unowned
        owner = other.owner
        self.id = id
    }

    /// The tree; the reference is counted, so that the compiler asks for it rarely.
    var tree: SyntaxTree { unowned.takeUnretainedValue() }

    @inline(__always)
    var part: SyntaxTree.Part { parts[Int(id.index)] }

    @inline(__always)
    var kind: SyntaxTree.Kind { part.kind }

    @inline(__always)
    var isEmpty: Bool { part.size == 1 }

    /// The place of the first part inside.
    @inline(__always)
    fileprivate var start: PartID { PartID(Int(id.index) + 1) }

    /// The place after this part and all that is inside it.
    @inline(__always)
    var end: PartID { PartID(Int(id.index) + Int(part.size)) }

    /// The first part inside; only for kinds that hold one.
    @inline(__always)
    var first: SyntaxCursor { moved(to: start) }

    /// The part after this one and all that is inside it; only where one follows.
    @inline(__always)
    var next: SyntaxCursor { moved(to: end) }

    @inline(__always)
    fileprivate func kind(at id: PartID) -> SyntaxTree.Kind { parts[Int(id.index)].kind }

    /// The same kind of cursor at another part of the tree.
    @inline(__always)
    fileprivate func moved(to id: PartID) -> SyntaxCursor { SyntaxCursor(self, id) }

    /// The parts directly inside, or those after the first of them.
    func inside<Element: Syntax>(
        afterFirst: Bool = false,
        before stop: SyntaxTree.Kind? = nil
    ) -> SyntaxSequence<Element> {
        SyntaxSequence(self, from: afterFirst && !isEmpty ? first.end : start, to: end, stop)
    }

    var inside: SyntaxSequence<Part> { inside() }

    /// Any part, before it is known what it is.
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
        // Most expressions are one of these, and need nothing of the tree.
        case .lookup, .range, .group, .blank, .empty: nil
        case .integer: .integer(Int(part.detail))
        default: part.literal(tree.values, tree.source.bytes)
        }
    }

    /// The attribute of a dialect that a part of a lookup is.
    var attribute: String {
        let source = tree.source
        return String(decoding: source.bytes[source.insertions[Int(part.detail)].content.offsets], as: UTF8.self)
    }
}

/// Parts of one type that follow one another.
public struct SyntaxSequence<Element: Syntax>: Sequence, IteratorProtocol, Sendable {
    /// The part that holds them.
    private let outer: SyntaxCursor
    private var position: PartID
    private let end: PartID
    /// The kind of part that ends the sequence.
    private let stop: SyntaxTree.Kind?

    fileprivate init(_ outer: SyntaxCursor, from start: PartID, to end: PartID, _ stop: SyntaxTree.Kind?) {
        self.outer = outer
        position = start
        self.end = end
        self.stop = stop
    }

    /// The next part; nil after the last one.
    public mutating func next() -> Element? {
        if isEmpty { return nil }
        let cursor = outer.moved(to: position)
        position = cursor.end
        return Element(cursor)
    }

    /// Whether there is no part.
    public var isEmpty: Bool { position == end || (stop != nil && outer.kind(at: position) == stop) }

    /// The first part.
    public var first: Element? { isEmpty ? nil : Element(outer.moved(to: position)) }
}

/// A name as written.
public struct NameSyntax: Syntax {
    /// The part.
    public let cursor: SyntaxCursor

    /// Describes a name.
    public init(_ cursor: SyntaxCursor) { self.cursor = cursor }
}
