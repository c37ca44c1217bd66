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
