// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadKit
import PayloadLinting
import PayloadgenTestSupport
import Testing

/// Small files that ask for much: each ends, and what was not checked is reported.
@Suite struct LimitTests {
    private func lint(
        _ files: [String: String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [Diagnostic] {
        var found: [Diagnostic] = []
        let stopwatch = ProcessorStopwatch()
        let start = stopwatch.nanoseconds()
        try withTemporaryFolder(files) { folder in
            found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."])
                .filter { $0.rule.name != "campaign-without-app" }
        }
        // Each took minutes or did not end at all.
        #expect(stopwatch.nanoseconds() - start < 60_000_000_000, sourceLocation: sourceLocation)
        return found
    }

    private func project(_ targets: String, _ objects: String, configurations: String = "C") -> String {
        """
        { objects = {
        P = { isa = PBXProject; buildConfigurationList = N; targets = ( \(targets) ); };
        G = { isa = PBXGroup; children = ( F ); sourceTree = "<group>"; };
        F = { isa = PBXFileReference; path = a.xcconfig; sourceTree = "<group>"; };
        L = { isa = XCConfigurationList; buildConfigurations = ( \(configurations) ); };
        \(objects)
        }; rootObject = P; }
        """
    }

    private func target(_ id: String) -> String {
        """
        \(id) = { isa = PBXNativeTarget; name = \(id); productType = "com.apple.product-type.application";
            buildConfigurationList = L; };

        """
    }

    private func configuration(_ id: String, _ settings: String, base: String = "") -> String {
        "\(id) = { isa = XCBuildConfiguration; name = \(id); \(base) buildSettings = { \(settings) }; };\n"
    }

    private func repeated(_ count: Int, _ text: (Int) -> String) -> String { (0..<count).map(text).joined() }

    @Test(arguments: ["{% for i in (1..a[", "{{ ((", "{% if a[[ "])
    func `brackets that nobody closes take no stack`(start: String) throws {
        let open = String(repeating: String(start.suffix(2)), count: 30_000)
        let campaign = "version: 1\npush:\n  title: Hi\n  body: \"\(start)\(open)9) %}{% endfor %}\"\n"
        #expect(try !lint(["a.campaign.yml": campaign]).isEmpty)
    }

    @Test func `a target that is listed thousands of times is one`() throws {
        let settings = configuration("C", "INFOPLIST_FILE = Info.plist;")
        let text = project(repeated(5_000) { _ in "T, " }, target("T") + settings)
        #expect(try lint(["A.xcodeproj/project.pbxproj": text]).map(\.rule.name) == ["missing-file"])
    }

    @Test func `targets times configurations have a limit`() throws {
        let names = (0..<101).map { "C\($0)" }
        let settings = names.map { configuration($0, "INFOPLIST_FILE = Info.plist;") }.joined()
        let text = project(
            repeated(101) { "T\($0), " },
            repeated(101) { target("T\($0)") } + settings,
            configurations: names.joined(separator: ", ")
        )
        let found = try lint(["A.xcodeproj/project.pbxproj": text])
        let expected = ["missing-file", "over-limit", "over-limit", "over-limit"]
        #expect(found.map(\.rule.name) == expected, "\(found.map(\.message))")
    }

    @Test func `references in references take linear time`() throws {
        let open = String(repeating: "$(", count: 8_000)
        let closed = open + String(repeating: ")", count: 8_000)
        let settings = configuration("C", "INFOPLIST_FILE = \"\(open)\"; A = \"\(closed)\";")
        let text = project("T", target("T") + settings)
        let plist = RuleExample.File.contentExtension(
            category: "<key>UNNotificationExtensionCategory</key>\n<string>$(A)\(open)</string>"
        ).text
        let found = try lint(["A.xcodeproj/project.pbxproj": text, "Info.plist": plist])
        #expect(Set(found.map(\.rule.name)) == ["unresolved-build-setting", "orphan-plist"])
    }

    @Test func `files that include each other are counted as often as they are included`() throws {
        let names = (0..<90).map { "C\($0)" }
        let settings = names.map { configuration($0, "", base: "baseConfigurationReference = F;") }.joined()
        var files = [
            "A.xcodeproj/project.pbxproj": project(
                "T",
                target("T") + settings,
                configurations: names.joined(separator: ", ")
            )
        ]
        // Each of 12 files includes the next one six times.
        for level in 0..<12 {
            let name = level == 0 ? "a" : "a\(level)"
            files[name + ".xcconfig"] = String(repeating: "#include \"a\(level + 1).xcconfig\"\n", count: 6)
        }
        files["a12.xcconfig"] = "A = 1\n"
        let found = try lint(files)
        #expect(found.map(\.rule.name) == ["over-limit"])
        #expect(found.first?.message.contains("200000 lines") == true)
        files = files.filter { !$0.key.hasSuffix(".xcconfig") }
        for level in 0...16 {
            let name = level == 0 ? "a" : "a\(level)"
            files[name + ".xcconfig"] = "#include \"a\(level + 1).xcconfig\"\n"
        }
        let message = "#include is nested deeper than the limit of 16 files; this one is not read"
        #expect(try lint(files).map(\.message) == [message])
    }

    @Test func `a configuration file that includes itself is skipped there`() throws {
        let settings = configuration("Debug", "", base: "baseConfigurationReference = F;")
        let files = [
            "A.xcodeproj/project.pbxproj": project("T", target("T") + settings, configurations: "Debug"),
            "a.xcconfig": repeated(500) { _ in "#include \"b.xcconfig\"\n" },
            "b.xcconfig": "A = 1\n#include \"a.xcconfig\"\n",
        ]
        let found = try lint(files)
        #expect(found.map(\.message) == ["'a.xcconfig' includes itself, so Xcode skips this #include"])
        #expect(found.map(\.severity) == [.warning])
    }

    @Test func `of thousands of findings the first are given, and how many there are`() throws {
        let keys = repeated(5_000) { "  boddy\($0): x\n" }
        let found = try lint(["a.campaign.yml": "version: 1\npush:\n  title: Hi\n\(keys)"])
        #expect(found.count == 5_000)
        let reported = Linter.reported(found)
        #expect(reported.count == Linter.findingLimit + 1)
        #expect(reported.last?.rule.name == "more-findings")
        #expect(
            reported.last?.message
                == "4000 more findings in this file (4000 errors) are left out: only the first 1000 of a file are reported"
        )
    }

    @Test func `the rest of the findings decides as they would have`() throws {
        let keys = repeated(1_000) { "<key> a\($0)</key><true/>" } + "<key>b</key><true/><key>b</key><true/>"
        let found = try lint(["a.plist": "<plist><dict>\(keys)</dict></plist>"])
        let reported = Linter.reported(found)
        #expect(reported.filter { $0.severity == .error }.map(\.rule.name) == ["more-findings"])
    }

    @Test func `Liquid over many lines of a flow collection is one value`() throws {
        let found = try lint(["a.campaign.yml": "push: [\n" + String(repeating: "{% liquid\n", count: 4_000)])
        #expect(found.map(\.rule.name) == ["yaml-needs-quotes"])
    }

    @Test func `variables that are set from each other are followed once`() throws {
        let text = String(repeating: "{{ b }}{% assign b = b | append: b %}", count: 100)
        let push = "push:\n  title: Hi\n  extras:\n    a: '$json:{\"a\": \"\(text)\"}'\n"
        let found = try lint(["a.campaign.yml": "version: 1\n" + push])
        #expect(Set(found.map(\.rule.name)) == ["unknown-variable", "unused-assign"])
    }

    @Test func `comments that suppress are found by their place`() throws {
        let pairs = repeated(500) { "<!-- payloadgen:disable empty-key --><key></key><true/><!-- \($0) -->" }
        let found = try lint(["a.plist": "<plist><dict><key>a</key><true/>\(pairs)</dict></plist>"])
        #expect(!found.contains { $0.rule.name == "empty-key" })
    }

    @Test func `only so many categories are looked at`() throws {
        let names = repeated(1_200) { "<string>c\($0)</string>" }
        let plist = RuleExample.File.contentExtension(
            category: "<key>UNNotificationExtensionCategory</key>\n<array>\(names)</array>"
        ).text
        let found = try lint(["App/Info.plist": RuleExample.File.app().text, "E/Info.plist": plist])
        #expect(found.map(\.rule.name) == ["over-limit"])
    }

    @Test func `code that is too large is a finding at the extension`() throws {
        let reads = repeated(8_001) { "[self show:info[@\"k\($0)\"]];\n" }
        let found = try lint([
            "App/Info.plist": RuleExample.File.app().text, "Lab/Info.plist": RuleExample.File.contentExtension().text,
            "Lab/Panel.m": """
            @implementation Panel
            - (void)didReceiveNotification:(UNNotification *)notification {
              NSDictionary *info = notification.request.content.userInfo;
              \(reads)
            }
            @end

            """,
        ]).filter { $0.rule.name == "unreadable-read" }
        #expect(found.count == 1)
        #expect(found.first?.place?.file.path == "Lab/Info.plist")
        #expect(found.first?.message.hasSuffix("the code of 'Lab' is too large to analyse completely") ?? false)
    }
}
