// SPDX-License-Identifier: MIT

import DiagnosticSources
import ExtensionAnalytics
import Foundation
import JSONTexts

/// The lines that `track` has printed and whose requests Braze has accepted, for `--acknowledge`.
struct Acknowledgement {
    /// The ids of the records in one line, and the place of their list.
    private struct Line {
        var ids: [UUID]
        var place: SourcePlace
    }

    private static let findingLimit = 20

    private var lines: [Line] = []

    /// The ids of the records in all lines.
    var ids: Set<UUID> { Set(lines.lazy.flatMap(\.ids)) }

    /// Reads all lines, before any record is removed.
    init(_ path: String) throws(CommandFailure) {
        for line in try Inputs.lines(path) { lines.append(try Self.line(line)) }
    }

    private static func line(_ file: SourceFile) throws(CommandFailure) -> Line {
        let root: JSONNode
        do throws(JSONError) {
            root = try JSONDocument(file).root
        } catch {
            throw CommandFailure(.unreadableInput, .findings([error.diagnostic(rule: .jsonSyntax, in: file)]))
        }
        guard let list = root["ids"], list.kind == .array else {
            throw unreadable("expected an object with 'ids', as track prints it", at: root.place)
        }
        var ids: [UUID] = []
        for node in list.elements {
            guard let id = node.string.flatMap(UUID.init(uuidString:)) else {
                throw unreadable("found \(node.source), expected the id of a record", at: node.place)
            }
            ids.append(id)
        }
        return Line(ids: ids, place: list.place)
    }

    private static func unreadable(_ message: String, at place: SourcePlace) -> CommandFailure {
        CommandFailure(.unreadableInput, .findings([finding(message, at: place)]))
    }

    private static func finding(_ message: String, at place: SourcePlace) -> Diagnostic {
        Diagnostic(.acknowledgement, message, at: place)
    }

    /// The error about ids that cannot belong to a record; nil if there are none.
    func failure(_ refusals: [UUID: PendingRemoval.Refusal]) -> CommandFailure? {
        var findings: [Diagnostic] = []
        var omitted = 0
        for line in lines {
            var counts: [PendingRemoval.Refusal: Int] = [:]
            for id in line.ids { if let refusal = refusals[id] { counts[refusal, default: 0] += 1 } }
            if counts.isEmpty { continue }
            guard findings.count < Self.findingLimit else {
                omitted += 1
                continue
            }
            let texts = counts.map(Self.text).sorted().joined(separator: ", and ")
            findings.append(Self.finding("nothing is removed: \(texts)", at: line.place))
        }
        if findings.isEmpty { return nil }
        if omitted > 0 { findings[findings.count - 1].message += "; and \(counted(omitted, "more line")) of this kind" }
        return CommandFailure(.unreadableInput, .findings(findings))
    }

    private static func text(_ refusal: PendingRemoval.Refusal, _ count: Int) -> String {
        switch refusal {
        case .cleared(let key):
            "\(counted(count, "record")) that '\(key.rawValue)' had before the app cleared it"
        case .unknown: "\(counted(count, "id")) that track did not print for these preferences"
        }
    }
}

extension RuleID {
    static let acknowledgement = RuleID(
        "acknowledgement", .error, "lines for --acknowledge that do not name pending records"
    )
}
