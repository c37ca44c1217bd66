// SPDX-License-Identifier: MIT

import FindingReports
import PayloadKit

/// The tabs of the payload, of all people side by side, and of the profile.
extension PageWriter {
    // MARK: - Payload

    func writePayload(to html: inout HTMLWriter) {
        guard let payload = scene.selected.payload else { return writeNoPayload(to: &html) }
        html.element("div", ("class", "fh")) { html in
            html.element("h3", text: "What the device receives")
            html.element(
                "span", ("class", "meta num"),
                text: "\(grouped(payload.size.bytes)) bytes minified, structure \(payload.size.structure)"
            )
            if !isStatic {
                html.element("button", ("class", "btn sm js"), ("type", "button"), ("id", "copy"), text: "Copy")
                html.element(
                    "a", ("class", "btn sm"), ("id", "simulator"),
                    ("href", "api/payload" + view.link { _ in } + "&format=simulator"), ("download", ""),
                    text: "Simulator .apns"
                )
            }
        }
        PayloadWriterHTML(payload).write(to: &html)
        if !isStatic {
            html.element("textarea", ("id", "payload"), ("hidden", ""), ("readonly", "")) { html in
                html.markup("\n")
                html.exact(payload.text)
            }
            html.element("p", ("class", "soft hint")) { html in
                html.text("For the simulator: ")
                html.element("code", text: "xcrun simctl push booted \(scene.draft.name).apns")
            }
        }
    }

    private func writeNoPayload(to html: inout HTMLWriter) {
        note(.warning, to: &html) { html in
            html.text("No payload: ")
            switch scene.selected.status {
            case .aborted(let reason): html.exact("aborted, " + reason)
            default:
                html.exact(scene.selected.firstError?.message ?? "the campaign cannot be rendered")
                if let place = scene.selected.firstError?.place {
                    html.text(", ")
                    html.element("code", text: place.shown)
                }
            }
        }
    }

    // MARK: - Side by side

    func writeComparison(to html: inout HTMLWriter) {
        if !isStatic {
            html.element("div", ("class", "fh")) { html in
                html.element("h3", text: "What everybody gets")
                choice("Which people", [false, true], to: &html) { isOnly in
                    (
                        isOnly ? "Only problems" : "Everybody", isOnly == view.showsProblemsOnly,
                        view.link { $0.showsProblemsOnly = isOnly }
                    )
                }
            }
        }
        let shown = scene.recipients.filter { recipient in
            guard view.showsProblemsOnly else { return true }
            if case .sent = recipient.status { return false }
            return true
        }
        if shown.isEmpty {
            let text = scene.recipients.isEmpty ? "There is nobody to show." : "Nobody has a problem."
            html.element("p", ("class", "soft"), text: text)
        }
        html.block("div", ("class", "cards")) { html in
            for recipient in shown { writeCard(recipient, to: &html) }
        }
    }

    private func writeCard(_ recipient: Recipient, to html: inout HTMLWriter) {
        let person = recipient.person
        let look: View.Look = view.look == .long ? .lock : view.look
        html.block("article", ("class", "card")) { html in
            html.element("h3", ("class", "hd")) { html in
                if isStatic {
                    html.foreign(person.name)
                } else {
                    let link = view.link { view in
                        view.person = person.number
                        view.tab = .message
                    }
                    html.element("a", ("href", link)) { $0.foreign(person.name) }
                }
                html.element("span", ("class", recipient.style), text: recipient.word)
            }
            let classes = "stage device-like \(view.phone.rawValue)"
            html.element("div", ("class", classes)) { writeNotification(recipient, look: look, to: &$0) }
            html.element("p", ("class", "why")) { html in
                if let error = recipient.firstError {
                    html.element("span", ("class", "rs err")) { $0.exact(error.message) }
                    if let place = error.place { html.text(", \(place.shown)") }
                } else if case .aborted = recipient.status {
                    html.text("abort_message ended the message")
                } else if let warning = recipient.findings.first(where: { $0.severity > .info }) {
                    html.exact(warning.message)
                } else {
                    html.exact(person.zone ?? person.detail)
                }
            }
        }
    }

    // MARK: - Profile

    func writeProfile(to html: inout HTMLWriter) {
        let person = scene.selected.person
        html.element("div", ("class", "fh")) { html in
            html.element("h3") { $0.foreign(person.name) }
            html.element("span", ("class", "mono soft")) { $0.exact(person.source ?? "no file") }
            choice("Form of the profile", View.ProfileEditor.allCases, to: &html) { form in
                (form.title, form == view.profile, view.link { $0.profile = form })
            }
        }
        switch view.profile {
        case .values: writeValues(of: person, to: &html)
        case .json: writeProfileJSON(to: &html)
        }
        writeProfileActions(person, to: &html)
    }

    private func writeProfileActions(_ person: Person, to html: inout HTMLWriter) {
        html.element("div", ("class", "acts2")) { html in
            if canEdit, !scene.edits.isEmpty || scene.profileJSON != nil {
                html.element(
                    "button", ("class", "btn sm js"), ("type", "button"), ("id", "reset-profile"),
                    text: "Undo changes of this profile")
            }
            if canEdit, person.number < 0 {
                html.element(
                    "button", ("class", "btn sm"), ("form", "draft"), ("name", "remove"), ("value", "\(person.number)"),
                    text: "Remove this person")
                html.element(
                    "a", ("class", "btn sm"), ("href", "api/profile" + view.link { _ in }), ("download", ""),
                    text: "Download the profile")
            }
        }
        if canEdit {
            html.element(
                "p", ("class", "soft hint"),
                text: "Changes here are for this page alone: no file of a profile is written.")
        }
    }

    /// Writes the profile as JSON, which can be replaced as a whole.
    private func writeProfileJSON(to html: inout HTMLWriter) {
        let problem = scene.profileJSON?.problem
        let text = scene.profileText
        html.element(
            "textarea",
            with: [
                ("class", "in mono json-edit"), ("id", "profile-json"), ("dir", "auto"), ("spellcheck", "false"),
                ("aria-label", "The profile as JSON"), ("aria-invalid", problem == nil ? nil : "true"),
                ("aria-describedby", problem == nil ? nil : "profile-error"),
                ("form", canEdit ? "draft" : nil), ("name", canEdit ? "profile-json" : nil),
                ("readonly", canEdit ? nil : ""),
                ("rows", "\(min(40, text.utf8.count { $0 == UInt8(ascii: "\n") } + 2))"),
            ]
        ) { html in
            html.markup("\n")
            html.exact(text)
        }
        guard let problem else { return }
        note(.error, to: &html, id: id("profile-error")) { html in
            html.text("This is not a profile, so the last one is shown: ")
            html.exact(problem)
        }
    }

    private func writeValues(of person: Person, to html: inout HTMLWriter) {
        guard case .success(let profile) = person.profile else {
            if case .failure(let error) = person.profile { note(.error, to: &html) { $0.exact(error.message) } }
            return
        }
        let entries = profile.entries
        var known: Set<String> = []
        var read: [Profile.Entry] = []
        for entry in scene.reads + scene.edits where known.insert(entry.liquid).inserted {
            read.append(entries.first { $0.liquid == entry.liquid } ?? Profile.Entry(entry.namespace, entry.name, nil))
        }
        let rest = entries.filter { !known.contains($0.liquid) }
        html.block("table", ("class", "profile")) { html in
            html.element("thead") { html in
                html.element("tr") { html in
                    html.element("th", ("scope", "col"), text: "Read by this campaign")
                    html.element("th", ("scope", "col"), text: "Type")
                    html.element("th", ("scope", "col"), text: "Value")
                }
            }
            html.block("tbody") { html in
                for entry in read { writeEntry(entry, to: &html) }
                if read.isEmpty {
                    html.element("tr") { $0.element("td", ("colspan", "3"), text: "Nothing of the profile is read.") }
                }
            }
            if !rest.isEmpty {
                html.block("tbody") { html in
                    html.element("tr") { html in
                        html.element("th", ("colspan", "3"), ("scope", "colgroup"), text: "Not read")
                    }
                    for entry in rest { writeEntry(entry, to: &html) }
                }
            }
        }
    }

    private func writeEntry(_ entry: Profile.Entry, to html: inout HTMLWriter) {
        html.element("tr") { html in
            html.element("td", ("class", "mono")) { html in
                html.element("span", ("class", "a")) { $0.exact(entry.liquid) }
            }
            html.element("td") { html in
                if let value = entry.value {
                    html.element("span", ("class", "chip"), text: value.typeName)
                } else {
                    html.element("span", ("class", "rs ab"), text: "missing")
                }
            }
            html.element("td", ("class", "in2")) { html in
                guard canEdit else {
                    return html.element("span", ("class", "mono"), ("dir", "auto")) {
                        $0.exact(entry.value?.shown ?? "")
                    }
                }
                html.void(
                    "input",
                    with: [
                        ("class", "in mono"), ("id", "profile-" + entry.liquid), ("form", "draft"), ("dir", "auto"),
                        ("name", "profile:\(entry.namespace):\(entry.name)"), ("value", entry.value?.shown ?? ""),
                        ("aria-label", entry.liquid), ("placeholder", entry.value == nil ? "nil" : nil),
                        ("spellcheck", "false"),
                    ]
                )
            }
        }
        html.markup("\n")
    }
}

/// Writes a payload with one field on a line, and the bytes of each.
struct PayloadWriterHTML {
    private let bytes: [UInt8]
    private let fields: [Int: Payload.Field]
    private let most: Int

    init(_ payload: Payload) {
        bytes = payload.bytes
        fields = Dictionary(payload.fields.map { (Int($0.range.start), $0) }, uniquingKeysWith: { first, _ in first })
        most = payload.fields.map(\.cost).max() ?? 1
    }

    func write(to html: inout HTMLWriter) {
        html.block("ol", ("class", "json")) { html in
            line("{", 0, to: &html)
            writeMembers(of: 0, depth: 1, to: &html)
            line("}", 0, to: &html)
        }
    }

    /// Writes the members of the object at an offset; returns the offset after it.
    @discardableResult
    private func writeMembers(of start: Int, depth: Int, to html: inout HTMLWriter) -> Int {
        var position = start + 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "}") {
            if bytes[position] == UInt8(ascii: ",") { position += 1 }
            let keyEnd = end(ofString: position)
            let key = String(decoding: bytes[position..<keyEnd], as: UTF8.self)
            let value = keyEnd + 1
            if let field = fields[value] {
                position = Int(field.range.end)
                let comma = position < bytes.count && bytes[position] == UInt8(ascii: ",") ? "," : ""
                writeField(field, key, comma, depth, to: &html)
            } else if value < bytes.count, bytes[value] == UInt8(ascii: "{") {
                line("\(key): {", depth, to: &html)
                position = writeMembers(of: value, depth: depth + 1, to: &html)
                line(position < bytes.count && bytes[position] == UInt8(ascii: ",") ? "}," : "}", depth, to: &html)
            } else {
                // Every value that is not an object belongs to a field.
                return bytes.count
            }
        }
        return position + 1
    }

    private func end(ofString start: Int) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return index + 1
    }

    private func line(_ text: String, _ depth: Int, to html: inout HTMLWriter) {
        html.element("li") { html in
            html.element("span", ("class", "t p")) { $0.exact(String(repeating: "  ", count: depth) + text) }
        }
        html.markup("\n")
    }

    private func writeField(
        _ field: Payload.Field,
        _ key: String,
        _ comma: String,
        _ depth: Int,
        to html: inout HTMLWriter
    ) {
        let value = String(decoding: bytes[field.range.offsets], as: UTF8.self)
        let first = bytes[Int(field.range.start)]
        let style =
            first == UInt8(ascii: "\"") ? "s" : first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? "v" : "d"
        html.element("li") { html in
            html.element("span", ("class", "t"), ("dir", "auto")) { html in
                html.text(String(repeating: "  ", count: depth))
                html.element("span", ("class", "a")) { $0.exact(key) }
                html.element("span", ("class", "p"), text: ": ")
                html.element("span", ("class", style)) { $0.exact(value) }
                html.element("span", ("class", "p"), text: comma)
            }
            html.element(
                "svg", ("class", "bar"), ("viewBox", "0 0 \(most) 6"), ("preserveAspectRatio", "none"),
                ("aria-hidden", "true")
            ) { html in
                let kind = PayloadParts.style(of: field)
                html.element("rect", ("width", "\(field.cost)"), ("height", "6"), ("class", kind)) { _ in }
            }
            html.element("span", ("class", "b")) { html in
                html.text("\(field.cost)")
                html.element("span", ("class", "sr"), text: " bytes")
            }
        }
        html.markup("\n")
    }
}
