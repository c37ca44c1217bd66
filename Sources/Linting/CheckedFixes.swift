// SPDX-License-Identifier: MIT

import Documents
package import SourceText

/// The fixes of one file that change what they say, and nothing else of what a campaign sends.
///
/// The file is read again with the fixes: each key and each value that no fix touches has to be the same, and a fix that
/// says which text its value has (``FixIt/value``) has to result in this text.
package struct CheckedFixes: Sendable {
    /// The file with the fixes.
    package let applied: AppliedFixes

    /// The fixes that are not made.
    package let refused: [FixIt]

    /// Checks fixes.
    ///
    /// - Parameters:
    ///   - fixes: the fixes; of two that conflict, the first is made.
    ///   - file: the file.
    package init(_ fixes: [FixIt], to file: SourceFile) {
        let made = FixIt.apply(fixes, to: file).applied
        guard [".yml", ".yaml", ".json"].contains(where: file.path.hasSuffix), !made.isEmpty else {
            applied = FixIt.apply(made, to: file)
            refused = []
            return
        }
        let right = FixCheck(file).right(made)
        applied = FixIt.apply(right, to: file)
        refused = made.filter { !right.contains($0) }
    }
}

/// Compares a YAML or JSON file with what fixes make of it.
private struct FixCheck {
    private let file: SourceFile

    /// The keys and values of the file; nil where it cannot be read.
    private let parts: [DocumentPart]?

    init(_ file: SourceFile) {
        self.file = file
        parts = Self.parts(of: file)
    }

    private static func parts(of file: SourceFile) -> [DocumentPart]? {
        guard let root = try? DocumentNode.read(file, rule: .campaignSyntax) else { return nil }
        return root.parts
    }

    /// Some of the fixes that are right together; all of them where they are, else the others need another run.
    func right(_ fixes: [FixIt]) -> [FixIt] {
        let edits = FixIt.apply(fixes, to: file)
        let changed = Self.parts(of: SourceFile(path: file.path, bytes: edits.bytes))
        if let changed {
            let kept = fixes.filter { hasItsValue($0, in: changed, edits.edits) }
            guard kept.count == fixes.count else { return right(kept) }
            if keepsTheRest(fixes, changed, edits.edits) { return fixes }
        }
        // A file with several values without quotes can be read only after all of these fixes.
        guard fixes.count > 1 else { return [] }
        let middle = fixes.count / 2
        let first = right(Array(fixes[..<middle]))
        return first.isEmpty ? right(Array(fixes[middle...])) : first
    }

    /// Whether everything but what the fixes touch is the same.
    private func keepsTheRest(_ fixes: [FixIt], _ changed: [DocumentPart], _ edits: [FixIt.Edit]) -> Bool {
        // Where the file could not be read, nothing of it was sent.
        guard let parts else { return fixes.allSatisfy { $0.value != nil } }
        return parts.count == changed.count
            && zip(parts, changed).allSatisfy { part, new in
                part.kind == new.kind && (part.text == new.text || edits.contains { part.isTouched(by: $0) })
            }
    }

    private func hasItsValue(_ fix: FixIt, in parts: [DocumentPart], _ edits: [FixIt.Edit]) -> Bool {
        guard let value = fix.value, let edit = fix.edits.first else { return true }
        let moved = edits.filter { $0.range.end <= edit.range.start && $0 != edit }.reduce(Int(edit.range.start)) {
            $0 + $1.replacement.utf8.count - $1.range.offsets.count
        }
        return parts.contains { Int($0.range.start) == moved && $0.text.utf8.elementsEqual(value.utf8) }
    }
}

/// A key or a value of a document.
private struct DocumentPart {
    enum Kind {
        case key, scalar, mapping, sequence
    }

    var kind: Kind
    var text: String
    var range: SourceRange

    func isTouched(by edit: FixIt.Edit) -> Bool {
        edit.range.start <= range.end && range.start <= edit.range.end
    }
}

extension DocumentNode {
    /// The keys and values, in the order of the file.
    fileprivate var parts: [DocumentPart] {
        switch content {
        case .scalar(let scalar): [DocumentPart(kind: .scalar, text: scalar.text, range: range)]
        case .sequence(let elements):
            [DocumentPart(kind: .sequence, text: "\(elements.count)", range: range)] + elements.flatMap(\.parts)
        case .mapping(let members):
            [DocumentPart(kind: .mapping, text: "\(members.count)", range: range)]
                + members.flatMap { member in
                    [DocumentPart(kind: .key, text: member.name, range: member.keyRange)] + member.value.parts
                }
        }
    }
}
