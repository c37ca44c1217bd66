// SPDX-License-Identifier: MIT

import AppBundles
import BrazeLiquid
import InAppScenarios
import Linting
import Liquid
import PayloadKit
import SourceText

/// A scenario with its simulation.
struct ScenarioInput {
    let file: ScenarioFile
    let simulation: Simulation

    /// Reads a scenario, and the profile that it names unless another one is given.
    ///
    /// - Parameters:
    ///   - source: the file of the scenario.
    ///   - path: its path, which the path of the profile is relative to.
    ///   - data: the data for messages; nil for the profile that the file names.
    ///   - now: the start of the timeline; takes precedence over that of the file.
    ///   - clock: the start where neither the file nor `now` gives one.
    ///   - files: notes the files that are read.
    /// - Throws: every fault in the file, or why its profile cannot be read.
    init(
        _ source: SourceFile,
        at path: String,
        data: RenderContext? = nil,
        now: Time? = nil,
        clock: Time,
        noting files: ReadFiles = ReadFiles(keepsContents: false)
    ) throws(InputError) {
        file = try ScenarioFile(source, now: now, clock: clock)
        let folder = NotingFolder(folder: DiskFolder(around: path), files: files)
        var context = if let data { data } else { try Self.profile(of: file, in: folder).context }
        context.now = file.start
        simulation = file.simulation(
            context: context,
            settings: BrazeSettings(clock: file.start, timeZones: SystemTimeZones()),
            app: try Self.app(of: file, at: path)
        )
    }

    /// The setup that the scenario states, completed by what the app that it names declares.
    private static func app(of file: ScenarioFile, at path: String) throws(InputError) -> AppSetup {
        var setup = file.scenario.app
        guard let declared = file.app else { return setup }
        let folder = DiskFolder(around: path)
        if let refusal = folder.refusal(of: declared.path) {
            throw InputError(.invalid, [Diagnostic(.scenarioSyntax, refusal, at: declared.place)])
        }
        let app: App
        do throws(InputError) {
            app = try NamedApp(folder.path(to: declared.path), target: nil).app
            guard app.unread.isEmpty else { throw InputError(.invalid, app.unread) }
        } catch {
            let findings = error.diagnostics.map { finding in
                finding.place == nil ? Diagnostic(finding.rule, finding.message, at: declared.place) : finding
            }
            throw InputError(error.reason, findings)
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
            let finding = Diagnostic(.scenarioSyntax, "no file '\(profilePath)'", at: file.profilePlace)
            throw InputError(.missing, [finding])
        }
        return try Profile(file: source)
    }
}
