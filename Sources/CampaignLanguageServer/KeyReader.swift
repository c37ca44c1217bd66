// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import PayloadKit
import PayloadLinting

/// An app or extension that reads a key of pushes, and where it does.
struct KeyReader: Sendable {
    let key: String

    /// The name of the app or extension, and how it reads the key, in words such as `LabProgress: integer, required`.
    let detail: String

    /// The places where the key is read: a declaration, or lines of code.
    let places: [SourcePlace]
}

extension FeatureRequest {
    /// The category of the campaign in the text; nil if the campaign has none, or if it contains Liquid.
    var category: String? {
        campaign?.campaign?.push.category.flatMap { $0.holdsLiquid ? nil : $0.text }
    }

    /// The apps and extensions that read keys of a push: apps, service extensions, and the content extensions for a
    /// category.
    ///
    /// - Parameter category: the category of the push; if it is nil, or no content extension claims it, all content
    ///   extensions are included.
    /// - Returns: the readers; the declarations of each app or extension come before its code.
    func readers(_ category: String?) -> [KeyReader] {
        let apps = project?.apps ?? []
        let isClaimed =
            category.map { category in apps.contains { !$0.contentExtensions(claiming: category).isEmpty } } ?? false
        return apps.flatMap { app -> [KeyReader] in
            let extensions = app.extensions.filter { own in
                own.kind != .content || !isClaimed || category.flatMap(own.claim) != nil
            }
            return extensions.flatMap { own in
                Self.readers(own.name ?? app.name, own.extras, own.code?.reads)
            } + Self.readers(app.name, app.extras, app.code?.reads)
        }
    }

    private static func readers(
        _ name: String,
        _ declared: [RequiredExtra]?,
        _ reads: [TargetCode.Read]?
    ) -> [KeyReader] {
        let declarations = (declared ?? []).map { extra in
            KeyReader(
                key: extra.key,
                detail: "\(name): \(extra.type.rawValue), \(extra.isRequired ? "required" : "not required")",
                places: [extra.place]
            )
        }
        let code = (reads ?? []).filter { $0.path.isEmpty && !$0.isSystem }.map { read in
            let missing =
                switch read.requirement {
                case .crash: "crashes without it"
                case .return: "returns early without it"
                case .default: "has a default"
                case .optional: "goes on without it"
                }
            return KeyReader(
                key: read.key, detail: "code of \(name): \(read.sentType.rawValue), \(missing)",
                places: [read.place] + read.otherPlaces)
        }
        return declarations + code
    }
}
