// SPDX-License-Identifier: MIT

import AppDeclarations
public import DiagnosticSources
import Foundation
package import POSIXFiles

/// The folder with the files that a campaign may name by relative paths.
public protocol CampaignFolder: Sendable {
    /// The file at a relative path; nil if there is none.
    func file(at path: String) -> SourceFile?

    /// The names of the files in the folder at a relative path, sorted by their bytes; nil if there is none.
    func names(in path: String) -> [String]?

    /// The reason that a file or folder is refused, such as a path that leads out of the project; nil if it may be read
    /// or is only missing. By default nil.
    func refusal(of path: String) -> String?

    /// Whether the newline at the end of a content block's file is part of the block. By default false.
    var keepsNewlineOfBlocks: Bool { get }

    /// The Braze workspace that campaigns are pulled from; nil for none. By default nil.
    var workspace: Workspace? { get }
}

extension CampaignFolder {
    /// By default, the newline at the end of a file is not part of the block.
    public var keepsNewlineOfBlocks: Bool { false }

    /// By default, there is no workspace.
    public var workspace: Workspace? { nil }

    /// By default, nothing is refused.
    public func refusal(of path: String) -> String? { nil }

    /// The reason that a path cannot be read as a file although something exists there; nil if nothing does.
    func fileRefusal(of path: String) -> String? {
        if let refusal = refusal(of: path) { return refusal }
        return names(in: path) == nil ? nil : FileError(.read, path, .unexpected(.folder)).description
    }

    /// The reason that a path cannot be read as a folder although something exists there; nil if nothing does.
    func folderRefusal(of path: String) -> String? {
        if let refusal = refusal(of: path) { return refusal }
        return file(at: path) == nil ? nil : "'\(path)' is a file, expected a folder"
    }

    /// The message about a path at which no file can be read.
    func fault(at path: String) -> String { fileRefusal(of: path) ?? "cannot read '\(path)'" + hint(at: path) }

    /// The end of the message about a missing file; suggests the path in the folder above if the file is there.
    package func hint(at path: String) -> String {
        let meant = "../" + path
        guard !path.hasPrefix("/"), !path.hasPrefix("../"), file(at: meant) != nil else { return "" }
        return ", did you mean '\(meant)'?"
    }
}

extension ProjectRoot {
    /// The reason that a file or folder of the project is refused; nil if it may be read or is only missing.
    ///
    /// - Parameters:
    ///   - path: the path to read.
    ///   - name: the path as the campaign names it, for the message.
    /// - Returns: the reason.
    package func refusal(ofReading path: String, named name: String) -> String? {
        do throws(FileError) {
            let real = try resolve(path)
            if access(real, R_OK) != 0 { throw FileError(.read, name, number: errno) }
            guard let status = FileStatus(path: real) else { return nil }
            switch status.kind {
            case .folder: return nil
            case .regular where status.size <= SourceFile.byteLimit: return nil
            case .regular: throw FileError(.read, name, .tooLarge(limit: SourceFile.byteLimit))
            default: throw FileError(.read, name, .unexpected(status.kind))
            }
        } catch {
            return error.reason == .missing ? nil : FileError(.read, name, error.reason).description
        }
    }
}

/// A folder without files.
public struct EmptyFolder: CampaignFolder {
    /// Creates the folder.
    public init() {}

    /// Always nil, as there are no files.
    public func file(at path: String) -> SourceFile? { nil }

    /// Always nil, as there are no folders.
    public func names(in path: String) -> [String]? { nil }
}

/// A folder on disk.
///
/// Nothing outside the campaign's project is read or written, even if a path or a symbolic link leads there. The
/// project is the nearest folder at or above the campaign that contains `.payloadgen.yml` or `.git`. Without one, it is
/// the working folder if that contains the campaign, else the campaign's folder and its parent folder. Hidden folders,
/// `Pods`, `DerivedData`, `Carthage` and `node_modules` are not read either.
public struct DiskFolder: CampaignFolder {
    private let prefix: String
    private let root: ProjectRoot

    /// Whether the newline at the end of a content block's file is part of the block.
    public var keepsNewlineOfBlocks = false

    /// The Braze workspace that campaigns are pulled from; nil for none.
    public var workspace: Workspace?

    /// Creates the folder that contains a file.
    public init(around path: String) {
        prefix = path.utf8.contains(UInt8(ascii: "/")) ? path.folder + "/" : ""
        root = .ofCampaign(path)
    }

    /// Converts a path to be relative to the working folder of the process.
    ///
    /// An absolute path is unchanged, except for a path in the workspace of a campaign that is itself named by a
    /// relative path. `..` after the name of a folder is removed together with the name, unless the folder is a
    /// symbolic link.
    public func path(to path: String) -> String {
        guard path.utf8.first == UInt8(ascii: "/") else { return (prefix + path).withoutNeedlessParents }
        guard let workspace, path.isPath(in: workspace.folder), prefix.utf8.first != UInt8(ascii: "/") else {
            return path
        }
        return path.path(relativeTo: String.workingFolder.standardizedPath) ?? path
    }

    /// Reads a file.
    public func file(at path: String) -> SourceFile? {
        let path = self.path(to: path)
        return try? SourceFile(contentsOf: path, in: root)
    }

    /// Lists a folder.
    public func names(in path: String) -> [String]? {
        guard let folder = try? root.resolve(self.path(to: path)),
            let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
        else { return nil }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The reason that a file or folder is refused; nil if it may be read or is only missing.
    public func refusal(of path: String) -> String? {
        root.refusal(ofReading: self.path(to: path), named: path)
    }

    /// Writes a file, replaces an existing one as a whole, and creates missing folders.
    package func write(_ bytes: [UInt8], to path: String) throws(FileError) {
        try FileReplacement.write(bytes, to: self.path(to: path), in: root, makesFolders: true)
    }

    /// The file at a path that the user gave; nil if it cannot be read.
    static func file(at path: String) -> SourceFile? {
        let file = try? OpenFile(path, allowsStreams: true)
        guard let bytes = try? file?.bytes(limit: SourceFile.byteLimit) else { return nil }
        return SourceFile(path: path, bytes: bytes)
    }
}
