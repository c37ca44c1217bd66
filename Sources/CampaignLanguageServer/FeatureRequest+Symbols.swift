// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import PayloadKit

extension FeatureRequest {
    /// The maximum number of levels of keys that are listed.
    private static let depth = 6

    /// The keys and list elements of the text, as the protocol writes its outline; empty while the text cannot be read.
    var symbols: ProtocolValue {
        guard format != nil, let root = try? DocumentNode.read(text.file, rule: .campaignSyntax) else { return [] }
        let trees = symbols(in: root, depth: 0)
        return .array(client.hasSymbolTrees ? trees.map(\.tree) : trees.flatMap { $0.flat(text.uri, nil) })
    }

    private struct Symbol {
        let name: String
        let kind: Int
        let range: ProtocolValue
        let nameRange: ProtocolValue
        let children: [Symbol]

        var tree: ProtocolValue {
            [
                "name": .string(name), "kind": .integer(kind), "range": range, "selectionRange": nameRange,
                "children": children.isEmpty ? .nothing : .array(children.map(\.tree)),
            ]
        }

        func flat(_ uri: String, _ container: String?) -> [ProtocolValue] {
            [
                [
                    "name": .string(name), "kind": .integer(kind), "containerName": ProtocolValue(container),
                    "location": ["uri": .string(uri), "range": range],
                ]
            ] + children.flatMap { $0.flat(uri, name) }
        }
    }

    private func symbols(in node: DocumentNode, depth: Int) -> [Symbol] {
        guard depth < Self.depth else { return [] }
        func symbol(_ name: String, _ nameRange: SourceRange, _ node: DocumentNode) -> Symbol {
            let end = max(nameRange.end, node.range.end)
            return Symbol(
                name: name.isEmpty ? "(empty)" : name,
                kind: node.members != nil ? 19 : node.elements != nil ? 18 : 20,
                range: text.file.range(of: SourceRange(start: nameRange.start, end: end), client.encoding),
                nameRange: text.file.range(of: nameRange, client.encoding),
                children: symbols(in: node, depth: depth + 1)
            )
        }
        switch node.content {
        case .scalar: return []
        case .mapping(let members): return members.map { symbol($0.name, $0.keyRange, $0.value) }
        case .sequence(let elements):
            return elements.enumerated().map { index, element in
                let name = ["name", "id", "action_id"].lazy.compactMap { element.text($0) }.first
                return symbol(name ?? element.scalar?.text.firstLine(upTo: 40) ?? "[\(index)]", element.range, element)
            }
        }
    }
}
