// SPDX-License-Identifier: MIT

import LiquidTemplates

/// Prints a value of JSON.
func describe(_ value: Value) -> String {
    switch value {
    case .string(let text): "text '\(text)'"
    case .integer(let number): "integer \(number)"
    case .array(let elements): "\(elements.count) elements"
    case .object(let object): "keys \(Array(object.keys))"
    default: "another value"
    }
}

// Parse and render.
let text = "Hi {{ user.name | upcase }}:\n{% assign n = 2 %}{{ total | plus: n }}"
let file = SourceFile(path: "greeting.liquid", text: text)
let template = try Template(file.bytes, name: file.path)
let data = try Value(json: #"{"user": {"name": "Ana"}, "total": 5}"#)
var object = LiquidObject.empty
if case .object(let read) = data { object = read }
var renderer = Renderer(RenderInput(data: object))
switch try renderer.render(template) {
case .completed: print(renderer.output.string(), "-", renderer.output.count, "bytes")
case .stopped(let reason): print("stopped:", reason)
}
print(describe(data), describe(object["total"] ?? .null))

// Analysis, with places.
let analysis = template.analysis()
for read in analysis.reads {
    let place = SourcePlace(file, read.range)
    print("reads \(read.path) at \(place.start.line):\(place.start.column), from data: \(read.mayReadData)")
}
for filter in analysis.filters {
    print("calls \(filter.name) in bytes \(filter.range.offsets), known: \(filter.isKnown)")
}
for binding in analysis.bindings { print("sets \(binding.name), read: \(binding.isRead)") }

// Errors: kind, place, our words and those of the reference.
do throws(LiquidError) {
    _ = try Template("Hi\n{% if %}", name: "broken")
} catch {
    let place = error.range.map { SourceFile(path: "broken", text: "Hi\n{% if %}").position(of: Int($0.start)) }
    print(error.code.rawValue, place?.line ?? 0, place?.column ?? 0, error.message)
    print(error.referenceText)
}
do throws(JSONError) {
    _ = try Value(json: "[1,")
} catch {
    print(error.message, "at byte", error.offset)
}
