// SPDX-License-Identifier: MIT

import FindingReports
import PayloadKit

/// Writes the page for one state of it.
///
/// Everything is written here: with JavaScript, the page asks for this HTML again and changes what differs.
struct PageWriter {
    let scene: Scene

    /// Whether the page is a file of its own: without forms, links and requests.
    var isStatic = false

    /// The parts between the tags of the body.
    func write(to html: inout HTMLWriter) {
        writeSprite(to: &html)
        html.element("a", ("class", "skip"), ("href", "#panel"), text: "Skip to the message")
        html.markup("\n")
        if canEdit { writeForm(to: &html) }
        let attributes: [(name: StaticString, value: String?)] = [
            ("class", "app"), ("id", "app"), ("data-path", scene.draft.path), ("data-project", scene.projectKey),
            ("data-person", "\(scene.selected.person.number)"),
        ]
        html.element("div", with: attributes) { html in
            writeHeader(to: &html)
            writePeople(to: &html)
            writeWork(to: &html)
            writePhoneColumn(to: &html)
        }
        html.element("p", ("class", "sr"), ("role", "status"), ("id", "said"), text: "")
        writeDock(to: &html)
    }

    /// Writes the parts that show the message of the selected person, each with its id, and nothing around them.
    ///
    /// The outcome is not among them: it depends on what is found in the campaign as well.
    func writeParts(to html: inout HTMLWriter) {
        writePhone(scene.selected, look: view.look, to: &html)
        writeFit(scene.selected, look: view.look, to: &html)
        writeBudget(scene.selected, to: &html)
        writeState(to: &html)
        guard view.tab == .message, view.editor == .fields, let push = scene.draft.campaign?.push else { return }
        for text in push.texts where text.file === scene.draft.campaign?.file { writeResult(text, to: &html) }
    }

    /// Writes the pictures that the page uses.
    func writeSprite(to html: inout HTMLWriter) { html.resource(Self.icons) }

    /// An id; none where the page holds the same part several times.
    func id(_ name: String) -> String? { isStatic ? nil : name }

    /// Whether the campaign can be changed here.
    var canEdit: Bool { !isStatic && !scene.settings.isReadOnly && scene.draft.isEditable }

    var view: View { scene.view }

    /// The name of the page.
    var title: String { "\(scene.draft.name) · payloadgen preview" }

    // MARK: - The form

    /// Writes the form that all controls belong to, with the text of the draft.
    private func writeForm(to html: inout HTMLWriter) {
        html.element(
            "form", ("id", "draft"), ("method", "post"), ("action", "form-preview?" + view.query),
            ("autocomplete", "off")
        ) { html in
            html.void("input", with: [("type", "hidden"), ("name", "base"), ("value", scene.draft.base)])
            // A press of the Enter key in a line of the form previews; it never saves.
            html.element("button", ("class", "sr"), ("tabindex", "-1"), ("aria-hidden", "true"), text: "Preview")
            if view.editor == .fields || view.tab != .message {
                html.element("textarea", ("name", "text"), ("hidden", "")) { html in
                    html.markup("\n")
                    html.exact(scene.draft.text)
                }
            }
        }
        html.markup("\n")
    }

    // MARK: - The header

    private func writeHeader(to html: inout HTMLWriter) {
        html.block("header", ("class", "top")) { html in
            html.element("span", ("class", "mark"), ("aria-hidden", "true")) { icon("i-bell", to: &$0) }
            html.element("div", ("class", "crumb")) { html in
                if let folder = scene.draft.path.split(separator: "/").dropLast().last {
                    html.element("span", ("class", "soft hide"), text: String(folder))
                    html.element("span", ("class", "soft hide"), ("aria-hidden", "true"), text: "/")
                }
                html.element("h1", ("class", "sr"), text: "\(scene.draft.name), preview of a push campaign")
                writeCampaigns(to: &html)
                if !isStatic { writeState(to: &html) }
            }
            html.element("div", ("class", "right")) { writeActions(to: &$0) }
        }
    }

    private func writeCampaigns(to html: inout HTMLWriter) {
        guard scene.campaigns.count > 1, !isStatic else {
            return html.element("b", ("class", "pick")) { $0.foreign(scene.draft.name) }
        }
        html.element("details", ("class", "menu"), ("id", "campaigns")) { html in
            html.element("summary", ("class", "pick"), ("aria-label", "Campaign: \(scene.draft.name)")) { html in
                html.foreign(scene.draft.name)
                icon("i-down", to: &html)
            }
            html.element("ul") { html in
                for path in scene.campaigns {
                    html.element("li") { html in
                        let link = view.link { view in
                            view.campaign = path
                            view.person = nil
                        }
                        let current = path == view.campaign ? "page" : nil
                        html.element("a", with: [("href", link), ("aria-current", current)]) { $0.foreign(path) }
                    }
                }
            }
        }
    }

    private func writeState(to html: inout HTMLWriter) {
        let isEdited = scene.draft.isEdited
        html.element("span", ("class", "state"), ("id", "state")) { html in
            html.element("span", ("class", isEdited ? "dot w" : "dot"), ("aria-hidden", "true")) { _ in }
            html.element(
                "span", ("class", "hide"),
                text: scene.settings.isReadOnly ? "Read only" : isEdited ? "Edited, not saved" : "Saved"
            )
        }
    }

    private func writeActions(to html: inout HTMLWriter) {
        if isStatic { return }
        html.element("span", ("class", "state hide js"), ("id", "live")) { html in
            html.element("span", ("class", "dot"), ("aria-hidden", "true")) { _ in }
            html.element("span", text: "Live")
        }
        let isDark = view.theme == .dark
        html.element(
            "a", ("class", "icon"), ("id", "theme"), ("href", view.link { $0.theme = isDark ? .light : .dark }),
            ("aria-label", isDark ? "Light appearance" : "Dark appearance")
        ) { icon("i-moon", to: &$0) }
        html.element("a", ("class", "btn hide"), ("href", "export" + view.link { _ in }), ("download", "")) { html in
            icon("i-share", to: &html)
            html.text("Export page")
        }
        guard canEdit else { return }
        html.element("button", ("class", "btn nojs"), ("form", "draft"), text: "Preview")
        html.element(
            "button", ("class", "btn pri"), ("id", "save"), ("form", "draft"),
            ("formaction", "form-save?" + view.query)
        ) { html in
            html.text("Save ")
            html.element("kbd", ("class", "hide js"), ("aria-hidden", "true"), text: "⌘S")
        }
    }

    // MARK: - The middle

    private func writeWork(to html: inout HTMLWriter) {
        html.block("main", ("class", "work"), ("id", "work")) { html in
            html.element("div", ("class", "tabs")) { html in
                writeTabs(to: &html)
                if canEdit { writeEditing(to: &html) }
            }
            html.block(
                "div", ("class", "scroll"), ("id", "panel"), ("role", "tabpanel"),
                // Whoever can press Tab to a field in it scrolls with that.
                ("tabindex", canEdit && view.tab == .message ? "-1" : "0"),
                ("aria-labelledby", "tab-\(view.tab.rawValue)")
            ) { html in
                writeProblems(to: &html)
                switch view.tab {
                case .message: writeMessage(to: &html)
                case .payload: writePayload(to: &html)
                case .compare: writeComparison(to: &html)
                case .profile: writeProfile(to: &html)
                }
            }
        }
    }

    private func writeTabs(to html: inout HTMLWriter) {
        let count = scene.draft.findings.count { $0.severity > .info }
        html.element("div", ("class", "tl"), ("role", "tablist"), ("aria-label", "Campaign")) { html in
            for tab in View.Tab.allCases {
                html.element(
                    "a", ("class", "tab"), ("role", "tab"), ("id", "tab-\(tab.rawValue)"), ("aria-controls", "panel"),
                    ("aria-selected", tab == view.tab ? "true" : "false"), ("href", view.link { $0.tab = tab })
                ) { html in
                    html.text(tab.title)
                    if tab == .message, count > 0 {
                        html.element("span", ("class", "badge"), ("id", "count")) { html in
                            html.text("\(count)")
                            html.element("span", ("class", "sr"), text: count == 1 ? " finding" : " findings")
                        }
                    }
                }
            }
        }
    }

    private func writeEditing(to html: inout HTMLWriter) {
        html.element("div", ("class", "right")) { html in
            html.element("button", ("class", "icon js"), ("type", "button"), ("id", "undo"), ("aria-label", "Undo")) {
                icon("i-undo", to: &$0)
            }
            html.element("button", ("class", "icon js"), ("type", "button"), ("id", "redo"), ("aria-label", "Redo")) {
                icon("i-redo", to: &$0)
            }
            if view.tab == .message {
                choice("Editor", View.Editor.allCases, to: &html) { editor in
                    (editor.title, editor == view.editor, view.link { $0.editor = editor })
                }
            }
        }
    }

    /// Writes what is wrong around the campaign.
    private func writeProblems(to html: inout HTMLWriter) {
        for problem in scene.problems { note(.error, to: &html) { $0.exact(problem) } }
        if scene.isConflicting {
            note(.error, to: &html) { html in
                html.text("The file was changed by another program, and the changes here cannot be added to it. ")
                html.text("Save asks which text is kept.")
            }
        }
        guard scene.renderer == nil else { return }
        note(.error, to: &html, id: id("broken")) { html in
            let error = scene.draft.findings.first { $0.severity == .error }
            html.text("The campaign cannot be rendered: ")
            html.exact(error?.message ?? "it cannot be read")
            if let place = error?.place {
                html.text(", ")
                html.element("code", text: place.shown)
            }
        }
    }

    // MARK: - Parts

    /// Writes links of which one is chosen.
    func choice<Option>(
        _ name: String,
        _ options: [Option],
        to html: inout HTMLWriter,
        _ describe: (Option) -> (title: String, isChosen: Bool, link: String)
    ) {
        html.element("div", ("class", "seg"), ("role", "group"), ("aria-label", name)) { html in
            for option in options {
                let (title, isChosen, link) = describe(option)
                html.element("a", with: [("href", link), ("aria-current", isChosen ? "true" : nil)]) { $0.text(title) }
            }
        }
    }

    /// Writes a coloured line with a sign.
    func note(
        _ severity: Severity,
        to html: inout HTMLWriter,
        id: String? = nil,
        action: (inout HTMLWriter) -> Void = { _ in },
        body: (inout HTMLWriter) -> Void
    ) {
        html.element("div", with: [("class", severity == .error ? "find err" : "find"), ("id", id)]) { html in
            icon("i-warn", to: &html)
            html.element("span", ("class", "grow"), body: body)
            action(&html)
        }
    }

    /// Writes a picture of the sprite, which means nothing by itself.
    func icon(_ name: String, to html: inout HTMLWriter) {
        html.element("svg", ("class", "i"), ("viewBox", "0 0 16 16"), ("aria-hidden", "true")) { html in
            html.element("use", ("href", "#" + name)) { _ in }
        }
    }

    private static let icons = Array(
        """
        <svg width="0" height="0" class="sprite" aria-hidden="true"><defs>\
        <g id="i-bell"><path d="M4 11V7.2a4 4 0 0 1 8 0V11l1 1.5H3zM6.7 14.3h2.6"/></g>\
        <g id="i-down"><path d="m5 6.5 3 3 3-3"/></g>\
        <g id="i-moon"><path d="M13 9.4A5.4 5.4 0 0 1 6.6 3a5.4 5.4 0 1 0 6.4 6.4z"/></g>\
        <g id="i-share"><path d="M8 10V2.5M5.2 5 8 2.3 10.8 5M3.5 8.5v4.7h9V8.5"/></g>\
        <g id="i-undo"><path d="M5.5 3 3 5.5 5.5 8M3 5.5h6a4 4 0 0 1 0 8H6"/></g>\
        <g id="i-redo"><path d="M10.5 3 13 5.5 10.5 8M13 5.5H7a4 4 0 0 0 0 8h3"/></g>\
        <g id="i-lock"><rect x="3.5" y="7" width="9" height="6.5" rx="1.6"/><path d="M5.5 7V5.2a2.5 2.5 0 0 1 5 0V7"/></g>\
        <g id="i-warn"><path d="M8 2.5 14 13H2zM8 6.5v3M8 11.4v.1"/></g></defs></svg>

        """.utf8)
}

extension Recipient {
    /// The outcome in a word or two.
    var word: String {
        switch status {
        case .sent: "\(payload?.size.bytes ?? 0) B"
        case .faulty: "Sent, errors"
        case .failed: "Failed"
        case .aborted: "Aborted"
        }
    }

    /// The class of the word.
    var style: String {
        switch status {
        case .sent: "rs num"
        case .faulty, .failed: "rs err"
        case .aborted: "rs ab"
        }
    }
}
