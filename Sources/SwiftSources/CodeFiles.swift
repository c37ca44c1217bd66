// SPDX-License-Identifier: MIT

import DiagnosticSources
import POSIXFiles

/// The files of a target.
///
/// Only files that are about pushes, and files that they need, are parsed.
struct CodeFiles {
    let files: [ParsedCode]
    /// The contents of the files; for a file that is not parsed, nothing or only its outline.
    private(set) var units: [CodeUnit]
    private var unread: Set<Int>
    private var declared: [Int: Set<String>] = [:]

    init(_ files: [ParsedCode]) {
        self.files = files
        units = files.indices.map { number in
            CodeUnit(file: number, isObjectiveC: !files[number].file.path.hasSuffix(".swift"))
        }
        unread = Set(files.indices)
    }

    /// Parses files, by their numbers.
    mutating func parse(_ numbers: Set<Int>) {
        let numbers = numbers.intersection(unread).sorted()
        let files = files
        LargeStack.concurrently(numbers.count) { _ = files[numbers[$0]].unit }
        for number in numbers {
            var unit = files[number].unit
            unit.file = number
            unit.isObjectiveC = units[number].isObjectiveC
            units[number] = unit
        }
        unread.subtract(numbers)
    }

    /// Reads the outlines of files that are not parsed, if their paths are wanted.
    mutating func outline(where isWanted: (String) -> Bool) {
        let wanted = unread.filter { isWanted(files[$0].file.path) }.sorted()
        for (number, outline) in zip(wanted, ParsedCode.outlines(of: wanted.map { files[$0] })) {
            var unit = outline
            (unit.file, unit.isObjectiveC) = (number, units[number].isObjectiveC)
            units[number] = unit
        }
    }

    /// The files that are not parsed and that declare something that the given files name.
    mutating func files(namedBy others: Set<Int>) -> Set<Int> {
        guard !unread.isEmpty else { return [] }
        let mentions = others.reduce(into: Set<String>()) { $0.formUnion(units[$1].mentions) }
        for number in unread where declared[number] == nil {
            declared[number] = DeclaredNames.names(in: files[number].file.utf8, isSwift: !units[number].isObjectiveC)
        }
        return unread.filter { !(declared[$0]?.isDisjoint(with: mentions) ?? true) }
    }
}
