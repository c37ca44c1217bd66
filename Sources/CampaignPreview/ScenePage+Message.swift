// SPDX-License-Identifier: MIT

import PayloadKit

/// The tab of the page for the message: its texts as templates, their output, and the findings about them.
extension ScenePage {
    var message: PageModel {
        guard view.editor != .file, let push = scene.draft.campaign?.push else { return ["file": file] }
        let texts = FieldAddition.texts.compactMap { push.text($0) }
        let warning = note(.warning, "The campaign has no alert: nothing shows.")
        let extras = scene.selected.payload?.fields.filter { $0.name.hasPrefix("extras.") }
        return [
            "warning": texts.isEmpty ? warning : nil,
            "texts": texts.map { value($0, Self.names[$0.field] ?? $0.field) },
            "additions": additions(to: push),
            "reader": scene.readerName,
            "pairs": push.extras.isEmpty ? nil : push.extras.map(pair),
            "pairs_copy": isStatic || push.extras.isEmpty ? nil : copyablePairs(push),
            "pairs_cost": extras.map { $0.reduce(0) { $0 + $1.cost } },
            "delivery": delivery(of: push),
            "others": otherFindings,
        ]
    }

    private static let names = ["title": "Title", "subtitle": "Subtitle", "body": "Body"]

    // MARK: - Texts

    /// The values that show a text: its template, its output and its findings.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - name: the name that is shown.
    ///   - label: the control's name for screen readers; nil if the control is labelled otherwise.
    /// - Returns: the values.
    private func value(_ text: TemplateText, _ name: String, label: String? = nil) -> PageModel {
        var model = result(text)
        model["name"] = name
        model["label"] = label
        model["cost"] = scene.selected.payload?[text.field]?.cost
        model["findings"] = findings(in: text).map { finding($0) }
        // On a static page, the template is shown once and not for each person, unless the text has no output to show.
        if !isStatic || isEmpty(model) {
            let code = CodeRows(
                text, findings: scene.draft.findings(in: text), trail: scene.marks(of: text),
                outputs: scene.outputs(of: text))
            model["rows"] = code.rows
            model["can_edit"] = canEdit && text.file === scene.draft.campaign?.file && text.text.isKeptByForms
            model["row_count"] = text.text.split(separator: "\n").count
            model["text"] = ExactText(text.text)
            model["copy"] = isStatic || text.field.hasPrefix("extras.") ? nil : copyableText(of: text)
        }
        return model
    }

    /// Whether there is nothing to show for a text: no output, and no tag that ended the message.
    private func isEmpty(_ model: PageModel) -> Bool {
        [model["result"], model["abort"]].allSatisfy { if case .null = $0.pageValue { true } else { false } }
    }

    /// The values that show the output of a text for the selected person.
    func result(_ text: TemplateText) -> PageModel {
        let selected = scene.selected
        var model: PageModel = [
            "field": ExactText(text.field), "language": selected.person.language, "abort": nil as PageModel?,
            "result": nil as PageModel?,
        ]
        if case .aborted(let reason) = selected.status {
            guard scene.endsMessage(text) else { return model }
            var note = note(.warning, "The message is aborted here for ")
            note["person"] = selected.person.name
            note["reason"] = reason
            model["abort"] = note
        } else if let payload = selected.payload, let field = payload[text.field] {
            let output = payload.text(of: field) ?? payload.shownValue(of: field)
            model["result"] = field.isBlank ? [] : parts(of: output, text)
        } else if let output = selected.record?.texts.first(where: { $0.field == text.field })?.output
            ?? (text.holdsLiquid ? nil : text.text)
        {
            // The payload has no field with this name (as for the address of an image), or an error elsewhere prevented
            // the payload.
            model["result"] = output.isEmpty ? [] : parts(of: output, text)
        }
        return model
    }

    /// The parts of a rendered text; a part that is not literally in the template is marked.
    private func parts(of output: String, _ text: TemplateText) -> [PageModel] {
        let bytes = Array(output.utf8)
        guard let record = scene.selected.record?.texts.first(where: { $0.field == text.field }),
            record.output.utf8.elementsEqual(bytes)
        else { return [["text": ExactText(output), "is_printed": false]] }
        return record.spans.map { span in
            let part = String(decoding: bytes[span.output], as: UTF8.self)
            let isOwn = span.place?.file.path == text.file.path
            let at = isOwn ? span.place.map { Int($0.range.start) } : nil
            return ["text": ExactText(part), "is_printed": span.isPrinted(by: text), "at": at]
        }
    }

    // MARK: - Texts to copy into Braze's dashboard

    /// The names of a campaign's fields in Braze's dashboard; all other fields are in its settings.
    ///
    /// Source: Braze, "Creating a push message", "Push action buttons", and "Advanced settings" of iOS.
    private static let dashboard = [
        "title": "Title", "subtitle": "Subtitle", "body": "Message", "image.url": "Rich notification media",
        "uri": "On-click behavior", "category": "iOS notification category",
    ]

    /// The values for a text that users copy into Braze's dashboard: its Liquid as written, with references to content
    /// blocks.
    private func copyableText(of text: TemplateText) -> PageModel {
        let place = Self.dashboard[text.field] ?? "Settings"
        return ["name": Self.names[text.field] ?? text.field, "text": ExactText(text.text), "place": "to " + place]
    }

    /// The values for the key-value pairs as a table, which users copy into Braze's dashboard.
    private func copyablePairs(_ push: PushMessage) -> PageModel {
        func cell(_ text: String) -> String {
            guard text.contains(where: { "\t\n\r\"".contains($0) }) else { return text }
            let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
            return "\"" + parts.joined(separator: "\"\"") + "\""
        }
        let rows = push.extras.map { cell($0.key.text) + "\t" + cell($0.value.written) + "\n" }
        return ["name": "Key-value pairs", "text": ExactText(rows.joined()), "place": "to Settings, key-value pairs"]
    }

    /// The values for all texts and key-value pairs that users copy into Braze's dashboard.
    var braze: [PageModel] {
        guard let push = scene.draft.campaign?.push else { return [] }
        let texts = FieldAddition.texts.compactMap { push.text($0) }
        let delivery = push.fields.map(\.field.name).filter { !FieldAddition.texts.contains($0) }
            .compactMap { push.text($0) }
        let all = texts + delivery + [push.image?.url].compactMap(\.self)
        return all.map(copyableText) + (push.extras.isEmpty ? [] : [copyablePairs(push)])
    }

    // MARK: - Findings

    /// The findings about a text: those in the file, and those in the selected person's message.
    private func findings(in text: TemplateText) -> [Diagnostic] {
        let fileFindings = scene.draft.findings(in: text).filter { $0.severity > .info }
        let messageFindings = scene.selected.findings.filter { finding in
            finding.severity > .info && finding.isIn(text.file, text.range)
                && !fileFindings.contains { $0.rule == finding.rule && $0.place?.range == finding.place?.range }
        }
        return fileFindings + messageFindings
    }

    private func finding(_ finding: Diagnostic, withPlace: Bool = false) -> PageModel {
        var note = note(finding.severity, finding.message.capitalizedFirst)
        note["rule"] = finding.rule.name
        note["place"] = withPlace ? finding.place.map(line) : nil
        if canEdit, let fix = finding.fixes.first, finding.place?.file.path == scene.draft.path {
            note["fix"] = ["key": finding.key, "message": fix.message] as PageModel
        }
        return note
    }

    /// The values for the findings that are not about a text of the push.
    private var otherFindings: [PageModel] {
        let texts = scene.draft.campaign?.push.texts ?? []
        let shown = texts.filter { $0.file === scene.draft.campaign?.file }
        let rest = scene.draft.findings.filter { finding in
            finding.severity > .info && !shown.contains { finding.isIn($0.file, $0.range) }
        }
        return rest.map { finding($0, withPlace: true) }
    }

    // MARK: - Key-value pairs

    private func pair(_ extra: PushMessage.Extra) -> PageModel {
        let key = extra.key.text
        let required = scene.draft.campaign?.requirements?.extras.first { $0.key.utf8.elementsEqual(key.utf8) }
        let payload = scene.selected.payload
        let field = payload?["extras." + key]
        var model: PageModel
        switch extra.value {
        case .text(let text), .json(let text):
            model = value(text, key, label: key)
            model["is_json"] = extra.value.isJSON
        case .composed(_, let place):
            let sent = field.flatMap { field in payload.map { ExactText($0.shownValue(of: field)) } }
            model = ["name": key, "written": ExactText(place.file.text(in: place.range)), "value": sent]
        }
        model["field"] = ExactText("extras." + key)
        model["cost"] = field?.cost
        model["type"] = required.map { $0.type.rawValue + ($0.isRequired ? ", required" : "") }
        return model
    }

    /// The values for the menu of fields and key-value pairs that can be added; nil if none can be.
    private func additions(to push: PushMessage) -> PageModel? {
        // A message from a REST body has other keys, perhaps in another file, so nothing can be added to it.
        guard canEdit, push.request == nil else { return nil }
        let known = Set(push.extras.map(\.key.text))
        let keys = scene.draft.campaign?.requirements?.extras.map(\.key).filter { !known.contains($0) } ?? []
        return ["texts": FieldAddition.texts.filter { push[$0] == nil }, "keys": keys]
    }

    // MARK: - Delivery

    private func delivery(of push: PushMessage) -> PageModel? {
        let fields = push.fields.filter { !["title", "subtitle", "body"].contains($0.field.name) }
        guard !fields.isEmpty || push.image != nil || !push.buttons.isEmpty else { return nil }
        let texts = fields.compactMap { push.text($0.field.name) } + [push.image?.url].compactMap(\.self)
        let others = fields.filter { push.text($0.field.name) == nil }.map { field, value in
            option(field.name, value.place.map { $0.file.text(in: $0.range) } ?? "", value.place)
        }
        let buttons = push.buttons.map { button in
            let action = button.action.map { " · " + $0.value.rawValue } ?? ""
            return option("button", button.actionID.value + action, button.place)
        }
        return ["fields": texts.map { value($0, $0.field, label: $0.field) }, "options": others + buttons]
    }

    /// The values for a setting that users can only change in the file.
    private func option(_ name: String, _ value: String, _ place: SourcePlace?) -> PageModel {
        let found = scene.draft.findings.filter { finding in
            finding.severity > .info && (place.map { finding.isIn($0.file, $0.range) } ?? false)
        }
        let style = found.isEmpty ? nil : found.contains { $0.severity == .error } ? "bad err" : "bad"
        return [
            "name": name, "value": ExactText(value.unquoted), "style": style,
            "place": isStatic ? nil : place.map(line),
        ]
    }

    /// The values for a place: in the campaign a link to its line in the file, elsewhere only text.
    private func line(of place: SourcePlace) -> PageModel {
        guard !isStatic, place.file.path == scene.draft.path else { return ["text": place.shown] }
        let link = view.link { view in
            view.tab = .message
            view.editor = .file
        }
        return ["line": place.start.line, "link": link]
    }

    // MARK: - The file

    /// The values for the tab with the file and its findings.
    var file: PageModel {
        [
            "path": scene.draft.path,
            "bytes": grouped(scene.draft.file.bytes.count),
            "rows": CodeRows(scene.draft, trail: isStatic ? [:] : scene.marks()).rows,
            "row_count": scene.draft.file.lineCount,
            "text": ExactText(scene.draft.text),
            "findings": scene.draft.findings.filter { $0.severity > .info }.map { finding($0, withPlace: true) },
        ]
    }
}

extension Diagnostic {
    /// Whether the place of the finding is in a range of a file.
    fileprivate func isIn(_ file: SourceFile, _ range: SourceRange) -> Bool {
        guard let place, place.file === file else { return false }
        return place.range.start >= range.start && place.range.end <= range.end
    }
}

extension Payload {
    /// The value of a field of the payload, as JSON.
    func shownValue(of field: Field) -> String { String(decoding: bytes[field.range.offsets], as: UTF8.self) }
}

extension String {
    /// The text with its first letter in upper case.
    ///
    /// A key at the start, such as `extras.level`, stays as it is written.
    var capitalizedFirst: String {
        prefix { $0 != " " }.contains { "._".contains($0) } ? self : prefix(1).uppercased() + dropFirst()
    }

    /// The text without the quotes around it.
    fileprivate var unquoted: String {
        guard utf8.count >= 2, let first, first == last, first == "\"" || first == "'" else { return self }
        return String(dropFirst().dropLast())
    }
}

extension RecordedMessage.Span {
    /// Whether a tag or an output printed the bytes, so that they are not in the template itself.
    fileprivate func isPrinted(by text: TemplateText) -> Bool {
        guard let place, place.file.path == text.file.path else { return true }
        let start = place.file.bytes[place.range.offsets].prefix(2)
        return start.elementsEqual("{{".utf8) || start.elementsEqual("{%".utf8)
    }
}

extension PushMessage.Extra.Value {
    /// The value as it is written, with its Liquid.
    fileprivate var written: String {
        switch self {
        case .text(let text), .json(let text): text.text
        case .composed(let pieces, _):
            pieces.map { piece in
                switch piece {
                case .json(let json): json
                case .text(let text): "\"" + text.text + "\""
                }
            }
            .joined()
        }
    }
}
