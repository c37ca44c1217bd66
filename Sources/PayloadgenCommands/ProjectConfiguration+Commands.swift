// SPDX-License-Identifier: MIT

import Linting
import PayloadKit

extension ProjectConfiguration {
    /// The configuration of a file or folder; that of the working folder for standard input.
    static func find(for path: String) throws(CommandFailure) -> ProjectConfiguration? {
        do throws(InputError) {
            return try nearest(to: path == "-" ? "." : path)
        } catch {
            throw CommandFailure(configuration: error)
        }
    }

    /// The app that a campaign names; nil where it names none, or where the project names no apps.
    func app(of campaign: Campaign) throws(CommandFailure) -> PayloadKit.App? {
        guard let name = campaign.app, !apps.isEmpty else { return nil }
        guard let app = app(named: name.value) else {
            throw CommandFailure(.brokenConfiguration, .findings([unknownApp(name)]))
        }
        do throws(InputError) { return try app.read() } catch { throw CommandFailure(error) }
    }
}

extension RenderOptions {
    /// Applies the configuration of the project.
    mutating func apply(_ configuration: ProjectConfiguration?) {
        guard let configuration else { return }
        externalCategories = configuration.externalCategories
        if let budget = configuration.budget { self.budget = budget }
    }
}
