// SPDX-License-Identifier: MIT

package import BinaryPlists
package import DiagnosticSources

/// A file of `UserDefaults`: its values by key, and its arrays, from which elements can be removed.
///
/// The rest of the file stays the same, byte for byte: XML is edited as text, and the remaining objects of a binary
/// list are copied. Both readers limit bytes, depth and the number of objects; an object counts once for each reference
/// to it.
package struct Preferences: Sendable {
    /// The largest file that is read, in bytes.
    package static let byteLimit = PlistBuilder.Limit.bytes

    private enum Contents {
        case binary([UInt8], members: [(key: String, value: PlistValue)])
        case xml(PlistDocument, root: PlistNode)
    }

    private let contents: Contents

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: the path to show in messages.
    ///   - bytes: the bytes of the file.
    /// - Throws: that the file is not a property list of keys and values in XML or binary form.
    package init(path: String, bytes: [UInt8]) throws(PreferencesError) {
        if bytes.starts(with: "bplist".utf8) {
            guard bytes.count <= Self.byteLimit else {
                throw .message(PlistMessage.tooLarge(bytes.count, limit: Self.byteLimit).text)
            }
            let value: PlistValue
            do throws(BinaryPlistError) {
                value = try PlistValue(binary: bytes, limits: PlistBuilder.Limit.binary(bytes: bytes.count))
            } catch {
                throw .message(error.description)
            }
            guard case .dictionary(let members) = value else { throw .message(Self.expectation) }
            contents = .binary(bytes, members: members)
            return
        }
        let document = PlistDocument(SourceFile(path: path, bytes: bytes))
        if document.isBroken { throw .findings(document.diagnostics.filter { $0.severity == .error }) }
        guard document.format == .xml else { throw .message("found an OpenStep property list, expected XML or binary") }
        guard let root = document.root, root.kind == .dictionary else { throw .message(Self.expectation) }
        contents = .xml(document, root: root)
    }

    private static let expectation = "expected a property list with a dictionary at the top"

    /// The values of a key: none if the key is missing, several if the file repeats it.
    package func values(of key: String) -> [PlistValue] {
        switch contents {
        case .binary(_, let members): members.filter { $0.key.utf8.elementsEqual(key.utf8) }.map(\.value)
        case .xml(let document, let root): document.nodes(of: key, in: root).map(document.value)
        }
    }

    /// The keys whose values are arrays with at least one element, in the order of the file.
    package var keysOfArrays: [String] {
        switch contents {
        case .binary(_, let members):
            members.compactMap { member in
                if case .array(let elements) = member.value, !elements.isEmpty { member.key } else { nil }
            }
        case .xml(let document, let root):
            document.children(of: root).compactMap { node in
                node.kind == .array && !document.children(of: node).isEmpty ? node.key?.text : nil
            }
        }
    }

    /// Removes elements from arrays in the file; if an array becomes empty, its key is removed too.
    ///
    /// - Parameter positions: the positions of the elements to remove, from 0, by key; each key must occur only once in
    ///   the file.
    /// - Returns: the bytes of the new file.
    /// - Throws: that the file is damaged.
    package func removing(_ positions: [String: Set<Int>]) throws(PreferencesError) -> [UInt8] {
        switch contents {
        case .binary(let bytes, _):
            do throws(BinaryPlistError) {
                return try BinaryPlistRemoval.removing(positions, from: bytes)
            } catch {
                throw .message(error.description)
            }
        case .xml(let document, let root):
            return document.removing(positions, from: root)
        }
    }
}

/// Why a file of `UserDefaults` cannot be read.
package enum PreferencesError: Error, Sendable {
    /// What was found: lower case, no full stop.
    case message(String)

    /// The faults of the file, with their places.
    case findings([Diagnostic])
}

extension PlistDocument {
    fileprivate func nodes(of key: String, in root: PlistNode) -> [PlistNode] {
        children(of: root).filter { $0.key.map { $0.text.utf8.elementsEqual(key.utf8) } ?? false }
    }

    /// The value of a node as a ``PlistValue``; the document must have no syntax errors.
    fileprivate func value(_ node: PlistNode) -> PlistValue {
        switch node.kind {
        case .dictionary: .dictionary(children(of: node).map { ($0.key?.text ?? "", value($0)) })
        case .array: .array(children(of: node).map(value))
        case .string: .string(node.text)
        case .integer: node.integer.map { .integer($0) } ?? largeInteger(node)
        case .real: .real(node.number ?? 0)
        case .boolean: .boolean(node.boolean ?? false)
        case .date: .date(PlistScalars.date(node.text) ?? 0)
        case .data: .data(PlistScalars.data(Array(node.text.utf8))[...])
        }
    }

    private func largeInteger(_ node: PlistNode) -> PlistValue {
        guard case .value(let magnitude, false) = PlistScalars.integer(node.text) else {
            return .real(node.number ?? 0)
        }
        return .largeInteger(magnitude)
    }

    fileprivate func removing(_ positions: [String: Set<Int>], from root: PlistNode) -> [UInt8] {
        var ranges: [Range<Int>] = []
        for (key, positions) in positions where !positions.isEmpty {
            let arrays = nodes(of: key, in: root)
            guard arrays.count == 1, arrays[0].kind == .array else { continue }
            let elements = children(of: arrays[0])
            if positions.isSuperset(of: elements.indices) {
                let start = arrays[0].key?.range.start ?? arrays[0].range.start
                ranges.append(withSpaceBefore(Int(start)..<Int(arrays[0].range.end)))
            } else {
                for (index, element) in elements.enumerated() where positions.contains(index) {
                    ranges.append(withSpaceBefore(Int(element.range.start)..<Int(element.range.end)))
                }
            }
        }
        ranges.sort { $0.lowerBound < $1.lowerBound }
        var rest: [UInt8] = []
        var end = 0
        for range in ranges {
            rest += file.bytes[end..<range.lowerBound]
            end = range.upperBound
        }
        return rest + file.bytes[end...]
    }

    /// A range with the line break and indentation before it; the range alone if the file is not UTF-8.
    private func withSpaceBefore(_ range: Range<Int>) -> Range<Int> {
        guard file.encoding == .utf8 else { return range }
        var start = range.lowerBound
        while start > 0, PlistScalars.isBlank(file.bytes[start - 1]) { start -= 1 }
        return start..<range.upperBound
    }
}
