// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The interpreter of programs, with the functions that carry out its instructions.
///
/// Elements of a program's tables are passed by address; see ``FixedTable``. The compiler writes only valid operands
/// and jumps, so they are not checked.
extension Renderer {
    /// Runs a template in a frame that has been opened for the template's program.
    ///
    /// The recorder's program has the same names in the same order, so the variables have the same slots.
    @inline(__always)
    mutating func runIsolated(_ template: Template) throws(LiquidError) {
        guard let recorder else { return try execute(Activation(program: template.program)) }
        let outer = recorder.enter(template)
        defer { recorder.leave(to: outer) }
        try execute(Activation(program: recorder.program(checksInterrupts: false)))
    }

    /// Runs a program from its start; after an error, continues with the next node if the policy is to continue.
    ///
    /// - Throws: the error that ends the rendering, with its place.
    mutating func execute(_ activation: Activation) throws(LiquidError) {
        let checkpoint = machine.checkpoint
        var counter = 0
        while true {
            do throws(LiquidError) {
                return try run(activation, &counter)
            } catch {
                if context.unread != nil { keepUnread(at: counter, activation) }
                guard let resume = recover(from: error, in: activation.program, at: counter, checkpoint) else {
                    throw placed(error, in: activation.program, at: counter)
                }
                counter = resume
            }
        }
    }

    /// The error, with its place filled in.
    private func placed(_ error: LiquidError, in program: Program, at counter: Int) -> LiquidError {
        let span = program.span(at: counter)
        let line = input.showsLines && error.line == nil ? span.map { Int($0.line) } : nil
        let place = program.place(of: counter)
        // An error that already has the name of a template comes from a partial that the current tag called.
        if error.template != nil {
            return error.placed(line: line).passing(LiquidError.Frame(template: templateName, range: place))
        }
        if error.code == .undefinedVariable {
            // The lookup knows only the step that failed, but the message should show the whole path as written.
            let place = error.range ?? place
            let path = String(decoding: program.parsed.source.bytes[place.offsets], as: UTF8.self)
            return error.saying("'\(path)' is missing").placed(range: place, line: line, template: templateName)
        }
        return error.placed(range: place, line: line, template: templateName)
    }

    /// Collects the place of an instruction that looks up a value but finds none.
    @inline(never)
    private mutating func collectMissing(at counter: Int, _ activation: Activation) {
        collectMissing(activation.program.place(of: counter), nil, activation)
    }

    /// Adds the place of the instruction that ran a partial to the errors that were kept while the partial ran, as for
    /// an error that is thrown.
    private mutating func passErrors(after known: Int, _ program: Program, _ counter: Int) {
        guard errors.count > known else { return }
        let frame = LiquidError.Frame(template: templateName, range: program.place(of: counter))
        observe { for index in known..<$0.errors.count { $0.errors[index] = $0.errors[index].passing(frame) } }
    }

    /// Handles an error if the policy is to continue.
    ///
    /// Returns the index of the next instruction; nil if the error ends the rendering. `checkpoint` is the state of the
    /// machine when the program began.
    private mutating func recover(
        from error: LiquidError,
        in program: Program,
        at counter: Int,
        _ checkpoint: Machine.Checkpoint
    ) -> Int? {
        if error.code == .memory { return endPartial(after: error, in: program, at: counter, checkpoint) }
        guard input.errorPolicy != .throwing, let span = program.span(at: counter) else { return nil }
        var open = checkpoint
        open.loops += Int(span.loops)
        open.captures += Int(span.captures)
        open.cases += Int(span.cases)
        unwind(to: open)
        let placed = placed(error, in: program, at: counter)
        keep(placed)
        // The reference implementation prints no error for a node that it counts as white space.
        recorder?.note(span.node, upTo: output)
        if input.errorPolicy == .inline, !span.isBlank {
            output.append(program.environment.inlineText(of: placed))
            recorder?.note(span.node, upTo: output)
        }
        return Int(span.end)
    }

    /// Handles an exceeded limit like ``recover(from:in:at:_:)``, but continues only if a partial exceeded a score.
    ///
    /// Such an error ends only the partial, and the reference implementation prints nothing for it.
    private mutating func endPartial(
        after error: LiquidError,
        in program: Program,
        at counter: Int,
        _ checkpoint: Machine.Checkpoint
    ) -> Int? {
        guard error.topic == .score, input.errorPolicy == .inline, partialName != nil else { return nil }
        unwind(to: checkpoint)
        keep(placed(error, in: program, at: counter))
        return program.instructions.count - 1
    }

    /// Closes everything that was opened after a checkpoint.
    private mutating func unwind(to checkpoint: Machine.Checkpoint) {
        machine.stack.drop(machine.stack.count - checkpoint.values)
        while machine.loops.count > checkpoint.loops { endLoop() }
        machine.endCases(after: checkpoint.cases)
        unbindArguments(machine.arguments.count - checkpoint.arguments)
        while machine.captures.count > checkpoint.captures {
            // Charges the work of printing the text that is now removed.
            context.budget.chargeLater(dropCapture() / 16)
        }
    }

    // This function is long because it is the interpreter loop: it has one case for each instruction, which is short or
    // a call.
    private mutating func run(_ activation: Activation, _ position: inout Int) throws(LiquidError) {
        let program = activation.program
        let start = program.instructions.base
        // A local variable stays in a register, and using an address avoids multiplying by the size of an instruction.
        var instruction = start + position
        defer { position = instruction - start }
        while true {
            switch instruction.pointee {
            case .text(let start, let count):
                output.append(padded: program.text.base + Int(start), Int(count))
            case .emitPath(let path):
                let path = program.paths.base + Int(path)
                if let place = scope.place(of: path, activation) {
                    if !place.borrow({ $0.writePlainOutput(to: &output) }) { try emit(place.pointee) }
                } else {
                    try emit(value(of: path, activation))
                }
            case .emitLoopField(let field):
                let value = loopField(field)
                if !value.writePlainOutput(to: &output) { try emit(value) }
            case .emit: try emit(machine.stack.pop())
            case .emitCycled: try emitCycled(machine.stack.pop())
            case .pushConstant(let constant): machine.stack.push(program.constants.base[Int(constant)])
            case .pushPath(let path, let mayMiss):
                let path = program.paths.base + Int(path)
                if let place = scope.place(of: path, activation) {
                    machine.stack.push(place.pointee)
                } else {
                    machine.stack.push(try value(of: path, activation, mayMiss: mayMiss))
                }
            case .pushLoopField(let field): machine.stack.push(loopField(field))
            case .findVariable:
                let name = machine.stack.pop()
                machine.stack.push(try value(named: name))
            case .makeRange:
                for value in machine.stack.last(2) { try context.budget.charge(bytes: value.textBytes) }
                let upper = try machine.stack.pop().rangeBound()
                let lower = try machine.stack.pop().rangeBound()
                machine.stack.push(.range(LiquidRange(lower, upper)))
            case .index(let mayMiss, let target):
                let key = machine.stack.pop()
                try context.budget.charge(bytes: key.textBytes)
                var isMissing = false
                let element = try element(of: machine.stack.pop(), at: key, mayMiss: mayMiss, &isMissing)
                machine.stack.push(element)
                if !mayMiss, element.isNull, isMissing || Int(target) == instruction - start + 1 {
                    collectMissing(at: instruction - start, activation)
                }
                if isMissing {
                    instruction = start + Int(target)
                    continue
                }
            case .step(let step, let target):
                let step = program.steps.base + Int(step)
                var isMissing = false
                let value = try self.step(step, program, into: machine.stack.pop(), &isMissing)
                machine.stack.push(value)
                if !step.pointee.mayMiss, value.isNull, isMissing || Int(target) == instruction - start + 1 {
                    collectMissing(at: instruction - start, activation)
                }
                if isMissing {
                    instruction = start + Int(target)
                    continue
                }
            case .makeObject(let keys): try makeObject(program.lists.keyLists[Int(keys)])
            case .copy: machine.stack.push(machine.stack.last(1).first ?? .null)
            case .drop(let count): machine.stack.drop(Int(count))
            case .filter(let filter, let count):
                let code = program.environment.functions.base + Int(filter)
                if let operation = code.pointee.calculation, machine.stack.calculate(operation) {
                    break
                }
                let values = machine.stack.last(Int(count) + 1)
                guard let application = FilterApplication(of: code, to: values) else { break }
                let result = try result(of: application)
                machine.stack.drop(values.count)
                machine.stack.push(result)
                if context.unread != nil { keepUnread(at: instruction - start, activation) }
            case .filterAndEmit(let filter, let count):
                let values = machine.stack.last(Int(count) + 1)
                let code = program.environment.functions.base + Int(filter)
                guard let application = FilterApplication(of: code, to: values) else { break }
                try emitResult(of: application)
                machine.stack.drop(values.count)
                if context.unread != nil { keepUnread(at: instruction - start, activation) }
            case .apply(let call):
                guard let top = machine.stack.top else { break }
                // A filter cannot use the stack, so the address of its input is valid until it returns.
                let application = FilterApplication(of: program.calls.base + Int(call), in: program, to: top)
                top.replace(with: try quickResult(of: application))
                if context.unread != nil { keepUnread(at: instruction - start, activation) }
            case .applyAndEmit(let call):
                guard let top = machine.stack.top else { break }
                try emitResult(of: FilterApplication(of: program.calls.base + Int(call), in: program, to: top))
                machine.stack.drop(1)
                if context.unread != nil { keepUnread(at: instruction - start, activation) }
            case .applyToPath(let call):
                let call = program.calls.base + Int(call)
                let path = program.paths.base + Int(call.pointee.path)
                if let place = scope.place(of: path, activation) {
                    // A filter changes neither variables nor data, so the address is valid until it returns.
                    machine.stack.push(try quickResult(of: FilterApplication(of: call, in: program, to: place)))
                } else {
                    let input = try value(of: path, activation, mayMiss: call.pointee.mayMiss)
                    let result = try withUnsafePointer(to: input) { (place) throws(LiquidError) in
                        try self.result(of: FilterApplication(of: call, in: program, to: place))
                    }
                    machine.stack.push(result)
                }
                if context.unread != nil { keepUnread(at: instruction - start, activation) }
            case .applyToPathAndEmit(let call):
                let call = program.calls.base + Int(call)
                let path = program.paths.base + Int(call.pointee.path)
                if let place = scope.place(of: path, activation) {
                    try emitResult(of: FilterApplication(of: call, in: program, to: place))
                } else {
                    let input = try value(of: path, activation, mayMiss: call.pointee.mayMiss)
                    try withUnsafePointer(to: input) { (place) throws(LiquidError) in
                        try emitResult(of: FilterApplication(of: call, in: program, to: place))
                    }
                }
                if context.unread != nil { keepUnread(at: instruction - start, activation) }
            case .compare(let comparison):
                try compare(comparison)
                if unlike != nil { keepUnlike(at: instruction - start, activation) }
            case .testBlank(let isNegated): try testLast(.isBlank(isNegated: isNegated), program)
            case .testEmpty(let isNegated): try testLast(.isEmpty(isNegated: isNegated), program)
            case .fail(let error): throw program.lists.errors[Int(error)]
            case .jump(let target):
                instruction = start + Int(target)
                continue
            case .jumpIfFalse(let target):
                if !machine.stack.pop().isTruthy {
                    instruction = start + Int(target)
                    continue
                }
            case .jumpIfTrue(let target):
                if machine.stack.pop().isTruthy {
                    instruction = start + Int(target)
                    continue
                }
            case .jumpUnless(let test, let target):
                let holds = try holds(program.tests.base + Int(test), activation)
                if unlike != nil { keepUnlike(at: instruction - start, activation) }
                if !holds {
                    instruction = start + Int(target)
                    continue
                }
            case .jumpIf(let test, let target):
                let holds = try holds(program.tests.base + Int(test), activation)
                if unlike != nil { keepUnlike(at: instruction - start, activation) }
                if holds {
                    instruction = start + Int(target)
                    continue
                }
            case .assign(let name): try assign(machine.stack.pop(), to: scope.slot(Int(name), activation))
            case .captureBegin: try beginCapture()
            case .captureEnd(let name): try assignCapture(to: scope.slot(Int(name), activation))
            case .captureChanged: try emitIfChanged()
            case .counter(let name, let step): try count(scope.slot(Int(name), activation), by: Int(step))
            case .loopBegin(let loop, let target):
                if try !beginLoop(program.loops[Int(loop)], activation) {
                    instruction = start + Int(target)
                    continue
                }
            case .loopNext(let target):
                if nextIteration() {
                    instruction = start + Int(target)
                    continue
                }
            case .loopEnd: endLoop()
            case .tableBegin(let loop, let target):
                if try !beginTable(program.loops[Int(loop)], activation) {
                    instruction = start + Int(target)
                    continue
                }
            case .tableNext(let target):
                if nextCell() {
                    instruction = start + Int(target)
                    continue
                }
            case .tableEnd: endTable()
            case .caseBegin: machine.cases.push(Machine.OpenCase())
            case .caseSubject(let target):
                machine.cases[machine.cases.count - 1].returnTo = instruction - start + 1
                instruction = start + Int(target)
                continue
            case .caseMatch(let target):
                machine.cases[machine.cases.count - 1] = .init(hasMatched: true, returnTo: instruction - start + 1)
                instruction = start + Int(target)
                continue
            case .caseReturn:
                instruction = start + machine.cases[machine.cases.count - 1].returnTo
                continue
            case .caseElse(let target):
                if machine.cases[machine.cases.count - 1].hasMatched {
                    instruction = start + Int(target)
                    continue
                }
            case .caseEnd: machine.cases.drop(1)
            case .cycle(let count, let target):
                let table = instruction - start + 1
                let next = try nextOfCycle(machine.stack.pop(), among: Int(count), table: table, otherwise: Int(target))
                instruction = start + next
                continue
            case .interrupt(let interrupt): machine.interrupts.append(interrupt)
            case .takeInterrupt(let breakTarget, let continueTarget):
                if let interrupt = machine.interrupts.popLast() {
                    instruction = start + Int(interrupt == .break ? breakTarget : continueTarget)
                    continue
                }
            case .passInterrupt(let target):
                if !machine.interrupts.isEmpty {
                    if target < 0 { return }
                    instruction = start + Int(target)
                    continue
                }
            case .loadPartial(let partial): try loadPartial(program.lists.partials[Int(partial)], program)
            case .bindArgument(let name): bindArgument(program.names[Int(name)])
            case .unbindArguments(let count): unbindArguments(Int(count))
            case .partial(let partial):
                let known = errors.count
                defer { passErrors(after: known, program, instruction - start) }
                try runPartial(program.lists.partials[Int(partial)], program)
                if isStopped { return }
            case .partialValue:
                let known = errors.count
                defer { passErrors(after: known, program, instruction - start) }
                try pushPartialValue(program)
                if isStopped { return }
            case .emitPartial:
                let known = errors.count
                defer { passErrors(after: known, program, instruction - start) }
                try emitPartial(program)
                if isStopped { return }
            case .custom(let tag, let target):
                let known = errors.count
                defer { passErrors(after: known, program, instruction - start) }
                let isSkipped = try runCustom(program.lists.customTags[Int(tag)])
                if isStopped { return }
                if isSkipped {
                    instruction = start + Int(target)
                    continue
                }
            case .recordBranch(let branch): recorder?.take(Int(branch))
            case .recordDefault(let branch, let count): recordDefault(Int(branch), arguments: Int(count))
            case .recordSpan(let mayBePartial):
                let place = program.place(of: instruction - start)
                recorder?.note(place, upTo: output, mayBePartial: mayBePartial)
            case .score(let nodes, let work):
                try charge(work: Int(work))
                try checkOutputLimit()
                if scores.countsNodes { try scores.add(nodes: Int(nodes)) }
            case .end: return
            }
            instruction += 1
        }
    }

    /// Counts which branch a `default` filter takes: whether it keeps or replaces its input.
    ///
    /// The input is on the stack, below the arguments.
    private func recordDefault(_ branch: Int, arguments count: Int) {
        let values = machine.stack.last(count + 1)
        guard let input = values.first else { return }
        let isReplaced = ValueFilters.isReplaced(input, options: count > 1 ? values.last : nil)
        recorder?.take(isReplaced ? branch + 1 : branch)
    }

    private mutating func makeObject(_ keys: [String]) throws(LiquidError) {
        var builder = LiquidObject.Builder()
        var walk = ValueWalk(most: context.budget.workLeft)
        for (key, value) in zip(keys, machine.stack.last(keys.count)) {
            builder.set(key, value)
            walk.add(value, depth: 1)
        }
        try charge(work: keys.count * 4 + walk.units)
        guard walk.depth <= Value.greatestDepth else { throw LiquidError.tooDeepValue }
        context.budget.allocate(Storage.object(count: keys.count))
        machine.stack.drop(keys.count)
        machine.stack.push(.object(LiquidObject(builder)))
    }

    /// The result of a filter with constant arguments; if the filter calculates with integers, no function is called.
    @inline(__always)
    private mutating func quickResult(of application: FilterApplication) throws(LiquidError) -> Value {
        if let integer = application.calculatedInteger { return .integer(integer) }
        return try result(of: application)
    }

    /// The result of a filter, with its memory charged.
    private mutating func result(of application: FilterApplication) throws(LiquidError) -> Value {
        try chargeMemory(of: context.value(of: run(application)))
    }

    /// Calls a filter and prints its result.
    private mutating func emitResult(of application: FilterApplication) throws(LiquidError) {
        if let integer = application.calculatedInteger { return output.append(decimal: integer) }
        switch try run(application) {
        case .value(let value): try emit(chargeMemory(of: value))
        case .text: context.appendText(to: &output)
        }
    }

    /// Calls the function of a filter.
    @inline(__always)
    private mutating func run(_ application: FilterApplication) throws(LiquidError) -> FilterResult {
        try application.code.borrow { (code) throws(LiquidError) in
            try FilterDefinition.call(code.function, application.input, application.arguments, &context)
        }
    }

    /// Charges the memory of a value that a filter has created.
    @inline(__always)
    private mutating func chargeMemory(of result: Value) throws(LiquidError) -> Value {
        switch result {
        case .string(let string):
            let bytes = string.utf8.count
            if bytes > Storage.inlineBytes { try chargeMemory(of: result, bytes: Storage.text(bytes)) }
        case .array(let elements):
            try chargeMemory(of: result, bytes: Storage.array(capacity: elements.capacity))
        case .bigInteger(let integer): try chargeMemory(of: result, bytes: Storage.number(integer))
        default: break
        }
        return result
    }

    /// Charges work that is about to be done; see ``Limits/work``.
    @inline(__always)
    mutating func charge(work units: Int) throws(LiquidError) { try context.budget.charge(work: units) }

    /// Prints a value, and charges for the bytes that are read and written.
    private mutating func emit(_ value: Value) throws(LiquidError) {
        if value.writePlainOutput(to: &output) { return }
        try context.charge(reading: value)
        let start = output.count
        value.writeOutput(to: &output)
        try context.budget.charge(bytes: output.count - start)
    }

    private mutating func compare(_ comparison: Comparison) throws(LiquidError) {
        // Compares both values where they are, and pops them afterwards.
        guard let first = machine.stack.last(2).baseAddress else { return }
        let holds = try holds(first, comparison, first + 1)
        machine.stack.drop(2)
        machine.stack.push(.bool(holds))
    }

    /// Replaces the last value on the stack with a boolean: whether a relation is true of the value.
    private mutating func testLast(_ relation: Program.Test.Relation, _ program: Program) throws(LiquidError) {
        guard let value = machine.stack.last(1).baseAddress else { return }
        let isTrue = try isTrue(relation, of: value, program)
        machine.stack.drop(1)
        machine.stack.push(.bool(isTrue))
    }

    /// Whether a comparison of two values is true.
    @inline(__always)
    private mutating func holds(
        _ first: UnsafePointer<Value>,
        _ comparison: Comparison,
        _ second: UnsafePointer<Value>
    ) throws(LiquidError) -> Bool {
        if let left = first.integer, let right = second.integer, let holds = comparison.holds(left, right) {
            return holds
        }
        return try first.borrow { (left) throws(LiquidError) in
            try second.borrow { (right) throws(LiquidError) in
                let holds = try context.budget.holds(left, comparison, right)
                if left.mayBeUnlike(right, comparison) { noteUnlike(left, comparison, right, holds: holds) }
                return holds
            }
        }
    }

    /// Whether a test of a variable is true.
    private mutating func holds(
        _ test: UnsafePointer<Program.Test>,
        _ activation: Activation
    ) throws(LiquidError) -> Bool {
        let value: Value
        switch test.pointee.subject {
        case .path(let path):
            let path = activation.program.paths.base + Int(path)
            if let place = scope.place(of: path, activation) {
                return try isTrue(test.pointee.relation, of: place, activation.program)
            }
            value = try self.value(of: path, activation, mayMiss: true)
        case .loopField(let field):
            value = loopField(field)
            if case .isTruthy = test.pointee.relation { return value.isTruthy }
        }
        return try withUnsafePointer(to: value) { (place) throws(LiquidError) in
            try isTrue(test.pointee.relation, of: place, activation.program)
        }
    }

    @inline(__always)
    private mutating func isTrue(
        _ relation: Program.Test.Relation,
        of value: UnsafePointer<Value>,
        _ program: Program
    ) throws(LiquidError) -> Bool {
        switch relation {
        case .isTruthy: return value.borrow { $0.isTruthy }
        case .isBlank(let isNegated):
            try context.budget.charge(bytes: value.borrow { $0.textBytes })
            return value.borrow { $0.isBlank } != isNegated
        case .isEmpty(let isNegated): return value.borrow { $0.isEmpty } != isNegated
        case .compares(let comparison, let constant):
            return try holds(value, comparison, program.constants.base + Int(constant))
        }
    }

    private mutating func assign(_ value: Value, to slot: Int) throws(LiquidError) {
        scope.frame[slot].outer = value
        try countAssigned(value)
    }

    private mutating func countAssigned(_ value: Value) throws(LiquidError) {
        if scores.countsAssigned { try scores.add(assigned: value.assignScore) }
    }

    // MARK: - captures

    mutating func beginCapture() throws(LiquidError) {
        try checkOutputLimit()
        // The output of the captures around this one takes memory too.
        if context.budget.needsCount(holding: output.count) { try recount() }
        machine.captures.push(output.count)
        // Captured text does not count as output, only as the string that it becomes.
        output.limit = max(output.limit, output.count + input.limits.stringBytes)
    }

    /// Throws an error if the output has exceeded its limit; captured text has the limit of texts.
    @inline(__always)
    private func checkOutputLimit() throws(LiquidError) {
        guard output.isOverLimit else { return }
        let limit = machine.captures.count == 0 ? Limit.outputBytes : .stringBytes
        throw limit.error(at: input.limits[limit])
    }

    /// Ends the innermost capture and drops its text; returns the number of bytes of the text.
    @discardableResult
    mutating func dropCapture() -> Int {
        guard let mark = machine.captures.popLast() else { return 0 }
        let bytes = output.count - mark
        removeCaptured(from: mark)
        return bytes
    }

    /// Removes the text of an ended capture from the output.
    private mutating func removeCaptured(from mark: Int) {
        output.truncate(to: mark)
        if machine.captures.count == 0 { output.limit = outputLimit }
    }

    mutating func endCapture() throws(LiquidError) -> String {
        let mark = machine.captures.popLast() ?? 0
        if output.isOverLimit || output.count - mark > input.limits.stringBytes {
            throw Limit.stringBytes.error(at: input.limits.stringBytes)
        }
        let bytes = output.count - mark
        try context.budget.charge(bytes: bytes)
        let text = output.string(from: mark)
        removeCaptured(from: mark)
        try chargeMemory(of: .string(text), bytes: Storage.text(bytes))
        return text
    }

    private mutating func assignCapture(to slot: Int) throws(LiquidError) {
        let text = Value.string(try endCapture())
        // The reference implementation counts a captured text before it assigns it, but any other value afterwards.
        try countAssigned(text)
        scope.frame[slot].outer = text
    }

    private mutating func emitIfChanged() throws(LiquidError) {
        let text = try endCapture()
        if scope.frame.lastChanged.map({ !$0.sameBytes(as: text) }) ?? true {
            output.append(text)
            scope.frame.lastChanged = text
        }
    }

    // MARK: - counters, cycles, cases

    private mutating func count(_ slot: Int, by step: Int) throws(LiquidError) {
        var current = scope.frame[slot].counter
        if current == nil, !scope.sharesData, scope.frame.base == 0 {
            current = scope.data[scope.frame.name(ofSlot: slot).text]
        }
        let next: Value
        switch current ?? .null {
        case .null, .bool(false): next = .integer(step)
        case .integer(let integer): next = .integer(integer &+ step)
        case .float(let double): next = .float(double + Double(step))
        default:
            throw LiquidError(
                .internalError,
                "the counter '\(scope.frame.name(ofSlot: slot).text)' is not a number",
                referenceText: "internal"
            )
        }
        scope.frame[slot].counter = next
        // `increment` prints the value before the step, `decrement` the value after it.
        let shown = step > 0 ? current ?? .integer(0) : next
        (shown.isTruthy ? shown : .integer(0)).write(to: &output)
    }

    /// The index of the instruction that pushes the next value of a cycle: one of the jumps from `table` on, or
    /// `otherwise` for a position without a value.
    private mutating func nextOfCycle(
        _ key: Value,
        among count: Int,
        table: Int,
        otherwise: Int
    ) throws(LiquidError) -> Int {
        var place = scope.frame.cycles.firstIndex { $0.key.isIdentical(to: key) }
        try charge(work: Budget.product(scope.frame.cycles.count, key.walk(most: context.budget.workLeft).units))
        if place == nil {
            scope.frame.cycles.append((key, 0))
            context.budget.allocate(Storage.cycle)
            place = scope.frame.cycles.count - 1
        }
        let index = place ?? 0
        let position = scope.frame.cycles[index].position
        machine.pendingCycle = (index, position + 1 >= count ? 0 : position + 1)
        return position < count ? table + position : otherwise
    }

    private mutating func emitCycled(_ value: Value) throws(LiquidError) {
        scope.frame.cycles[machine.pendingCycle.index].position = machine.pendingCycle.next
        try emit(value)
    }
}
