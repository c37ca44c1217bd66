// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// A property list with the places of everything in it.
///
/// Reading never fails: faults are in ``diagnostics``, and ``root`` is what could be read.
/// Comments, duplicate keys and the order of keys are kept. XML is read with libxml2 under limits of size, depth and
/// number of nodes; an internal DTD subset is refused before parsing, so that no entity is ever declared.
package struct PlistDocument: Sendable {
    /// How a property list is stored.
    package enum Format: Sendable, Hashable {
        case xml, binary, openStep
    }

    /// The file.
    ///
    /// For a binary list it has the path but no bytes, because findings cannot show a part of it.
    package let file: SourceFile

    /// How the list is stored; nil where that is not known.
    package let format: Format?

    /// Faults of the file itself, in the order of their places.
    package let diagnostics: [Diagnostic]

    /// The comments, in the order of the file.
    package let comments: [PlistComment]

    private let nodes: [PlistNode]

    /// The members of large dictionaries, by the dictionary and the bytes of the key.
    private let members: [Int: [[UInt8]: Int]]

    /// Whether the file is in a built bundle, `.app` or `.appex`, as a build wrote it.
    package var isBuilt: Bool { Self.isBuilt(file.path) }

    static func isBuilt(_ path: String) -> Bool {
        path.split(separator: "/").dropLast().contains { folder in
            folder.utf8.count > 4 && (folder.hasSuffix(".app") || folder.hasSuffix(".appex"))
        }
    }

    /// Whether the file can be edited at the ranges of its nodes.
    package var isEditable: Bool { format == .xml && file.encoding == .utf8 && !isPreprocessed }

    /// Whether the build runs the C preprocessor on the file, so that its values are not known.
    ///
    /// Of each condition, only the first branch is read, and macros are not replaced.
    package let isPreprocessed: Bool

    /// The list as one on which the build runs the C preprocessor; a binary list stays as it is.
    package var preprocessed: PlistDocument {
        isPreprocessed || file.bytes.isEmpty ? self : PlistDocument(file, isPreprocessed: true)
    }

    /// The object at the top; nil where XML ended before it was complete.
    package var root: PlistNode? { nodes.first }

    /// Whether the file has an error because of which a system would not read it.
    package var isBroken: Bool {
        diagnostics.contains { [.plistSyntax, .booleanType].contains($0.rule) && $0.severity == .error }
    }

    /// Reads a property list in any format.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - isPreprocessed: whether it is known that the build runs the C preprocessor on the file; it is also found by
    ///     directives in the file.
    package init(_ file: SourceFile, isPreprocessed: Bool = false) {
        let reading = PlistReading(file, isPreprocessed: isPreprocessed)
        self.isPreprocessed = reading.isPreprocessed
        self.file = reading.file
        format = reading.format
        nodes = reading.nodes
        members = Self.members(of: reading.nodes)
        comments = reading.comments
        diagnostics = reading.diagnostics.enumerated().sorted { left, right in
            let leftStart = left.element.place?.range.start ?? 0
            let rightStart = right.element.place?.range.start ?? 0
            return (leftStart, left.offset) < (rightStart, right.offset)
        }.map(\.element)
    }
}

extension PlistDocument {
    private static func members(of nodes: [PlistNode]) -> [Int: [[UInt8]: Int]] {
        var members: [Int: [[UInt8]: Int]] = [:]
        for node in nodes where node.kind == .dictionary && node.children.count > 16 {
            members[node.index] = Dictionary(
                node.children.compactMap { child in nodes[child].key.map { (Array($0.text.utf8), child) } },
                uniquingKeysWith: { _, last in last }
            )
        }
        return members
    }

    /// The value of a key; of a key that occurs twice in text, the last value, as in Foundation.
    package subscript(node: PlistNode, key: String) -> PlistNode? {
        guard node.kind == .dictionary else { return nil }
        if let members = members[node.index] { return members[Array(key.utf8)].map { nodes[$0] } }
        return node.children.last { nodes[$0].key.map { $0.text.utf8.elementsEqual(key.utf8) } ?? false }
            .map { nodes[$0] }
    }

    /// The value at the end of a path of keys from the root.
    package subscript(path: String...) -> PlistNode? {
        var node = root
        for key in path {
            guard let dictionary = node else { return nil }
            node = self[dictionary, key]
        }
        return node
    }

    /// The objects in a dictionary or an array, in the order of the file.
    package func children(of node: PlistNode) -> [PlistNode] {
        node.children.map { nodes[$0] }
    }

    /// The first objects in a dictionary or an array.
    package func children(of node: PlistNode, upTo limit: Int) -> [PlistNode] {
        node.children.prefix(limit).map { nodes[$0] }
    }

    /// The last object in a dictionary or an array.
    package func lastChild(of node: PlistNode) -> PlistNode? {
        node.children.last.map { nodes[$0] }
    }

    /// The dictionary or array that holds a node.
    package func parent(of node: PlistNode) -> PlistNode? {
        node.parent.map { nodes[$0] }
    }

    /// All objects, a container before what it holds.
    package var allNodes: [PlistNode] { nodes }

    /// A place in the file.
    package func place(_ range: SourceRange) -> SourcePlace {
        SourcePlace(file, range)
    }
}
