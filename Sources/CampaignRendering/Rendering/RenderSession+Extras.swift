// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import JSONTexts

/// Renders the key-value pairs, and checks them against the requirements of the extension.
extension RenderSession {
    mutating func writeExtras() throws(Interruption) {
        for index in sentExtras.indices { sentExtras[index] = false }
        var keys: Set<[UInt8]> = []
        for index in 0..<layout.extras.count {
            let extra = layout.extras[index]
            guard let name = extra.name else {
                try writeRenderingKey(extra.counted, among: &keys)
                continue
            }
            // Keys without Liquid were checked before. With rendered keys, a key may be invalid or the same as another
            // one.
            if layout.hasRenderedKeys, reportProblem(withKey: extra.counted.key.text, of: extra.counted, among: &keys) {
                continue
            }
            if let text = extra.text { try engine.render(text) }
            extra.with { writer.beginField($0.writtenKey) }
            try writeValue(of: extra, name: name)
            if let (index, contract) = extra.requirement {
                check(index, contract, extra, name) { extra.counted.key.text }
            } else if extra.isRead {
                checkReads(of: extra.counted)
            }
        }
        for index in sentExtras.indices where !sentExtras[index] && renderer.message.contracts[index].isRequired {
            reportMissing(index)
        }
    }

    /// Writes a pair whose key is rendered too.
    private mutating func writeRenderingKey(
        _ extra: CompiledMessage.Extra,
        among keys: inout Set<[UInt8]>
    ) throws(Interruption) {
        try engine.render(Uncounted(extra.key))
        let key = engine.output(of: Uncounted(extra.key))
        if reportProblem(withKey: key, of: extra, among: &keys) { return }
        let extra = Uncounted(extra)
        if let text = extra.text { try engine.render(text) }
        let name = writer.keep(FieldName(Payload.Field.extrasPrefix + key))
        writer.beginField(key)
        try writeValue(of: extra, name: name)
        if let index = renderer.message.requirements[Array(key.utf8)] {
            check(index, renderer.message.contracts[index], extra, name) { key }
        }
    }

    /// Writes the value of a pair and ends the field; a value with a single text was rendered before.
    private mutating func writeValue(
        of extra: Uncounted<CompiledMessage.Extra>,
        name: Uncounted<FieldName>
    ) throws(Interruption) {
        if let text = extra.text {
            if extra.isJSON {
                try writeJSON(of: text, name: name)
                let isBlank = engine.withBytes(of: text) { isBlankJSON($0) }
                writer.endField(name, isBlank: isBlank, pair: extra.index)
            } else {
                engine.writeString(of: text, to: &writer)
                writer.endField(name, isBlank: engine.isBlank(text), pair: extra.index)
            }
        } else {
            _ = try write(extra.counted.pieces)
            writer.endField(name, pair: extra.index)
        }
    }

    /// Writes the output of a text with `$json:`, which has to be JSON.
    private mutating func writeJSON(
        of text: Uncounted<CompiledText>,
        name: Uncounted<FieldName>
    ) throws(Interruption) {
        do throws(JSONError) {
            try engine.minifyJSON(of: text, with: &minifier)
            minifier.withUnsafeBytes { writer.buffer.append($0) }
        } catch {
            guard missesValues else {
                throw .failed(
                    RenderError(
                        "the value after '$json:' is not JSON: \(error.message)",
                        field: name.counted.text,
                        at: text.counted.source.place
                    )
                )
            }
            writer.buffer.append("null")
        }
    }

    /// Reports a key that cannot be used, and returns whether it did.
    private mutating func reportProblem(
        withKey key: String,
        of extra: CompiledMessage.Extra,
        among keys: inout Set<[UInt8]>
    ) -> Bool {
        guard let problem = Self.problem(withKey: key, among: &keys) else { return false }
        report(.reservedKey, problem, field: extra.key.field, at: extra.key.source.place)
        return true
    }

    /// The reason a key cannot be used; nil if it can.
    private static func problem(withKey key: String, among keys: inout Set<[UInt8]>) -> String? {
        if key.isEmpty { return "the key renders to an empty text" }
        if let message = StaticChecks.reservedKeyMessage(key) { return message }
        return keys.insert(Array(key.utf8)).inserted ? nil : "two key-value pairs have the key '\(key)'"
    }

    // MARK: - Requirements of the extension

    /// Checks the pair that was rendered last against the requirement.
    @inline(__always)
    private mutating func check(
        _ index: Int,
        _ contract: ExtrasContract,
        _ extra: Uncounted<CompiledMessage.Extra>,
        _ name: Uncounted<FieldName>,
        key: () -> String
    ) {
        sentExtras[index] = true
        let isJSON = extra.isJSON
        let wrong =
            if let text = extra.text {
                engine.withBytes(of: text) { contract.fault($0, isJSON: isJSON, key: key()) }
            } else {
                // For JSON that is composed of pieces, only the form is checked.
                contract.fault(UnsafeBufferPointer(start: nil, count: 0), isJSON: isJSON, key: key())
            }
        if let wrong { contractFault(wrong, name.counted.text, place(of: extra.counted), requirements[index]) }
    }

    /// Compares the value that was rendered last with the casts and conversions in the app's code.
    private mutating func checkReads(of extra: CompiledMessage.Extra) {
        guard let text = extra.text else { return }
        if !extra.isJSON {
            let holds = engine.withBytes(of: text) { bytes in extra.reads.allSatisfy { $0.holds(bytes) } }
            if holds { return }
        }
        let value =
            extra.isJSON
            ? engine.withBytes(of: text) { SentValue(startOf: $0) } : SentValue.text(engine.output(of: text))
        let key = extra.key.text
        var failures = extra.reads.lazy.compactMap { $0.failure(for: value) }.makeIterator()
        guard var worst = failures.next() else { return }
        while !worst.isCertainCrash, let next = failures.next() { if next.isCertainCrash { worst = next } }
        report(
            .extrasCast,
            worst.message(key, value, isJSON: extra.isJSON),
            field: Payload.Field.extrasPrefix + key,
            at: place(of: extra),
            severity: worst.isCertainCrash ? .error : nil,
            related: worst.notes
        )
    }

    private func place(of extra: CompiledMessage.Extra) -> SourcePlace { push.extras[extra.index].value.place }

    private mutating func reportMissing(_ index: Int) {
        let requirement = requirements[index]
        contractFault(
            ExtrasContract.missing(requirement, near: renderer.campaign.misspelling(of: requirement.key)),
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

extension SentValue {
    /// Creates the kind of a JSON value from its first byte.
    fileprivate init(startOf json: UnsafeBufferPointer<UInt8>) {
        switch json.first(where: { $0 > 0x20 }) {
        case UInt8(ascii: "\"")?: self = .text(nil)
        case UInt8(ascii: "{")?: self = .other(.dictionary)
        case UInt8(ascii: "[")?: self = .other(.array)
        case UInt8(ascii: "t")?, UInt8(ascii: "f")?: self = .other(.boolean)
        case let byte? where byte.isDigit || byte == UInt8(ascii: "-"): self = .other(.number)
        default: self = .unknown
        }
    }
}

extension Uncounted<CompiledMessage.Extra> {
    @inline(__always)
    fileprivate var index: Int { with { $0.index } }

    @inline(__always)
    fileprivate var name: Uncounted<FieldName>? { with { $0.name.map { Uncounted<FieldName>($0) } } }

    @inline(__always)
    fileprivate var text: Uncounted<CompiledText>? { with { $0.text } }

    @inline(__always)
    fileprivate var isJSON: Bool { with { $0.isJSON } }

    /// Whether the app's code reads the pair, and may fail to cast or convert its value.
    @inline(__always)
    fileprivate var isRead: Bool { with { !$0.reads.isEmpty } }

    @inline(__always)
    fileprivate var requirement: (index: Int, contract: ExtrasContract)? { with { $0.requirement } }
}
