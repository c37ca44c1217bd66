// SPDX-License-Identifier: MIT

import FindingReports
import PayloadKit

/// The tab of the message: its texts as templates, what they become, and what is wrong with them.
extension PageWriter {
    func writeMessage(to html: inout HTMLWriter) {
        if view.editor == .file || scene.draft.campaign == nil { return writeFile(to: &html) }
        guard let push = scene.draft.campaign?.push else { return }
        let texts = FieldAddition.texts.compactMap { push.text($0) }
        if texts.isEmpty { note(.warning, to: &html) { $0.text("The campaign has no alert: nothing shows.") } }
        for text in texts { writeField(text, to: &html) }
        writeAdditions(push, to: &html)
        writePairs(push, to: &html)
        writeDelivery(push, to: &html)
        writeOtherFindings(to: &html)
    }

    // MARK: - Texts

    private static let names = ["title": "Title", "subtitle": "Subtitle", "body": "Body"]

    private func writeField(_ text: TemplateText, to html: inout HTMLWriter) {
        let name = Self.names[text.field] ?? text.field
        let control = "field-" + text.field
        html.element("section", with: [("class", "field"), ("id", self.id("section-" + text.field))]) { html in
            html.element("div", ("class", "fh")) { html in
                html.element("h3") { html in
                    if canEdit { html.element("label", ("for", control), text: name) } else { html.text(name) }
                }
                if let field = scene.selected.payload?[text.field] {
                    html.element("span", ("class", "meta num"), text: "\(field.cost) bytes")
                }
            }
            writeEditor(text, id: control, label: nil, to: &html)
            writeResult(text, to: &html)
            writeFindings(in: text, to: &html)
        }
    }

    /// Writes a template: coloured, and with a control over it where it can be edited.
    private func writeEditor(_ text: TemplateText, id: String, label: String?, to html: inout HTMLWriter) {
        // A page of its own shows the templates once, and not for each person.
        if isStatic { return }
        let isOwn = canEdit && text.file === scene.draft.campaign?.file && text.text.isKeptByForms
        html.block("div", ("class", isOwn ? "code edit" : "code")) { html in
            let findings = scene.draft.findings(in: text)
            CodeWriter(text, findings: findings, trail: scene.marks(of: text), outputs: scene.outputs(of: text))
                .write(to: &html)
            guard isOwn else { return }
            html.element(
                "textarea",
                with: [
                    ("id", id), ("name", "field:" + text.field), ("form", "draft"), ("spellcheck", "false"),
                    ("autocapitalize", "off"), ("rows", "\(text.text.split(separator: "\n").count)"),
                    ("aria-label", label), ("aria-describedby", hasFindings(text) ? "about-" + text.field : nil),
                    ("dir", "auto"),
                ]
            ) { html in
                html.markup("\n")
                html.exact(text.text)
            }
        }
    }

    private func hasFindings(_ text: TemplateText) -> Bool { !findings(in: text).isEmpty }

    /// Writes what a text becomes for the selected person.
    func writeResult(_ text: TemplateText, to html: inout HTMLWriter) {
        let selected = scene.selected
        guard let payload = selected.payload else {
            if case .aborted(let reason) = selected.status, scene.endsMessage(text) {
                note(.warning, to: &html) { html in
                    html.text("The message is aborted here for ")
                    html.foreign(selected.person.name)
                    html.text(": ")
                    html.exact(reason)
                }
            }
            return
        }
        guard let field = payload[text.field] else { return }
        html.element("p", with: [("class", "res"), ("id", id("result-" + text.field))]) { html in
            html.element("span", ("aria-hidden", "true"), text: "→")
            html.element(
                "span", with: [("dir", "auto"), ("lang", selected.person.language), ("class", "out")]
            ) { html in
                if field.isBlank {
                    html.element("span", ("class", "soft"), text: "blank")
                } else {
                    writeOutput(payload.text(of: field) ?? payload.shownValue(of: field), of: text, to: &html)
                }
            }
        }
    }

    /// Writes a rendered text, and marks what is not written in its template.
    private func writeOutput(_ output: String, of text: TemplateText, to html: inout HTMLWriter) {
        let bytes = Array(output.utf8)
        guard let record = scene.selected.record?.texts.first(where: { $0.field == text.field }),
            record.output.utf8.elementsEqual(bytes)
        else { return html.exact(output) }
        for span in record.spans {
            let part = String(decoding: bytes[span.output], as: UTF8.self)
            if span.isPrinted(by: text) {
                let isOwn = span.place?.file.path == text.file.path
                let place = isOwn ? span.place.map { "\($0.range.start)" } : nil
                html.element("mark", with: [("data-at", place)]) { $0.exact(part) }
            } else {
                html.exact(part)
            }
        }
    }

    // MARK: - Findings

    /// The findings about a text: those in the file, and those about the selected person's message.
    private func findings(in text: TemplateText) -> [Diagnostic] {
        let fileFindings = scene.draft.findings(in: text).filter { $0.severity > .info }
        let messageFindings = scene.selected.findings.filter { finding in
            guard finding.severity > .info, let place = finding.place, place.file === text.file else { return false }
            guard place.range.start >= text.range.start, place.range.end <= text.range.end else { return false }
            return !fileFindings.contains { $0.rule == finding.rule && $0.place?.range == place.range }
        }
        return fileFindings + messageFindings
    }

    private func writeFindings(in text: TemplateText, to html: inout HTMLWriter) {
        let found = findings(in: text)
        guard !found.isEmpty else { return }
        html.element("div", with: [("id", id("about-" + text.field))]) { html in
            for finding in found { writeFinding(finding, to: &html) }
        }
    }

    private func writeFinding(_ finding: Diagnostic, withPlace: Bool = false, to html: inout HTMLWriter) {
        note(finding.severity, to: &html) { html in
            guard canEdit, !finding.fixes.isEmpty, finding.place?.file.path == scene.draft.path else { return }
            html.element(
                "button", ("class", "btn sm"), ("form", "draft"), ("name", "fix"), ("value", finding.key),
                ("title", finding.fixes[0].message)
            ) { html in
                html.text("Fix")
                html.element("span", ("class", "sr"), text: ": \(finding.fixes[0].message)")
            }
        } body: { html in
            html.exact(finding.message.capitalizedFirst)
            html.text(" ")
            html.element("code", ("class", "rule"), text: finding.rule.name)
            if withPlace, let place = finding.place {
                html.text(" ")
                writeLine(of: place, to: &html)
            }
        }
    }

    /// Writes the findings that belong to no text of the push.
    private func writeOtherFindings(to html: inout HTMLWriter) {
        let texts = scene.draft.campaign?.push.texts ?? []
        let shown = texts.filter { $0.file === scene.draft.campaign?.file }
        let rest = scene.draft.findings.filter { finding in
            guard finding.severity > .info else { return false }
            guard let place = finding.place else { return true }
            return !shown.contains { text in
                text.file === place.file && place.range.start >= text.range.start && place.range.end <= text.range.end
            }
        }
        guard !rest.isEmpty else { return }
        html.element("section", with: [("id", id("others"))]) { html in
            html.element("div", ("class", "sect")) { $0.element("h3", text: "Elsewhere in the campaign") }
            for finding in rest { writeFinding(finding, withPlace: true, to: &html) }
        }
    }

    // MARK: - Key-value pairs

    private func writePairs(_ push: PushMessage, to html: inout HTMLWriter) {
        guard !push.extras.isEmpty else { return }
        html.element("div", ("class", "sect")) { html in
            html.element("h3", text: "Key-value pairs")
            if let name = scene.readerName { html.element("span", ("class", "soft"), text: "what \(name) reads") }
            if let payload = scene.selected.payload {
                let bytes = payload.fields.filter { $0.name.hasPrefix("extras.") }.reduce(0) { $0 + $1.cost }
                html.element("span", ("class", "meta num"), text: "\(bytes) bytes")
            }
        }
        html.block("div", ("class", "pairs")) { html in
            for extra in push.extras { writePair(extra, to: &html) }
        }
    }

    private func writePair(_ extra: PushMessage.Extra, to html: inout HTMLWriter) {
        let key = extra.key.text
        let required = scene.draft.campaign?.requirements?.extras.first { $0.key.utf8.elementsEqual(key.utf8) }
        let field = scene.selected.payload?["extras." + key]
        let type = required.map { $0.type.rawValue + ($0.isRequired ? ", required" : "") }
        writeRow("extras." + key, key, type, to: &html) { html in
            switch extra.value {
            case .text(let text), .json(let text):
                if extra.value.isJSON { html.element("span", ("class", "chip"), text: "$json:") }
                writeValue(text, label: key, to: &html)
            case .composed(_, let place):
                html.element("code", ("class", "tpl")) { $0.exact(place.file.text(in: place.range)) }
                if let field, let payload = scene.selected.payload {
                    html.element("p", ("class", "res")) { html in
                        html.element("span", ("aria-hidden", "true"), text: "→")
                        html.element("span", ("class", "out")) { $0.exact(payload.shownValue(of: field)) }
                    }
                }
            }
        }
    }

    /// Writes a name with its type, what it costs, and its value.
    private func writeRow(
        _ field: String,
        _ name: String,
        _ type: String?,
        to html: inout HTMLWriter,
        value: (inout HTMLWriter) -> Void
    ) {
        html.element("div", with: [("class", "pair"), ("id", id("section-" + field))]) { html in
            html.element("div", ("class", "kk")) { html in
                html.element("div", ("class", "key")) { $0.exact(name) }
                if let type { html.element("div", ("class", "ty"), text: type) }
            }
            html.element("div", ("class", "b num")) { html in
                if let cost = scene.selected.payload?[field]?.cost {
                    html.text("\(cost)")
                    html.element("span", ("class", "sr"), text: " bytes")
                }
            }
            html.element("div", ("class", "val"), body: value)
        }
    }

    private func writeValue(_ text: TemplateText, label: String, to html: inout HTMLWriter) {
        writeEditor(text, id: "field-" + text.field, label: label, to: &html)
        writeResult(text, to: &html)
        writeFindings(in: text, to: &html)
    }

    /// Writes the buttons that add what the message does not have.
    private func writeAdditions(_ push: PushMessage, to html: inout HTMLWriter) {
        // The fields of a REST body are in a file of its own, or have places of their own.
        guard canEdit, push.request == nil else { return }
        html.element("div", ("class", "adds"), ("role", "group"), ("aria-label", "Add to the message")) { html in
            for name in FieldAddition.texts where push[name] == nil {
                html.element(
                    "button", ("class", "btn sm"), ("form", "draft"), ("name", "new"), ("value", name),
                    text: "Add a \(name)")
            }
            let known = Set(push.extras.map(\.key.text))
            let missing = scene.draft.campaign?.requirements?.extras.map(\.key).filter { !known.contains($0) } ?? []
            html.void(
                "input",
                with: [
                    ("class", "in mono"), ("id", "new-key"), ("name", "key"), ("form", "draft"),
                    ("aria-label", "Key of a new key-value pair"), ("placeholder", "key"), ("spellcheck", "false"),
                    ("autocapitalize", "off"), ("list", missing.isEmpty ? nil : "keys"),
                ])
            if !missing.isEmpty {
                html.element("datalist", ("id", "keys")) { html in
                    for key in missing { html.void("option", with: [("value", key)]) }
                }
            }
            html.element(
                "button", ("class", "btn sm"), ("form", "draft"), ("name", "new"), ("value", "extras"),
                ("id", "new-pair"), text: "Add a key-value pair")
        }
    }

    // MARK: - Delivery

    private func writeDelivery(_ push: PushMessage, to html: inout HTMLWriter) {
        let fields = push.fields.filter { !["title", "subtitle", "body"].contains($0.field.name) }
        guard !fields.isEmpty || push.image != nil || !push.buttons.isEmpty else { return }
        html.element("div", ("class", "sect")) { $0.element("h3", text: "Delivery") }
        let texts = fields.compactMap { push.text($0.field.name) } + [push.image?.url].compactMap(\.self)
        if !texts.isEmpty {
            html.block("div", ("class", "pairs")) { html in
                for text in texts {
                    writeRow(text.field, text.field, nil, to: &html) { writeValue(text, label: text.field, to: &$0) }
                }
            }
        }
        let others = fields.filter { push.text($0.field.name) == nil }
        guard !others.isEmpty || !push.buttons.isEmpty else { return }
        html.block("dl", ("class", "opts")) { html in
            for (field, value) in others {
                writeOption(field.name, value.place.map { $0.file.text(in: $0.range) } ?? "", value.place, to: &html)
            }
            for button in push.buttons {
                let action = button.action.map { " · " + $0.value.rawValue } ?? ""
                writeOption("button", button.actionID.value + action, button.place, to: &html)
            }
        }
    }

    /// Writes a value that only the file can change.
    private func writeOption(_ name: String, _ value: String, _ place: SourcePlace?, to html: inout HTMLWriter) {
        let found = scene.draft.findings.filter { finding in
            guard let own = finding.place, let place, own.file === place.file else { return false }
            return finding.severity > .info && own.range.start >= place.range.start && own.range.end <= place.range.end
        }
        let style = found.isEmpty ? nil : found.contains { $0.severity == .error } ? "bad err" : "bad"
        html.element("div", with: [("class", style)]) { html in
            html.element("dt", text: name)
            html.element("dd", ("dir", "auto")) { $0.exact(value.unquoted) }
            if !isStatic, let place { html.element("dd") { writeLine(of: place, to: &$0) } }
        }
        html.markup("\n")
    }

    /// Writes a place in the campaign as a link to its line of the file, another place as it is.
    private func writeLine(of place: SourcePlace, to html: inout HTMLWriter) {
        guard !isStatic, place.file.path == scene.draft.path else { return html.element("code", text: place.shown) }
        let link = view.link { view in
            view.tab = .message
            view.editor = .file
        }
        let line = "\(place.start.line)"
        html.element("a", ("class", "at"), ("href", link), ("data-line", line), text: "line \(line)")
    }

    // MARK: - The file

    /// Writes the file with its findings, without a control.
    func writeSource(to html: inout HTMLWriter) { writeFile(to: &html) }

    private func writeFile(to html: inout HTMLWriter) {
        html.element("div", ("class", "fh")) { html in
            html.element("h3") { html in
                if canEdit {
                    html.element("label", ("for", "file")) { $0.foreign(scene.draft.path) }
                } else {
                    html.foreign(scene.draft.path)
                }
            }
            html.element("span", ("class", "meta num"), text: "\(grouped(scene.draft.file.bytes.count)) bytes")
        }
        html.block("div", ("class", canEdit ? "code edit file" : "code file")) { html in
            CodeWriter(scene.draft, trail: isStatic ? [:] : scene.marks()).write(to: &html)
            guard canEdit else { return }
            html.element(
                "textarea", ("id", "file"), ("name", "text"), ("form", "draft"), ("spellcheck", "false"),
                ("autocapitalize", "off"), ("rows", "\(scene.draft.file.lineCount)")
            ) { html in
                html.markup("\n")
                html.exact(scene.draft.text)
            }
        }
        let findings = scene.draft.findings.filter { $0.severity > .info }
        guard !findings.isEmpty else { return }
        html.element("div", with: [("class", isStatic ? nil : "stuck"), ("id", id("others"))]) { html in
            for finding in findings { writeFinding(finding, withPlace: true, to: &html) }
        }
    }
}

extension Payload {
    /// The value of a field as JSON.
    func shownValue(of field: Field) -> String { String(decoding: bytes[field.range.offsets], as: UTF8.self) }
}

extension String {
    /// The text with its first letter in upper case.
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }

    /// The text without quotes around it.
    fileprivate var unquoted: String {
        guard utf8.count >= 2, let first, first == last, first == "\"" || first == "'" else { return self }
        return String(dropFirst().dropLast())
    }
}

extension RecordedMessage.Span {
    /// Whether the bytes were printed by a tag or output, and are not written in the template itself.
    fileprivate func isPrinted(by text: TemplateText) -> Bool {
        guard let place, place.file.path == text.file.path else { return true }
        let start = place.file.bytes[place.range.offsets].prefix(2)
        return start.elementsEqual("{{".utf8) || start.elementsEqual("{%".utf8)
    }
}
