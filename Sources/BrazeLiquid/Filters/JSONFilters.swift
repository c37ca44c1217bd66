// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts
import LiquidTemplates

/// Filters that parse JSON, write JSON, and read members of the parsed objects.
enum JSONFilters {
    static let all: [FilterDefinition] = [
        FilterDefinition(
            "json_parse",
            summary: "Parses a JSON text into its value.",
            examples: [.init(#"{% assign a = '[{"id": 7}]' | json_parse %}{{ a[0].id }}"#, "7")]
        ) { (input, _, context) throws(LiquidError) in
            guard case .string = input else { return .value(input) }
            let text = try context.characters(of: input)
            do throws(JSONError) {
                return try .value(context.value(json: text))
            } catch {
                if error.fault == .tooLarge { throw context.liveBytesError }
                throw LiquidError(.argument, "'json_parse' cannot read its input: \(error.message)")
            }
        },
        FilterDefinition(
            "as_json_string",
            summary: "The value as JSON, without white space.",
            examples: [.init("{{ 'a,b' | split: ',' | as_json_string }}", #"["a","b"]"#)],
            traits: [.makesText, .isSafeInJSON]
        ) { (input, _, context) throws(LiquidError) in
            try context.charge(reading: input)
            var writer = JSONWriter(into: ByteBuffer(capacity: 256, limit: context.stringLimit))
            input.write(json: &writer)
            guard !writer.buffer.isOverLimit else {
                throw LiquidError.overLimit(
                    "the JSON that 'as_json_string' writes exceeds the limit of \(context.stringLimit) bytes")
            }
            try context.charge(work: writer.buffer.count)
            return .string(writer.buffer.string())
        },
        FilterDefinition(
            "property_accessor",
            arity: 1...1,
            summary: "The member of an object under a key; nil where there is none.",
            examples: [.init(#"{% assign o = '{"a": 42}' | json_parse %}{{ o | property_accessor: 'a' }}"#, "42")]
        ) { (input, arguments, context) throws(LiquidError) in
            switch input {
            case .object(let object): .value(object[try context.text(of: arguments[0])] ?? .null)
            case .drop(let drop): .value(drop.property(try context.text(of: arguments[0])) ?? .null)
            default: .null
            }
        },
    ]

}
