// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import DocumentFormats
import PayloadKit
import PayloadLinting

extension FeatureRequest {
    /// The description of the word at an offset, which the editor shows while the pointer is over it.
    func hover(at offset: Int) -> ProtocolValue {
        let word = word(at: offset)
        let known = liquid(word, offset) ?? rule(text(word)) ?? pair(offset) ?? key(word)
        guard let lines = known ?? finding(at: offset).flatMap({ rule($0.rule.name) }) else { return .null }
        let value = client.readsMarkdown ? lines.joined(separator: "\n\n") : lines.joined(separator: "\n").withoutMarks
        return [
            "contents": ["kind": client.readsMarkdown ? "markdown" : "plaintext", "value": .string(value)],
            "range": text.file.range(of: SourceRange(word.lowerBound, word.upperBound), client.encoding),
        ]
    }

    /// The range of the letters, digits, `_` and `-` around an offset.
    private func word(at offset: Int) -> Range<Int> {
        func isPart(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), 0x80...:
                true
            default: false
            }
        }
        let bytes = text.file.bytes
        var (start, end) = (offset, offset)
        while start > 0, isPart(bytes[start - 1]) { start -= 1 }
        while end < bytes.count, isPart(bytes[end]) { end += 1 }
        return start..<end
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: text.file.bytes[range], as: UTF8.self) }

    // MARK: - Liquid

    /// The description of a filter, a tag or an attribute, as Markdown lines; nil if the word is none of these.
    private func liquid(_ word: Range<Int>, _ offset: Int) -> [String]? {
        let bytes = text.file.bytes
        let before = text(max(0, word.upperBound - 4_096)..<word.upperBound)
        guard let found = LiquidCompletion(after: before) else { return nil }
        let environment = BrazeEnvironment.standard
        switch found.kind {
        case .filter:
            guard let filter = environment.filters.first(where: { $0.name == found.word }) else { return nil }
            let arity = filter.arity
            let arguments =
                arity.upperBound == 0
                ? "takes no arguments"
                : arity.lowerBound == arity.upperBound
                    ? "takes \(counted(arity.lowerBound, "argument"))"
                    : arity.upperBound > 99
                        ? "takes at least \(counted(arity.lowerBound, "argument"))"
                        : "takes \(arity.lowerBound) to \(arity.upperBound) arguments"
            let examples = filter.examples.prefix(2).map { "`\($0.template)` → `\($0.output)`" }
            return ["**\(filter.name)**, a filter: \(filter.summary)", "It \(arguments)."] + examples
        case .tag:
            guard let tag = environment.tags.first(where: { $0.name == found.word }) else { return nil }
            return ["**\(tag.name)**, a tag: \(tag.summary)"]
        case .attribute(let namespace):
            let end = bytes[word.upperBound...].prefix { $0 != UInt8(ascii: "}") && $0 != UInt8(ascii: "\n") }.endIndex
            let name = found.word + text(word.upperBound..<end)
            if namespace == "content_blocks" {
                let block = campaign?.campaign?.blocks.first { $0.name == name }
                return block.map {
                    ["**\(name)**, a content block of \($0.text.text.utf8.count) bytes: `\($0.text.file.path)`"]
                }
            }
            let known = AttributeTable.all.filter { $0.namespace == namespace }
            guard let attribute = known.first(where: { $0.name == name }) ?? known.first(where: { $0.name == nil })
            else { return nil }
            let declared = namespace == "custom_attribute" ? campaign?.campaign?.attributeTypes[name]?.rawValue : nil
            let type = declared ?? attribute.type.rawValue
            let origin = attribute.exportField.map { ["From `\($0)` of a profile."] } ?? []
            let sample = attribute.name == nil ? [] : ["Such as `\(attribute.sample)`."]
            return ["**\(attribute.name ?? name)**, an attribute: \(type)"] + origin + sample
        }
    }

    // MARK: - Rules, keys and categories

    private func finding(at offset: Int) -> Diagnostic? {
        text.path.flatMap { project?.findings[$0] }?.first { $0.place?.range.offsets.contains(offset) ?? false }
    }

    private func rule(_ name: String) -> [String]? {
        guard let rule = Rule.named(name) else { return nil }
        let fix = rule.fix.map { ["Fix: \($0)."] } ?? []
        return ["**\(rule.id.name)** (\(rule.id.severity.rawValue)): \(rule.id.summary)"]
            + [rule.rationale] + fix + ["Source: \(rule.source.text)"]
    }

    /// The description of the category or key-value pair at an offset: the apps and extensions that claim or read it;
    /// nil if there is none.
    private func pair(_ offset: Int) -> [String]? {
        guard let mention = mention(at: offset) else { return nil }
        switch mention.name {
        case .key(let key):
            let cost = cost("extras." + key)
            let known = readers(category).filter { $0.key == key }.map { reader in
                let line = reader.places.first.map { " (`\($0.file.path):\($0.start.line)`)" } ?? ""
                return "- \(reader.detail)\(line)"
            }
            let lines = known.isEmpty ? ["No known code or declaration reads it."] : ["Read by:"] + known
            return ["**\(key)**, a key-value pair\(cost)"] + lines
        case .category(let name):
            let claims = mentions.filter { $0.name == mention.name && $0.isDefinition }.map { claim in
                "- `\(claim.place.file.path):\(claim.place.start.line)`"
            }
            return ["**\(name)**, a category"]
                + (claims.isEmpty ? ["No extension claims it."] : ["Claimed in:"] + claims)
        case .block, .file, .app: return nil
        }
    }

    /// The description of a key of the file's format, as Markdown lines; nil if the word is not such a key.
    private func key(_ word: Range<Int>) -> [String]? {
        guard let format else { return nil }
        let outline = LineOutline(text.file.bytes, before: word.upperBound)
        let path = formatPrefix + outline.path + [text(word)]
        guard outline.isKey, let key = format.key(at: path) else { return nil }
        let words = key.kind.suggestedWords
        var lines = ["**\(key.name)**" + (key.summary.isEmpty ? "" : ": \(key.summary)")]
        if !words.isEmpty { lines.append("One of " + words.prefix(12).map { "`\($0)`" }.joined(separator: ", ") + ".") }
        if path.count == 2, path[0] == "push", let field = PushTable.standard[key.name] {
            if let sent = field.payloadPath {
                lines.append("Sent as `\(sent.joined(separator: "."))`\(cost(key.name)).")
            } else if case .header(let header) = field.place {
                lines.append("Sent as the header `\(header)`.")
            }
        }
        return lines
    }

    /// The least number of bytes that a field takes in any payload of the campaign, in words.
    private func cost(_ field: String) -> String {
        guard let campaign = campaign?.campaign,
            let renderer = try? campaign.renderer(options: RenderOptions(now: Time(seconds: 0))),
            let least = renderer.leastPayload(), let fieldCost = least.fields.first(where: { $0.name == field })
        else { return "" }
        return ", at least \(fieldCost.cost) of at least \(least.size.bytes) bytes"
    }
}

extension String {
    /// The text without Markdown's marks for bold and code.
    fileprivate var withoutMarks: String { String(filter { $0 != "*" && $0 != "`" }) }
}
