// SPDX-License-Identifier: MIT

/// The part of the page's state that is in its address: the campaign, the person, the tab and so on.
///
/// It contains only numbers, words of the page and the path of the campaign: nothing from the campaign's text or about
/// a user.
struct PageView: Sendable, Equatable {
    /// The tabs in the middle column of the page.
    enum Tab: String, Sendable, CaseIterable {
        case message, payload, compare, profile

        /// The word on the tab.
        var title: String {
            switch self {
            case .message: "Message"
            case .payload: "Payload"
            case .compare: "Side by side"
            case .profile: "Profile"
            }
        }
    }

    /// The forms in which a phone shows a notification.
    enum Look: String, Sendable, CaseIterable {
        case banner, lock, long

        /// The word on the button that chooses the form.
        var title: String {
            switch self {
            case .banner: "Banner"
            case .lock: "Lock screen"
            case .long: "Long look"
            }
        }

        /// The maximum number of lines that the body of a notification has in this form.
        ///
        /// Source: Braze, "iOS rich notifications": 2 while the device is in use, 4 on the lock screen, 7 expanded.
        var bodyLines: Int {
            switch self {
            case .banner: 2
            case .lock: 4
            case .long: 7
            }
        }
    }

    /// The appearance of the page or of the phone.
    enum Appearance: String, Sendable, CaseIterable {
        case light, dark

        /// The word on the button that chooses the appearance.
        var title: String { self == .light ? "Light" : "Dark" }
    }

    /// The phones that the page shows, by their widths in points.
    enum Device: String, Sendable, CaseIterable {
        case small = "375"
        case medium = "402"
        case large = "440"

        /// The text in the menu of phones.
        var title: String {
            switch self {
            case .small: "iPhone SE"
            case .medium: "iPhone 17"
            case .large: "iPhone 17 Pro Max"
            }
        }
    }

    /// When the user sees the notification.
    ///
    /// The notification shows this time beside the title; a longer text for the time leaves less room for the title.
    enum Seen: String, Sendable, CaseIterable {
        case now, hours, yesterday

        /// The text in the menu of times.
        var title: String {
            switch self {
            case .now: "Seen now"
            case .hours: "Seen 3 h later"
            case .yesterday: "Seen next day"
            }
        }

        /// The text for the time on the notification.
        var stamp: String {
            switch self {
            case .now: "now"
            case .hours: "3h ago"
            case .yesterday: "Yesterday, 8:37 AM"
            }
        }
    }

    /// The text sizes that the user of a phone can choose.
    enum TextSize: String, Sendable, CaseIterable {
        case standard, large, largest

        /// The text in the menu of sizes.
        var title: String {
            switch self {
            case .standard: "Text: default"
            case .large: "Text: large"
            case .largest: "Text: largest"
            }
        }
    }

    /// Where the author edits the message: field by field, or in the file.
    enum Editor: String, Sendable, CaseIterable {
        case fields, file

        /// The word on the button that chooses the editor.
        var title: String { self == .fields ? "Fields" : "File" }
    }

    /// Where the author edits a profile: value by value, or as JSON.
    enum ProfileEditor: String, Sendable, CaseIterable {
        case values, json

        /// The word on the button that chooses the editor.
        var title: String { self == .values ? "Values" : "JSON" }
    }

    /// The path of the shown campaign; nil for the first one.
    var campaign: String?

    /// The number of the chosen app among the apps that claim the campaign's category.
    var app = 0

    /// The number of the selected person; nil for the first one.
    var person: Int?

    /// The number of profiles that come before the list's first one.
    var first = 0

    var tab = Tab.message
    var look = Look.lock
    var phone = Appearance.light
    var device = Device.medium
    var seen = Seen.now
    var size = TextSize.standard
    var editor = Editor.fields
    var profile = ProfileEditor.values

    /// The appearance of the page; nil to use that of the system.
    var theme: Appearance?

    /// Whether the tab with all people side by side shows only those whose message has a problem.
    var showsProblemsOnly = false

    /// Whether the list shows only a few people who together take every branch.
    var isOnePerBranch = false

    init() {}

    /// Reads a query such as `person=2&tab=payload`; unknown names are ignored.
    init(query: String) {
        for (name, value) in FormData.values(Array(query.utf8)) {
            switch name {
            case "campaign" where !value.isEmpty: campaign = value
            case "app": app = max(0, Int(value) ?? 0)
            case "person": person = Int(value)
            // The bound prevents an overflow when the length of a list is added.
            case "first": first = min(max(0, Int(value) ?? 0), Int(Int32.max))
            case "tab": tab = Tab(rawValue: value) ?? .message
            case "look": look = Look(rawValue: value) ?? .lock
            case "phone": phone = Appearance(rawValue: value) ?? .light
            case "device": device = Device(rawValue: value) ?? .medium
            case "seen": seen = Seen(rawValue: value) ?? .now
            case "size": size = TextSize(rawValue: value) ?? .standard
            case "editor": editor = Editor(rawValue: value) ?? .fields
            case "profile": profile = ProfileEditor(rawValue: value) ?? .values
            case "theme": theme = Appearance(rawValue: value)
            case "problems": showsProblemsOnly = value == "1"
            case "branches": isOnePerBranch = value == "1"
            default: break
            }
        }
    }

    /// The query of the address, without values that are the default.
    var query: String { parts.map { "\($0)=\(FormData.encoded($1))" }.joined(separator: "&") }

    /// The names and values of the query, without values that are the default.
    var parts: [(name: String, value: String)] {
        let standard = PageView()
        var parts: [(String, String)] = []
        if let campaign { parts.append(("campaign", campaign)) }
        if app != 0 { parts.append(("app", "\(app)")) }
        if let person { parts.append(("person", "\(person)")) }
        if first != 0 { parts.append(("first", "\(first)")) }
        if tab != standard.tab { parts.append(("tab", tab.rawValue)) }
        if look != standard.look { parts.append(("look", look.rawValue)) }
        if phone != standard.phone { parts.append(("phone", phone.rawValue)) }
        if device != standard.device { parts.append(("device", device.rawValue)) }
        if seen != standard.seen { parts.append(("seen", seen.rawValue)) }
        if size != standard.size { parts.append(("size", size.rawValue)) }
        if editor != standard.editor { parts.append(("editor", editor.rawValue)) }
        if profile != standard.profile { parts.append(("profile", profile.rawValue)) }
        if let theme { parts.append(("theme", theme.rawValue)) }
        if showsProblemsOnly { parts.append(("problems", "1")) }
        if isOnePerBranch { parts.append(("branches", "1")) }
        return parts
    }

    /// The address of the page for a changed view.
    func link(_ change: (inout PageView) -> Void) -> String {
        var view = self
        change(&view)
        return "?" + view.query
    }
}
