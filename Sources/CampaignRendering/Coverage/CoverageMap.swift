// SPDX-License-Identifier: MIT

import BrazeLiquid
public import DiagnosticSources
public import LiquidTemplates

/// The templates of a campaign and of the content blocks that it uses, with their branches.
///
/// Every branch has one index, which is the same for all renderers of a campaign.
public final class CoverageMap: Sendable {
    /// A text with Liquid.
    public struct Text: Sendable {
        /// The text and its place in its file.
        public let source: TemplateText

        /// Whether it is a content block.
        public let isBlock: Bool

        /// The branches and nodes of its template.
        public let map: TemplateMap

        /// The index of the template itself, which counts as its first branch; the indices of its other branches
        /// follow.
        public let firstBranch: Int

        /// The indices in ``map`` of the branches of each decision.
        let alternatives: [Int: [Int]]

        init(_ source: TemplateText, isBlock: Bool, _ map: TemplateMap, firstBranch: Int) {
            self.source = source
            self.isBlock = isBlock
            self.map = map
            self.firstBranch = firstBranch
            alternatives = Dictionary(grouping: map.branches.indices) { map.branches[$0].decision }
        }

        /// The indices of its branches, without the template itself.
        public var branches: Range<Int> { firstBranch + 1..<firstBranch + map.branches.count }

        /// The branch at an index.
        public func branch(_ index: Int) -> TemplateBranch { map.branches[index - firstBranch] }

        /// The place of a branch in the file that the author wrote.
        public func place(ofBranch index: Int) -> SourcePlace { source.place(of: branch(index).range) }
    }

    /// The texts of the campaign in the order of its file, then the content blocks by their names.
    public let texts: [Text]

    /// The number of branches, including the templates themselves.
    public let branchCount: Int

    /// The index in ``texts`` of each template of the message, in the order of the message's texts.
    private let order: [Int]

    /// The indices in ``texts`` of the content blocks, by their names.
    private let blocks: [String: Int]

    /// Creates the map of a renderer's campaign.
    public init(_ renderer: CampaignRenderer) {
        let environment = renderer.options.errorMode == .lax ? BrazeEnvironment.standard : BrazeEnvironment.strict
        let own = renderer.message.texts
        let sorted = own.indices.sorted { left, right in
            let (one, other) = (own[left].source, own[right].source)
            // A REST body may be in a file of its own.
            if one.file.path != other.file.path {
                return one.file.path.utf8.lexicographicallyPrecedes(other.file.path.utf8)
            }
            return one.range.start == other.range.start ? left < right : one.range.start < other.range.start
        }
        var texts: [Text] = []
        var count = 0
        func add(_ source: TemplateText, _ template: Template, isBlock: Bool) {
            let map = template.map
            texts.append(Text(source, isBlock: isBlock, map, firstBranch: count))
            count += map.branches.count
        }
        var order = own.map { _ in 0 }
        for (place, index) in sorted.enumerated() {
            order[index] = place
            if let template = own[index].template { add(own[index].source, template, isBlock: false) }
        }
        var indices: [String: Int] = [:]
        for (block, template) in Self.blocks(
            of: own.compactMap(\.template), in: renderer.campaign, environment, renderer.options.errorMode
        ) {
            indices[block.name] = texts.count
            add(block.text, template, isBlock: true)
        }
        self.texts = texts
        self.order = order
        blocks = indices
        branchCount = count
    }

    /// The content blocks that templates use, directly or through other blocks, sorted by their names.
    private static func blocks(
        of templates: [Template],
        in campaign: Campaign,
        _ environment: Environment,
        _ mode: ErrorMode
    ) -> [(block: ContentBlock, template: Template)] {
        var found: [String: (block: ContentBlock, template: Template)] = [:]
        var pending = templates
        while let template = pending.popLast() {
            for name in template.analysis().partials.compactMap(\.name) where found[name] == nil {
                // Faults in a block are reported where it is rendered, and by `lint`.
                guard let block = campaign.blocks.first(where: { $0.name.utf8.elementsEqual(name.utf8) }),
                    let next = try? Template(block.text.text, name: name, environment: environment, mode: mode)
                else { continue }
                found[name] = (block, next)
                pending.append(next)
            }
        }
        return found.values.sorted { $0.block.name.utf8.lexicographicallyPrecedes($1.block.name.utf8) }
    }

    /// The indices of the branches that can be covered: all except the templates themselves.
    public var branches: [Int] { texts.flatMap(\.branches) }

    /// The text that contains a branch.
    public func text(ofBranch index: Int) -> Text {
        texts[texts.partitioningIndex { $0.firstBranch > index } - 1]
    }

    /// The index in ``texts`` of each template of a renderer's message.
    func indices(of message: CompiledMessage) -> [ObjectIdentifier: Int] {
        let templates = message.texts.compactMap(\.template)
        return Dictionary(zip(templates.map { ObjectIdentifier($0) }, order)) { first, _ in first }
    }

    /// The index in ``texts`` of a content block that a message has rendered; nil for a block with different text,
    /// which comes from a profile or a context.
    func index(ofBlock template: Template) -> Int? {
        guard let index = template.name.flatMap({ blocks[$0] }) else { return nil }
        return texts[index].source.text.utf8.elementsEqual(template.source.bytes) ? index : nil
    }
}

extension CampaignRenderer {
    /// The templates of the campaign with their branches.
    public var coverageMap: CoverageMap { CoverageMap(self) }
}

extension CoverageMap.Text {
    /// The lines of the file that contain a node: the line where a tag or output begins, or all lines of a text that
    /// are not blank.
    package func lines(of node: BranchNode) -> Set<Int> {
        let range = node.range.offsets.clamped(to: 0..<source.text.utf8.count)
        let bytes = source.text.utf8.dropFirst(range.lowerBound).prefix(range.count)
        guard !bytes.starts(with: "{{".utf8), !bytes.starts(with: "{%".utf8) else {
            return [source.place(of: node.range).start.line]
        }
        var lines: Set<Int> = []
        var wasBlank = true
        for (offset, byte) in zip(range, bytes) {
            let isBlank = byte == UInt8(ascii: " ") || (UInt8(ascii: "\t")...UInt8(ascii: "\r")).contains(byte)
            // A text is folded only at white space, so each of its words is on one line.
            if wasBlank, !isBlank { lines.insert(source.place(of: SourceRange(offset, offset + 1)).start.line) }
            wasBlank = isBlank
        }
        return lines
    }
}
