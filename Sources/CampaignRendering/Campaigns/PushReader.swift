// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import DocumentFormats
import LiquidDocumentValues
import LiquidTemplates

/// Reads the `push` of a campaign file, or the parts of a REST body, after the file was checked against its format.
struct PushReader {
    var document: DocumentReader
    var push: PushMessage

    init(document: DocumentReader, table: PushTable) {
        self.document = document
        push = PushMessage(table: table)
    }

    /// Reads the `push` of a campaign file.
    mutating func read(_ node: DocumentNode) {
        for member in node.members ?? [] {
            switch member.name {
            case "image": readImage(member.value)
            case "buttons": readButtons(member.value)
            case "extras":
                push.extrasPlace = document.place(member.keyRange)
                readExtras(member.value)
            default: if let field = push.table[member.name] { read(field, member.value) }
            }
        }
        checkOptions(node)
        checkOwners()
        reportMissingContent(node)
    }

    // MARK: - Fields

    /// Reads the value of a field.
    ///
    /// - Parameters:
    ///   - field: the field.
    ///   - node: the value.
    ///   - label: the key in the file, for messages; nil if it is the field's name.
    mutating func read(_ field: PushField, _ node: DocumentNode, label: String? = nil) {
        push[field.name] = value(of: field, node, name: field.name, label: label ?? field.name)
    }

    private mutating func value(
        of field: PushField,
        _ node: DocumentNode,
        name: String,
        label: String
    ) -> PushValue? {
        switch (field.kind, node.content) {
        case (.list, .sequence(let elements)):
            let texts = elements.enumerated().compactMap { template($1, "\(name)[\($0)]") }
            return .texts(texts, at: document.place(node.range))
        case (_, .mapping) where !field.members.isEmpty:
            let values = field.members.map { member in
                let path = name + "." + member.name
                return node[member.name].flatMap { value(of: member, $0, name: path, label: path) }
            }
            return .members(values, at: document.place(node.range))
        case (_, .scalar(let scalar)): return value(of: field, scalar, node, name: name, label: label)
        default: return nil
        }
    }

    private mutating func value(
        of field: PushField,
        _ scalar: DocumentScalar,
        _ node: DocumentNode,
        name: String,
        label: String
    ) -> PushValue? {
        switch (field.kind, scalar.value) {
        case (.template, _), (.either, _), (.count, .string): return template(node, name).map { .text($0) }
        case (.text, _):
            guard let text = template(node, name), text.holdsLiquid else { return .word(placed(scalar.text, node)) }
            document.reportType(node, label, expected: "a text without Liquid")
            return nil
        case (.boolean, .bool(let flag)), (.booleanOrBit, .bool(let flag)): return .flag(placed(flag, node))
        case (.booleanOrBit, .integer(let bit)): return .flag(placed(bit == 1, node))
        case (.level(let levels, let expected), .integer(let level)):
            if !levels.contains(level) {
                let message = "'\(label)': Braze accepts \(level), but APNs only \(expected)"
                document.report(message, at: node.range, severity: .warning)
            }
            return .integer(placed(level, node))
        case (.count, .integer(let number)): return .integer(placed(number, node))
        case (.number, _), (.count, .float): return node.number.map { .number(placed($0, node)) }
        case (.choice, _): return .word(placed(scalar.text, node))
        case (.time, _): return node.time.map { .time(placed($0, node)) }
        default: return nil
        }
    }

    func placed<Value: Sendable>(_ value: Value, _ node: DocumentNode) -> Placed<Value> {
        Placed(value, at: document.place(node.range))
    }

    func template(_ node: DocumentNode, _ field: String) -> TemplateText? {
        node.scalar.map { scalar in
            TemplateText(field: field, text: scalar.text, file: document.file, range: node.range, map: scalar.map)
        }
    }

    /// Reports options whose field is missing, such as `use_webview` without `uri`.
    private mutating func checkOptions(_ node: DocumentNode) {
        for member in node.members ?? [] {
            guard case .option(let owner, _)? = push.table[member.name]?.sending, node[owner] == nil else { continue }
            document.report("'push.\(member.name)' without 'push.\(owner)'", at: member.keyRange)
        }
    }

    /// Reports fields that have no effect because a field that they depend on is missing.
    mutating func checkOwners() {
        for (field, value) in push.fields {
            guard let owner = field.owner, push[owner] == nil, let place = value.place else { continue }
            document.report(
                "'\(field.name)' has no effect without '\(owner)'", at: place.range, severity: .warning)
        }
    }

    /// Reports a push that has no alert and does not wake the app either.
    mutating func reportMissingContent(_ node: DocumentNode) {
        // If an invalid field was left out, it may be the title or body.
        guard node.isWhole, !push.hasAlert, push.contentAvailable?.value != true else { return }
        let start = SourceRange(start: node.range.start, end: node.range.start)
        document.report("a push needs an alert with a title or a body, or 'content_available: true'", at: start)
    }

    // MARK: - Parts that a REST body also has

    mutating func readExtras(_ node: DocumentNode) {
        for member in node.members ?? [] {
            let field = Payload.Field.extrasPrefix + member.name
            let key = TemplateText(
                field: field + " (key)",
                text: member.name,
                file: document.file,
                range: member.keyRange,
                map: member.key.map
            )
            push.extras.append(PushMessage.Extra(key: key, value: extraValue(member.value, field)))
        }
    }

    private mutating func extraValue(_ node: DocumentNode, _ field: String) -> PushMessage.Extra.Value {
        guard let scalar = node.scalar else {
            // A device discards a payload with a number that is too large.
            document.reportHugeNumbers(in: node)
            let pieces = ComposedExtra.pieces(of: node, field: field, in: document.file)
            return .composed(pieces, at: document.place(node.range))
        }
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
        for (index, element) in (node.elements ?? []).enumerated() {
            guard let id = element["action_id"], let actionID = id.scalar?.text else { continue }
            push.buttons.append(
                PushMessage.Button(
                    actionID: placed(actionID, id),
                    action: element["action"].flatMap { node in
                        element.choice("action").map { placed($0, node) }
                    },
                    uri: element["uri"].flatMap { template($0, "buttons[\(index)].uri") },
                    useWebView: element.bool("use_webview") ?? true,
                    isWhole: element.isWhole,
                    place: document.place(element.range)
                )
            )
        }
    }

    // MARK: - Parts that only the campaign file has

    private mutating func readImage(_ node: DocumentNode) {
        guard let url = node["url"], let type = node["type"] else { return }
        push.image = image(url, type)
    }

    func image(_ url: DocumentNode, _ type: DocumentNode) -> PushMessage.Image? {
        guard let text = template(url, "image.url"),
            let fileType = type.scalar.flatMap({ PushMessage.FileType(rawValue: $0.text) })
        else { return nil }
        return PushMessage.Image(url: text, type: placed(fileType, type))
    }
}
