// SPDX-License-Identifier: MIT

package import AppBundles
import SourceText
package import SwiftSources

/// What the code of an app needs of a push.
extension App {
    /// A read of a top-level key, with the kind of the bundle whose code reads it; nil is the app itself.
    package typealias PlacedRead = (kind: Extension.Kind?, read: TargetCode.Read)

    /// The reads of pushes that a content extension shows: by this extension, the service extensions and the app.
    ///
    /// Keys that Apple or Braze sends, and keys that extensions add to pushes, are left out.
    package func reads(ofPushesTo content: Extension) -> [PlacedRead] {
        var parts: [(kind: Extension.Kind?, code: TargetCode)] = content.code.map { [(content.kind, $0)] } ?? []
        for candidate in extensions where candidate.kind == .service {
            if let code = candidate.code { parts.append((candidate.kind, code)) }
        }
        if let code { parts.append((nil, code)) }
        let written = keysWrittenByExtensions
        return parts.flatMap { part in
            part.code.reads.filter { $0.path.isEmpty && !$0.isSystem && !written.contains($0.key) }.map {
                (part.kind, $0)
            }
        }
    }

    /// The findings about pairs that code needs and that are not sent.
    ///
    /// Pairs that a `payloadgen.extras.yml` or the campaign itself declares are left out, as their declarations are
    /// checked. A key that code of the app writes itself, such as into local notifications, is needed only in a push
    /// that has another such key, and so takes the place of the app's own.
    ///
    /// - Parameters:
    ///   - campaign: the campaign, with the requirements of the app added.
    ///   - category: the category of the push; nil where it has none.
    ///   - keys: the keys of the pairs that are sent.
    /// - Returns: the findings; none where no content extension claims the category.
    func missingReads(_ campaign: Campaign, category: String?, sent keys: Set<String>) -> [Diagnostic] {
        guard let content = category.flatMap({ contentExtension(claiming: $0) }) else { return [] }
        let files = extensions.flatMap { $0.extras ?? [] } + (extras ?? [])
        let declared = Set((files + (campaign.requirements?.extras ?? [])).map(\.key))
        let written = writtenKeys
        let unneeded = keys.isDisjoint(with: written) ? written : []
        var found: [(read: TargetCode.Read, severity: Severity)] = []
        for (kind, read) in reads(ofPushesTo: content) {
            guard !keys.contains(read.key), !declared.contains(read.key), !unneeded.contains(read.key),
                !read.alternatives.contains(where: keys.contains),
                read.condition.categories.contains(category ?? ""), read.condition.keys.isSubset(of: keys),
                let severity = read.severityWhenMissing(in: kind)
            else { continue }
            if let known = found.firstIndex(where: { $0.read.key == read.key }) {
                if severity > found[known].severity { found[known] = (read, severity) }
            } else {
                found.append((read, severity))
            }
        }
        return found.map { read, severity in
            Diagnostic(
                .extrasContract,
                "'\(read.key)' is not sent, and \(read.effectWhenMissing)",
                at: campaign.place(ofMissingKey: read.key) ?? campaign.push.category?.place,
                severity: severity,
                related: [Diagnostic.Related("'\(read.key)' is read here", at: read.place)]
            )
        }
    }
}

extension TargetCode.Read {
    /// What the code does without the pair.
    fileprivate var effectWhenMissing: String {
        if requirement == .crash {
            return condition.isOpen
                ? "code reads it under a condition and then crashes without it" : "code reads it and crashes without it"
        }
        return isGate || condition.isOpen
            ? "code skips a feature without it" : "code reads it and shows nothing without it"
    }
}
