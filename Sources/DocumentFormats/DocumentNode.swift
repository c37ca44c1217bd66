// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// A node of a YAML or JSON file, with its place.
///
/// Campaign files, fixtures and configurations may be in either format; the code above this type is the same for both.
package struct DocumentNode: Sendable {
    /// What the node holds.
    package enum Content: Sendable {
        case scalar(DocumentScalar)
        case sequence([DocumentNode])
        case mapping([DocumentMember])
    }

    /// What the node holds.
    package var content: Content

    /// The range in the file, from the start of the node to the end of its last part.
    package var range: SourceRange

    /// Whether all parts of the node are valid; invalid parts are left out.
    package var isWhole = true

    package init(_ content: Content, range: SourceRange) {
        self.content = content
        self.range = range
    }

    /// The scalar, if the node is one.
    package var scalar: DocumentScalar? {
        if case .scalar(let scalar) = content { scalar } else { nil }
    }

    /// The members, if the node is a mapping.
    package var members: [DocumentMember]? {
        if case .mapping(let members) = content { members } else { nil }
    }

    /// The elements, if the node is a sequence.
    package var elements: [DocumentNode]? {
        if case .sequence(let elements) = content { elements } else { nil }
    }

    /// The value of a key; if the key occurs twice, the last value.
    package subscript(key: String) -> DocumentNode? {
        member(key)?.value
    }
}

/// A key of a mapping with its value.
package struct DocumentMember: Sendable {
    /// The key as text.
    package var name: String

    /// The text of the key with its map to the file.
    package var key: DocumentScalar

    /// The bytes of the key in the file.
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
        /// YAML without quotes, whose type depends on what the reader expects.
        case plain
        /// Text in quotes.
        case quoted
        /// A YAML block, `|` or `>`.
        case block
        /// A JSON number, `true`, `false` or `null`.
        case json
    }

    /// The text after escapes, folding and indentation are resolved.
    package var text: String

    /// How it is written.
    package var style: Style

    /// The map from offsets in ``text`` to offsets in the file.
    package var map: SourceMap

    package init(_ text: String, style: Style, map: SourceMap) {
        self.text = text
        self.style = style
        self.map = map
    }

    /// Whether the scalar means no value: `~` or nothing in YAML, `null` in JSON.
    package var isNullMark: Bool {
        switch style {
        case .plain: text.isEmpty || text == "~"
        case .json: text == "null"
        case .quoted, .block: false
        }
    }
}
