// SPDX-License-Identifier: MIT

package import AppDeclarations
public import DiagnosticSources
import LiquidTemplates

extension Campaign {
    /// The result of a test.
    public struct TestResult: Sendable {
        /// The outcome of the message.
        public var outcome: Outcome

        /// The differences from what the test expects, except differences from its snapshot.
        public var mismatches: [TestMismatch]

        /// The comparison with the stored payload; nil if the test has no snapshot, or the message is not sent.
        public var snapshot: PayloadSnapshot?

        /// The branches of the templates that the message took; nil if they are not counted.
        public var coverage: Coverage?

        /// The warnings of rendering, and the errors and warnings about how the message fits apps; empty if the message
        /// is not sent.
        package func findings(in apps: [App], rules: RuleLevels) -> [Diagnostic] {
            guard case .rendered(let payload) = outcome else { return [] }
            return payload.warnings
                + rules.apply(to: apps.flatMap { $0.check(payload) }).filter { $0.severity > .info }
        }
    }

    /// Runs a test of the campaign.
    ///
    /// The test's `now` takes precedence over the `now` of its profile, its context and the options.
    ///
    /// - Parameters:
    ///   - test: the test.
    ///   - options: the options for everything that the test does not set itself.
    ///   - folder: the folder with the files of the test: its profile, its context and its snapshot.
    ///   - map: the branches of the campaign's templates that are counted; nil to count none.
    /// - Returns: the outcome, and the differences from what the test expects.
    /// - Throws: an error if the test cannot be run, because a file is missing or invalid, or Liquid has a syntax
    ///   error.
    public func run(
        _ test: CampaignTest,
        options: RenderOptions,
        folder: some CampaignFolder,
        counting map: CoverageMap? = nil
    ) throws(InputError) -> TestResult {
        var options = options
        var profile = Profile.unknown
        if let context = test.context {
            let given = try RenderContext(file: try context.read(in: folder))
            options.context = given.laid(over: options.context)
        }
        if let given = test.profile { profile = try Profile(file: try given.read(in: folder)) }
        let now = test.now ?? profile.context.now ?? options.context.now
        if let now { options.now = now }
        if test.now != nil { options.overridesNow = true }
        if let seed = test.seed { options.seed = seed }
        if let events = test.eventProperties { options.eventProperties = events }
        let renderer = try renderer(options: options)
        var session = if let map { renderer.session(counting: map) } else { renderer.session() }
        let outcome = session.render(profile, triggerProperties: test.triggerProperties ?? .empty)
        var result = TestResult(outcome: outcome, mismatches: test.mismatches(with: outcome, in: file))
        result.coverage = session.coverage
        if session.readsClock, now == nil {
            result.mismatches.append(
                TestMismatch("a template uses the current time, expected 'now' in the test", at: test.place)
            )
        }
        if case .rendered(let payload) = outcome, let place = test.expectation.snapshot {
            let path = snapshotPath(of: test)
            result.snapshot = PayloadSnapshot(payload, path: path, stored: folder.file(at: path), askedAt: place)
        }
        return result
    }
}

extension CampaignTest {
    /// The differences between an outcome and what the test expects.
    ///
    /// - Parameters:
    ///   - outcome: the outcome of the message.
    ///   - file: the campaign's file.
    /// - Returns: the differences.
    public func mismatches(with outcome: Outcome, in file: SourceFile) -> [TestMismatch] {
        switch outcome {
        case .aborted(let reason):
            guard let expected = expectation.aborted else {
                return [TestMismatch("the message was aborted: \(reason)", at: endingPlace)]
            }
            if expected.value.utf8.elementsEqual(reason.utf8) { return [] }
            let place = expected.place ?? expectation.place
            return [TestMismatch(path: "aborted", expected: .text(expected.value), found: .text(reason), at: place)]
        case .failed(let error):
            let text = error.diagnostics.map { "\($0.message) (\($0.rule))" }.joined(separator: "; ")
            let places = error.diagnostics.compactMap { finding in
                finding.place.map { Diagnostic.Related("\(finding.message) (\(finding.rule))", at: $0) }
            }
            guard let expected = expectation.failed else {
                return [TestMismatch("the message failed: \(text)", at: endingPlace, related: places)]
            }
            if text.holds(expected.value) { return [] }
            return [
                TestMismatch(
                    "the message failed: \(text), expected '\(expected.value)'",
                    at: expected.place ?? expectation.place,
                    related: places
                )
            ]
        case .rendered(let payload):
            if let reason = expectation.aborted {
                return [
                    TestMismatch("the message was rendered, expected an abort: \(reason.value)", at: endingPlace)
                ]
            }
            if let rule = expectation.failed {
                return [TestMismatch("the message was rendered, expected a failure: \(rule.value)", at: endingPlace)]
            }
            return mismatches(with: payload, in: file)
        }
    }

    /// The place where the test says how the message ends.
    private var endingPlace: SourcePlace {
        expectation.aborted?.place ?? expectation.failed?.place ?? expectation.place
    }

    private func mismatches(with payload: Payload, in file: SourceFile) -> [TestMismatch] {
        var comparison = PayloadComparison(file: file, table: payload.campaign.push.table)
        let root = payload.root
        for member in expectation.members {
            comparison.compare(member, inPayload: root)
        }
        if let extras = expectation.extras {
            var sent = LiquidObject.Builder()
            for extra in payload.extras { sent.set(extra.key, root[extra.key] ?? .null) }
            comparison.compare(extras, .object(LiquidObject(sent)), path: "extras")
        }
        if let bounds = expectation.bytes, !bounds.value.contains(payload.size.bytes) {
            comparison.mismatches.append(
                TestMismatch(
                    path: "bytes",
                    expected: .other(Self.phrase(bounds.value)),
                    found: .other("\(payload.size.bytes)"),
                    at: bounds.place ?? expectation.place
                )
            )
        }
        return comparison.sorted
    }

    private static func phrase(_ bounds: ClosedRange<Int>) -> String {
        if bounds.lowerBound == bounds.upperBound { return "\(bounds.lowerBound)" }
        if bounds.upperBound == .max { return "at least \(bounds.lowerBound)" }
        return bounds.lowerBound == 0
            ? "at most \(bounds.upperBound)" : "\(bounds.lowerBound) to \(bounds.upperBound)"
    }
}

extension Payload {
    /// The payload as an object; empty if a text in it is not UTF-8.
    package var root: LiquidObject {
        let value = bytes.withUnsafeBufferPointer { try? Value(json: $0) }
        guard case .object(let root)? = value else { return .empty }
        return root
    }
}
