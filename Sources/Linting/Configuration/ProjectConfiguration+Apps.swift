// SPDX-License-Identifier: MIT

public import PayloadKit

extension ProjectConfiguration {
    /// The finding about a campaign that names an unknown app.
    public func unknownApp(_ name: Placed<String>) -> Diagnostic {
        let names = apps.map(\.name.value)
        let near = nearestName(to: name.value, in: names).map { ", did you mean '\($0)'?" }
        let known = names.map { "'\($0)'" }.joined(separator: ", ")
        return Diagnostic(
            .campaignSyntax,
            "no app '\(name.value)' in \(Self.fileName)\(near ?? "; expected one of \(known)")",
            at: name.place
        )
    }
}

extension ProjectConfiguration.App {
    /// Reads the app.
    ///
    /// - Throws: the reason why it cannot be read.
    public func read() throws(InputError) -> PayloadKit.App {
        var app: PayloadKit.App
        switch source {
        case .path(let path): app = try PayloadKit.App(contentsOf: Linter.shownPath(path))
        case .plists(let paths): app = try PayloadKit.App(plists: paths.map(Linter.shownPath))
        case .target(let target, let project):
            app = try PayloadKit.App(project: Linter.shownPath(project), target: target)
        }
        app.name = name.value
        return app
    }
}
