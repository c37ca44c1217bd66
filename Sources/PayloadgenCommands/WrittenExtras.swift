// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import POSIXFiles
import PayloadKit
import SwiftSources

/// Writes the `payloadgen.extras.yml` files of an app and its extensions, or compares existing ones with the code.
struct WrittenExtras {
    let app: App

    /// Whether the files are only compared.
    let isCheck: Bool

    /// Writes or compares each file, and reports the reads whose keys could not be determined.
    ///
    /// - Returns: ``ExitStatus/findings`` if files are only compared and one would change.
    /// - Throws: an error if there is no code to read, or a file cannot be read or written.
    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        let files = ProposedExtras.all(for: app)
        guard !files.isEmpty, app.place?.file.path.hasSuffix(".json") != true else {
            throw CommandFailure(.unreadableInput, "no code of \(app.name) or of an extension was found")
        }
        if !ParsedCode.readsSwift, let gap = files.flatMap(\.gaps).first(where: { $0.isUnreadSwift }) {
            throw CommandFailure(.unreadableInput, "'\(gap.place.file.path)' is not read: \(gap.why)")
        }
        for candidate in app.extensions where candidate.takesPushes && candidate.code == nil {
            let name = candidate.name ?? candidate.bundleIdentifier ?? "an extension"
            console.log("no code of '\(name)' was found, so its file is not written")
        }
        var isOutOfDate = false
        for file in files {
            for gap in file.gaps {
                let place = "\(gap.place.file.path):\(gap.place.start.line):\(gap.place.start.column)"
                console.log("not known: \(place): \(gap.why)")
            }
            if file.extras.isEmpty, !file.gaps.isEmpty {
                // A file without keys would say that the code reads nothing, which is not known.
                let reason = "none of the keys that '\(file.name)' reads could be determined"
                console.log("\(reason), so its file is not written")
                continue
            }
            guard let path = file.path else {
                if !file.extras.isEmpty {
                    console.log("the build generates the Info.plist of '\(file.name)', so no file is written beside it")
                }
                continue
            }
            for key in file.keptKeys.sorted() { console.log("kept '\(key)' of '\(path)', which no known code reads") }
            let old: SourceFile?
            do throws(FileError) {
                old = try SourceFile(contentsOf: path, in: ProjectRoot(of: path))
            } catch {
                guard error.reason == .missing else { throw CommandFailure(error) }
                old = nil
            }
            if let old { try requireReadable(old) }
            let bytes = Array(file.text(keeping: old.map { ExtrasComments($0) } ?? ExtrasComments()).utf8)
            // Code that reads no keys needs no file.
            if old?.bytes == bytes || old == nil && file.extras.isEmpty { continue }
            isOutOfDate = true
            if isCheck {
                console.log("'\(path)' \(old == nil ? "is missing" : "is out of date")")
                continue
            }
            let known = old.map { FileReplacement.Contents.bytes($0.bytes) } ?? .nothing
            try orFail(file: FileReplacement.write(bytes, to: path, over: known))
            console.log("wrote '\(path)'")
        }
        if !isOutOfDate { console.log("the files are up to date") }
        return isOutOfDate && isCheck ? .findings : .success
    }

    /// Throws an error if a part of the old file cannot be read, because its key-value pairs would be lost.
    private func requireReadable(_ old: SourceFile) throws(CommandFailure) {
        let errors = App.extras(in: old).1.filter { $0.severity == .error }
        if !errors.isEmpty { throw CommandFailure(.unreadableInput, .findings(errors)) }
    }
}

extension TargetCode.UnknownRead {
    /// Whether the file is Swift; if this build cannot read Swift, that is why it was not read.
    fileprivate var isUnreadSwift: Bool { place.file.path.hasSuffix(".swift") }
}
