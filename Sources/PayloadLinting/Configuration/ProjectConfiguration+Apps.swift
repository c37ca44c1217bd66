// SPDX-License-Identifier: MIT

import DiagnosticSources
public import PayloadKit

extension ProjectConfiguration {
    /// The finding about a campaign that names an unknown app.
    public func unknownApp(_ name: Placed<String>) -> Diagnostic {
        let names = apps.map(\.name.value)
        let near = nearestName(to: name.value, in: names)
        let hint = didYouMean(near, else: "; expected one of \(names.quoted())")
        return Diagnostic(.campaignSyntax, "no app '\(name.value)' in \(Self.fileName)\(hint)", at: name.place)
    }
}
