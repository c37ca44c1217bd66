// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import Foundation
import LiquidDocumentValues
import LiquidTemplates
import PayloadKit
import Testing

/// The JSON Schema of campaign files says what the reader does.
@Suite struct SchemaTests {
    private let schema: JSONSchema

    init() throws {
        let file = try #require(Project.file("templates/campaign.schema.json"))
        schema = try JSONSchema(Value(json: String(decoding: file.bytes, as: UTF8.self)))
    }

    @Test(arguments: try Project.campaigns())
    func `every example campaign follows it`(path: String) throws {
        let file = try #require(Project.file(path))
        let root = try #require(try DocumentNode.read(file, rule: .jsonSyntax))
        #expect(schema.faults(root.value) == [])
    }

    @Test(arguments: [
        "push: {titel: a}", "push: {title: a, badge: -1}", "push: {title: a, badge: '3'}", "push: {extras: {a: b}}",
        "push: {title: a, extras: {aps: b}}", "push: {title: [a]}", "push: {rest: a.json, title: b}", "version: 2",
        "push: {title: a, priority: 7}", "push: {title: a}\nrequires: {extras: {a: {type: int}}}",
        "push: {title: a, buttons: [{action: URI}]}", "push: {title: a, image: {url: x}}",
        "push: {title: a}\ntests: [{expect: {snapshot: soon}}]",
    ])
    func `what the reader refuses it refuses too`(text: String) throws {
        let file = SourceFile(path: "a.yml", text: text)
        let root = try #require(try DocumentNode.yaml(file, rule: .jsonSyntax))
        #expect(schema.faults(root.value) != [])
        let (campaign, diagnostics) = Campaign.read(file, folder: MemoryFolder())
        let findings = diagnostics + (campaign?.findings ?? [])
        #expect(!findings.isEmpty, "\(text)")
    }
}

/// The JSON Schema of scenarios says what `payloadgen simulate` reads.
@Suite struct ScenarioSchemaTests {
    private let schema: JSONSchema

    init() throws {
        let file = try #require(Project.file("templates/scenario.schema.json"))
        schema = try JSONSchema(Value(json: String(decoding: file.bytes, as: UTF8.self)))
    }

    @Test(arguments: [
        "examples/scenarios/triggers.yml", "examples/scenarios/stack.yml", "examples/scenarios/discarded.yml",
        "examples/scenarios/journey.yml",
    ])
    func `every example scenario follows it`(path: String) throws {
        let file = try #require(Project.file(path))
        let root = try #require(try DocumentNode.yaml(file, rule: .jsonSyntax))
        #expect(schema.faults(root.value) == [])
    }

    @Test func `it refuses what the reader refuses`() throws {
        let file = try #require(Project.file("Tests/PayloadgenCommandsTests/Fixtures/broken.scenario.yml"))
        let root = try #require(try DocumentNode.yaml(file, rule: .jsonSyntax))
        #expect(schema.faults(root.value).count > 5)
    }
}

/// As much of JSON Schema as the schemas of the project use.
struct JSONSchema {
    private let root: LiquidObject

    init(_ value: Value) throws {
        guard case .object(let root) = value else { throw InputError(.invalid, []) }
        self.root = root
    }

    func faults(_ value: Value) -> [String] { faults(value, root, "") }

    private func faults(_ value: Value, _ schema: LiquidObject, _ path: String) -> [String] {
        var faults: [String] = []
        func fault(_ text: String) { faults.append("\(path): \(text)") }
        if case .string(let reference)? = schema["$ref"] {
            let name = reference.split(separator: "/").last.map(String.init) ?? ""
            faults += self.faults(value, Self.object(Self.object(root["$defs"])[name]), path)
        }
        if let types = schema["type"], !Self.list(types).contains(where: { Self.isOfType(value, $0.text) }) {
            fault("is no \(types.text)")
        }
        if let constant = schema["const"], !value.equals(constant) { fault("is not \(constant.text)") }
        if let choices = schema["enum"], !Self.list(choices).contains(where: { $0.equals(value) }) {
            fault("is none of \(choices.text)")
        }
        if case .float(let number)? = Self.number(value) {
            if let low = schema["minimum"], case .float(let bound)? = Self.number(low), number < bound {
                fault("is low")
            }
            if let high = schema["maximum"], case .float(let bound)? = Self.number(high), number > bound {
                fault("is high")
            }
        }
        // The one pattern of the schema asks for Liquid.
        if schema["pattern"] != nil, case .string(let text) = value, !text.contains("{{"), !text.contains("{%") {
            fault("holds no Liquid")
        }
        if case .array(let elements) = value, case .object(let items)? = schema["items"] {
            for (index, element) in elements.enumerated() { faults += self.faults(element, items, "\(path)[\(index)]") }
        }
        if case .object(let object) = value { faults += memberFaults(object, schema, path) }
        if let options = schema["oneOf"] {
            let count = Self.list(options).filter { self.faults(value, Self.object($0), path).isEmpty }.count
            if count != 1 { fault("follows \(count) of the alternatives") }
        }
        if let options = schema["anyOf"] {
            if Self.list(options).allSatisfy({ !self.faults(value, Self.object($0), path).isEmpty }) {
                fault("follows no alternative")
            }
        }
        return faults
    }

    private func memberFaults(_ object: LiquidObject, _ schema: LiquidObject, _ path: String) -> [String] {
        var faults: [String] = []
        let properties = Self.object(schema["properties"])
        for key in Self.list(schema["required"] ?? .null) where object[key.text] == nil {
            faults.append("\(path): has no \(key.text)")
        }
        for (key, value) in zip(object.keys, object.values) {
            let refused = Self.object(Self.object(schema["propertyNames"])["not"])["enum"] ?? .null
            if Self.list(refused).contains(where: { $0.text == key }) { faults.append("\(path): has \(key)") }
            if let property = properties[key] {
                faults += self.faults(value, Self.object(property), path + "." + key)
            } else if case .bool(false)? = schema["additionalProperties"] {
                faults.append("\(path): has \(key)")
            } else if case .object(let additional)? = schema["additionalProperties"] {
                faults += self.faults(value, additional, path + "." + key)
            }
        }
        return faults
    }

    private static func isOfType(_ value: Value, _ type: String) -> Bool {
        switch (value, type) {
        case (.string, "string"), (.bool, "boolean"), (.integer, "integer"), (.integer, "number"), (.float, "number"),
            (.object, "object"), (.array, "array"), (.null, "null"):
            true
        default: false
        }
    }

    private static func number(_ value: Value) -> Value? {
        switch value {
        case .integer(let integer): .float(Double(integer))
        case .float: value
        default: nil
        }
    }

    private static func object(_ value: Value?) -> LiquidObject {
        if case .object(let object)? = value { object } else { .empty }
    }

    private static func list(_ value: Value) -> [Value] {
        switch value {
        case .array(let elements): elements
        case .null: []
        default: [value]
        }
    }
}

/// The files of the package that tests look at.
enum Project {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardizedFileURL

    static func path(_ path: String) -> String { root.appending(path: path).path }

    static func file(_ path: String) -> SourceFile? {
        guard let data = FileManager.default.contents(atPath: self.path(path)) else { return nil }
        return SourceFile(path: path, bytes: Array(data))
    }

    /// The example campaigns, relative to the package.
    static func campaigns() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path("templates")).filter { $0.hasSuffix(".campaign.yml") }
            .map { "templates/" + $0 }.sorted()
    }
}
