// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadKit

/// The pages of several campaigns, and a page that shows them side by side.
package struct Gallery {
    private let project: PreviewProject

    /// Prepares the pages of all campaigns of a project.
    package init(_ project: PreviewProject) { self.project = project }

    /// Makes the files: a page for each campaign, and `index.html`.
    ///
    /// - Returns: the names and bytes of the files.
    /// - Throws: the reason that a page cannot be made.
    package func files() throws(PreviewProblem) -> [(name: String, bytes: [UInt8])] {
        var names: Set<String> = ["index.html"]
        var files: [(name: String, bytes: [UInt8])] = []
        var cards: [PageModel] = []
        for campaign in project.inputs.campaigns {
            let name = Self.fileName(of: campaign, &names)
            let page = try StaticPage(project, campaign: campaign)
            files.append((name, try page.html()))
            var card = page.card
            card["link"] = name
            cards.append(card)
        }
        let model: PageModel = [
            "is_still": true,
            "title": counted(cards.count, "campaign"),
            "policy": "style-src 'unsafe-inline'",
            "version": project.settings.version,
            "pages": cards,
        ]
        return files + [("index.html", try PageTemplate.gallery.bytes(model))]
    }

    /// A file name that is not used yet, such as `templates-lab-progress.html`.
    private static func fileName(of campaign: String, _ names: inout Set<String>) -> String {
        var stem = ""
        let path = campaign.split(separator: "/").filter { $0 != ".." && $0 != "." }.joined(separator: "-")
        for scalar in path.prefix(while: { $0 != "." }).unicodeScalars {
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            stem.unicodeScalars.append(isPlain || scalar == "_" ? scalar : "-")
        }
        var name = stem + ".html"
        var number = 2
        while !names.insert(name).inserted {
            name = "\(stem)-\(number).html"
            number += 1
        }
        return name
    }
}
