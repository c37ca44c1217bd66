// SPDX-License-Identifier: MIT

import FindingReports
import PayloadKit

/// The left column: people, branches, and the values around a message.
extension PageWriter {
    func writePeople(to html: inout HTMLWriter) {
        html.block("aside", ("class", "people"), ("id", "people"), ("aria-label", "People and context")) { html in
            html.block("section", ("aria-labelledby", "people-title")) { html in
                html.element("div", ("class", "cap")) { html in
                    html.element("h2", ("id", "people-title"), text: "People")
                    writeListChoice(to: &html)
                }
                html.block("ul", ("class", "list"), ("id", "list")) { html in
                    for recipient in scene.recipients { writePerson(recipient, to: &html) }
                }
                writePages(to: &html)
                writeCover(to: &html)
            }
            writeBranches(to: &html)
            if !isStatic { writeContext(to: &html) }
            html.element("p", ("class", "note fold")) { html in
                icon("i-lock", to: &html)
                let images = scene.settings.fetchesImages ? ", but images when you ask for them" : ""
                html.element("span", text: "Rendered on this machine. Nothing is sent or fetched\(images).")
            }
        }
    }

    private func writePerson(_ recipient: Recipient, to html: inout HTMLWriter) {
        let person = recipient.person
        let isSelected = person.number == scene.selected.person.number
        html.element("li") { html in
            html.element(
                "a",
                with: [
                    ("class", "who"), ("href", view.link { $0.person = person.number }),
                    ("aria-current", isSelected ? "true" : nil),
                ]
            ) { html in
                html.element("span", ("class", "av"), ("aria-hidden", "true"), text: person.initials)
                html.element("span", ("class", "nm")) { $0.foreign(person.name) }
                html.element("span", ("class", recipient.style), text: recipient.word)
                html.element("span", ("class", "sub")) { $0.foreign(person.detail) }
            }
        }
        html.markup("\n")
    }

    private func writePages(to html: inout HTMLWriter) {
        let limit = People.listLimit
        guard scene.people.count > limit, !isStatic, scene.settings.people == nil, scene.cover == nil else { return }
        html.element("p", ("class", "pages")) { html in
            let last = min(view.first + limit, scene.people.count)
            let count = grouped(scene.people.count)
            html.element("span", text: "\(grouped(view.first + 1)) to \(grouped(last)) of \(count) profiles")
            if view.first > 0 {
                html.element(
                    "a", ("class", "btn sm"), ("href", view.link { $0.first = max(0, $0.first - limit) }),
                    text: "Earlier")
            }
            if last < scene.people.count {
                html.element("a", ("class", "btn sm"), ("href", view.link { $0.first += limit }), text: "Later")
            }
        }
    }

    // MARK: - Context

    private func writeContext(to html: inout HTMLWriter) {
        html.block("section", ("class", "fold"), ("aria-labelledby", "context-title")) { html in
            html.element("div", ("class", "cap")) { $0.element("h2", ("id", "context-title"), text: "Context") }
            html.block("div", ("class", "ctx")) { html in
                let isOwn = scene.selected.person.hasOwnTrigger
                for (name, value) in zip(scene.trigger.keys, scene.trigger.values) {
                    writeInput(name, "trigger:" + name, value.shown, isFixed: isOwn, to: &html)
                }
                for name in scene.proposedTrigger {
                    writeInput(name, "trigger:" + name, "", isFixed: isOwn, to: &html)
                }
                if isOwn {
                    html.element("p", ("class", "soft")) { html in
                        html.foreign(scene.selected.person.name)
                        html.text(" has their own values; edit them in the JSON of the profile.")
                    }
                }
                writeInput("Now", "now", scene.invalidNow ?? scene.now.iso8601Text, to: &html)
                if scene.invalidNow != nil {
                    html.element(
                        "p", ("class", "rs err"), ("id", "now-error"),
                        text: "This is not a time; expected one such as 2026-11-20T09:00:00Z"
                    )
                }
            }
        }
    }

    private func writeInput(
        _ label: String,
        _ name: String,
        _ value: String,
        isFixed: Bool = false,
        to html: inout HTMLWriter
    ) {
        html.element("label") { html in
            html.foreign(label)
            let isInvalid = name == "now" && scene.invalidNow != nil
            html.void(
                "input",
                with: [
                    ("class", "in mono"), ("id", "in-" + name), ("name", name), ("form", "draft"), ("value", value),
                    ("dir", "auto"), ("placeholder", value.isEmpty ? "not given" : nil),
                    ("disabled", canEdit && !isFixed ? nil : ""), ("aria-invalid", isInvalid ? "true" : nil),
                    ("aria-describedby", isInvalid ? "now-error" : nil), ("spellcheck", "false"),
                ]
            )
        }
        html.markup("\n")
    }

    func grouped(_ number: Int) -> String { RenderMessages.grouped(number) }

    // MARK: - The bar of small screens

    func writeDock(to html: inout HTMLWriter) {
        if isStatic { return }
        let selected = scene.selected
        html.element("nav", ("class", "js"), ("aria-label", "Back to the phone")) { writeDockLink(selected, to: &$0) }
    }

    func writeDockLink(_ selected: Recipient, to html: inout HTMLWriter) {
        html.element("a", ("class", "dock"), ("id", "dock"), ("href", "#phone"), ("hidden", "")) { html in
            html.element("b") { $0.foreign(selected.person.name) }
            html.element("span", ("class", selected.style), text: selected.word)
            html.element("span", ("class", "soft")) { html in
                switch selected.status {
                case .aborted(let reason): html.exact("Aborted: " + reason)
                case .failed: html.exact(selected.firstError?.message ?? "No notification")
                case .sent, .faulty:
                    let texts = ["title", "body"].compactMap { selected.payload?.text(of: $0) }
                    html.exact(texts.joined(separator: " · "))
                }
            }
        }
    }
}
