// SPDX-License-Identifier: MIT

import Foundation
import LiquidTemplates
import PayloadgenTestSupport
import Testing

/// A case of the acceptance suite liquid-spec, in one error mode.
struct SpecCase: CustomTestStringConvertible, Sendable {
    static let path = "liquid-spec/basics"

    /// The cases that are known to fail, with the reason.
    static let knownFailures: [String: String] = [
        "security_var_name_no_interpolation":
            "expects the template to be read; the newest reference reports a syntax error, as this engine does"
    ]

    /// Features that need objects of the suite's own host.
    private static let hostFeatures: Set<String> = ["drops", "ruby_drops", "ruby_types"]

    let name: String
    private let members: LiquidObject
    private let features: [String]
    private let mode: String?

    static let all: [SpecCase] = {
        guard let folder = caseFile(path),
            let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        else { return [] }
        return files.filter { $0.pathExtension == "yml" }.sorted { $0.path < $1.path }.flatMap(cases)
    }()

    private static func cases(in file: URL) -> [SpecCase] {
        guard let text = try? String(contentsOf: file, encoding: .utf8), let root = Value(specYAML: text) else {
            return []
        }
        let metadata = root.conformanceObject["_metadata"]?.conformanceObject ?? .empty
        let specs = root.conformanceObject["specs"]?.conformanceArray ?? root.conformanceArray
        return specs.compactMap { SpecCase($0.conformanceObject, metadata) }
    }

    /// Creates a case; nil for one that needs objects of the suite's host.
    private init?(_ members: LiquidObject, _ metadata: LiquidObject) {
        self.members = members
        name = members["name"]?.conformanceText ?? ""
        features = [members, metadata].flatMap { $0["features"]?.conformanceArray ?? [] }.compactMap(\.conformanceText)
        let modes = members["error_mode"] ?? metadata["error_mode"]
        mode = modes?.conformanceText ?? modes?.conformanceArray.first?.conformanceText
        if !Self.hostFeatures.isDisjoint(with: features) || Self.needsHost(.object(members)) { return nil }
    }

    private static func needsHost(_ value: Value) -> Bool {
        switch value {
        case .string(let text): text.contains("instantiate") || text.utf8.elementsEqual(Value.foreignTag.utf8)
        case .array(let elements): elements.contains(where: needsHost)
        case .object(let object):
            object.keys.contains { $0.contains("instantiate") } || object.values.contains(where: needsHost)
        default: false
        }
    }

    var testDescription: String { name }

    /// Why the case fails; nil when it passes.
    func problem() -> String? {
        var run = ConformanceRun()
        run.template = members["template"]?.conformanceText ?? ""
        run.data = members["environment"]?.conformanceObject ?? .empty
        run.partials = members["filesystem"]?.conformanceObject ?? .empty
        run.mode = mode.flatMap(ErrorMode.init) ?? (features.contains("lax_parsing") ? .lax : .strict2)
        run.showsErrors = members["render_errors"]?.isConformanceTrue ?? false
        run.limits.set(members["resource_limits"]?.conformanceObject ?? .empty)
        let (ending, text) = run.end()
        let outcome = "ended as \(ending.rawValue) with '\(text)'"
        if let expected = members["expected"]?.text {
            return ending == .ok && expected.utf8.elementsEqual(text.utf8) ? nil : "\(outcome), expected '\(expected)'"
        }
        if let pattern = members["expected_pattern"]?.conformanceText {
            let regex = try? Regex(pattern).dotMatchesNewlines()
            let matches = regex.map { text.firstMatch(of: $0) != nil } ?? false
            return ending == .ok && matches ? nil : "\(outcome), expected '\(pattern)'"
        }
        let errors = members["errors"]?.conformanceObject ?? .empty
        for (kind, wanted) in zip(errors.keys, errors.values) where kind != "line" {
            let words = wanted.conformanceArray.isEmpty ? [wanted] : wanted.conformanceArray
            let hasEnding = ending.rawValue == (kind == "output" ? "ok" : kind)
            guard hasEnding, words.allSatisfy({ text.lowercased().contains($0.text.lowercased()) }) else {
                return "\(outcome), expected \(kind) with \(words.map(\.text))"
            }
        }
        return errors.count == 0 ? "the case expects nothing" : nil
    }
}

@Suite(.needsCases(SpecCase.path)) struct ConformanceSpecTests {
    @Test(arguments: SpecCase.all)
    func `ends as the case says`(_ spec: SpecCase) {
        expectConformance(spec.problem(), knownFailure: SpecCase.knownFailures[spec.name], spec.name)
    }

    @Test func `counts the cases`() {
        var count = ConformanceCount()
        for spec in SpecCase.all {
            count.count(spec.problem() == nil, isListed: SpecCase.knownFailures[spec.name] != nil)
        }
        count.report("liquid-spec basics")
        #expect(!SpecCase.all.isEmpty)
    }
}

extension Limits {
    /// Sets the limits that a case of the suite names.
    fileprivate mutating func set(_ limits: LiquidObject) {
        if case .integer(let limit)? = limits["render_length_limit"] { outputBytes = limit }
        if case .integer(let limit)? = limits["render_score_limit"] { scores.nodes = limit }
        if case .integer(let limit)? = limits["cumulative_render_score_limit"] { scores.totalNodes = limit }
        if case .integer(let limit)? = limits["assign_score_limit"] { scores.assigned = limit }
        if case .integer(let limit)? = limits["cumulative_assign_score_limit"] { scores.totalAssigned = limit }
    }
}
