// SPDX-License-Identifier: MIT

import JSON
import Liquid
import SourceText

/// Filters between text and values.
enum JSONFilters {
    static let all: [FilterDefinition] = [
        FilterDefinition(
            "json_parse",
            arity: 0...0,
            summary: "Parses a JSON text into its value.",
            examples: [.init(#"{% assign a = '[{"id": 7}]' | json_parse %}{{ a[0].id }}"#, "7")],
            work: .texts(1_280),
            function: parse
        ),
        FilterDefinition(
            "as_json_string",
            arity: 0...0,
            summary: "The value as JSON, without white space.",
            examples: [.init("{{ 'a,b' | split: ',' | as_json_string }}", #"["a","b"]"#)],
            work: .text(320),
            function: write
        ),
        FilterDefinition(
            "property_accessor",
            arity: 1...1,
            summary: "The member of an object under a key; nil where there is none.",
            examples: [.init(#"{% assign o = '{"a": 42}' | json_parse %}{{ o | property_accessor: 'a' }}"#, "42")],
            work: .texts(32),
            function: member
        ),
    ]

    private static func parse(
        _ input: Value,
        _ arguments: Arguments,
        _ context: inout FilterContext
    ) throws(LiquidError) -> Value {
        guard case .string(let text) = input else { return input }
        do throws(JSONError) {
            return try context.value(json: text)
        } catch {
            if error.fault == .tooLarge { throw context.liveBytesError }
            throw LiquidError(.argument, "'json_parse' cannot read its input: \(error.message)")
        }
    }

    private static func write(
        _ input: Value,
        _ arguments: Arguments,
        _ context: inout FilterContext
    ) throws(LiquidError) -> Value {
        var writer = JSONWriter(into: ByteBuffer(capacity: 256, limit: context.stringLimit))
        input.write(json: &writer)
        guard !writer.buffer.isOverLimit else {
            throw LiquidError(
                .memory,
                "the JSON that 'as_json_string' writes passes the limit of \(context.stringLimit) bytes",
                referenceText: "Memory limits exceeded"
            )
        }
        return .string(writer.buffer.string())
    }

    private static func member(
        _ input: Value,
        _ arguments: Arguments,
        _ context: inout FilterContext
    ) throws(LiquidError) -> Value {
        switch input {
        case .object(let object): object[try context.text(of: arguments[0])] ?? .null
        case .drop(let drop): drop.property(try context.text(of: arguments[0])) ?? .null
        default: .null
        }
    }
}
