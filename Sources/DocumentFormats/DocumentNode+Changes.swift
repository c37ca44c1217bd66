// SPDX-License-Identifier: MIT

package import DiagnosticSources

extension DocumentNode {
    /// The number of values that differ between two versions of a file; nil if a version cannot be read, or if more
    /// than values differs, such as the keys or the lengths of lists.
    package static func changes(from old: SourceFile, to new: SourceFile, rule: RuleID) -> Int? {
        guard let old = try? read(old, rule: rule), let new = try? read(new, rule: rule) else { return nil }
        return old.changes(to: new)
    }

    private func changes(to new: DocumentNode) -> Int? {
        func sum(_ parts: some Sequence<(DocumentNode, DocumentNode)>) -> Int? {
            parts.reduce(0) { sum, pair in sum.flatMap { sum in pair.0.changes(to: pair.1).map { sum + $0 } } }
        }
        switch (content, new.content) {
        case (.scalar(let one), .scalar(let other)): return one.text.utf8.elementsEqual(other.text.utf8) ? 0 : 1
        case (.sequence(let some), .sequence(let others)) where some.count == others.count:
            return sum(zip(some, others))
        case (.mapping(let some), .mapping(let others))
        where some.elementsEqual(others, by: { $0.name.utf8.elementsEqual($1.name.utf8) }):
            return sum(zip(some, others).map { ($0.value, $1.value) })
        default: return nil
        }
    }
}
