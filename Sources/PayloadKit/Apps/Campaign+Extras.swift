// SPDX-License-Identifier: MIT

public import AppBundles
import SourceText

extension Campaign {
    /// The campaign with the key-value pairs that are read by the extension which claims its category.
    ///
    /// The campaign's own `requires` may only be stricter than the extension; where it is not, ``findings`` say so. A
    /// campaign whose category holds Liquid has no extension before it is rendered, and stays as it is:
    /// ``AppBundles/App/check(_:)-(Payload)`` then checks each payload.
    public func requiring(_ app: App) -> Campaign {
        let extras = extras(of: app)
        if extras.isEmpty { return self }
        var campaign = self
        let place = push.category?.place ?? SourcePlace(file, SourceRange(0, 0))
        var requirements = self.requirements ?? Requirements(place: place)
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
                let message = "'\(own.key)' is \(own.type.phrase) here, but \(extra.type.phrase) to the extension"
                campaign.findings.append(.wider(message, own, extra))
                requirements.extras[index].type = extra.type
            }
            guard extra.isRequired else { continue }
            if own.required?.value == false {
                let message = "'\(own.key)' may be left out here, but the extension requires it"
                campaign.findings.append(.wider(message, own, extra))
            }
            requirements.extras[index].required = extra.required
        }
        campaign.requirements = requirements
        return campaign
    }

    /// The key-value pairs that are read by the extension which claims the category; none where Liquid gives the
    /// category.
    private func extras(of app: App) -> [RequiredExtra] {
        guard let category = push.category, !category.holdsLiquid else { return [] }
        return app.extras(ofCategory: category.text)
    }

    /// Whether rendering the campaign checks all that an app's extension needs of its pairs, as far as the extension is
    /// known before a message is rendered.
    func requiresAll(of app: App) -> Bool { extras(of: app).allSatisfy { requires($0) } }

    /// The place of the finding that a pair is not sent: where the campaign requires it, else the category.
    ///
    /// A pair that only the app requires is reported at the category, because the app's files are not part of the
    /// campaign.
    func place(ofMissing extra: RequiredExtra) -> SourcePlace {
        extra.place.file === file ? extra.place : push.category?.place ?? extra.place
    }
}

extension Diagnostic {
    fileprivate static func wider(_ message: String, _ own: RequiredExtra, _ extra: RequiredExtra) -> Diagnostic {
        Diagnostic(
            .extrasContract, message, at: own.place,
            related: [Diagnostic.Related("the extension reads it so", at: extra.place)]
        )
    }
}
