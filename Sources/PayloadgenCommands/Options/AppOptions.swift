// SPDX-License-Identifier: MIT

import AppBundles
import ArgumentParser
import Linting
import PayloadKit

/// The app that a payload is checked against.
struct AppOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Check against the app in a folder, or its app.json.", valueName: "path"))
    var app: String?

    @Option(help: ArgumentHelp("Check against this Info.plist; several together are one app.", valueName: "file"))
    var plist: [String] = []

    func validate() throws {
        if app != nil, !plist.isEmpty { throw ValidationError("found --app and --plist, expected one of them") }
    }

    /// Reads the app: the one of the options, else the one of the configuration that the campaign names; nil for none.
    func read(for campaign: Campaign, in configuration: ProjectConfiguration?) throws(CommandFailure) -> App? {
        do throws(InputError) {
            if let app { return try App(contentsOf: app) }
            if !plist.isEmpty { return try App(plists: plist) }
        } catch {
            throw CommandFailure(error)
        }
        return try configuration?.app(of: campaign)
    }
}
