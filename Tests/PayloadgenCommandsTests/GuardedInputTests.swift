// SPDX-License-Identifier: MIT

import PayloadLinting
import Testing

/// No command overwrites a file from which the app of the project is read.
@Suite struct GuardedInputTests {
    private static let files = [
        ".payloadgen.yml": "version: 1\n",
        "project.yml": """
        name: Book
        configFiles: {Release: Book.xcconfig, Debug: Book.xcconfig}
        targets:
          Book:
            type: application
            platform: iOS
            info: {path: App/Info.plist}
            sources: [App]
            dependencies: [{target: Lab}]
          Lab: {type: app-extension, platform: iOS, info: {path: Lab/Info.plist}, sources: [Lab]}

        """,
        "Book.xcconfig": "PRODUCT_BUNDLE_IDENTIFIER = a.b\n",
        "App/Info.plist": RuleExample.File.app().text,
        "Lab/Info.plist": RuleExample.File.contentExtension(
            category: "<key>UNNotificationExtensionCategory</key>\n<string>lab</string>"
        ).text,
        "Lab/payloadgen.extras.yml": "a: {type: string}\n",
        "Lab/NotificationViewController.swift": "import UserNotificationsUI\n",
        "a.campaign.yml": """
        version: 1
        push: {title: a, category: lab, extras: {a: b}}
        tests: [{name: t, profile: u.json, expect: {title: a}}]

        """,
        "u.json": "{}",
    ]

    private static let writers: [String: [String]] = [
        "render": ["render", "a.campaign.yml", "--profile", "u.json", "--output"],
        "render --app": ["render", "a.campaign.yml", "--profile", "u.json", "--app", ".", "--output"],
        "render --profiles": ["render", "a.campaign.yml", "--profiles", "u.json", "--output", "new", "--report"],
        "lint": ["lint", "--write-baseline"],
        "lint of a campaign": ["lint", "a.campaign.yml", "--write-baseline"],
        "preview": ["preview", "a.campaign.yml", "--output"],
        "test": ["test", "a.campaign.yml", "--coverage"],
    ]

    /// Runs a command with its output in a file; returns the run, and the contents of the file after it.
    private func run(_ writer: String, to output: String) throws -> (run: CommandRun, contents: String) {
        let scratch = try Scratch()
        for (path, text) in Self.files { try scratch.write(path, text) }
        if Self.files[output] == nil { try scratch.write(output, "old") }
        var arguments = try #require(Self.writers[writer])
        let last = arguments.removeLast()
        arguments += last == "--coverage" ? ["\(last)=json=\(output)"] : [last, output]
        let run = try CommandRun(arguments, in: scratch.folder)
        return (run, try scratch.text(output))
    }

    private func expectRefused(_ writer: String, to input: String) throws {
        let (run, contents) = try run(writer, to: input)
        #expect(run.status == 64, "\(run.text)")
        #expect(run.errors.hasSuffix("as the input '\(input)', expected two files\n"), "\(run.text)")
        #expect(contents == Self.files[input])
    }

    @Test(arguments: [
        "project.yml", "Book.xcconfig", "Lab/Info.plist", "Lab/payloadgen.extras.yml",
        "Lab/NotificationViewController.swift",
    ])
    func `a file of the app is not an output`(input: String) throws {
        try expectRefused("render", to: input)
    }

    @Test(arguments: writers.keys.sorted(), ["project.yml", "Lab/NotificationViewController.swift"])
    func `no command writes over a file of the app`(writer: String, input: String) throws {
        try expectRefused(writer, to: input)
    }

    @Test(arguments: writers.keys.sorted()) func `an output is written again`(writer: String) throws {
        let (run, contents) = try run(writer, to: writer == "preview" ? "page.html" : "out.json")
        #expect(run.status < 64, "\(run.text)")
        #expect(contents != "old")
    }
}
