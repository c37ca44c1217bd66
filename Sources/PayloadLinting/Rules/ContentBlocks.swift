// SPDX-License-Identifier: MIT

import DiagnosticSources
import LiquidTemplates
import PayloadKit

extension RuleMessage {
    fileprivate static func unknown(_ name: String, near: String?, in folder: String, known: [String]) -> RuleMessage {
        let hint = didYouMean(
            near, else: ", which has " + (known.isEmpty ? "none" : known.quoted(atMost: 5)))
        return "there is no content block '\(name)' in '\(folder)'\(hint)"
    }
    fileprivate static func noFolder(_ name: String) -> RuleMessage {
        "the content block '\(name)' is not checked and cannot be rendered: the campaign has no 'content_blocks' folder"
    }
    fileprivate static func notGiven(_ name: String) -> RuleMessage {
        "the content block '\(name)' is not checked: the scenario has no profile in the short form that gives it under 'content_blocks'"
    }
    fileprivate static func tooDeep(_ name: String) -> RuleMessage {
        "the content block '\(name)' is on the third level: Braze allows a block inside a block, and removes what is nested deeper"
    }
    fileprivate static let unread: RuleMessage =
        "no text of a campaign with this folder of content blocks reads this block, so it is checked alone"
    fileprivate static let orphan: RuleMessage =
        "no campaign of the project reads this file, so it is checked alone"
    fileprivate static let emptyBlock: RuleMessage =
        "the content block is empty, so nothing is printed where it is read; expected a text"
    fileprivate static let lineBreakAlone: RuleMessage =
        "the content block has only a line break ('\\n'), which is dropped as the end of the file; expected a text, or 'newline_at_end: keep' in .payloadgen.yml to keep it"
    fileprivate static func whiteSpaceAlone(_ shown: String) -> RuleMessage {
        "the content block has only white space (\(shown)), which is printed where it is read; expected a text"
    }
    fileprivate static let openFrontMatter: RuleMessage =
        "the front matter that '---' begins is never closed, so users read it; expected a second line '---'"
    fileprivate static func cycle(_ names: [String]) -> RuleMessage {
        names.count == 2
            ? "the content block '\(names[0])' contains itself, so it cannot be rendered"
            : "content blocks contain each other in a cycle: \(names.map { "'\($0)'" }.joined(separator: " contains "))"
    }
}

extension Rule {
    /// The rules about content blocks.
    static let contentBlocks: [Rule] = [unknownBlock, blockNesting, orphanBlock, blockForm]

    private static let unknownBlock = Rule(
        RuleID("unknown-block", .error, "a content block that is not in the folder of the campaign"),
        source: .contentBlocks,
        rationale: """
            The message cannot be rendered. A block is a file NAME.liquid in the folder under 'content_blocks'. Its \
            name has no '.liquid', and upper and lower case count. The finding is a warning if the campaign has no \
            such folder, because Braze may have the block. It is also a warning in a scenario, if the profile in the \
            short form does not have the block under 'content_blocks'. Each block is checked like a text of the \
            campaign, in its own file.
            """,
        failing: [
            .blocks("Hi {{content_blocks.${⟦Footer⟧}}}", ["footer": "Bye"]),
            .campaign("push: {title: 'Hi {{content_blocks.${⟦footer⟧}}}'}"),
        ],
        passing: [.blocks("Hi {{content_blocks.${footer}}}", ["footer": "Bye"])],
        .campaign { campaign in
            if case .scenario(let profile) = campaign.kind {
                return profile == .unread ? [] : campaign.missingBlockFindings
            }
            // The content blocks of a template without a campaign are not known.
            guard let read = campaign.campaign else { return [] }
            // In a workspace, no campaign names the folder of the content blocks.
            let folder = read.contentBlocks.map { $0.place == nil ? WorkspaceRegistry.Path.blocks : $0.value }
            // If a campaign has a folder, all its blocks are in it, even the ones that a context replaces.
            let known = folder == nil ? campaign.blockNames : read.blocks.map(\.name) + read.otherBlocks
            // Names are compared byte by byte.
            let exact = Set(known.map { Array($0.utf8) })
            let given = Set(campaign.blockNames.map { Array($0.utf8) })
            // The finding about why these blocks could not be read is at the name of the folder.
            let unread = Set(read.unreadBlocks.map { Array($0.utf8) })
            var suggestions = Suggestions()
            let campaignTexts = campaign.texts + campaign.blocks.prefix(read.blocks.count)
            // The blocks of a context may read each other.
            let contextBlocks = campaign.blocks.dropFirst(read.blocks.count)
            return (campaignTexts.map { ($0, exact) } + contextBlocks.map { ($0, given) }).flatMap { text, names in
                text.blockUses.compactMap { name, range in
                    let bytes = Array(name.utf8)
                    guard !names.contains(bytes), !unread.contains(bytes) else { return nil }
                    let place = text.place(of: range)
                    guard let folder else { return Finding(.noFolder(name), at: place, severity: .warning) }
                    let bare = name.hasSuffix(".liquid") ? String(name.dropLast(".liquid".count)) : name
                    let near = exact.contains(Array(bare.utf8)) ? bare : suggestions.nearest(to: name, in: known)
                    return Finding(.unknown(name, near: near, in: folder, known: known), at: place)
                }
            }
        }
    )

    private static let orphanBlock = Rule(
        RuleID("orphan-block", .info, "a Liquid file that no campaign of the project reads"),
        source: .braze("api/endpoints/templates/content_blocks_templates/get_see_email_content_blocks_information"),
        rationale: """
            The file is checked alone: nobody knows which variables the text around it sets, or what it is part of. A \
            campaign reads a file NAME.liquid if it is in the folder under 'content_blocks' and one of its texts, or a \
            block that they read, prints {{content_blocks.${NAME}}}.
            """,
        failing: [
            [.file("blocks/footer.liquid", "⟦⟧Bye, {{ ${first_name} }}")],
            .campaign(
                "content_blocks: blocks\npush: {title: Hi}",
                with: [.file("blocks/footer.liquid", "⟦⟧Bye, {{ ${first_name} }}")]
            ),
        ],
        passing: [.blocks("Hi {{content_blocks.${footer}}}", ["footer": "Bye"])],
        .campaign { campaign in
            guard campaign.kind == .block, let block = campaign.blocks.first else { return [] }
            return [Finding(.orphan, at: SourcePlace(wholeFile: block.source.file))]
        },
        .project { campaigns in
            // If a text cannot be read, the blocks that it uses are not known.
            guard campaigns.allSatisfy({ $0.campaign != nil && $0.templates.allSatisfy(\.isWhole) }) else { return [] }
            var files: [String: SourceFile] = [:]
            var read: Set<String> = []
            for campaign in campaigns {
                let names = Set(campaign.templates.flatMap { $0.blockUses.map(\.name) })
                for block in campaign.campaign?.blocks ?? [] {
                    let file = block.text.file
                    files[file.path] = file
                    if names.contains(block.name) || !file.path.hasSuffix(".liquid") { read.insert(file.path) }
                }
            }
            return files.filter { !read.contains($0.key) }.values.sorted { $0.path < $1.path }.map {
                Finding(.unread, at: SourcePlace(wholeFile: $0))
            }
        }
    )

    private static let blockForm = Rule(
        RuleID("block-form", .warning, "a content block that is empty, or whose front matter is not closed"),
        source: "https://github.com/uny/braze-sync",
        rationale: """
            Front matter is removed only if it begins with '---' on the first line and ends at the next such line. A \
            file with nothing else, or an empty file, is probably a mistake.
            """,
        failing: [.blocks("Hi {{content_blocks.${footer}}}", ["footer": "⟦---⟧\nname: footer\nBye"])],
        passing: [.blocks("Hi {{content_blocks.${footer}}}", ["footer": "---\nname: footer\n---\nBye"])],
        .campaign { campaign in
            campaign.blocks.compactMap { block in
                let source = block.source
                let isFile = source.file.path.hasSuffix(".liquid")
                if source.text.utf8.allSatisfy({ $0 <= 0x20 }) {
                    let isLineBreak =
                        isFile && source.file.bytes.last == UInt8(ascii: "\n") && source.file.bytes.count <= 2
                    let message: RuleMessage =
                        !source.text.isEmpty
                        ? .whiteSpaceAlone(source.text.debugDescription) : isLineBreak ? .lineBreakAlone : .emptyBlock
                    return Finding(message, at: isFile ? SourcePlace(wholeFile: source.file) : source.place)
                }
                // Only files have a front matter, and a closed front matter is not part of the text.
                guard isFile, source.text.hasPrefix("---\n") || source.text.hasPrefix("---\r\n") else { return nil }
                let start = Int(source.range.start)
                return Finding(.openFrontMatter, at: SourcePlace(source.file, SourceRange(start, start + 3)))
            }
        }
    )

    private static let blockNesting = Rule(
        RuleID("block-nesting", .warning, "a content block that is nested deeper than Braze allows"),
        source: .contentBlocks,
        rationale: """
            A block may contain another block. Braze removes a block inside of that one: it sends neither its text nor \
            its tag. Blocks that contain each other are an error at any depth.
            """,
        failing: [
            .blocks(
                "Hi {{content_blocks.${one}}}",
                ["one": "{{content_blocks.${two}}}", "two": "{{content_blocks.${⟦three⟧}}}", "three": "Bye"]),
            .blocks("Hi {{content_blocks.${one}}}", ["one": "Hi {{content_blocks.${⟦one⟧}}}"]),
        ],
        passing: [.blocks("Hi {{content_blocks.${one}}}", ["one": "{{content_blocks.${two}}}", "two": "Bye"])],
        .campaign { campaign in
            var walk = BlockWalk(campaign)
            for text in campaign.texts { walk.enter(text) }
            return walk.found
        }
    )
}

extension LintedCampaign {
    /// The findings about content blocks that a scenario uses and that its profile does not contain.
    fileprivate var missingBlockFindings: [Finding] {
        let given = Set(blockNames.map { Array($0.utf8) })
        return (texts + blocks).flatMap { text in
            text.blockUses.filter { !given.contains(Array($0.name.utf8)) }.map { name, range in
                Finding(.notGiven(name), at: text.place(of: range), severity: .warning)
            }
        }
    }
}

/// Follows content blocks inside other content blocks.
private struct BlockWalk {
    /// The first use of a block in a text.
    private struct Use {
        var name: String
        var place: SourcePlace
    }

    /// The maximum number of paths of nested blocks that are followed.
    private static let pathLimit = 10_000

    /// The names of all known blocks.
    let names: Set<String>

    private(set) var found: [Finding] = []
    private var usesOfBlocks: [String: [Use]] = [:]
    private var entered: Set<[String]> = []
    private var cyclic: Set<String> = []

    init(_ campaign: LintedCampaign) {
        let all = campaign.blockNames
        names = Set(all)
        for (name, block) in zip(all, campaign.blocks) where usesOfBlocks[name] == nil {
            usesOfBlocks[name] = uses(in: block)
        }
    }

    /// The known blocks that a text reads, each once.
    private func uses(in text: LintedText) -> [Use] {
        var met: Set<String> = []
        return text.blockUses.compactMap { name, range in
            guard names.contains(name), met.insert(name).inserted else { return nil }
            return Use(name: name, place: text.place(of: range))
        }
    }

    /// Follows the blocks that a text reads.
    mutating func enter(_ text: LintedText) {
        enter(uses(in: text), [], [])
    }

    /// Follows uses of blocks, each path of names once.
    ///
    /// - Parameters:
    ///   - uses: the uses.
    ///   - path: the names of the blocks from the message to the uses.
    ///   - places: the place where each block of `path` is used.
    private mutating func enter(_ uses: [Use], _ path: [String], _ places: [SourcePlace]) {
        for use in uses {
            if let start = path.firstIndex(of: use.name) {
                let cycle = path[start...]
                if cyclic.isDisjoint(with: cycle) {
                    found.append(Finding(.cycle(cycle + [use.name]), at: use.place, severity: .error))
                    cyclic.formUnion(cycle)
                }
                continue
            }
            guard entered.count < Self.pathLimit else { return }
            let way = path + [use.name]
            guard entered.insert(way).inserted else { continue }
            if path.count == 2 {
                let related = zip(path, places).map { Diagnostic.Related("'\($0)' is inserted here", at: $1) }
                found.append(Finding(.tooDeep(use.name), at: use.place, related: related))
            }
            enter(usesOfBlocks[use.name] ?? [], way, places + [use.place])
        }
    }
}

extension LintedText {
    /// The content blocks that the text reads, with the places of their names.
    var blockUses: [(name: String, range: SourceRange)] {
        analysis.partials.compactMap { partial in
            guard partial.kind == .attribute, let name = partial.name else { return nil }
            let start = Int(partial.range.start)
            let found = bytes[partial.range.offsets].firstRange(ofBytes: "${".utf8)
                .flatMap { bytes[$0.upperBound..<Int(partial.range.end)].firstRange(ofBytes: name.utf8) }
            return (name, found.map { SourceRange($0) } ?? SourceRange(start, Int(partial.range.end)))
        }
    }
}
