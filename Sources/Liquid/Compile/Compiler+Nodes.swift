// SPDX-License-Identifier: MIT

import SourceText

/// Code for blocks, their nodes, text and captures.
extension Compiler {
    mutating func compileBlock(_ block: BlockSyntax, withoutText: Bool = false) {
        let outerWork = work
        work = Self.workOfBlock
        let score = emit(.score(nodes: 0, work: 0))
        var count = 0
        for node in block.nodes where !withoutText || node.cursor.kind != .text {
            compileNode(node)
            count += 1
        }
        instructions[score] = .score(nodes: Int32(truncatingIfNeeded: count), work: Int32(clamping: work))
        work = outerWork
    }

    private mutating func compileNode(_ node: NodeSyntax) {
        let outer = part
        part = node.cursor.id
        defer { part = outer }
        switch node.cursor.kind {
        case .output:
            if records { addNode(node) }
            let span = openSpan(node)
            compileOutput(MarkupSyntax(node.cursor.first))
            close(span)
            recordSpan(of: node)
            if checksInterrupts { propagateInterrupt() }
        case .tag:
            let tag = TagSyntax(node.cursor)
            let definition = environment.tags[tag.index]
            if definition.role != .comment {
                if records { addNode(node) }
                let span = openSpan(node)
                definition.compile(&self, tag)
                close(span)
                recordSpan(of: node)
                guard checksInterrupts || !traits.isDisjoint(with: [.mayInterrupt, .mayLeaveInterrupts]) else { return }
                if checksInterrupts || mayRemember(tag, definition.role) { propagateInterrupt() }
            } else if checksInterrupts {
                propagateInterrupt()
            }
        default:
            if records { addNode(node) }
            compileText(node.offsets)
            recordSpan(of: node)
        }
    }

    private mutating func openSpan(_ node: NodeSyntax) -> Int {
        spans.append(
            Program.Span(
                start: Int32(here),
                part: node.cursor.id,
                loops: UInt8(truncatingIfNeeded: loopDepth),
                captures: UInt8(truncatingIfNeeded: captureDepth),
                cases: UInt8(truncatingIfNeeded: caseDepth)
            )
        )
        return spans.count - 1
    }

    private mutating func close(_ span: Int) { spans[span].end = Int32(here) }

    /// Whether an interrupt may be pending after a tag, for tags that do not pass it on by themselves.
    private func mayRemember(_ tag: TagSyntax, _ role: TagDefinition.Role) -> Bool {
        switch role {
        case .includes, .renders, .runs: true
        case .loops: tag.body?.traits.contains(.mayLeaveInterrupts) ?? false
        // A branch may leave an interrupt pending before the comparison of a later `when` fails.
        case .cases: CaseSyntax(tag).branchesMayInterrupt
        case .plain, .comment, .prints, .assigns, .captures, .counts, .branches, .leaves: false
        }
    }

    /// Appends text as written, without the comments that the dialect drops.
    mutating func compileText(_ range: Range<Int>) {
        let begin = text.count
        if tree.source.hasComments {
            for part in tree.source.printed(in: range) { text.append(contentsOf: Bytes(rebasing: bytes[part])) }
        } else {
            text.append(contentsOf: Bytes(rebasing: bytes[range]))
        }
        if text.count > begin { emit(.text(start: Int32(begin), count: Int32(text.count - begin))) }
        work += (text.count - begin) / 16
    }

    /// Writes code that prints a value with its filters.
    mutating func compileOutput(_ markup: MarkupSyntax) {
        guard let expression = markup.expression else { return }
        if let lookup = expression.lookup, markup.filters.isEmpty {
            let outer = part
            part = expression.cursor.id
            if let path = staticPath(lookup) {
                emit(.emitPath(path))
                return
            }
            part = outer
        }
        pushMarkup(markup)
        if case .filter(let filter, let count) = instructions[here - 1] {
            instructions[here - 1] = .filterAndEmit(filter, arguments: count)
        } else {
            emit(.emit)
        }
    }

    /// Writes code that captures the output of a block.
    mutating func compileCapture(_ body: BlockSyntax) {
        emit(.captureBegin)
        captureDepth += 1
        barriers.append(Barrier(isLoop: false))
        compileBlock(body)
        captureDepth -= 1
        patch(barriers.removeLast().jumps)
    }

    /// Writes the jump for an interrupt that is pending after a capture.
    mutating func propagateInterrupt(of body: BlockSyntax) {
        if body.traits.contains(.mayInterrupt) { propagateInterrupt() }
    }

    /// Writes the jump that a pending interrupt takes from here.
    mutating func propagateInterrupt() {
        guard let last = barriers.indices.last else {
            emit(.passInterrupt(to: -1))
            return
        }
        var barrier = barriers[last]
        let isLoop = barrier.isLoop
        emit({ isLoop ? .takeInterrupt(breakTo: $0, continueTo: 0) : .passInterrupt(to: $0) }, to: &barrier.jumps)
        barriers[last] = barrier
    }
}
