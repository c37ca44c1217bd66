// SPDX-License-Identifier: MIT

import Foundation
import POSIXFiles
import PayloadgenTestSupport
import Testing

/// A file is replaced completely or not at all, keeps its permissions, and is the only file that changes.
@Suite struct FileReplacementTests {
    @Test func replacesAFileAsAWhole() throws {
        try withTemporaryFolder(["a.txt": "old"]) { folder throws in
            var replacement = try FileReplacement.begin(folder + "/a.txt")
            try replacement.write("new".utf8)
            #expect(try text(folder + "/a.txt") == "old")
            try replacement.commit()
            #expect(try text(folder + "/a.txt") == "new")
            #expect(try names(in: folder) == ["a.txt"])
        }
    }

    @Test func leavesNothingOfWhatIsNotCommitted() throws {
        try withTemporaryFolder(["a.txt": "old"]) { folder throws in
            do {
                let replacement = try FileReplacement.begin(folder + "/a.txt")
                try replacement.write("new".utf8)
                #expect(try names(in: folder).count == 2)
            }
            #expect(try names(in: folder) == ["a.txt"])
            #expect(try text(folder + "/a.txt") == "old")
        }
    }

    @Test(arguments: [0o600, 0o640, 0o755] as [mode_t]) func keepsPermissions(mode: mode_t) throws {
        try withTemporaryFolder(["a.txt": "old"]) { folder throws in
            let path = folder + "/a.txt"
            chmod(path, mode)
            try FileReplacement.write(Array("new".utf8), to: path)
            #expect(permissions(path) == mode)
            var partial = try FileReplacement.beginPartial(path)
            #expect(permissions(path + ".partial") == mode)
            try partial.commit()
            #expect(permissions(path) == mode)
        }
    }

    @Test(.enabled(if: getuid() == 0, "needs root, to change the owner")) func keepsTheOwnerWhereItMay() throws {
        try withTemporaryFolder(["a.txt": "old"]) { folder throws in
            chown(folder + "/a.txt", 1234, 2345)
            try FileReplacement.write([], to: folder + "/a.txt")
            var status = stat()
            stat(folder + "/a.txt", &status)
            #expect(status.st_uid == 1234)
            #expect(status.st_gid == 2345)
        }
    }

    @Test func replacesWhatALinkLeadsTo() throws {
        try withTemporaryFolder([".payloadgen.yml": "", "data/a.txt": "old"]) { folder throws in
            symlink("data/a.txt", folder + "/near")
            symlink("near", folder + "/far")
            symlink("data/none.txt", folder + "/dangling")
            try FileReplacement.write(Array("new".utf8), to: folder + "/far")
            try FileReplacement.write(Array("made".utf8), to: folder + "/dangling")
            #expect(try text(folder + "/data/a.txt") == "new")
            #expect(try text(folder + "/data/none.txt") == "made")
            for name in ["near", "far", "dangling"] { #expect(kind(folder + "/" + name) == .link) }
        }
    }

    @Test(
        arguments: [
            ("file", "../outside.txt"), ("file", "gone/../../outside.txt"), ("file", "../nothing.txt"),
            ("file", ".git/hooks"), ("folder", ".."), ("folder", ".git"), ("folder", "../elsewhere"),
        ]
    )
    func refusesLinksThatLeaveTheProject(place: String, target: String) throws {
        let files = [
            "project/.git/config": "secret", "project/gone/a": "", "outside.txt": "old", "elsewhere/out.txt": "old",
        ]
        try withTemporaryFolder(files) { folder throws in
            let link = folder + "/project/" + place
            symlink(target, link)
            let path = place == "folder" ? link + "/out.txt" : link
            let fault = #expect(throws: FileError.self) { try FileReplacement.write([], to: path, makesFolders: true) }
            switch fault?.reason {
            case .outside, .closed: break
            default: Issue.record("\(String(describing: fault))")
            }
            #expect(throws: FileError.self) { _ = try FileReplacement.beginPartial(path) }
            #expect(try text(folder + "/outside.txt") == "old")
            #expect(try text(folder + "/elsewhere/out.txt") == "old")
            #expect(try names(in: folder) == ["elsewhere", "outside.txt", "project"])
            #expect(try names(in: folder + "/project/.git") == ["config"])
        }
    }

    @Test func takesAFolderThatTheUserNames() throws {
        try withTemporaryFolder([".git/config": "", ".build/a": ""]) { folder throws in
            try FileReplacement.write([], to: folder + "/.build/report.json")
            #expect(try names(in: folder + "/.build") == ["a", "report.json"])
        }
    }

    @Test func makesFoldersInsideOfTheProjectAlone() throws {
        try withTemporaryFolder(["project/.git/config": ""]) { folder throws in
            symlink("..", folder + "/project/up")
            try FileReplacement.write([], to: folder + "/project/a/b/c.txt", makesFolders: true)
            #expect(kind(folder + "/project/a/b/c.txt") == .regular)
            #expect(throws: FileError.self) {
                try FileReplacement.write([], to: folder + "/project/up/made/c.txt", makesFolders: true)
            }
            #expect(kind(folder + "/made") == nil)
            // The file is outside of any project, in a folder that does not exist yet.
            symlink(folder, folder + "/link")
            try FileReplacement.write([], to: folder + "/link/new/c.txt", makesFolders: true)
            #expect(kind(folder + "/new/c.txt") == .regular)
        }
    }

    @Test func refusesWhatIsNoFile() throws {
        try withTemporaryFolder(["folder/a": ""]) { folder throws in
            mkfifo(folder + "/pipe", 0o600)
            for path in ["folder", "folder/", "folder/..", "pipe", "none/a", "", "a\0b"] {
                #expect(throws: FileError.self) { _ = try FileReplacement.begin(folder + "/" + path) }
            }
            symlink("loop", folder + "/loop")
            #expect(throws: FileError.self) { _ = try FileReplacement.begin(folder + "/loop") }
        }
    }

    @Test func writesAPartialFileThatStays() throws {
        try withTemporaryFolder([:]) { folder throws in
            mkdir(folder, 0o700)
            let path = folder + "/out.txt"
            #expect(try !hasPartial(path))
            do {
                let partial = try FileReplacement.beginPartial(path)
                try partial.write("one\n".utf8)
                let fault = #expect(throws: FileError.self) { _ = try FileReplacement.beginPartial(path) }
                #expect(fault?.reason == .locked)
                #expect(throws: FileError.self) { _ = try FileReplacement.resumePartial(path) }
                #expect(try text(path + ".partial") == "one\n")
            }
            if var partial = try FileReplacement.resumePartial(path) {
                lseek(partial.descriptor, 0, SEEK_END)
                try partial.write("two\n".utf8)
                try partial.commit()
            }
            #expect(try text(path) == "one\ntwo\n")
            #expect(try names(in: folder) == ["out.txt"])
            var again = try FileReplacement.beginPartial(path)
            try again.write("three".utf8)
            again.discard()
            #expect(try names(in: folder) == ["out.txt"])
        }
    }

    @Test func keepsAFileThatOthersHaveChanged() throws {
        try withTemporaryFolder(["a.txt": "old"]) { folder throws in
            let path = folder + "/a.txt"
            var replacement = try FileReplacement.begin(path)
            try replacement.write("mine".utf8)
            try Data("other".utf8).write(to: URL(filePath: folder + "/b"))
            #expect(rename(folder + "/b", path) == 0)
            let fault = #expect(throws: FileError.self) { try replacement.commit(over: .bytes(Array("old".utf8))) }
            #expect(fault?.reason == .changed)
            for expected in [.nothing, .bytes([]), .bytes(Array("othes".utf8))] as [FileReplacement.Contents] {
                #expect(throws: FileError.self) { try FileReplacement.write([], to: path, over: expected) }
            }
            #expect(throws: FileError.self) { try FileReplacement.write([], to: folder + "/c", over: .bytes([])) }
            #expect(try text(path) == "other")
            replacement.discard()
            try FileReplacement.write(Array("new".utf8), to: path, over: .bytes(Array("other".utf8)))
            try FileReplacement.write([], to: folder + "/c", over: .nothing)
            #expect(try text(path) == "new")
            #expect(try names(in: folder) == ["a.txt", "c"])
        }
    }

    @Test func leavesThePartialFileOfOthers() throws {
        let long = String(repeating: "n", count: 255)
        try withTemporaryFolder(["a": "old", "a.partial": "precious", long: "old"]) { folder throws in
            chmod(folder + "/a.partial", 0o666)
            for name in ["a", long] {
                try FileReplacement.write(Array("new".utf8), to: folder + "/" + name, over: .bytes(Array("old".utf8)))
                #expect(try text(folder + "/" + name) == "new")
            }
            #expect(try text(folder + "/a.partial") == "precious")
            #expect(try names(in: folder) == ["a", "a.partial", long])
        }
    }

    @Test func writesNoFileThatABatchWrites() throws {
        try withTemporaryFolder(["a": "old"]) { folder throws in
            let path = folder + "/a"
            var batch = try FileReplacement.beginPartial(path)
            try batch.write("records".utf8)
            for expected in [.any, .bytes(Array("old".utf8))] as [FileReplacement.Contents] {
                let fault = #expect(throws: FileError.self) { try FileReplacement.write([], to: path, over: expected) }
                #expect(fault == FileError(.write, path, .locked))
            }
            #expect(try names(in: folder) == ["a", "a.partial"])
            try batch.commit()
            #expect(try text(path) == "records")
            try FileReplacement.write([], to: path)
        }
    }

    /// Some file systems have no locks, and another program may hold the folder's lock for long.
    @Test(arguments: [ENOLCK, ENOTSUP, EOPNOTSUPP, ENOSYS, EBADF, EWOULDBLOCK])
    func comparesWithoutALock(number: Int32) throws {
        try withTemporaryFolder(["a": "old"]) { folder throws in
            let lock: (Int32, Int32) -> Int32 = { _, _ in
                errno = number
                return -1
            }
            do {
                var replacement = try FileReplacement.begin(folder + "/a")
                try replacement.write("new".utf8)
                let fault = #expect(throws: FileError.self) { try replacement.commit(over: .nothing, lock: lock) }
                #expect(fault?.reason == .changed)
                try replacement.commit(over: .bytes(Array("old".utf8)), lock: lock)
            }
            #expect(try text(folder + "/a") == "new")
            #expect(try names(in: folder) == ["a"])
        }
    }

    /// Each task adds 1 to the number in the file, and tries again if another task has changed the file.
    @Test func losesNothingOfSeveralWriters() async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path + "/count"
        try FileReplacement.write(Array("0".utf8), to: path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var done = 0
                    while done < 25 {
                        let old = try OpenFile(path).bytes()
                        let next = (Int(String(decoding: old, as: UTF8.self)) ?? 0) + 1
                        do throws(FileError) {
                            try FileReplacement.write(Array("\(next)".utf8), to: path, over: .bytes(old))
                            done += 1
                        } catch {
                            #expect(error.reason == .changed)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try text(path) == "100")
        #expect(try names(in: folder.url.path) == ["count"])
    }

    @Test func startsAPartialFileAnew() throws {
        try withTemporaryFolder(["out.txt.partial": "left by another run"]) { folder throws in
            var partial = try FileReplacement.beginPartial(folder + "/out.txt")
            try partial.write("new".utf8)
            try partial.commit()
            #expect(try text(folder + "/out.txt") == "new")
        }
    }

    @Test func writesThroughNoLinkInPlaceOfAPartialFile() throws {
        try withTemporaryFolder(["victim": "old"]) { folder throws in
            symlink("victim", folder + "/a.partial")
            link(folder + "/victim", folder + "/b.partial")
            for name in ["a", "b"] {
                #expect(throws: FileError.self) { _ = try FileReplacement.beginPartial(folder + "/" + name) }
            }
            #expect(try text(folder + "/victim") == "old")
        }
    }

    @Test func locksOneProcessOut() throws {
        try withTemporaryFolder(["a": ""]) { folder throws in
            do {
                let lock = try FileLock(folder + "/lock")
                let fault = #expect(throws: FileError.self) { _ = try FileLock(folder + "/lock") }
                #expect(fault?.reason == .locked)
                #expect(lock.descriptor >= 0)
            }
            _ = try FileLock(folder + "/lock")
            #expect(permissions(folder + "/lock") == 0o600)
            symlink("a", folder + "/link")
            #expect(throws: FileError.self) { _ = try FileLock(folder + "/link") }
        }
    }
}

extension FileReplacement {
    fileprivate func write(_ text: String.UTF8View) throws {
        try Array(text).withUnsafeBytes { try write($0) }
    }
}

private func hasPartial(_ path: String) throws -> Bool {
    switch try FileReplacement.resumePartial(path) {
    case .none: false
    case .some: true
    }
}

func text(_ path: String) throws -> String { try String(contentsOf: URL(filePath: path), encoding: .utf8) }

func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
}

func kind(_ path: String) -> FileStatus.Kind? { FileStatus(path: path, followsLink: false)?.kind }

func permissions(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
}
