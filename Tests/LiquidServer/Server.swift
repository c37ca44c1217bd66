// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts
import LiquidTemplates

/// The liquid-spec protocol: JSON-RPC 2.0, one message on each line.
struct Server {
    private var templates: [String: (template: Template, partials: SpecPartials)] = [:]
    private var nextID = 1
    private(set) var hasQuit = false

    /// The response to one message; nil for a message that gets none.
    mutating func answer(_ line: String) -> String? {
        let request: LiquidObject
        do throws(JSONError) {
            guard case .object(let object) = try Value(json: line) else {
                return failure(.null, code: -32600, "the request is not an object")
            }
            request = object
        } catch {
            return failure(.null, code: -32700, error.message)
        }
        let id = request["id"] ?? .null
        let parameters = request["params"]?.object ?? .empty
        switch request["method"]?.string {
        case "initialize":
            return success(id) { writer in
                writer.member("version", "1.0")
                writer.member("implementation", "payloadgen")
                writer.key("features")
                writer.beginArray()
                for feature in ["core", "lax_parsing", "inline_errors", "shopify_resource_limits"] {
                    writer.string(feature)
                }
                writer.endArray()
            }
        case "compile": return compile(id, parameters)
        case "render": return render(id, parameters)
        case "quit":
            hasQuit = true
            if case .null = id { return nil }
            return success(id) { _ in }
        case let method: return failure(id, code: -32601, "unknown method '\(method ?? "")'")
        }
    }

    private mutating func compile(_ id: Value, _ parameters: LiquidObject) -> String {
        let options = parameters["options"]?.object ?? .empty
        let mode = options["error_mode"]?.string.flatMap(ErrorMode.init) ?? .lax
        do throws(LiquidError) {
            let template = try Template(parameters["template"]?.string ?? "", mode: mode)
            let key = "t\(nextID)"
            nextID += 1
            templates[key] = (template, SpecPartials(parameters["filesystem"]?.object ?? .empty))
            return success(id) { $0.member("template_id", key) }
        } catch {
            return success(id) { writer in
                writer.key("template_id")
                writer.null()
                writer.key("error")
                writer.beginObject()
                writer.member("type", "parse_error")
                writer.member("message", error.inlineText)
                if let line = error.line { writer.member("line", line) }
                writer.endObject()
            }
        }
    }

    private func render(_ id: Value, _ parameters: LiquidObject) -> String {
        let options = parameters["options"]?.object ?? .empty
        guard let known = parameters["template_id"]?.string.flatMap({ templates[$0] }) else {
            return failure(id, code: -32602, "there is no template with that id")
        }
        let isStrict = options["strict_errors"]?.isTrue ?? options["render_errors"].map { !$0.isTrue } ?? false
        var input = RenderInput(
            data: parameters["environment"]?.object ?? .empty,
            isDataShared: true,
            clock: clock(options),
            timeZones: NoTimeZones(),
            timeZone: "UTC",
            partials: known.partials,
            errorPolicy: isStrict ? .throwing : .inline
        )
        if let limits = options["resource_limits"]?.object { input.limits.set(limits) }
        var renderer = Renderer(input)
        do throws(LiquidError) {
            _ = try renderer.render(known.template)
        } catch {
            return failure(id, code: -32001, error.inlineText, type: "render_error", line: error.line)
        }
        let text = renderer.output.string()
        let errors = renderer.errors
        return success(id) { writer in
            writer.member("output", text)
            writer.key("errors")
            writer.beginArray()
            for error in errors {
                writer.beginObject()
                writer.member("type", error.code == .syntax ? "parse_error" : "render_error")
                writer.member("message", error.inlineText)
                if let line = error.line { writer.member("line", line) }
                writer.endObject()
            }
            writer.endArray()
        }
    }

    private func clock(_ options: LiquidObject) -> Time {
        switch options["registers"]?.object?["current_time"] {
        case .string(let text)?: Time(iso8601: text) ?? .current
        case .integer(let seconds)?: Time(seconds: seconds)
        case .float(let seconds)?: Time(seconds: Int(seconds.rounded(.down)))
        default: .current
        }
    }

    // MARK: - messages

    private func success(_ id: Value, _ result: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("jsonrpc", "2.0")
        writer.key("id")
        id.write(json: &writer)
        writer.key("result")
        writer.beginObject()
        result(&writer)
        writer.endObject()
        writer.endObject()
        return writer.buffer.string()
    }

    private func failure(_ id: Value, code: Int, _ message: String, type: String? = nil, line: Int? = nil) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("jsonrpc", "2.0")
        writer.key("id")
        id.write(json: &writer)
        writer.key("error")
        writer.beginObject()
        writer.member("code", code)
        writer.member("message", message)
        if let type {
            writer.key("data")
            writer.beginObject()
            writer.member("type", type)
            writer.member("message", message)
            if let line { writer.member("line", line) }
            writer.endObject()
        }
        writer.endObject()
        writer.endObject()
        return writer.buffer.string()
    }
}

/// The partials of a test case, by name in any case, with or without `.liquid`.
struct SpecPartials: PartialProvider {
    private let sources: [String: String]

    init(_ sources: LiquidObject) {
        self.sources = Dictionary(zip(sources.keys.map(Self.file), sources.values.map(\.text))) { $1 }
    }

    private static func file(_ name: String) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".liquid") ? name : name + ".liquid"
    }

    func source(ofPartial name: String) throws(LiquidError) -> [UInt8] {
        guard let source = sources[Self.file(name)] else {
            throw LiquidError(
                .fileSystem,
                "there is no partial '\(name)'",
                referenceText: "Could not find asset \(name)"
            )
        }
        return Array(source.utf8)
    }
}

extension Limits {
    /// Sets the limits that the reference (Shopify's Ruby Liquid) has.
    fileprivate mutating func set(_ limits: LiquidObject) {
        if case .integer(let limit)? = limits["render_length_limit"] { outputBytes = limit }
        if case .integer(let limit)? = limits["render_score_limit"] { scores.nodes = limit }
        if case .integer(let limit)? = limits["cumulative_render_score_limit"] { scores.totalNodes = limit }
        if case .integer(let limit)? = limits["assign_score_limit"] { scores.assigned = limit }
        if case .integer(let limit)? = limits["cumulative_assign_score_limit"] { scores.totalAssigned = limit }
    }
}

extension Value {
    var object: LiquidObject? {
        if case .object(let object) = self { object } else { nil }
    }

    var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    var array: [Value] {
        if case .array(let elements) = self { elements } else { [] }
    }

    var isTrue: Bool {
        if case .bool(true) = self { true } else { false }
    }
}
