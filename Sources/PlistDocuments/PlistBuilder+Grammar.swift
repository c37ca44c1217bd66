// SPDX-License-Identifier: MIT

import DiagnosticSources

extension PlistBuilder {
    /// The role of an element at the current position: a container, a text, or one that is ignored.
    ///
    /// An element that must not be at its position is reported and ignored.
    func role(of name: String, _ tag: Range<Int>) -> Frame.Role {
        let parent = stack[stack.count - 1]
        switch parent.role {
        case .ignored:
            return .ignored
        case .text:
            if !parent.isSettled { report(.elementInText(name, inside: parent.name), tag) }
            stack[stack.count - 1].isSettled = true
            return .ignored
        case .document:
            if name == "plist" { return .plist }
        case .plist:
            let isSecond = !nodes.isEmpty
            stack[stack.count - 1].isSettled = true
            if isSecond {
                report(.secondObject(name), tag)
                return .ignored
            }
        case .dictionary:
            if name == "key" {
                if let key = parent.key { missingValue(of: key, found: "<key>", tag) }
                stack[stack.count - 1].key = nil
                return .text
            }
        case .array:
            break
        }
        switch name {
        case "dict", "array", "string", "integer", "real", "true", "false", "date", "data", "boolean":
            guard parent.role != .dictionary || parent.key != nil else {
                report(.keyMissing(name), tag)
                return .ignored
            }
            return name == "dict" ? .dictionary : name == "array" ? .array : .text
        case "key":
            report(.keyOutsideDictionary(inside: parent.name.isEmpty ? "plist" : parent.name), tag)
        default:
            report(parent.role == .document ? .notAPlist(name.shortened) : .unknownElement(name.shortened), tag)
        }
        stack[stack.count - 1].key = nil
        return .ignored
    }

    /// Adds an object to the container that is being read, and returns its index.
    func addNode(_ kind: PlistNode.Kind, _ range: Range<Int>, content: Range<Int>) -> Int {
        let index = nodes.count
        let parent = stack[stack.count - 1]
        var node = PlistNode(
            index: index,
            parent: parent.node,
            key: nil,
            kind: kind,
            range: file.storedRange(ofUTF8: range),
            contentRange: file.storedRange(ofUTF8: content)
        )
        if let container = parent.node {
            nodes[container].children.append(index)
            node.key = parent.key
            stack[stack.count - 1].key = nil
        }
        nodes.append(node)
        return index
    }

    /// Ends an element that may contain only text, such as `<string>`, and reads its value.
    func endText(_ frame: Frame, _ element: Range<Int>, _ content: Range<Int>) {
        let text = collectedText
        if frame.name == "key" {
            endKey(text, element, content)
            return
        }
        guard let kind = Self.kinds[frame.name] else { return }
        let index = addNode(kind, element, content: content)
        nodes[index].text = text
        if frame.isSettled { return }
        let written = content.isEmpty ? element : content
        switch frame.name {
        case "true", "false":
            nodes[index].boolean = frame.name == "true"
            if !content.isEmpty { report(.textInBoolean(frame.name, text.shortened), content) }
        case "boolean":
            let value = booleanMeaning(of: text)
            nodes[index].boolean = value
            report(.boolean(text.shortened, value), element, fixes: booleanFixes(value, element))
        case "integer":
            // Foundation does not resolve XML references in integers, so this reads the text as it is in the file.
            switch PlistScalars.integer(String(decoding: source[content], as: UTF8.self)) {
            case .value(let magnitude, let isNegative):
                nodes[index].number = isNegative ? -Double(magnitude) : Double(magnitude)
                let integer = Int(exactly: magnitude)
                // The magnitude of the smallest integer, `Int.min`, is the only one that does not fit into `Int`.
                nodes[index].integer = isNegative ? integer.map { -$0 } ?? .min : integer
            case .overflow: report(.integerOverflow(text.shortened), written)
            case .malformed: report(.notANumber(frame.name, text.shortened), written)
            }
        case "real":
            if let number = PlistScalars.real(text) {
                nodes[index].number = number
            } else {
                report(.notANumber(frame.name, text.shortened), written)
            }
        case "date":
            if PlistScalars.date(text) == nil { report(.notADate(text.shortened), written) }
        case "data":
            checkData(element, content)
        default:
            break
        }
    }

    private static let kinds: [String: PlistNode.Kind] = [
        "string": .string, "integer": .integer, "real": .real, "true": .boolean, "false": .boolean,
        "boolean": .boolean, "date": .date, "data": .data,
    ]

    private func endKey(_ text: String, _ element: Range<Int>, _ content: Range<Int>) {
        let key = PlistNode.Key(
            text: text, range: file.storedRange(ofUTF8: element), contentRange: file.storedRange(ofUTF8: content))
        let written = content.isEmpty ? element : content
        if text.trimmed.isEmpty {
            report(.emptyKey, element)
        } else if text.trimmed.utf8.count != text.utf8.count {
            report(.keyWhitespace(text.shortened), written)
        }
        stack[stack.count - 1].key = key
    }

    private func checkData(_ element: Range<Int>, _ content: Range<Int>) {
        if source[..<element.upperBound].suffix(2).elementsEqual("/>".utf8) {
            report(.emptyData, element)
        } else if let first = PlistScalars.firstOutsideBase64(collectedBytes) {
            let character = String(decoding: collectedBytes[first...], as: UTF8.self).unicodeScalars.first
            report(.notBase64(character.map { String($0) } ?? ""), content)
        }
    }

    private func booleanFixes(_ value: Bool?, _ element: Range<Int>) -> [FixIt] {
        guard let value, file.encoding == .utf8 else { return [] }
        let element = file.storedRange(ofUTF8: element)
        let replacement = value ? "<true/>" : "<false/>"
        return [FixIt("write '\(replacement)'", edits: [FixIt.Edit(element, replacement: replacement)])]
    }
}
