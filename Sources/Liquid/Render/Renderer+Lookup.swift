// SPDX-License-Identifier: MIT

import BigInt
import SourceText

/// Lookups of variables and of the steps into their values.
extension Renderer {
    /// The value of a path; a missing variable is an error if `mayMiss` is false and the policy says so.
    mutating func value(
        of path: UnsafePointer<Program.Path>,
        _ program: Program,
        _ slots: [Int]?,
        mayMiss: Bool = false
    ) throws(LiquidError) -> Value {
        let path = path.pointee
        let name = program.names.base + Int(path.root)
        var value: Value
        if let found = variable(name, slot: slot(Int(path.root), slots)) {
            value = found
        } else if name.pointee.text == "self" {
            value = .drop(SelfDrop(frame: frame.base))
        } else {
            if !mayMiss { try miss(path, slots, name.pointee.text) }
            return .null
        }
        let first = program.steps.base + Int(path.steps.first)
        for index in 0..<Int(path.steps.count) {
            guard let next = found(first + index, program, in: value) else {
                if !mayMiss { try miss(path, slots, program.keys.base[Int(first[index].key)].text) }
                return .null
            }
            value = next
        }
        // A filter gets the current values of the variables.
        if case .drop(let drop as SelfDrop) = value { return .drop(try selfDrop(ofFrame: drop.frame)) }
        return value
    }

    /// The value of a variable: of a loop, assigned, counted, or from the data.
    private func variable(_ name: UnsafePointer<Name>, slot: Int) -> Value? {
        if frame.slots[slot].isUsed, let value = frame.slots[slot].value { return value }
        guard seesData(frame.base) else { return nil }
        return input.data.find(name)?.pointee
    }

    /// The address of the value of a path, if it is in the data or inside a loop variable; nil if it is not, or needs
    /// another lookup.
    ///
    /// The address is valid until a variable is set or the renderer gets other data. Reading the value there retains
    /// none of the objects on the path.
    @inline(__always)
    func place(of path: UnsafePointer<Program.Path>, _ program: Program, _ slots: [Int]?) -> UnsafePointer<Value>? {
        let root = Int(path.pointee.root)
        let slot = slot(root, slots)
        var step = program.steps.base + Int(path.pointee.steps.first)
        let end = step + Int(path.pointee.steps.count)
        var place: UnsafePointer<Value>?
        if frame.slots[slot].isUsed {
            guard step < end, case .object(let object)? = frame.slots[slot].inner else { return nil }
            place = object.find(program.keys.base + Int(step.pointee.key))
            step += 1
        } else {
            guard seesData(frame.base) else { return nil }
            place = input.data.find(program.names.base + root)
        }
        while let found = place, step < end {
            guard case .object(let object) = found.pointee else { return nil }
            place = object.find(program.keys.base + Int(step.pointee.key))
            step += 1
        }
        return place
    }

    /// Handles a path without a value according to the policy.
    ///
    /// Ranges are collected only for the template itself, not for its partials.
    private mutating func miss(_ path: Program.Path, _ slots: [Int]?, _ name: String) throws(LiquidError) {
        switch input.undefinedPolicy {
        case .ignoring: break
        case .collecting:
            if slots == nil, frame.base == 0, undefined.count < Self.undefinedLimit { undefined.append(path.range) }
        case .failing: throw undefinedError(name)
        }
    }

    private func undefinedError(_ name: String) -> LiquidError {
        LiquidError(
            .undefinedVariable,
            "'\(name)' is not defined",
            referenceText: "undefined variable \(name)"
        )
    }

    mutating func step(
        _ step: UnsafePointer<Program.Step>,
        _ program: Program,
        into value: Value,
        mayMiss: Bool
    ) throws(LiquidError) -> Value {
        if let found = found(step, program, in: value) { return found }
        if input.undefinedPolicy == .failing, !mayMiss {
            throw undefinedError(program.keys.base[Int(step.pointee.key)].text)
        }
        return .null
    }

    /// The value of a step into a value; nil if there is none.
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
            context.budget.chargeLater(value.textBytes / 4)
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
                guard let next = found(program.spellings.base + Int(steps.first) + index, program, in: inner) else {
                    return nil
                }
                inner = next
            }
            return inner
        }
    }

    func element(of value: Value, at key: Value, mayMiss: Bool) throws(LiquidError) -> Value {
        switch (value, key) {
        case (.array(let elements), .integer(let index)):
            if let element = elements.element(at: index) { return element }
        case (.object(let object), .string(let name)):
            if let found = object[name] { return found }
        case (.drop(let drop), .string(let name)):
            if let drop = drop as? SelfDrop { return variable(Name(name), of: drop) }
            if let found = drop.property(name) { return found }
        default: break
        }
        if input.undefinedPolicy == .failing, !mayMiss { throw undefinedError(key.shortText) }
        return .null
    }

    mutating func pushLoopField(_ field: LoopField) {
        let open = loops.last(loops.count)
        var place = open.count - 1
        while place >= 0, open[place].isTable { place -= 1 }
        guard place >= 0 else { return stack.push(.null) }
        stack.push(open[place].field(field))
    }
}

extension Value {
    /// The name of a variable that a value spells; empty for a value other than a string.
    var keyText: String {
        if case .string(let string) = self { return string }
        return ""
    }

    /// Ruby's `<=>` for `<`, `>`, `<=` and `>=` in conditions; nil if the values have no order, which makes the
    /// condition false.
    func order(with other: Value) throws(LiquidError) -> Int? {
        guard isOrdered, other.isOrdered else { return nil }
        if let order = compare(other) { return order }
        if isNumber, other.isNumber { return nil }
        throw LiquidError(
            .argument,
            "cannot compare \(kindName) with \(other.kindName)",
            referenceText: "comparison of \(className) with \(other.comparedName) failed"
        )
    }

    private var isOrdered: Bool {
        switch self {
        case .integer, .float, .bigInteger, .string, .time: true
        default: false
        }
    }

    private var isNumber: Bool {
        switch self {
        case .integer, .float, .bigInteger: true
        default: false
        }
    }

    /// The name of the value's class in Ruby.
    package var className: String {
        switch self {
        case .null: "NilClass"
        case .bool(let bool): bool ? "TrueClass" : "FalseClass"
        case .integer, .bigInteger: "Integer"
        case .float: "Float"
        case .string: "String"
        case .array: "Array"
        case .object: "Hash"
        case .range: "Range"
        case .time: "Time"
        case .drop(let drop): drop.text
        }
    }

    /// The text by which Ruby names the second of two values that it cannot compare.
    private var comparedName: String {
        switch self {
        // In Ruby, integers of up to 63 bits are immediate values; larger ones are objects.
        case .integer(let integer) where integer >> 62 == integer >> 63: text
        case .float: text
        default: className
        }
    }

    /// The kind of the value, for messages.
    package var kindName: String {
        switch self {
        case .null: "nothing"
        case .bool: "a boolean"
        case .integer, .bigInteger, .float: "a number"
        case .string: "a text"
        case .array: "an array"
        case .object: "an object"
        case .range: "a range"
        case .time: "a time"
        case .drop: "an object"
        }
    }

    /// The size of an assigned value as the reference counts it: the bytes of a string, one for any other value, and
    /// the sizes of its parts.
    var assignScore: Int {
        switch self {
        case .string(let string): string.utf8.count
        case .array(let elements): elements.reduce(1) { $0 + $1.assignScore }
        case .object(let object):
            zip(object.keys, object.values).reduce(1) { $0 + $1.0.utf8.count + $1.1.assignScore }
        default: 1
        }
    }
}

extension [Value] {
    /// The element at an index, which counts from the end if it is negative; nil outside the array.
    fileprivate func element(at index: Int) -> Value? {
        let position = index < 0 ? count &+ index : index
        return indices.contains(position) ? self[position] : nil
    }
}
