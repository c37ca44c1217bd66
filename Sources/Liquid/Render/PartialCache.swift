// SPDX-License-Identifier: MIT

/// The partials of a renderer: those begun in this rendering, and those cached from earlier renderings.
struct PartialCache {
    /// The partials that this rendering has begun.
    private var begun: [String: Template] = [:]
    /// Cached partials, read as written.
    private var whole: [String: Template] = [:]
    /// Cached partials, read without the white space at their start.
    private var trimmed: [String: Template] = [:]
    /// The mode in which the cached partials were read.
    private var mode = ErrorMode.lax
    /// Whether the source read last ended in a `-%}`, which in the reference trims the start of the next partial.
    private var trimsNext = false
    /// For partials begun while an interrupt is pending: the usual program, and the one that checks for interrupts.
    private var checkedPrograms: [ObjectIdentifier: (usual: Program, checked: Program)] = [:]

    /// Begins the rendering of a template.
    @inline(__always)
    mutating func begin(_ template: Template) {
        // Most of these are empty, and checking is cheaper than emptying them.
        if !begun.isEmpty { begun.removeAll(keepingCapacity: true) }
        if !checkedPrograms.isEmpty { checkedPrograms.removeAll() }
        trimsNext = template.trimsAfter
        if template.program.tree.mode != mode {
            mode = template.program.tree.mode
            whole = [:]
            trimmed = [:]
        }
    }

    /// A partial that this rendering has begun; nil for any other name.
    subscript(name: String) -> Template? { begun[name] }

    /// A partial by its name, read if needed in the mode of the program that names it.
    ///
    /// - Throws: `fileSystem` if there is none; its syntax errors.
    mutating func load(
        _ name: String,
        from provider: any PartialProvider,
        for program: Program
    ) throws(LiquidError) -> Template {
        if let known = begun[name] { return known }
        let template: Template
        if let known = trimsNext ? trimmed[name] : whole[name] {
            template = known
            trimsNext = template.trimsAfter
        } else {
            let isTrimmed = trimsNext
            template = try Template(
                provider.source(ofPartial: name),
                name: name,
                environment: program.environment,
                mode: program.tree.mode,
                trims: &trimsNext
            )
            if isTrimmed { trimmed[name] = template } else { whole[name] = template }
        }
        begun[name] = template
        return template
    }

    /// The program of a partial that begins while an interrupt is pending: as in the reference, each of its blocks ends
    /// after its first node that is not text.
    mutating func checkedProgram(of template: Template) -> Program {
        let usual = template.program
        let key = ObjectIdentifier(usual)
        if let known = checkedPrograms[key] { return known.checked }
        let checked = Compiler.program(of: usual.tree, checksInterrupts: true)
        // Keeping the usual program alive prevents another one from getting its identity.
        checkedPrograms[key] = (usual, checked)
        return checked
    }
}
