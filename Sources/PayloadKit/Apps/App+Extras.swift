// SPDX-License-Identifier: MIT

package import AppDeclarations
package import DiagnosticSources
import DocumentFormats
import POSIXFiles

extension App {
    /// The name of the file beside an Info.plist that lists the key-value pairs which the extension reads.
    package static let extrasFileName = "payloadgen.extras.yml"

    /// Whether a file name is probably a misspelling of ``extrasFileName``; no command reads a file with such a name.
    static func isMisspeltExtrasFileName(_ name: String) -> Bool {
        // Nearly all names are too short or end differently.
        guard name.utf8.count > 15, name != extrasFileName, [".yml", ".yaml", ".json"].contains(where: name.hasSuffix)
        else { return false }
        let letters = name.split(separator: ".").dropLast().joined().lowercased().filter(\.isLetter)
        return editDistance(letters, "payloadgenextras") <= 1
    }

    /// Adds the key-value pairs that the app and its extensions read, from the files beside their Info.plists.
    ///
    /// - Parameter read: returns the file at a path; nil if there is none.
    /// - Returns: the findings in the files.
    package mutating func readExtras(_ read: (String) -> SourceFile?) -> [Diagnostic] {
        var found: [Diagnostic] = []
        var known: Set<String> = []
        func extras(beside place: SourcePlace?) -> [RequiredExtra]? {
            guard let list = place?.file.path, !list.hasSuffix(".json") else { return nil }
            let path = FolderWalk.path(Self.extrasFileName, in: list.folder)
            guard list.fileName != "project.pbxproj", let file = read(path) else { return nil }
            let (extras, diagnostics) = Self.extras(in: file)
            if known.insert(path).inserted { found += diagnostics }
            return extras
        }
        for index in extensions.indices {
            if let read = extras(beside: extensions[index].place) { extensions[index].extras = read }
        }
        // If the app and an extension have their Info.plists in one folder, the file there belongs to the extension.
        if let place, !extensions.contains(where: { $0.place?.file.path.folder == place.file.path.folder }) {
            if let read = extras(beside: place) { self.extras = read }
        }
        return found
    }

    /// The key-value pairs in a file with the format of `requires.extras`, and the findings in it.
    package static func extras(in file: SourceFile) -> ([RequiredExtra], [Diagnostic]) {
        var document = DocumentReader(file: file, syntaxRule: .appSyntax, unknownKeyRule: .appUnknownKey)
        do throws(InputError) {
            guard let root = try DocumentNode.read(file, rule: .appSyntax) else { return ([], []) }
            let checked = document.checked(root, Format.requiredExtras, "extras")
            return (document.requiredExtras(checked?.members ?? []), document.diagnostics)
        } catch {
            return ([], error.diagnostics)
        }
    }
}
