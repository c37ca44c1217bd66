// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The places where templates read a value but work without it, because a `default`, a condition or the `else` of a
/// loop handles its absence.
///
/// A template is analysed when one of its values is missing for the first time.
struct GuardedReads {
    /// The places in a template, which is kept alive so that no other template gets its identity.
    private struct Places {
        let template: ParsedTemplate
        let ranges: Set<SourceRange>
        /// The roots of the paths that are read with a guard or tested in a condition.
        let roots: Set<VariablePath.Root>
    }

    /// The most templates that are kept; text that is fetched for a message counts as a template.
    private static let limit = 64

    private var places: [ObjectIdentifier: Places] = [:]

    /// Whether the template works without the value that it reads at a range.
    mutating func contains(_ range: SourceRange, of template: ParsedTemplate) -> Bool {
        places(in: template).ranges.contains(range)
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
        let reads = analyzer.analysis().reads
        let found = Places(
            template: template,
            ranges: Set(reads.lazy.filter { $0.guarded != nil }.map(\.range)),
            roots: Set(reads.lazy.filter { $0.guarded != nil || $0.use == .condition }.map(\.path.root))
        )
        places[identity] = found
        return found
    }
}
