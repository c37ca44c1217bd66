// SPDX-License-Identifier: MIT

import SourceText

extension Template {
    /// The text that every rendering prints at least, if it comes to an end.
    ///
    /// What is printed of data counts nothing, and neither does what a loop, a counter or a tag of the dialect prints. Of
    /// branches the lightest counts, and none where all of them may be passed over.
    ///
    /// - Parameters:
    ///   - environment: the dialect that the template was read in.
    ///   - weight: what a run of bytes weighs; one without weight is left out.
    /// - Returns: the runs of text on the lightest way through the template, in their order.
    public func leastText(
        environment: Environment = .standard,
        weighing weight: (ArraySlice<UInt8>) -> Int
    ) -> [ArraySlice<UInt8>] {
        withoutActuallyEscaping(weight) { weight in
            LeastText(source: source, partialsMember: environment.partialsMember, weight: weight)
                .path(through: root).runs
        }
    }
}

/// Finds the lightest way through a template.
private struct LeastText {
    /// A way through a part of the template.
    struct Path {
        var runs: [ArraySlice<UInt8>] = []
        var weight = 0
        /// Whether rendering may leave the template inside of the part, so that nothing behind it is sure to be printed.
        var mayLeave = false
    }

    let source: MaskedSource
    let partialsMember: String?
    let weight: (ArraySlice<UInt8>) -> Int

    func path(through block: Block) -> Path {
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

    private func path(through node: Node) -> Path {
        switch node.kind {
        case .text: text(node.range)
        case .raw(let range): text(range)
        case .conditional(let conditional):
            lightest(conditional.branches.map(\.body), isOneTaken: conditional.branches.last?.condition == nil)
        case .selection(let selection):
            lightest(selection.bodies, isOneTaken: selection.branches.last.map { $0.value == nil } ?? false)
        case .interrupt, .partial: Path(mayLeave: true)
        case .custom(let tag): Path(mayLeave: !tag.definition.effects.contains(.stops))
        case .output(let output), .assign(_, let output):
            Path(mayLeave: output.expressions.contains { $0.starts(from: partialsMember) })
        case .capture(_, let body), .ifChanged(let body): Path(mayLeave: path(through: body).mayLeave)
        case .loop(let loop):
            Path(
                mayLeave: loop.body.traits.contains(.mayLeaveInterrupts)
                    || loop.otherwise.map { path(through: $0).mayLeave } ?? false
            )
        case .table(let table): Path(mayLeave: table.body.traits.contains(.mayLeaveInterrupts))
        case .comment, .cycle, .counter: Path()
        }
    }

    private func lightest(_ blocks: [Block], isOneTaken: Bool) -> Path {
        let paths = blocks.map(path(through:))
        var lightest = Path()
        if isOneTaken, let least = paths.min(by: { $0.weight < $1.weight }) { lightest = least }
        lightest.mayLeave = paths.contains(where: \.mayLeave)
        return lightest
    }

    private func text(_ range: SourceRange) -> Path {
        var path = Path()
        var start = Int(range.start)
        let end = Int(range.end)
        func add(_ run: ArraySlice<UInt8>) {
            let weight = weight(run)
            guard weight > 0 else { return }
            path.runs.append(run)
            path.weight += weight
        }
        for substitution in source.substitutions(in: range.offsets) where substitution.meaning == .nothing {
            add(source.original[start..<Int(substitution.range.start)])
            start = min(Int(substitution.range.end), end)
        }
        add(source.original[start..<end])
        return path
    }
}

extension Expression {
    /// Whether the expression reads from a member of the data.
    fileprivate func starts(from member: String?) -> Bool {
        guard let member, case .lookup(let lookup) = kind, case .name(member) = lookup.root else { return false }
        return true
    }
}
