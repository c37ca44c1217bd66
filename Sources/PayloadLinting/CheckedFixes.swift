// SPDX-License-Identifier: MIT

package import DiagnosticSources
import DocumentFormats

/// The fixes of one file that change what they promise, and nothing else that a campaign sends.
///
/// A YAML or JSON file is read again with the fixes. Each key and each value that no fix touches has to be the same,
/// and a fix that promises a value (`FixIt.value`) has to result in this value. Fixes of other files are not checked.
package struct CheckedFixes: Sendable {
    /// The file after the fixes that passed the check.
    package let applied: AppliedFixes

    /// The fixes that are not applied because they failed the check.
    package let refused: [FixIt]

    /// The error that prevents the file from being read with the fixes, outside of the lines that they change; nil if
    /// there is none, or if no fix is refused.
    package let obstacle: Diagnostic?

    /// Checks fixes, and applies those that pass.
    ///
    /// - Parameters:
    ///   - fixes: the fixes; of two that conflict, the first is applied.
    ///   - file: the file.
    package init(_ fixes: [FixIt], to file: SourceFile) {
        let made = FixIt.apply(fixes, to: file).applied
        guard [".yml", ".yaml", ".json"].contains(where: file.path.hasSuffix), !made.isEmpty else {
            applied = FixIt.apply(made, to: file)
            refused = []
            obstacle = nil
            return
        }
        var check = FixCheck(file)
        let right = Set(check.rightFixes(made))
        applied = FixIt.apply(made.filter(right.contains), to: file)
        refused = made.filter { !right.contains($0) }
        obstacle = refused.isEmpty ? nil : FixCheck.fault(in: file, after: made)
    }
}

/// Compares a YAML or JSON file with the result of applying fixes to it.
private struct FixCheck {
    private let file: SourceFile

    /// The keys and values of the file; nil if it cannot be read.
    private let parts: [DocumentPart]?

    /// How many more times the file may be read to find the wrong fixes.
    private var readingsLeft = 64

    init(_ file: SourceFile) {
        self.file = file
        parts = Self.parts(of: file)
    }

    /// The error that prevents a file from being read after fixes; nil if there is none, or if it is in a line of a
    /// fix.
    static func fault(in file: SourceFile, after fixes: [FixIt]) -> Diagnostic? {
        let applied = FixIt.apply(fixes, to: file)
        do throws(InputError) {
            _ = try DocumentNode.read(SourceFile(path: file.path, bytes: applied.bytes), rule: .campaignSyntax)
            return nil
        } catch {
            guard let fault = error.diagnostics.first, let line = fault.place?.start.line else { return nil }
            let fixed = applied.edits.contains { file.position(of: Int($0.range.start)).line == line }
            return fixed ? nil : fault
        }
    }

    private static func parts(of file: SourceFile) -> [DocumentPart]? {
        guard let root = try? DocumentNode.read(file, rule: .campaignSyntax) else { return nil }
        return root.parts
    }

    /// Fixes that are right together: all of the given fixes if possible, otherwise some of them or none.
    ///
    /// The others may be right in another run.
    ///
    /// All fixes are tried together first, because a file that cannot be read may need several of them, for example if
    /// several values lack quotes.
    mutating func rightFixes(_ fixes: [FixIt]) -> [FixIt] {
        guard readingsLeft > 0 else { return [] }
        readingsLeft -= 1
        let edits = FixIt.apply(fixes, to: file)
        if let changed = Self.parts(of: SourceFile(path: file.path, bytes: edits.bytes)) {
            let kept = fixesWithTheirValues(fixes, in: changed, edits.edits)
            guard kept.count == fixes.count else { return rightFixes(kept) }
            if keepsTheRest(fixes, changed, edits.edits) { return fixes }
        }
        guard parts != nil, fixes.count > 1 else { return [] }
        let middle = fixes.count / 2
        let first = rightFixes(Array(fixes[..<middle]))
        return first.isEmpty ? rightFixes(Array(fixes[middle...])) : first
    }

    /// Whether everything that the fixes do not touch is unchanged.
    private func keepsTheRest(_ fixes: [FixIt], _ changed: [DocumentPart], _ edits: [FixIt.Edit]) -> Bool {
        // If the file could not be read before the fixes, nothing in it was sent.
        guard let parts else { return fixes.allSatisfy { $0.value != nil } }
        return parts.count == changed.count
            && zip(parts, changed).allSatisfy { part, new in
                part.kind == new.kind && (part.text == new.text || edits.contains { part.isTouched(by: $0) })
            }
    }

    /// The fixes that result in the value that they promise, and those that promise none.
    private func fixesWithTheirValues(
        _ fixes: [FixIt],
        in parts: [DocumentPart],
        _ edits: [FixIt.Edit]
    ) -> [FixIt] {
        var shift = 0
        var starts: [FixIt.Edit: Int] = [:]
        for edit in edits.sorted(by: { ($0.range.start, $0.range.end) < ($1.range.start, $1.range.end) }) {
            starts[edit] = Int(edit.range.start) + shift
            shift += edit.replacement.utf8.count - edit.range.offsets.count
        }
        let texts = Dictionary(grouping: parts) { Int($0.range.start) }
        return fixes.filter { fix in
            guard let value = fix.value, let edit = fix.edits.first, let start = starts[edit] else { return true }
            return texts[start]?.contains { $0.text.utf8.elementsEqual(value.utf8) } ?? false
        }
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
