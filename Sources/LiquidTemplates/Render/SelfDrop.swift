// SPDX-License-Identifier: MIT

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
    let depth: Int

    /// Creates `self` for a frame, given by its number.
    init(frame: Int, _ variables: LiquidObject? = nil, depth: Int = 1) {
        self.frame = frame
        self.variables = variables
        self.depth = depth
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
        return SelfDrop(frame: number, LiquidObject(builder), depth: max(1, walk.depth))
    }

    /// The value of the variable with a computed name; null if the name is not a text.
    mutating func value(named name: Value) throws(LiquidError) -> Value {
        guard case .string(let name) = name else { return .null }
        try charge(work: 4 + (name.utf8.count + scope.frame.count) / 16)
        return try value(named: name)
    }

    /// The value of the variable with a name, or else `self`; null if there is none.
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
