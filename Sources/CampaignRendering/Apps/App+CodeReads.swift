// SPDX-License-Identifier: MIT

package import AppDeclarations
import DiagnosticSources

/// What the code of an app needs from a push.
extension App {
    /// A read of a key, with the kind of extension whose code reads it; the kind is nil for the app itself.
    package typealias PlacedRead = (kind: Extension.Kind?, read: TargetCode.Read)

    /// The reads of pushes by the content extension that shows them, the service extensions and the app.
    ///
    /// Keys that extensions add to pushes are left out.
    ///
    /// - Parameters:
    ///   - content: the content extension; nil if the system shows the push.
    ///   - runsService: whether the push makes service extensions run. If it does not, and no content extension shows
    ///     the push, the reads of service extensions are left out.
    ///   - inDictionaries: whether reads of keys in dictionaries, and in JSON in a text, are included.
    ///   - isSystem: whether to return the reads of keys that Apple or Braze sends, instead of the reads of all other
    ///     keys.
    /// - Returns: the reads.
    package func reads(
        ofPushesTo content: Extension?,
        runsService: Bool,
        inDictionaries: Bool = false,
        isSystem: Bool = false
    ) -> [PlacedRead] {
        var parts: [(kind: Extension.Kind?, code: TargetCode)] = []
        if let content, let code = content.code { parts.append((content.kind, code)) }
        for candidate in extensions where candidate.kind == .service && (content != nil || runsService) {
            if let code = candidate.code { parts.append((candidate.kind, code)) }
        }
        if let code { parts.append((nil, code)) }
        let written = keysWrittenByExtensions
        return parts.flatMap { part in
            part.code.reads.filter { read in
                (inDictionaries || read.path.isEmpty) && read.isSystem == isSystem
                    && !written.contains(read.pair)
            }.map { (part.kind, $0) }
        }
    }

    /// The findings about pairs that code needs but that are not sent.
    ///
    /// Pairs that a `payloadgen.extras.yml` or the campaign itself declares are left out, because the declarations are
    /// checked separately.
    ///
    /// If no content extension shows the push, the app's code may also be meant for other kinds of pushes. Of the app's
    /// own reads, only those that crash without the pair are then reported, and none for a background push.
    ///
    /// - Parameters:
    ///   - campaign: the campaign, with the requirements of the app added.
    ///   - category: the category of the push; nil if it has none.
    ///   - keys: the keys of the pairs that are sent.
    ///   - runsService: whether the push makes service extensions run.
    /// - Returns: the findings.
    func missingReads(
        _ campaign: Campaign,
        category: String?,
        sent keys: Set<String>,
        runsService: Bool
    ) -> [MissingRead] {
        let content = category.flatMap { contentExtensions(claiming: $0).first }
        let isVisiblePush = !campaign.push.isBackground
        let runsService = runsService && isVisiblePush
        let files = extensions.flatMap { $0.extras ?? [] } + (extras ?? [])
        let declared = Set((files + (campaign.requirements?.extras ?? [])).map(\.key))
        var found: [(read: TargetCode.Read, severity: Severity)] = []
        let reads = reads(ofPushesTo: content, runsService: runsService)
        // Service extensions and apps often return early if a push is not for them.
        let exits = reads.filter { kind, read in
            kind != .content && read.requirement == .return && !keys.contains(read.key)
        }
        for (kind, read) in reads {
            let mayLeave = exits.contains { $0.kind == kind && $0.read.isBefore(read) }
            guard !keys.contains(read.key), !declared.contains(read.key),
                !read.alternatives.contains(where: keys.contains),
                read.condition.categories.contains(category ?? ""), read.condition.keys.isSubset(of: keys),
                let worst = read.severityWhenMissing(in: kind, runsService: runsService),
                case let isForOthers = reads.contains(where: { $0.kind != kind && read.isNeeded(with: $0.read) }),
                case let severity = mayLeave || isForOthers ? Severity.info : worst,
                content != nil || kind != nil || (isVisiblePush && severity > .info)
            else { continue }
            if let known = found.firstIndex(where: { $0.read.key == read.key }) {
                if severity > found[known].severity { found[known] = (read, severity) }
            } else {
                found.append((read, severity))
            }
        }
        let place = campaign.push.category?.place ?? SourcePlace(wholeFile: campaign.file)
        let fields = missingFields(campaign.push, category, content, sent: keys, runsService: runsService)
        let missingFields = fields.map { read, field, severity in
            let finding = Diagnostic(
                .extrasContract,
                "the push has no '\(field)', and \(read.effectWhenMissing)",
                at: place,
                severity: severity,
                related: read.notes("'\(field == "image" ? field : read.key)' is read here"),
                subject: read.key
            )
            return MissingRead(read: read, finding: finding)
        }
        return missingFields
            + found.map { read, severity in
                let finding = Diagnostic(
                    .extrasContract,
                    "'\(read.key)' is not sent, and \(read.effectWhenMissing)",
                    at: campaign.place(ofMissingKey: read.key) ?? place,
                    severity: severity,
                    related: read.notes("'\(read.key)' is read here"),
                    subject: Payload.Field.extrasPrefix + read.key
                )
                return MissingRead(read: read, finding: finding)
            }
    }

    /// The fields that code needs but that the push does not have, such as the title, each with the read that needs it.
    private func missingFields(
        _ push: PushMessage,
        _ category: String?,
        _ content: Extension?,
        sent keys: Set<String>,
        runsService: Bool
    ) -> [(read: TargetCode.Read, field: String, severity: Severity)] {
        let absent = push.table.fields.filter { field in
            switch field.sending {
            case .option(let owner, _): push[owner] == nil
            case .withImage: push[field.name] == nil && push.image == nil
            case .byKind: push[field.name] == nil
            }
        }
        var names = Dictionary(absent.compactMap { field in field.payloadPath.map { ($0, field.name) } }) { first, _ in
            first
        }
        // A service extension may also attach a file for a pair that it reads.
        let mayAttach = extensions.contains { candidate in
            guard candidate.kind == .service else { return false }
            guard let code = candidate.code, code.unknownReads.isEmpty else { return true }
            return code.reads.contains { keys.contains($0.pair) }
        }
        if push.image == nil, !mayAttach { names[["ab", "att", "url"]] = "image" }
        var known: Set<String> = []
        let reads = reads(ofPushesTo: content, runsService: runsService, inDictionaries: true, isSystem: true)
        return reads.compactMap { kind, read in
            guard let name = names[read.path + [read.key]], read.alternatives.isEmpty,
                read.condition.categories.contains(category ?? ""), read.condition.keys.isSubset(of: keys),
                let severity = read.severityWhenMissing(in: kind, runsService: runsService), severity > .info,
                known.insert(name).inserted
            else { return nil }
            return (read, name, severity)
        }
    }

    /// The keys that extensions add to pushes when the pushes arrive.
    package var keysWrittenByExtensions: Set<String> {
        Set(extensions.flatMap { $0.code?.writes.map(\.text) ?? [] })
    }

    /// A pair that code needs but that is not sent.
    struct MissingRead {
        let read: TargetCode.Read
        let finding: Diagnostic
    }
}

extension TargetCode.Read {
    /// The severity of the finding that the pair is not sent.
    ///
    /// - Parameters:
    ///   - kind: the kind of extension that reads the pair; nil for the app, whose code may also be meant for other
    ///     kinds of pushes.
    ///   - runsService: whether the push makes service extensions run.
    /// - Returns: the severity; nil if the code works without the pair.
    package func severityWhenMissing(in kind: App.Extension.Kind?, runsService: Bool) -> Severity? {
        let runs = kind == .content || kind == .service && runsService
        return switch requirement {
        case .crash where condition.isOpen: runs ? .warning : .info
        // Service extensions and apps often return early if a push is not for them, so the crash is not certain.
        case .crash: kind == .content ? .error : .warning
        case .return: kind == .content && !isGate && !condition.isOpen ? .warning : .info
        case .default, .optional: nil
        }
    }

    /// Whether this read comes before another read in the same file.
    fileprivate func isBefore(_ other: TargetCode.Read) -> Bool {
        place.file.path == other.place.file.path && place.range.start < other.place.range.start
    }

    /// Whether this pair is needed only if the pair of another read is sent.
    fileprivate func isNeeded(with other: TargetCode.Read) -> Bool {
        requirement == .return && condition.keys.contains(other.key)
    }

    /// What the code does without the pair.
    fileprivate var effectWhenMissing: String {
        if requirement == .crash {
            return condition.isOpen
                ? "code reads it under a condition and then crashes without it" : "code reads it and crashes without it"
        }
        if !condition.isOpen, !condition.keys.isEmpty {
            return "code uses \(condition.keys.sorted().quoted(atMost: 3)) only together with it"
        }
        return isGate || condition.isOpen
            ? "code skips a feature without it" : "without it, code shows nothing"
    }
}
