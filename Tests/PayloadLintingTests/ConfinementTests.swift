// SPDX-License-Identifier: MIT

import DiagnosticSources
import FindingReports
import Foundation
import PayloadKit
import PayloadLinting
import PayloadgenTestSupport
import Testing

/// Nothing outside of a project is read, whatever its files name, and what is not read is reported.
@Suite struct ConfinementTests {
    private let secret = "hunter2"

    private func content(_ category: String) -> String {
        RuleExample.File.contentExtension(
            category: "<key>UNNotificationExtensionCategory</key>\n<string>\(category)</string>"
        ).text
    }

    private func project(
        settings: [String: String] = ["INFOPLIST_FILE": "E/Info.plist"],
        xcconfig: String? = nil
    ) -> String {
        XcodeProjectText(
            [
                XcodeProjectText.Target("App", type: "application", [:], embeds: ["E"]),
                XcodeProjectText.Target("E", settings),
            ],
            configurationFile: xcconfig
        ).text
    }

    @Test(arguments: ["SOURCE_ROOT", "<absolute>"])
    func `code outside of the project is not read, and that is reported`(tree: String) throws {
        let secret =
            "@implementation N\n- (void)a:(UNNotification *)n { [self b:n.request.content.userInfo[\(secret)]]; }\n@end\n"
        let list =
            "<plist version=\"1.0\"><dict><key>CFBundleIdentifier</key><string>a</string>"
            + "<key>LSRequiresIPhoneOS</key><true/></dict></plist>"
        try withTemporaryFolder(["out/y.m": secret, "p/.payloadgen.yml": "", "p/App/Info.plist": list]) { folder in
            let path = tree == "SOURCE_ROOT" ? "../out/y.m" : folder + "/out/y.m"
            let project = """
                // !$*UTF8*$!
                {rootObject = R; objects = {
                R = {isa = PBXProject; buildConfigurationList = CL; targets = (T);};
                T = {isa = PBXNativeTarget; name = App; productType = "com.apple.product-type.application";
                buildConfigurationList = CL; buildPhases = (P);};
                CL = {isa = XCConfigurationList; buildConfigurations = (C); defaultConfigurationName = Release;};
                C = {isa = XCBuildConfiguration; name = Release; buildSettings = {INFOPLIST_FILE = App/Info.plist;};};
                P = {isa = PBXSourcesBuildPhase; files = (F);};
                F = {isa = PBXBuildFile; fileRef = Q;};
                Q = {isa = PBXFileReference; sourceTree = "\(tree)"; path = "\(path)";};
                }; }
                """
            let file = URL(filePath: folder + "/p/X.xcodeproj/project.pbxproj")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(project.utf8).write(to: file)
            let outcome = try Linter(options: ProjectOptions(workingFolder: folder + "/p")).check(["."])
            let found = outcome.diagnostics.filter { $0.rule.name == "unreadable-read" }
            #expect(found.count == 1 && found[0].place?.file.path == "App/Info.plist", "\(outcome.diagnostics)")
            #expect(found.first?.message.contains("leads out of the project") == true, "\(outcome.diagnostics)")
            #expect(outcome.files.allSatisfy { !$0.contains("/out/") })
        }
    }

    /// Checks a project in the folder `p` beside what is outside of it.
    private func expect(
        _ expected: [String],
        in files: [String: String],
        links: [String: String] = [:],
        pipes: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let outside = [
            "secret.xcconfig": "CATEGORY = \(secret)\n", "secret/Info.plist": content(secret),
            "secret/secret.liquid": secret, "secret.yml": "\(secret): 1\n",
            "p/.git/config": "CATEGORY = \(secret)\n",
        ]
        try withTemporaryFolder(outside.merging(files.map { ("p/" + $0.key, $0.value) }) { $1 }) { folder in
            for (path, target) in links {
                try FileManager.default.createSymbolicLink(atPath: "\(folder)/p/\(path)", withDestinationPath: target)
            }
            for path in pipes { #expect(mkfifo("\(folder)/p/\(path)", 0o600) == 0) }
            let outcome = try Linter(options: ProjectOptions(workingFolder: folder + "/p")).check(["."])
            let found = outcome.diagnostics.filter { $0.severity > .info }.map {
                "\($0.place?.file.path ?? "-") \($0.rule.name)"
            }
            #expect(found == expected, "\(outcome.diagnostics.map(\.message))", sourceLocation: sourceLocation)
            for format in ReportFormat.allCases {
                var buffer = ByteBuffer()
                let tool = Report.Tool(name: "t", version: "1")
                format.write(Report(tool: tool, rules: [], diagnostics: outcome.diagnostics), into: &buffer)
                #expect(!buffer.string().contains(secret), "\(format)", sourceLocation: sourceLocation)
            }
        }
    }

    @Test(arguments: [
        "../../secret.xcconfig", "../.git/config", "/proc/self/environ", "/dev/zero", "/etc/passwd",
    ])
    func `build settings are read inside of the project alone`(path: String) throws {
        let named = project(xcconfig: path).replacing(
            "path = \"/",
            with: "sourceTree = \"<absolute>\"; path = \"/"
        ).replacing("\"; sourceTree = \"<group>\"; };\nP", with: "\"; };\nP")
        let files = ["A.xcodeproj/project.pbxproj": named, "E/Info.plist": content("$(CATEGORY)")]
        try expect(["A.xcodeproj/project.pbxproj unread-file"], in: files)
        let including = [
            "A.xcodeproj/project.pbxproj": project(xcconfig: "a.xcconfig"), "E/Info.plist": content("$(CATEGORY)"),
            "Config/a.xcconfig": "#include \"\(path)\"\n",
        ]
        try expect(["Config/a.xcconfig unread-file"], in: including)
    }

    @Test func `links are followed before paths are compared`() throws {
        var files = [
            "A.xcodeproj/project.pbxproj": project(xcconfig: "a.xcconfig"), "E/Info.plist": content("$(CATEGORY)"),
            "Config/b.xcconfig": "CATEGORY = lab",
        ]
        try expect(
            ["A.xcodeproj/project.pbxproj unread-file"],
            in: files,
            links: ["Config/a.xcconfig": "../../secret.xcconfig"]
        )
        try expect([], in: files, links: ["Config/a.xcconfig": "b.xcconfig"])
        files["A.xcodeproj/project.pbxproj"] = project()
        files["E/Info.plist"] = nil
        files["E/x.txt"] = ""
        try expect(["E/Info.plist unread-file"], in: files, links: ["E/Info.plist": "../../secret/Info.plist"])
        try expect(["E/Info.plist unread-file"], in: files, links: ["E/Info.plist": "nowhere"])
    }

    @Test func `links to folders are not followed, and those to other folders are reported`() throws {
        let files = ["p/a.campaign.yml": "version: 1\npush: {title: Hi}\n", "p/in/x.txt": "", "secret/b.txt": secret]
        try withTemporaryFolder(files) { folder in
            for (name, target) in [("same", "in"), ("other", "../secret"), ("bazel-out", "../secret")] {
                try FileManager.default.createSymbolicLink(
                    atPath: "\(folder)/p/\(name)", withDestinationPath: target)
            }
            let found = try Linter(options: ProjectOptions(workingFolder: folder + "/p")).lint(["."])
            let unread = found.filter { $0.rule.name == "unread-file" }
            #expect(unread.map { $0.place?.file.path } == ["other"], "\(found.map(\.message))")
        }
    }

    @Test(arguments: ["../secret/Info.plist", "/etc/passwd", ".git/config", "/dev/zero"])
    func `a property list that a target names is inside of the project`(path: String) throws {
        let settings = ["INFOPLIST_FILE": path]
        try expect(
            ["A.xcodeproj/project.pbxproj unread-file"],
            in: ["A.xcodeproj/project.pbxproj": project(settings: settings)]
        )
    }

    @Test func `pipes are reported and never waited for`() throws {
        let files = ["A.xcodeproj/project.pbxproj": project(xcconfig: "a.xcconfig"), "Config/x": "", "E/x": ""]
        try expect(
            ["A.xcodeproj/project.pbxproj unread-file", "E/Info.plist unread-file"],
            in: files,
            pipes: ["Config/a.xcconfig", "E/Info.plist"]
        )
    }

    @Test func `what a campaign names is inside of the project`() throws {
        func campaign(_ rest: String) -> [String: String] {
            ["t/a.campaign.yml": "version: 1\npush: {title: Hi}\n" + rest]
        }
        try expect(["t/a.campaign.yml campaign-syntax"], in: campaign("fixtures: ../../secret.yml\n"))
        try expect(["t/a.campaign.yml campaign-syntax"], in: campaign("fixtures: /proc/self/environ\n"))
        try expect(["t/a.campaign.yml campaign-syntax"], in: campaign("content_blocks: ../../secret\n"))
        try expect(["t/a.campaign.yml campaign-syntax"], in: campaign("content_blocks: ../.git\n"))
        try expect(
            ["t/a.campaign.yml campaign-syntax", "t/blocks/secret.liquid unread-file"],
            in: campaign("content_blocks: blocks\n").merging(["t/blocks/b.liquid": "Hi"]) { $1 },
            links: ["t/blocks/secret.liquid": "../../../secret/secret.liquid"]
        )
        try expect(["t/a.campaign.yml campaign-syntax"], in: campaign("fixtures: f.yml\n"), pipes: ["t/f.yml"])
        try expect([], in: campaign("fixtures: ../f.yml\n").merging(["f.yml": "connected_content: []\n"]) { $1 })
    }

    @Test func `the configuration names apps inside of the project`() throws {
        let files = ["ios/Info.plist": content("lab"), "p/.payloadgen.yml": "apps: {A: ../ios}\n"]
        try withTemporaryFolder(files) { folder in
            #expect(throws: InputError.self) { try ProjectConfiguration.nearest(to: folder + "/p") }
            let link = folder + "/p/.payloadgen.yml"
            try FileManager.default.removeItem(atPath: link)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/etc/passwd")
            let error = #expect(throws: InputError.self) { try ProjectConfiguration.nearest(to: folder + "/p") }
            #expect(error?.diagnostics.map(\.rule.name) == ["unread-file"])
        }
    }

    @Test func `an app is read inside of its project, by itself as well`() throws {
        let files = [
            "secret.xcconfig": "CATEGORY = \(secret)\n", "p/.git/HEAD": "", "p/E/Info.plist": content("$(CATEGORY)"),
            "p/App/Info.plist": RuleExample.File.app().text,
            "p/A.xcodeproj/project.pbxproj": project(xcconfig: "../../secret.xcconfig"),
        ]
        try withTemporaryFolder(files) { folder in
            let error = #expect(throws: InputError.self) { try App(contentsOf: folder + "/p") }
            #expect(error?.diagnostics.map(\.rule.name) == ["unread-file"])
            try FileManager.default.removeItem(atPath: folder + "/p/.git")
            #expect(throws: InputError.self) { try App(contentsOf: folder + "/p") }
            try "".write(toFile: folder + "/.payloadgen.yml", atomically: true, encoding: .utf8)
            let app = try App(contentsOf: folder + "/p")
            #expect(app.contentExtensions.flatMap(\.categories).map(\.value) == [secret])
        }
    }
}
