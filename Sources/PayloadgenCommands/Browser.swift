// SPDX-License-Identifier: MIT

import Dispatch
import Foundation

/// Opens a page in the browser of the user.
///
/// All users of the machine see the arguments of a process. The browser is therefore given a file that only its owner can
/// read, and that leads to the address.
enum Browser {
    #if canImport(Darwin)
        private static let program = "/usr/bin/open"
    #else
        private static let program = "/usr/bin/xdg-open"
    #endif

    /// Opens an address; without a browser nothing happens, as the address is printed as well.
    ///
    /// - Parameters:
    ///   - address: the address, which has no quotes.
    ///   - program: what opens a file.
    ///   - seconds: for how long the file is kept.
    static func open(_ address: String, with program: String = program, for seconds: Int = 30) {
        guard FileManager.default.isExecutableFile(atPath: program) else { return }
        var template = Array((NSTemporaryDirectory() + "payloadgen-XXXXXX").utf8CString)
        // The folder has the mode 0700.
        guard mkdtemp(&template) != nil else { return }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let file = folder + "/preview.html"
        let text = """
            <!DOCTYPE html>
            <meta charset="utf-8">
            <meta http-equiv="refresh" content="0; url=\(address)">
            <title>payloadgen preview</title>
            <a href="\(address)">payloadgen preview</a>

            """
        let isMade = FileManager.default.createFile(
            atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [file]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        if isMade { try? process.run() }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) {
            try? FileManager.default.removeItem(atPath: folder)
        }
    }
}
