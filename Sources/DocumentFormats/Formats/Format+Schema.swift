// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts

extension Format.Kind {
    /// The JSON Schema of a document of this kind: indented JSON with a line break at the end.
    ///
    /// - Parameters:
    ///   - title: the title of the schema.
    ///   - summary: a description of the document, in one sentence.
    /// - Returns: the schema, in the dialect of 2020-12.
    package func schema(title: String, summary: String) -> String {
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.member("$schema", "https://json-schema.org/draft/2020-12/schema")
        json.member("title", title)
        json.member("description", summary)
        writeMembers(to: &json)
        json.endObject()
        json.buffer.append("\n")
        return json.buffer.string()
    }
}

extension Format {
    /// The JSON Schema of a document of this format.
    package func schema(title: String) -> String { Kind.object(self).schema(title: title, summary: summary) }

    /// Writes the members of this object's schema.
    fileprivate func write(to json: inout JSONWriter) {
        if traits.contains(.mayBeEmpty) {
            json.member("type", ["object", "null"])
        } else {
            json.member("type", "object")
        }
        json.object("properties") { json in
            for key in keys {
                json.key(key.name)
                key.kind.write(to: &json, summary: key.summary)
            }
        }
        let required = keys.filter(\.isRequired).map(\.name)
        if !required.isEmpty { json.member("required", required) }
        switch needs {
        case .nothing: break
        case .anyOf(let keys): write(needed: keys, as: "anyOf", to: &json)
        case .exactlyOneOf(let keys): write(needed: keys, as: "oneOf", to: &json)
        }
        if traits.contains(.hasOneKey) {
            json.member("minProperties", 1)
            json.member("maxProperties", 1)
        }
        if !traits.contains(.isOpen) { json.member("additionalProperties", false) }
    }

    private func write(needed keys: [String], as word: String, to json: inout JSONWriter) {
        json.objects(word, keys) { $0.member("required", [$1]) }
    }
}

extension Format.Kind {
    /// Writes the schema of a value.
    fileprivate func write(to json: inout JSONWriter, summary: String = "") {
        json.beginObject()
        if case .object(let format) = self, summary.isEmpty, !format.summary.isEmpty {
            json.member("description", format.summary)
        } else if !summary.isEmpty {
            json.member("description", summary)
        }
        writeMembers(to: &json)
        json.endObject()
    }

    fileprivate func writeMembers(to json: inout JSONWriter) {
        switch self {
        case .text, .path, .template: json.member("type", ["string", "number", "boolean"])
        case .textOrNull: json.member("type", ["string", "number", "boolean", "null"])
        case .boolean: json.member("type", "boolean")
        case .booleanOrBit:
            json.key("enum")
            json.beginArray()
            json.bool(true)
            json.bool(false)
            json.integer(1)
            json.integer(0)
            json.endArray()
        case .yes: json.member("const", true)
        case .booleanOrNull: json.member("type", ["boolean", "null"])
        case .integer(let range):
            json.member("type", "integer")
            if let range { json.member("minimum", range.lowerBound) }
            if let range, range.upperBound != .max { json.member("maximum", range.upperBound) }
        case .number(let range):
            json.member("type", "number")
            if let range {
                json.key("minimum")
                json.double(range.lowerBound)
                json.key("maximum")
                json.double(range.upperBound)
            }
        case .count:
            json.array("oneOf", [Format.Kind.integer(0 ... .max), nil]) { json, kind in
                if let kind { kind.write(to: &json) } else { Self.writeLiquid(to: &json) }
            }
        case .level(let levels, _): json.array("enum", levels) { $0.integer($1) }
        case .choice(let words):
            // Editors that follow YAML 1.1 read the word `off` as false, so the schema accepts this too.
            json.array("enum", words.map(Optional.some) + (words.contains("off") ? [nil] : [])) { json, word in
                if let word { json.string(word) } else { json.bool(false) }
            }
        case .time: json.member("type", "string")
        case .secondsOrTime: json.member("type", ["number", "string"])
        case .choiceOrNumber(let words, _):
            json.array("anyOf", [Format.Kind.choice(words), .number(nil)]) { $1.write(to: &$0) }
        case .version(let version, let oldest):
            if let oldest { json.member("minimum", oldest) }
            json.member(oldest == nil ? "const" : "maximum", version)
        case .any: break
        case .collection: json.member("type", ["object", "array"])
        case .list(let element):
            json.member("type", "array")
            json.key("items")
            element.write(to: &json)
        case .mapping(let value, let refused):
            json.member("type", "object")
            if !refused.isEmpty { writeRefused(refused, to: &json) }
            json.key("additionalProperties")
            value.write(to: &json)
        case .object(let format): format.write(to: &json)
        case .oneOf(let formats): json.array("oneOf", formats) { Format.Kind.object($1).write(to: &$0) }
        case .either(let kinds): json.array("anyOf", kinds) { $1.write(to: &$0) }
        }
    }

    /// Writes the schema of a text that holds Liquid.
    private static func writeLiquid(to json: inout JSONWriter) {
        json.beginObject()
        json.member("type", "string")
        json.member("pattern", "\\{[{%]")
        json.endObject()
    }

    private func writeRefused(_ keys: [String], to json: inout JSONWriter) {
        json.object("propertyNames") { $0.object("not") { $0.member("enum", keys) } }
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ key: String, _ texts: [String]) { array(key, texts) { $0.string($1) } }
}
