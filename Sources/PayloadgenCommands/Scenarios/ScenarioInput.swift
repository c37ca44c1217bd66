// SPDX-License-Identifier: MIT

import BrazeLiquid
import InAppScenarios
import Liquid
import PayloadKit
import SourceText

/// A scenario with what it runs with.
struct ScenarioInput {
    let file: ScenarioFile
    let simulation: Simulation

    /// Reads a scenario, and the profile that it names unless another one is given.
    ///
    /// - Parameters:
    ///   - source: the file of the scenario.
    ///   - path: its path, which the path of the profile is relative to.
    ///   - data: what messages may read in place of the profile of the file; nil for that profile.
    ///   - now: when the timeline starts, whatever the file says.
    ///   - clock: when it starts where neither says it.
    /// - Throws: everything that is wrong in the file, or why its profile cannot be read.
    init(
        _ source: SourceFile,
        at path: String,
        data: RenderContext? = nil,
        now: Time? = nil,
        clock: Time
    ) throws(InputError) {
        file = try ScenarioFile(source, now: now, clock: clock)
        var context = if let data { data } else { try Self.profile(of: file, at: path).context }
        context.now = file.start
        simulation = file.simulation(
            context: context,
            settings: BrazeSettings(clock: file.start, timeZones: SystemTimeZones())
        )
    }

    private static func profile(of file: ScenarioFile, at path: String) throws(InputError) -> Profile {
        guard let profilePath = file.profilePath else { return .unknown }
        guard let source = DiskFolder(around: path).file(at: profilePath) else {
            let finding = Diagnostic(.scenarioSyntax, "no file '\(profilePath)'", at: file.profilePlace)
            throw InputError(.missing, [finding])
        }
        return try Profile(file: source)
    }
}
