// SPDX-License-Identifier: MIT

public import DiagnosticSources
import POSIXFiles

/// A folder of files in memory, such as an editor's or a test's, in place of the folder on disk that contains a
/// campaign.
///
/// ```swift
/// let file = SourceFile(path: "hello.campaign.yml", text: yaml)
/// let campaign = try Campaign(file: file, folder: MemoryFolder(["fixtures.yml": fixtures]))
/// ```
public struct MemoryFolder: CampaignFolder {
    private var files: [String: SourceFile] = [:]

    /// Creates a folder of files.
    ///
    /// - Parameter files: the files; their paths are relative to the campaign, such as `blocks/footer.liquid`. If two
    ///   have the same path, the last one counts.
    public init(_ files: [SourceFile]) {
        for file in files { self.files[Self.plain(file.path)] = file }
    }

    /// Creates a folder of files from their texts.
    ///
    /// - Parameter texts: the texts by their paths, which are relative to the campaign.
    public init(_ texts: [String: String] = [:]) {
        self.init(texts.map { SourceFile(path: $0, text: $1) })
    }

    /// The file at a relative path.
    public func file(at path: String) -> SourceFile? { files[Self.plain(path)] }

    /// The names of the files directly in the folder at a relative path, sorted by their bytes.
    public func names(in path: String) -> [String]? {
        let folder = Self.plain(path)
        let names = files.keys.filter { $0.folder == folder }.map(\.fileName)
        return names.isEmpty ? nil : names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// A path without `.`, without doubled slashes, and without any `..` that follows the name of a folder, together
    /// with that name.
    private static func plain(_ path: String) -> String {
        var parts: [String] = path.utf8.first == UInt8(ascii: "/") ? [""] : []
        for part in path.utf8.split(separator: UInt8(ascii: "/")).map({ String(Substring($0)) }) where part != "." {
            if part == "..", let last = parts.last, !last.isEmpty, last != ".." {
                parts.removeLast()
            } else {
                parts.append(part)
            }
        }
        return parts.joined(separator: "/")
    }
}
