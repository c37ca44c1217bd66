// SPDX-License-Identifier: MIT

/// The partials of a renderer: what a rendering has begun, and what was read and is kept from one rendering to the next.
struct PartialCache {
    /// The partials that this rendering has begun.
    private var begun: [String: Template] = [:]
    /// Those that were read as they are.
    private var whole: [String: Template] = [:]
    /// Those that have lost the white space at their start.
    private var trimmed: [String: Template] = [:]
    /// The mode in which they were read.
    private var mode = ErrorMode.lax
    /// Whether what was read last ended in a `-%}`, which in the reference trims the start of the next partial.
    private var trimsNext = false
    /// The programs of partials that this rendering has begun while an interrupt was pending, and the usual ones.
    private var checkedPrograms: [ObjectIdentifier: (usual: Program, checked: Program)] = [:]

    /// Begins the rendering of a template.
    mutating func begin(_ template: Template) {
        // Most of these are empty, and to ask costs less than to empty them.
        if !begun.isEmpty { begun.removeAll(keepingCapacity: true) }
        if !checkedPrograms.isEmpty { checkedPrograms.removeAll() }
        trimsNext = template.trimsAfter
        if template.program.tree.mode != mode {
            mode = template.program.tree.mode
            whole = [:]
            trimmed = [:]
        }
    }

    /// A partial that this rendering has begun.
    subscript(name: String) -> Template? { begun[name] }

    /// A partial by its name, read if need be as the program that names it was.
    ///
    /// - Throws: `fileSystem` where there is none, and its faults of syntax.
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

    /// The program of a partial that begins while an interrupt is pending: each of its blocks ends after its first node that
    /// is not text, as in the reference.
    mutating func checkedProgram(of template: Template) -> Program {
        let usual = template.program
        let key = ObjectIdentifier(usual)
        if let known = checkedPrograms[key] { return known.checked }
        let checked = Compiler.program(of: usual.tree, checksInterrupts: true)
        // It keeps the usual program alive, so that no other takes its identity.
        checkedPrograms[key] = (usual, checked)
        return checked
    }
}
