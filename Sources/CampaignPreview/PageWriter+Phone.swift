// SPDX-License-Identifier: MIT

import FindingReports
import PayloadKit
import ScalarTexts

/// The right column: the phone, the budget and the checks.
extension PageWriter {
    func writePhoneColumn(to html: inout HTMLWriter) {
        html.block("aside", ("class", "phone"), ("id", "phone"), ("aria-label", "On the phone")) { html in
            html.element("div", ("class", "ptop")) { html in
                choice("Where it is shown", View.Look.allCases, to: &html) { look in
                    (look.title, look == view.look, view.link { $0.look = look })
                }
                choice("Appearance of the phone", View.Appearance.allCases, to: &html) { appearance in
                    (appearance.title, appearance == view.phone, view.link { $0.phone = appearance })
                }
            }
            writePhone(scene.selected, look: view.look, to: &html)
            writeFit(scene.selected, look: view.look, to: &html)
            writeFault(scene.selected, to: &html)
            if !isStatic { writeMenus(to: &html) }
            writeBudget(scene.selected, to: &html)
            writeChecks(to: &html)
        }
    }

    /// Writes a phone that shows a message.
    func writePhone(_ recipient: Recipient, look: View.Look, to html: inout HTMLWriter) {
        let classes = "device w\(view.device.rawValue) s-\(view.size.rawValue) \(view.phone.rawValue)"
        html.element("div", with: [("class", classes), ("id", id("device"))]) { html in
            html.element("div", ("class", "island"), ("aria-hidden", "true")) { _ in }
            html.block("div", ("class", "screen \(look.rawValue)")) { html in
                switch look {
                case .lock:
                    writeClock(recipient.person, to: &html)
                    writeNotification(recipient, look: look, to: &html)
                case .banner: writeNotification(recipient, look: look, to: &html)
                case .long: writeLongLook(recipient, to: &html)
                }
            }
        }
    }

    /// Writes the clock of a user: the time there, in their language where JavaScript runs.
    private func writeClock(_ person: Person, to html: inout HTMLWriter) {
        let now = person.zone.flatMap { scene.now.shown(in: $0, of: scene.zones) } ?? scene.now
        let civil = CivilTime(now)
        html.element("div", ("class", "clock")) { html in
            let attributes: [(name: StaticString, value: String?)] = [
                ("datetime", scene.now.iso8601Text), ("data-zone", person.zone), ("data-lang", person.language),
            ]
            html.element("time", with: [("class", "dt")] + attributes + [("data-form", "date")]) { html in
                html.text(civil.englishDate)
            }
            html.element("time", with: [("class", "tm")] + attributes + [("data-form", "time")]) { html in
                html.text(civil.clock)
            }
        }
    }

    /// Writes a notification, or that there is none.
    func writeNotification(_ recipient: Recipient, look: View.Look, to html: inout HTMLWriter) {
        guard recipient.isShown, let payload = recipient.payload else { return writeNothing(recipient, to: &html) }
        let isUrgent = payload.text(of: "interruption_level") == "time-sensitive"
        html.element(
            "div",
            with: [("class", "n-card lines-\(look.bodyLines)"), ("lang", recipient.person.language)]
        ) { html in
            html.element("div", ("class", "ai"), ("aria-hidden", "true"), text: String(appName.prefix(1)))
            html.element("div", ("class", "n-text")) { html in
                if isUrgent { html.element("div", ("class", "urgent"), ("lang", "en"), text: "TIME SENSITIVE") }
                html.element("div", ("class", "ti")) { html in
                    html.element("span", ("dir", "auto"), ("class", "cut")) {
                        $0.exact(payload.text(of: "title") ?? appName)
                    }
                    html.element("span", ("class", "wh"), ("lang", "en"), text: view.seen.stamp)
                }
                if let subtitle = payload.text(of: "subtitle") {
                    html.element("div", ("class", "su"), ("dir", "auto")) { $0.exact(subtitle) }
                }
                html.element("div", ("class", "bo"), ("dir", "auto")) { $0.exact(payload.text(of: "body") ?? "") }
            }
            if let image = scene.draft.campaign?.push.image, let url = payload.imageURL {
                html.element(
                    "div", with: [("class", "thumb"), ("lang", "en"), ("data-image", isStatic ? nil : url)]
                ) { html in
                    html.element("span", ("class", "sr"), text: "Attachment, not fetched: ")
                    html.text(image.type.value.rawValue)
                }
            }
        }
    }

    private func writeNothing(_ recipient: Recipient, to html: inout HTMLWriter) {
        html.element("div", ("class", "none")) { html in
            switch recipient.status {
            case .aborted(let reason):
                html.element("b", text: "No notification")
                html.exact("Aborted: " + reason)
            case .failed:
                html.element("b", text: "No notification")
                if let payload = recipient.payload, payload.size.isOverLimit {
                    html.text("APNs refuses \(grouped(payload.size.bytes)) bytes")
                } else {
                    html.exact(recipient.firstError?.message ?? "The campaign cannot be rendered")
                }
            case .sent, .faulty:
                html.element("b", text: "Nothing to see")
                html.text("The push has no alert: it only wakes the app")
            }
        }
    }

    // MARK: - The long look

    private func writeLongLook(_ recipient: Recipient, to html: inout HTMLWriter) {
        guard recipient.isShown, let payload = recipient.payload else { return writeNothing(recipient, to: &html) }
        let found = scene.contentExtension
        html.block("div", with: "ll") { html in
            html.element("div", ("class", "lh")) { html in
                html.element("span", ("class", "ai"), ("aria-hidden", "true"), text: String(appName.prefix(1)))
                html.foreign(appName)
                html.element("span", ("class", "wh"), text: view.seen.stamp)
            }
            if let found { writeExtension(found, payload, to: &html) }
            if found == nil, let url = payload.imageURL {
                html.element("div", with: [("class", "img"), ("data-image", isStatic ? nil : url)]) { html in
                    html.element("b", text: "Attachment, not fetched")
                    html.element("span") { $0.exact(url) }
                }
            }
            if found?.defaultContentHidden?.value != true {
                html.element("div", with: [("class", "lt lines-7"), ("lang", recipient.person.language)]) { html in
                    html.element("div", ("class", "ti"), ("dir", "auto")) { $0.exact(payload.text(of: "title") ?? "") }
                    html.element("div", ("class", "bo"), ("dir", "auto")) { $0.exact(payload.text(of: "body") ?? "") }
                }
            }
        }
        let buttons = scene.draft.campaign?.push.buttons ?? []
        if !buttons.isEmpty {
            html.element("ul", ("class", "acts"), ("aria-label", "Buttons")) { html in
                for button in buttons {
                    html.element("li") { html in
                        html.exact(button.actionID.value)
                        html.element("small", text: "title set in the app")
                    }
                }
            }
        }
    }

    /// Writes the area that a content extension draws, with its shape and what it reads.
    private func writeExtension(_ found: App.Extension, _ payload: Payload, to html: inout HTMLWriter) {
        let ratio = found.initialContentSizeRatio?.value ?? 1
        html.block(
            "div", ("class", "ext"), ("role", "region"), ("tabindex", "0"), ("aria-label", "What the extension gets")
        ) { html in
            // The shape of the area comes from an empty drawing: styles in the markup are not allowed.
            let height = Int(max(1, min(400, ratio * 100)))
            html.element("svg", ("class", "shape"), ("viewBox", "0 0 100 \(height)"), ("aria-hidden", "true")) { _ in }
            html.element("div", ("class", "drawn")) { html in
                html.element("h3") { html in
                    html.text("\(scene.extensionName ?? "The extension") draws here")
                    html.element("span", text: "ratio \(ratio.formatted)")
                }
                html.element("ul") { html in
                    for extra in payload.extras {
                        html.element("li") { html in
                            html.element("span") { $0.exact(extra.key) }
                            html.element("b", ("dir", "auto")) { $0.exact(extra.value) }
                        }
                    }
                }
            }
        }
    }

    /// The name on the notification.
    private var appName: String { scene.draft.app?.shownName ?? "App" }

    // MARK: - What is cut

    func writeFit(_ recipient: Recipient, look: View.Look, to html: inout HTMLWriter) {
        html.element(
            "div", with: [("class", "fit"), ("id", id("fit")), ("data-lines", "\(look.bodyLines)")]
        ) { html in
            guard recipient.isShown, let payload = recipient.payload else {
                return html.element("span") { html in
                    guard scene.renderer != nil else { return html.text("Nothing is known of the message") }
                    html.foreign(recipient.person.name)
                    html.text(" receives nothing")
                }
            }
            if look == .long, scene.contentExtension?.defaultContentHidden?.value == true {
                html.element("span", text: "\(scene.extensionName ?? "The extension") hides title and body here")
            } else {
                writeLines(payload, look, to: &html)
            }
            if !isStatic, scene.settings.fetchesImages, payload.imageURL != nil {
                html.element(
                    "button", ("class", "btn sm js"), ("type", "button"), ("id", "fetch"), text: "Fetch the image")
            }
        }
    }

    /// Writes why a message that is sent does not pass its checks.
    func writeFault(_ recipient: Recipient, to html: inout HTMLWriter) {
        guard case .faulty = recipient.status, let error = recipient.firstError else { return }
        note(.error, to: &html, id: id("fault")) { html in
            html.text("Braze sends the message anyway: ")
            html.exact(error.message)
        }
    }

    private func writeLines(_ payload: Payload, _ look: View.Look, to html: inout HTMLWriter) {
        let hasImage = payload["image"] != nil
        var view = view
        view.look = look
        let isCut = PhoneText.isTitleCut(payload.text(of: "title") ?? "", view, hasImage: hasImage)
        let fit = PhoneText.fit(payload.text(of: "body") ?? "", view, hasImage: hasImage)
        html.element("span", ("data-fit", "title")) { html in
            html.text("Title ")
            html.element("b", ("class", isCut ? "cut-off" : ""), text: isCut ? "is cut" : "fits")
        }
        html.element("span", ("data-fit", "body")) { html in
            html.text("Body ")
            if fit.lost.isEmpty {
                html.element("b", text: "\(fit.lineCount) of \(look.bodyLines) lines")
            } else {
                html.element("b", ("class", "cut-off"), text: "is cut after \(look.bodyLines) lines")
            }
        }
        html.element("span", text: "approximate")
        html.element("span", with: [("class", "lost"), ("data-fit", "lost"), ("hidden", fit.lost.isEmpty ? "" : nil)]) {
            html in
            html.text("Not seen: ")
            html.element("q") { $0.exact(String(fit.lost.prefix(160))) }
        }
    }

    // MARK: - Menus

    private func writeMenus(to html: inout HTMLWriter) {
        html.block("form", ("class", "sim"), ("method", "get"), ("id", "sim")) { html in
            var rest = View(query: view.query)
            (rest.device, rest.seen, rest.size) = (.medium, .now, .standard)
            for (name, value) in rest.parts {
                html.void("input", with: [("type", "hidden"), ("name", name), ("value", value)])
            }
            menu("Phone", "device", View.Device.allCases.map { ($0.rawValue, $0.title, $0 == view.device) }, to: &html)
            menu(
                "When it is seen", "seen", View.Seen.allCases.map { ($0.rawValue, $0.title, $0 == view.seen) },
                to: &html)
            menu(
                "Size of text", "size", View.TextSize.allCases.map { ($0.rawValue, $0.title, $0 == view.size) },
                to: &html)
            html.element("button", ("class", "btn sm nojs"), text: "Show")
        }
    }

    private func menu(
        _ label: String,
        _ name: String,
        _ options: [(value: String, title: String, isChosen: Bool)],
        to html: inout HTMLWriter
    ) {
        html.element("select", ("name", name), ("id", "menu-" + name), ("aria-label", label)) { html in
            for option in options {
                html.element(
                    "option", with: [("value", option.value), ("selected", option.isChosen ? "" : nil)]
                ) { $0.text(option.title) }
            }
        }
    }

    // MARK: - Budget and checks

    func writeBudget(_ recipient: Recipient, to html: inout HTMLWriter) {
        html.element(
            "section", with: [("class", "box"), ("id", id("budget")), ("aria-label", "Budget")]
        ) { html in
            html.element("div", ("class", "hd")) { html in
                html.element("h2", text: "Budget")
                let size = recipient.payload.map { "\(grouped($0.size.bytes)) bytes" } ?? "no payload"
                html.element("span", ("class", "soft num"), text: size)
            }
            guard let payload = recipient.payload else { return }
            let parts = PayloadParts(payload)
            html.block("div", ("class", "bud")) { html in
                for limit in payload.size.limits { writeLimit(limit, parts, to: &html) }
            }
            html.block("ul", ("class", "leg num")) { html in
                for part in parts.all {
                    html.element("li") { html in
                        html.element("svg", ("class", "swatch"), ("viewBox", "0 0 8 8"), ("aria-hidden", "true")) {
                            html in
                            html.element("rect", ("width", "8"), ("height", "8"), ("rx", "2"), ("class", part.style)) {
                                _ in
                            }
                        }
                        html.text("\(part.name) \(grouped(part.bytes))")
                    }
                }
            }
            if payload.size.isOverLimit || payload.size.isOverBudget { writeExcess(payload, to: &html) }
        }
    }

    private func writeLimit(_ limit: SizeBudget.Limit, _ parts: PayloadParts, to html: inout HTMLWriter) {
        let isOver = limit.used > limit.most
        let scale = max(limit.most, limit.used)
        html.element("span", text: limit.name)
        html.element(
            "svg", ("class", "track"), ("viewBox", "0 0 \(scale) 8"), ("preserveAspectRatio", "none"), ("role", "img"),
            ("aria-label", "\(limit.name): \(limit.text)")
        ) { html in
            var start = 0
            let isWhole = limit.name == "APNs"
            for part in isWhole ? parts.all : [PayloadParts.Part(name: "", style: "structure", bytes: limit.used)] {
                html.element(
                    "rect", ("x", "\(start)"), ("width", "\(part.bytes)"), ("height", "8"), ("class", part.style)
                ) { _ in }
                start += part.bytes
            }
            if isOver {
                html.element(
                    "rect", ("x", "\(limit.most)"), ("width", "\(limit.used - limit.most)"), ("height", "8"),
                    ("class", "over")
                ) { _ in }
            }
        }
        html.element("span", ("class", "num soft")) { html in
            if isOver {
                html.element("b", ("class", "cut-off"), text: "\(grouped(limit.used - limit.most)) too many")
                html.text(" for \(grouped(limit.most))")
            } else {
                html.element("b", text: "\((limit.most - limit.used) * 100 / max(1, limit.most))%")
                html.text(" of \(grouped(limit.most)) left")
            }
        }
    }

    private func writeExcess(_ payload: Payload, to html: inout HTMLWriter) {
        let largest = payload.fields.max { $0.cost < $1.cost }
        let isOver = payload.size.isOverLimit
        let excess = isOver ? payload.size.bytes - SizeBudget.limit : payload.size.share - payload.size.budget
        note(isOver ? .error : .warning, to: &html) { html in
            html.text("\(grouped(excess)) bytes too many")
            if let largest { html.text("; \(largest.name) \(grouped(largest.cost)) is the largest") }
        }
    }

    func writeChecks(to html: inout HTMLWriter) {
        let checks = scene.checks
        html.element("section", with: [("class", "box"), ("id", id("checks")), ("aria-label", "Checks")]) { html in
            html.element("div", ("class", "hd")) { html in
                let other = scene.draft.campaign == nil ? "Checks" : "Checked against no app"
                let apps = scene.draft.apps
                let names = apps.count > 1 ? "\(apps.count) apps" : apps.first?.name
                html.element("h2", text: names.map { "Checked against \($0)" } ?? other)
                let states = Set(checks.map(\.state))
                let style = states.contains(.failed) ? "rs err" : states.contains(.warned) ? "rs ab" : "soft"
                html.element("span", ("class", style), text: scene.verdict(checks))
            }
            if scene.draft.apps.count > 1, !isStatic {
                let apps = Array(scene.draft.apps.enumerated())
                choice("App", apps, to: &html) { number, app in
                    (app.name, app.name == scene.draft.app?.name, view.link { $0.app = number })
                }
            }
            html.block("ul", ("class", "checks")) { html in
                for check in checks {
                    html.element("li") { html in
                        html.element(
                            "span", ("class", check.state.rawValue), ("aria-hidden", "true"), text: check.state.sign)
                        html.element("span") { html in
                            html.element("span", ("class", "sr"), text: check.state.word)
                            html.exact(check.text.capitalizedFirst)
                        }
                        if let place = check.place { html.element("code", ("class", "mono"), text: place) }
                    }
                }
            }
        }
    }
}

/// The bytes of a payload by the four kinds that reports colour.
struct PayloadParts {
    struct Part {
        let name: String
        let style: String
        let bytes: Int
    }

    /// The kinds, in the order of the bar.
    let all: [Part]

    init(_ payload: Payload) {
        var bytes = ["texts": 0, "extras": 0, "details": 0]
        for field in payload.fields { bytes[Self.style(of: field), default: 0] += field.cost }
        all = [
            Part(name: "Text", style: "texts", bytes: bytes["texts"] ?? 0),
            Part(name: "Pairs", style: "extras", bytes: bytes["extras"] ?? 0),
            Part(name: "Delivery", style: "details", bytes: bytes["details"] ?? 0),
            Part(name: "Structure", style: "structure", bytes: payload.size.structure),
        ]
    }

    /// The class of a field.
    static func style(of field: Payload.Field) -> String {
        if field.name.hasPrefix("extras.") { return "extras" }
        return ["title", "subtitle", "body"].contains(field.name) ? "texts" : "details"
    }
}

extension HTMLWriter {
    fileprivate mutating func block(_ name: StaticString, with style: String, body: (inout HTMLWriter) -> Void) {
        block(name, ("class", style), body: body)
    }
}

extension Payload {
    /// The address of the image that the service extension attaches; nil where there is none.
    var imageURL: String? {
        guard case .object(let braze)? = root["ab"], case .object(let image)? = braze["att"],
            case .string(let url)? = image["url"]
        else { return nil }
        return url
    }
}

extension App {
    /// The name that users see, as far as it is known.
    var shownName: String { displayName ?? name }
}

extension CivilTime {
    /// The time of day, such as `06:00`.
    fileprivate var clock: String { Self.twoDigits(hour) + ":" + Self.twoDigits(minute) }

    /// The date in English, such as `Friday, November 20`.
    fileprivate var englishDate: String {
        let months = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November",
            "December",
        ]
        return "\(months[max(0, min(11, month - 1))]) \(day), \(year)"
    }

    private static func twoDigits(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
}

extension Double {
    /// The number with at most two decimals.
    fileprivate var formatted: String {
        guard let hundredths = Int(exactly: (self * 100).rounded()), hundredths >= 0 else { return "\(self)" }
        let rest = hundredths % 100
        if rest == 0 { return "\(hundredths / 100)" }
        return "\(hundredths / 100)." + (rest % 10 == 0 ? "\(rest / 10)" : rest < 10 ? "0\(rest)" : "\(rest)")
    }
}
