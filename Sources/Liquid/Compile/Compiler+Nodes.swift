// SPDX-License-Identifier: MIT

import SourceText

/// Blocks, their nodes, text and captures.
extension Compiler {
    mutating func compileBlock(_ block: Int, withoutText: Bool = false) {
        let outerWork = work
        work = Self.workOfBlock
        let score = emit(.score)
        var count = 0
        var node = block + 1
        let end = tree.endOfPart(block)
        while node < end {
            if !withoutText || tree[node].kind != .text {
                compileNode(node)
                count += 1
            }
            node = tree.endOfPart(node)
        }
        instructions[score].a = Int32(truncatingIfNeeded: count)
        instructions[score].b = Int32(clamping: work)
        work = outerWork
    }

    private mutating func compileNode(_ index: Int) {
        let node = tree[index]
        let outer = part
        part = index
        defer { part = outer }
        if node.kind == .text { return compileText(node.offsets) }
        if node.kind == .comment {
            if checksInterrupts { propagateInterrupt() }
            return
        }
        let span = spans.count
        spans.append(
            Program.Span(
                start: Int32(here),
                part: UInt32(truncatingIfNeeded: index),
                loops: UInt8(truncatingIfNeeded: loopDepth),
                captures: UInt8(truncatingIfNeeded: captureDepth),
                cases: UInt8(truncatingIfNeeded: caseDepth)
            )
        )
        compileTag(index, node)
        spans[span].end = Int32(here)
        guard checksInterrupts || !traits.isDisjoint(with: [.mayInterrupt, .mayLeaveInterrupts]) else { return }
        if checksInterrupts || mayRemember(index, node.kind) { propagateInterrupt() }
    }

    /// Whether an interrupt may be remembered behind a node that does not pass it on by itself.
    private func mayRemember(_ node: Int, _ kind: SyntaxTree.Kind) -> Bool {
        switch kind {
        case .include, .render, .custom: true
        case .loop, .table: block(in: node).map { tree[$0].traits.contains(.mayLeaveInterrupts) } ?? false
        // A branch may remember an interrupt, and a later `when` fail.
        case .selection: branchesMayInterrupt(of: node)
        default: false
        }
    }

    /// The first block directly inside a part.
    func block(in part: Int) -> Int? { tree.parts(in: part).first { tree[$0].kind == .block } }

    func branchesMayInterrupt(of selection: Int) -> Bool {
        tree.parts(in: selection).dropFirst().contains { branch in
            block(in: branch).map { tree[$0].traits.contains(.mayInterrupt) } ?? false
        }
    }

    private mutating func compileTag(_ index: Int, _ node: SyntaxTree.Part) {
        let first = index + 1
        let isBlank = node.flags.contains(.blank)
        switch node.kind {
        case .raw: compileText(tree[first].offsets)
        case .output: compileOutput(first)
        case .assign:
            pushMarkup(first + 1)
            emit(.assign, name(first))
        case .capture:
            compileCapture(first + 1)
            emit(.captureEnd, name(first))
            propagateInterrupt(of: first + 1)
        case .ifChanged:
            compileCapture(first)
            emit(.captureChanged)
            propagateInterrupt(of: first)
        case .conditional: compileConditional(index, withoutText: isBlank)
        case .selection: compileSelection(index, withoutText: isBlank)
        case .loop: compileLoop(index, withoutText: isBlank)
        case .table: compileTable(index)
        case .leave: compileInterrupt(1)
        case .next: compileInterrupt(2)
        case .cycle: compileCycle(index)
        case .increment: emit(.counter, name(first), 1)
        case .decrement: emit(.counter, name(first), -1)
        case .include: compilePartial(index, .include)
        case .render: compilePartial(index, .render)
        case .custom: compileCustomTag(index)
        default: break
        }
    }

    /// Appends text as it was written, without what the dialect drops from it.
    private mutating func compileText(_ range: Range<Int>) {
        var start = range.lowerBound
        let begin = text.count
        for substitution in source.substitutions(in: range) where substitution.meaning == .nothing {
            text.append(contentsOf: Bytes(rebasing: bytes[start..<Int(substitution.range.start)]))
            start = min(Int(substitution.range.end), range.upperBound)
        }
        text.append(contentsOf: Bytes(rebasing: bytes[start..<range.upperBound]))
        if text.count > begin { emit(.text, begin, text.count - begin) }
        work += (text.count - begin) / 16
    }

    private mutating func compileOutput(_ markup: Int) {
        let expression = markup + 1
        if tree[markup].size == 1 { return }
        if tree[expression].kind == .lookup, tree.endOfPart(expression) == tree.endOfPart(markup) {
            let outer = part
            part = expression
            if let path = staticPath(expression) {
                emit(.emitPath, path)
                return
            }
            part = outer
        }
        pushMarkup(markup)
        if instructions[here - 1].operation == .filter {
            instructions[here - 1].operation = .filterAndEmit
        } else {
            emit(.emit)
        }
    }

    private mutating func compileCapture(_ body: Int) {
        emit(.captureBegin)
        captureDepth += 1
        barriers.append(Barrier(isLoop: false))
        compileBlock(body)
        captureDepth -= 1
        land(barriers.removeLast().jumps)
    }

    /// Behind a capture: an interrupt that was remembered in it goes on.
    private mutating func propagateInterrupt(of body: Int) {
        if tree[body].traits.contains(.mayInterrupt) { propagateInterrupt() }
    }

    /// Writes the jumps that a remembered interrupt takes from here.
    mutating func propagateInterrupt() {
        guard let last = barriers.indices.last else {
            emit(.passInterrupt, -1)
            return
        }
        var barrier = barriers[last]
        emit(barrier.isLoop ? .takeInterrupt : .passInterrupt, to: &barrier.jumps)
        barriers[last] = barrier
    }

    private mutating func compileInterrupt(_ code: Int) {
        emit(.interrupt, code)
        propagateInterrupt()
    }
}
