// SPDX-License-Identifier: MIT

import Linting
import PayloadKit

/// How the tests in a campaign end for its draft, as `payloadgen test` would run them; no snapshot is written.
struct DraftTests: Sendable {
    /// The number of tests.
    let count: Int

    /// The names of the tests that fail.
    let failing: [String]

    /// The most tests that are run while somebody types.
    private static let limit = 50

    /// Runs the tests; nil where there are none or too many.
    ///
    /// - Parameters:
    ///   - draft: the campaign.
    ///   - inputs: how it is rendered.
    init?(_ draft: CampaignDraft, _ inputs: PreviewInputs) {
        guard let campaign = draft.campaign else { return nil }
        guard (1...Self.limit).contains(campaign.tests.count) else { return nil }
        let folder = inputs.folder(around: draft.path)
        count = campaign.tests.count
        failing = campaign.tests.filter { test in
            guard let result = try? campaign.run(test, options: inputs.options, folder: folder) else { return true }
            // The first run of a test writes its snapshot.
            let isStored = result.snapshot.map { !$0.isMissing } ?? false
            return !result.mismatches.isEmpty || (isStored && result.snapshot?.mismatches.isEmpty == false)
                || !result.errors(in: draft.apps, rules: inputs.options.rules).isEmpty
        }
        .map(\.name)
    }

    /// The line about the tests beside the other checks.
    var check: Scene.Check {
        let all = count == 1 ? "1 test" : "\(count) tests"
        guard !failing.isEmpty else {
            return Scene.Check(state: .passed, text: "\(all) of the campaign \(count == 1 ? "passes" : "pass")")
        }
        let names = failing.prefix(4).map { "'\($0)'" }.joined(separator: ", ") + (failing.count > 4 ? ", …" : "")
        let verb = failing.count == 1 ? "fails" : "fail"
        return Scene.Check(state: .warned, text: "\(failing.count) of \(all) of the campaign \(verb): \(names)")
    }
}
