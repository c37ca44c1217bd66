// SPDX-License-Identifier: MIT

import AppDeclarations
import PayloadKit
import PayloadLinting
import PayloadgenTestSupport
import Testing

/// Pairs that code uses only where it finds them are not required.
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
            "App/Info.plist": RuleExample.File.app().text,
            "Lab/Info.plist": RuleExample.File.contentExtension(
                category: "<key>UNNotificationExtensionCategory</key><string>lab</string>"
            ).text,
            code.path: code.text,
            "a.campaign.yml": "version: 1\npush: {title: Hi, category: lab, extras: {\(pairs)}}\n",
        ]
        var found: [String] = []
        try withTemporaryFolder(files) { folder in
            found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."])
                .filter { $0.rule.name == "extras-contract" }
                .map { "\($0.message.split(separator: "'").first ?? "") \($0.severity.rawValue)" }
        }
        return found.sorted()
    }

    private let text = "if let text = info[\"text\"] as? String { label.text = text }\n"

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
}
