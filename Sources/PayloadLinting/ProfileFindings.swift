// SPDX-License-Identifier: MIT

package import BrazeLiquid
package import DiagnosticSources
import LiquidTemplates
import PayloadKit

/// The findings of `lint` in the profiles that a campaign is rendered for.
package struct ProfileFindings: Sendable {
    private let attributes: Set<String>
    private let types: [String: AttributeType]
    private let levels: RuleLevels

    /// Prepares checks of the profiles for a campaign.
    ///
    /// - Parameters:
    ///   - campaign: the campaign.
    ///   - levels: the severities of the rules.
    package init(_ campaign: LintedCampaign, _ levels: RuleLevels) {
        attributes = campaign.readAttributes
        types = campaign.campaign?.attributeTypes ?? [:]
        self.levels = levels
    }

    /// The errors and warnings in a profile.
    package func about(_ profile: SourceFile) -> [Diagnostic] {
        levels.apply(to: Rule.fields(of: profile, reading: attributes, types: types)).filter { $0.severity > .info }
    }

    /// The errors and warnings in a file with one profile on each line, each message once.
    ///
    /// - Parameters:
    ///   - profiles: the file.
    ///   - reported: returns the ranges in a line of the values whose faults are reported anyway.
    /// - Returns: the findings.
    package func about(
        linesOf profiles: SourceFile,
        except reported: (UnsafeBufferPointer<UInt8>) -> [SourceRange]
    ) -> [Diagnostic] {
        var known: Set<String> = []
        var findings: [Diagnostic] = []
        var start = 0
        for line in profiles.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let found = about(SourceFile(path: profiles.path, bytes: Array(line)))
            let others = found.isEmpty ? [] : line.withUnsafeBufferPointer(reported)
            for var finding in found {
                if let range = finding.place?.range, others.contains(range) { continue }
                guard known.insert("\(finding.rule) \(finding.message)").inserted else { continue }
                finding.place = finding.place.map { place in
                    let (lower, upper) = (Int(place.range.start) + start, Int(place.range.end) + start)
                    return SourcePlace(profiles, SourceRange(lower, upper))
                }
                findings.append(finding)
            }
            start += line.count + 1
        }
        return findings
    }
}

extension LintedCampaign {
    /// The finding about texts that read the most recently used device of a user with several devices.
    ///
    /// - Parameters:
    ///   - profile: the profile of the user.
    ///   - data: everything that the texts can read.
    /// - Returns: the finding; nil if the user has at most one device, if the data sets the device, or if no text reads
    ///   it.
    package func severalDevices(of profile: Profile, in data: RenderContext) -> Diagnostic? {
        guard profile.deviceCount > 1, data.root["most_recently_used_device"] == nil else { return nil }
        var blocks = LiquidObject.empty
        if case .object(let sources)? = data.fixtures["content_blocks"] { blocks = sources }
        let analyses = texts.map(\.analysis)
        guard analyses.readDevice(contentBlocks: blocks, environment: LintedText.environment, mode: .lax) else {
            return nil
        }
        return Diagnostic(.severalDevices, RenderMessages.severalDevices(profile.deviceCount), at: nil)
    }
}
