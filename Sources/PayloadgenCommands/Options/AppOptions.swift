// SPDX-License-Identifier: MIT

import AppBundles
import ArgumentParser

/// The app that a payload is checked against.
struct AppOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Check against the app whose property lists lie under a folder.", valueName: "dir"))
    var app: String?

    @Option(help: ArgumentHelp("Check against this Info.plist; several are one app.", valueName: "file"))
    var plist: [String] = []

    func validate() throws {
        if app != nil, !plist.isEmpty { throw ValidationError("found --app and --plist, expected one of them") }
    }

    /// Reads the app; nil where none is named.
    func read() throws(CommandFailure) -> App? {
        do throws(AppError) {
            if let app { return try App(contentsOf: app) }
            return plist.isEmpty ? nil : try App(plists: plist)
        } catch {
            throw CommandFailure(error)
        }
    }
}
