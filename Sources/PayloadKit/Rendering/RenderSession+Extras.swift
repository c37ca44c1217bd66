// SPDX-License-Identifier: MIT

import SourceText

/// The key-value pairs, and what the extension makes of them.
extension RenderSession {
    mutating func writeExtras() throws(Interruption) {
        let first = writer.fields.count
        let requirements = renderer.campaign.requirements?.extras ?? []
        var isSent = Array(repeating: false, count: requirements.count)
        for extra in renderer.message.extras {
            let name: String
            if let constant = extra.name {
                name = constant
            } else {
                try engine.render(extra.key)
                let key = engine.text
                name = Payload.Field.extrasPrefix + key
                if let problem = problem(withKey: key, name: name, since: first) {
                    fault(problem, CampaignRule.reservedKey, extra.key.source.field, extra.key.source.place)
                    continue
                }
            }
            try engine.render(extra.value)
            try write(extra, name: name)
            let key = name.utf8.dropFirst(Payload.Field.extrasPrefix.utf8.count)
            guard let index = requirements.firstIndex(where: { $0.key.utf8.elementsEqual(key) }) else { continue }
            isSent[index] = true
            let wrong = engine.withBytes { ExtrasContract.fault($0, isJSON: extra.isJSON, requirements[index]) }
            if let wrong { contractFault(wrong, name, extra.value.source.place, requirements[index]) }
        }
        for (requirement, isSent) in zip(requirements, isSent) where requirement.isRequired && !isSent {
            contractFault(
                ExtrasContract.missing(requirement),
                Payload.Field.extrasPrefix + requirement.key,
                requirement.place,
                nil
            )
        }
    }

    private mutating func write(_ extra: CompiledMessage.Extra, name: String) throws(Interruption) {
        writer.beginField(String(decoding: name.utf8.dropFirst(Payload.Field.extrasPrefix.utf8.count), as: UTF8.self))
        guard extra.isJSON else {
            engine.writeString(to: &writer)
            return writer.endField(name, isBlank: engine.isBlank)
        }
        let minified = engine.withBytes { bytes in minifiedJSON(bytes) }
        switch minified {
        case .success(let json): writer.buffer.append(json)
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

    /// What keeps a rendered key from being used.
    private func problem(withKey key: String, name: String, since first: Int) -> String? {
        if key.isEmpty { return "the key renders to nothing" }
        if let message = StaticChecks.reservedKeyMessage(key) { return message }
        let isTaken = writer.fields[first...].contains { $0.name.utf8.elementsEqual(name.utf8) }
        return isTaken ? "two pairs have the key '\(key)'" : nil
    }

    private mutating func contractFault(
        _ message: String,
        _ field: String,
        _ place: SourcePlace,
        _ requirement: Requirements.Extra?
    ) {
        let related = requirement.map { [Diagnostic.Related("required here", at: $0.place)] } ?? []
        fault(message, CampaignRule.extrasContract, field, place, related: related)
    }
}
