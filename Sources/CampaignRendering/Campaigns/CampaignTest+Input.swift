// SPDX-License-Identifier: MIT

public import DiagnosticSources
import DocumentFormats

extension CampaignTest {
    /// A profile or context of a test.
    public enum Input: Sendable {
        /// A file, relative to the campaign's file.
        case file(Placed<String>)
        /// A mapping in the campaign, as a JSON text with the same line numbers.
        case mapping(SourceFile, place: SourcePlace)

        /// The path of the file; nil for a mapping.
        public var path: Placed<String>? { if case .file(let path) = self { path } else { nil } }

        /// The place of the path or of the mapping.
        public var place: SourcePlace? {
            switch self {
            case .file(let path): path.place
            case .mapping(_, let place): place
            }
        }

        /// The path, or for a mapping a name that no other input of the campaign has.
        package var name: String {
            switch self {
            case .file(let path): path.value
            case .mapping(_, let place): "<\(place.range.start)>"
            }
        }

        /// The file, or the text of the mapping; nil if the file cannot be read.
        package func file(in folder: some CampaignFolder) -> SourceFile? {
            switch self {
            case .file(let path): folder.file(at: path.value)
            case .mapping(let file, _): file
            }
        }

        /// Returns the file, or the text of the mapping.
        ///
        /// - Throws: an error if the file cannot be read.
        package func read(in folder: some CampaignFolder) throws(InputError) -> SourceFile {
            if let file = file(in: folder) { return file }
            let path = name
            throw InputError(
                folder.fileRefusal(of: path) == nil ? .missing : .invalid,
                [Diagnostic(.campaignSyntax, folder.fault(at: path), at: place)])
        }

        /// Creates an input from the node that contains the path or the mapping.
        init?(_ node: DocumentNode, in file: SourceFile) {
            let place = SourcePlace(file, node.range)
            if let scalar = node.scalar {
                self = .file(Placed(scalar.text, at: place))
            } else {
                self = .mapping(SourceFile(path: file.path, text: node.placedJSON(in: file)), place: place)
            }
        }
    }
}
