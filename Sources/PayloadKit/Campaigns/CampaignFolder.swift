// SPDX-License-Identifier: MIT

import Foundation
public import SourceText

/// The files around a campaign: what its relative paths lead to.
public protocol CampaignFolder: Sendable {
    /// The file at a relative path; nil where there is none.
    func file(at path: String) -> SourceFile?

    /// The names of the files in the folder at a relative path, sorted by their bytes; nil where there is none.
    func names(in path: String) -> [String]?
}

/// A folder without files.
public struct EmptyFolder: CampaignFolder {
    /// Creates the folder.
    public init() {}

    /// Nil.
    public func file(at path: String) -> SourceFile? { nil }

    /// Nil.
    public func names(in path: String) -> [String]? { nil }
}

/// A folder on disk.
public struct DiskFolder: CampaignFolder {
    private let prefix: String

    /// The folder that a file lies in.
    public init(around path: String) {
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        prefix = name.map { String(path[...$0]) } ?? ""
    }

    /// The path as seen from the process: absolute paths stay what they are.
    public func path(to path: String) -> String {
        path.utf8.first == UInt8(ascii: "/") ? path : prefix + path
    }

    /// Reads a file.
    public func file(at path: String) -> SourceFile? { Self.file(at: self.path(to: path)) }

    /// Lists a folder.
    public func names(in path: String) -> [String]? {
        let names = try? FileManager.default.contentsOfDirectory(atPath: self.path(to: path))
        return names?.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    static func file(at path: String) -> SourceFile? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        return SourceFile(path: path, bytes: Array(data))
    }
}
