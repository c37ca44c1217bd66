// SPDX-License-Identifier: MIT

import FindingReports
import PayloadKit
import ScalarTexts

/// The right column of the page: the phone, the size budget and the checks.
extension ScenePage {
    func addPhone(to model: inout PageModel) {
        model["is_still"] = isStatic
        model["device"] = device
        model["phone"] = phone(scene.selected, view.look)
        model["fit"] = fit(scene.selected, view.look)
    }

    /// The CSS classes for the width, text size and appearance of the phone.
    var device: String { "w\(view.device.rawValue) s-\(view.size.rawValue) \(view.phone.rawValue)" }

    /// The values for a phone that shows a person's message.
    func phone(_ recipient: Recipient, _ look: PageView.Look) -> PageModel {
        let long = look == .long ? expandedNotification(recipient) : nil
        return [
            "look": look.rawValue, "clock": look == .lock ? clock(of: recipient.person) : nil,
            "notification": long == nil ? notification(recipient, look) : nil, "long": long,
        ]
    }

    /// The values for the phone's clock: the user's local time, which the page's script writes in the user's language.
    private func clock(of person: Person) -> PageModel {
        let civil = CivilTime(person.zone.flatMap { scene.now.shown(in: $0, of: scene.zones) } ?? scene.now)
        return [
            "now": scene.now.iso8601Text, "zone": person.zone, "language": person.language, "date": civil.englishDate,
            "time": civil.clock,
        ]
    }

    /// The values for the notification, or for the reason that there is none.
    func notification(_ recipient: Recipient, _ look: PageView.Look) -> PageModel {
        var error = recipient.firstError?.message
        if case .aborted(let reason) = recipient.status { error = "Aborted: " + reason }
        return ShownMessage(recipient.payload.map { MessageDescription($0) }, error: error, app: appName)
            .notification(look, recipient.person.language, view.seen)
    }

    // MARK: - The expanded notification

    /// The values for the expanded notification; nil if there is none.
    private func expandedNotification(_ recipient: Recipient) -> PageModel? {
        guard recipient.isShown, let payload = recipient.payload else { return nil }
        let found = scene.contentExtension
        return [
            "letter": String(appName.prefix(1)),
            "app": appName,
            "stamp": view.seen.stamp,
            "extension": found.map { area(of: $0, payload) },
            "image": (MessageDescription(payload).image?.url).map(ExactText.init),
            "has_text": found?.defaultContentHidden?.value != true,
            "language": recipient.person.language,
            "title": ExactText(payload.text(of: "title") ?? ""),
            "body": ExactText(payload.text(of: "body") ?? ""),
            "buttons": scene.draft.campaign?.push.buttons.map(\.actionID.value) ?? [],
        ]
    }

    /// The values for the area of a content extension: its shape, and the key-value pairs that it may read.
    private func area(of found: App.Extension, _ payload: Payload) -> PageModel {
        let ratio = found.initialContentSizeRatio?.value ?? 1
        return [
            "name": scene.extensionName ?? "The extension",
            "ratio": ratio.formatted,
            "height": Int(max(1, min(400, ratio * 100))),
            "extras": payload.extras.map { ["key": ExactText($0.key), "value": ExactText($0.value)] as PageModel },
        ]
    }

    /// The name of the app that the notification shows.
    private var appName: String { scene.draft.app?.shownName ?? "App" }

    // MARK: - What is cut

    func fit(_ recipient: Recipient, _ look: PageView.Look) -> PageModel {
        var model: PageModel = ["most": look.bodyLines, "person": nil as String?, "words": nil as String?]
        guard recipient.isShown, let payload = recipient.payload else {
            model["person"] = scene.renderer == nil ? nil : recipient.person.name
            model["words"] = scene.renderer == nil ? "Nothing is known of the message" : "receives nothing"
            return model
        }
        let hasImage = payload["image"] != nil
        model["can_fetch"] = !isStatic && scene.settings.fetchesImages && hasImage
        if look == .long, scene.contentExtension?.defaultContentHidden?.value == true {
            model["words"] = "\(scene.extensionName ?? "The extension") hides title and body here"
            return model
        }
        var view = view
        view.look = look
        let fit = PhoneText.fit(payload.text(of: "body") ?? "", view, hasImage: hasImage)
        model["is_title_cut"] = PhoneText.isTitleCut(payload.text(of: "title") ?? "", view, hasImage: hasImage)
        model["lines"] = fit.lineCount
        model["lost"] = ExactText(String(fit.lost.prefix(160)))
        return model
    }

    /// The values for the reason that a sent message does not pass its checks; nil if it passes.
    func fault(_ recipient: Recipient) -> PageModel? {
        guard case .faulty = recipient.status, let error = recipient.firstError else { return nil }
        return note(.error, ShownMessage.sentAnywayPrefix + error.message)
    }

    // MARK: - Menus

    var menus: PageModel {
        var rest = PageView(query: view.query)
        (rest.device, rest.seen, rest.size) = (.medium, .now, .standard)
        let devices = PageView.Device.allCases.map { ($0.rawValue, $0.title, $0 == view.device) }
        let times = PageView.Seen.allCases.map { ($0.rawValue, $0.title, $0 == view.seen) }
        let sizes = PageView.TextSize.allCases.map { ($0.rawValue, $0.title, $0 == view.size) }
        return [
            "rest": rest.parts.map { ["name": $0.name, "value": $0.value] as PageModel },
            "all": [
                Self.menu("Phone", "device", devices), Self.menu("When it is seen", "seen", times),
                Self.menu("Size of text", "size", sizes),
            ],
        ]
    }

    /// The values for a menu, or for radio buttons.
    static func menu(
        _ name: String, _ id: String, _ options: [(id: String, title: String, isChosen: Bool)]
    ) -> PageModel {
        let options = options.map { ["id": $0.id, "title": $0.title, "is_chosen": $0.isChosen] as PageModel }
        return ["id": id, "name": name, "options": options]
    }

    // MARK: - Budget and checks

    func budget(_ recipient: Recipient) -> PageModel {
        guard let payload = recipient.payload else { return ["size": "no payload"] }
        let parts = PayloadParts(payload)
        let isOver = payload.size.isOverLimit || payload.size.isOverBudget
        return [
            "size": "\(grouped(payload.size.bytes)) bytes",
            "limits": payload.size.limits.map { limit($0, parts) },
            "parts": parts.all.map { ["style": $0.style, "text": "\($0.name) \(grouped($0.bytes))"] as PageModel },
            "excess": isOver ? excess(of: payload) : nil,
        ]
    }

    private func limit(_ limit: SizeBudget.Limit, _ parts: PayloadParts) -> PageModel {
        let excess = limit.used - limit.most
        var start = 0
        var bars: [PageModel] = []
        for part in limit.name == "APNs"
            ? parts.all : [PayloadParts.Part(name: "", style: "structure", bytes: limit.used)]
        {
            bars.append(["start": start, "bytes": part.bytes, "style": part.style])
            start += part.bytes
        }
        if excess > 0 { bars.append(["start": limit.most, "bytes": excess, "style": "over"]) }
        return [
            "name": limit.name, "label": "\(limit.name): \(limit.text)", "scale": max(limit.most, limit.used),
            "parts": bars, "excess": excess > 0 ? grouped(excess) : nil, "most": grouped(limit.most),
            "left": CoverageReport.percentage(max(0, -excess), of: limit.most),
        ]
    }

    private func excess(of payload: Payload) -> PageModel {
        let isOver = payload.size.isOverLimit
        let excess = isOver ? payload.size.bytes - SizeBudget.limit : payload.size.share - payload.size.budget
        let largest = payload.fields.max { $0.cost < $1.cost }
        let name = largest.map { "; \($0.name) \(grouped($0.cost)) is the largest" } ?? ""
        return note(isOver ? .error : .warning, "\(grouped(excess)) bytes too many\(name)")
    }

    var checks: PageModel {
        let checks = scene.checks
        let apps = scene.draft.apps
        let names = apps.count > 1 ? "\(apps.count) apps" : apps.first?.name
        let other = scene.draft.campaign == nil ? "Checks" : "Checked against no app"
        let states = Set(checks.map(\.state))
        let choices = choice("App", Array(apps.enumerated())) { number, app in
            (app.name, app.name == scene.draft.app?.name, view.link { $0.app = number })
        }
        let rows = checks.map { check in
            [
                "state": check.state.rawValue, "sign": check.state.sign, "word": check.state.word,
                "text": check.text.capitalizedFirst, "place": check.place,
            ] as PageModel
        }
        return [
            "title": names.map { "Checked against \($0)" } ?? other,
            "style": states.contains(.failed) ? "rs err" : states.contains(.warned) ? "rs ab" : "soft",
            "verdict": scene.verdict(checks),
            "apps": apps.count > 1 && !isStatic ? choices : nil,
            "all": rows,
        ]
    }
}

/// The bytes of a payload by kind; the budget bar shows each of the four kinds in a colour.
struct PayloadParts {
    struct Part {
        let name: String
        let style: String
        let bytes: Int
    }

    /// The kinds with their bytes, in the order of the budget bar.
    let all: [Part]

    init(_ payload: Payload) {
        var bytes = ["texts": 0, "extras": 0, "details": 0]
        for field in payload.fields { bytes[Self.style(of: field), default: 0] += field.cost }
        all = [
            Part(name: "Text", style: "texts", bytes: bytes["texts"] ?? 0),
            Part(name: "Key-value pairs", style: "extras", bytes: bytes["extras"] ?? 0),
            Part(name: "Delivery", style: "details", bytes: bytes["details"] ?? 0),
            Part(name: "Brackets and names", style: "structure", bytes: payload.size.structure),
        ]
    }

    /// The CSS class that colours a field.
    static func style(of field: Payload.Field) -> String {
        if field.name.hasPrefix("extras.") { return "extras" }
        return ["title", "subtitle", "body"].contains(field.name) ? "texts" : "details"
    }
}

extension App {
    /// The name of the app on a device, or the one in messages if that is not known.
    package var shownName: String { displayName ?? name }
}

extension CivilTime {
    /// The time of day, such as `06:00`.
    fileprivate var clock: String { Self.twoDigits(hour) + ":" + Self.twoDigits(minute) }

    /// The date in English, such as `November 20, 2026`.
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
    /// The number with at most two decimals, for CSS.
    fileprivate var formatted: String {
        guard let hundredths = Int(exactly: (self * 100).rounded()), hundredths >= 0 else { return "\(self)" }
        let rest = hundredths % 100
        if rest == 0 { return "\(hundredths / 100)" }
        return "\(hundredths / 100)." + (rest % 10 == 0 ? "\(rest / 10)" : rest < 10 ? "0\(rest)" : "\(rest)")
    }
}
