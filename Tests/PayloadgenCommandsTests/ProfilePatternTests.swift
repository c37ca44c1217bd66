// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import PayloadgenTestSupport
import Testing

@testable import PayloadgenCommands

/// The files that a quoted pattern of `--profiles` finds, and what is reported about the others.
@Suite struct ProfilePatternTests {
    private struct Found {
        var paths: [String] = []
        var notes: [String] = []
        var unread: [String] = []
    }

    private static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for path in ["0.ndjson", "a/1.ndjson", "a/b/2.ndjson", "a/b/2.txt", ".hidden/3.ndjson", "a/old.ndjson~"] {
            try folder.write("{}\n", to: "in/\(path)")
        }
        try folder.write("{}\n", to: "other/4.ndjson")
        return folder
    }

    private static func link(_ path: String, to target: String, in folder: TemporaryFolder) throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.url.appending(path: path).path, withDestinationPath: target)
    }

    /// The files that patterns find, relative to the folder.
    private static func find(_ patterns: [String], in folder: TemporaryFolder) throws -> Found {
        let start = folder.url.path + "/"
        var found = Found()
        var unread: [Diagnostic] = []
        let sources = try ProfileSource.all(patterns.map { start + $0 }, unread: &unread) {
            found.notes.append($0.replacing(start, with: ""))
        }
        found.paths = sources.map { $0.path.replacing(start, with: "") }
        found.unread = unread.map { "\($0.place?.file.path ?? ""): \($0.message)".replacing(start, with: "") }
        return found
    }

    @Test(arguments: [
        ("in/*.ndjson", ["in/0.ndjson"]), ("in/*/*.ndjson", ["in/a/1.ndjson"]),
        ("in/**/*.ndjson", ["in/0.ndjson", "in/a/1.ndjson", "in/a/b/2.ndjson"]),
        ("**/*.ndjson", ["in/0.ndjson", "in/a/1.ndjson", "in/a/b/2.ndjson", "other/4.ndjson"]),
        ("in/**/b/**/2.*", ["in/a/b/2.ndjson", "in/a/b/2.txt"]), ("in/a/**/1.ndjson", ["in/a/1.ndjson"]),
        // All files of a folder that matches are read, and no file is read twice.
        ("in/**", ["in/0.ndjson", "in/a/1.ndjson", "in/a/b/2.ndjson", "in/a/b/2.txt"]),
        ("in/**/*", ["in/0.ndjson", "in/a/1.ndjson", "in/a/b/2.ndjson", "in/a/b/2.txt"]),
        ("*/[!1-3].ndjson", ["in/0.ndjson", "other/4.ndjson"]), ("in/.hid*/*", ["in/.hidden/3.ndjson"]),
        ("in/a/**/**/2.ndjson", ["in/a/b/2.ndjson"]), ("in//a/?.ndjson", ["in/a/1.ndjson"]),
    ])
    func `two asterisks are any number of folders`(pattern: String, expected: [String]) throws {
        let found = try Self.find([pattern], in: Self.folder())
        #expect(found.paths == expected)
        #expect(found.notes.isEmpty && found.unread.isEmpty)
    }

    @Test(arguments: ["in/*.csv", "in/**/x/*", "no/**/*.ndjson", "in/0.ndjson/*"])
    func `a pattern that matches nothing is an error`(pattern: String) throws {
        let folder = try Self.folder()
        let error = #expect(throws: CommandFailure.self) { try Self.find(["other", pattern], in: folder) }
        #expect(error?.status == .missingInput)
    }

    /// Folders that are nested too deep for the system's longest path, or deeper than the limit.
    @Test(arguments: [(String(repeating: "n", count: 250), 17), ("n", 65)])
    func `folders that are too deep are an error`(name: String, count: Int) throws {
        let folder = try Self.folder()
        var folders = [open(folder.url.appending(path: "in").path, O_RDONLY)]
        for index in 0..<count {
            #expect(mkdirat(folders[index], name, 0o700) == 0)
            folders.append(openat(folders[index], name, O_RDONLY))
        }
        close(openat(folders[count], "5.ndjson", O_CREAT | O_WRONLY, 0o600))
        defer {
            unlinkat(folders[count], "5.ndjson", 0)
            for folder in folders.reversed() {
                unlinkat(folder, name, AT_REMOVEDIR)
                close(folder)
            }
        }
        for pattern in ["in", "in/**", "in/**/*.ndjson"] {
            let error = #expect(throws: CommandFailure.self) { try Self.find([pattern], in: folder) }
            #expect(error?.status == .missingInput)
            guard case .message(let message) = error?.report else { continue }
            #expect(message.contains(count == 17 ? "File name too long" : "is more than 64 folders deep"), "\(message)")
        }
    }

    @Test func `links that are not followed are said`() throws {
        let folder = try Self.folder()
        try Self.link("in/outside", to: "../other", in: folder)
        try Self.link("in/inside", to: "a", in: folder)
        try Self.link("in/secret", to: ".hidden", in: folder)
        try Self.link("in/nowhere", to: "gone", in: folder)
        let found = try Self.find(["in/**/*.ndjson"], in: folder)
        #expect(found.paths == ["in/0.ndjson", "in/a/1.ndjson", "in/a/b/2.ndjson"])
        #expect(found.notes == ["'in/inside' is left out: it is a symbolic link to a folder that is read anyway"])
        let link =
            "not read: a symbolic link to a folder inside of another folder; to read its users, name it with --profiles too"
        #expect(
            found.unread == [
                "in/nowhere: not read: a symbolic link to a file or folder that does not exist", "in/outside: \(link)",
                "in/secret: \(link)",
            ])
        // The folder to which the link leads is read because of another argument.
        let both = try Self.find(["in/**/*.ndjson", "other"], in: folder)
        #expect(both.unread.count == 2 && both.notes.contains { $0.hasPrefix("'in/outside' is left out") })
        // A link instead of a folder is followed; the users of the file to which it leads are read once.
        let named = try Self.find(["in/*/?.ndjson"], in: folder)
        #expect(named.paths == ["in/a/1.ndjson", "in/outside/4.ndjson", "in/secret/3.ndjson"])
        let once =
            "'in/inside/1.ndjson' is left out: it is the same file as 'in/a/1.ndjson', whose users are read only once"
        #expect(named.notes == [once])
        #expect(named.unread == ["in/nowhere: not read: a symbolic link to a file or folder that does not exist"])
    }

    @Test(.enabled(if: geteuid() != 0, "the superuser may read every folder"), arguments: [0o000, 0o400])
    func `a folder that cannot be read is an error`(mode: Int) throws {
        let folder = try Self.folder()
        let path = folder.url.appending(path: "in/a/b").path
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path) }
        for pattern in ["in/**/*.ndjson", "in/a/*/2.ndjson", "in/a/b/*"] {
            let error = #expect(throws: CommandFailure.self) { try Self.find([pattern], in: folder) }
            #expect(error?.status == .missingInput)
        }
    }
}
