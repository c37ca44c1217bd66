// SPDX-License-Identifier: MIT

import SourceText

/// Code for `include`, `render`, partials as values, and the tags of a dialect.
extension Renderer {
    mutating func loadPartial(_ info: Program.PartialInfo, _ program: Program) throws(LiquidError) {
        let name = stack.last(1).first ?? .null
        if info.kind == .include, !frame.allowsInclude {
            throw LiquidError(
                .disabled,
                "'include' may not be used inside of 'render'",
                referenceText: "include usage is not allowed in this context"
            )
        }
        try charge(work: 100 + name.textBytes)
        guard case .string(let name) = name else {
            throw LiquidError(
                .argument,
                "found \(name.kindName) as the name of a partial, expected a text",
                referenceText: info.kind == .include
                    ? "Argument error in tag 'include' - Illegal template name" : "internal"
            )
        }
        _ = try load(name, program)
    }

    mutating func runPartial(
        _ info: Program.PartialInfo,
        _ program: Program,
        _ slots: [Int]?
    ) throws(LiquidError) {
        let arguments = Array(stack.last(info.arguments.count))
        stack.drop(info.arguments.count)
        let value = info.hasValue ? stack.pop() : nil
        let name = stack.pop()
        guard case .string(let name) = name, let template = partials[name] else { return }
        let outerName = templateName
        templateName = name
        defer { templateName = outerName }
        let local =
            info.alias ?? name.split(separator: "/", omittingEmptySubsequences: true).last.map(String.init) ?? name
        let names = info.arguments.map { program.nameList[$0] }
        let named = zip(names, arguments).map { $0 }
        if info.isLoop, let value { try chargeLoop(over: value) }
        try pinning { (renderer) throws(LiquidError) in
            switch info.kind {
            case .include:
                try renderer.include(template, Name(local), value ?? renderer.variableNamed(name), named)
            case .render:
                try renderer.renderIsolated(template, Name(local), value, named, isLoop: info.isLoop, name: name)
            }
        }
    }

    private mutating func load(_ name: String, _ program: Program) throws(LiquidError) -> Template {
        try partials.load(name, from: input.partials, for: program)
    }

    /// Runs a partial that shares the variables of the calling template.
    mutating func runShared(_ template: Template) throws(LiquidError) {
        guard let recorder else {
            let program = interrupts.isEmpty ? template.program : partials.checkedProgram(of: template)
            return try runShared(program)
        }
        let outer = recorder.enter(template)
        defer { recorder.leave(to: outer) }
        try runShared(recorder.program(checksInterrupts: !interrupts.isEmpty))
    }

    private mutating func runShared(_ program: Program) throws(LiquidError) {
        // Each name of the partial is searched among the names of the frame.
        let count = program.names.count
        try charge(work: 200 + Budget.product(count, 8 + frame.names.count))
        context.budget.allocate(count * Storage.variable)
        var slots: [Int] = []
        slots.reserveCapacity(program.names.count)
        for name in program.nameList { slots.append(frame.slot(name)) }
        try execute(program, slots: slots)
    }

    /// Runs a template with variables of its own.
    mutating func runIsolated(_ template: Template) throws(LiquidError) {
        guard let recorder else { return try execute(template.program, slots: nil) }
        let outer = recorder.enter(template)
        defer { recorder.leave(to: outer) }
        try execute(recorder.program(checksInterrupts: false), slots: nil)
    }

    private mutating func include(
        _ template: Template,
        _ local: Name,
        _ value: Value,
        _ arguments: [(Name, Value)]
    ) throws(LiquidError) {
        try enterScope()
        var hidden: [(slot: Int, value: Value?)] = []
        for (name, value) in arguments { hidden.append(bind(name, value)) }
        hidden.append(bind(local, .null))
        defer {
            for (slot, value) in hidden.reversed() { frame.slots[slot].inner = value }
            frame.depth -= 1
        }
        if case .array(let elements) = value {
            for element in elements {
                _ = bind(local, element)
                try runShared(template)
                if stopReason != nil { return }
            }
        } else {
            _ = bind(local, value)
            try runShared(template)
        }
    }

    private mutating func bind(_ name: Name, _ value: Value) -> (slot: Int, value: Value?) {
        let slot = frame.slot(name)
        let hidden = frame.slots[slot].inner
        frame.slots[slot].inner = value
        return (slot, hidden)
    }

    /// Runs a partial that sees only its arguments.
    private mutating func renderIsolated(
        _ template: Template,
        _ local: Name,
        _ value: Value?,
        _ arguments: [(Name, Value)],
        isLoop: Bool,
        name: String
    ) throws(LiquidError) {
        guard isLoop, let value, let elements = value.partialElements else {
            return try renderOnce(template, local, value, arguments, loop: nil)
        }
        var state = LoopState(
            source: elements.source,
            start: 0,
            count: elements.count,
            isReversed: false,
            variable: 0,
            name: name,
            cases: 0,
            captures: 0
        )
        let drop = LoopDrop(state, parent: nil)
        while state.index < state.count {
            drop.update(state)
            try renderOnce(template, local, state.element, arguments, loop: drop)
            if stopReason != nil { return }
            state.index += 1
        }
        drop.update(state)
    }

    private mutating func renderOnce(
        _ template: Template,
        _ local: Name,
        _ value: Value?,
        _ arguments: [(Name, Value)],
        loop: LoopDrop?
    ) throws(LiquidError) {
        guard frame.base + frame.depth <= input.limits.depth else { throw enterScopeError() }
        try charge(work: 400 + template.program.names.count * 64)
        context.budget.allocate(template.program.names.count * Storage.variable)
        var inner = Frame()
        inner.reset(for: template.program)
        inner.base = frame.base + 1
        inner.allowsInclude = false
        inner.firstLoop = loops.count
        // Swapped, so that the storage of neither frame is ever shared and copied.
        outerFrames.append(inner)
        swap(&frame, &outerFrames[outerFrames.count - 1])
        let outerInterrupts = interrupts
        let outerScores = (renderScore, assignScore)
        interrupts = []
        (renderScore, assignScore) = (0, 0)
        defer {
            swap(&frame, &outerFrames[outerFrames.count - 1])
            outerFrames.removeLast()
            interrupts = outerInterrupts
            (renderScore, assignScore) = outerScores
        }
        if let loop { frame.slots[frame.slot(Name("forloop"))].outer = .drop(loop) }
        for (name, value) in arguments { frame.slots[frame.slot(name)].outer = value }
        if let value {
            let isNull = if case .null = value { true } else { false }
            if !isNull { frame.slots[frame.slot(local)].outer = value }
        }
        try runIsolated(template)
    }

    /// Replaces the name on the stack by the text of the partial with that name.
    mutating func pushPartialValue(_ program: Program) throws(LiquidError) {
        let name = stack.pop().keyText
        recorder?.beginPartial()
        guard openPartials < program.environment.partialsDepth else {
            stack.push(.string(""))
            return
        }
        let template = try load(name, program)
        openPartials += 1
        defer { openPartials -= 1 }
        let text = try textOfShared(template)
        stack.push(.string(text))
    }

    /// The text of a partial that shares the variables of the calling template.
    mutating func textOfShared(_ template: Template) throws(LiquidError) -> String {
        let outerName = templateName
        templateName = template.name
        defer { templateName = outerName }
        try enterScope()
        defer { frame.depth -= 1 }
        try beginCapture()
        let start = output.count
        do throws(LiquidError) {
            try runShared(template)
        } catch {
            if let mark = captures.popLast() { output.truncate(to: mark) }
            throw error
        }
        let text = try endCapture()
        recorder?.endPartial(text, from: start)
        return text
    }

    /// Runs a tag of the dialect; true if its body is skipped.
    mutating func runCustom(_ tag: Program.CustomTag) throws(LiquidError) -> Bool {
        let arguments = Array(stack.last(tag.count))
        stack.drop(tag.count)
        var extent = Extent(.everything, most: context.budget.workLeft / 64)
        for argument in arguments { extent.add(argument) }
        try charge(work: 300 + arguments.count * 32 + extent.notationWork)
        let result = try pinning { (renderer) throws(LiquidError) in try tag.run.body(TagValues(arguments), &renderer) }
        switch result {
        case .proceed: return false
        case .skipBody: return true
        case .stop(let reason):
            stopReason = reason
            return true
        }
    }
}

extension Value {
    /// The elements for `render … for`; nil for a value that is rendered once.
    fileprivate var partialElements: (source: LoopState.Source, count: Int)? {
        switch self {
        case .array(let elements): (.elements(elements), elements.count)
        case .range(let range): (.integers(range), range.count)
        case .object(let object):
            (.elements(object.pairs), object.count)
        default: nil
        }
    }
}
