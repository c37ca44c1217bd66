// SPDX-License-Identifier: MIT

import Foundation
import POSIXFiles
import PayloadgenTestSupport
import Testing

@testable import BrazeWorkspaces

/// A server that behaves like Braze's API, in a process of its own.
///
/// Tests can change its workspace.
final class StandIn {
    static let key = "00000000-0000-4000-8000-00000000c0de"

    let folder: TemporaryFolder
    let url: String
    private let process = Process()
    private let input = Pipe()

    /// The folder to which `pull` writes the workspace.
    var into: String { folder.url.path + "/ws" }

    /// Starts the server.
    ///
    /// - Parameter sizes: how many resources of each kind the workspace has, such as `campaigns=2,blocks=1`.
    /// - Throws: why the server cannot be started.
    init(_ sizes: String = "campaigns=3,canvases=1,blocks=2,attributes=120,events=3") throws {
        folder = try TemporaryFolder()
        try folder.write("", to: "ws/.keep")
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "BrazeStandIn/stand_in.py")
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script.path, folder.url.path, "--generate", sizes]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var line: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1), let first = byte.first, first != 10 {
            line.append(first)
        }
        url = "http://127.0.0.1:" + String(decoding: line, as: UTF8.self)
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.terminate()
    }

    /// Lets the server answer requests for a path with a fault.
    func fault(_ path: String, _ kind: String, times: Int? = nil) throws {
        let count = times.map { ", \"times\": \($0)" } ?? ""
        try folder.write("[{\"path\": \"\(path)\", \"kind\": \"\(kind)\"\(count)}]", to: "faults.json")
    }

    /// Changes the workspace that the server has.
    func change(_ body: (inout [String: Any]) throws -> Void) throws {
        let file = folder.url.appending(path: "workspace.json")
        var space = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        try body(&space)
        try JSONSerialization.data(withJSONObject: space).write(to: file)
    }

    /// Replaces a text in the server's workspace.
    func replace(_ text: String, by other: String) throws {
        let file = folder.url.appending(path: "workspace.json")
        let json = try String(contentsOf: file, encoding: .utf8)
        try json.replacingOccurrences(of: text, with: other).write(to: file, atomically: true, encoding: .utf8)
    }

    /// The result of a pull: the changes that it made, and what the API reported.
    struct Pulled {
        var export: WorkspaceExport
        var plan: PullPlan
        var waits: [Int]
        var requests: Int
        var isKeyRepeated: Bool
    }

    /// Reads the workspace from the server, and writes the files that have changed unless they are only compared.
    @discardableResult
    func pull(
        _ selection: PullSelection = PullSelection(),
        key: String = StandIn.key,
        prunes: Bool = false,
        writes: Bool = true,
        timeout: Int = 5,
        isInterrupted: @escaping @Sendable () -> Bool = { false }
    ) throws -> Pulled {
        let waits = Locked<[Int]>([])
        let reporting = BrazeAPI.Reporting(
            wait: { _, seconds in waits.withLock { $0.append(seconds) } },
            sleep: { _ in },
            isInterrupted: isInterrupted,
            clock: { Int(Date().timeIntervalSince1970) })
        let api = try BrazeAPI(
            RESTOrigin(url, from: .user(allowsAnyHost: false)), key: BrazeKey(key, named: "KEY"), timeout: timeout,
            reporting: reporting)
        let export = ExportReader(api, selection).read()
        let plan = try PullPlan(export, in: into, prunes: prunes)
        if writes { try plan.write(isInterrupted: { false }, wrote: { _ in }) }
        return Pulled(
            export: export, plan: plan, waits: waits.withLock { $0 }, requests: api.requestCount,
            isKeyRepeated: api.isKeyRepeated)
    }

    /// The texts of the workspace's files, by their paths.
    var files: [String: String] {
        var files: [String: String] = [:]
        for case let path as String in FileManager.default.enumerator(atPath: into) ?? .init() {
            if let text = try? String(contentsOfFile: into + "/" + path, encoding: .utf8) { files[path] = text }
        }
        files[".keep"] = nil
        return files
    }

    /// Runs git in the folder of the workspace's files.
    func git(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["git", "-C", into, "-c", "user.name=t", "-c", "user.email=t@example.com"] + arguments
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
    }
}

/// A temporary folder with saved responses of Braze's API.
final class TemporaryResponses {
    private let folder: TemporaryFolder
    var path: String { folder.url.path }

    init(_ files: [String: String]) throws {
        folder = try TemporaryFolder()
        for (path, text) in files { try folder.write(text, to: path) }
    }
}
