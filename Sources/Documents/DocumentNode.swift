// SPDX-License-Identifier: MIT

package import SourceText

/// A node of a YAML or JSON file, with its place.
///
/// Campaign files, fixtures and configurations come in both formats; above this type nobody needs to know which.
package struct DocumentNode: Sendable {
    /// What the node holds.
    package enum Content: Sendable {
        case scalar(DocumentScalar)
        case sequence([DocumentNode])
        case mapping([DocumentMember])
    }

    /// What the node holds.
    package var content: Content

    /// The bytes of the file, from the first of the node to the last of its last part.
    package var range: SourceRange

    /// Whether nothing was left out of the node because it is wrong.
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

    /// The value of a key; the last one where a key comes twice.
    package subscript(key: String) -> DocumentNode? {
        members?.last { $0.name.utf8.elementsEqual(key.utf8) }?.value
    }
}

/// A key of a mapping with its value.
package struct DocumentMember: Sendable {
    /// The key as text.
    package var name: String

    /// Where the key's text stands, and how it maps to the file.
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

/// A scalar as written: its text, its style, and the way from the text back to the file.
package struct DocumentScalar: Sendable {
    /// How the scalar is written.
    package enum Style: Sendable {
        /// YAML without quotes: what it means depends on who asks.
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

    /// Offsets in ``text`` to offsets in the file.
    package var map: SourceMap

    package init(_ text: String, style: Style, map: SourceMap) {
        self.text = text
        self.style = style
        self.map = map
    }

    /// Whether the scalar says that there is no value: `~` or nothing in YAML, `null` in JSON.
    package var isNullMark: Bool {
        switch style {
        case .plain: text.isEmpty || text == "~"
        case .json: text == "null"
        case .quoted, .block: false
        }
    }
}
