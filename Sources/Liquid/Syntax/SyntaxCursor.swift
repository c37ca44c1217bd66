// SPDX-License-Identifier: MIT

public import SourceText

/// A typed view of one part of a template's syntax, with names for the parts inside it.
public protocol Syntax: Sendable {
    /// The part of the tree.
    var cursor: SyntaxCursor { get }

    /// Creates a view of a part, which must be of the kind that the type describes.
    init(_ cursor: SyntaxCursor)
}

extension Syntax {
    /// The place in the template; for a tag with a body, that of its opening tag.
    public var range: SourceRange { cursor.part.range }

    /// The text as written; of a string without its quotes.
    public var text: String { String(decoding: cursor.tree.source.bytes[offsets], as: UTF8.self) }

    /// The bytes of the template; of a string without its quotes.
    var offsets: Range<Int> { cursor.part.offsets }
}

/// A reference to one part of a template's syntax tree.
///
/// Parts are read through plain pointers: retaining the tree for each of the several parts of every output would take a
/// fifth of the time of reading a template. A cursor keeps the tree alive, except in the compiler, which itself holds
/// the tree.
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
    private init(_ other: SyntaxCursor, _ id: PartID) {
        parts = other.parts
        unowned = other.unowned
        owner = other.owner
        self.id = id
    }

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

    /// The same kind of cursor at another part of the tree.
    @inline(__always)
    fileprivate func moved(to id: PartID) -> SyntaxCursor { SyntaxCursor(self, id) }

    /// The parts directly inside this one, optionally without the first, and only those before the first of kind
    /// `stop`.
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

    /// Whether no part is left.
    public var isEmpty: Bool { position == end || (stop != nil && outer.kind(at: position) == stop) }

    /// The next part, without moving to the one after it.
    public var first: Element? { isEmpty ? nil : Element(outer.moved(to: position)) }
}

/// A name as written.
public struct NameSyntax: Syntax {
    /// The part.
    public let cursor: SyntaxCursor

    /// Describes a name.
    public init(_ cursor: SyntaxCursor) { self.cursor = cursor }
}
