// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestSupport
import Testing

/// Tests `app --write-extras` with the code of extensions, in Objective-C so that every build can read it.
@Suite struct WrittenExtrasTests {
    private static func plist(_ body: String) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\n<dict>\n\(body)\n</dict>\n</plist>\n"
    }

    private static func extensionPlist(_ point: String, _ attributes: String = "") -> String {
        plist(
            """
            <key>NSExtension</key>
            <dict>
            <key>NSExtensionPointIdentifier</key><string>com.apple.usernotifications.\(point)</string>
            <key>NSExtensionPrincipalClass</key><string>Panel</string>
            \(attributes)
            </dict>
            """
        )
    }

    private static let files = [
        "App/Info.plist": plist("<key>CFBundlePackageType</key><string>APPL</string>"),
        "Lab/Info.plist": extensionPlist(
            "content-extension",
            """
            <key>NSExtensionAttributes</key>
            <dict>
            <key>UNNotificationExtensionCategory</key><string>lab</string>
            <key>UNNotificationExtensionInitialContentSizeRatio</key><real>1</real>
            </dict>
            """
        ),
        "Lab/Panel.m": """
        @implementation Panel
        - (void)didReceiveNotification:(UNNotification *)notification {
          NSDictionary *userInfo = notification.request.content.userInfo;
          NSString *next = userInfo[@"next_session"];
          if (next == nil) { return; }
          NSInteger count = [userInfo[@"count"] integerValue];
          NSURL *link = [NSURL URLWithString:userInfo[@"link: a"]];
          NSArray *lines = userInfo[@"lines"];
          NSString *from = userInfo[@"fetched"];
          NSString *alert = userInfo[@"aps"][@"alert"];
        }
        @end

        """,
        "Service/Info.plist": extensionPlist("service"),
        "Service/Service.m": """
        @implementation Service
        - (void)didReceiveNotificationRequest:(UNNotificationRequest *)request
            withContentHandler:(void (^)(UNNotificationContent *))contentHandler {
          UNMutableNotificationContent *content = [request.content mutableCopy];
          NSMutableDictionary *userInfo = [content.userInfo mutableCopy];
          userInfo[@"fetched"] = @"yes";
          NSString *picture = userInfo[@"picture"];
          for (NSString *key in userInfo) { NSLog(@"%@", userInfo[key]); }
          content.userInfo = userInfo;
          contentHandler(content);
        }
        @end

        """,
    ]

    private func run(_ arguments: [String], in folder: String) throws -> CommandRun {
        try CommandRun(["app"] + arguments, in: URL(filePath: folder))
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test func `the files follow from the code`() throws {
        try withTemporaryFolder(Self.files) { folder in
            let missing = try run([".", "--write-extras", "--check"], in: folder)
            #expect(
                missing.status == 1 && missing.errors.contains("'Lab/payloadgen.extras.yml' is missing"), "\(missing)"
            )
            #expect(!FileManager.default.fileExists(atPath: folder + "/Lab/payloadgen.extras.yml"))
            let written = try run([".", "--write-extras"], in: folder)
            #expect(written.status == 0)
            let lab = try text(folder + "/Lab/payloadgen.extras.yml")
            let service = try text(folder + "/Service/payloadgen.extras.yml")
            expectSnapshot(
                "\(written.text)--- Lab\n\(lab)--- Service\n\(service)",
                named: "write-extras.txt",
                in: "Snapshots/Project"
            )
            #expect(try run([".", "--write-extras", "--check"], in: folder).status == 0)
            let lint = try CommandRun(["lint", "."], in: URL(filePath: folder))
            #expect(!lint.output.contains("extras-drift"), "\(lint.output)")
        }
    }

    @Test func `what people have declared stays where the code does not say otherwise`() throws {
        var files = Self.files
        // The code accepts any text here, so the file may promise a narrower type.
        files["Lab/payloadgen.extras.yml"] = """
            # Agreed with marketing.

            # Of the next lesson.
            next_session: {type: url} # an https link
            # payloadgen:disable extras-drift
            count: {type: string}
            old:
              type: string # read by the watch app
            # The end.

            """
        // The reads of this code are not known, so the file's declarations are kept.
        files["Service/payloadgen.extras.yml"] = "looped: {type: integer, required: true}\n"
        try withTemporaryFolder(files) { folder in
            let written = try run([".", "--write-extras"], in: folder)
            #expect(written.errors.contains("kept 'looped' of 'Service/payloadgen.extras.yml'"), "\(written.errors)")
            let lab = try text(folder + "/Lab/payloadgen.extras.yml")
            #expect(written.errors.contains("kept 'old' of 'Lab/payloadgen.extras.yml'"), "\(written.errors)")
            #expect(
                lab == """
                    # The key-value pairs that Lab reads; 'payloadgen app --write-extras' writes this file.
                    # Agreed with marketing.

                    count: {type: integer} # payloadgen:disable extras-drift
                    lines: {type: json}
                    "link: a": {type: url}
                    # Of the next lesson.
                    next_session: {type: url, required: true} # an https link
                    # No read of this key-value pair was found:
                    old: {type: string} # read by the watch app
                    # The end.

                    """
            )
            #expect(try run([".", "--write-extras", "--check"], in: folder).status == 0)
            let service = try text(folder + "/Service/payloadgen.extras.yml")
            #expect(service.contains("looped: {type: integer, required: true}\n"))
        }
    }

    @Test func `a file of comments alone keeps them`() throws {
        var files = Self.files
        files["Lab/payloadgen.extras.yml"] = "# Agreed with marketing.\n# payloadgen:disable empty-key\n"
        try withTemporaryFolder(files) { folder in
            _ = try run([".", "--write-extras"], in: folder)
            let lab = try text(folder + "/Lab/payloadgen.extras.yml")
            #expect(lab.contains("\n# Agreed with marketing.\n# payloadgen:disable empty-key\n\n"), "\(lab)")
            #expect(try run([".", "--write-extras", "--check"], in: folder).status == 0)
        }
    }

    @Test func `a file that cannot be read is not replaced`() throws {
        var files = Self.files
        files["Lab/payloadgen.extras.yml"] = "coupon: {type: string\n"
        try withTemporaryFolder(files) { folder in
            let run = try run([".", "--write-extras"], in: folder)
            #expect(run.status == 65 && run.errors.contains("Lab/payloadgen.extras.yml:"), "\(run.text)")
            #expect(try text(folder + "/Lab/payloadgen.extras.yml") == "coupon: {type: string\n")
        }
    }

    @Test func `the app has a file of its own, and no file says that nothing is read`() throws {
        var files = Self.files
        files["App/AppDelegate.m"] = """
            @implementation AppDelegate
            - (void)application:(UIApplication *)application
                didReceiveRemoteNotification:(NSDictionary *)userInfo {
              NSString *link = userInfo[@"deep_link"];
            }
            @end

            """
        files["Service/Service.m"] = """
            @implementation Service
            - (void)didReceiveNotificationRequest:(UNNotificationRequest *)request
                withContentHandler:(void (^)(UNNotificationContent *))contentHandler {
              for (NSString *key in request.content.userInfo) { NSLog(@"%@", key); }
            }
            @end

            """
        try withTemporaryFolder(files) { folder in
            let written = try run([".", "--write-extras"], in: folder)
            let reason = "none of the keys that 'Service' reads could be determined"
            #expect(written.errors.contains("\(reason), so its file is not written"))
            #expect(!FileManager.default.fileExists(atPath: folder + "/Service/payloadgen.extras.yml"))
            #expect(try text(folder + "/App/payloadgen.extras.yml").contains("deep_link: {type: string}\n"))
            #expect(try run([".", "--write-extras", "--check"], in: folder).status == 0)
        }
    }

    @Test func `init takes the pairs from the code`() throws {
        try withTemporaryFolder(Self.files) { folder in
            let made = try CommandRun(["init", "."], in: URL(filePath: folder))
            #expect(made.status == 0, "\(made.text)")
            let campaign = try text(folder + "/templates/lab.campaign.yml")
            #expect(
                campaign.contains("    next_session: \"{{ custom_attribute.${next_session} | default: 'text' }}\"\n"))
            #expect(campaign.contains("    count: \"{{ custom_attribute.${count} | default: 0 }}\"\n"))
            // The service extension adds this pair, so campaigns do not send it.
            #expect(!campaign.contains("fetched:"))
            let lint = try CommandRun(["lint", "."], in: URL(filePath: folder))
            #expect(!lint.output.contains("extras-contract") && !lint.output.contains("extras-unread"))
        }
    }

    @Test func `an app without code is refused`() throws {
        try withTemporaryFolder(["App/Info.plist": Self.files["App/Info.plist"] ?? ""]) { folder in
            let refused = try run([".", "--write-extras"], in: folder)
            #expect(refused.status == 65 && refused.errors.contains("or of an extension was found"), "\(refused)")
            #expect(try run([".", "--check"], in: folder).status == 64)
        }
    }
}
