// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestData
import PayloadgenTestSupport
import Testing

/// All commands know what only the code of an app requires.
///
/// The code is Objective-C, which every build can read.
@Suite struct CodeContractTests {
    private static func plist(_ body: String) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\n<dict>\n\(body)\n</dict>\n</plist>\n"
    }

    private static let panel = """
        @implementation Panel
        - (void)didReceiveNotification:(UNNotification *)notification {
          NSDictionary *userInfo = notification.request.content.userInfo;
          NSString *next = userInfo[@"next_session"];
          if (next == nil) { abort(); }
        }
        @end

        """

    private static let app = [
        "ios/App/Info.plist": plist("<key>CFBundlePackageType</key><string>APPL</string>"),
        "ios/Lab/Info.plist": plist(
            """
            <key>NSExtension</key>
            <dict>
            <key>NSExtensionPointIdentifier</key><string>com.apple.usernotifications.content-extension</string>
            <key>NSExtensionPrincipalClass</key><string>Panel</string>
            <key>NSExtensionAttributes</key>
            <dict>
            <key>UNNotificationExtensionCategory</key><string>lab</string>
            <key>UNNotificationExtensionInitialContentSizeRatio</key><real>1</real>
            </dict>
            </dict>
            """
        ),
        ".payloadgen.yml": "version: 1\napps: {Demo: ios}\n", "user.json": "{\"external_id\": \"a\"}",
        "users.ndjson": "{\"external_id\": \"a\"}\n{\"external_id\": \"b\"}\n",
    ]

    private static func campaign(_ extras: String) -> String {
        """
        version: 1
        app: Demo
        push: {title: Hi, category: lab, extras: {\(extras)}}
        tests: [{name: one, profile: user.json, expect: {aps: {category: lab}}}]

        """
    }

    private static let commands = [
        ["lint", "a.campaign.yml"], ["render", "a.campaign.yml", "--profile", "user.json"],
        ["render", "a.campaign.yml", "--profiles", "users.ndjson"], ["test", "a.campaign.yml"],
    ]

    private func expect(
        _ status: Int32,
        _ message: String?,
        in files: [String: String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try withTemporaryFolder(Self.app.merging(files) { $1 }) { folder in
            for command in Self.commands {
                let run = try CommandRun(command, in: URL(filePath: folder))
                #expect(run.status == status, "\(command): \(run.text)", sourceLocation: sourceLocation)
                let isFound = message.map { run.text.contains($0) } ?? !run.text.contains("extras-contract")
                #expect(isFound, "\(command): \(run.text)", sourceLocation: sourceLocation)
            }
        }
    }

    @Test func `a merge conflict in code is the same error in every command`() throws {
        let files = [
            "ios/Lab/Panel.m": "<<<<<<< HEAD\n=======\n>>>>>>> main\n" + Self.panel,
            "a.campaign.yml": Self.campaign("next_session: a"),
        ]
        try withTemporaryFolder(Self.app.merging(files) { $1 }) { folder in
            for command in Self.commands + [["lint"], ["lint", "ios/Lab/Panel.m"], ["app", "ios"]] {
                let run = try CommandRun(command, in: URL(filePath: folder))
                #expect(run.status == (command[0] == "lint" ? 1 : 65), "\(command): \(run.text)")
                #expect(run.text.contains("ios/Lab/Panel.m:1:1: error: the file has a merge conflict here"))
            }
        }
    }

    @Test func `a merge conflict in code that is a warning is printed once`() throws {
        let files = [
            "ios/Lab/Panel.m": "<<<<<<< HEAD\n=======\n>>>>>>> main\n" + Self.panel,
            "a.campaign.yml": Self.campaign("next_session: a"), "b.campaign.yml": Self.campaign("next_session: b"),
        ]
        let text = ["render", "a.campaign.yml", "--profile", "user.json", "--format", "text"]
        try withTemporaryFolder(Self.app.merging(files) { $1 }) { folder in
            for command in Self.commands + [text, ["test", "a.campaign.yml", "b.campaign.yml"]] {
                let run = try CommandRun(command + ["--rule", "unread-file=warning"], in: URL(filePath: folder))
                let found = run.text.ranges(of: "warning: the file has a merge conflict here")
                #expect(run.status == 0 && found.count == 1, "\(command): \(run.text)")
            }
        }
    }

    @Test func `a broken list of the app that is no error is shown with its path`() throws {
        let files = [
            "ios/Lab/Panel.m": Self.panel, "a.campaign.yml": Self.campaign("next_session: a"),
            "ios/Other/Info.plist": "x",
        ]
        try withTemporaryFolder(Self.app.merging(files) { $1 }) { folder in
            for level in ["info", "warning"] {
                let command = ["render", "a.campaign.yml", "--profile", "user.json", "--format", "text"]
                let run = try CommandRun(command + ["--rule", "plist-syntax=\(level)"], in: URL(filePath: folder))
                #expect(run.status == 0 && run.output.contains("the message passed its checks, but the app did not:"))
                #expect(run.output.ranges(of: "ios/Other/Info.plist:1:1: \(level): ").count == 1, "\(run.text)")
                #expect(run.output.ranges(of: "(plist-syntax)").count == 1, "\(run.text)")
            }
        }
    }

    @Test func `a pair that code crashes without has to be sent`() throws {
        let message = "'next_session' is not sent, and code reads it and crashes without it (extras-contract)"
        let files = ["ios/Lab/Panel.m": Self.panel, "a.campaign.yml": Self.campaign("next: a")]
        try expect(1, message, in: files)
        try expect(0, nil, in: files.merging(["a.campaign.yml": Self.campaign("next_session: a")]) { $1 })
    }

    @Test(.needsSwift) func `a value at which code certainly crashes fails its message`() throws {
        let files = [
            "ios/Lab/Panel.swift": """
            @objc(Panel) class Panel: UIViewController, UNNotificationContentExtension {
                func didReceive(_ notification: UNNotification) {
                    show(Int(notification.request.content.userInfo["count"] as! String)!)
                }
            }

            """,
            "a.campaign.yml": """
            version: 1
            app: Demo
            push: {title: Hi, category: lab, extras: {count: "{{ custom_attribute.${count} }}"}}

            """,
            "users.ndjson": ["2", "many", "3"].map { "{\"custom_attributes\": {\"count\": \"\($0)\"}}\n" }.joined(),
        ]
        try withTemporaryFolder(Self.app.merging(files) { $1 }) { folder in
            let lint = try CommandRun(["lint", "a.campaign.yml", "ios"], in: URL(filePath: folder))
            #expect(lint.status == 0)
            let run = try CommandRun(
                ["render", "a.campaign.yml", "--profiles", "users.ndjson"], in: URL(filePath: folder))
            #expect(run.status == 2)
            let failed = run.output.split(separator: "\n").map { $0.contains("\"status\":\"failed\"") }
            #expect(failed == [false, true, false], "\(run.text)")
        }
    }

    @Test func `a key that the app gives to its own notifications is demanded all the same`() throws {
        let writing = """
            @implementation AppDelegate
            - (void)remind {
              UNMutableNotificationContent *content = [[UNMutableNotificationContent alloc] init];
              content.userInfo = @{@"next_session": @"Segments"};
            }
            @end

            """
        let files = ["ios/Lab/Panel.m": Self.panel, "ios/App/AppDelegate.m": writing]
        let message = "crashes without it (extras-contract)"
        try expect(1, message, in: files.merging(["a.campaign.yml": Self.campaign("")]) { $1 })
    }

    @Test(.needsSwift) func `what code does with a value is compared with what is rendered for each user`() throws {
        let panel = """
            class Panel: UIViewController, UNNotificationContentExtension {
                func didReceive(_ notification: UNNotification) {
                    let info = notification.request.content.userInfo
                    show(Int(info["count"] as! String)!, info["name"] as! String)
                }
            }

            """
        let users = """
            {"external_id": "a", "custom_attributes": {"n": 3, "name": "\\"Ana\\""}}
            {"external_id": "b", "custom_attributes": {"n": 3.5, "name": "\\"Ben\\""}}
            {"external_id": "c", "custom_attributes": {"n": 3, "name": 4}}

            """
        let pairs = "count: '{{ custom_attribute.${n} }}', name: '$json:{{ custom_attribute.${name} }}'"
        let files = [
            "ios/Lab/Panel.swift": panel, "users.ndjson": users, "a.campaign.yml": Self.campaign(pairs),
        ]
        try withTemporaryFolder(Self.app.merging(files) { $1 }) { folder in
            let run = try CommandRun(
                ["render", "a.campaign.yml", "--profiles", "users.ndjson"], in: URL(filePath: folder))
            let records = run.output.split(separator: "\n").map(String.init)
            let messages = [
                "'count' is sent as '3.5', for which 'Int(…)' is nil, and code crashes then",
                "'name' is sent as JSON, as a number, and code casts it to a string, which fails",
            ]
            #expect(run.status == 2, "\(run.text)")
            #expect(
                records.map { record in messages.map(record.contains) } == [
                    [false, false], [true, false], [false, true],
                ],
                "\(run.text)")
        }
    }

    /// The code of the extension is in a local package, whose folder does not have the name of the product.
    @Test func `the sources of packages are read`() throws {
        let project = XcodeProjectText([
            .init("App", type: "application", ["INFOPLIST_FILE": "App/Info.plist"], embeds: ["Lab"]),
            .init("Lab", ["INFOPLIST_FILE": "Lab/Info.plist"]),
        ]).text
            .replacing("isa = PBXNativeTarget;", with: "isa = PBXNativeTarget; packageProductDependencies = ( PD );")
            .replacing(
                "objects = {\n",
                with: """
                    objects = {
                    PD = { isa = XCSwiftPackageProductDependency; productName = PushKit; };
                    PK = { isa = XCLocalSwiftPackageReference; relativePath = Packages/Push; };

                    """
            )
        let manifest = """
            let package = Package(name: "Push", products: [.library(name: "PushKit", targets: ["Core"])], targets: [
                .target(name: "Core", dependencies: ["Missing"], path: "Code"), .target(name: "Missing"),
            ])

            """
        let files = [
            "ios/Demo.xcodeproj/project.pbxproj": project, "ios/Packages/Push/Package.swift": manifest,
            "ios/Packages/Push/Code/Panel.m": Self.panel, "a.campaign.yml": Self.campaign("next: a"),
        ]
        try expect(1, "crashes without it (extras-contract)", in: files)
        try withTemporaryFolder(Self.app.merging(files) { $1 }) { folder in
            let lint = try CommandRun(["lint", "."], in: URL(filePath: folder))
            let gap = "the sources of the target 'Missing' of the package 'ios/Packages/Push' are not found"
            #expect(lint.output.contains(gap), "\(lint.text)")
        }
    }

    private static let linked = XcodeProjectText([
        .init("App", type: "application", ["INFOPLIST_FILE": "App/Info.plist"], embeds: ["Lab"]),
        .init("Lab", ["INFOPLIST_FILE": "Lab/Info.plist"]),
    ]).text
        .replacing("isa = PBXNativeTarget;", with: "isa = PBXNativeTarget; packageProductDependencies = ( PD );")
        .replacing(
            "objects = {\n",
            with: "objects = {\nPD = { isa = XCSwiftPackageProductDependency; productName = PushKit; };\n"
        )

    private static func manifest(_ name: String, _ packages: String = "", _ dependencies: String = "") -> String {
        """
        let package = Package(name: "\(name)", products: [.library(name: "\(name)", targets: ["\(name)"])],
            dependencies: [\(packages)], targets: [.target(name: "\(name)", dependencies: [\(dependencies)])])

        """
    }

    /// Xcode finds the packages of a project also in the workspace around it.
    @Test(arguments: ["group:ios/Packages/PushKit", "container:ios/Packages/PushKit", "nested"])
    func `the sources of packages in the workspace are read`(_ location: String) throws {
        let reference =
            location == "nested"
            ? "<Group location = \"group:ios\"><FileRef location = \"group:Packages/PushKit\"></FileRef></Group>"
            : "<FileRef location = \"\(location)\"></FileRef>"
        let files = [
            "ios/Demo.xcodeproj/project.pbxproj": Self.linked,
            "Demo.xcworkspace/contents.xcworkspacedata": "<Workspace version = \"1.0\">\(reference)</Workspace>\n",
            "ios/Packages/PushKit/Package.swift": Self.manifest(
                "PushKit", ".package(path: \"../Core\")", ".product(name: \"Core\", package: \"Core\")"),
            "ios/Packages/PushKit/Sources/PushKit/Other.m": "void f(void) {}\n",
            "ios/Packages/Core/Package.swift": Self.manifest("Core"),
            "ios/Packages/Core/Sources/Core/Panel.m": Self.panel, "a.campaign.yml": Self.campaign("next: a"),
        ]
        try expect(1, "crashes without it (extras-contract)", in: files)
    }

    @Test func `packages and projects that are not found are named`() throws {
        let package = [
            "ios/Demo.xcodeproj/project.pbxproj": Self.linked, "ios/Lab/Panel.m": Self.panel,
            "a.campaign.yml": Self.campaign("next_session: a"),
        ]
        let project = [
            "Demo.xcworkspace/contents.xcworkspacedata":
                "<Workspace><FileRef location = \"group:ios/Demo.xcodeproj\"/></Workspace>\n",
            "ios/Lab/Panel.m": Self.panel, "a.campaign.yml": Self.campaign("next_session: a"),
        ]
        let escaped = project.merging([
            "Demo.xcworkspace/contents.xcworkspacedata":
                "<Workspace><Group location = 'container:R&amp;D'><FileRef location = 'group:Demo.xcodeproj'/></Group>"
                + "</Workspace>\n"
        ]) { $1 }
        let several = project.merging([
            "Demo.xcworkspace/contents.xcworkspacedata":
                "<Workspace><FileRef location = 'group:A.xcodeproj'/><FileRef location = 'group:B.xcodeproj'/></Workspace>"
        ]) { $1 }
        let unreadable = project.merging([
            "Demo.xcworkspace/contents.xcworkspacedata": "<<<<<<< HEAD\n<Workspace></Workspace>\n"
        ]) { $1 }
        let expected = [
            "the sources of the package product 'PushKit' are not found",
            "'Demo.xcworkspace' names the project 'ios/Demo.xcodeproj', which does not exist",
            "'Demo.xcworkspace' names the project 'R&D/Demo.xcodeproj', which does not exist",
            "'Demo.xcworkspace' names projects 'A.xcodeproj', 'B.xcodeproj', which do not exist",
            "'Demo.xcworkspace/contents.xcworkspacedata' cannot be read",
        ]
        for (files, gap) in zip([package, project, escaped, several, unreadable], expected) {
            try withTemporaryFolder(Self.app.merging(files) { $1 }) { folder in
                let lint = try CommandRun(["lint", "."], in: URL(filePath: folder))
                #expect(lint.output.contains(gap), "\(lint.text)")
            }
        }
    }
}
