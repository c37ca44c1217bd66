// SPDX-License-Identifier: MIT

import Dispatch
import JSONTexts
import PayloadKit

/// Which branches of a campaign profiles take, and few profiles that together take each of them.
///
/// Profiles are rendered in slices of time, so that a page with many of them answers at once.
struct BranchCover: Sendable {
    /// The most profiles that are looked through.
    static let limit = 100_000

    /// The longest time for all slices, in seconds.
    static let patience = 4.0

    /// The seconds that a page waits for profiles before it is shown without the rest of them.
    static let slice = 0.02

    /// What the profiles that were looked through take.
    private(set) var coverage: Coverage

    /// The number of profiles to look through.
    let count: Int

    /// The number of profiles that were looked through.
    private(set) var seen = 0

    /// Whether no more profiles will be looked through.
    private(set) var isDone = false

    /// The numbers of a few profiles that together take every branch that was taken at all; 0 for the user of whom
    /// nothing is known.
    private(set) var chosen: [Int] = []

    private var sample: BranchSample
    private var spent = 0.0

    init(_ map: CoverageMap, of people: People) {
        coverage = Coverage(map)
        sample = BranchSample(map)
        count = min(people.count, Self.limit)
    }

    /// Identifies what a cover depends on.
    static func key(of draft: CampaignDraft, _ trigger: LiquidObject, now: Time, revision: Int) -> String {
        var json = JSONWriter()
        Value.object(trigger).write(json: &json)
        let rest = "\(draft.path)\n\(now.seconds)\n\(revision)\n" + json.buffer.string()
        return CampaignDraft.revision(of: draft.file.bytes + Array(rest.utf8))
    }

    /// Looks through more profiles.
    ///
    /// - Parameters:
    ///   - renderer: renders the campaign of the cover.
    ///   - people: the profiles.
    ///   - trigger: `api_trigger_properties`.
    ///   - time: for how many seconds.
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
            // Reading the clock takes as long as a part of a rendering.
            if seen > first, (seen - first) % 8 == 0, passed >= time { break }
            seen += 1
            guard case .success(let profile) = people.profile(seen) else { continue }
            let record = session.record(profile, triggerProperties: trigger)
            sample.note(nothing, arms: record.arms, block: 0, line: seen)
        }
        if let counted = session.coverage { coverage.add(counted) }
        spent += passed
        isDone = seen == count || spent >= Self.patience
        var sample = sample
        // Nobody is as good as anybody else, but comes last.
        let nobody = session.record(.unknown, triggerProperties: trigger)
        sample.note(nothing, arms: nobody.arms, block: 1, line: 0)
        chosen = sample.smallest().profiles.map(\.line)
    }
}
