// SPDX-License-Identifier: MIT

import AppBundles
import Liquid
import SourceText

/// Reads the `push` of a campaign file.
struct PushReader {
    var document: DocumentReader
    var push: PushMessage

    /// The keys of the parts that are not fields of the table.
    static let parts = ["image", "buttons", "extras", "rest"]

    init(document: DocumentReader, table: PushTable) {
        self.document = document
        push = PushMessage(table: table)
    }

    mutating func read(_ node: DocumentNode) {
        let keys = push.table.fields.map(\.name) + Self.parts
        let members = document.members(of: node, name: "push", owner: "'push'", keys: keys)
        guard node.members != nil else { return }
        for member in members {
            switch member.name {
            case "image": readImage(member.value)
            case "buttons": readButtons(member.value)
            case "extras": readExtras(member.value)
            default: if let field = push.table[member.name] { read(field, member.value, label: member.name) }
            }
        }
        checkOptions(members)
        if !["title", "subtitle", "body"].contains(where: { node[$0] != nil }) {
            checkThatItSaysSomething(at: node.range)
        }
    }

    // MARK: - Fields

    /// Reads the value of a field.
    ///
    /// - Parameters:
    ///   - field: the field.
    ///   - node: the value.
    ///   - label: the key in the file, for messages.
    ///   - isREST: whether the value is one of Braze's API, which takes more than APNs.
    mutating func read(_ field: PushField, _ node: DocumentNode, label: String, isREST: Bool = false) {
        if let value = value(of: field, node, name: field.name, label: label, isREST: isREST) {
            push[field.name] = value
        }
    }

    private mutating func value(
        of field: PushField,
        _ node: DocumentNode,
        name: String,
        label: String,
        isREST: Bool
    ) -> PushValue? {
        switch field.kind {
        case .text: return template(node, name, label: label).map { .text($0) }
        case .texts:
            let elements = document.elements(of: node, name: label).enumerated()
            let texts = elements.compactMap { index, element in
                template(element, "\(name)[\(index)]", label: "\(label)[\(index)]")
            }
            return node.elements == nil ? nil : .texts(texts, at: document.place(node.range))
        case .textOrMembers(let fields):
            guard node.members != nil, !isREST else { return template(node, name, label: label).map { .text($0) } }
            return members(fields, node, name: name)
        case .word:
            guard let text = template(node, name, label: label) else { return nil }
            if text.holdsLiquid {
                document.reportType(node, label, expected: "a text without Liquid")
                return nil
            }
            return .word(placed(text.text, node))
        case .flag, .imageFlag, .option: return document.bool(node, label).map { .flag(placed($0, node)) }
        case .count: return count(node, field, name: name, label: label)
        case .level(let known, let range, let expected):
            return level(node, label, known, isREST ? range : nil, expected)
        case .number: return document.number(node, label).map { .number(placed($0, node)) }
        case .choice(let words): return document.choice(node, label, among: words).map { .word(placed($0, node)) }
        case .time: return document.time(node, label).map { .time(placed($0, node)) }
        }
    }

    private mutating func members(_ fields: [PushField], _ node: DocumentNode, name: String) -> PushValue? {
        let members = document.members(of: node, name: name, owner: "'\(name)'", keys: fields.map(\.name))
        if let first = fields.first, node[first.name] == nil {
            document.report(DocumentMessages.missingKey(first.name, of: "'\(name)'"), at: node.range)
        }
        let values = fields.map { field in
            members.last { $0.name.utf8.elementsEqual(field.name.utf8) }.flatMap { member in
                let path = name + "." + field.name
                return value(of: field, member.value, name: path, label: path, isREST: false)
            }
        }
        return .members(values, at: document.place(node.range))
    }

    /// A number, or Liquid that prints one.
    private mutating func count(_ node: DocumentNode, _ field: PushField, name: String, label: String) -> PushValue? {
        let expected = "a whole number from 0 on"
        guard let scalar = node.scalar, !scalar.isNullMark else {
            document.reportType(node, label, expected: expected)
            return nil
        }
        if case .integer(let number) = scalar.value, number >= 0 { return .integer(placed(number, node)) }
        if case .string = scalar.value, let text = template(node, name, label: label), text.holdsLiquid {
            return .text(text)
        }
        document.report(
            DocumentMessages.wrongType(label, found: DocumentMessages.describe(node), expected: expected),
            at: node.range,
            rule: field.rule
        )
        return nil
    }

    /// One of a few numbers; of the range that Braze's API takes the others get a warning.
    private mutating func level(
        _ node: DocumentNode,
        _ label: String,
        _ known: [Int],
        _ range: ClosedRange<Int>?,
        _ expected: String
    ) -> PushValue? {
        guard let level = document.integer(node, label) else { return nil }
        if known.contains(level) { return .integer(placed(level, node)) }
        guard let range, range.contains(level) else {
            document.reportType(node, label, expected: expected)
            return nil
        }
        document.report(
            "'\(label)': Braze takes \(level), and APNs knows only \(expected)",
            at: node.range,
            severity: .warning
        )
        return .integer(placed(level, node))
    }

    func placed<Value: Sendable>(_ value: Value, _ node: DocumentNode) -> Placed<Value> {
        Placed(value, at: document.place(node.range))
    }

    mutating func template(_ node: DocumentNode, _ field: String, label: String? = nil) -> TemplateText? {
        document.text(node, label ?? field).map { scalar in
            TemplateText(field: field, text: scalar.text, file: document.file, range: node.range, map: scalar.map)
        }
    }

    /// An option without the field that it belongs to does nothing.
    private mutating func checkOptions(_ members: [DocumentMember]) {
        for member in members {
            guard case .option(let owner, _)? = push.table[member.name]?.kind,
                !members.contains(where: { $0.name.utf8.elementsEqual(owner.utf8) })
            else { continue }
            document.report("'push.\(member.name)' without 'push.\(owner)'", at: member.keyRange)
        }
    }

    mutating func checkThatItSaysSomething(at range: SourceRange) {
        guard !push.hasAlert, push.contentAvailable?.value != true else { return }
        let start = SourceRange(start: range.start, end: range.start)
        document.report("a push needs a title or a body, or 'content_available: true'", at: start)
    }

    // MARK: - Parts that the REST body has too

    mutating func readExtras(_ node: DocumentNode) {
        for member in document.members(of: node, name: "extras") {
            let field = Payload.Field.extrasPrefix + member.name
            guard let value = extraValue(member.value, field) else { continue }
            let key = TemplateText(
                field: field + " (key)",
                text: member.name,
                file: document.file,
                range: member.keyRange,
                map: member.key.map
            )
            push.extras.append(PushMessage.Extra(key: key, value: value))
        }
    }

    private mutating func extraValue(_ node: DocumentNode, _ field: String) -> PushMessage.Extra.Value? {
        guard node.scalar != nil else {
            return .composed(
                ComposedExtra.pieces(of: node, field: field, in: document.file),
                at: document.place(node.range)
            )
        }
        guard let scalar = document.text(node, field) else { return nil }
        let mark = "$json:"
        let isJSON = scalar.text.utf8.starts(with: mark.utf8)
        let text = TemplateText(
            field: field,
            text: scalar.text,
            file: document.file,
            range: node.range,
            map: scalar.map,
            skipping: isJSON ? mark.utf8.count : 0
        )
        return isJSON ? .json(text) : .text(text)
    }

    mutating func readButtons(_ node: DocumentNode) {
        for (index, element) in document.elements(of: node, name: "buttons").enumerated() {
            let name = "buttons[\(index)]"
            let keys = ["action_id", "action", "uri", "use_webview"]
            let members = document.members(of: element, name: name, owner: "'\(name)'", keys: keys)
            guard let id = element["action_id"] else {
                if element.members != nil {
                    document.report(DocumentMessages.missingKey("action_id", of: "'\(name)'"), at: element.range)
                }
                continue
            }
            guard let actionID = document.text(id, name + ".action_id") else { continue }
            var button = PushMessage.Button(
                actionID: placed(actionID.text, id),
                place: document.place(element.range)
            )
            for member in members {
                let field = name + "." + member.name
                switch member.name {
                case "action":
                    button.action = document.choice(member.value, field, rule: CampaignRule.buttonAction)
                        .map { placed($0, member.value) }
                case "uri": button.uri = template(member.value, field)
                case "use_webview": button.useWebView = document.bool(member.value, field) ?? true
                default: break
                }
            }
            push.buttons.append(button)
        }
    }

    // MARK: - Parts of the campaign file alone

    private mutating func readImage(_ node: DocumentNode) {
        let members = document.members(of: node, name: "image", owner: "'image'", keys: ["url", "type"])
        guard node.members != nil else { return }
        var url: TemplateText?
        var type: Placed<PushMessage.FileType>?
        for member in members {
            switch member.name {
            case "url": url = template(member.value, "image.url")
            case "type": type = document.choice(member.value, "image.type").map { placed($0, member.value) }
            default: break
            }
        }
        for key in ["url", "type"] where node[key] == nil {
            document.report(DocumentMessages.missingKey(key, of: "'image'"), at: node.range)
        }
        if let url, let type { push.image = PushMessage.Image(url: url, type: type) }
    }
}
