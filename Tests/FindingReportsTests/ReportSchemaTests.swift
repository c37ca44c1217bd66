// SPDX-License-Identifier: MIT

import FindingReports
import Foundation
import PayloadgenTestSupport
import Testing

/// Reports match the published schemas; run only if the schemas and the programs that check them are installed.
@Suite struct ReportSchemaTests {
    private static let jsonschema =
        "import json, sys, jsonschema; f = lambda i: json.load(open(sys.argv[i])); "
        + "jsonschema.Draft7Validator(f(1), format_checker=jsonschema.FormatChecker()).validate(f(2))"

    @Test(
        .needsCases("schemas/sarif-schema-2.1.0.json"),
        .enabled(if: canRun("python3", "-c", "import jsonschema"), "needs python3 with jsonschema"),
        arguments: Sample.allCases
    )
    func `SARIF follows its schema`(sample: Sample) throws {
        let schema = try #require(caseFile("schemas/sarif-schema-2.1.0.json"))
        try withFile(ReportFormat.sarif.text(of: sample.report)) { file in
            #expect(run("python3", "-c", Self.jsonschema, schema.path, file.path) == "")
        }
    }

    @Test(
        .needsCases("schemas/JUnit.xsd"),
        .enabled(if: canRun("xmllint", "--version"), "needs xmllint"),
        arguments: Sample.allCases
    )
    func `JUnit follows its schema`(sample: Sample) throws {
        let schema = try #require(caseFile("schemas/JUnit.xsd"))
        try withFile(ReportFormat.junit.text(of: sample.report)) { file in
            #expect(run("xmllint", "--noout", "--nonet", "--schema", schema.path, file.path) == "")
        }
    }

    private func withFile(_ text: String, _ body: (URL) throws -> Void) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "report-\(UUID().uuidString)")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try body(file)
    }
}

/// Runs a program.
///
/// - Returns: nil if it cannot be started, an empty text if it succeeds, and otherwise what it prints.
private func run(_ command: String...) -> String? { run(command) }

private func run(_ command: [String]) -> String? {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.standardOutput = pipe
    process.standardError = pipe
    guard (try? process.run()) != nil else { return nil }
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    if process.terminationStatus == 0 { return "" }
    return "status \(process.terminationStatus): \(String(decoding: output, as: UTF8.self))"
}

private func canRun(_ command: String...) -> Bool { run(command) == "" }
