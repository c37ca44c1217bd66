// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import DocumentFormats
import LiquidDocumentValues
import PayloadKit
import ScalarTexts

extension RuleMessage {
    fileprivate static func noTime(_ name: String, _ text: String) -> RuleMessage {
        let objection =
            CivilTime(dateAtStartOf: text) == nil
            ? "times are written like '2026-11-20T09:00:00Z'" : "there is no such time"
        return "'\(name)' is an object and not a time, as '$time' is '\(text)': \(objection)"
    }
    fileprivate static func noTime(_ name: String) -> RuleMessage {
        "'\(name)' is an object and not a time, expected nothing but a text under '$time'"
    }
}

extension DocumentNode {
    /// The findings about values `{"$time": …}` in the node that are read as objects, not as times.
    ///
    /// - Parameters:
    ///   - file: the file of the node.
    ///   - name: the key of the node.
    /// - Returns: the findings.
    func writtenTimes(in file: SourceFile, name: String = "") -> [Finding] {
        if let time = self["$time"] {
            if case .time = value.resolvingTimes() { return [] }
            let isAlone = members?.count == 1
            let message = time.scalar.flatMap { isAlone ? RuleMessage.noTime(name, $0.text) : nil } ?? .noTime(name)
            return [Finding(message, at: SourcePlace(file, time.range))]
        }
        return (members ?? []).flatMap { $0.value.writtenTimes(in: file, name: $0.name) }
            + (elements ?? []).flatMap { $0.writtenTimes(in: file, name: name) }
    }
}

extension SourceFile {
    /// The findings about values `{"$time": …}` in a JSON file that are read as objects, not as times.
    var writtenTimes: [Finding] {
        guard holdsTimes, let root = try? DocumentNode.json(self, rule: .jsonSyntax) else { return [] }
        return root.writtenTimes(in: self)
    }

    /// Whether a value `{"$time": …}` may be in the file.
    fileprivate var holdsTimes: Bool { bytes[...].firstRange(ofBytes: "$time".utf8) != nil }
}

extension LintedCampaign {
    /// The findings about values `{"$time": …}` among the properties of tests, or of the events of a scenario, that are
    /// read as objects, not as times.
    var writtenTimesOfProperties: [Finding] {
        guard file.holdsTimes, let root = try? DocumentNode.read(file, rule: .campaignSyntax) else { return [] }
        let parts = (root["tests"]?.elements ?? []) + (root["timeline"]?.elements ?? [])
        return parts.flatMap { part in
            ["trigger_properties", "event_properties", "properties"].compactMap { part[$0] }.flatMap {
                $0.writtenTimes(in: file)
            }
        }
    }
}
