// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation

/// Makes names of files and folders for campaigns, whose own names may contain any characters and need not be unique.
enum FileNames {
    /// The maximum number of bytes of a name, few enough that every file system accepts it with suffixes.
    private static let byteLimit = 80

    /// A name made of a text's letters and digits, in lower case with a dash between words; empty if the text has
    /// neither.
    static func slug(_ text: String) -> String {
        var slug = ""
        for scalar in text.lowercased().precomposedStringWithCanonicalMapping.unicodeScalars {
            if scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
                guard slug.utf8.count + 4 <= byteLimit else { break }
                slug.unicodeScalars.append(scalar)
            } else if !slug.isEmpty, !slug.hasSuffix("-") {
                slug += "-"
            }
        }
        return slug.hasSuffix("-") ? String(slug.dropLast()) : slug
    }

    /// The first eight characters of an id, as part of a name; they usually identify it.
    static func short(_ id: String) -> String { slug(String(id.prefix(8))) }

    /// A unique file name for each resource: its slug, with the id if the slug is empty or not unique.
    static func unique(_ resources: [(slug: String, id: String)]) -> [String] {
        var names = resources.map(\.slug)
        let uses = counts(names)
        for (index, resource) in resources.enumerated() where names[index].isEmpty || uses[names[index]] ?? 0 > 1 {
            names[index] += (names[index].isEmpty ? "" : "-") + short(resource.id)
        }
        // If several ids begin with the same characters, the whole id is used.
        let longUses = counts(names)
        for (index, resource) in resources.enumerated() where longUses[names[index]] ?? 0 > 1 {
            names[index] = resource.slug + (resource.slug.isEmpty ? "" : "-") + slug(resource.id)
        }
        return names
    }

    /// How often each name occurs.
    static func counts(_ names: [String]) -> [String: Int] {
        names.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    /// Whether the name of a resource can be used as the name of a file.
    static func isSafe(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 200 && !name.hasPrefix(".")
            && name.unicodeScalars.allSatisfy {
                $0.value >= 0x20 && $0.value != 0x7F && $0 != "/" && $0 != "\\" && $0 != ":"
            }
    }
}
