// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import POSIXFiles
import PayloadKit
import PayloadLinting

/// A place in the project that mentions a name, such as a campaign that names a category.
struct Mention: Sendable {
    /// A name that texts can mention, with the kind of thing that has the name.
    enum Name: Sendable, Hashable {
        case category(String)
        case key(String)
        case app(String)
        /// A content block: the absolute path of its file, and its name.
        case block(String, String)
        /// Another file: its absolute path.
        case file(String)
    }

    /// Which mentions a request asks for.
    enum Choice { case definitions, uses, all }

    let name: Name
    let isDefinition: Bool
    let place: SourcePlace
}

extension FeatureRequest {
    /// The innermost mention at an offset of the text; nil if there is none.
    func mention(at offset: Int) -> Mention? {
        guard let kept = project?.kept else { return nil }
        let found = mentions.filter { mention in
            kept.absolute(mention.place.file.path) == text.path && mention.place.range.offsets.holds(offset)
        }
        return found.min { $0.place.range.offsets.count < $1.place.range.offsets.count }
    }

    /// The places that mention the name at an offset, as the protocol writes them.
    ///
    /// If a content block's file has no name at the offset, these are the places that mention the block.
    func locations(ofMentionAt offset: Int, _ choice: Mention.Choice) -> ProtocolValue {
        let all = mentions
        let ofBlock = all.first { mention in
            if case .block(let path, _) = mention.name { path == text.path } else { false }
        }
        guard let name = mention(at: offset)?.name ?? ofBlock?.name else { return [] }
        var wanted = all.filter { $0.name == name }
        switch choice {
        case .definitions:
            wanted.removeAll { !$0.isDefinition }
            // If the category is known, only the apps and extensions that get its pushes count as readers of the key.
            if case .key(let key) = name, let category {
                let places = readers(category).filter { $0.key == key }.flatMap(\.places)
                let reading = wanted.filter { mention in places.contains { $0.isSame(as: mention.place) } }
                if !reading.isEmpty { wanted = reading }
            }
            if case .file(let path) = name {
                wanted.append(Mention(name: name, isDefinition: true, place: SourcePlace(unread: path)))
            }
        case .uses: wanted.removeAll { $0.isDefinition && !$0.isRead }
        case .all: break
        }
        var known: [ProtocolValue] = []
        for mention in wanted {
            guard let location = workspace.location(of: mention.place, around: text, client.encoding) else { continue }
            if !known.contains(location) { known.append(location) }
        }
        return .array(known)
    }

    /// All mentions of names in the project.
    var mentions: [Mention] {
        let campaigns = (project?.kept.campaigns ?? []).sorted { $0.file.path < $1.file.path }
        return campaigns.flatMap(mentions) + (project?.apps ?? []).flatMap(mentions)
    }

    private func mentions(in linted: LintedCampaign) -> [Mention] {
        guard let campaign = linted.campaign, let kept = project?.kept else { return [] }
        var found: [Mention] = []
        func add(_ name: Mention.Name, _ place: SourcePlace?, isDefinition: Bool = false) {
            if let place { found.append(Mention(name: name, isDefinition: isDefinition, place: place)) }
        }
        func add(file: Placed<String>?) {
            guard let file else { return }
            let folder = kept.absolute(campaign.file.path).folder
            add(
                .file((file.value.hasPrefix("/") ? file.value : folder + "/" + file.value).standardizedPath), file.place
            )
        }
        if let category = campaign.push.category, !category.holdsLiquid {
            add(.category(category.text), category.place)
        }
        if let app = campaign.app { add(.app(app.value), app.place) }
        for extra in campaign.push.extras where !extra.key.holdsLiquid { add(.key(extra.key.text), extra.key.place) }
        if let required = campaign.requirements, required.isStated {
            for extra in required.extras where extra.place.file === campaign.file { add(.key(extra.key), extra.place) }
        }
        add(file: campaign.fixtures)
        for test in campaign.tests {
            add(file: test.profile?.path)
            add(file: test.context?.path)
        }
        for block in campaign.blocks {
            let file = block.text.file
            let place = file.path.hasSuffix(".liquid") ? SourcePlace(wholeFile: file) : block.text.place
            add(.block(kept.absolute(file.path), block.name), place, isDefinition: true)
        }
        for (name, place) in linted.blockMentions {
            guard let block = campaign.blocks.first(where: { $0.name == name }) else { continue }
            add(.block(kept.absolute(block.text.file.path), name), place)
        }
        return found
    }

    private func mentions(in app: App) -> [Mention] {
        var found: [Mention] = []
        func add(_ name: Mention.Name, _ place: SourcePlace?) {
            if let place { found.append(Mention(name: name, isDefinition: true, place: place)) }
        }
        add(.app(app.name), app.place)
        for appExtension in app.extensions {
            for category in appExtension.categories { add(.category(category.value), category.place) }
        }
        for category in app.code?.categories ?? [] { add(.category(category.identifier), category.place) }
        for part in [(app.extras, app.code)] + app.extensions.map({ ($0.extras, $0.code) }) {
            for extra in part.0 ?? [] { add(.key(extra.key), extra.place) }
            for read in part.1?.reads ?? [] where read.path.isEmpty && !read.isSystem {
                for place in [read.place] + read.otherPlaces { add(.key(read.key), place) }
            }
        }
        return found
    }
}

extension Mention {
    /// Whether the mention is a line of code that reads a key; such a line counts as a use and as a definition.
    fileprivate var isRead: Bool {
        if case .key = name { !place.file.path.hasSuffix(".yml") } else { false }
    }
}

extension SourcePlace {
    fileprivate func isSame(as other: SourcePlace) -> Bool {
        file.path == other.file.path && range == other.range
    }
}

extension Range<Int> {
    /// Whether a cursor is in the range or at its end.
    fileprivate func holds(_ offset: Int) -> Bool { lowerBound <= offset && offset <= upperBound }
}
