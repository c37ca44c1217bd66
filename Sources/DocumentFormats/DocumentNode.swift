// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// A value of a YAML or JSON file with its place: a scalar, a mapping or a sequence.
///
/// Campaign files, fixtures and configurations may be in either format; the code that uses nodes is the same for both.
package struct DocumentNode: Sendable {
    /// The content of a node: a scalar, or the parts of a mapping or sequence.
    package enum Content: Sendable {
        case scalar(DocumentScalar)
        case sequence([DocumentNode])
        case mapping([DocumentMember])
    }

    /// The scalar, or the parts of the mapping or sequence.
    package var content: Content

    /// The range in the file, from the start of the node to the end of its last part.
    package var range: SourceRange

    /// Whether all parts of the node were valid.
    ///
    /// Invalid parts are missing in the node.
    package var isWhole = true

    package init(_ content: Content, range: SourceRange) {
        self.content = content
        self.range = range
    }

    /// The scalar; nil if the node is a collection.
    package var scalar: DocumentScalar? {
        if case .scalar(let scalar) = content { scalar } else { nil }
    }

    /// The members of a mapping; nil if the node is not a mapping.
    package var members: [DocumentMember]? {
        if case .mapping(let members) = content { members } else { nil }
    }

    /// The elements of a sequence; nil if the node is not a sequence.
    package var elements: [DocumentNode]? {
        if case .sequence(let elements) = content { elements } else { nil }
    }

    /// The value of a key, the last one if the key occurs twice; nil if the key is missing.
    package subscript(key: String) -> DocumentNode? {
        member(key)?.value
    }
}

/// A key of a mapping with its value.
package struct DocumentMember: Sendable {
    /// The key as text.
    package var name: String

    /// The text of the key, with its places in the file.
    package var key: DocumentScalar

    /// The range of the key in the file, with its quotes.
    package var keyRange: SourceRange

    /// The value.
    package var value: DocumentNode

    package init(key: DocumentScalar, keyRange: SourceRange, value: DocumentNode) {
        name = key.text
        self.key = key
        self.keyRange = keyRange
        self.value = value
    }
}

/// A scalar as written: its text, its style, and the map from the text to the file.
package struct DocumentScalar: Sendable {
    /// How the scalar is written.
    package enum Style: Sendable {
        /// YAML without quotes. Whether it is a text or a number depends on what the reader expects.
        case plain
        /// Text in quotes.
        case quoted
        /// A YAML block, `|` or `>`.
        case block
        /// A JSON number, `true`, `false` or `null`.
        case json
    }

    /// The text of the scalar, after escapes, folding and indentation are resolved.
    package var text: String

    /// How the scalar is written in the file.
    package var style: Style

    /// The map from offsets in ``text`` to offsets in the file.
    package var map: SourceMap

    package init(_ text: String, style: Style, map: SourceMap) {
        self.text = text
        self.style = style
        self.map = map
    }

    /// Whether the scalar means that there is no value: `~` or nothing in YAML, `null` in JSON.
    package var isNullMark: Bool {
        switch style {
        case .plain: text.isEmpty || text == "~"
        case .json: text == "null"
        case .quoted, .block: false
        }
    }
}
