// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadLinting

extension Diagnostic {
    /// The number that the protocol has for the severity.
    private var severityNumber: Int {
        switch severity {
        case .error: 1
        case .warning: 2
        case .info: 3
        }
    }

    /// Whether the finding is about something without an effect, which editors show in a paler colour.
    private var isAboutUnused: Bool { rule.name.hasPrefix("unused-") || rule.name == "extras-unread" }

    /// The finding as the protocol writes it; a finding about a whole file is shown on its first line.
    func value(in text: OpenText, _ workspace: CheckedWorkspace, _ encoding: PositionEncoding) -> ProtocolValue {
        let page = Rule.named(rule.name)?.page
        let places = related.compactMap { related -> ProtocolValue? in
            guard let location = workspace.location(of: related.place, around: text, encoding) else { return nil }
            return ["location": location, "message": .string(related.message)]
        }
        let range = place.flatMap { place in
            place.isWholeFile ? nil : place.file.range(of: place.range, encoding)
        }
        return [
            "range": range ?? text.file.range(of: SourceRange(0, text.file.line(1).endIndex), encoding),
            "severity": .integer(severityNumber),
            "code": .string(rule.name),
            "codeDescription": page.map { ["href": .string($0)] } ?? .nothing,
            "source": "payloadgen",
            "message": .string(message),
            "tags": isAboutUnused ? [1] : .nothing,
            "relatedInformation": places.isEmpty ? .nothing : .array(places),
        ]
    }
}

extension CheckedWorkspace {
    /// A place as the protocol writes it, with the client's own URI if the file is open; nil if `text` was not checked.
    func location(of place: SourcePlace, around text: OpenText, _ encoding: PositionEncoding) -> ProtocolValue? {
        guard let project = checkedProject(of: text) else { return nil }
        let path = project.kept.absolute(place.file.path)
        return [
            "uri": .string(self.text(at: path)?.uri ?? FileURI.uri(path)),
            "range": place.file.range(of: place.range, encoding),
        ]
    }
}
