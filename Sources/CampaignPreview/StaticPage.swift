// SPDX-License-Identifier: MIT

import DiagnosticSources
import FindingReports
import Foundation
import MessageDigests
import PayloadKit

/// A preview as one file: everything of one campaign for several people, without an editor and without requests.
///
/// The same input and the same `now` give the same bytes.
package struct StaticPage {
    private let scene: Scene

    /// The most people of a page.
    private static let most = 50

    /// Prepares a page.
    ///
    /// - Parameters:
    ///   - project: the campaigns and people.
    ///   - campaign: the path of the campaign; nil for the first.
    /// - Throws: why there is nothing to show.
    package init(_ project: PreviewProject, campaign: String? = nil) throws(PreviewProblem) {
        var view = View()
        view.campaign = campaign
        view.isOnePerBranch = project.settings.isOnePerBranch
        guard MessageDigest.isAvailable else {
            throw PreviewProblem("a page needs hash functions, which this build leaves out (trait 'Digests')")
        }
        scene = try Scene(project, view, DraftRequest(), patience: BranchCover.patience)
    }

    /// The people of the page: the list without those that are too many.
    private var recipients: [Recipient] { Array(scene.recipients.prefix(Self.most)) }

    /// The file.
    package func html() -> [UInt8] {
        let style = PackageResources.page_css + Array(rules.utf8)
        let script = PackageResources.measure_js + PackageResources.static_js
        var html = HTMLWriter()
        let page = PageWriter(scene: scene, isStatic: true)
        html.markup("<!DOCTYPE html>\n")
        html.element("html", ("lang", "en")) { html in
            html.block("head") { html in
                html.void("meta", ("charset", "utf-8"))
                html.void("meta", ("name", "viewport"), ("content", "width=device-width, initial-scale=1"))
                html.void(
                    "meta", ("http-equiv", "Content-Security-Policy"),
                    (
                        "content",
                        "default-src 'none'; script-src 'sha256-\(Self.hash(script))'; "
                            + "style-src 'sha256-\(Self.hash(style))'; base-uri 'none'; form-action 'none'"
                    )
                )
                html.void("meta", ("name", "referrer"), ("content", "no-referrer"))
                html.element("title", text: page.title)
                html.element("style") { $0.resource(style) }
            }
            html.block("body") { html in
                page.writeSprite(to: &html)
                html.block("div", ("class", "app still")) { body(page, to: &$0) }
                html.element("script") { $0.resource(script) }
            }
        }
        return html.buffer.withUnsafeBytes { Array($0) }
    }

    private static func hash(_ bytes: [UInt8]) -> String {
        Data(MessageDigest.sha256.digest(of: bytes) ?? []).base64EncodedString()
    }

    /// The rules that show what is chosen.
    private var rules: String {
        let people = recipients.map(\.person.number).map {
            ".still:has(#person-\($0):checked) .of-\($0){display:revert}.still:has(#person-\($0):checked) .who[for=person-\($0)]"
                + "{background:var(--chosen);box-shadow:var(--shadow)}"
        }
        let looks = View.Look.allCases.map {
            ".still:has(#look-\($0.rawValue):checked) .look-\($0.rawValue){display:revert}"
        }
        let tabs = tabs.map { ".still:has(#tab-\($0.id):checked) .tab-\($0.id){display:revert}" }
        return "\n.one,.one-look,.one-tab{display:none}\n" + (people + looks + tabs).joined(separator: "\n") + "\n"
    }

    private let tabs = [
        (id: "message", title: "Message"), (id: "payload", title: "Payload"), (id: "compare", title: "Side by side"),
        (id: "source", title: "Source"),
    ]

    // MARK: - The parts

    private func body(_ page: PageWriter, to html: inout HTMLWriter) {
        html.block("header", ("class", "top")) { html in
            html.element("span", ("class", "mark"), ("aria-hidden", "true")) { page.icon("i-bell", to: &$0) }
            html.element("h1", ("class", "pick")) { $0.foreign(scene.draft.name) }
            html.element("p", ("class", "soft")) { html in
                let date = String(scene.now.iso8601Text.prefix(10))
                let count = recipients.count { $0.person.number > 0 }
                html.text("Exported \(date), payloadgen \(scene.settings.version), ")
                html.text("revision \(scene.draft.base.prefix(8)); ")
                html.text(counted(count, "profile"))
                if scene.settings.redacts { html.text(", values replaced by samples") }
            }
        }
        html.block("aside", ("class", "people"), ("aria-label", "People")) { people(page, to: &$0) }
        html.block("aside", ("class", "phone"), ("aria-label", "On the phone")) { phone(page, to: &$0) }
        html.block("main", ("class", "work")) { work(page, to: &$0) }
    }

    private func people(_ page: PageWriter, to html: inout HTMLWriter) {
        html.element("div", ("class", "cap")) { $0.element("h2", ("id", "people-title"), text: "People") }
        html.block("ul", ("class", "list"), ("role", "radiogroup"), ("aria-labelledby", "people-title")) { html in
            for (index, recipient) in recipients.enumerated() {
                let person = recipient.person
                html.element("li", ("role", "presentation")) { html in
                    radio("person", "\(person.number)", isFirst: index == 0, to: &html)
                    html.element("label", ("class", "who"), ("for", "person-\(person.number)")) { html in
                        html.element("span", ("class", "av"), ("aria-hidden", "true"), text: person.initials)
                        html.element("span", ("class", "nm")) { $0.foreign(person.name) }
                        html.element("span", ("class", recipient.style), text: recipient.word)
                        html.element("span", ("class", "sub")) { $0.foreign(person.detail) }
                    }
                }
                html.markup("\n")
            }
        }
        page.writeCover(to: &html)
        page.writeBranches(to: &html)
        if scene.recipients.count > Self.most {
            html.element("p", ("class", "note"), text: "The first \(Self.most) of \(scene.people.count) profiles.")
        }
        html.element(
            "p", ("class", "note fold"),
            text: "A picture of \(scene.now.iso8601Text), in UTC; this page sends and fetches nothing.")
    }

    private func radio(_ group: String, _ value: String, isFirst: Bool, to html: inout HTMLWriter) {
        html.void(
            "input",
            with: [
                ("type", "radio"), ("class", "sr"), ("name", group), ("id", "\(group)-\(value)"),
                ("checked", isFirst ? "" : nil),
            ]
        )
    }

    private func choices(
        _ name: String, _ group: String, _ options: [(id: String, title: String)], to html: inout HTMLWriter
    ) {
        html.element("div", ("class", "seg"), ("role", "radiogroup"), ("aria-label", name)) { html in
            for (index, option) in options.enumerated() {
                radio(group, option.id, isFirst: index == 0, to: &html)
                html.element("label", ("for", "\(group)-\(option.id)"), text: option.title)
            }
        }
    }

    private func phone(_ page: PageWriter, to html: inout HTMLWriter) {
        let looks: [View.Look] = [.lock, .banner, .long]
        html.element("div", ("class", "ptop")) { html in
            choices("Where it is shown", "look", looks.map { ($0.rawValue, $0.title) }, to: &html)
        }
        for recipient in recipients {
            let own = PageWriter(scene: scene.selecting(recipient), isStatic: true)
            html.block("div", ("class", "one of-\(recipient.person.number)")) { html in
                for look in looks {
                    html.block("div", ("class", "one-look look-\(look.rawValue)")) { html in
                        own.writePhone(recipient, look: look, to: &html)
                        own.writeFit(recipient, look: look, to: &html)
                    }
                }
                own.writeFault(recipient, to: &html)
                own.writeBudget(recipient, to: &html)
                own.writeChecks(to: &html)
            }
        }
    }

    private func work(_ page: PageWriter, to html: inout HTMLWriter) {
        html.element("div", ("class", "tabs")) { choices("Campaign", "tab", tabs, to: &$0) }
        html.block("div", ("class", "scroll"), ("tabindex", "0"), ("role", "region"), ("aria-label", "What is sent")) {
            html in
            html.block("div", ("class", "one-tab tab-compare")) { page.writeComparison(to: &$0) }
            html.block("div", ("class", "one-tab tab-source")) { page.writeSource(to: &$0) }
            for recipient in recipients {
                let own = PageWriter(scene: scene.selecting(recipient), isStatic: true)
                html.block("div", ("class", "one of-\(recipient.person.number)")) { html in
                    html.block("div", ("class", "one-tab tab-message")) { own.writeMessage(to: &$0) }
                    html.block("div", ("class", "one-tab tab-payload")) { own.writePayload(to: &$0) }
                }
            }
        }
    }
}
