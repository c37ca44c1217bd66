// SPDX-License-Identifier: MIT

import AppBundles
import PayloadKit
import PayloadLinting
import PayloadgenTestSupport
import Testing

/// What an extension shows only where it finds a pair.
@Suite struct CodeShowingTests {
    /// The findings about missing pairs: the key and the severity of each.
    private func missing(
        _ statement: String,
        members: String = "",
        sent pairs: String = "kind: video"
    ) throws -> [String] {
        let code = """
            class Panel: UIViewController, UNNotificationContentExtension {
                @IBOutlet var label: UILabel!
                @IBOutlet var detail: UILabel!
                var content: UNNotificationContent?
                func didReceive(_ notification: UNNotification) {
                    content = notification.request.content
                    let info = notification.request.content.userInfo
                    let category = notification.request.content.categoryIdentifier
                    \(statement)
                }
                \(members)
            }

            """
        return try missing(in: ("Lab/Panel.swift", code), sent: pairs)
    }

    private func missing(in code: (path: String, text: String), sent pairs: String) throws -> [String] {
        let files = [
            "App/Info.plist": RuleExample.app().text,
            "Lab/Info.plist": RuleExample.contentExtension(
                category: "<key>UNNotificationExtensionCategory</key><string>lab</string>"
            ).text,
            code.path: code.text,
            "a.campaign.yml": "version: 1\npush: {title: Hi, category: lab, extras: {\(pairs)}}\n",
        ]
        var found: [String] = []
        try withTemporaryFolder(files) { folder in
            found = try Linter(options: Linter.Options(workingFolder: folder)).lint(["."])
                .filter { $0.rule.name == "extras-contract" }
                .map { "\($0.message.split(separator: "'").first ?? "") \($0.severity.rawValue)" }
        }
        return found.sorted()
    }

    private let text = "if let text = info[\"text\"] as? String { label.text = text }\n"
    private let name = "if let name = info[\"name\"] as? String { detail.text = name }\n"

    @Test(.needsSwift) func `a pair is required where all that shows something needs it`() throws {
        let draw = "func draw(_ info: [AnyHashable: Any]) { \(text) }"
        for (statement, members) in [
            (text, ""), ("preferredContentSize = CGSize(width: 1, height: 1)\n" + text, ""), ("draw(info)", draw),
            ("DispatchQueue.main.async { self.draw(info) }", draw), ("NSLog(\"shown\")\n" + text, ""),
            ("if category == \"lab\" { \(text) }", ""), ("guard category == \"lab\" else { return }\n" + text, ""),
            ("if let text = info[\"text\"] as? String, isViewLoaded { label.text = text }", ""),
            (
                "let a = text(info)\nif let a { label.text = a }",
                "func text(_ info: [AnyHashable: Any]) -> String? { info[\"text\"] as? String }"
            ),
            (text, "func didReceive(_ response: UNNotificationResponse) { open(content) }"),
        ] {
            #expect(try missing(statement, members: members) == ["text warning"], "\(statement)")
            #expect(try missing(statement, members: members, sent: "text: a").isEmpty, "\(statement)")
        }
        let objectiveC = """
            @implementation Panel
            - (void)didReceiveNotification:(UNNotification *)notification {
              NSDictionary *userInfo = notification.request.content.userInfo;
              if (userInfo[@"text"]) { self.label.text = userInfo[@"text"]; }
            }
            @end

            """
        #expect(try missing(in: ("Lab/Panel.m", objectiveC), sent: "kind: a") == ["text warning"])
    }

    @Test(.needsSwift) func `a pair is not required where anything else may show something`() throws {
        for (statement, members) in [
            (text + "label.isHidden = false", ""), ("show(notification)\n" + text, ""),
            ("if let text = info[\"text\"] as? String { label.text = text } else { label.text = \"None\" }", ""),
            (text + "draw()", "func draw() { label.text = \"Hi\" }"), ("draw(self)\n" + text, ""),
            ("let isDrawn = draw()\n" + text, "func draw() -> Bool { label.text = \"Hi\"; return true }"),
            ("text = \"Hi\"\n" + text, "var text = \"\" { didSet { label.text = text } }"),
            (text, "override func viewDidAppear(_ animated: Bool) { label.text = content?.body }"),
            ("for key in [\"text\", \"name\"] { if let value = info[key] as? String { label.text = value } }", ""),
            ("UIView.animate(withDuration: 1) { self.label.alpha = 1 }\n" + text, ""),
            ("guard category == \"lab\" else { label.text = \"None\"; return }\n" + text, ""), ("", ""),
        ] {
            #expect(try missing(statement, members: members).isEmpty, "\(statement)")
        }
    }

    @Test(.needsSwift) func `one of several pairs is required where each shows something`() throws {
        #expect(try missing(text + name) == ["name warning", "text warning"])
        #expect(try missing(text + name, sent: "name: a").isEmpty)
        let inner = "if let text = info[\"text\"] as? String { label.text = text; \(name) }"
        #expect(try missing(inner) == ["text warning"])
        #expect(try missing(inner, sent: "text: a").isEmpty)
        let helper = "func set(_ key: String, _ info: [AnyHashable: Any]) { if let a = info[key] { label.text = a } }"
        let calls = "set(\"text\", info)\nset(\"name\", info)"
        #expect(try missing(calls, members: helper, sent: "name: a").isEmpty)
    }

    @Test(.needsSwift) func `a pair is required with another one that does nothing alone`() throws {
        let both = "if let a = info[\"text\"] as? String, let b = info[\"name\"] as? String { show(a, b) }\n"
        let other = "detail.text = \"Hi\"\n"
        #expect(try missing(both, sent: "name: a") == ["text warning"])
        #expect(try missing(both) == ["name warning", "text warning"])
        #expect(try missing(other + both, sent: "name: a") == ["text warning"])
        #expect(try missing(other + both).isEmpty)
        #expect(try missing(other + both, sent: "name: a, text: b").isEmpty)
        for statement in [
            name + both, both.trimmingNewline + " else { label.text = \"None\" }",
            "if let name = info[\"name\"] as? String, name == \"a\", let b = info[\"text\"] as? String { show(b) }",
            "if let name = info[\"name\"], let b = info[\"text\"] ?? info[\"body\"] { show(name, b) }",
        ] {
            #expect(try missing(other + statement, sent: "name: b").isEmpty, "\(statement)")
        }
    }
}

extension String {
    fileprivate var trimmingNewline: String { hasSuffix("\n") ? String(dropLast()) : self }
}
