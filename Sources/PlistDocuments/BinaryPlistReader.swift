// SPDX-License-Identifier: MIT

import BinaryPlists
import DiagnosticSources

/// Reads a property list in binary form, which begins with `bplist00`.
///
/// The nodes have no places, because findings cannot show a part of a binary file.
struct BinaryPlistReader {
    private(set) var nodes: [PlistNode] = []

    /// The keys that occur more than once in a dictionary; only the first value of each is read, as in Foundation.
    private(set) var repeatedKeys: Set<String> = []

    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads the property list.
    ///
    /// - Throws: that it is damaged, too deep or too large.
    mutating func read() throws(BinaryPlistError) {
        let limits = PlistBuilder.Limit.binary(bytes: bytes.count)
        add(try PlistValue(binary: bytes, limits: limits), key: nil, parent: nil)
    }

    private mutating func add(_ value: PlistValue, key: PlistNode.Key?, parent: Int?) {
        let index = nodes.count
        nodes.append(
            PlistNode(
                index: index,
                parent: parent,
                key: key,
                kind: .data,
                range: .nowhere,
                contentRange: .nowhere
            )
        )
        if let parent { nodes[parent].children.append(index) }
        switch value {
        case .boolean(let boolean):
            nodes[index].kind = .boolean
            nodes[index].boolean = boolean
        case .integer(let integer):
            nodes[index].kind = .integer
            nodes[index].number = Double(integer)
            nodes[index].integer = integer
            nodes[index].text = String(integer)
        case .largeInteger(let integer):
            nodes[index].kind = .integer
            nodes[index].number = Double(integer)
            nodes[index].text = String(integer)
        case .real(let real):
            nodes[index].kind = .real
            nodes[index].number = real
            nodes[index].text = "\(real)"
        case .date:
            nodes[index].kind = .date
        case .string(let text):
            nodes[index].kind = .string
            nodes[index].text = text
        case .array(let elements):
            nodes[index].kind = .array
            for element in elements { add(element, key: nil, parent: index) }
        case .dictionary(let members):
            nodes[index].kind = .dictionary
            var keys: Set<[UInt8]> = []
            for (key, value) in members {
                guard keys.insert(Array(key.utf8)).inserted else {
                    repeatedKeys.insert(key)
                    continue
                }
                let place = PlistNode.Key(text: key, range: .nowhere, contentRange: .nowhere)
                add(value, key: place, parent: index)
            }
        case .null, .data, .reference: break
        }
    }
}

extension SourceRange {
    fileprivate static let nowhere = SourceRange(0, 0)
}
