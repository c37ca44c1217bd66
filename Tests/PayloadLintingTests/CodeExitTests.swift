// SPDX-License-Identifier: MIT

import AppDeclarations
import PayloadKit
import PayloadLinting
import PayloadgenTestSupport
import Testing

/// What code may leave before it reads a pair decides whether it certainly needs the pair, or crashes at it.
@Suite struct CodeExitTests {
    /// The severity of the finding about the pair `data`, which is cast to an integer and sent as text; nil for none.
    private func cast(_ statement: String, members: String = "", top: String = "") throws -> String? {
        try severity("extras-cast", panel(statement, members, top), sent: "data: '3', kind: video")
    }

    /// The severity of the finding about the pair `text`, which is not sent; nil for none.
    private func missing(
        _ statement: String,
        members: String = "",
        top: String = "",
        sent pairs: String = "kind: video, data: a",
        to category: String = "lab"
    ) throws -> String? {
        try severity("extras-contract", panel(statement, members, top), sent: pairs, to: category)
    }

    private func panel(_ statement: String, _ members: String, _ top: String) -> (String, String) {
        let code = """
            enum E: Error { case old }
            \(top)
            class Panel: UIViewController, UNNotificationContentExtension {
                var content: UNNotificationContent!
                func didReceive(_ notification: UNNotification) {
                    content = notification.request.content
                    let info = notification.request.content.userInfo
                    let category = notification.request.content.categoryIdentifier
                    \(statement)
                }
                \(members)
            }

            """
        return ("Lab/Panel.swift", code)
    }

    private func objectiveC(_ statement: String) -> (String, String) {
        let code = """
            @implementation Panel
            - (void)didReceiveNotification:(UNNotification *)notification {
              NSDictionary *userInfo = notification.request.content.userInfo;
              \(statement)
            }
            @end

            """
        return ("Lab/Panel.m", code)
    }

    private func severity(
        _ rule: String,
        _ code: (path: String, text: String),
        sent pairs: String,
        to category: String = "lab"
    ) throws -> String? {
        let categories = ["lab", "map", "sale"].map { "<string>\($0)</string>" }.joined()
        let files = [
            "App/Info.plist": RuleExample.File.app().text,
            "Lab/Info.plist": RuleExample.File.contentExtension(
                category: "<key>UNNotificationExtensionCategory</key><array>\(categories)</array>"
            ).text,
            code.path: code.text,
            "a.campaign.yml": "version: 1\npush: {title: Hi, category: \(category), extras: {\(pairs)}}\n",
        ]
        var found: [String] = []
        try withTemporaryFolder(files) { folder in
            found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."])
                .filter { $0.rule.name == rule }.map(\.severity.rawValue)
        }
        #expect(found.count <= 1, "\(code.text)")
        return found.first
    }

    private let number = "\nshow(info[\"data\"] as! Int)"
    private let text = "\nshow(info[\"text\"] as! String)"

    @Test(.needsSwift) func `code that is left under a condition is not certainly reached after it`() throws {
        for statement in [
            "work: do { if isViewLoaded { if isBeingPresented { break work } }$ }",
            "do { guard try check() else { print(1); return }$ } catch { print(error) }",
            "do { if isViewLoaded { if isBeingPresented { throw E.old } }$ } catch { print(error) }",
            "switch category { case \"lab\": fallthrough\n case \"map\": return\n default: break }$",
        ] {
            #expect(try cast(statement.replacing("$", with: number)) == "warning", "\(statement)")
        }
    }

    @Test(.needsSwift) func `exits that are not taken before a cast leave it certain`() throws {
        for statement in [
            "switch category { case \"lab\": if isViewLoaded { break }\n default: break }$",
            "switch category { case \"sale\": fallthrough\n case \"map\": return\n default: break }$",
            "do { try load() } catch let error as NSError { print(error) }$",
            "defer {$ }; if isViewLoaded { if isBeingPresented { return } }",
        ] {
            #expect(try cast(statement.replacing("$", with: number)) == "error", "\(statement)")
        }
    }

    @Test(.needsSwift) func `a pair is not certainly needed where a value decides about an exit before`() throws {
        let isVideo = "info[\"kind\"] as? String == \"video\""
        for statement in [
            "if let kind = info[\"kind\"] as? String { if kind == \"video\" { return } }$",
            "if let kind = info[\"kind\"] as? String { switch kind { case \"video\": return\n default: break } }$",
            "switch info[\"kind\"] as? String { case \"video\": if isViewLoaded { return }\n default: break }$",
            "if isViewLoaded { if \(isVideo) { return } }$", "do { if \(isVideo) { return } }$",
            "if isViewLoaded { print(1) } else if \(isVideo) { return }$",
            "for kind in [\"video\"] { if info[\"kind\"] as? String == kind { return } }$",
            "work: do { if isViewLoaded { if \(isVideo) { break work } }$ }",
        ] {
            #expect(try missing(statement.replacing("$", with: text)) == "warning", "\(statement)")
        }
        let isSent = "if let kind = info[\"kind\"] as? String { $ }" + text
        #expect(try missing(isSent.replacing("$", with: "if isViewLoaded { play(kind); return }")) == "warning")
        #expect(try missing(isSent.replacing("$", with: "do { try play(kind); return } catch { stop() }")) == "warning")
        let other = "if category == \"map\" { if \(isVideo) { return } }" + text
        #expect(try missing(other, to: "map") == "warning")
        let falling = "switch category { case \"lab\": fallthrough\n case \"map\":\(text)\n default: break }"
        #expect(try missing(falling) == "error")
        #expect(try missing(falling, to: "map") == "error")
    }

    @Test(.needsSwift) func `a block that may leave before it crashes does not require a pair`() throws {
        let leaving = """
            guard let text = info["text"] as? String else {
                if category == "lab" { return }
                fatalError()
            }
            """
        #expect(try missing(leaving) == nil)
        #expect(try missing(leaving, to: "map") == "error")
        let caught = """
            do {
                guard let text = info["text"] as? String else { throw E.old }
                show(text)
            } catch {
                if category == "lab" { return }
                fatalError()
            }
            """
        #expect(try missing(caught) != nil)
        #expect(try missing(caught, to: "map") == "error")
    }

    @Test(.needsSwift) func `only functions that never return end the process`() throws {
        func found(_ call: String, members: String = "", top: String = "") throws -> String? {
            let statement = "guard let text = info[\"text\"] as? String else { \(call); return }\nshow(text)"
            return try missing(statement, members: members, top: top)
        }
        let never = "func fail(_ why: String) -> Never { fatalError(why) }"
        for call in ["fatalError()", "Swift.fatalError()", "exit(1)"] {
            #expect(try found(call) == "error", "\(call)")
        }
        #expect(try found("fail(\"a\")", top: never) == "error")
        #expect(try found("self.fail(\"a\")", members: never) == "error")
        #expect(try found("Log.fail(\"a\")", top: "enum Log { static \(never) }") == "error")
        #expect(try found("player.abort()") == "warning")
        #expect(try found("exit()", members: "func exit() { done() }") == "warning")
        #expect(try found("exit()", members: "var exit: () -> Void = {}") == "warning")
        #expect(try found("log.fail(\"a\")", top: never) == "warning")
        #expect(try found("fail()", top: never + "\nfunc fail() { print(1) }") == "warning")
        let closure = """
            func show(_ info: [AnyHashable: Any], exit: () -> Void) {
                guard let text = info["text"] else { exit(); return }
            }
            """
        #expect(try missing("show(info) { print(1) }", members: closure) == "warning")
        let fallback = "show(info[\"text\"] as? String ?? fail())"
        #expect(try missing(fallback, top: never + "\nfunc fail() -> String { \"\" }") == nil)
    }

    @Test(.needsSwift) func `an initial value of a lazy property is reached where the property is used`() throws {
        let text = "lazy var text: String = content.userInfo[\"text\"] as! String"
        let used = "if category == \"map\" { show(text) }"
        #expect(try missing(used, members: text) == nil)
        #expect(try missing(used, members: text, to: "map") == "error")
        #expect(try missing("show(text)", members: text) == "error")
        let isDrawn = "if category == \"map\" { draw() }"
        let draw = "\nfunc draw() { show(text) }"
        #expect(try missing(isDrawn, members: text + draw) == nil)
        #expect(try missing(isDrawn, members: text + draw, to: "map") == "error")
        let number = "lazy var number: Int = content.userInfo[\"data\"] as! Int"
        #expect(try cast("show(number)", members: number) == "error")
        #expect(try cast("if isViewLoaded { show(number) }", members: number) == "warning")
        #expect(try cast("if category == \"map\" { show(number) }", members: number) == "warning")
    }

    @Test(.needsSwift) func `lazy properties that use one another in conditions are read in a short time`() throws {
        var members = "lazy var v0: String = content.userInfo[\"kind\"] as? String ?? \"\""
        for index in 1...30 {
            members += """

                lazy var v\(index): String = {
                    if let s = content.userInfo["k\(index)"] as? String { return s + v\(index - 1) }
                    guard isViewLoaded else { return v\(index - 1) }
                    return v\(index - 1) + "x"
                }()
                """
        }
        // If it took too long, no pair would be certainly needed.
        #expect(try missing("show(v30); show(info[\"text\"] as! String)", members: members) == "error")
    }

    @Test(.needsSwift) func `casts to types that no value in a push has are found`() throws {
        for type in ["URL", "NSURL", "Date", "Data", "UUID"] {
            #expect(try cast("show(info[\"data\"] as! \(type))") == "error", "\(type)")
            #expect(try cast("if isViewLoaded { show(info[\"data\"] as! \(type)) }") == "warning", "\(type)")
            #expect(try cast("if let a = info[\"data\"] as? \(type) { show(a) }") == "warning", "\(type)")
        }
        for statement in [
            "if let a = info[\"data\"] as? URL { show(a) } else if let a = info[\"data\"] as? String { show(a) }",
            "if let a = info[\"data\"] as? String { show(a) } else { show(info[\"data\"] as! Data) }",
            "show(URL(string: info[\"data\"] as! String) as! URL)", "show(UserDefaults.standard.value as! Data)",
        ] {
            #expect(try cast(statement) == nil, "\(statement)")
        }
        #expect(try cast("show(info[\"data\"] as! Data)", top: "struct Data {}") == nil)
        // One that never succeeds does not hide another cast.
        #expect(try cast("show(info[\"data\"] as? Data)" + number) == "error")
    }

    @Test(.needsSwift) func `a cast that crashes counts beside casts to other types`() throws {
        let text = "info[\"data\"] as? String"
        for statement in [
            "guard let s = \(text) else { fatalError() }\(number)",
            "\(number)\nguard let s = \(text) else { fatalError() }",
            "let s = \(text)\(number)", "show(\(text) ?? \"\")\(number)", "show((info[\"data\"] as? Int)!, \(text))",
            "guard let n = info[\"data\"] as? Int else { fatalError() }\nshow(n, \(text))",
        ] {
            #expect(try cast(statement) == "error", "\(statement)")
        }
        for statement in [
            "if let s = \(text) { show(s) } else {\(number) }", "guard let s = \(text) else {\(number); return }",
            "if let s = \(text) { show(s); return }\(number)", "if info[\"data\"] is String { return }\(number)",
            "let v = info[\"data\"]; if let s = v as? String { show(s) } else { show(v as! Int) }",
            "switch info[\"data\"] { case let s as String: show(s)\n case let n as Int: show(n)\n default: fatalError() }",
            "guard let n = (info[\"data\"] as? Int) ?? Int(\(text) ?? \"\") else { fatalError() }; show(n)",
        ] {
            #expect(try cast(statement) == nil, "\(statement)")
        }
        let either = """
            func number(_ info: [AnyHashable: Any]) -> Int? {
                if let n = info["data"] as? Int { return n }
                if let s = info["data"] as? String { return Int(s) }
                return nil
            }
            """
        #expect(try cast("show(number(info)!)", members: either) == nil)
    }

    @Test(.needsSwift) func `a conversion that certainly fails where code crashes then is an error`() throws {
        func found(_ statement: String) throws -> String? {
            try severity("extras-cast", panel(statement, "", ""), sent: "data: abc")
        }
        let text = "info[\"data\"] as? String"
        #expect(try found("guard let s = \(text), let n = Int(s) else { fatalError() }; show(n)") == "error")
        #expect(try found("show(Int(info[\"data\"] as! String)!)") == "error")
        #expect(try found("guard let s = \(text), s.count > 3 else { return }; show(Int(s)!)") == nil)
        #expect(try found("if isViewLoaded { show(Int(info[\"data\"] as! String)!) }") == nil)
    }

    @Test(.needsSwift) func `a pair without which code crashes needs a default`() throws {
        func found(_ statement: String, _ value: String) throws -> String? {
            try severity("missing-default", panel(statement, "", ""), sent: "data: \"\(value)\"")
        }
        let liquid = "{{ custom_attribute.${x} }}"
        let number = "guard let s = info[\"data\"] as? String, let n = Int(s) else { fatalError() }; show(n)"
        #expect(try found(number, liquid) == "warning")
        #expect(try found(number, "{{ custom_attribute.${x} | default: '' }}") == "warning")
        #expect(try found(number, "{{ custom_attribute.${x} | default: 1 }}") == nil)
        #expect(try found("show(info[\"data\"] as! String)", liquid) == "warning")
        #expect(try found("show(info[\"data\"] as! String)", "{{ custom_attribute.${x} | default: '' }}") == nil)
        #expect(try found("guard let s = info[\"data\"] as? String else { return }; show(s)", liquid) == nil)
        #expect(try found("if isViewLoaded { show(info[\"data\"] as! String) }", liquid) == nil)
    }

    @Test func `exits of Objective-C make the code after them uncertain`() throws {
        let needed = "NSString *text = userInfo[@\"text\"]; if (!text) { abort(); }"
        func found(_ statement: String) throws -> String? {
            let code = objectiveC(statement.replacing("$", with: needed))
            return try severity("extras-contract", code, sent: "kind: video")
        }
        let isVideo = "[userInfo[@\"kind\"] isEqualToString:@\"video\"]"
        let kind = "[userInfo[@\"kind\"] integerValue]"
        #expect(try found("$") == "error")
        #expect(try found("if (self.ready) { if (\(isVideo)) { return; } } $") == "warning")
        #expect(try found("switch (\(kind)) { case 1: [self play]; break; case 2: { $ break; } }") == "warning")
        #expect(try found("switch (\(kind)) { case 1: case 2: return; default: break; } $") == "warning")
        #expect(try found("switch (self.state) { case 1: [self play]; break; } $") == "error")
        #expect(try found("switch (self.state) { case 1: case 2: return; } $") == "error")
        #expect(try found("@try { $ } @catch (NSException *e) { return; } @finally { [self end]; }") == "error")
        let fallback = "@try { [self play]; } @catch (NSException *e) { abort(); } return;"
        #expect(try found(needed.replacing("abort();", with: fallback)) == "warning")
        let method = needed.replacing("abort()", with: "[self.player abort]; return")
        #expect(try found(method) == "warning")
    }
}
