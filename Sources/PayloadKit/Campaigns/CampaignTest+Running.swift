// SPDX-License-Identifier: MIT

import AppBundles
import Liquid
public import SourceText

extension Campaign {
    /// What became of a test.
    public struct TestResult: Sendable {
        /// The message.
        public var outcome: Outcome

        /// Where the message is not what was expected; empty for a test that passes.
        public var mismatches: [Diagnostic]
    }

    /// Runs a test of the campaign.
    ///
    /// - Parameters:
    ///   - test: the test.
    ///   - options: what the test itself does not say; its clock counts where the test has none.
    ///   - folder: where the profile and the context of the test lie.
    /// - Returns: the message, and where it is not what was expected.
    /// - Throws: why the test cannot be run: a file that is missing or wrong, a fault of Liquid's syntax.
    public func run(
        _ test: CampaignTest,
        options: RenderOptions,
        folder: some CampaignFolder
    ) throws(CampaignError) -> TestResult {
        var options = options
        if let now = test.now { options.now = now }
        if let seed = test.seed { options.seed = seed }
        if let events = test.eventProperties { options.eventProperties = events }
        if let context = test.context {
            let given = try RenderContext(file: try Self.file(context, in: folder))
            options.context = given.laid(over: options.context)
        }
        var profile = Profile.unknown
        if let path = test.profile { profile = try Profile(file: try Self.file(path, in: folder)) }
        var session = try renderer(options: options).session()
        let outcome = session.render(profile, triggerProperties: test.triggerProperties ?? .empty)
        var mismatches = test.mismatches(with: outcome, in: file)
        if session.readsClock, test.now == nil {
            mismatches.append(
                .mismatch("a template asks for the time: the test needs 'now'", at: test.place)
            )
        }
        return TestResult(outcome: outcome, mismatches: mismatches)
    }

    private static func file(
        _ path: Placed<String>,
        in folder: some CampaignFolder
    ) throws(CampaignError) -> SourceFile {
        if let file = folder.file(at: path.value) { return file }
        throw CampaignError(
            .missing,
            [
                Diagnostic(
                    rule: CampaignRule.syntax,
                    severity: .error,
                    message: "cannot read '\(path.value)'",
                    at: path.place
                )
            ]
        )
    }
}

extension CampaignTest {
    /// Where an outcome is not what the test expects.
    ///
    /// - Parameters:
    ///   - outcome: what became of the message.
    ///   - file: the campaign's file.
    /// - Returns: a finding for each difference.
    public func mismatches(with outcome: Outcome, in file: SourceFile) -> [Diagnostic] {
        let place = expectation.place
        switch outcome {
        case .aborted(let reason):
            guard let expected = expectation.aborted else {
                return [.mismatch("the message was aborted: \(reason)", at: place)]
            }
            return expected == reason
                ? [] : [.mismatch("found the reason '\(reason)', expected '\(expected)'", at: place)]
        case .failed(let error):
            let text = error.diagnostics.map { "\($0.message) (\($0.rule))" }.joined(separator: "; ")
            guard let expected = expectation.failed else {
                return [.mismatch("the message failed: \(text)", at: place)]
            }
            return text.contains(expected) ? [] : [.mismatch("failed with \(text), expected '\(expected)'", at: place)]
        case .rendered(let payload):
            if let reason = expectation.aborted {
                return [.mismatch("the message was rendered, expected an abort: \(reason)", at: place)]
            }
            if let rule = expectation.failed {
                return [.mismatch("the message was rendered, expected a failure: \(rule)", at: place)]
            }
            return mismatches(with: payload, in: file)
        }
    }

    private func mismatches(with payload: Payload, in file: SourceFile) -> [Diagnostic] {
        var comparison = PayloadComparison(file: file)
        if let bounds = expectation.bytes, !bounds.contains(payload.size.bytes) {
            comparison.differ("bytes", "\(payload.size.bytes)", Self.phrase(bounds), at: expectation.place)
        }
        let value = payload.bytes.withUnsafeBufferPointer { try? Value(json: $0) }
        guard case .object(let root)? = value else { return comparison.mismatches }
        if let extras = expectation.extras { comparison.compare(extras, .object(root), path: "extras") }
        for member in expectation.members {
            comparison.compare(member.value, root[member.name], path: member.name)
        }
        return comparison.mismatches
    }

    private static func phrase(_ bounds: ClosedRange<Int>) -> String {
        if bounds.lowerBound == bounds.upperBound { return "\(bounds.lowerBound)" }
        if bounds.upperBound == .max { return "at least \(bounds.lowerBound)" }
        return bounds.lowerBound == 0
            ? "at most \(bounds.upperBound)" : "\(bounds.lowerBound) to \(bounds.upperBound)"
    }
}

/// Compares what a test expects with a part of a payload.
private struct PayloadComparison {
    let file: SourceFile
    var mismatches: [Diagnostic] = []

    init(file: SourceFile) { self.file = file }

    mutating func compare(_ expected: DocumentNode, _ found: Value?, path: String) {
        let place = SourcePlace(file, expected.range)
        switch expected.content {
        case .mapping(let members):
            guard case .object(let object)? = found else {
                return differ(path, describe(found), "an object", at: place)
            }
            for member in members { compare(member.value, object[member.name], path: path + "." + member.name) }
        case .sequence(let elements):
            guard case .array(let values)? = found, values.count == elements.count else {
                return differ(path, describe(found), "a list of \(elements.count)", at: place)
            }
            for (index, element) in elements.enumerated() {
                compare(element, values[index], path: "\(path)[\(index)]")
            }
        case .scalar(let scalar):
            if matches(scalar, found) { return }
            differ(path, describe(found), scalar.isNullMark ? "nothing" : describe(scalar), at: place)
        }
    }

    /// A plain scalar is taken as written where the payload has a text.
    private func matches(_ scalar: DocumentScalar, _ found: Value?) -> Bool {
        switch found ?? .null {
        case .null: if case .null = scalar.value { true } else { false }
        case .string(let text): text.utf8.elementsEqual(scalar.text.utf8)
        case let found: found.equals(scalar.value)
        }
    }

    mutating func differ(_ path: String, _ found: String, _ expected: String, at place: SourcePlace) {
        mismatches.append(.mismatch("\(path): found \(found), expected \(expected)", at: place))
    }

    private func describe(_ scalar: DocumentScalar) -> String {
        if case .string(let text) = scalar.value { return "'\(text)'" }
        return scalar.text
    }

    private func describe(_ value: Value?) -> String {
        switch value ?? .null {
        case .null: "nothing"
        case .string(let text): "'\(text)'"
        case .object: "an object"
        case .array(let elements): "a list of \(elements.count)"
        case let value: value.text
        }
    }
}

extension Diagnostic {
    fileprivate static func mismatch(_ message: String, at place: SourcePlace) -> Diagnostic {
        Diagnostic(rule: "test-failed", severity: .error, message: message, at: place)
    }
}
