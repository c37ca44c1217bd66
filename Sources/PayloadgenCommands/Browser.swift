// SPDX-License-Identifier: MIT

import Dispatch
import Foundation

/// Opens a page in the user's browser.
///
/// The arguments of a process are visible to all users of the machine. The browser is therefore given a file that
/// redirects to the address and that only its owner can read.
enum Browser {
    #if canImport(Darwin)
        private static let program = "/usr/bin/open"
    #else
        private static let program = "/usr/bin/xdg-open"
    #endif

    /// The file that the browser opens, which redirects to the page.
    struct File: Sendable {
        let path: String

        func remove() { unlink(path) }
    }

    /// The folder in which the file is created.
    ///
    /// On Linux, a browser that is installed as a snap has its own `/tmp`, and can read only files in the home folder
    /// that are not hidden.
    static func folder(home: String? = ProcessInfo.processInfo.environment["HOME"]) -> String {
        #if !canImport(Darwin)
            if let home, home.hasPrefix("/"), access(home, W_OK | X_OK) == 0 { return home }
        #endif
        return NSTemporaryDirectory()
    }

    /// Opens an address in the browser.
    ///
    /// If there is no browser, nothing happens, because the command prints the address too.
    ///
    /// - Parameters:
    ///   - address: the address, which must not contain quotes.
    ///   - program: the program that opens a file.
    ///   - folder: the folder of the file.
    ///   - seconds: the time after which the file is removed.
    /// - Returns: the file, which has to be removed when the browser has read it; nil if nothing was opened.
    static func open(
        _ address: String,
        with program: String = program,
        in folder: String = folder(),
        for seconds: Int = 30
    ) -> File? {
        guard FileManager.default.isExecutableFile(atPath: program) else { return nil }
        let suffix = ".html"
        var template = Array((folder + "/payloadgen-preview-XXXXXX" + suffix).utf8CString)
        // `mkstemps` creates the file with the mode 0600, so that only its owner can read it.
        let descriptor = mkstemps(&template, Int32(suffix.utf8.count))
        guard descriptor >= 0 else { return nil }
        let file = File(path: String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
        let text = """
            <!DOCTYPE html>
            <meta charset="utf-8">
            <meta http-equiv="refresh" content="0; url=\(address)">
            <title>payloadgen preview</title>
            <a href="\(address)">payloadgen preview</a>

            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [file.path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do {
            try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).write(contentsOf: Data(text.utf8))
            try process.run()
        } catch {
            file.remove()
            return nil
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { file.remove() }
        return file
    }
}
