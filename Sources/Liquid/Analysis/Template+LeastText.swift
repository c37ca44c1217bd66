// SPDX-License-Identifier: MIT

import SourceText

extension Template {
    /// The text that every complete rendering prints at least.
    ///
    /// Values from the data do not count, nor does what a loop, a counter or a tag of the dialect prints. Of several
    /// branches the one with the least text counts, and none of them if all may be skipped.
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
        guard let tag = node.tag else { return Path(mayLeave: readsPartial(node)) }
        let definition = tag.definition
        switch definition.role {
        case .branches, .cases: return lightest(tag.blocks, isOneTaken: tag.alwaysTakesClause)
        case .leaves, .includes, .renders: return Path(mayLeave: true)
        case .runs: return Path(mayLeave: !definition.effects.contains(.stops))
        case .prints, .assigns: return Path(mayLeave: readsPartial(node))
        case .plain, .captures: return Path(mayLeave: tag.blocks.contains { path(through: $0).mayLeave })
        case .loops:
            let leaves = tag.body.map { $0.traits.contains(.mayLeaveInterrupts) } ?? false
            return Path(mayLeave: leaves || tag.blocks.dropFirst().contains { path(through: $0).mayLeave })
        case .comment, .counts: return Path()
        }
    }

    /// Whether a node reads a member of the data whose values are templates.
    private func readsPartial(_ node: NodeSyntax) -> Bool {
        guard let partialsMember else { return false }
        return node.expressions.contains { expression in
            if case .name(partialsMember)? = expression.lookup?.root { true } else { false }
        }
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
