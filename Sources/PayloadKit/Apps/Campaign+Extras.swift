// SPDX-License-Identifier: MIT

public import AppBundles
import Liquid
import SourceText

extension Campaign {
    /// The campaign with the pairs that the extension that claims its category reads.
    ///
    /// What the campaign itself requires of a pair may only be narrower; where it is not, ``findings`` tell. A category
    /// that Liquid makes has no extension before it is rendered, and changes nothing.
    public func requiring(_ app: App) -> Campaign {
        guard let category = push.category, !category.holdsLiquid,
            let extras = app.contentExtension(claiming: category.text)?.extras
        else { return self }
        var campaign = self
        var requirements = self.requirements ?? Requirements(place: category.place)
        var indices = Dictionary(
            requirements.extras.enumerated().map { (Array($1.key.utf8), $0) },
            uniquingKeysWith: { first, _ in first }
        )
        for extra in extras {
            guard let index = indices[Array(extra.key.utf8)] else {
                indices[Array(extra.key.utf8)] = requirements.extras.count
                requirements.extras.append(extra)
                continue
            }
            let own = requirements.extras[index]
            if !own.type.isNarrower(than: extra.type) {
                campaign.findings.append(
                    .wider(
                        "'\(own.key)' is \(own.type.phrase) here, and \(extra.type.phrase) to the extension",
                        own,
                        extra
                    )
                )
                requirements.extras[index].type = extra.type
            }
            guard extra.isRequired else { continue }
            if own.required?.value == false {
                let message = "'\(own.key)' may be left out here, and the extension requires it"
                campaign.findings.append(.wider(message, own, extra))
            }
            requirements.extras[index].required = extra.required
        }
        campaign.requirements = requirements
        return campaign
    }
}

extension Campaign {
    /// Where to point when a pair is not sent: what the app requires is not in the campaign's file.
    func place(ofMissing extra: RequiredExtra) -> SourcePlace {
        extra.place.file === file ? extra.place : push.category?.place ?? extra.place
    }
}

extension App {
    /// Checks the pairs of a payload whose category Liquid made, so that only now the extension is known.
    func checkExtras(_ payload: Payload) -> [Diagnostic] {
        guard payload.campaign.push.category?.holdsLiquid ?? false, let category = payload.categoryUse.category,
            let extras = contentExtension(claiming: category)?.extras
        else { return [] }
        let root = payload.root
        return extras.compactMap { extra in
            let place = payload.campaign.push.extras.first { $0.key.text.utf8.elementsEqual(extra.key.utf8) }?.value
                .place
            let fault = fault(root[extra.key], extra)
            return fault.map { .contract($0, extra, at: place ?? payload.categoryUse.place) }
        }
    }

    private func fault(_ value: Value?, _ extra: RequiredExtra) -> String? {
        switch value {
        case nil: return extra.isRequired ? ExtrasContract.missing(extra) : nil
        case .string(var text)?: return text.withUTF8 { ExtrasContract(extra).fault($0, isJSON: false, key: extra.key) }
        default: return extra.type == .json ? nil : "'\(extra.key)' is sent as JSON, expected \(extra.type.phrase)"
        }
    }

    /// The content extension that claims a category; the first of several.
    func contentExtension(claiming category: String) -> Extension? {
        contentExtensions.first { $0.categories.contains { $0.value.utf8.elementsEqual(category.utf8) } }
    }
}

extension Diagnostic {
    fileprivate static func contract(_ message: String, _ extra: RequiredExtra, at place: SourcePlace?) -> Diagnostic {
        Diagnostic(
            .extrasContract,
            message,
            at: place,
            related: [Diagnostic.Related("required here", at: extra.place)]
        )
    }

    fileprivate static func wider(_ message: String, _ own: RequiredExtra, _ extra: RequiredExtra) -> Diagnostic {
        Diagnostic(
            .extrasContract,
            message,
            at: own.place,
            related: [Diagnostic.Related("the extension reads it so", at: extra.place)]
        )
    }
}
