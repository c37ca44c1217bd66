// SPDX-License-Identifier: MIT

import AppDeclarations
import BrazeLiquid
import DiagnosticSources
import InAppScenarios
import LiquidTemplates
import PayloadKit
import PayloadLinting

/// A scenario that was read, with its simulation.
struct ScenarioInput {
    let file: ScenarioFile
    let simulation: Simulation

    /// Reads a scenario, and the profile that it names unless `data` is given.
    ///
    /// - Parameters:
    ///   - source: the file of the scenario.
    ///   - path: the path of the scenario, to which the path of the profile is relative.
    ///   - data: the data for messages; nil to use the profile that the file names.
    ///   - now: the start of the timeline, which has precedence over the one in the file.
    ///   - clock: the start of the timeline if neither the file nor `now` sets it.
    ///   - files: records the files that are read.
    ///   - readApp: reads the app at a path.
    /// - Throws: all faults in the file, or the reason that its profile or app cannot be read.
    init(
        _ source: SourceFile,
        at path: String,
        data: RenderContext? = nil,
        now: Time? = nil,
        clock: Time,
        noting files: ReadFiles = ReadFiles(keepsContents: false),
        app readApp: (String) throws(InputError) -> App = { path throws(InputError) in try Self.app(at: path).app }
    ) throws(InputError) {
        file = try ScenarioFile(source, now: now, clock: clock)
        let folder = NotingFolder(folder: DiskFolder(around: path), files: files)
        var context = if let data { data } else { try Self.profile(of: file, in: folder).context }
        context.now = file.start
        simulation = file.simulation(
            context: context,
            settings: BrazeSettings(clock: file.start, timeZones: SystemTimeZones()),
            app: try Self.app(of: file, at: path, readApp)
        )
    }

    /// Reads the app at a path.
    ///
    /// - Throws: the reason that the app, or a part of it, cannot be read.
    static func app(at path: String) throws(InputError) -> NamedApp {
        let named = try NamedApp(path, target: nil)
        guard named.app.unread.isEmpty else { throw InputError(.invalid, named.app.unread) }
        return named
    }

    /// The setup of the app in the scenario; the declarations of the app that it names supply what it leaves out.
    private static func app(
        of file: ScenarioFile,
        at path: String,
        _ readApp: (String) throws(InputError) -> App
    ) throws(InputError) -> AppSetup {
        var setup = file.scenario.app
        guard let declared = file.app else { return setup }
        let folder = DiskFolder(around: path)
        if let refusal = folder.refusal(of: declared.path) {
            throw InputError(.invalid, [declared.fault(refusal)])
        }
        let app: App
        do throws(InputError) {
            app = try readApp(folder.path(to: declared.path))
        } catch {
            throw InputError(error.reason, declared.findings(error))
        }
        if declared.givesServiceExtension { setup.hasServiceExtension = app.hasServiceExtension }
        if declared.givesContentCategories {
            setup.contentCategories = Set(app.contentExtensions.flatMap { $0.categories.map(\.value) })
        }
        return setup
    }

    private static func profile(of file: ScenarioFile, in folder: NotingFolder) throws(InputError) -> Profile {
        guard let profilePath = file.profilePath else { return .unknown }
        guard let source = folder.file(at: profilePath) else {
            let refusal = folder.refusal(of: profilePath)
            let message = refusal ?? "no file '\(profilePath)'" + folder.hint(at: profilePath)
            let finding = Diagnostic(.scenarioSyntax, message, at: file.profilePlace)
            throw InputError(refusal == nil ? .missing : .invalid, [finding])
        }
        return try Profile(file: source)
    }
}
