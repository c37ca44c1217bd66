// SPDX-License-Identifier: MIT

import JSON
import SourceText

/// Renders the key-value pairs, and checks them against the requirements of the extension.
extension RenderSession {
    mutating func writeExtras() throws(Interruption) {
        for index in sentExtras.indices { sentExtras[index] = false }
        var keys: Set<[UInt8]> = []
        for extra in renderer.message.extras {
            let renderedKey = extra.name == nil ? try key(of: extra) : nil
            // Keys without Liquid were checked before; only rendered keys can be invalid or occur twice here.
            if renderer.message.hasRenderedKeys,
                let problem = problem(withKey: renderedKey ?? extra.key.text, among: &keys)
            {
                report(.reservedKey, problem, field: extra.key.field, at: extra.key.source.place)
                continue
            }
            if let text = extra.text { try engine.render(text) }
            if let renderedKey {
                try write(extra, key: renderedKey)
            } else if let name = extra.name {
                writer.beginField(json: extra.key.json)
                try writeValue(of: extra, name: name)
                if let index = extra.requirement { check(index, extra, name, key: extra.key.text) }
            }
        }
        for index in sentExtras.indices where !sentExtras[index] && renderer.message.contracts[index].isRequired {
            reportMissing(index)
        }
    }

    /// Writes a pair whose key is rendered too.
    private mutating func write(_ extra: CompiledMessage.Extra, key: String) throws(Interruption) {
        let name = Payload.Field.extrasPrefix + key
        writer.beginField(key)
        try writeValue(of: extra, name: name)
        if let index = renderer.message.requirements[Array(key.utf8)] { check(index, extra, name, key: key) }
    }

    private mutating func key(of extra: CompiledMessage.Extra) throws(Interruption) -> String {
        try engine.render(extra.key)
        return engine.output(of: extra.key)
    }

    private mutating func writeValue(of extra: CompiledMessage.Extra, name: String) throws(Interruption) {
        if let text = extra.text {
            if extra.isJSON {
                try writeJSON(of: text, name: name)
                writer.endField(name)
            } else {
                engine.writeString(of: text, to: &writer)
                writer.endField(name, isBlank: engine.isBlank(text))
            }
        } else if case .composed(let pieces, _) = extra.value {
            for piece in pieces {
                switch piece {
                case .json(let json): json.withUnsafeBufferPointer { writer.buffer.append($0) }
                case .text(let text):
                    try engine.render(text)
                    engine.writeString(of: text, to: &writer)
                }
            }
            writer.endField(name)
        }
    }

    /// Writes the output of a text with `$json:`, which has to be JSON.
    private mutating func writeJSON(of text: CompiledText, name: String) throws(Interruption) {
        do throws(JSONError) {
            try engine.minifyJSON(of: text, with: &minifier)
            minifier.buffer.withUnsafeBytes { writer.buffer.append($0) }
        } catch {
            guard missesValues else {
                throw .failed(
                    RenderError(
                        "the value after '$json:' is not JSON: \(error.message)",
                        field: name,
                        at: text.source.place
                    )
                )
            }
            writer.buffer.append("null")
        }
    }

    /// The reason not to use a key; nil where it can be used.
    private func problem(withKey key: String, among keys: inout Set<[UInt8]>) -> String? {
        if key.isEmpty { return "the key renders to an empty text" }
        if let message = StaticChecks.reservedKeyMessage(key) { return message }
        return keys.insert(Array(key.utf8)).inserted ? nil : "two key-value pairs have the key '\(key)'"
    }

    // MARK: - Requirements of the extension

    /// Checks the pair that was rendered last against the requirement.
    private mutating func check(
        _ index: Int,
        _ extra: CompiledMessage.Extra,
        _ name: String,
        key: @autoclosure () -> String
    ) {
        sentExtras[index] = true
        let contract = renderer.message.contracts[index]
        let isJSON = extra.isJSON
        let wrong =
            if let text = extra.text {
                engine.withBytes(of: text) { contract.fault($0, isJSON: isJSON, key: key()) }
            } else {
                // Of JSON that is composed of pieces, only the form is checked.
                contract.fault(UnsafeBufferPointer(start: nil, count: 0), isJSON: isJSON, key: key())
            }
        if let wrong { contractFault(wrong, name, extra.value.place, requirements[index]) }
    }

    private mutating func reportMissing(_ index: Int) {
        let requirement = requirements[index]
        contractFault(
            ExtrasContract.missing(requirement),
            Payload.Field.extrasPrefix + requirement.key,
            renderer.campaign.place(ofMissing: requirement),
            requirement.place.file === renderer.campaign.file ? nil : requirement
        )
    }

    private var requirements: [RequiredExtra] { renderer.campaign.requirements?.extras ?? [] }

    private mutating func contractFault(
        _ message: String,
        _ field: String,
        _ place: SourcePlace?,
        _ requirement: RequiredExtra?
    ) {
        let related = requirement.map { [$0.related] } ?? []
        report(.extrasContract, message, field: field, at: place, related: related)
    }
}
