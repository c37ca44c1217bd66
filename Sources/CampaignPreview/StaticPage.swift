// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import MessageDigests
import PayloadKit

/// A preview as one static file, with everything about one campaign for several people, but without an editor or
/// requests.
///
/// The same input and the same `now` produce the same bytes.
package struct StaticPage {
    private let scene: Scene

    /// The maximum number of people that a page shows.
    private static let personLimit = 50

    /// Prepares a page.
    ///
    /// - Parameters:
    ///   - project: the campaigns and people.
    ///   - campaign: the path of the campaign; nil for the first one.
    /// - Throws: the reason that there is nothing to show.
    package init(_ project: PreviewProject, campaign: String? = nil) throws(PreviewProblem) {
        var view = PageView()
        view.campaign = campaign
        view.isOnePerBranch = project.settings.isOnePerBranch
        guard MessageDigest.isAvailable else {
            throw PreviewProblem("a page needs hash functions, which this build leaves out (trait 'Digests')")
        }
        scene = try Scene(project, view, DraftRequest(), patience: BranchCover.patience)
    }

    /// The people that the page shows: the first ones of the list.
    private var recipients: [Recipient] { Array(scene.recipients.prefix(Self.personLimit)) }

    /// The bytes of the file.
    package func html() throws(PreviewProblem) -> [UInt8] { try PageTemplate.still.bytes(model) }

    /// The values that the template shows.
    var model: PageModel {
        let style = PageTemplate.style + rules
        let script = PageTemplate.withoutComments(PackageResources.measure_js + PackageResources.static_js)
        let page = ScenePage(scene: scene, isStatic: true)
        let count = recipients.count { $0.person.number > 0 }
        let date = String(scene.now.iso8601Text.prefix(10))
        let revision = scene.draft.base.prefix(8)
        let samples = scene.settings.redacts ? ", values replaced by samples" : ""
        let export = """
            Exported \(date), payloadgen \(scene.settings.version), revision \(revision); \
            \(counted(count, "profile"))\(samples)
            """
        let looks: [PageView.Look] = [.lock, .banner, .long]
        return [
            "is_still": true,
            "can_edit": false,
            "title": page.title,
            "policy": "script-src 'sha256-\(Self.hash(script))'; style-src 'sha256-\(Self.hash(style))'",
            "style": Value.string(style),
            "script": Value.string(script),
            "name": scene.draft.name,
            "export": export,
            "people": recipients.map { person($0, looks) },
            "cover": page.cover,
            "branches": page.branches,
            "more": scene.recipients.count > Self.personLimit
                ? "The first \(Self.personLimit) of \(scene.people.count) profiles." : nil,
            "now": scene.now.iso8601Text,
            "device": page.device,
            "choices": choices(looks),
            "tabs": ScenePage.menu("Campaign", "tab", tabs.map { ($0.id, $0.title, $0.id == "message") }),
            "braze": scene.draft.campaign?.push.texts.isEmpty == false ? page.braze : nil,
            "compare": page.comparison,
            "file": page.file,
        ]
    }

    /// The values for the campaign's card in a gallery: the first person's notification, the findings and the sizes.
    var card: PageModel {
        let page = ScenePage(scene: scene, isStatic: true)
        let errors = scene.draft.findings.count { $0.severity == .error }
        let warnings = scene.draft.findings.count { $0.severity == .warning }
        let sizes = recipients.compactMap(\.payload?.size.bytes)
        let failed = recipients.count { $0.payload == nil }
        let found = [(errors, "error"), (warnings, "warning")].filter { $0.0 > 0 }.map { counted($0, $1) }
        var words = counted(recipients.count, "person", "people")
        if let least = sizes.min(), let most = sizes.max() {
            words += least == most ? ", \(most) bytes" : ", \(least) to \(most) bytes"
        }
        if failed > 0 { words += ", \(failed) without a message" }
        return [
            "name": scene.draft.name, "path": scene.draft.path, "words": words,
            "style": errors > 0 ? "rs err" : warnings > 0 ? "rs ab" : "rs",
            "verdict": found.isEmpty ? "no findings" : found.joined(separator: ", "),
            "notification": page.notification(scene.selected, .lock),
        ]
    }

    private func choices(_ looks: [PageView.Look]) -> [PageModel] {
        let view = PageView()
        return [
            ScenePage.menu("Where it is shown", "look", looks.map { ($0.rawValue, $0.title, $0 == view.look) }),
            ScenePage.menu(
                "Appearance of the phone", "phone",
                PageView.Appearance.allCases.map { ($0.rawValue, $0.title, $0 == view.phone) }),
            ScenePage.menu(
                "Phone", "device", PageView.Device.allCases.map { ($0.rawValue, $0.title, $0 == view.device) }),
            ScenePage.menu(
                "Size of text", "size", PageView.TextSize.allCases.map { ($0.rawValue, $0.title, $0 == view.size) }),
        ]
    }

    /// The values for a person and everything about their message.
    private func person(_ recipient: Recipient, _ looks: [PageView.Look]) -> PageModel {
        let page = ScenePage(scene: scene.selecting(recipient), isStatic: true)
        var model = page.person(recipient)
        model["looks"] = looks.map { look in
            ["phone": page.phone(recipient, look), "fit": page.fit(recipient, look)] as PageModel
        }
        model["fault"] = page.fault(recipient)
        model["budget"] = page.budget(recipient)
        model["checks"] = page.checks
        model["message"] = page.message
        model["payload"] = page.payload
        return model
    }

    private static func hash(_ text: String) -> String {
        Data(MessageDigest.sha256.digest(of: Array(text.utf8)) ?? []).base64EncodedString()
    }

    /// CSS rules that show, without JavaScript, what the user has chosen.
    private var rules: String {
        let people = recipients.map(\.person.number).map {
            ".still:has(#person-\($0):checked) .of-\($0){display:revert}"
                + ".still:has(#person-\($0):checked) .who[for=person-\($0)]"
                + "{background:var(--chosen);box-shadow:var(--shadow)}"
        }
        let looks = PageView.Look.allCases.map {
            ".still:has(#look-\($0.rawValue):checked) .look-\($0.rawValue){display:revert}"
        }
        let tabs = tabs.map { ".still:has(#tab-\($0.id):checked) .tab-\($0.id){display:revert}" }
        return "\n.one,.one-look,.one-tab{display:none}\n" + (people + looks + tabs).joined(separator: "\n") + "\n"
    }

    private let tabs = [
        (id: "message", title: "Message"), (id: "payload", title: "Payload"), (id: "compare", title: "Side by side"),
        (id: "source", title: "Source"),
    ]
}
