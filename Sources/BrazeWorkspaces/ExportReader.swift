// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import JSONTexts
import POSIXFiles
import PayloadKit

/// Reads the contents of a workspace from Braze: first lists, page by page, then the details of their entries, several
/// at once.
package struct ExportReader: Sendable {
    private let source: any ExportSource
    private let selection: PullSelection

    /// Called with the progress: the number of entries that were read, the number of all entries, and the word for
    /// them.
    private let progress: @Sendable (_ done: Int, _ total: Int, _ what: String) -> Void

    /// The maximum number of pages of a list.
    private static let pageLimit = 10_000

    /// The maximum number of requests that are sent at the same time.
    private static let requestLimit = 4

    package init(
        _ source: any ExportSource,
        _ selection: PullSelection,
        progress: @escaping @Sendable (Int, Int, String) -> Void = { _, _, _ in }
    ) {
        self.source = source
        self.selection = selection
        self.progress = progress
    }

    /// Reads the selected parts of the workspace; after a failure, the parts that were completely read before it are
    /// kept.
    package func read() -> WorkspaceExport {
        var export = WorkspaceExport()
        var unknownKeys: Set<String> = []
        do throws(PullFailure) {
            for part in PullSelection.Part.allCases where selection.parts.contains(part) {
                switch part {
                case .campaigns:
                    try read(.campaigns, selection.campaigns, into: &export.campaigns, &export.notes, &unknownKeys)
                case .canvases:
                    try read(.canvases, selection.canvases, into: &export.canvases, &export.notes, &unknownKeys)
                case .blocks: try readBlocks(into: &export)
                case .attributes: export.attributes = try attributes()
                case .catalogs: export.catalogs = try catalogs()
                case .events: export.events = try events()
                }
            }
        } catch {
            export.failure = error
        }
        if !unknownKeys.isEmpty {
            export.notes.append(
                "Braze's responses have keys that this version does not know and leaves out: \(unknownKeys.sorted().quoted(atMost: 8))"
            )
        }
        return export
    }

    // MARK: - Pages

    /// Reads the pages of a list, up to the last one.
    ///
    /// - Parameters:
    ///   - key: the key of the list in a response.
    ///   - id: returns the id of an entry; pages may repeat entries if the workspace is edited in the meantime.
    ///   - size: the number of entries on a full page; nil if each response links to the next page.
    ///   - page: returns the request for the page with a number, from 0, after the given count of entries.
    /// - Returns: the entries; nil if there is no response for the first page.
    /// - Throws: the reason that a page cannot be read.
    private func entries(
        _ key: String,
        id: (JSONNode) -> String?,
        size: Int?,
        _ page: (_ number: Int, _ count: Int) -> ExportRequest
    ) throws(PullFailure) -> [(id: String, node: JSONNode)]? {
        var found: [(id: String, node: JSONNode)] = []
        var known: Set<String> = []
        var link: String?
        var count = 0
        for number in 0..<Self.pageLimit {
            let numbered = page(number, count)
            let request = link.map { ExportRequest(link: $0, after: numbered, fileName: numbered.fileName) } ?? numbered
            guard let response = try source.response(to: request) else { return number == 0 ? nil : found }
            guard let list = response.root[key], list.kind == .array else {
                throw PullFailure(.unreachable, "Braze's answer to \(request.target) has no list '\(key)'")
            }
            var isNew = false
            for node in list.elements {
                guard let id = id(node), !id.isEmpty, known.insert(id).inserted else { continue }
                isNew = true
                found.append((id, node))
            }
            count += list.count
            progress(count, count, key)
            if let size {
                // A page that only repeats entries is also the last one; otherwise such pages would be requested
                // forever.
                if list.count < size || !isNew, !isSaved { return found }
                if !isNew { return found }
            } else {
                link = response.next
                if link == nil, !isSaved { return found }
                if !isNew { return found }
            }
        }
        throw PullFailure(.unreachable, "the list '\(key)' has more than the limit of \(Self.pageLimit) pages")
    }

    /// Whether the responses come from saved files, whose pages may have any size.
    private var isSaved: Bool { source.savedIDs(.campaign) != nil }

    private static func page(_ name: String, _ number: Int) -> String { number == 0 ? name : "\(name)-\(number)" }

    // MARK: - Campaigns and Canvases

    /// The endpoints and words for campaigns, or those for Canvases.
    private struct Kind: Sendable {
        let path: String
        let list: String
        let id: String
        let details: ExportRequest.Details
        let permission: String
        let fileName: String
        let word: String

        static let campaigns = Kind(
            path: "/campaigns", list: "campaigns", id: "campaign_id", details: .campaign, permission: "campaigns",
            fileName: "campaigns_list", word: "campaign")
        static let canvases = Kind(
            path: "/canvas", list: "canvases", id: "canvas_id", details: .canvas, permission: "canvas",
            fileName: "canvas_list", word: "Canvas")
    }

    private func read(
        _ kind: Kind,
        _ ids: [String],
        into listing: inout WorkspaceExport.Listing<WorkspaceExport.Campaign>,
        _ notes: inout [String],
        _ unknownKeys: inout Set<String>
    ) throws(PullFailure) {
        // A user who selects single campaigns does not want all Canvases, and the other way round.
        if ids.isEmpty, !(selection.campaigns + selection.canvases).isEmpty { return }
        var ids = ids
        if ids.isEmpty {
            let archived = selection.includesArchived ? [("include_archived", "true")] : []
            let entries = try entries(kind.list, id: { $0["id"]?.string }, size: 100) { number, _ in
                ExportRequest(
                    kind.path + "/list", [("page", "\(number)")] + archived, permission: kind.permission + ".list",
                    fileName: Self.page(kind.fileName, number))
            }
            ids = entries?.map(\.id) ?? source.savedIDs(kind.details) ?? []
            if entries != nil { listing.known = Set(ids) }
        }
        let details = details(ids, kind.word) { id throws(PullFailure) in try self.details(of: id, kind) }
        var left: [String] = []
        var missing: [String] = []
        for (id, result) in zip(ids, details.results) {
            guard let result else { continue }
            guard let root = result else {
                missing.append(id)
                continue
            }
            let campaign = Self.campaign(id, root, selection, &unknownKeys, &left)
            listing.resources.append(campaign)
        }
        if !missing.isEmpty {
            notes.append(
                "no details of the \(kind.word) \(missing.quoted(atMost: 8)) are saved, so it is not changed")
        }
        notes += left
        if let failure = details.failure { throw failure }
        for index in listing.resources.indices { try readLocales(of: &listing.resources[index], kind) }
    }

    private func details(of id: String, _ kind: Kind) throws(PullFailure) -> JSONNode? {
        func request(isDraft: Bool) -> ExportRequest {
            ExportRequest(
                kind.path + "/details",
                [(kind.id, id)] + (isDraft ? [("post_launch_draft_version", "true")] : []),
                permission: kind.permission + ".details",
                fileName: "\(kind.details.rawValue)-\(id)" + (isDraft ? "-draft" : ""))
        }
        guard let root = try source.response(to: request(isDraft: false))?.root else { return nil }
        guard selection.includesDrafts, root["has_post_launch_draft"]?.bool == true else { return root }
        return try source.response(to: request(isDraft: true))?.root ?? root
    }

    private static func campaign(
        _ id: String,
        _ root: JSONNode,
        _ selection: PullSelection,
        _ unknownKeys: inout Set<String>,
        _ notes: inout [String]
    ) -> WorkspaceExport.Campaign {
        let name = root["name"]?.string ?? ""
        let tags = root.list("tags").compactMap(\.string)
        var campaign = WorkspaceExport.Campaign(id: id, name: name, tags: tags)
        var controls = 0
        func read(_ messages: JSONNode?, step: String?) {
            for node in messages.map({ Array($0.members) }) ?? [] {
                switch ExportedVariation(node, unknownKeys: &unknownKeys) {
                case .push(let message) where message.isEmpty:
                    notes.append("'\(name)' (\(id)) has a push without texts, as API campaigns have: it is not written")
                case .push(let message): campaign.pushes.append((step, message))
                case .control: controls += 1
                case .other(let channel): campaign.channels.insert(channel)
                }
            }
        }
        read(root["messages"], step: nil)
        for step in root.list("steps") {
            read(step["messages"], step: step["name"]?.string ?? "")
        }
        if controls > 0 {
            notes.append("'\(name)' (\(id)) has a control variation, which sends nothing: it is not written")
        }
        if root["draft"]?.bool == true, !selection.includesDrafts {
            campaign.isLeftOut = true
            notes.append("'\(name)' (\(id)) is a draft: it is not written without --drafts")
        }
        return campaign
    }

    /// Adds the languages in which the messages of a campaign are translated.
    ///
    /// Failures other than an interruption are ignored, because nothing else needs this permission of the API key.
    private func readLocales(of campaign: inout WorkspaceExport.Campaign, _ kind: Kind) throws(PullFailure) {
        for index in campaign.pushes.indices
        where campaign.pushes[index].message.isTranslated && kind.details == .campaign {
            let id = campaign.pushes[index].message.id
            let request = ExportRequest(
                "/campaigns/translations", [(kind.id, campaign.id), ("message_variation_id", id)],
                permission: "campaigns.translations.get", fileName: "campaigns_translations-\(id)")
            do throws(PullFailure) {
                let response = try source.response(to: request)
                let found = response?.root.list("translations").compactMap { $0["locale"]?["locale_key"]?.string } ?? []
                campaign.pushes[index].message.locales = Array(Set(found)).sorted()
            } catch {
                if error.kind == .interrupted { throw error }
            }
        }
    }

    // MARK: - Content blocks

    private func readBlocks(into export: inout WorkspaceExport) throws(PullFailure) {
        let size = 1_000
        let entries = try entries("content_blocks", id: { $0["content_block_id"]?.string }, size: size) {
            number, count in
            // Braze refuses an offset of 0, so the first page is requested without one.
            ExportRequest(
                "/content_blocks/list", [("limit", "\(size)")] + (count > 0 ? [("offset", "\(count)")] : []),
                permission: "content_blocks.list", fileName: Self.page("content_blocks_list", number))
        }
        let ids = entries?.map(\.id) ?? source.savedIDs(.block) ?? []
        if let entries { export.blocks.known = Set(entries.compactMap { $0.node["name"]?.string }) }
        let details = details(ids, "block") { id throws(PullFailure) in
            try source.response(
                to: ExportRequest(
                    "/content_blocks/info", [("content_block_id", id)], permission: "content_blocks.info",
                    fileName: "\(ExportRequest.Details.block.rawValue)-\(id)")
            )?.root
        }
        for case .some(.some(let root)) in details.results {
            guard let name = root["name"]?.string, let content = root["content"]?.string else { continue }
            export.blocks.resources.append(
                WorkspaceExport.Block(
                    name: name, description: root["description"]?.string,
                    tags: root.list("tags").compactMap(\.string), content: content))
        }
        if let failure = details.failure { throw failure }
    }

    // MARK: - Registries

    private func attributes() throws(PullFailure) -> [WorkspaceRegistry.Attribute]? {
        let entries = try entries("attributes", id: { $0["name"]?.string }, size: nil) { number, _ in
            ExportRequest(
                "/custom_attributes", permission: "custom_attributes.get",
                fileName: Self.page("custom_attributes", number))
        }
        return entries?.map { name, node in
            let words = node["data_type"]?.string.map { $0.parts(between: " (")[0].lowercased() }
            return WorkspaceRegistry.Attribute(
                name: name, type: words.map { $0 == "date" ? "time" : $0 == "object array" ? "object_array" : $0 },
                description: node["description"]?.string, isBlocklisted: node["status"]?.string == "Blocklisted")
        }
    }

    private func catalogs() throws(PullFailure) -> [WorkspaceRegistry.Catalog]? {
        let request = ExportRequest("/catalogs", permission: "catalogs.get", fileName: "catalogs")
        guard let response = try source.response(to: request) else { return nil }
        guard let list = response.root["catalogs"], list.kind == .array else {
            throw PullFailure(.unreachable, "Braze's answer to \(request.target) has no list 'catalogs'")
        }
        return list.elements.compactMap { node in
            guard let name = node["name"]?.string else { return nil }
            return WorkspaceRegistry.Catalog(
                name: name, description: node["description"]?.string,
                fields: node.list("fields").compactMap { field in
                    field["name"]?.string.map {
                        WorkspaceRegistry.Catalog.Field(name: $0, type: field["type"]?.string)
                    }
                },
                selections: node["selections"].map { $0.elements.compactMap { $0["name"]?.string } })
        }
    }

    private func events() throws(PullFailure) -> [WorkspaceRegistry.Event]? {
        try entries("events", id: \.string, size: 250) { number, _ in
            ExportRequest(
                "/events/list", [("page", "\(number)")], permission: "events.list",
                fileName: Self.page("events_list", number))
        }?.map { WorkspaceRegistry.Event(name: $0.id) }
    }

    // MARK: - Requests

    /// The details that were read so far, shared by the threads that request them.
    private struct Progress<Result: Sendable>: Sendable {
        var next = 0
        var done = 0
        var results: [Result?]
        var failure: PullFailure?
    }

    /// Requests the details of resources, several at once; after a failure, no more requests are sent.
    ///
    /// - Returns: the details for each id, nil if they were not read; and the first failure.
    private func details<Result: Sendable>(
        _ ids: [String],
        _ word: String,
        _ read: @escaping @Sendable (String) throws(PullFailure) -> Result
    ) -> (results: [Result?], failure: PullFailure?) {
        let state = Locked(Progress<Result>(results: Array(repeating: nil, count: ids.count)))
        let group = DispatchGroup()
        for _ in 0..<min(Self.requestLimit, ids.count) {
            DispatchQueue.global().async(group: group) {
                while let index = state.withLock({ state -> Int? in
                    guard state.failure == nil, state.next < ids.count else { return nil }
                    defer { state.next += 1 }
                    return state.next
                }) {
                    do throws(PullFailure) {
                        let result = try read(ids[index])
                        let done = state.withLock { state in
                            state.results[index] = .some(result)
                            state.done += 1
                            return state.done
                        }
                        progress(done, ids.count, word)
                    } catch {
                        state.withLock { $0.failure = $0.failure ?? error }
                    }
                }
            }
        }
        group.wait()
        return state.withLock { ($0.results, $0.failure) }
    }
}
