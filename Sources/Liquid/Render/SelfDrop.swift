// SPDX-License-Identifier: MIT

/// `self`: every variable as a property.
///
/// The renderer looks variables up itself where a path leads through `self`; filters, which see no renderer, find them
/// as they were when the value was made.
final class SelfDrop: Drop {
    /// The start of a path.
    static let root = SelfDrop(LiquidObject(.init()))

    let text = "Liquid::SelfDrop"
    private let variables: LiquidObject

    init(_ variables: LiquidObject) { self.variables = variables }

    func property(_ name: String) -> Value? { variables[name] }
}

extension Renderer {
    /// Every variable that a template can name here.
    func selfDrop() -> SelfDrop {
        var builder = input.isDataShared || frame.base == 0 ? LiquidObject.Builder(input.data) : .init()
        for (name, cell) in zip(frame.names, frame.cells) {
            if let value = cell.inner ?? cell.outer ?? cell.counter { builder.set(name.text, value) }
        }
        return SelfDrop(LiquidObject(builder))
    }
}
