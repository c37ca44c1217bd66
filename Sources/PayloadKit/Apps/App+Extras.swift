// SPDX-License-Identifier: MIT

package import AppBundles
import Documents
import Files
package import SourceText

extension App {
    /// The name of the file beside an Info.plist that lists the key-value pairs which the extension reads.
    package static let extrasFileName = "payloadgen.extras.yml"

    /// Adds the key-value pairs that the extensions read, from the files beside their Info.plists.
    ///
    /// - Parameter read: reads the file at a path; nil where there is none.
    /// - Returns: the findings in the files.
    package mutating func readExtras(_ read: (String) -> SourceFile?) -> [Diagnostic] {
        var found: [Diagnostic] = []
        for index in extensions.indices {
            guard let plist = extensions[index].place?.file.path else { continue }
            guard let file = read(FolderWalk.path(Self.extrasFileName, in: plist.folder)) else { continue }
            let (extras, diagnostics) = Self.extras(in: file)
            extensions[index].extras = extras
            found += diagnostics
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
