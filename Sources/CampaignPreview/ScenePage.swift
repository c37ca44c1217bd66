// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadKit

/// The values that the page's templates show, for one state of the page.
///
/// With JavaScript, the page requests its HTML again after a change, and updates only the differences.
struct ScenePage {
    let scene: Scene

    /// Whether the page is for a static file, without forms, links and requests.
    var isStatic = false

    /// Whether the page can change the campaign.
    var canEdit: Bool { !isStatic && !scene.settings.isReadOnly && scene.draft.isEditable }

    var view: PageView { scene.view }

    /// The title of the page.
    var title: String { "\(scene.draft.name) · payloadgen preview" }

    /// The HTML inside the body of the page.
    func body() throws(PreviewProblem) -> String { try PageTemplate.page.text(model) }

    /// The HTML of the parts that show the message of the selected person, each with its id.
    ///
    /// The outcome is not included, as it also depends on findings in the campaign.
    func parts() throws(PreviewProblem) -> String {
        var results: [PageModel] = []
        if view.tab == .message, view.editor == .fields, let push = scene.draft.campaign?.push {
            results = push.texts.filter { $0.file === scene.draft.campaign?.file }.map(result)
        }
        var model: PageModel = ["budget": budget(scene.selected), "state": state, "results": results]
        addPhone(to: &model)
        return try PageTemplate.parts.text(model)
    }

    /// The values for the body of the page.
    var model: PageModel {
        let draft = scene.draft
        let folder = draft.path.split(separator: "/").dropLast().last.map(String.init)
        let isDark = view.theme == .dark
        var model: PageModel = [
            "is_still": isStatic,
            "title": title,
            "can_edit": canEdit,
            "query": view.query,
            "draft": [
                "path": draft.path, "name": draft.name, "base": draft.base, "folder": folder,
                "is_hidden": view.editor == .fields || view.tab != .message, "text": ExactText(draft.text),
            ] as PageModel,
            "project": scene.projectKey,
            "person_number": scene.selected.person.number,
            "campaigns": campaigns,
            "state": state,
            "theme": [
                "link": view.link { $0.theme = isDark ? .light : .dark }, "name": isDark ? "Light" : "Dark",
                "chosen": view.theme?.rawValue,
            ] as PageModel,
            "export": "export" + view.link { _ in },
            "tabs": tabs,
            "tab": view.tab.rawValue,
            "problems": problems,
            "broken": broken,
            "message": view.tab == .message ? message : nil,
            "payload": view.tab == .payload ? payload : nil,
            "compare": view.tab == .compare ? comparison : nil,
            "profile": view.tab == .profile ? profile : nil,
            "fault": fault(scene.selected),
            "budget": budget(scene.selected),
            "checks": checks,
        ]
        addPeople(to: &model)
        addPhone(to: &model)
        addChoices(to: &model)
        return model
    }

    private func addChoices(to model: inout PageModel) {
        model["editor_choice"] =
            view.tab != .message
            ? nil
            : choice("Editor", PageView.Editor.allCases) { editor in
                (editor.title, editor == view.editor, view.link { $0.editor = editor })
            }
        model["look_choice"] = choice("Where it is shown", PageView.Look.allCases) { look in
            (look.title, look == view.look, view.link { $0.look = look })
        }
        model["appearance_choice"] = choice("Appearance of the phone", PageView.Appearance.allCases) { appearance in
            (appearance.title, appearance == view.phone, view.link { $0.phone = appearance })
        }
        model["menus"] = menus
    }

    private var campaigns: [PageModel]? {
        guard scene.campaigns.count > 1, !isStatic else { return nil }
        return scene.campaigns.map { path in
            let link = view.link { view in
                view.campaign = path
                view.person = nil
            }
            return ["path": path, "link": link, "is_chosen": path == view.campaign]
        }
    }

    private var state: PageModel {
        let isEdited = scene.draft.isEdited
        let words = scene.settings.isReadOnly ? "Read only" : isEdited ? "Edited, not saved" : "Saved"
        return ["is_edited": isEdited, "words": words]
    }

    private var tabs: [PageModel] {
        let count = scene.draft.findings.count { $0.severity > .info }
        return PageView.Tab.allCases.map { tab in
            [
                "id": tab.rawValue, "title": tab.title, "link": view.link { $0.tab = tab },
                "is_chosen": tab == view.tab, "count": tab == .message && count > 0 ? count : nil,
                "noun": count == 1 ? "finding" : "findings",
            ]
        }
    }

    /// The values for problems that have no place in the campaign's text.
    private var problems: [PageModel] {
        let conflict = """
            The file was changed by another program, and the changes here cannot be added to it. Save asks which text \
            is kept.
            """
        return (scene.problems + (scene.isConflicting ? [conflict] : [])).map { note(.error, $0) }
    }

    /// The values for the reason that the campaign cannot be rendered; nil if it can.
    private var broken: PageModel? {
        guard scene.renderer == nil else { return nil }
        let error = scene.draft.findings.first { $0.severity == .error }
        var note = note(.error, "The campaign cannot be rendered: \(error?.message ?? "it cannot be read")")
        note["place"] = error?.place.map { ["text": $0.shown] as PageModel }
        return note
    }

    // MARK: - Parts

    /// The values for a choice between links, one of which is marked as chosen.
    func choice<Option>(
        _ name: String,
        _ options: [Option],
        _ describe: (Option) -> (title: String, isChosen: Bool, link: String)
    ) -> PageModel {
        let links = options.map { option in
            let (title, isChosen, link) = describe(option)
            return ["title": title, "is_chosen": isChosen, "link": link] as PageModel
        }
        return ["name": name, "options": links]
    }

    /// The values for a coloured line with a symbol.
    func note(_ severity: Severity, _ text: String) -> PageModel {
        ["is_error": severity == .error, "text": text]
    }

    func grouped(_ number: Int) -> String { RenderMessages.grouped(number) }
}

extension Recipient {
    /// The outcome of the message in a few words.
    var word: String {
        switch status {
        case .sent: "\(payload?.size.bytes ?? 0) B"
        case .faulty: "Sent with errors"
        case .failed: "Failed"
        case .aborted: "Aborted"
        }
    }

    /// The CSS class that colours the outcome.
    var style: String {
        switch status {
        case .sent: "rs num"
        case .faulty, .failed: "rs err"
        case .aborted: "rs ab"
        }
    }
}
