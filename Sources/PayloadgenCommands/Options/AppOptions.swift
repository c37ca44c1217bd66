// SPDX-License-Identifier: MIT

import AppDeclarations
import ArgumentParser
import POSIXFiles
import PayloadKit
import PayloadLinting

/// The options that name the app against which a payload is checked.
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

    /// Chooses the apps against which a campaign is checked: the app of the options, or else the apps that `lint` would
    /// choose.
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
        if let named = try orFail(input: named()) {
            return Selection(match: AppMatch([named.app]), check: named.project.map { AppCheck($0) })
        }
        let project = try orFail(input: Project(around: path, configuration))
        return Selection(match: project.explainedMatch(campaign, at: path), check: AppCheck(project))
    }

    /// The app of the options; nil if they name none.
    func named() throws(InputError) -> NamedApp? {
        if let app { return try NamedApp(app, target: target) }
        // Two paths to one property list would count as two extensions.
        var known: Set<FileIdentity> = []
        let lists = plist.filter { path in FileIdentity(path: path).map { known.insert($0).inserted } ?? true }
        return lists.isEmpty ? nil : try NamedApp(plists: lists)
    }

    /// The apps that a campaign is checked against.
    struct Selection {
        let match: AppMatch

        /// The check of the files that declare the apps; nil for an `app.json`.
        let check: AppCheck?
    }
}
