// SPDX-License-Identifier: MIT

import SourceText

/// The key-value pairs, and what the extension makes of them.
extension RenderSession {
    mutating func writeExtras() throws(Interruption) {
        let requirements = renderer.campaign.requirements?.extras ?? []
        var isSent = Array(repeating: false, count: requirements.count)
        var keys: Set<[UInt8]> = []
        for extra in renderer.message.extras {
            let key = try key(of: extra)
            // Only keys that are rendered can be wrong here, or come twice.
            if renderer.message.hasRenderedKeys, let problem = problem(withKey: key, among: &keys) {
                fault(problem, CampaignRule.reservedKey, extra.key.source.field, extra.key.source.place)
                continue
            }
            let name = extra.name ?? Payload.Field.extrasPrefix + key
            try engine.render(extra.value)
            try write(extra, key: key, name: name)
            let index = extra.name == nil ? renderer.message.requirements[Array(key.utf8)] : extra.requirement
            guard let index else { continue }
            isSent[index] = true
            let wrong = engine.withBytes { ExtrasContract.fault($0, isJSON: extra.isJSON, requirements[index]) }
            if let wrong { contractFault(wrong, name, extra.value.source.place, requirements[index]) }
        }
        for (requirement, isSent) in zip(requirements, isSent) where requirement.isRequired && !isSent {
            contractFault(
                ExtrasContract.missing(requirement),
                Payload.Field.extrasPrefix + requirement.key,
                renderer.campaign.place(ofMissing: requirement),
                requirement.place.file === renderer.campaign.file ? nil : requirement
            )
        }
    }

    private mutating func key(of extra: CompiledMessage.Extra) throws(Interruption) -> String {
        if extra.name != nil { return extra.key.source.text }
        try engine.render(extra.key)
        return engine.text
    }

    private mutating func write(
        _ extra: CompiledMessage.Extra,
        key: String,
        name: String
    ) throws(Interruption) {
        writer.beginField(key)
        guard extra.isJSON else {
            engine.writeString(to: &writer)
            return writer.endField(name, isBlank: engine.isBlank)
        }
        let minified = engine.withBytes { bytes in minifiedJSON(bytes) }
        switch minified {
        case .success(let json): writer.buffer.append(json)
        case .failure where renderer.options.missingPolicy == .failing && !engine.missing.isEmpty:
            writer.buffer.append("null")
        case .failure(let error):
            throw .failed(
                RenderError(
                    "what follows '$json:' is no JSON: \(error.message)",
                    field: name,
                    at: extra.value.source.place
                )
            )
        }
        writer.endField(name)
    }

    /// What keeps a key from being used.
    private func problem(withKey key: String, among keys: inout Set<[UInt8]>) -> String? {
        if key.isEmpty { return "the key renders to nothing" }
        if let message = StaticChecks.reservedKeyMessage(key) { return message }
        return keys.insert(Array(key.utf8)).inserted ? nil : "two pairs have the key '\(key)'"
    }

    private mutating func contractFault(
        _ message: String,
        _ field: String,
        _ place: SourcePlace,
        _ requirement: RequiredExtra?
    ) {
        let related = requirement.map { [Diagnostic.Related("required here", at: $0.place)] } ?? []
        fault(message, CampaignRule.extrasContract, field, place, related: related)
    }
}
