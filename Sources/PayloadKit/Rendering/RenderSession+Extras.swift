// SPDX-License-Identifier: MIT

import SourceText

/// The key-value pairs, and what the extension makes of them.
extension RenderSession {
    mutating func writeExtras() throws(Interruption) {
        for index in sentExtras.indices { sentExtras[index] = false }
        var keys: Set<[UInt8]> = []
        for extra in renderer.message.extras {
            let renderedKey = extra.name == nil ? try key(of: extra) : nil
            // Only keys that are rendered can be wrong here, or come twice.
            if renderer.message.hasRenderedKeys,
                let problem = problem(withKey: renderedKey ?? extra.key.text, among: &keys)
            {
                fault(problem, CampaignRule.reservedKey, extra.key.field, extra.key.source.place)
                continue
            }
            try engine.render(extra.value)
            if let renderedKey {
                try write(extra, key: renderedKey)
            } else if let name = extra.name {
                writer.beginField(json: extra.key.json)
                try writeValue(of: extra, name: name)
                if let index = extra.requirement { meet(index, extra, extra.key.text, name) }
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
        if let index = renderer.message.requirements[Array(key.utf8)] { meet(index, extra, key, name) }
    }

    private mutating func key(of extra: CompiledMessage.Extra) throws(Interruption) -> String {
        try engine.render(extra.key)
        return engine.text
    }

    private mutating func writeValue(of extra: CompiledMessage.Extra, name: String) throws(Interruption) {
        guard extra.isJSON else {
            engine.writeString(to: &writer)
            return writer.endField(name, isBlank: engine.isBlank)
        }
        do throws(JSONError) {
            try engine.minifyJSON(with: &minifier)
            minifier.buffer.withUnsafeBytes { writer.buffer.append($0) }
        } catch {
            guard renderer.options.missingPolicy == .failing, !engine.missing.isEmpty else {
                throw .failed(
                    RenderError(
                        "what follows '$json:' is no JSON: \(error.message)",
                        field: name,
                        at: extra.value.source.place
                    )
                )
            }
            writer.buffer.append("null")
        }
        writer.endField(name)
    }

    /// What keeps a key from being used.
    private func problem(withKey key: String, among keys: inout Set<[UInt8]>) -> String? {
        if key.isEmpty { return "the key renders to nothing" }
        if let message = StaticChecks.reservedKeyMessage(key) { return message }
        return keys.insert(Array(key.utf8)).inserted ? nil : "two pairs have the key '\(key)'"
    }

    // MARK: - What the extension wants

    /// Checks a pair that was rendered last against what the extension wants of it.
    private mutating func meet(_ index: Int, _ extra: CompiledMessage.Extra, _ key: String, _ name: String) {
        sentExtras[index] = true
        let contract = renderer.message.contracts[index]
        let wrong = engine.withBytes { contract.fault($0, isJSON: extra.isJSON, key: key) }
        if let wrong { contractFault(wrong, name, extra.value.source.place, requirements[index]) }
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
        let related = requirement.map { [Diagnostic.Related("required here", at: $0.place)] } ?? []
        fault(message, CampaignRule.extrasContract, field, place, related: related)
    }
}
