// SPDX-License-Identifier: MIT

import BigInt
import DiagnosticSources

/// Lookups of variables, and of the steps into their values.
///
/// Paths, steps and values are passed by address; see ``FixedTable``.
extension Renderer {
    /// The value of a path; a missing variable is an error if `mayMiss` is false and the policy is to fail.
    mutating func value(
        of path: UnsafePointer<Program.Path>,
        _ activation: Activation,
        mayMiss: Bool = false
    ) throws(LiquidError) -> Value {
        let path = path.pointee
        let program = activation.program
        let name = program.names.base + Int(path.root)
        var value: Value
        if let found = scope.place(name, slot: scope.slot(Int(path.root), activation)) {
            value = found.pointee
        } else if name.pointee.text == "self" {
            value = .drop(SelfDrop(frame: scope.frame.base))
        } else {
            if !mayMiss { try miss(path, activation, name.pointee.text) }
            return .null
        }
        let first = program.steps.base + Int(path.steps.first)
        for index in 0..<Int(path.steps.count) {
            guard let next = found(first + index, program, in: value) else {
                if !mayMiss { try miss(path, activation, program.keys.base[Int(first[index].key)].text) }
                return .null
            }
            value = next
        }
        // A filter gets the variables with their current values.
        if case .drop(let drop as SelfDrop) = value { return .drop(try selfDrop(ofFrame: drop.frame)) }
        if case .null = value, !mayMiss { collectMissing(path, activation) }
        return value
    }

    /// Handles a path that has no value, as the policy says.
    private mutating func miss(_ path: Program.Path, _ activation: Activation, _ name: String) throws(LiquidError) {
        if input.undefinedPolicy == .failing { throw undefinedError(name).placed(range: path.range) }
        collectMissing(path, activation)
    }

    /// Collects the place of a path that has no value.
    ///
    /// A variable that was set to null has no value either, but counts as missing only if the value assigned to it was
    /// missing.
    @inline(never)
    private mutating func collectMissing(_ path: Program.Path, _ activation: Activation) {
        guard input.undefinedPolicy == .collecting else { return }
        let name = activation.program.names.base + Int(path.root)
        let slot = scope.slot(Int(path.root), activation)
        var source: String?
        if scope.isSet(slot), let value = scope.place(name, slot: slot), value.pointee.isNull {
            source = observations?.missingVariables[name.pointee.text]
            if source == nil, path.steps.count == 0 { return }
        }
        collectMissing(path.range, source, activation)
    }

    /// Collects the place of a lookup that finds no value, if the input asks for it and the template needs the value.
    ///
    /// In the template itself, the range is collected; in partials, the text with its first range. Null in the data
    /// counts as missing, as it does in an exported profile. A value that is only assigned to a variable is collected
    /// where the variable is needed.
    ///
    /// - Parameters:
    ///   - range: the place of the lookup.
    ///   - source: the missing value that the variable of the lookup was set to; nil if the lookup itself finds no
    ///     value.
    ///   - activation: the program of the lookup.
    mutating func collectMissing(_ range: SourceRange, _ source: String?, _ activation: Activation) {
        guard input.undefinedPolicy == .collecting else { return }
        let template = activation.program.parsed
        switch guardedReads.handling(of: range, in: template) {
        case .guarded: return
        case .assigned(let name, let value):
            let known = observations?.missingVariables ?? [:]
            if known.count < Self.undefinedLimit || known[name] != nil {
                return observe { $0.missingVariables[name] = source ?? value }
            }
        case nil: break
        }
        if activation.firstSlot == nil, scope.frame.base == 0 {
            // Both a path and the computed steps after it may find nothing, and a loop reads the same place again.
            if undefined.count < Self.undefinedLimit,
                !undefined.contains(where: { $0.range == range && (source == nil || $0.source == source) })
            {
                observe { $0.undefined.append((range, source)) }
            }
        } else if let partial = partialName, undefinedInPartials.count < Self.undefinedLimit {
            let text = String(decoding: template.source.bytes[range.offsets], as: UTF8.self)
            let variable = source ?? text
            if !undefinedInPartials.contains(where: { $0.partial == partial && $0.variable == variable }) {
                observe { $0.undefinedInPartials.append((partial, variable, range, text)) }
            }
        }
    }

    private func undefinedError(_ name: String) -> LiquidError {
        LiquidError(.undefinedVariable, "'\(name)' is not defined", referenceText: "undefined variable \(name)")
    }

    /// The value that a step into a value leads to.
    ///
    /// If there is none and this is not an error, returns null and sets `isMissing`. An optional result would be
    /// copied.
    mutating func step(
        _ step: UnsafePointer<Program.Step>,
        _ program: Program,
        into value: Value,
        _ isMissing: inout Bool
    ) throws(LiquidError) -> Value {
        if let found = found(step, program, in: value) { return found }
        if input.undefinedPolicy == .failing, !step.pointee.mayMiss {
            throw undefinedError(program.keys.base[Int(step.pointee.key)].text)
        }
        isMissing = true
        return .null
    }

    /// The value that a step into a value leads to; nil if there is none.
    private mutating func found(
        _ step: UnsafePointer<Program.Step>,
        _ program: Program,
        in value: Value
    ) -> Value? {
        let key = program.keys.base + Int(step.pointee.key)
        switch value {
        case .object(let object):
            if let found = object.find(key) { return found.pointee }
        case .drop(let drop):
            if let drop = drop as? SelfDrop { return variable(key.pointee, of: drop) }
            if let found = drop.property(key.pointee.text) { return found }
        default: break
        }
        switch step.pointee.kind {
        case .key: return nil
        case .size:
            context.budget.chargeLater(value.textBytes / 16)
            return value.size.map { .integer($0) }
        case .first: return value.first
        case .last: return value.last
        case .element:
            if case .array(let elements) = value { return elements.element(at: step.pointee.index) ?? .null }
            return nil
        case .attribute:
            let steps = step.pointee.spelled
            guard steps.count > 0 else { return nil }
            var inner = value
            for index in 0..<Int(steps.count) {
                let next = withUnsafePointer(to: program.lists.spellings[Int(steps.first) + index]) {
                    found($0, program, in: inner)
                }
                guard let next else { return nil }
                inner = next
            }
            return inner
        }
    }

    /// The element of a value at a key; handles a missing element like ``step(_:_:into:_:)``.
    ///
    /// As in the reference implementation, an array or object counts as having an element at every integer; an element
    /// that it lacks is null.
    func element(
        of value: Value,
        at key: Value,
        mayMiss: Bool,
        _ isMissing: inout Bool
    ) throws(LiquidError) -> Value {
        switch (value, key) {
        case (.array(let elements), .integer(let index)):
            if let element = elements.element(at: index) { return element }
        case (.object(let object), .string(let name)):
            if let found = object[name] { return found }
        case (.drop(let drop), .string(let name)):
            if let drop = drop as? SelfDrop { return variable(Name(name), of: drop) }
            if let found = drop.property(name) { return found }
        case (.array, .bigInteger): throw Value.outOfRange(key)
        default: break
        }
        if input.undefinedPolicy == .failing, !mayMiss { throw undefinedError(key.shortText) }
        switch (value, key) {
        case (.array, .integer), (.object, .integer), (.object, .bigInteger): break
        default: isMissing = true
        }
        return .null
    }

    /// A property of the innermost `for`; null outside of a `for`.
    @inline(__always)
    mutating func loopField(_ field: LoopField) -> Value {
        guard var loop = machine.loops.top else { return .null }
        // The search goes back at most to the first loop on the stack, so the address stays inside the stack.
        for _ in 1..<machine.loops.count where loop.pointee.progress.isTable { loop -= 1 }
        return loop.pointee.progress.isTable ? .null : loop.pointee.progress.field(field)
    }
}

extension [Value] {
    /// The element at an index, which counts from the end if it is negative; nil if it is out of bounds.
    fileprivate func element(at index: Int) -> Value? {
        let position = index < 0 ? count &+ index : index
        return indices.contains(position) ? self[position] : nil
    }
}

/// `self`, an object whose properties are all variables of a scope.
///
/// In a path through `self`, the renderer looks up the current value of the variable. Filters have no access to the
/// renderer, so they see the values that the variables had when `self` was created for them.
final class SelfDrop: Drop {
    let text = "Liquid::SelfDrop"

    /// The number of the frame with the variables; the frames around the current one are always kept.
    let frame: Int

    /// The variables when the value was created; nil at the start of a path, where filters never see it.
    let variables: LiquidObject?

    /// The nesting depth of the variables' values.
    let valueDepth: Int

    /// Creates `self` for a frame, given by its number.
    init(frame: Int, _ variables: LiquidObject? = nil, valueDepth: Int = 1) {
        self.frame = frame
        self.variables = variables
        self.valueDepth = valueDepth
    }

    func property(_ name: String) -> Value? { variables?[name] }
}

extension Renderer {
    /// `self` with the current values of all variables of a frame.
    mutating func selfDrop(ofFrame number: Int) throws(LiquidError) -> SelfDrop {
        var builder = scope.seesData(number) ? LiquidObject.Builder(scope.data) : .init()
        try charge(work: 8 + (builder.count + scope.withFrame(number) { $0.count }) * 4)
        var walk = ValueWalk(most: context.budget.workLeft)
        scope.withFrame(number) { frame in
            for slot in 0..<frame.count {
                guard let value = frame[slot].value else { continue }
                builder.set(frame.name(ofSlot: slot).text, value)
                walk.add(value, depth: 1)
            }
        }
        try charge(work: walk.units)
        // Without this check, a `self` that contains an older `self`, and so on, could be nested too deeply for
        // recursion.
        guard walk.depth <= Value.greatestDepth else { throw LiquidError.tooDeepValue }
        context.budget.allocate(Storage.object(count: builder.count))
        return SelfDrop(frame: number, LiquidObject(builder), valueDepth: max(1, walk.depth))
    }

    /// The value of the variable with a computed name; null if the name is not a text.
    mutating func value(named name: Value) throws(LiquidError) -> Value {
        guard case .string(let name) = name else { return .null }
        try charge(work: 4 + (name.utf8.count + scope.frame.count) / 16)
        return try value(named: name)
    }

    /// The value of the variable with a name; the object `self` if that is the name and no variable has it; otherwise
    /// null.
    mutating func value(named name: String) throws(LiquidError) -> Value {
        if let value = scope.variable(Name(name), ofFrame: scope.frame.base), !value.isNull { return value }
        return name.spells("self") ? .drop(try selfDrop(ofFrame: scope.frame.base)) : .null
    }

    /// A property of `self`, which is a variable of its frame.
    func variable(_ name: Name, of drop: SelfDrop) -> Value { scope.variable(name, ofFrame: drop.frame) ?? .null }
}

extension Drop {
    /// Whether two objects are the same `self` or the same cycle, although they are different instances: each read of
    /// `self` creates a new object, and so does each program of a template for its cycles.
    func isSame(as other: any Drop) -> Bool {
        if let left = self as? CycleKey, let right = other as? CycleKey { return left.isSame(as: right) }
        guard let left = self as? SelfDrop, let right = other as? SelfDrop else { return false }
        return left.frame == right.frame
    }
}

/// The places where templates read a value but work without it, because a `default`, a condition or the `else` of a
/// loop handles its absence.
///
/// A template is analysed when one of its values is missing for the first time.
struct GuardedReads {
    /// What a template does with a value that it reads.
    enum Handling {
        /// The template works without the value.
        case guarded
        /// The template sets a variable to exactly this value, which is given as written.
        case assigned(to: String, value: String)
    }

    /// How one template handles the values that it reads.
    private struct Places {
        /// The template, kept alive so that no other template gets its identity.
        let template: ParsedTemplate
        let reads: [SourceRange: Handling]
        /// The roots of the paths that are read with a guard or tested in a condition.
        let roots: Set<VariablePath.Root>
    }

    /// The maximum number of templates that are kept; text that is fetched for a message counts as a template.
    private static let limit = 64

    private var places: [ObjectIdentifier: Places] = [:]

    /// What a template does with the value that it reads at a range; nil if it needs the value there.
    ///
    /// If a tag of the template may read any variable, no value counts as only assigned.
    mutating func handling(of range: SourceRange, in template: ParsedTemplate) -> Handling? {
        places(in: template).reads[range]
    }

    /// Whether a template tests a variable or a part of it, or reads it where its absence is handled.
    mutating func contains(variable: String, of template: ParsedTemplate) -> Bool {
        places(in: template).roots.contains(.name(variable))
    }

    private mutating func places(in template: ParsedTemplate) -> Places {
        let identity = ObjectIdentifier(template)
        if let known = places[identity] { return known }
        if places.count == Self.limit { places = [:] }
        var analyzer = Analyzer(template)
        let analysis = analyzer.analysis()
        let reads = analysis.reads
        var handlings: [SourceRange: Handling] = [:]
        for read in reads {
            if let name = analyzer.assignments[read.range], !analysis.readsAnyVariable,
                read.guarded == nil || read.guarded == .variable
            {
                let value = String(decoding: template.source.bytes[read.range.offsets], as: UTF8.self)
                handlings[read.range] = .assigned(to: name, value: value)
            } else if read.guarded != nil {
                handlings[read.range] = .guarded
            }
        }
        let found = Places(
            template: template,
            reads: handlings,
            roots: Set(reads.lazy.filter { $0.guarded != nil || $0.use == .condition }.map(\.path.root))
        )
        places[identity] = found
        return found
    }
}
