// SPDX-License-Identifier: MIT

/// The partials of a renderer: those that this rendering has begun, and those cached from earlier renderings.
struct PartialCache {
    /// A partial that was read.
    private struct Entry {
        let name: String
        /// The partial as written.
        var whole: Template?
        /// The partial without the white space at its start.
        var trimmed: Template?
        /// The number of the last rendering that began the partial, and whether it used ``trimmed``.
        var begun = (rendering: 0, isTrimmed: false)

        subscript(isTrimmed isTrimmed: Bool) -> Template? {
            get { isTrimmed ? trimmed : whole }
            set { if isTrimmed { trimmed = newValue } else { whole = newValue } }
        }
    }

    private var entries: [Entry] = []
    private var indices: [String: Int] = [:]
    /// The index of the partial that was requested last, which the next rendering often requests again.
    private var latest = 0
    /// The number of the current rendering.
    private var rendering = 0
    /// The error mode in which the cached partials were parsed.
    private var mode = ErrorMode.lax
    /// Whether the last source that was parsed ended in `-%}`, which in the reference implementation trims the start of
    /// the next partial.
    private var trimsNext = false
    /// For each partial begun while an interrupt is pending: its usual program, and the program that checks for
    /// interrupts.
    private var checkedPrograms: [ObjectIdentifier: (usual: Program, checked: Program)] = [:]

    /// Begins the rendering of a template.
    @inline(__always)
    mutating func begin(_ template: Template) {
        rendering &+= 1
        // The dictionary is empty for most templates, and checking this is cheaper than emptying it.
        if !checkedPrograms.isEmpty { checkedPrograms.removeAll() }
        trimsNext = template.trimsAfter
        if template.program.parsed.mode != mode {
            mode = template.program.parsed.mode
            entries = []
            indices = [:]
        }
    }

    /// A partial that this rendering has begun; nil for any other name.
    subscript(name: String) -> Template? {
        mutating get { index(of: name).flatMap { begun(at: $0) } }
    }

    /// The partials that this rendering has begun.
    var begun: [Template] { entries.indices.compactMap { begun(at: $0) } }

    private func begun(at index: Int) -> Template? {
        let begun = entries[index].begun
        return begun.rendering == rendering ? entries[index][isTrimmed: begun.isTrimmed] : nil
    }

    private mutating func index(of name: String) -> Int? {
        if latest < entries.count, entries[latest].name.hasSameBits(as: name) { return latest }
        guard let index = indices[name] else { return nil }
        latest = index
        return index
    }

    /// The partial with a name; if it is not cached, it is parsed in the error mode of the program that names it.
    ///
    /// - Throws: the error of the provider if there is no such partial, or a syntax error of the partial.
    mutating func load(
        _ name: String,
        from provider: any PartialProvider,
        for program: Program
    ) throws(LiquidError) -> Template {
        let known = index(of: name)
        if let known, let begun = begun(at: known) { return begun }
        let isTrimmed = trimsNext
        if let known, let template = entries[known][isTrimmed: isTrimmed] {
            trimsNext = template.trimsAfter
            entries[known].begun = (rendering, isTrimmed)
            return template
        }
        let template = try Template(
            provider.source(ofPartial: name),
            name: name,
            environment: program.environment,
            mode: program.parsed.mode,
            trims: &trimsNext
        )
        let index = known ?? addEntry(name)
        entries[index][isTrimmed: isTrimmed] = template
        entries[index].begun = (rendering, isTrimmed)
        return template
    }

    private mutating func addEntry(_ name: String) -> Int {
        indices[name] = entries.count
        entries.append(Entry(name: name))
        return entries.count - 1
    }

    /// The program of a partial that begins while an interrupt is pending: as in the reference implementation, each of
    /// its blocks ends after its first node that is not text.
    mutating func checkedProgram(of template: Template) -> Program {
        let usual = template.program
        let key = ObjectIdentifier(usual)
        if let known = checkedPrograms[key] { return known.checked }
        let checked = Compiler.program(of: usual.parsed, checksInterrupts: true)
        // Keeping the usual program alive prevents another program from getting its identity.
        checkedPrograms[key] = (usual, checked)
        return checked
    }
}
