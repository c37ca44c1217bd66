// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import Foundation
import PayloadgenTestSupport
import SwiftSources
import Testing

private let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")

private func parsed(_ path: String, _ text: String) -> ParsedCode { ParsedCode(SourceFile(path: path, text: text)) }

/// What was found, a line each.
private func listing(_ code: TargetCode) -> String {
    var lines: [String] = []
    for read in code.reads {
        var line = (read.path + [read.key]).joined(separator: "/")
        line += " \(read.type.rawValue) \(read.requirement.rawValue) \(read.place.file.path):\(read.place.start.line)"
        if read.isGate { line += " gate" }
        let categories = read.condition.categories
        if categories != .all {
            line += (categories.isComplement ? " not of " : " of ") + categories.names.sorted().joined(separator: " ")
        }
        if read.condition.isOpen { line += " conditional" }
        if !read.condition.keys.isEmpty { line += " with " + read.condition.keys.sorted().joined(separator: " ") }
        if !read.alternatives.isEmpty { line += " or " + read.alternatives.joined(separator: " ") }
        lines.append(line)
    }
    lines += code.unknownReads.map { "unknown \($0.place.file.path):\($0.place.start.line) \($0.why)" }
    lines += code.writes.map { "writes \($0.text)" }
    lines += code.categories.map { category in
        let actions = category.actions.map { $0.identifier + ($0.isTextInput ? " (text)" : "") }
        return "category \(category.identifier): \(actions.joined(separator: ", "))"
    }
    lines += code.actions.map { "action \($0.text)" }
    lines += code.appGroups.map { "group \($0.text)" }
    lines += code.events.map { "event \($0.text)" }
    return lines.map { $0 + "\n" }.joined()
}

@Suite struct CodeReadingTests {
    @Test func `the names of types are not known where a macro may declare more`() {
        func names(_ path: String, _ text: String) -> Set<String>? { ParsedCode.typeNames(in: [parsed(path, text)]) }
        #expect(names("a.m", "static int f(void) { return g(1); }\n@implementation A\n@end\n") == ["A"])
        #expect(names("a.m", "CLS(Panel)\n@implementation A\n@end\n") == nil)
    }

    @Test(.needsSwift) func `the names of types are not known where a Swift macro may declare more`() {
        func names(_ path: String, _ text: String) -> Set<String>? { ParsedCode.typeNames(in: [parsed(path, text)]) }
        #expect(names("a.swift", "class A {}\n#Preview { A() }\nlet a = #selector(A.b)") == ["A"])
        #expect(names("a.swift", "class A {}\n#makePanel(\"Panel\")") == nil)
    }

    /// What is not read of a file, with its lines.
    private func gaps(_ path: String, _ bytes: [UInt8]) -> [String] {
        TargetCode([ParsedCode(SourceFile(path: path, bytes: bytes))], entryPoint: .content).unknownReads.map {
            "\($0.place.start.line) \($0.why)"
        }
    }

    /// A text in UTF-16 with a byte order mark.
    private func utf16(_ text: String) -> [UInt8] { [0xFF, 0xFE] + Array(text.utf8).flatMap { [$0, 0] as [UInt8] } }

    @Test func `code that compilers refuse is reported where its error is`() {
        func panel(_ statement: String) -> String {
            """
            @implementation Panel
            - (void)didReceiveNotification:(UNNotification *)notification {
              \(statement)
            }
            @end

            """
        }
        let notText = "the file is not UTF-8 text"
        #expect(gaps("a.m", utf16(panel(""))) == ["1 " + notText])
        #expect(gaps("a.m", Array(utf16(panel("")).dropFirst(2))) == ["1 " + notText])
        #expect(gaps("a.m", [0x2F, 0x2F, 0xE9, 0x0A] + Array(panel("").utf8)).isEmpty)
        #expect(
            gaps("a.m", Array(panel("a(b[@\"c\");").utf8)) == ["3 the bracket ')' has no matching bracket"])
        // Each build has one of the brackets.
        let branches = panel("#if A\n if (a) {\n#else\n if (b) {\n#endif\n }\n#if A\n [c d];\n#endif")
        #expect(gaps("a.m", Array(branches.utf8)).isEmpty)
    }

    @Test func `statements that are nested too deeply without brackets are reported`() {
        let nested = String(repeating: "if (a) ", count: 200) + ";"
        let code = "@implementation A\n- (void)didReceiveNotification:(UNNotification *)n {\n\(nested)\n}\n@end\n"
        #expect(gaps("a.m", Array(code.utf8)) == ["3 the code is nested deeper than 160 levels"])
    }

    @Test func `a bracket without a counterpart is marked, though it is not a word`() throws {
        let code = parsed(
            "a.m", "@implementation A\n- (void)didReceiveNotification:(UNNotification *)n { a(b[c); }\n@end\n")
        let place = try #require(TargetCode([code], entryPoint: .content).unknownReads.first?.place)
        #expect(place.file.text(in: place.range) == ")")
    }

    @Test(.needsSwift) func `brackets in a comment are not nesting, and code after it is measured`() {
        let brackets = String(repeating: "(", count: 200)
        let comment = "/* * /* \(brackets) */ \(brackets) */\n"
        #expect(gaps("a.swift", Array("\(comment)let a = 1\n".utf8)).isEmpty)
        let nested = comment + "let a = " + brackets + "1" + String(repeating: ")", count: 200) + "\n"
        #expect(gaps("a.swift", Array(nested.utf8)) == ["2 the code is nested deeper than 100 levels"])
    }

    @Test(.needsSwift) func `conditions of the compiler that follow each other are not nesting`() {
        func blocks(_ depth: Int) -> String {
            String(repeating: "#if A\n", count: depth) + String(repeating: "#endif\n", count: depth)
        }
        #expect(gaps("a.swift", Array((String(repeating: blocks(1), count: 200) + blocks(100)).utf8)).isEmpty)
        #expect(gaps("a.swift", Array(blocks(101).utf8)) == ["101 the code is nested deeper than 100 levels"])
    }

    @Test(.needsSwift) func `Swift that compilers refuse is reported where its error is`() {
        #expect(gaps("a.swift", utf16("let a = 1\n")) == ["1 the file is not UTF-8 text"])
        let broken = "class A {\n func f() {\n  let b = c[\"d\" as! String\n }\n}\n"
        #expect(gaps("a.swift", Array(broken.utf8)) == ["3 the code has a syntax error"])
        for text in [
            "#if compiler(>=9)\nlet a ~~~> {\n#else\nlet a = 1\n#endif\n",
            "let a = #macro { $0 }\n@Attached var b: Int\n",
            "#if false\nlet a = = \n#endif\n",
        ] {
            #expect(gaps("a.swift", Array(text.utf8)).isEmpty)
        }
    }

    @Test(arguments: ["blocks", "objc", "foreignobjc"]) func readsObjectiveC(_ name: String) throws {
        try expectReads(name)
    }

    @Test(
        .needsSwift,
        arguments: [
            "keys", "helpers", "requirements", "values", "decodable", "lookalikes", "registered", "stored", "rounds",
            "closures", "relayed", "passed", "conditions", "unfollowed", "merged", "choices", "builds", "switches",
            "carried", "settled", "foreign", "lost", "generic", "bridged", "leaving",
        ]
    )
    func reads(_ name: String) throws { try expectReads(name) }

    /// Compares what is read of a target, a folder of fixtures, with its snapshot.
    private func expectReads(_ name: String) throws {
        let folder = fixtures.appending(path: name)
        // Formatters and linters are to leave the Swift in them alone.
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
            let bytes = Array(try Data(contentsOf: folder.appending(path: name)))
            return SourceFile(path: name.hasSuffix(".txt") ? String(name.dropLast(4)) : name, bytes: bytes)
        }
        expectSnapshot(listing(TargetCode(files.map(ParsedCode.init))), named: name + ".txt")
    }

    /// A Swift file with a content extension whose method has some statements.
    private func panel(_ statements: [String]) -> TargetCode {
        let body = statements.joined(separator: "\n")
        return TargetCode([
            parsed(
                "a.swift",
                """
                final class Panel: UIViewController, UNNotificationContentExtension {
                    func didReceive(_ notification: UNNotification) {
                        let info = notification.request.content.userInfo
                        \(body)
                    }
                }

                """)
        ])
    }

    @Test(.needsSwift) func `a push that is passed on to one of several methods of a name is reported`() {
        let code = panel(["perform(#selector(draw as ([AnyHashable: Any]) -> Void), with: info)"])
        #expect(
            code.unknownReads.map(\.why) == ["the push is passed on by 'perform' to code that is not read"])
    }

    @Test(.needsSwift) func `a number whose text is compared is still a number`() {
        let code = panel([
            "if let count = info[\"count\"] as? Int, String(count) == \"5\" { show(count) }",
            "if let total = info[\"total\"] as? Double, total.description == \"5.0\" { show(total) }",
            "if let title = info[\"title\"], String(describing: title) == \"a\" { show(title) }",
        ])
        #expect(
            code.reads.map { "\($0.key) \($0.type.rawValue)" } == ["count integer", "total number", "title string"])
    }

    @Test(.needsSwift) func `reads after many conditions are found, with at most 64 of the keys`() {
        let code = panel((0..<200).map { "guard info[\"k\($0)\"] as? String == \"on\" else { return }" })
        #expect(code.reads.count == 200)
        #expect(code.reads.allSatisfy { $0.requirement == .return && $0.type == .string })
        #expect(code.reads.map(\.condition.keys.count).max() == 64)
        #expect(!code.isTooLarge)
    }

    @Test(.needsSwift) func `a variable that more reads than are followed may set is reported`() {
        func code(_ count: Int) -> TargetCode {
            let sets = (0..<count).map { "if a\($0) { value = info[\"k\($0)\"] }" }
            return panel(["var value: Any?"] + sets + ["guard let value else { return }"])
        }
        #expect(!code(60).isTooLarge)
        #expect(code(70).isTooLarge)
    }

    /// The class to which the system passes a notification may inherit all that it does.
    @Test func `a class that inherits its method from code that is not read is not known`() {
        func reasons(_ text: String, _ modules: Set<String> = []) -> [String] {
            TargetCode([parsed("a.m", text)], entryPoint: .content, modules: modules).unknownReads.map(\.why)
        }
        let own = "@interface Panel : VendorPanel\n@end\n@implementation Panel\n"
        #expect(reasons(own + "@end\n") == ["'Panel' inherits from 'VendorPanel', whose code is not read"])
        let method = "- (void)didReceiveNotification:(UNNotification *)notification { [self show]; }\n"
        #expect(reasons(own + method + "@end\n").isEmpty)
        #expect(reasons("@interface Panel : UIViewController\n@end\n@implementation Panel\n@end\n").isEmpty)
        let call = "- (void)didReceiveNotification:(UNNotification *)n { track(n.request.content.userInfo); }\n"
        let other = "@import Shared;\n@implementation Panel\n" + call + "@end\n"
        #expect(reasons(other) == ["the push is passed to 'track', whose code is not read"])
        #expect(reasons(other, ["Shared"]).isEmpty)
    }

    @Test(.needsSwift) func `a Swift class that inherits its method from code that is not read is not known`() {
        let swift = "class Panel: Vendor.Panel {}\nclass Story: BrazePushStory.NotificationViewController {}\n"
        #expect(
            TargetCode([parsed("a.swift", swift)], entryPoint: .content).unknownReads.map(\.why)
                == ["'Panel' inherits from 'Vendor.Panel', whose code is not read"])
    }

    private func reads(ofPush statements: String, top: String = "") -> TargetCode {
        let method = "func didReceive(_ notification: UNNotification) {"
        let info = "let info = notification.request.content.userInfo"
        return TargetCode([
            parsed("a.swift", "\(top)\nclass Panel: UIViewController {\n\(method)\n\(info)\n\(statements)\n}\n}\n")
        ])
    }

    @Test(.needsSwift) func `a date in another form than ISO 8601 is sent as the text or number that it is made of`() {
        let text = "info[\"day\"] as! String"
        for (statement, type) in [
            ("ISO8601DateFormatter().date(from: \(text))", .date), ("Date(\(text), strategy: .iso8601)", .date),
            ("let f = ISO8601DateFormatter()\nf.date(from: \(text))", .date),
            ("let f = DateFormatter()\nf.dateFormat = \"dd.MM.yyyy\"\nf.date(from: \(text))", .string),
            ("formatter.date(from: \(text))", .string), ("Date(german: \(text))", .string),
            ("Date(timeIntervalSince1970: Double(\(text))!)", .number),
            ("Date(timeIntervalSince1970: info[\"day\"] as! Double)", .number),
        ] as [(String, ReadType)] {
            let code = reads(ofPush: statement, top: "extension Date { init?(german text: String) { self.init() } }")
            #expect(code.reads.map(\.sentType) == [type], "\(statement)")
        }
    }

    /// Decodes a type from a push.
    private func decoding(_ types: String) -> TargetCode {
        let data = "let data = try! JSONSerialization.data(withJSONObject: info)"
        return reads(ofPush: "\(data)\nshow(try! JSONDecoder().decode(P.self, from: data))", top: types)
    }

    @Test(.needsSwift) func `a wrapper or an overload of decode may decode another type than that of the property`() {
        let wrapper = """
            @propertyWrapper struct Whole: Decodable {
                var wrappedValue: Int
                init(from decoder: Decoder) throws {
                    wrappedValue = Int(try decoder.singleValueContainer().decode(String.self)) ?? 0
                }
            }
            """
        let overload = """
            extension KeyedDecodingContainer {
                func decode(_ type: Int.Type, forKey key: Key) throws -> Int { Int(try decode(String.self, forKey: key))! }
            }
            """
        for (types, type) in [
            ("struct P: Decodable { let n: Int }", .integer), ("struct P: Decodable { @Other var n: Int }", .any),
            (wrapper + "\nstruct P: Decodable { @Whole var n: Int }", .any),
            (overload + "\nstruct P: Decodable { let n: Int }", .any),
            ("struct P: Decodable { @available(iOS 15, *) var n: Int }", .integer),
        ] as [(String, ReadType)] {
            #expect(decoding(types).reads.map(\.type) == [type], "\(types)")
        }
    }

    @Test(.needsSwift) func `a subclass of a decodable class decodes no properties of its own`() {
        let base = "class B: Decodable { let a: String }\n"
        for (types, keys) in [
            (base + "final class P: B { var b = \"x\"; var c: Int = 3 }", ["a"]),
            ("class B { var a = 1 }\nfinal class P: B, Decodable { let b: String }", ["b"]),
            ("protocol Model: Decodable {}\nclass B { var a = 1 }\nclass P: B, Model { let b: String }", ["b"]),
            ("struct P: Decodable { let a: String; lazy var b: Int = a.count }", ["a"]),
        ] {
            #expect(decoding(types).reads.map(\.key) == keys, "\(types)")
        }
    }

    @Test(.needsSwift) func `the keys of a type that a macro makes decodable are not known`() {
        let code = decoding("@Codable struct P { @CodedAt(\"order\") let n: String }")
        #expect(code.reads.isEmpty)
        #expect(code.unknownReads.map(\.why) == ["the macro '@Codable' may decide which keys 'P' is decoded from"])
        for attribute in ["@MainActor", "@Screen", "@available(iOS 15, *)"] {
            let code = decoding("@globalActor actor Screen {}\n\(attribute) struct P: Decodable { let n: String }")
            #expect(code.reads.map(\.key) == ["n"], "\(attribute)")
            #expect(code.unknownReads.isEmpty)
        }
    }

    @Test(.needsSwift) func `app groups and events are found in every function`() {
        let code = TargetCode([
            parsed(
                "a.swift",
                """
                enum Names { static let opened = "lab_opened" }
                func save() { _ = PendingStore(appGroup: "group.lab") }
                final class Log {
                    func log() { AppDelegate.braze?.logCustomEvent(name: Names.opened) }
                    let defaults = UserDefaults(suiteName: "YOUR-DOMAIN-IDENTIFIER")
                }
                """)
        ])
        #expect(code.appGroups.map(\.text) == ["YOUR-DOMAIN-IDENTIFIER", "group.lab"])
        #expect(code.events.map(\.text) == ["lab_opened"])
    }

    @Test(.needsSwift) func `of two keys before an else each is needed, and of alternatives one`() {
        func needs(_ statement: String) -> [String] {
            reads(ofPush: statement).reads.map { read in
                let others = read.alternatives.isEmpty ? "" : " or " + read.alternatives.joined(separator: " ")
                return "\(read.key) \(read.requirement.rawValue)\(others)"
            }
        }
        let (a, b) = ("info[\"a\"] as? String", "info[\"b\"] as? String")
        #expect(
            needs("if let x = \(a), let y = \(b) { show(x, y) } else { fatalError() }") == ["a crash", "b crash"])
        #expect(needs("if \(a) == nil || \(b) == nil { exit(1) }") == ["a crash", "b crash"])
        #expect(
            needs("guard \(a) != nil || \(b) != nil else { fatalError() }") == ["a crash or b", "b crash or a"])
        #expect(needs("assert(\(a) != nil)\nguard \(b) != nil else { return }") == ["a optional", "b return"])
        #expect(needs("#if DEBUG\nmake([\"a\": 1])\n#endif\nshow((\(a))!)") == ["a crash"])
    }

    @Test(.needsSwift) func `an attachment is made of the image that Braze sends`() {
        for (statements, requirement) in [
            ("show(all.first!)", .crash), ("show(all[0])", .crash),
            ("guard let one = all.first else { return }\nshow(one)", .return),
            ("guard !all.isEmpty else { return }\nshow(all[0])", .return),
            ("if all.count > 0 { show(all[0]) }", nil), ("show(all.first?.url)", nil),
        ] as [(String, ReadRequirement?)] {
            let all = "let all = notification.request.content.attachments\n"
            let found = reads(ofPush: all + statements).reads
            #expect(found.allSatisfy { $0.path + [$0.key] == ["ab", "att", "url"] }, "\(statements)")
            #expect(found.map(\.requirement) == [requirement].compactMap(\.self), "\(statements)")
        }
    }

    @Test func `what raises, throws or ends the process in Objective-C is a crash`() {
        for ending in ["[NSException raise:@\"a\" format:@\"b\"];", "@throw e;", "abort();"] {
            let code = TargetCode([
                parsed(
                    "a.m",
                    """
                    @implementation Panel
                    - (void)didReceiveNotification:(UNNotification *)notification {
                      NSDictionary *info = notification.request.content.userInfo;
                      if (info[@"a"] && info[@"b"]) { [self show]; } else { \(ending) }
                    }
                    @end
                    """)
            ])
            #expect(code.reads.map(\.requirement) == [.crash, .crash], "\(ending)")
        }
    }

    @Test(.needsSwift) func `only the files that those about pushes need are read`() {
        let files = (0..<50).map { parsed("f\($0).swift", "struct S\($0) {\n" + String(repeating: "(", count: 300)) }
        let keys = parsed("Keys.swift", "enum Keys { static let title = \"title\" }")
        let helper = parsed(
            "Helper.swift", "func text(_ info: [AnyHashable: Any]) -> String? { info[Keys.title] as? String }")
        let handler = parsed("a.swift", "func f(_ n: UNNotification) { print(text(n.request.content.userInfo)!) }")
        let code = TargetCode(files + [keys, helper, handler])
        #expect(code.reads.map(\.key) == ["title"])
        #expect(code.unknownReads.isEmpty)
    }

    @Test func `what a C function reads of its argument is found`() {
        let file = parsed(
            "a.m",
            """
            static NSString *heading(NSDictionary *info) __attribute__((noinline)) {
                return info[@"heading"];
            }

            @implementation Panel
            - (void)didReceiveNotification:(UNNotification *)notification {
                self.title = heading(notification.request.content.userInfo);
            }
            @end

            """)
        let code = TargetCode([file], entryPoint: .content)
        #expect(code.reads.map(\.key) == ["heading"])
        #expect(code.unknownReads.isEmpty)
    }

    @Test(.needsSwift, arguments: ["", ": UIViewController"])
    func `properties of the superclass are read through super`(inheritance: String) {
        let file = parsed(
            "a.swift",
            """
            class Push\(inheritance) {
                var info: [AnyHashable: Any] = [:]
                var payload: [AnyHashable: Any] { self.info }
            }

            final class Offer: Push {
                func show(_ notification: UNNotification) {
                    info = notification.request.content.userInfo
                    print(super.info["stored"] as! String, super.payload["computed"] as! String)
                }
            }
            """)
        let code = TargetCode([file])
        #expect(code.reads.map { "\($0.key) \($0.requirement)" } == ["stored crash", "computed crash"])
        #expect(code.unknownReads.isEmpty)
    }

    @Test(.needsSwift) func `a property of a superclass that is not read is no read of the push`() {
        let file = parsed(
            "a.swift",
            """
            import Panels

            final class Offer: Panel {
                var info: [AnyHashable: Any] = [:]
                func show(_ notification: UNNotification) {
                    info = notification.request.content.userInfo
                    print(super.title, info["key"] as! String)
                }
            }
            """)
        let code = TargetCode([file])
        #expect(code.reads.map { "\($0.key) \($0.requirement)" } == ["key crash"])
        #expect(code.unknownReads.isEmpty)
    }

    @Test(.needsSwift) func `keys are known through the initializers of strings`() {
        let lines = [
            "String(stringLiteral: \"literal\")", "String(format: \"offer_%@\", \"a\")",
            "String(reflecting: \"reflected\")",
            "String(localized: \"localized\")", "NSString(string: \"string\") as String", "String(\"plain\")",
        ]
        let reads = lines.map { "print(info[\($0)] as! String)" }.joined(separator: "\n    ")
        let file = parsed(
            "a.swift",
            """
            func show(_ notification: UNNotification) {
                let info = notification.request.content.userInfo
                \(reads)
            }
            """)
        let code = TargetCode([file])
        #expect(
            code.reads.map(\.key).sorted() == ["literal", "localized", "offer_a", "plain", "reflected", "string"])
        #expect(code.unknownReads.isEmpty)
    }

    @Test(.needsSwift) func `a key that guards test in two ways counts once towards the limit of keys`() {
        let plain = (0..<10).map { "guard info[\"p\($0)\"] != nil else { return }" }
        let tested = (0..<33).map { "guard info[\"t\($0)\"] as? String == \"on\" else { return }" }
        let file = parsed(
            "a.swift",
            """
            func show(_ notification: UNNotification) {
                let info = notification.request.content.userInfo
                \((plain + tested).joined(separator: "\n    "))
                print(info["z"] as! String)
            }
            """)
        let read = TargetCode([file]).reads.first { $0.key == "z" }
        #expect(read?.crashes.first?.condition.keys.count == 43, "\(String(describing: read?.crashes))")
    }

    @Test func saysWhereSwiftIsNotRead() {
        let code = TargetCode([parsed("a.swift", "let a = 1"), parsed("b.swift", "let b = 1")])
        #expect(code.unknownReads.isEmpty == ParsedCode.readsSwift)
        if !ParsedCode.readsSwift { #expect(code.unknownReads.map(\.place.file.path) == ["a.swift"]) }
    }

    /// If each type that has the method evaluated the arguments again, this would take years.
    @Test(.needsSwift) func followsNestedCallsOfAProtocol() {
        let types = (0..<30).map { "struct T\($0): Texts { func t(_ a: String) -> String { a + \"\($0)\" } }\n" }
        let nested = String(repeating: "g().t(", count: 6) + "\"a\"" + String(repeating: ")", count: 6)
        let code = parsed(
            "a.swift",
            """
            protocol Texts { func t(_ a: String) -> String }
            \(types.joined())
            func g() -> Texts { make() }
            func f(_ n: UNNotification) { print(n.request.content.userInfo[\(nested)]!) }
            """)
        let target = TargetCode([code])
        #expect(!target.reads.isEmpty || !target.unknownReads.isEmpty)
    }

    @Test(.needsSwift) func followsChainsOfOperators() {
        let chain = String(repeating: " <~ info", count: 40)
        let code = parsed(
            "a.swift",
            """
            struct Held { static func <~ (a: Held, b: [AnyHashable: Any]) -> Held { show(b["a"]!); return a } }
            func f(_ n: UNNotification) { let info = n.request.content.userInfo; let held = Held(); _ = held\(chain) }
            """)
        let target = TargetCode([code])
        #expect(target.reads.map(\.key) == ["a"])
        #expect(target.unknownReads.isEmpty, "\(target.unknownReads)")
    }

    @Test(.needsSwift) func followsWrappersToWhichAPushIsAssigned() {
        let code = parsed(
            "a.swift",
            """
            @propertyWrapper struct Pair<T> {
                var info: [AnyHashable: Any] = [:]
                init(_ key: String) { self.key = key }
                let key: String
                var wrappedValue: T? { info[key] as? T }
            }
            class Panel: UIViewController, UNNotificationContentExtension {
                @Pair<String>("course") var course
                func didReceive(_ n: UNNotification) { _course.info = n.request.content.userInfo; print(course!) }
            }
            """)
        #expect(!TargetCode([code]).unknownReads.contains { $0.why.contains("whose code is not read") })
    }

    /// Nothing that a file holds may end the process or take it without end.
    @Test func survivesHostileFiles() {
        for text in Self.hostile {
            let swift = "func f(_ n: UNNotification) { let userInfo = n.request.content.userInfo\n" + text
            for (path, text) in [("a.swift", text), ("a.swift", swift), ("a.m", text)] {
                _ = TargetCode([parsed(path, text)])
            }
        }
    }

    private static let hostile = [
        String(repeating: "(", count: 50_000), String(repeating: "if a { ", count: 5_000),
        "let a = " + String(repeating: "b.", count: 20_000) + "c",
        "let a = " + String(repeating: "1 + ", count: 20_000) + "1",
        "let a = " + String(repeating: "x ?? ", count: 20_000) + "1",
        "func f() { " + String(repeating: "{ ", count: 5_000), String(repeating: "enum A { ", count: 5_000),
        "let a = " + String(repeating: "[", count: 20_000), "let a: " + String(repeating: "Optional<", count: 20_000),
        "let a = \"" + String(repeating: "\\(", count: 5_000),
        "let a = userInfo" + String(repeating: "[\"k\"]", count: 20_000),
        "let a = " + String(repeating: "!", count: 20_000), "let a = " + String(repeating: "try ", count: 20_000),
        "- (void)f { id x = " + String(repeating: "[", count: 50_000),
        "@implementation A - (void)f { " + String(repeating: "if (a) { ", count: 50_000),
        "@implementation A - (void)f { id x = " + String(repeating: "!", count: 50_000) + "a; } @end",
        "#define A A A\n#define B(x) B(x) A\nid y = B(A);", "#if 0\n", "/*", "\"", "@\"", "@", "^", "@interface",
        "@implementation A (", "\0", "#define", "@implementation A\n- \":\"\n@end",
        "void f() { x = " + String(repeating: "@", count: 100_000),
        "void f() {" + String(repeating: "a<b;", count: 20_000) + "}",
        String(repeating: "#define a b\n", count: 30_000),
        String(repeating: "#if a\n", count: 20_000), "let x: A" + String(repeating: "->A", count: 50_000),
        "let x = " + String(repeating: "try\n", count: 50_000) + "y",
        "let x = userInfo" + String(repeating: "\n.a(b, c)", count: 50_000),
        "@A" + String(repeating: ".B", count: 100_000) + " class C {}",
        "let a = " + String(repeating: "[", count: 40) + String(repeating: "]", count: 40),
        String(repeating: "if a { ", count: 20) + "let b = \"a\" = \"b\"" + String(repeating: " }", count: 20),
    ]

    /// Long files that people write are not taken for nested ones.
    @Test(.needsSwift) func readsLongFiles() {
        let calls = String(
            repeating: "    view.add(label, at: .top)\n    try? store.save(item!)\n    await go()\n", count: 2_000)
        let list = "let all: [String: Int] = [\n" + String(repeating: "    \"a\": 1 << 2 | 3,\n", count: 5_000) + "]\n"
        let lists = "let a: [[[[[[Int]]]]]] = [[[[[[1, 2], [3]]]]]]\nlet b = [a: [b: [c: [d: [e: [f: [1, 2]]]]]]]\n"
        let members = String(repeating: "    let a: A?\n    var b: B { c ?? d }\n    @State var e = f\n", count: 2_000)
        let code = TargetCode([
            parsed("a.swift", "func f() async {\n\(calls)}\n\(list)struct S {\n\(members)}\n" + "#if DEBUG\n#endif\n"),
            parsed("b.swift", lists),
        ])
        #expect(code.unknownReads.isEmpty, "\(code.unknownReads)")
    }

    /// Code that calls itself in every way.
    @Test func endsOnCycles() {
        let texts = [
            "func f(_ d: [AnyHashable: Any], _ k: String) { f(d, k + \"a\"); g(d, k) }\n"
                + "func g(_ d: [AnyHashable: Any], _ k: String) { f(d, k + \"b\"); g(d, \"\\(k)\\(k)\") }\n"
                + "func h(_ n: UNNotification) { f(n.request.content.userInfo, \"x\") }",
            "let a = b\nlet b = a\nfunc h(_ n: UNNotification) { print(n.request.content.userInfo[a]) }",
            "class A: A { var a: A { a.a } ; func h(_ n: UNNotification) { print(n.request.content.userInfo[a.a.a]) } }",
            "typealias A = B\ntypealias B = A\nfunc h(_ n: UNNotification, _ a: A) { print(n.request.content.userInfo) }",
            "struct S: Decodable { let s: [S]?; let t: S }\nfunc h(_ n: UNNotification) throws {\n"
                + "try JSONDecoder().decode(S.self, from: JSONSerialization.data(withJSONObject: n.request.content.userInfo)) }",
            "extension Dictionary { subscript(k: K) -> Any? { self[k] } }\nenum K { case a }\n"
                + "func h(_ n: UNNotification) { print(n.request.content.userInfo[.a]) }",
            "var a: [Any?] = []\nvar c: ((String) -> Void)?\n"
                + "func h(_ n: UNNotification) { let d = n.request.content.userInfo\nc?(\"x\")\nprint(a[0] as? Int)\n"
                + "c = { k in print(d[k]); a = [d[k], a]; c?(k) }\na = [[d[\"y\"]], c]\n}",
            "func h(_ n: UNNotification) { let d = n.request.content.userInfo\n"
                + "func r(_ k: String) { r(k + \"a\"); r(k + \"b\"); print(d[k]) }\nr(\"x\") }",
            "struct B { func decode<T>(_ type: T.Type) -> T { let d = B(userInfo: userInfo)\nreturn d.decode(T.self) } }",
            "struct B { func f<T, U>(_ t: T.Type, _ u: U.Type) -> T { let d = B(userInfo: userInfo)\n"
                + "return d.f(U.self, T.self) } }",
        ]
        for text in texts { _ = TargetCode([parsed("a.swift", text)]) }
    }
}
