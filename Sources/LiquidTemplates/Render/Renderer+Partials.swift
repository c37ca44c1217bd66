// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The code for `include`, `render`, partials as values, and the tags of a dialect.
extension Renderer {
    mutating func loadPartial(_ info: Program.PartialInfo, _ program: Program) throws(LiquidError) {
        let name = machine.stack.last(1).first ?? .null
        if info.kind == .include, !scope.frame.allowsInclude {
            throw LiquidError(
                .disabled,
                "'include' may not be used inside of 'render'",
                referenceText: "include usage is not allowed in this context"
            )
        }
        try charge(work: 8 + name.textBytes / 16)
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

    /// A partial that a tag renders, with the values of the tag.
    private struct Call {
        let template: Template
        /// The name as written in the tag.
        let name: String
        /// The variable of the partial that gets `value`; nil if the partial's name cannot give one.
        let local: Name?
        let value: Value?
        let arguments: [(name: Name, value: Value)]
    }

    mutating func runPartial(_ info: Program.PartialInfo, _ program: Program) throws(LiquidError) {
        let values = Array(machine.stack.last(info.arguments.count))
        machine.stack.drop(info.arguments.count)
        let value = info.hasValue ? machine.stack.pop() : nil
        guard case .string(let name) = machine.stack.pop(), let template = partials[name] else { return }
        let outerName = partialName
        partialName = name
        defer { partialName = outerName }
        let file = name.split(separator: "/", omittingEmptySubsequences: true).last.map(String.init)
        let call = Call(
            template: template,
            name: name,
            local: (info.alias ?? file).map(Name.init),
            value: value,
            arguments: zip(info.arguments, values).map { (program.names[$0], $1) }
        )
        if info.isLoop, let value { try chargeLoop(over: value) }
        try pinning { (renderer) throws(LiquidError) in
            switch info.kind {
            case .include: try renderer.include(call)
            case .render where info.isLoop: try renderer.renderEach(call)
            case .render: try renderer.renderOnce(call, value, loop: nil)
            }
        }
    }

    /// Sets an argument of `include` to the value on the stack.
    mutating func bindArgument(_ name: Name) {
        machine.arguments.push(scope.bind(name, machine.stack.last(1).first ?? .null))
    }

    /// Restores the values that the last `count` arguments hid.
    mutating func unbindArguments(_ count: Int) {
        for _ in 0..<count {
            guard let (slot, hidden) = machine.arguments.popLast() else { return }
            scope.frame[slot].inner = hidden
        }
    }

    private mutating func load(_ name: String, _ program: Program) throws(LiquidError) -> Template {
        try partials.load(name, from: input.partials, for: program)
    }

    /// Runs a partial that shares the variables of the calling template.
    mutating func runShared(_ template: Template) throws(LiquidError) {
        guard let recorder else {
            let program = machine.interrupts.isEmpty ? template.program : partials.checkedProgram(of: template)
            return try runShared(program)
        }
        let outer = recorder.enter(template)
        defer { recorder.leave(to: outer) }
        try runShared(recorder.program(checksInterrupts: !machine.interrupts.isEmpty))
    }

    private mutating func runShared(_ program: Program) throws(LiquidError) {
        // Each name of the partial is looked up among the names of the frame.
        let count = program.names.count
        try charge(work: 8 + Budget.product(count, 1 + scope.frame.count / 16))
        context.budget.allocate(count * Storage.variable)
        let firstSlot = scope.openSlots(for: program)
        defer { scope.closeSlots(from: firstSlot) }
        try execute(Activation(program: program, firstSlot: firstSlot))
    }

    private mutating func include(_ call: Call) throws(LiquidError) {
        let value = if let value = call.value { value } else { try value(named: call.name) }
        try scope.enter()
        var bound: [(slot: Int, hidden: Value?)] = []
        for (name, value) in call.arguments { bound.append(scope.bind(name, value)) }
        if let local = call.local { bound.append(scope.bind(local, .null)) }
        defer {
            for (slot, hidden) in bound.reversed() { scope.frame[slot].inner = hidden }
            scope.leave()
        }
        guard case .array(let elements) = value else {
            if let local = call.local { _ = scope.bind(local, value) }
            try scores.beginPartial()
            return try runShared(call.template)
        }
        for element in elements {
            if let local = call.local { _ = scope.bind(local, element) }
            try scores.beginPartial()
            try runShared(call.template)
            if isStopped { return }
        }
    }

    /// Runs a partial that sees only its arguments: for each element of an array, object or range or, for any other
    /// value, once.
    private mutating func renderEach(_ call: Call) throws(LiquidError) {
        guard let elements = call.value.flatMap({ LoopElements($0) }) else {
            return try renderOnce(call, call.value, loop: nil)
        }
        let drop = LoopDrop(LoopProgress(name: call.name, count: elements.count), parent: nil)
        while drop.progress.index < elements.count {
            try renderOnce(call, elements[drop.progress.index], loop: drop)
            if isStopped { return }
            drop.progress.index += 1
        }
    }

    private mutating func renderOnce(_ call: Call, _ value: Value?, loop: LoopDrop?) throws(LiquidError) {
        let program = call.template.program
        try scope.checkDepth()
        try scores.beginPartial()
        try charge(work: 16 + program.names.count * 2)
        context.budget.allocate(program.names.count * Storage.variable)
        let outerInterrupts = machine.interrupts
        scope.openFrame(for: program, firstLoop: machine.loops.count)
        machine.interrupts = []
        defer {
            scope.closeFrame()
            machine.interrupts = outerInterrupts
        }
        if let loop { scope.frame.assign(Name("forloop"), .drop(loop)) }
        for (name, value) in call.arguments { scope.frame.assign(name, value) }
        if let value, !value.isNull, let local = call.local { scope.frame.assign(local, value) }
        try runIsolated(call.template)
    }

    /// Replaces the name on the stack with the text of the partial with that name.
    mutating func pushPartialValue(_ program: Program) throws(LiquidError) {
        recorder?.beginPartial()
        guard let template = try takePartial(program) else { return machine.stack.push(.string("")) }
        openPartials += 1
        defer { openPartials -= 1 }
        let text = try textOfShared(template)
        machine.stack.push(.string(text))
    }

    /// Prints the text of the partial whose name is on the stack.
    mutating func emitPartial(_ program: Program) throws(LiquidError) {
        guard let template = try takePartial(program) else { return }
        openPartials += 1
        defer { openPartials -= 1 }
        let start = output.count
        do throws(LiquidError) {
            try inScope(of: template) { (renderer) throws(LiquidError) in try renderer.runShared(template) }
        } catch {
            output.truncate(to: start)
            throw error
        }
    }

    /// Takes a name from the stack and loads the partial with that name; nil if too many partials are open.
    private mutating func takePartial(_ program: Program) throws(LiquidError) -> Template? {
        guard case .string(let name) = machine.stack.pop() else { return nil }
        return openPartials < program.environment.partialsDepth ? try load(name, program) : nil
    }

    /// The text of a partial that shares the variables of the calling template.
    mutating func textOfShared(_ template: Template) throws(LiquidError) -> String {
        try inScope(of: template) { (renderer) throws(LiquidError) in
            try renderer.beginCapture()
            let start = renderer.output.count
            do throws(LiquidError) {
                try renderer.runShared(template)
            } catch {
                renderer.dropCapture()
                throw error
            }
            let text = try renderer.endCapture()
            renderer.recorder?.endPartial(text, from: start)
            return text
        }
    }

    /// Runs `body` in a scope for a partial, whose name is given to errors.
    @inline(__always)
    private mutating func inScope<Result>(
        of partial: Template,
        _ body: (inout Renderer) throws(LiquidError) -> Result
    ) throws(LiquidError) -> Result {
        let outerName = partialName
        partialName = partial.name
        defer { partialName = outerName }
        try scope.enter()
        defer { scope.leave() }
        return try body(&self)
    }

    /// Runs a tag of the dialect; returns true if its body has to be skipped.
    mutating func runCustom(_ tag: Program.CustomTag) throws(LiquidError) -> Bool {
        let arguments = Array(machine.stack.last(tag.count))
        machine.stack.drop(tag.count)
        try charge(work: 8)
        for argument in arguments { try context.charge(reading: argument) }
        let result = try pinning { (renderer) throws(LiquidError) in try tag.run.body(TagValues(arguments), &renderer) }
        switch result {
        case .proceed: return false
        case .skipBody: return true
        case .stop(let reason):
            observe { $0.stopReason = reason }
            return true
        }
    }
}
