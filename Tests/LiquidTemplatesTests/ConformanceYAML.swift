// SPDX-License-Identifier: MIT

import LiquidTemplates
import Yams

extension Value {
    /// What is used in place of a YAML value with a tag of its own, which only the suite's host can make.
    static let foreignTag = "!foreign tag!"

    /// Reads a YAML text; nil for one that is none.
    init?(specYAML text: String) {
        guard let node = try? Yams.compose(yaml: text) else { return nil }
        self.init(node)
    }

    private init(_ node: Yams.Node) {
        let tag = node.tag.description
        guard tag.hasPrefix("tag:yaml.org,2002:") || tag.isEmpty else {
            self = .string(Self.foreignTag)
            return
        }
        switch node {
        case .mapping(let mapping):
            var members = LiquidObject.Builder()
            for (key, value) in mapping { members.set(key.scalar?.string ?? "", Value(value)) }
            self = .object(LiquidObject(members))
        case .sequence(let sequence):
            self = .array(sequence.map { Value($0) })
        case .scalar(let scalar):
            self = Self.value(of: scalar, tag: node.tag, node)
        case .alias:
            self = .string(Self.foreignTag)
        }
    }

    private static func value(of scalar: Yams.Node.Scalar, tag: Tag, _ node: Yams.Node) -> Value {
        switch tag {
        case Tag(.null): .null
        case Tag(.bool): node.bool.map { .bool($0) } ?? .null
        case Tag(.int): node.int.map { .integer($0) } ?? .string(scalar.string)
        case Tag(.float): node.float.map { .float($0) } ?? .string(scalar.string)
        default: .string(scalar.string)
        }
    }
}
