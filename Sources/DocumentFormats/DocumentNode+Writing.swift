// SPDX-License-Identifier: MIT

package import DiagnosticSources
import JSONTexts

extension DocumentNode {
    /// The node as JSON on one line; numbers of a JSON file keep their digits.
    ///
    /// If a key occurs twice, both members are written. The depth limit of the document also limits the recursion.
    package var json: String {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.buffer.string()
    }

    /// The node as JSON whose members are on the same lines as in the file, and if possible in the same columns.
    ///
    /// - Parameter file: the file of the node.
    /// - Returns: the JSON, after as many line breaks as the file has before the node.
    package func placedJSON(in file: SourceFile) -> String {
        var text = ""
        var line = 1
        var column = 1
        func add(_ part: String) {
            text += part
            column += part.unicodeScalars.count
        }
        func move(to offset: UInt32) {
            let position = file.position(of: Int(offset))
            while line < position.line {
                text += "\n"
                (line, column) = (line + 1, 1)
            }
            if line == position.line, column < position.column {
                add(String(repeating: " ", count: position.column - column))
            }
        }
        func write(_ node: DocumentNode) {
            switch node.content {
            case .mapping(let members):
                add("{")
                for (index, member) in members.enumerated() {
                    if index > 0 { add(",") }
                    move(to: member.keyRange.start)
                    var key = JSONWriter()
                    key.string(member.name)
                    add(key.buffer.string() + ": ")
                    write(member.value)
                }
                add("}")
            case .sequence(let elements):
                add("[")
                for (index, element) in elements.enumerated() {
                    if index > 0 { add(",") }
                    move(to: element.range.start)
                    write(element)
                }
                add("]")
            case .scalar: add(node.json)
            }
        }
        move(to: range.start)
        write(self)
        return text
    }

    private func write(to writer: inout JSONWriter) {
        switch content {
        case .mapping(let members):
            writer.beginObject()
            for member in members {
                writer.key(member.name)
                member.value.write(to: &writer)
            }
            writer.endObject()
        case .sequence(let elements):
            writer.beginArray()
            for element in elements { element.write(to: &writer) }
            writer.endArray()
        case .scalar(let scalar) where scalar.style == .json:
            writer.raw(scalar.text)
        case .scalar(let scalar):
            switch scalar.value {
            case .null: writer.null()
            case .bool(let bool): writer.bool(bool)
            case .integer(let integer): writer.integer(integer)
            case .bigInteger(let digits): writer.raw(digits)
            case .float(let number): writer.double(number)
            case .string(let text): writer.string(text)
            }
        }
    }
}

extension JSONWriter {
    /// Appends JSON text unchanged.
    package mutating func raw(_ json: String) {
        var json = json
        json.withUTF8 { raw($0) }
    }
}
