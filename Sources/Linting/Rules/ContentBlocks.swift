// SPDX-License-Identifier: MIT

import Liquid
import PayloadKit
import SourceText

extension RuleMessage {
    fileprivate static func unknown(_ name: String, near: String?, in folder: String, known: [String]) -> RuleMessage {
        let hint =
            near.map { ", did you mean '\($0)'?" }
            ?? (known.isEmpty
                ? ", which holds none"
                : ", which holds " + known.prefix(5).map { "'\($0)'" }.joined(separator: ", ")
                    + (known.count > 5 ? ", …" : ""))
        return "there is no content block '\(name)' in '\(folder)'\(hint)"
    }
    fileprivate static func noFolder(_ name: String) -> RuleMessage {
        "the content block '\(name)' is not checked and cannot be rendered: the campaign has no 'content_blocks' folder"
    }
    fileprivate static func tooDeep(_ name: String) -> RuleMessage {
        "the content block '\(name)' is on the third level: Braze takes a block in a block, and what is nested deeper is removed"
    }
    fileprivate static func cycle(_ names: [String]) -> RuleMessage {
        "content blocks hold each other without end: \(names.map { "'\($0)'" }.joined(separator: " holds "))"
    }
}

extension Rule {
    /// The rules about content blocks.
    static let contentBlocks: [Rule] = [unknownBlock, blockNesting]

    private static let unknownBlock = Rule(
        RuleDescription(
            RuleID("unknown-block", .error, "a content block that is not in the folder of the campaign"),
            name: "Unknown content block",
            rationale: """
                The message cannot be rendered. A block is a file NAME.liquid in the folder under 'content_blocks', and is named \
                without '.liquid', case included. In a campaign without such a folder it is a warning: Braze may have the block. \
                Each block is checked like a text of the campaign, in its own file.
                """,
            failing: [
                .campaign(
                    "content_blocks: blocks\npush: {title: 'Hi {{content_blocks.${⟦Footer⟧}}}'}",
                    with: [RuleExample.File("blocks/footer.liquid", "Bye")]
                ),
                .campaign("push: {title: 'Hi {{content_blocks.${⟦footer⟧}}}'}"),
            ],
            passing: [
                .campaign(
                    "content_blocks: blocks\npush: {title: 'Hi {{content_blocks.${footer}}}'}",
                    with: [RuleExample.File("blocks/footer.liquid", "Bye")]
                )
            ]
        ),
        .campaign { campaign in
            // What a template alone may read is not known.
            guard let read = campaign.campaign else { return [] }
            let known = read.blocks.map(\.name)
            let folder = read.contentBlocks?.value
            return (campaign.texts + campaign.blocks).flatMap { text in
                text.blockUses.compactMap { name, range in
                    guard !known.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else { return nil }
                    let place = text.place(of: range)
                    guard let folder else { return Finding(.noFolder(name), at: place, severity: .warning) }
                    let near = known.first { name == $0 + ".liquid" } ?? nearestName(to: name, in: known)
                    return Finding(.unknown(name, near: near, in: folder, known: known), at: place)
                }
            }
        }
    )

    private static let blockNesting = Rule(
        RuleDescription(
            RuleID("block-nesting", .warning, "a content block that is nested deeper than Braze takes it"),
            name: "Nesting of content blocks",
            rationale: """
                A block may hold another block. One in that is removed, text and tag both. Blocks that hold each other are an \
                error, whatever the depth.
                """,
            failing: [
                .campaign(
                    "content_blocks: blocks\npush: {title: 'Hi {{content_blocks.${one}}}'}",
                    with: [
                        RuleExample.File("blocks/one.liquid", "{{content_blocks.${two}}}"),
                        RuleExample.File("blocks/two.liquid", "{{content_blocks.${⟦three⟧}}}"),
                        RuleExample.File("blocks/three.liquid", "Bye"),
                    ]
                ),
                .campaign(
                    "content_blocks: blocks\npush: {title: 'Hi {{content_blocks.${one}}}'}",
                    with: [RuleExample.File("blocks/one.liquid", "Hi {{content_blocks.${⟦one⟧}}}")]
                ),
            ],
            passing: [
                .campaign(
                    "content_blocks: blocks\npush: {title: 'Hi {{content_blocks.${one}}}'}",
                    with: [
                        RuleExample.File("blocks/one.liquid", "{{content_blocks.${two}}}"),
                        RuleExample.File("blocks/two.liquid", "Bye"),
                    ]
                )
            ]
        ),
        .campaign { campaign in
            var walk = BlockWalk(campaign)
            for text in campaign.texts { walk.enter(text, [], [text.source.place]) }
            for (name, _) in walk.blocks.sorted(by: { $0.key < $1.key }) { walk.findCycle(from: name) }
            return walk.found
        }
    )
}

/// Follows content blocks into each other.
private struct BlockWalk {
    let blocks: [String: LintedText]
    private(set) var found: [Finding] = []
    private var seen: Set<String> = []
    private var cyclic: Set<String> = []

    init(_ campaign: LintedCampaign) {
        let names = campaign.campaign?.blocks.map(\.name) ?? []
        blocks = Dictionary(zip(names, campaign.blocks), uniquingKeysWith: { first, _ in first })
    }

    /// Follows the blocks of a text.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - path: the blocks that led here.
    ///   - places: where the message and these blocks are read.
    mutating func enter(_ text: LintedText, _ path: [String], _ places: [SourcePlace]) {
        for (name, range) in text.blockUses {
            let place = text.place(of: range)
            if path.contains(name) { continue }
            if path.count >= 2 {
                guard seen.insert("\(path.joined(separator: "/"))/\(name)").inserted, blocks[name] != nil else {
                    continue
                }
                let related = places.prefix(3).map { Diagnostic.Related("read from here", at: $0) }
                found.append(Finding(.tooDeep(name), at: place, related: related))
            } else if let block = blocks[name] {
                enter(block, path + [name], places + [place])
            }
        }
    }

    /// Reports the shortest way from a block back to itself, once for each cycle.
    mutating func findCycle(from name: String) {
        guard !cyclic.contains(name) else { return }
        var ways: [(names: [String], first: SourcePlace?)] = [([name], nil)]
        var visited: Set<String> = [name]
        while !ways.isEmpty {
            let way = ways.removeFirst()
            guard let last = way.names.last, let block = blocks[last] else { continue }
            for (next, range) in block.blockUses {
                let place = way.first ?? block.place(of: range)
                if next == name {
                    cyclic.formUnion(way.names)
                    found.append(Finding(.cycle(way.names + [name]), at: place, severity: .error))
                    return
                }
                if visited.insert(next).inserted { ways.append((way.names + [next], place)) }
            }
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
