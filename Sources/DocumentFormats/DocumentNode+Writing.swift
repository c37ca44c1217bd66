// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts

extension DocumentNode {
    /// The node as JSON on one line; numbers of a JSON file keep their digits.
    ///
    /// Of a key that occurs twice, both are written. The depth limit of the document bounds the recursion.
    package var json: String {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.buffer.string()
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
    /// Writes JSON as it is.
    package mutating func raw(_ json: String) {
        var json = json
        json.withUTF8 { raw($0) }
    }
}
