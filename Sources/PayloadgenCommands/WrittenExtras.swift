// SPDX-License-Identifier: MIT

import AppBundles
import Files
import PayloadKit
import SourceText
import SwiftSources

/// Writes or compares the `payloadgen.extras.yml` of the extensions of an app.
struct WrittenExtras {
    private let app: App
    private let isCheck: Bool

    init(_ app: App, isCheck: Bool) {
        self.app = app
        self.isCheck = isCheck
    }

    /// Writes each file that changes, and reports what the code does not reveal.
    ///
    /// - Returns: ``ExitStatus/findings`` where files are compared and one would change.
    /// - Throws: that there is no code to read, or why a file cannot be written.
    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        let files = ProposedExtras.all(for: app)
        guard !files.isEmpty, app.place?.file.path.hasSuffix(".json") != true else {
            throw CommandFailure(.unreadableInput, "no code of an extension of \(app.name) was found")
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
            for key in file.keptKeys.sorted() {
                console.log("kept '\(key)' of '\(file.path)', which no known code reads")
            }
            let old: SourceFile?
            do throws(FileError) {
                old = try SourceFile(contentsOf: file.path, in: ProjectRoot(of: file.path))
            } catch {
                guard error.reason == .missing else { throw CommandFailure(error) }
                old = nil
            }
            let bytes = Array(file.text.utf8)
            // An extension that reads nothing needs no file.
            if old?.bytes == bytes || old == nil && file.extras.isEmpty && file.gaps.isEmpty { continue }
            isOutOfDate = true
            if isCheck {
                console.log("'\(file.path)' \(old == nil ? "is missing" : "is out of date")")
                continue
            }
            do throws(FileError) { try FileReplacement.write(bytes, to: file.path) } catch {
                throw CommandFailure(error)
            }
            console.log("wrote '\(file.path)'")
        }
        if !isOutOfDate { console.log("the files are up to date") }
        return isOutOfDate && isCheck ? .findings : .success
    }
}

extension TargetCode.Gap {
    /// Whether the file is not read because it is Swift.
    fileprivate var isUnreadSwift: Bool { place.file.path.hasSuffix(".swift") }
}
