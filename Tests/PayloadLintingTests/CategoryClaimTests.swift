// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadLinting
import PayloadgenTestSupport
import Testing

/// Categories of campaigns that no content extension claims: which side is wrong, and whether any is.
@Suite struct CategoryClaimTests {
    private static func findings(_ files: [String: String]) throws -> [Diagnostic] {
        var found: [Diagnostic] = []
        try withTemporaryFolder(files) { folder in
            found = try Linter(options: ProjectOptions(workingFolder: folder)).lint(["."])
        }
        return found.filter { $0.rule.name == "campaign-category-unclaimed" }
    }

    private static func extending(_ category: String) -> String {
        RuleExample.File.contentExtension(
            category: "<key>UNNotificationExtensionCategory</key><string>\(category)</string>"
        ).text
    }

    private static func campaign(_ category: String, _ rest: String = "") -> String {
        "version: 1\npush: {title: Hi, category: \(category)\(rest)}\n"
    }

    private static let registration = """
        @implementation Delegate
        - (void)start {
          UNNotificationAction *one = [UNNotificationAction actionWithIdentifier:@"TRACK" title:@"" options:4];
          [UNNotificationCategory categoryWithIdentifier:@"order" actions:@[one] intentIdentifiers:@[] options:0];
        }
        @end

        """

    @Test(arguments: [nil, "card"])
    func `buttons of a registered category need no extension`(claimed: String?) throws {
        var files = [
            "App/Info.plist": RuleExample.File.app().text, "App/Delegate.m": Self.registration,
            "a.campaign.yml": Self.campaign(
                "order", ", buttons: [{action_id: TRACK, action: URI, uri: 'https://a.b'}]"),
        ]
        files["Card/Info.plist"] = claimed.map(Self.extending)
        #expect(try Self.findings(files).isEmpty)
        files["a.campaign.yml"] = Self.campaign("order")
        #expect(try Self.findings(files).map(\.severity) == [.info])
        // An extension that probably means the registered category is misspelt.
        files["Card/Info.plist"] = Self.extending("ordr")
        #expect(try Self.findings(files).map(\.severity) == [.error])
    }

    @Test func `a category that several campaigns send is not replaced by one that is claimed`() throws {
        var files = [
            "App/Info.plist": RuleExample.File.app().text, "Lab/Info.plist": Self.extending("lab_progres"),
            "a.campaign.yml": Self.campaign("lab_progress"), "b.campaign.yml": Self.campaign("lab_progress"),
        ]
        let doubtful = try Self.findings(files)
        #expect(doubtful.count == 2)
        #expect(doubtful.allSatisfy { $0.fixes.isEmpty && $0.message.contains("did you mean 'lab_progres'?") })
        files["b.campaign.yml"] = Self.campaign("lab_progres")
        #expect(try Self.findings(files).flatMap(\.fixes).map(\.message) == ["write 'lab_progres'"])
    }
}
