// SPDX-License-Identifier: MIT

/// `self`: every variable as a property.
///
/// The renderer looks variables up itself where a path leads through `self`; filters, which see no renderer, find them
/// as they were when the value was made.
final class SelfDrop: Drop {
    /// The start of a path.
    static let root = SelfDrop(LiquidObject(.init()))

    let text = "Liquid::SelfDrop"
    let variables: LiquidObject
    /// How deep its values nest.
    let depth: Int

    init(_ variables: LiquidObject, depth: Int = 1) {
        self.variables = variables
        self.depth = depth
    }

    func property(_ name: String) -> Value? { variables[name] }
}

extension Renderer {
    /// Every variable that a template can name here.
    mutating func selfDrop() throws(LiquidError) -> SelfDrop {
        var builder = input.isDataShared || frame.base == 0 ? LiquidObject.Builder(input.data) : .init()
        try charge(work: 200 + (builder.count + frame.names.count) * 100)
        var extent = Extent(.everything, most: context.budget.workLeft / 16)
        for (name, cell) in zip(frame.names, frame.cells) {
            guard let value = cell.value else { continue }
            builder.set(name.text, value)
            extent.add(value, depth: 1)
        }
        try charge(work: Budget.product(extent.elements, 16))
        // One that holds an older one, and so on, would be too deep to be taken apart.
        guard extent.depth <= Value.greatestDepth else { throw LiquidError.tooDeepValue }
        context.budget.allocate(Storage.object(count: builder.count))
        return SelfDrop(LiquidObject(builder), depth: max(1, extent.depth))
    }
}
