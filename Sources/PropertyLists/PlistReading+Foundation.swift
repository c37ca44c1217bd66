// SPDX-License-Identifier: MIT

private import Foundation
import SourceText

/// Binary and OpenStep lists are read through Foundation, which knows no places in them: every node has the place of
/// the whole file.
extension PlistReading {
    mutating func readBinary() {
        format = .binary
        let bytes = file.bytes
        file = SourceFile(path: file.path, bytes: [])
        guard let object = try? PropertyListSerialization.propertyList(from: Data(bytes), format: nil),
            bytes.count > 8
        else {
            report(.tornBinary, 0..<0)
            return
        }
        add(object, key: nil, parent: nil, depth: 0)
        reportFormat(.binary)
    }

    mutating func readOpenStep(from start: Int) {
        let text = file.utf8[start...]
        let first = text.firstIndex { !PlistScalars.isBlank($0) } ?? start
        let range = first..<(first + 1)
        do {
            let object = try PropertyListSerialization.propertyList(from: Data(file.bytes), format: nil)
            guard !(object is String) else {
                report(.plainText, range)
                return
            }
            format = .openStep
            add(object, key: nil, parent: nil, depth: 0)
            reportFormat(.openStep)
        } catch {
            let isJSON = (try? JSONSerialization.jsonObject(with: Data(text))) != nil
            report(isJSON ? .json : .noOpenStep("found '\(String(decoding: text[range], as: UTF8.self))'"), range)
        }
    }

    /// Tells the format, unless the file lies in a built bundle, where binary is usual.
    private mutating func reportFormat(_ message: PlistMessage) {
        let isBuilt = file.path.split(separator: "/").dropLast().contains { folder in
            folder.utf8.count > 4 && (folder.hasSuffix(".app") || folder.hasSuffix(".appex"))
        }
        if !isBuilt { report(message, 0..<0) }
    }

    private mutating func add(_ value: Any, key: String?, parent: Int?, depth: Int) {
        guard depth <= PlistBuilder.Limit.depth, nodes.count < PlistBuilder.Limit.nodes else { return }
        let whole = SourceRange(0, file.bytes.count)
        let index = nodes.count
        var node = PlistNode(
            index: index,
            parent: parent,
            key: key.map { PlistNode.Key(text: $0, range: whole, contentRange: whole) },
            kind: .data,
            range: whole,
            contentRange: whole
        )
        var members: [(key: String?, value: Any)] = []
        switch value {
        case let value where Self.isBoolean(value):
            node.kind = .boolean
            node.boolean = value as? Bool
        case let value as String:
            node.kind = .string
            node.text = value
        case let value as NSNumber:
            node.kind = value.doubleValue == value.doubleValue.rounded() ? .integer : .real
            node.number = value.doubleValue
            node.text = value.stringValue
        case is Date:
            node.kind = .date
        case let value as [Any]:
            node.kind = .array
            members = value.map { (nil, $0) }
        case let value as [String: Any]:
            node.kind = .dictionary
            members = value.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { ($0.key, $0.value) }
        default:
            break
        }
        nodes.append(node)
        if let parent { nodes[parent].children.append(index) }
        for member in members { add(member.value, key: member.key, parent: index, depth: depth + 1) }
    }

    /// A boolean bridges to a number and a number 1 to a boolean, so that a cast alone does not tell them apart.
    private static func isBoolean(_ value: Any) -> Bool {
        #if canImport(Darwin)
            CFGetTypeID(value as CFTypeRef) == CFBooleanGetTypeID()
        #else
            type(of: value) == Bool.self
        #endif
    }
}
