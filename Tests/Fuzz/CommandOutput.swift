// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenCommands

/// Runs commands in this process, and checks their exit codes and their output.
///
/// Standard output and error have to be files, from whose start commands write.
final class CommandOutput {
    /// What a command is expected to print on standard output.
    enum Kind: Sendable {
        /// Readable text.
        case text
        /// The findings of `lint` as JSON.
        case findings
        /// A record for each line of the input, as JSON.
        case records
        /// JSON: one value on each line, or a single value.
        case json
        /// Anything: what templates print, or the difference between files.
        case anything
    }

    /// The exit codes with which a command may end for an input; 64, 70 and 74 would be the fault of the command or the
    /// test.
    private static let expected: Set<Int32> = [0, 1, 2, 3, 65, 66, 78]

    /// The most bytes of an output that are checked.
    private static let limit = 1 << 20

    /// The commands that were prepared, by their arguments: parsing these takes longer than reading most inputs.
    private var commands: [[String]: () -> Int32] = [:]

    /// Runs a command, and checks how it ended and what it printed.
    ///
    /// - Parameters:
    ///   - invocation: the command.
    ///   - path: the input that it reads.
    ///   - input: the bytes of that input.
    /// - Returns: what is wrong; nil if nothing is.
    /// - Throws: what is wrong with the arguments.
    func fault(of invocation: Reader.Invocation, reading path: String, _ input: [UInt8]) throws -> String? {
        let run = try commands[invocation.arguments] ?? Payloadgen.prepared(invocation.arguments)
        commands[invocation.arguments] = run
        for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
            guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else { return "no output file" }
        }
        let status = run()
        let output = Self.bytes(of: STDOUT_FILENO)
        let errors = Self.bytes(of: STDERR_FILENO)
        // `app` ends with 64 if it finds several apps, because the user has to choose one.
        if !Self.expected.contains(status), !(invocation.arguments[0] == "app" && status == 64) {
            return "exit \(status), \(String(decoding: errors.prefix(200), as: UTF8.self))"
        }
        if let fault = Self.faultOfText(errors) { return "standard error holds \(fault)" }
        switch invocation.prints {
        case .anything: return nil
        case .text: return Self.faultOfText(output).map { "standard output holds \($0)" }
        case .json: return Self.faultOfLines(output)
        case .findings: return Self.faultOfFindings(output, path, input)
        case .records: return Self.faultOfLines(output) ?? Self.faultOfRecords(output, input, status)
        }
    }

    private static func bytes(of descriptor: Int32) -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: min(limit, Int(status.st_size)))
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(0, count)))
    }

    /// What in a text could control a terminal, hide or reorder text, or be a command of a workflow; nil if nothing
    /// could.
    private static func faultOfText(_ bytes: [UInt8]) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0A, 0x09: continue
            case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069:
                return "U+\(String(scalar.value, radix: 16, uppercase: true))"
            default: continue
            }
        }
        let isCommand = text.split(separator: "\n").contains { $0.hasPrefix("::") || $0.hasPrefix("##[") }
        return isCommand ? "a workflow command" : nil
    }

    /// What is wrong with lines of JSON, or with a single JSON text; nil if nothing is.
    private static func faultOfLines(_ output: [UInt8]) -> String? {
        if output.isEmpty || output.count >= limit || json(output) != nil { return nil }
        let isRight = output.split(separator: UInt8(ascii: "\n")).allSatisfy { json($0) != nil }
        return isRight ? nil : "standard output holds a line that is not JSON"
    }

    private static func json(_ bytes: some Collection<UInt8>) -> Any? {
        try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
    }

    /// What is wrong with findings as JSON, such as ranges outside of their file; nil if nothing is.
    private static func faultOfFindings(_ output: [UInt8], _ path: String, _ input: [UInt8]) -> String? {
        if output.isEmpty || output.count >= limit { return nil }
        guard let report = json(output) as? [String: Any], let results = report["results"] as? [[String: Any]] else {
            return "standard output is not a report in JSON"
        }
        for result in results where result["file"] as? String == path {
            let places = ["start", "end"].map { result[$0] as? [String: Any] ?? [:] }
            let offsets = places.compactMap { $0["offset"] as? Int }
            let isInside = offsets.allSatisfy { 0...input.count ~= $0 } && offsets == offsets.sorted()
            let isCounted = places.allSatisfy { ($0["line"] as? Int ?? 1) >= 1 && ($0["column"] as? Int ?? 1) >= 1 }
            guard isInside, isCounted else { return "a finding at \(offsets) of \(input.count) bytes" }
        }
        return nil
    }

    /// What is wrong with records, one of which is expected for each line of profiles; nil if nothing is.
    ///
    /// A line of nothing but spaces, tabs and CR gives none. Files that were joined may have a byte order mark at the
    /// start of any line.
    private static func faultOfRecords(_ output: [UInt8], _ input: [UInt8], _ status: Int32) -> String? {
        guard [0, 2].contains(status), output.count < limit else { return nil }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let blanks = Set(" \t\r".utf8)
        let lineCount = input.split(separator: UInt8(ascii: "\n")).count { line in
            !line.dropFirst(line.starts(with: mark) ? mark.count : 0).allSatisfy(blanks.contains)
        }
        let recordCount = output.count { $0 == UInt8(ascii: "\n") }
        return lineCount == recordCount ? nil : "\(recordCount) records of \(lineCount) lines"
    }
}
