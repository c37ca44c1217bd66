// SPDX-License-Identifier: MIT

import ExtensionAnalytics
import Foundation
import PayloadgenTestSupport
import Testing

/// The code of the sample app that needs Apple's frameworks compiles: its views, its delegate and its service.
@Suite struct AppCodeTests {
    private static let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardizedFileURL

    /// The modules that declare what the app uses of Apple's frameworks and Braze's SDK, in the order of their imports.
    private static let modules = [
        "UIKit", "UserNotifications", "UserNotificationsUI", "UniformTypeIdentifiers", "BrazeKit",
    ]

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs the compiler in the folder; returns what it prints.
    private func compile(_ arguments: [String]) throws -> String {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["swiftc", "-parse-as-library", "-I", "."] + arguments
        process.currentDirectoryURL = folder.url
        (process.standardOutput, process.standardError) = (pipe, pipe)
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? "" : String(decoding: output, as: UTF8.self)
    }

    /// Where the compiler finds this package's modules and their C modules.
    private static var searchPaths: [String] {
        let sources = repository.appending(path: "Sources")
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: sources.path)) ?? []
        let maps = names.filter { $0.hasSuffix("module.modulemap") }
            .map { sources.appending(path: $0).deletingLastPathComponent().path }
        return ([builtProduct("Modules").path] + maps).flatMap { ["-I", $0] }
    }

    @Test func `the sample app compiles against what Apple and Braze document`() throws {
        for module in Self.modules {
            let stub = Self.repository.appending(path: "Tests/AppleStubs/\(module).swift").path
            let output = try compile(["-emit-module", "-swift-version", "6", "-module-name", module, stub])
            #expect(output == "", "\(module)")
        }
        let app = Self.repository.appending(path: "examples/BookDemo")
        for target in ["BookDemo", "LabProgress", "LabRegister", "MatchGame", "NotificationService"] {
            let sources = app.appending(path: target)
            var files: [String] = []
            var importsStore = false
            for name in try FileManager.default.contentsOfDirectory(atPath: sources.path) where name.hasSuffix(".swift")
            {
                // Attributes for Objective-C and Interface Builder have no effect on other systems, so they are
                // removed.
                let text = try String(contentsOf: sources.appending(path: name), encoding: .utf8)
                    .replacing(/@(IBOutlet|IBAction|objc)\s/, with: "")
                importsStore = importsStore || text.contains("PendingStore(appGroup:")
                try folder.write(text, to: name)
                files.append(name)
            }
            #if !canImport(Darwin)
                if importsStore {
                    // App groups exist only on Apple's systems.
                    let text = """
                        import ExtensionAnalytics
                        extension PendingStore { init?(appGroup: String) throws(PendingStoreError) { return nil } }
                        """
                    try folder.write(text, to: "AppGroup.swift")
                    files.append("AppGroup.swift")
                }
            #endif
            let options = ["-typecheck", "-warnings-as-errors", "-swift-version", "5", "-module-name", target]
            #expect(try compile(options + Self.searchPaths + files) == "", "\(target)")
        }
    }

    @Test func `properties are converted to what the SDK takes`() throws {
        let time = Date(timeIntervalSince1970: 1_795_165_200)
        let properties: [String: PropertyValue] = [
            "score": 7, "won": true, "share": 0.5, "game": "Go", "at": .time(time), "moves": [1, 2],
            "best": ["score": 9],
        ]
        let values = properties.mapValues(\.sdkValue)
        #expect(values["score"] as? Int == 7 && values["share"] as? Double == 0.5 && values["at"] as? Date == time)
        #expect(values["won"] as? Bool == true && values["game"] as? String == "Go")
        #expect(values["moves"] as? [Int] == [1, 2] && values["best"] as? [String: Int] == ["score": 9])
        let birth = UserAttribute.dateOfBirth(year: 1_990, month: 2, day: 3)
        #expect(birth.birthDate == Date(timeIntervalSince1970: 634_003_200))
        #expect(UserAttribute.email("a@example.com").birthDate == nil)
    }
}
