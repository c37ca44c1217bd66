// SPDX-License-Identifier: MIT

import AppDeclarations
import ArgumentParser
import POSIXFiles
import PayloadKit
import PayloadLinting

/// The options for the app that a payload is checked against.
struct AppOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Check against the app in a folder, or its app.json.", valueName: "path"))
    var app: String?

    @Option(help: ArgumentHelp("The name of the app, where the path of --app has several.", valueName: "name"))
    var target: String?

    @Option(
        help: ArgumentHelp(
            "Check against this Info.plist, without code; several together are one app.", valueName: "file")
    )
    var plist: [String] = []

    func validate() throws {
        if target != nil, app == nil { throw ValidationError("found --target without --app") }
        if app != nil, !plist.isEmpty { throw ValidationError("found --app and --plist, expected one of them") }
    }

    /// The apps that a campaign is checked against: the app of the options, or else the apps that `lint` would choose.
    ///
    /// - Parameters:
    ///   - campaign: the campaign.
    ///   - path: the path of the campaign.
    ///   - configuration: the configuration of the project.
    /// - Returns: the apps, or the findings that explain why there are none.
    /// - Throws: an error if an app cannot be read.
    func match(
        _ campaign: Campaign,
        at path: String,
        in configuration: ProjectConfiguration?
    ) throws(CommandFailure) -> Selection {
        do throws(InputError) {
            if let app {
                let named = try NamedApp(app, target: target)
                let check = named.project.map { AppCheck($0) }
                return Selection(match: AppMatch([named.app])) { () throws(InputError) in check }
            }
            let plist = plist.withoutRepeatedFiles
            if !plist.isEmpty {
                return Selection(match: AppMatch([try App(plists: plist)])) { () throws(InputError) in
                    try AppCheck(lists: plist)
                }
            }
            let project = try Project(around: path, configuration)
            return Selection(match: project.explainedMatch(campaign, at: path)) { () throws(InputError) in
                AppCheck(project)
            }
        } catch {
            throw CommandFailure(error)
        }
    }

    /// The apps that a campaign is checked against.
    struct Selection {
        let match: AppMatch

        /// Reads the project that contains the apps, for findings in their files; nil for an `app.json`.
        var check: () throws(InputError) -> AppCheck?
    }
}

extension [String] {
    /// The paths without those that lead to the same file as an earlier path.
    var withoutRepeatedFiles: [String] {
        var known: Set<FileIdentity> = []
        return filter { path in FileIdentity(path: path).map { known.insert($0).inserted } ?? true }
    }
}
