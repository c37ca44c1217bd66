// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
import DiagnosticSources
import Foundation
import PayloadKit
import PayloadLinting
import PayloadgenTestSupport
import PlistDocuments
import SwiftSources
import Testing

extension RuleExample {
    /// What `lint` finds in the files, which are in memory.
    func findings() throws -> [Diagnostic] {
        // The app is named after its folder.
        var options = ProjectOptions(workingFolder: "/App")
        options.rules.set = .strict
        options.givenApp = try files.first { $0.path == "app.json" }.map {
            try App(json: SourceFile(path: $0.path, text: $0.text))
        }
        options.unsavedTexts = Dictionary(files.map { ($0.path, $0.text) }) { first, _ in first }
        if let workspace {
            options.configuration = ProjectConfiguration(folder: options.workingFolder)
            options.configuration?.workspace = workspace
        }
        // One file may be a list that declares nothing of an app, which is checked where it is named.
        return try Linter(options: options).lint(files.count == 1 ? files.map(\.path) : ["."])
    }

    /// The workspace where the example has a registry.
    private var workspace: Workspace? {
        let catalogs = files.compactMap { file in
            let parts = file.path.split(separator: "/")
            return parts.first == "catalogs" && parts.count == 3 ? String(parts[1]) : nil
        }
        let (registry, faults) = WorkspaceRegistry.read(catalogs: catalogs) { path in
            files.first { $0.path == path }.map { SourceFile(path: $0.path, text: $0.text) }
        }
        if !faults.isEmpty { Issue.record("\(faults)") }
        let isEmpty = registry.attributes == nil && registry.catalogs == nil && registry.events == nil
        return isEmpty ? nil : Workspace(folder: "/App", registry: registry, matches: [])
    }
}

@Suite struct RuleExampleTests {
    @Test func `ids are unique, in kebab-case and never renamed`() {
        let ids = Rule.all.map(\.id.name)
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { $0.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D } })
        expectSnapshot(
            Rule.all.map { rule in
                "\(rule.id) \(rule.id.severity) \(rule.id.set)\(rule.fix == nil ? "" : " fix")\n"
            }.joined(),
            named: "rules.txt"
        )
    }

    @Test(arguments: Rule.all.map(\.id.name))
    func `the source of a rule is an address of others, or a mistake of authors`(id: String) throws {
        let text = try #require(Rule.named(id)).source.text
        if !text.hasPrefix("a mistake of campaign authors: ") {
            let url = try #require(URL(string: text))
            #expect(["http", "https"].contains(url.scheme) && url.host?.contains(".") == true)
        }
    }

    @Test func `an id that was retired is not used again`() {
        let ids = Set(Rule.all.map(\.id.name))
        #expect(RetiredRule.all.map(\.name).filter(ids.contains) == [])
        let names = RetiredRule.all.map(\.name)
        #expect(names == names.sorted() && Set(names).count == names.count)
    }

    @Test func `every rule that is promised is there`() {
        let promised: Set = [
            "plist-syntax", "plist-format", "duplicate-key", "empty-key", "boolean-type", "unknown-key",
            "misplaced-key", "foreign-attribute", "category-missing", "category-type", "category-whitespace",
            "category-placeholder", "category-duplicate", "ratio-missing", "ratio-type", "ratio-not-positive",
            "ratio-tiny", "both-entry-points", "no-entry-point", "unqualified-principal-class", "hard-coded-module",
            "extension-point", "no-nsextension", "nsextension-in-app-plist", "entitlement-in-info-plist",
            "background-mode-unknown", "unresolved-build-setting", "no-bundle-identifier", "push-story-interaction",
            "push-story-ratio", "push-story-app-group", "app-group-mismatch", "rich-push-without-service",
            "campaign-syntax", "campaign-unknown-key", "yaml-needs-quotes", "campaign-category-unclaimed",
            "category-unused", "interaction-mismatch", "input-without-interaction", "liquid-syntax", "unknown-filter",
            "unknown-tag", "unknown-attribute", "unsupported-filter", "bare-attribute", "missing-default",
            "unescaped-json", "extras-reserved-key", "extras-key-case", "extras-contract", "button-action",
            "button-without-category", "background-with-alert", "collapse-id-length", "relevance-score-range",
            "badge-value", "unused-assign", "dynamic-abort-reason", "smart-quote", "payload-size",
        ]
        #expect(promised.subtracting(Rule.all.map(\.id.name)) == [])
    }

    @Test(arguments: Rule.all.map(\.id.name))
    func `the examples of a rule fail at the marks, pass, and are fixed`(id: String) throws {
        let rule = try #require(Rule.named(id))
        // What a whole run reports shows in no single file: ConfinementTests and LimitTests make it happen.
        // Rendering shows in no file: PayloadTests and the tests of the command do.
        let isOfRuns = rule.checks.contains { check in
            switch check {
            case .run, .projectReading, .rendering: true
            default: false
            }
        }
        // What needs the targets of an Xcode project is in GeneratedProjectTests.
        let needsTargets = ["extension-not-embedded", "extension-wrapper", "unknown-principal-class"].contains(id)
        #expect(isOfRuns || needsTargets || !rule.failing.isEmpty && !rule.passing.isEmpty)
        for example in rule.failing {
            let findings = try example.findings().filter { $0.rule.name == id }
            for file in example.files {
                let found = findings.filter { $0.place?.file.path == file.path }.compactMap { $0.place?.range }
                #expect(
                    MarkedText.marking(found, in: file.text) == MarkedText.marking(file.ranges, in: file.text),
                    "\(findings.map(\.message))"
                )
            }
            for finding in findings {
                let word = finding.message.prefix { $0.isLetter }
                #expect(
                    word == word.lowercased()
                        || ["NSExtension", "UNNotification", "Braze", "iOS"].contains { word.hasPrefix($0) }
                )
                #expect(!finding.message.hasSuffix("."))
            }
            if let fixed = example.fixed, let file = example.files.first {
                let applied = FixIt.apply(findings.flatMap(\.fixes), to: Array(file.text.utf8))
                #expect(String(decoding: applied.bytes, as: UTF8.self) == fixed)
            }
            #expect((rule.fix != nil) || findings.allSatisfy(\.fixes.isEmpty))
        }
        for example in rule.passing {
            #expect(try example.findings().filter { $0.rule.name == id }.map(\.message) == [])
        }
        if rule.fix != nil { #expect(rule.failing.contains { $0.fixed != nil }) }
    }

    @Test func `messages stay as they are`() throws {
        var text = ""
        for rule in Rule.all {
            for finding in try rule.failing.flatMap({ try $0.findings() }) where finding.rule == rule.id {
                text += DiagnosticRenderer().text(of: finding) + "\n"
            }
        }
        expectSnapshot(text, named: "messages.txt")
    }
}
