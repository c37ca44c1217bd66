// SPDX-License-Identifier: MIT

package import DiagnosticSources
import JSONTexts

extension DocumentNode {
    /// The maximum number of values that a file may have.
    ///
    /// A value takes as little as two bytes in the file, but several hundred in memory.
    static let valueLimit = 200_000

    /// The maximum number of collections that may be nested inside each other.
    static let depthLimit = 512

    /// Reads a JSON file.
    ///
    /// - Parameters:
    ///   - file: the file; UTF-8, with or without a byte order mark.
    ///   - rule: the rule under which a syntax error is reported.
    /// - Returns: the outermost value.
    /// - Throws: the first syntax error.
    package static func json(_ file: SourceFile, rule: RuleID) throws(InputError) -> DocumentNode {
        do {
            return DocumentNode(try JSONDocument(file, depthLimit: depthLimit, valueLimit: valueLimit).root)
        } catch {
            throw InputError(.invalid, [error.diagnostic(rule: rule, in: file)])
        }
    }

    /// Reads a file as JSON if its name ends with `.json`, otherwise as YAML, which includes JSON.
    package static func read(_ file: SourceFile, rule: RuleID) throws(InputError) -> DocumentNode? {
        file.path.suffix(5).lowercased() == ".json" ? try json(file, rule: rule) : try yaml(file, rule: rule)
    }

    /// Converts a node of a JSON document; the document's depth limit also limits this recursion.
    private init(_ node: JSONNode) {
        range = node.range
        switch node.kind {
        case .object:
            content = .mapping(
                node.members.map { member in
                    let key = member.keyWithMap ?? (text: "", map: .identity(count: 0))
                    return DocumentMember(
                        key: DocumentScalar(key.text, style: .quoted, map: key.map),
                        keyRange: member.keyRange ?? member.range,
                        value: DocumentNode(member)
                    )
                }
            )
        case .array:
            content = .sequence(node.elements.map { DocumentNode($0) })
        case .string:
            let string = node.stringWithMap ?? (text: "", map: .identity(count: 0))
            content = .scalar(DocumentScalar(string.text, style: .quoted, map: string.map))
        case .null, .bool, .number:
            let map = SourceMap(
                [SourceMap.Run(text: 0, file: Int(node.range.start))],
                textCount: node.range.offsets.count,
                fileEnd: Int(node.range.end)
            )
            content = .scalar(DocumentScalar(node.source, style: .json, map: map))
        }
    }
}
