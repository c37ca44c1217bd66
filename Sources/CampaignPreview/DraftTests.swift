// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadKit
import PayloadLinting

/// The results of a campaign's tests for its draft, as `payloadgen test` would report them; no snapshot is written.
struct DraftTests: Sendable {
    /// The number of tests.
    let count: Int

    /// The names of the tests that fail; nil if the tests are not run.
    let failing: [String]?

    /// The reason why the tests are not run; empty if they are.
    private let reason: String

    /// The maximum number of tests that are run while an author types.
    private static let limit = 50

    /// Runs the tests; nil if the campaign has none.
    ///
    /// - Parameters:
    ///   - draft: the campaign.
    ///   - inputs: the inputs of the preview.
    init?(_ draft: CampaignDraft, _ inputs: PreviewInputs) {
        guard let campaign = draft.campaign else { return nil }
        guard !campaign.tests.isEmpty else { return nil }
        count = campaign.tests.count
        reason =
            draft.preventsTests ? "because of the errors" : "as they are more than \(Self.limit); see 'payloadgen test'"
        guard !draft.preventsTests, count <= Self.limit else {
            failing = nil
            return
        }
        let options = inputs.testOptions
        let folder = inputs.folder(around: draft.path)
        failing = campaign.tests.filter { test in
            guard let result = try? campaign.run(test, options: options, folder: folder) else { return true }
            return !result.mismatches.isEmpty || result.snapshot?.mismatches.isEmpty == false
                || result.findings(in: draft.apps, rules: options.rules).contains { $0.severity == .error }
        }
        .map(\.name)
    }

    /// The result of the tests as a line in the list of checks.
    var check: Scene.Check {
        let all = counted(count, "test")
        guard let failing else {
            let verb = count == 1 ? "is" : "are"
            return Scene.Check(state: .skipped, text: "\(all) of the campaign \(verb) not run here, \(reason)")
        }
        guard !failing.isEmpty else {
            return Scene.Check(state: .passed, text: "\(all) of the campaign \(count == 1 ? "passes" : "pass")")
        }
        let names = failing.quoted(atMost: 4)
        let verb = failing.count == 1 ? "fails" : "fail"
        return Scene.Check(state: .warned, text: "\(failing.count) of \(all) of the campaign \(verb): \(names)")
    }
}
