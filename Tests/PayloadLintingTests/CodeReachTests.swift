// SPDX-License-Identifier: MIT

import AppDeclarations
import PayloadKit
import PayloadLinting
import PayloadgenTestSupport
import Testing

/// For which pushes code is reached that gets to a push through an object, or that is one of several.
@Suite struct CodeReachTests {
    /// The severity of the finding of a rule about a push of the category `lab` that has neither `text` nor `name`; nil
    /// for none.
    private func severity(
        _ statement: String,
        members: String = "",
        top: String = "",
        rule: String = "extras-contract"
    ) throws -> String? {
        let categories = ["lab", "map"].map { "<string>\($0)</string>" }.joined()
        let code = """
            \(top)
            class Panel: UIViewController, UNNotificationContentExtension {
                func didReceive(_ notification: UNNotification) {
                    let info = notification.request.content.userInfo
                    let category = notification.request.content.categoryIdentifier
                    \(statement)
                }
                \(members)
            }

            """
        let files = [
            "App/Info.plist": RuleExample.File.app().text,
            "Lab/Info.plist": RuleExample.File.contentExtension(
                category: "<key>UNNotificationExtensionCategory</key><array>\(categories)</array>"
            ).text,
            "Lab/Panel.swift": code,
            "a.campaign.yml": "version: 1\npush: {title: Hi, category: lab, extras: {kind: video}}\n",
        ]
        var found: [String] = []
        try withTemporaryFolder(files) { folder in
            found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."])
                .filter { $0.rule.name == rule }.map(\.severity.rawValue)
        }
        #expect(found.count <= 1, "\(statement) \(found)")
        return found.first
    }

    private let row = """
        struct Row {
            let info: [AnyHashable: Any]
            var kind: String? { info["kind"] as? String }
            var text: String { info["text"] as! String }
            func made() -> String { info["text"] as! String }
        }
        """

    private let view = """
        struct Root: View {
            let info: [AnyHashable: Any]
            var title: String { info["text"] as! String }
            var body: some View { Text(title) }
        }
        """

    @Test(.needsSwift) func `code of an object is reached where code calls it`() throws {
        for (statement, expected) in [
            ("show(Row(info: info).text)", "error"), ("show(Row(info: info).made())", "error"),
            ("if category == \"lab\" { show(Row(info: info).text) }", "error"),
            ("if category == \"map\" { show(Row(info: info).text) }", nil),
            ("if category == \"map\" { show(Row(info: info).made()) }", nil),
            ("let row = Row(info: info)\nif row.kind == \"video\" { show(row.text) }", "warning"),
            ("print(Row(info: info))", "warning"),
        ] as [(String, String?)] {
            let found = try severity(statement, top: row)
            #expect(found == expected, "\(statement): \(found ?? "nothing")")
        }
    }

    @Test(.needsSwift) func `code that the system calls is reached where its object has a push`() throws {
        for (statement, expected) in [
            ("host.rootView = AnyView(Root(info: info))", "error"),
            ("if category == \"lab\" { host.rootView = AnyView(Root(info: info)) }", "error"),
            ("if category == \"map\" { host.rootView = AnyView(Root(info: info)) }", nil),
            ("if info[\"kind\"] as? String == \"video\" { host.rootView = AnyView(Root(info: info)) }", "warning"),
            ("host.rootView = AnyView(Choice(category: category, info: info))", nil),
        ] as [(String, String?)] {
            let choice = """
                struct Choice: View {
                    let category: String
                    let info: [AnyHashable: Any]
                    var body: some View { switch category { case "map": Root(info: info)
                        default: EmptyView() } }
                }
                """
            // A name of code that is called too.
            let note = "func note(_ content: UNNotificationContent) { print(content.body) }"
            let found = try severity(statement, members: note, top: view + choice)
            #expect(found == expected, "\(statement): \(found ?? "nothing")")
        }
        let loaded = "override func viewDidAppear(_ animated: Bool) { show(payload[\"text\"] as! String) }"
        let members = "var payload: [AnyHashable: Any] = [:]\n" + loaded
        #expect(try severity("payload = info", members: members) == "error")
        #expect(try severity("if category == \"map\" { payload = info }", members: members) == nil)
    }

    @Test(.needsSwift) func `one of several objects or closures is not certainly the one that is called`() throws {
        let types = """
            protocol Style { func text(_ info: [AnyHashable: Any]) -> String }
            struct Plain: Style { func text(_ info: [AnyHashable: Any]) -> String { "" } }
            struct Rich: Style { func text(_ info: [AnyHashable: Any]) -> String { info["text"] as! String } }
            enum Handlers {
                static let all: [String: ([AnyHashable: Any]) -> String] = [
                    "lab": { _ in "" }, "map": { $0["text"] as! String },
                ]
                static let one: [String: ([AnyHashable: Any]) -> String] = ["map": { $0["text"] as! String }]
                static let each: [([AnyHashable: Any]) -> String] = [{ _ in "" }, { $0["text"] as! String }]
                static let only: ([AnyHashable: Any]) -> String = { $0["text"] as! String }
            }
            """
        let members = "func style(for category: String) -> Style { category == \"map\" ? Rich() : Plain() }"
        for (statement, expected) in [
            ("show(style(for: category).text(info))", "warning"), ("show(Rich().text(info))", "error"),
            ("show(Handlers.all[category]?(info))", "warning"), ("show(Handlers.one[category]?(info))", "warning"),
            ("guard let handler = Handlers.all[category] else { return }\nshow(handler(info))", "warning"),
            ("for handler in Handlers.each { show(handler(info)) }", "error"), ("show(Handlers.only(info))", "error"),
        ] as [(String, String?)] {
            let found = try severity(statement, members: members, top: types)
            #expect(found == expected, "\(statement): \(found ?? "nothing")")
        }
    }

    @Test(.needsSwift) func `code that only a text, a view or a list asks for may not run`() throws {
        let types = """
            struct Note: CustomStringConvertible {
                let info: [AnyHashable: Any]
                var description: String { info["text"] as! String }
            }
            final class Model: ObservableObject {
                @Published var info: [AnyHashable: Any] = [:]
                var text: String { info["text"] as! String }
            }
            """
        let cell = """
            var pairs: [[AnyHashable: Any]] = []
            let model = Model()
            func tableView(_ table: UITableView, cellForRowAt path: IndexPath) -> UITableViewCell {
                show(pairs[path.row]["text"] as! String)
                return UITableViewCell()
            }
            """
        for (statement, expected) in [
            ("let note = Note(info: info)\nif category == \"map\" { print(note) }", "warning"),
            ("show(Note(info: info).description)", "error"),
            ("model.info = info\nif model.info.count > 1 { show(model.text) }", "warning"),
            ("model.info = info\nshow(model.text)", "error"), ("pairs = [info]", "warning"),
        ] as [(String, String?)] {
            let found = try severity(statement, members: cell, top: types)
            #expect(found == expected, "\(statement): \(found ?? "nothing")")
        }
    }

    @Test(.needsSwift) func `a property of one of several objects is not certainly the one that is read`() throws {
        let types = """
            protocol Style { var text: String { get } }
            struct Plain: Style { var text: String { "" } }
            struct Rich: Style { let info: [AnyHashable: Any]; var text: String { info["text"] as! String } }
            """
        let members = """
            var kept: Style?
            func style(for category: String, _ info: [AnyHashable: Any]) -> Style {
                if category == "map" { return Rich(info: info) }
                return Plain()
            }
            func show(_ style: any Style) { title = style.text }
            """
        for (statement, expected) in [
            ("title = style(for: category, info).text", nil), ("title = Rich(info: info).text", "error"),
            ("let style: Style = category == \"map\" ? Rich(info: info) : Plain()\ntitle = style.text", nil),
            ("kept = category == \"map\" ? Rich(info: info) : Plain()\ntitle = kept?.text", nil),
            ("let style: Style = Rich(info: info)\nshow(style)", "warning"),
        ] as [(String, String?)] {
            let found = try severity(statement, members: members, top: types)
            #expect(found == expected, "\(statement): \(found ?? "nothing")")
        }
    }

    @Test(.needsSwift) func `an element that code chooses is not certainly one of a list`() throws {
        let types = """
            protocol Style { var category: String { get }; func show(_ info: [AnyHashable: Any]) }
            struct Plain: Style { let category = "lab"; func show(_ info: [AnyHashable: Any]) {} }
            struct Rich: Style {
                let category = "map"
                func show(_ info: [AnyHashable: Any]) { print(info["text"] as! String) }
            }
            """
        let members = "let styles: [Style] = [Plain(), Rich()]"
        for (statement, expected) in [
            ("styles.first { $0.category == category }?.show(info)", "warning"),
            ("guard let style = styles.last(where: { $0.isOpen }) else { return }\nstyle.show(info)", "warning"),
            ("styles.filter { $0.category == category }.forEach { $0.show(info) }", "warning"),
            ("styles.forEach { $0.show(info) }", "warning"), ("for style in styles { style.show(info) }", "warning"),
        ] as [(String, String?)] {
            let found = try severity(statement, members: members, top: types)
            #expect(found == expected, "\(statement): \(found ?? "nothing")")
        }
    }

    @Test(.needsSwift) func `what may be nil for some pushes is not certainly read`() throws {
        let members = """
            var kept: Row?
            var rows: [Row] = []
            func row(_ category: String, _ info: [AnyHashable: Any]) -> Row? {
                guard category == "map" else { return nil }
                return Row(info: info)
            }
            func row(ofPair info: [AnyHashable: Any]) -> Row? {
                guard info["kind"] is String else { return nil }
                return Row(info: info)
            }
            func thrown(_ category: String, _ info: [AnyHashable: Any]) throws -> Row {
                guard category == "map" else { throw Failure() }
                return Row(info: info)
            }
            func payload(_ category: String, _ info: [AnyHashable: Any]) -> [AnyHashable: Any]? {
                category == "map" ? info : nil
            }
            func reload() { guard let kept else { return }; title = kept.text }
            """
        let types = """
            struct Failure: Error {}
            struct Map {
                let row: Row
                init?(_ category: String, _ info: [AnyHashable: Any]) {
                    guard category == "map" else { return nil }
                    row = Row(info: info)
                }
                var text: String { row.text }
            }
            """
        for (statement, expected) in [
            ("guard let row = row(category, info) else { return }\ntitle = row.text", nil),
            ("guard let row = row(ofPair: info) else { return }\ntitle = row.text", "error"),
            ("let row = category == \"map\" ? Row(info: info) : nil\ntitle = row?.text", nil),
            ("do { title = try thrown(category, info).text } catch {}", nil),
            ("guard let pairs = payload(category, info) else { return }\nshow(pairs[\"text\"] as! String)", "warning"),
            ("guard let map = Map(category, info) else { return }\ntitle = map.text", nil),
            ("if category == \"map\" { kept = Row(info: info) }\ntitle = kept?.text", nil),
            ("if category == \"map\" { kept = Row(info: info) }\nreload()", nil),
            ("kept = Row(info: info)\nreload()", "error"),
            ("rows = category == \"map\" ? [Row(info: info)] : []\ntitle = rows.map(\\.text).joined()", nil),
            ("rows = [Row(info: info)]\ntitle = rows.map(\\.text).joined()", "error"),
        ] as [(String, String?)] {
            let found = try severity(statement, members: members, top: row + "\n" + types)
            #expect(found == expected, "\(statement): \(found ?? "nothing")")
        }
    }

    @Test(.needsSwift) func `a function at the end of the entry point leaves for the whole push`() throws {
        let guarding = "guard let name = info[\"name\"] as? String else { return }\nprint(name)"
        let members = """
            func show(_ info: [AnyHashable: Any]) { \(guarding) }
            func load(_ info: [AnyHashable: Any]) async { \(guarding) }
            func start(_ info: [AnyHashable: Any]) { show(info) }
            func text(_ info: [AnyHashable: Any]) -> String {
                guard let name = info["name"] as? String else { return "" }
                return name
            }
            func draw(_ info: [AnyHashable: Any]) { print(info) }
            """
        for (statement, expected) in [
            (guarding, "warning"), ("show(info)", "warning"), ("view.isHidden = false\nshow(info)", "warning"),
            ("start(info)", "warning"), ("Task { await load(info) }", "warning"),
            ("DispatchQueue.main.async { self.show(info) }", "warning"),
            ("switch category { case \"lab\": show(info)\ndefault: draw(info) }", "warning"),
            ("draw(info)\nshow(info)", "info"), ("show(info)\ndraw(info)", "info"),
            ("title = text(info)", nil),
        ] as [(String, String?)] {
            let found = try severity(statement, members: members)
            #expect(found == expected, "\(statement): \(found ?? "nothing")")
        }
    }
}
