// SPDX-License-Identifier: MIT

import Dispatch
import JSONTexts
import PayloadKit

/// Finds out which branches of a campaign the profiles take, and a few profiles that together take all of them.
///
/// Profiles are rendered in slices of time, so that a page with many profiles is shown at once.
struct BranchCover: Sendable {
    /// The maximum number of profiles that are rendered.
    static let limit = 100_000

    /// The maximum time for all slices together, in seconds.
    static let patience = 4.0

    /// The maximum time in seconds that a page waits for profiles; it is then shown without the others.
    static let slice = 0.02

    /// The branches that the profiles rendered so far take.
    private(set) var coverage: Coverage

    /// The number of profiles to render.
    let count: Int

    /// The number of profiles that were rendered.
    private(set) var seen = 0

    /// Whether no more profiles will be rendered: all were, or the time is over.
    private(set) var isDone = false

    /// The numbers of a few profiles that together take every branch that any profile takes; 0 is the user about whom
    /// nothing is known.
    private(set) var chosen: [Int] = []

    private var sample: BranchSample
    private var spent = 0.0

    init(_ map: CoverageMap, of people: People) {
        coverage = Coverage(map)
        sample = BranchSample(map)
        count = min(people.count, Self.limit)
    }

    /// A text that changes whenever anything changes that affects which branches profiles take.
    static func key(of draft: CampaignDraft, _ trigger: LiquidObject, now: Time, revision: Int) -> String {
        var json = JSONWriter()
        Value.object(trigger).write(json: &json)
        let rest = "\(draft.path)\n\(now.seconds)\n\(revision)\n" + json.buffer.string()
        return CampaignDraft.revision(of: draft.file.bytes + Array(rest.utf8))
    }

    /// Renders more profiles.
    ///
    /// - Parameters:
    ///   - renderer: renders the campaign.
    ///   - people: the profiles.
    ///   - trigger: the values of `api_trigger_properties`.
    ///   - time: the maximum time, in seconds.
    mutating func advance(
        _ renderer: CampaignRenderer,
        _ people: People,
        _ trigger: LiquidObject,
        for time: Double
    ) {
        guard !isDone else { return }
        let start = DispatchTime.now().uptimeNanoseconds
        var passed: Double { Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9 }
        var session = renderer.session(counting: coverage.map)
        let nothing = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        let first = seen
        while seen < count {
            // Reading the clock takes long compared with a rendering, so it is read only for every eighth profile.
            if seen > first, (seen - first) % 8 == 0, passed >= time { break }
            seen += 1
            guard case .success(let profile) = people.profile(seen) else { continue }
            let record = session.record(profile, triggerProperties: trigger)
            sample.note(nothing, branches: record.branches, block: 0, line: seen)
        }
        if let counted = session.coverage { coverage.add(counted) }
        spent += passed
        isDone = seen == count || spent >= Self.patience
        var sample = sample
        // The user about whom nothing is known is considered last, and may be chosen too.
        let nobody = session.record(.unknown, triggerProperties: trigger)
        sample.note(nothing, branches: nobody.branches, block: 1, line: 0)
        chosen = sample.smallest().profiles.map(\.line)
    }
}
