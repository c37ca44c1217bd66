// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts

/// Adjacent fields that are the same in every message, written once and copied into each payload.
///
/// It is a class for the same reason as ``CompiledText``.
final class ConstantFields: Sendable {
    /// The members, each with the comma before it.
    private let json: ByteBuffer
    private let fields: [Field]

    private struct Field {
        let name: FieldName
        /// Offsets in ``json``: of the comma before the field, of the value, and of its end.
        let start: Int
        let valueStart: Int
        let end: Int
    }

    /// Writes fields whose ``CompiledMessage/Field/isConstant`` is true, with their options.
    init(_ fields: ArraySlice<CompiledMessage.Field>) {
        var json = ByteBuffer(capacity: 64)
        self.fields = fields.flatMap { [$0] + $0.options }.map { field in
            let start = json.count
            field.key.write(into: &json, withComma: true)
            let valueStart = json.count
            if let text = field.text?.counted {
                text.json.withUnsafeBytes { json.append($0) }
            } else {
                field.constant.withUnsafeBytes { json.append($0) }
            }
            return Field(name: field.name, start: start, valueStart: valueStart, end: json.count)
        }
        self.json = json
    }

    /// Writes the fields.
    ///
    /// There is no comma before them if they are the first members of their object.
    @inline(__always)
    func write(into buffer: inout ByteBuffer, withComma hasComma: Bool) {
        json.withUnsafeBytes { buffer.append(UnsafeBufferPointer(rebasing: $0[(hasComma ? 0 : 1)...])) }
    }

    /// The number of fields.
    var fieldCount: Int { fields.count }

    /// Adds these fields to the list of a payload's fields.
    func appendFields(to list: inout [Payload.Field], endingAt end: Int, withComma hasComma: Bool) {
        let offset = end - json.count
        for field in fields {
            let start = !hasComma && field.start == 0 ? 1 : field.start
            list.append(
                Payload.Field(
                    name: field.name.text,
                    range: SourceRange(offset + field.valueStart, offset + field.end),
                    cost: field.end - start,
                    isBlank: false,
                    pair: nil
                )
            )
        }
    }
}
