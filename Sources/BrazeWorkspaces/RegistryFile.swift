// SPDX-License-Identifier: MIT

import DiagnosticSources
import DocumentFormats
import PayloadKit

/// Writes the files that list attributes and events, and the schemas of catalogs, in the format of braze-sync.
enum RegistryFile {
    private static let header = "# Written by 'payloadgen pull', in the format of braze-sync.\n"

    /// A registry after the merge, and the names of those of its entries that Braze no longer has.
    struct Merged {
        /// The contents of the file; the bytes of the existing file if nothing has changed.
        var bytes: [UInt8]
        var gone: [String]
    }

    /// Merges Braze's custom attributes into the existing registry.
    ///
    /// - Parameters:
    ///   - attributes: the attributes in Braze.
    ///   - old: the existing file; its entries that Braze does not have are kept, unless `prunes` is true.
    ///   - prunes: whether to remove these entries.
    /// - Returns: the registry; nil if the existing file cannot be read.
    static func attributes(
        _ attributes: [WorkspaceRegistry.Attribute],
        over old: SourceFile?,
        prunes: Bool
    ) -> Merged? {
        merged("attributes", attributes, old, prunes, WorkspaceRegistry.attributes, name: \.name) { attribute in
            var lines = ["- name: \(DocumentEdit.plainOrQuoted(value: attribute.name))"]
            if let type = attribute.type { lines.append("  type: \(DocumentEdit.plainOrQuoted(value: type))") }
            if let description = attribute.description {
                lines.append("  description: \(DocumentEdit.plainOrQuoted(value: description))")
            }
            if attribute.isBlocklisted { lines.append("  deprecated: true") }
            return lines
        }
    }

    /// Merges Braze's events into their registry, as ``attributes(_:over:prunes:)`` does for attributes.
    static func events(_ events: [WorkspaceRegistry.Event], over old: SourceFile?, prunes: Bool) -> Merged? {
        merged("events", events, old, prunes, WorkspaceRegistry.events, name: \.name) { event in
            ["- name: \(DocumentEdit.plainOrQuoted(value: event.name))"]
        }
    }

    /// The contents of the file with the schema of a catalog; nil if the existing file cannot be read.
    static func catalog(_ catalog: WorkspaceRegistry.Catalog, over old: SourceFile?) -> [UInt8]? {
        var catalog = catalog
        catalog.fields.sort { ($0.name == "id" ? 0 : 1, $0.name) < ($1.name == "id" ? 0 : 1, $1.name) }
        if let old {
            let (known, faults) = WorkspaceRegistry.catalogs(in: old)
            guard faults.isEmpty else { return nil }
            if known == [catalog] { return old.bytes }
        }
        var lines = ["name: \(DocumentEdit.plainOrQuoted(value: catalog.name))"]
        if let description = catalog.description {
            lines.append("description: \(DocumentEdit.plainOrQuoted(value: description))")
        }
        lines.append(catalog.fields.isEmpty ? "fields: []" : "fields:")
        for field in catalog.fields {
            lines.append("- name: \(DocumentEdit.plainOrQuoted(value: field.name))")
            if let type = field.type { lines.append("  type: \(DocumentEdit.plainOrQuoted(value: type))") }
        }
        if let selections = catalog.selections {
            lines.append(selections.isEmpty ? "selections: []" : "selections:")
            lines += selections.map { "- \(DocumentEdit.plainOrQuoted(value: $0))" }
        }
        return Array((header + lines.joined(separator: "\n") + "\n").utf8)
    }

    private static func merged<Entry: Hashable>(
        _ title: String,
        _ entries: [Entry],
        _ old: SourceFile?,
        _ prunes: Bool,
        _ read: (SourceFile) -> ([Entry], [Diagnostic]),
        name: (Entry) -> String,
        lines: (Entry) -> [String]
    ) -> Merged? {
        var all = entries
        var gone: [String] = []
        if let old {
            let (known, faults) = read(old)
            guard faults.isEmpty else { return nil }
            let names = Set(entries.map { Array(name($0).utf8) })
            let others = known.filter { !names.contains(Array(name($0).utf8)) }
            gone = others.map(name)
            if !prunes { all += others }
            if Set(known) == Set(all), known.count == all.count { return Merged(bytes: old.bytes, gone: gone) }
        }
        all.sort { name($0).utf8.lexicographicallyPrecedes(name($1).utf8) }
        let text = all.isEmpty ? "\(title): []" : "\(title):\n" + all.flatMap(lines).joined(separator: "\n")
        return Merged(bytes: Array((header + text + "\n").utf8), gone: gone)
    }
}
