// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats

/// A comparison of a payload with the payload that is stored for a test.
///
/// The payload of the test TEST in `NAME.campaign.yml` is stored in `NAME.snapshots/TEST.json` beside the campaign,
/// with one member on each line. TEST is the test's name in lower case, at most 200 bytes long, with one hyphen in
/// place of each sequence of characters that are neither letters nor digits.
public struct PayloadSnapshot: Sendable {
    /// The path of the file, relative to the campaign's folder.
    public let path: String

    /// The contents that the file has to have for the test to pass.
    public let contents: [UInt8]

    /// Whether the file does not exist yet.
    public let isMissing: Bool

    /// The differences between the payload and the stored one; empty if they are equal.
    public let mismatches: [TestMismatch]

    init(_ payload: Payload, path: String, stored: SourceFile?, askedAt place: SourcePlace) {
        self.path = path
        contents = payload.json(pretty: true) + [UInt8(ascii: "\n")]
        isMissing = stored == nil
        guard let stored else {
            mismatches = [TestMismatch("found no snapshot '\(path)'", at: place)]
            return
        }
        mismatches = stored.bytes == contents ? [] : Self.mismatches(payload, stored)
    }

    private static func mismatches(_ payload: Payload, _ stored: SourceFile) -> [TestMismatch] {
        var comparison = PayloadComparison(file: stored, table: payload.campaign.push.table, isExact: true)
        do throws(InputError) {
            comparison.compare(try .json(stored, rule: .jsonSyntax), .object(payload.root), path: "")
        } catch {
            let start = SourcePlace(wholeFile: stored)
            return error.diagnostics.map { TestMismatch($0.message, at: $0.place ?? start) }
        }
        guard comparison.mismatches.isEmpty else { return comparison.sorted }
        // The values are equal but in a different order or notation, so the device receives different bytes.
        var line = 1
        let lines = payload.json(pretty: true).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        while line <= lines.count, stored.line(line) == lines[line - 1] { line += 1 }
        if line > lines.count { return [] }
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let expected = stored.line(line).drop(while: isBlank)
        let end = stored.offset(ofLine: line) + stored.line(line).count
        let words = [lines[line - 1].drop(while: isBlank), expected].map { String(decoding: $0, as: UTF8.self) }
        return [
            TestMismatch(
                "the same values in a different order or notation: found '\(words[0])', expected '\(words[1])'",
                at: SourcePlace(stored, SourceRange(end - expected.count, end))
            )
        ]
    }
}

extension Campaign {
    /// The path of a test's stored payload, relative to the campaign's folder.
    func snapshotPath(of test: CampaignTest) -> String { "\(snapshotFolder)/\(test.snapshotName).json" }

    private var snapshotFolder: String { "\(stem).snapshots" }

    /// The paths of the stored payloads that no test uses, relative to the campaign's folder.
    ///
    /// Empty if another campaign in the folder has the same name apart from its suffix, and thus shares the stored
    /// payloads.
    package func unusedSnapshots(in folder: some CampaignFolder) -> [String] {
        let campaigns = (folder.names(in: ".") ?? []).filter { Self.isCampaign($0) && Self.stem(of: $0) == stem }
        guard campaigns.count < 2 else { return [] }
        let used = Set(tests.filter { $0.expectation.snapshot != nil }.map(snapshotPath))
        return (folder.names(in: snapshotFolder) ?? []).map { "\(snapshotFolder)/\($0)" }.filter {
            $0.hasSuffix(".json") && !used.contains($0)
        }
    }

    /// The name of the campaign's file without its suffix.
    var stem: String { Self.stem(of: file.path) }

    private static func stem(of path: String) -> String {
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String($0) ?? "" } ?? ""
        let lower = name.lowercased()
        let suffix = fileSuffixes.first { lower.hasSuffix($0) }
        return String(suffix.map { name.dropLast($0.count) } ?? name.prefix { $0 != "." })
    }

    /// The suffixes of the names of campaign files.
    package static let fileSuffixes = [".campaign.yml", ".campaign.yaml", ".campaign.json"]

    /// The suffixes of file names that were probably meant to be campaigns; some editors add `.txt`.
    private static let otherSuffixes =
        [".campaign", ".campaign.txt", ".campaign.jsonc", ".campaign.json5"] + fileSuffixes.map { $0 + ".txt" }

    /// Whether a file is a campaign by its name, in upper or lower case.
    package static func isCampaign(_ path: String) -> Bool { hasSuffix(path, among: fileSuffixes) }

    /// Whether a file is not a campaign by its name, but was probably meant to be one.
    package static func isMisnamed(_ path: String) -> Bool { hasSuffix(path, among: otherSuffixes) }

    private static func hasSuffix(_ path: String, among suffixes: [String]) -> Bool {
        let end = path.utf8.suffix(32).map(\.lowercased)
        return suffixes.contains { end.suffix($0.utf8.count).elementsEqual($0.utf8) }
    }
}

extension CampaignTest {
    /// The maximum number of bytes in the name of a stored payload; a file name may have 255, including `.json`.
    private static let snapshotNameLimit = 200

    /// The name of the stored payload, without `.json`.
    var snapshotName: String {
        var name = String.UnicodeScalarView()
        var byteCount = 0
        for scalar in self.name.unicodeScalars.lazy.flatMap({ $0.properties.lowercaseMapping.unicodeScalars }) {
            let isKept = scalar.isPartOfName
            if !isKept, name.last == "-" || name.isEmpty { continue }
            byteCount += UTF8.width(scalar)
            guard byteCount <= Self.snapshotNameLimit else { break }
            name.append(isKept ? scalar : "-")
        }
        if name.last == "-" { name.removeLast() }
        return name.isEmpty ? "test" : String(name)
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a letter, a digit, or a mark that combines with one.
    fileprivate var isPartOfName: Bool {
        if properties.isAlphabetic || properties.numericType != nil { return true }
        return properties.generalCategory == .nonspacingMark || properties.generalCategory == .spacingMark
    }
}
