// SPDX-License-Identifier: MIT

import AppBundles
import ArgumentParser
import Linting
import PayloadKit

/// The app that a payload is checked against.
struct AppOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Check against the app in a folder, or its app.json.", valueName: "path"))
    var app: String?

    @Option(help: ArgumentHelp("The name of the app, where the path of --app has several.", valueName: "name"))
    var target: String?

    @Option(help: ArgumentHelp("Check against this Info.plist; several together are one app.", valueName: "file"))
    var plist: [String] = []

    func validate() throws {
        if target != nil, app == nil { throw ValidationError("found --target without --app") }
        if app != nil, !plist.isEmpty { throw ValidationError("found --app and --plist, expected one of them") }
    }

    /// The apps that a campaign is checked against: the one of the options, else those that `lint` takes for it.
    ///
    /// - Parameters:
    ///   - campaign: the campaign.
    ///   - path: its path.
    ///   - configuration: the configuration of the project.
    /// - Returns: the apps, or the findings that say why there are none.
    /// - Throws: why an app cannot be read.
    func match(
        _ campaign: Campaign,
        at path: String,
        in configuration: ProjectConfiguration?
    ) throws(CommandFailure) -> AppMatch {
        do throws(InputError) {
            if let app {
                let reading = try App.reading(contentsOf: app, target: target)
                return AppMatch([reading.app], ofApps: reading.notes)
            }
            if !plist.isEmpty { return AppMatch([try App(plists: plist)]) }
            return try ProjectApps(around: path, configuration).match(campaign, at: path)
        } catch {
            throw CommandFailure(error)
        }
    }
}
