// SPDX-License-Identifier: MIT

import DiagnosticSources

extension Template {
    /// The least text that a complete rendering can print.
    ///
    /// Values from the data do not count, nor does what a loop, a counter or a tag of the dialect prints. Of several
    /// branches, the one with the least text counts; if all may be skipped, none counts.
    ///
    /// - Parameter weight: the weight of a run of bytes, such as its length; a run of weight 0 is left out.
    /// - Returns: the runs of text on the path with the least weight, in order.
    public func leastText(weighing weight: (ArraySlice<UInt8>) -> Int) -> [ArraySlice<UInt8>] {
        withoutActuallyEscaping(weight) { weight in
            LeastText(source: source, partialsMember: environment.partialsMember, weight: weight)
                .path(through: root).runs
        }
    }
}

extension Template {
    /// A branch of a condition, and the weight of the least text that a complete rendering prints if it takes the
    /// branch.
    package struct BranchText {
        /// The tag that begins the branch.
        package let tag: SourceRange

        /// The weight of the text, including what is printed before and after the branch.
        package let weight: Int
    }

    /// The outermost branches of conditions that print too much text.
    ///
    /// Branches that cannot be reached or that stop the message are left out. A branch inside a loop counts once.
    ///
    /// - Parameters:
    ///   - weight: as for ``leastText(weighing:)``.
    ///   - isTooMuch: whether text of a weight is too much.
    /// - Returns: the branches.
    package func branches(
        weighing weight: (ArraySlice<UInt8>) -> Int,
        where isTooMuch: (Int) -> Bool
    ) -> [BranchText] {
        let found = withoutActuallyEscaping(weight) { weight in
            LeastText(source: source, partialsMember: environment.partialsMember, weight: weight)
                .branches(in: root, before: 0, after: 0, where: isTooMuch)
        }
        if found.isEmpty { return [] }
        let unreachable = analysis().unreachable
        return found.filter { branch in
            !unreachable.contains { $0.start <= branch.body.start && branch.body.end <= $0.end }
        }
        .map(\.text)
    }
}

/// Finds the path of least weight through a template.
private struct LeastText {
    /// A path through a part of the template.
    struct Path {
        var runs: [ArraySlice<UInt8>] = []
        var weight = 0
        /// Whether rendering may end inside the part, so that text after it is not certain to be printed.
        var mayLeave = false
    }

    let source: TemplateSource
    let partialsMember: String?
    let weight: (ArraySlice<UInt8>) -> Int

    func path(through block: BlockSyntax) -> Path {
        var path = Path()
        for node in block.nodes {
            let next = self.path(through: node)
            path.runs += next.runs
            path.weight += next.weight
            path.mayLeave = next.mayLeave
            if path.mayLeave { break }
        }
        return path
    }

    private func path(through node: NodeSyntax) -> Path {
        if let range = node.verbatimRange { return text(range) }
        let leaves = readsPartial(node)
        guard let tag = node.tag else { return Path(mayLeave: leaves) }
        switch tag.node.contents {
        case .branches, .selection: return lightest(tag.blocks, isOneTaken: tag.alwaysTakesClause)
        case .interrupt, .partial: return Path(mayLeave: true)
        case .custom: return Path(mayLeave: !tag.definition.effects.contains(.stops))
        case .loop(_, let body, let otherwise):
            let leaves = body.traits.contains(.mayLeaveInterrupts)
            return Path(mayLeave: leaves || otherwise.map { path(through: $0).mayLeave } ?? false)
        case .nothing, .ownText, .text, .value, .captured, .block:
            return Path(mayLeave: leaves || tag.blocks.contains { path(through: $0).mayLeave })
        }
    }

    /// Whether a node reads a member of the data whose values are templates.
    private func readsPartial(_ node: NodeSyntax) -> Bool {
        guard let partialsMember else { return false }
        return node.expressions.contains { expression in
            if case .name(partialsMember)? = expression.lookup?.root { true } else { false }
        }
    }

    /// Finds branches with too much text in a block.
    ///
    /// - Parameters:
    ///   - block: the block.
    ///   - before: the weight of what is printed before the block.
    ///   - after: the weight of what is printed after the block, if nothing in it ends the rendering.
    ///   - isTooMuch: whether text of a weight is too much.
    /// - Returns: the branches, each with the range of its nodes.
    func branches(
        in block: BlockSyntax,
        before: Int,
        after: Int,
        where isTooMuch: (Int) -> Bool
    ) -> [(text: Template.BranchText, body: SourceRange)] {
        let nodes = block.nodes
        let paths = nodes.map(path(through:))
        var rest = Array(repeating: after, count: nodes.count + 1)
        for index in nodes.indices.reversed() {
            rest[index] = paths[index].weight + (paths[index].mayLeave ? 0 : rest[index + 1])
        }
        var found: [(text: Template.BranchText, body: SourceRange)] = []
        var before = before
        for (index, node) in nodes.enumerated() {
            let after = rest[index + 1]
            switch node.tag?.node.contents {
            case .loop?:
                for block in node.blocks {
                    found += branches(in: block, before: before, after: after, where: isTooMuch)
                }
            case .branches(let clauses)?, .selection(_, let clauses)?:
                for clause in clauses {
                    found += branches(of: clause, before: before, after: after, where: isTooMuch)
                }
            default: break
            }
            before += paths[index].weight
        }
        return found
    }

    /// The branch itself if it prints too much text, otherwise the branches inside it that do.
    private func branches(
        of clause: ClauseSyntax,
        before: Int,
        after: Int,
        where isTooMuch: (Int) -> Bool
    ) -> [(text: Template.BranchText, body: SourceRange)] {
        let body = clause.body
        let nodes = body.nodes
        guard let first = nodes.first, let last = nodes.last,
            !nodes.contains(where: { $0.tag?.definition.effects.contains(.stops) ?? false })
        else { return [] }
        let path = path(through: body)
        let weight = before + path.weight + (path.mayLeave ? 0 : after)
        guard isTooMuch(weight) else { return branches(in: body, before: before, after: after, where: isTooMuch) }
        let range = SourceRange(start: first.range.start, end: last.range.end)
        return [(Template.BranchText(tag: clause.range, weight: weight), range)]
    }

    private func lightest(_ blocks: [BlockSyntax], isOneTaken: Bool) -> Path {
        let paths = blocks.map(path(through:))
        var lightest = Path()
        if isOneTaken, let least = paths.min(by: { $0.weight < $1.weight }) { lightest = least }
        lightest.mayLeave = paths.contains(where: \.mayLeave)
        return lightest
    }

    private func text(_ range: SourceRange) -> Path {
        var path = Path()
        for part in source.printed(in: range.offsets) {
            let run = source.bytes[part]
            let weight = weight(run)
            guard weight > 0 else { continue }
            path.runs.append(run)
            path.weight += weight
        }
        return path
    }
}
