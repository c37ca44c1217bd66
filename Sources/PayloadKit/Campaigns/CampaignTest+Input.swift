// SPDX-License-Identifier: MIT

public import DiagnosticSources
import DocumentFormats

extension CampaignTest {
    /// A profile or context of a test.
    public enum Input: Sendable {
        /// A file, relative to the campaign's file.
        case file(Placed<String>)
        /// A mapping in the campaign, as the text of a JSON file whose lines are those of the campaign.
        case mapping(SourceFile, place: SourcePlace)

        /// The path of the file; nil for a mapping.
        public var path: Placed<String>? { if case .file(let path) = self { path } else { nil } }

        /// The place of the path or the mapping.
        public var place: SourcePlace? {
            switch self {
            case .file(let path): path.place
            case .mapping(_, let place): place
            }
        }

        /// A name that no other input of the campaign has.
        package var name: String {
            switch self {
            case .file(let path): path.value
            case .mapping(_, let place): "<\(place.range.start)>"
            }
        }

        /// The file, or the text of the mapping; nil where the file cannot be read.
        package func file(in folder: some CampaignFolder) -> SourceFile? {
            switch self {
            case .file(let path): folder.file(at: path.value)
            case .mapping(let file, _): file
            }
        }

        /// Reads the file, or the text of the mapping.
        ///
        /// - Throws: that the file cannot be read.
        package func read(in folder: some CampaignFolder) throws(InputError) -> SourceFile {
            if let file = file(in: folder) { return file }
            let path = name
            throw InputError(
                folder.fileRefusal(of: path) == nil ? .missing : .invalid,
                [Diagnostic(.campaignSyntax, folder.fault(at: path), at: place)])
        }

        /// Reads an input from the node that names or holds it.
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
