// SPDX-License-Identifier: MIT

import AppBundles
import Liquid
import PayloadKit
import SourceText

/// Renders lines of profiles into lines of records.
struct Batch: Sendable {
    let renderer: CampaignRenderer
    let triggerProperties: LiquidObject
    let app: App?
    let shard: Shard?

    /// Renders the lines of a part of a block.
    func render(_ part: BatchPart) {
        if part.block.isOversized { return part.write(.oversized(line: part.block.firstLine)) }
        var session = renderer.session()
        part.block.bytes.withUnsafeBufferPointer { bytes in
            var line = part.firstLine
            var start = part.range.lowerBound
            while start < part.range.upperBound {
                let rest = UnsafeBufferPointer(rebasing: bytes[start..<part.range.upperBound])
                let length = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.count
                render(UnsafeBufferPointer(rebasing: rest[..<length]), line, &session, part)
                start += length + 1
                line += 1
            }
        }
    }

    private func render(
        _ text: UnsafeBufferPointer<UInt8>,
        _ line: Int,
        _ session: inout RenderSession,
        _ part: BatchPart
    ) {
        if text.allSatisfy({ $0 <= 0x20 }) { return }
        let profile: Profile
        do throws(ProfileError) {
            profile = try Profile(json: text)
        } catch {
            if shard?.contains(text) ?? true {
                part.write(Record(broken: error, in: part.block.path, line: line, text: text))
            }
            return
        }
        if let shard, !(profile.id.map { shard.contains($0.utf8) } ?? shard.contains(text)) { return }
        let outcome = session.render(profile, triggerProperties: triggerProperties)
        part.write(Record(id: profile.id, line: line, outcome: checked(outcome)))
    }

    /// The outcome after the checks against the app.
    private func checked(_ outcome: Outcome) -> Outcome {
        guard let app, case .rendered(let payload) = outcome else { return outcome }
        let faults = app.check(payload).filter { $0.severity == .error }
        return faults.isEmpty ? outcome : .failed(RenderError(faults))
    }
}
