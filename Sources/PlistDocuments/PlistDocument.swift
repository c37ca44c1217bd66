// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// A property list with the places of its values, keys and comments.
///
/// Reading never fails: faults are in ``diagnostics``, and ``root`` is nil if there is no complete object. Comments,
/// duplicate keys and the order of keys are kept. XML is read with libxml2 under limits of size, depth and number of
/// nodes. An internal DTD subset is refused before parsing, so that no entity is ever declared.
package struct PlistDocument: Sendable {
    /// How a property list is stored.
    package enum Format: Sendable, Hashable {
        case xml, binary, openStep
    }

    /// The file.
    ///
    /// For a binary property list it has the path but no bytes, because findings cannot show a part of a binary file.
    package let file: SourceFile

    /// How the property list is stored; nil if it could not be determined.
    package let format: Format?

    /// The findings about the file itself, in the order of their places.
    package let diagnostics: [Diagnostic]

    /// The comments, in the order of the file.
    package let comments: [PlistComment]

    private let nodes: [PlistNode]

    /// For large dictionaries, the node of each member: the keys are the index of the dictionary and the bytes of the
    /// member's key.
    private let members: [Int: [[UInt8]: Int]]

    /// Whether the path of the file is inside a built bundle, `.app` or `.appex`.
    package var isBuilt: Bool { Self.isBuilt(file.path) }

    static func isBuilt(_ path: String) -> Bool {
        path.split(separator: "/").dropLast().contains { folder in
            folder.utf8.count > 4 && (folder.hasSuffix(".app") || folder.hasSuffix(".appex"))
        }
    }

    /// Whether fixes can edit the file: it is XML in UTF-8, and no preprocessor changes it.
    package var isEditable: Bool { format == .xml && file.encoding == .utf8 && !isPreprocessed }

    /// Whether the build runs the C preprocessor on the file, so that its final values are not known.
    ///
    /// Only the first branch of each condition is read, or the next one after `#if 0`, and macros are not replaced.
    package let isPreprocessed: Bool

    /// The same property list, read with the directives of the C preprocessor taken into account; a binary list is
    /// unchanged.
    package var preprocessed: PlistDocument {
        isPreprocessed || file.bytes.isEmpty ? self : PlistDocument(file, isPreprocessed: true)
    }

    /// The outermost object; nil if it could not be read completely.
    package var root: PlistNode? { nodes.first }

    /// Whether the file has an error that prevents the system from reading it.
    package var isBroken: Bool {
        diagnostics.contains { [.plistSyntax, .booleanType].contains($0.rule) && $0.severity == .error }
    }

    /// Reads a property list in any format.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - isPreprocessed: whether the build is known to run the C preprocessor on the file; directives in the file
    ///     show this too.
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

    /// The value of a key in a dictionary; nil if the key is missing.
    ///
    /// If a key repeats in a text format, the last value counts, as in Foundation.
    package subscript(node: PlistNode, key: String) -> PlistNode? {
        guard node.kind == .dictionary else { return nil }
        if let members = members[node.index] { return members[Array(key.utf8)].map { nodes[$0] } }
        return node.children.last { nodes[$0].key.map { $0.text.utf8.elementsEqual(key.utf8) } ?? false }
            .map { nodes[$0] }
    }

    /// The value at a path of keys, from the outermost dictionary on; nil if a key is missing.
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

    /// The first objects in a dictionary or an array, at most `limit`.
    package func children(of node: PlistNode, upTo limit: Int) -> [PlistNode] {
        node.children.prefix(limit).map { nodes[$0] }
    }

    /// The last object in a dictionary or an array; nil if it is empty.
    package func lastChild(of node: PlistNode) -> PlistNode? {
        node.children.last.map { nodes[$0] }
    }

    /// The dictionary or array that holds a node; nil for the outermost object.
    package func parent(of node: PlistNode) -> PlistNode? {
        node.parent.map { nodes[$0] }
    }

    /// All objects; each container comes before the objects in it.
    package var allNodes: [PlistNode] { nodes }

    package func place(_ range: SourceRange) -> SourcePlace {
        SourcePlace(file, range)
    }
}

/// One object of a property list, with its places in the file.
package struct PlistNode: Sendable {
    /// The type of an object.
    package enum Kind: String, Sendable, Hashable {
        case dictionary, array, string, integer, real, boolean, date, data
    }

    /// The key of an object in its dictionary.
    package struct Key: Sendable {
        /// The key, with references resolved.
        package var text: String

        /// The range of the `<key>` element including its tags.
        package var range: SourceRange

        /// The range of the text between the tags of the `<key>` element.
        package var contentRange: SourceRange
    }

    /// The index of the node in the document's list of nodes.
    package var index: Int

    /// The index of the dictionary or array that holds the object; nil for the outermost object.
    package var parent: Int?

    /// The key of the object in its dictionary; nil if it is not in a dictionary.
    package var key: Key?

    /// The type of the object.
    ///
    /// It is `.boolean` for a `<boolean>` element too, which is not part of property lists and is reported.
    package var kind: Kind

    /// The range of the element including its tags.
    package var range: SourceRange

    /// The range between the tags; for `<string/>`, the empty range at the end of the element.
    package var contentRange: SourceRange

    /// The text of a string or number; in XML, of any element but a dictionary or array, with references resolved.
    package var text = ""

    /// The value of an integer or a real; nil if it is malformed or the object has another type.
    package var number: Double?

    /// The exact value of an integer; nil if it is malformed, does not fit into `Int`, or the object has another type.
    package var integer: Int?

    /// The value of a boolean; nil if it is malformed or the object has another type.
    package var boolean: Bool?

    /// The indices of the objects in a dictionary or an array, in the order of the file.
    package var children: [Int] = []

    /// The text of a string; nil for an object of another type.
    package var string: String? { kind == .string ? text : nil }

    /// The range of the start tag of a dictionary or array, or of the whole element for any other type.
    package var openingRange: SourceRange {
        switch kind {
        case .dictionary, .array:
            SourceRange(start: range.start, end: Swift.max(range.start, Swift.min(contentRange.start, range.end)))
        default: range
        }
    }
}

/// A comment in a property list.
package struct PlistComment: Sendable {
    /// The range of the comment including its delimiters.
    package var range: SourceRange

    /// The text between the delimiters.
    package var text: String
}
