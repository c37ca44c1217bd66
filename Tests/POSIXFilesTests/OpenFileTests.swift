// SPDX-License-Identifier: MIT

import Foundation
import POSIXFiles
import PayloadgenTestSupport
import Testing

/// Only files inside the project are opened, and each is opened once.
@Suite struct OpenFileTests {
    @Test func readsAFile() throws {
        try withTemporaryFolder(["a.txt": "text", "empty": ""]) { folder throws in
            symlink("a.txt", folder + "/link")
            #expect(try OpenFile(folder + "/link").bytes() == Array("text".utf8))
            #expect(try OpenFile(folder + "/a.txt").bytes(limit: 4).count == 4)
            #expect(try OpenFile(folder + "/empty").bytes() == [])
            let fault = #expect(throws: FileError.self) { try OpenFile(folder + "/a.txt").bytes(limit: 3) }
            #expect(fault?.reason == .tooLarge(limit: 3))
            #expect(
                try OpenFile(folder + "/link").status.identity == FileIdentity(path: folder + "/a.txt")
            )
            #expect(FileIdentity(path: folder + "/a.txt") != FileIdentity(path: folder + "/empty"))
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/status"), "needs /proc"))
    func readsAFileWhoseSizeTheSystemDoesNotKnow() throws {
        #expect(try OpenFile("/proc/self/status").bytes().count > 100)
    }

    @Test func refusesWhatIsNoFileAtOnce() throws {
        try withTemporaryFolder(["folder/a": ""]) { folder throws in
            mkfifo(folder + "/pipe", 0o600)
            let wanted: [(String, FileStatus.Kind)] = [
                (folder + "/folder", .folder), (folder + "/pipe", .pipe), ("/dev/zero", .device),
                ("/dev/null", .device),
            ]
            for (path, kind) in wanted {
                let fault = #expect(throws: FileError.self) { _ = try OpenFile(path) }
                #expect(fault?.reason == .unexpected(kind))
            }
            for path in [folder + "/none", "", folder + "/folder\0/a"] {
                let fault = #expect(throws: FileError.self) { _ = try OpenFile(path) }
                #expect(fault?.reason == .missing)
            }
            #expect(throws: FileError.self) { _ = try OpenFile("/dev/zero", allowsStreams: true) }
            #expect(try OpenFile("/dev/null", allowsStreams: true).status.kind == .device)
        }
    }

    #if os(Linux)
        @Test func opensAPipeThatHasNoWriterYet() throws {
            try withTemporaryFolder(["a": ""]) { folder throws in
                mkfifo(folder + "/pipe", 0o600)
                let file = try OpenFile(folder + "/pipe", allowsStreams: true)
                var wanted = pollfd(fd: file.descriptor, events: Int16(POLLIN), revents: 0)
                #expect(poll(&wanted, 1, 0) == 0)
                let writer = open(folder + "/pipe", O_WRONLY)
                write(writer, "text", 4)
                close(writer)
                #expect(try file.bytes() == Array("text".utf8))
            }
        }
    #endif
}

@Suite struct ProjectRootTests {
    private static let files = [
        "project/.git/config": "secret", "project/a/b/file": "", "project/inner/.payloadgen.yml": "",
        "project/inner/a/file": "", "plain/a/file": "", "plain/file": "", "file": "",
    ]

    private func withFiles(_ body: (String) throws -> Void) throws {
        try withTemporaryFolder(Self.files) { folder in try body(try #require(folder.realPath)) }
    }

    @Test func isTheNearestFolderWithAMark() throws {
        try withFiles { folder throws in
            #expect(ProjectRoot(of: folder + "/project/a/b/file").path == folder + "/project")
            #expect(ProjectRoot(of: folder + "/project/inner/a/file").path == folder + "/project/inner")
            #expect(ProjectRoot(of: folder + "/project/inner/none/none").path == folder + "/project/inner")
            #expect(ProjectRoot(around: folder + "/project/inner").path == folder + "/project/inner")
            #expect(ProjectRoot(of: folder + "/project/a/b/file").isMarked)
        }
    }

    @Test func isTheWorkingFolderWithoutAMark() throws {
        try withFiles { folder throws in
            let file = folder + "/plain/a/file"
            #expect(ProjectRoot(of: file, workingFolder: folder + "/plain").path == folder + "/plain")
            #expect(ProjectRoot(of: file, workingFolder: folder + "/pla").path == folder + "/plain/a")
            #expect(ProjectRoot(of: file, workingFolder: folder + "/project").path == folder + "/plain/a")
            #expect(!ProjectRoot(of: file, workingFolder: folder).isMarked)
        }
    }

    @Test func givesCampaignsOutsideOfAProjectOneFolderMore() throws {
        try withFiles { folder throws in
            let file = folder + "/plain/a/file"
            for working in [folder + "/plain", folder + "/plain/a", folder + "/project"] {
                #expect(ProjectRoot.ofCampaign(file, workingFolder: working).path == folder + "/plain")
            }
            #expect(ProjectRoot.ofCampaign(file, workingFolder: folder).path == folder)
            #expect(ProjectRoot.ofCampaign(folder + "/project/file").path == folder + "/project")
            #expect(ProjectRoot.ofCampaign("/none/file").path == "/none")
        }
    }

    @Test func resolvesWhatIsInside() throws {
        try withFiles { folder throws in
            let project = folder + "/project"
            symlink("a/b/file", project + "/near")
            symlink("../file", project + "/far")
            symlink("..", project + "/up")
            symlink("../.git", project + "/a/open")
            symlink("/proc/self/environ", project + "/environ")
            let root = ProjectRoot(of: project + "/a/file")
            #expect(try root.resolve(project + "/near") == project + "/a/b/file")
            #expect(try root.resolve(project + "/a/../a/b") == project + "/a/b")
            #expect(reason(root, project + "/none") == .missing)
            #expect(reason(root, project + "/near/none") == .missing)
            for path in ["far", "up/file", "up/none", "../file", "../none", "environ", "a/../../plain/file"] {
                #expect(reason(root, project + "/" + path) == .outside(root: project), "\(path)")
            }
            for path in [".git", ".git/config", "a/open", "a/open/config"] {
                #expect(reason(root, project + "/" + path) == .closed(folder: ".git"), "\(path)")
            }
            #expect(throws: FileError.self) { _ = try OpenFile(project + "/far", in: root) }
            #expect(try OpenFile(project + "/near", in: root).bytes() == [])
        }
    }

    @Test func trustsTheFolderThatIsNamed() throws {
        try withFiles { folder throws in
            let root = ProjectRoot(of: folder + "/project/.git/config")
            #expect(try root.resolve(folder + "/project/.git/config") == folder + "/project/.git/config")
        }
    }

    private func reason(_ root: ProjectRoot, _ path: String) -> FileError.Reason? {
        do throws(FileError) {
            _ = try root.resolve(path)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func cutsPathsAtBytes() {
        #expect("/a/\u{301}b/../c".standardizedPath == "/a/c")
        #expect("/a/\u{301}b".fileName == "\u{301}b")
        #expect("/a/\u{301}b".folder == "/a")
        #expect("/a//./b/../../..".standardizedPath == "/")
        #expect(!"/ab".isPath(in: "/a"))
        #expect("/a\u{301}/b".isPath(in: "/a\u{301}"))
    }
}
