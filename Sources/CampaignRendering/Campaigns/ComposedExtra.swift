// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import JSONTexts

/// Splits the value of a key-value pair that is a mapping or list into JSON and the texts that Liquid renders.
struct ComposedExtra {
    private let file: SourceFile
    private var json = ""
    private var pieces: [PushMessage.Extra.Piece] = []

    private init(file: SourceFile) { self.file = file }

    /// The pieces of a value; concatenated, they are its JSON.
    ///
    /// - Parameters:
    ///   - node: the mapping or list.
    ///   - field: the name of the field; texts in it have names such as `extras.stats.level` and `extras.tags[0]`.
    ///   - file: the file with the mapping or list.
    /// - Returns: pieces of JSON and texts, in the order of the file.
    static func pieces(of node: DocumentNode, field: String, in file: SourceFile) -> [PushMessage.Extra.Piece] {
        var value = ComposedExtra(file: file)
        value.add(node, field)
        return value.json.isEmpty ? value.pieces : value.pieces + [.json(value.json)]
    }

    /// Appends a node as JSON; each key or scalar that holds Liquid becomes a text piece.
    ///
    /// The depth limit of the document bounds the recursion.
    private mutating func add(_ node: DocumentNode, _ field: String) {
        switch node.content {
        case .mapping(let members):
            json += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { json += "," }
                let path = field + "." + member.name
                add(member.key, member.keyRange, path + " (key)")
                json += ":"
                add(member.value, path)
            }
            json += "}"
        case .sequence(let elements):
            json += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { json += "," }
                add(element, "\(field)[\(index)]")
            }
            json += "]"
        case .scalar(let scalar):
            if scalar.isJSONLiteral { json += scalar.text } else { add(scalar, node.range, field) }
        }
    }

    private mutating func add(_ scalar: DocumentScalar, _ range: SourceRange, _ field: String) {
        let text = TemplateText(field: field, text: scalar.text, file: file, range: range, map: scalar.map)
        guard text.holdsLiquid else { return json += ByteBuffer(json: scalar.text).string() }
        pieces += [.json(json), .text(text)]
        json = ""
    }
}
