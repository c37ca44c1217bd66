// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts

extension LineBlock {
    /// The finding that no record of the block has an id, although a field is set that should give the ids.
    ///
    /// Its place is the first line of the block.
    ///
    /// - Parameters:
    ///   - field: the field that should give the ids.
    ///   - records: the records of the block.
    /// - Returns: the finding; nil if a record has an id, or no line is a profile, as the field is then not the cause.
    func missingIDs(_ field: String, _ records: borrowing BlockRecords) -> Diagnostic? {
        let missing = records.report.withoutID + records.skipped.count { $0.id == nil }
        let records = records.report.profiles + records.skipped.count
        guard records > 0, records == missing else { return nil }
        let names = fieldNames
        if names.isEmpty { return nil }
        let profiles = records == 1 ? "the first profile" : "the first \(records) profiles"
        if names.contains(where: { $0.utf8.elementsEqual(field.utf8) }) {
            return missingIDs("found no id in \(profiles), expected a text or a number in '\(field)'")
        }
        let near = nearestName(to: field, in: names)
        let known = names.prefix(8).map { "'\($0)'" }.joined(separator: ", ") + (names.count > 8 ? ", …" : "")
        let hint = near.map { "did you mean '\($0)'?" } ?? "expected one of \(known)"
        return missingIDs("found no id in \(profiles): no field '\(field)', \(hint)")
    }

    private func missingIDs(_ message: String) -> Diagnostic {
        Diagnostic(.profileField, "--id-field: " + message, at: SourcePlace(wholeFile: firstLines(1)))
    }

    /// The names of the fields that the block's first profiles have, in the order of their first occurrence.
    private var fieldNames: [String] {
        var names: [String] = []
        var rest = 100
        forEachLine { text, _ in
            guard rest > 0 else { return }
            rest -= 1
            var json = JSONReader(text)
            // If the line has a fault, the fields before the fault are included.
            try? json.readFieldNames(into: &names, isRoot: true)
        }
        return names
    }
}

extension JSONReader {
    /// Reads the next object, which is an export or the user of the short form, and adds the names of its fields.
    fileprivate mutating func readFieldNames(into names: inout [String], isRoot: Bool) throws(JSONError) {
        let token = try readValue()
        guard token == .object else { return try skipRest(of: token) }
        while let key = try nextKey() {
            let name = string(key)
            if isRoot, name == "user" {
                return try readFieldNames(into: &names, isRoot: false)
            }
            if isRoot, name == "users" {
                guard try readValue() == .array, try nextElement() else { return }
                return try readFieldNames(into: &names, isRoot: false)
            }
            if names.count < 1_000, !names.contains(name) { names.append(name) }
            try skipValue()
        }
    }
}
