// SPDX-License-Identifier: MIT

public import AppDeclarations
import DiagnosticSources

extension Campaign {
    /// The campaign, with the key-value pairs that the app reads from its push added to its requirements.
    ///
    /// The campaign's own `requires` must be at least as strict as the extension; where it is not, ``findings`` say so.
    /// If the category holds Liquid, the extension is not known before rendering, so its pairs are not added:
    /// ``AppDeclarations/App/check(_:)-(Payload)`` then checks each payload.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - externalCategories: the categories that need no extension, and so do not count as misspelt.
    /// - Returns: the campaign with the added requirements.
    public func requiring(_ app: App, besides externalCategories: [String] = []) -> Campaign {
        let extras = extras(of: app, besides: externalCategories)
        var campaign = self
        campaign.codeReads[app.name] = failingReads(of: app, besides: externalCategories)
        if extras.isEmpty { return campaign }
        let place = push.category?.place ?? SourcePlace(wholeFile: file)
        var requirements = self.requirements ?? Requirements(place: place, isStated: false)
        var indices = Dictionary(first: requirements.extras.enumerated().map { (Array($1.key.utf8), $0) })
        for extra in extras {
            guard let index = indices[Array(extra.key.utf8)] else {
                indices[Array(extra.key.utf8)] = requirements.extras.count
                requirements.extras.append(extra)
                continue
            }
            let own = requirements.extras[index]
            if !own.type.isNarrower(than: extra.type) {
                let message = "'\(own.key)' is \(own.type.phrase) here, but \(extra.type.phrase) to the extension"
                campaign.findings.append(.wider(message, own, extra, "the extension reads it here as another type"))
                requirements.extras[index].type = extra.type
            }
            guard extra.isRequired else { continue }
            if own.required?.value == false {
                let message = "'\(own.key)' may be left out here, but the extension requires it"
                campaign.findings.append(.wider(message, own, extra, "the extension requires it here"))
            }
            requirements.extras[index].required = extra.required
        }
        campaign.requirements = requirements
        return campaign
    }

    /// The campaign, with the key-value pairs that several apps read from its push added to its requirements.
    package func requiring(_ apps: [App], besides externalCategories: [String]) -> Campaign {
        apps.reduce(self) { $0.requiring($1, besides: externalCategories) }
    }

    /// The key-value pairs that the handlers of the campaign's push read; the pairs of a content extension are included
    /// only if the category holds no Liquid.
    private func extras(of app: App, besides externalCategories: [String]) -> [RequiredExtra] {
        categories(in: app, besides: externalCategories).flatMap {
            app.extras(ofCategory: $0, runsService: push.runsService)
        }
    }

    /// Whether rendering the campaign already checks everything that an app's extension requires of its pairs, as far
    /// as the extension is known before a message is rendered.
    func requiresAll(of app: App, besides externalCategories: [String]) -> Bool {
        extras(of: app, besides: externalCategories).allSatisfy { requires($0) }
            && (codeReads[app.name] != nil || failingReads(of: app, besides: externalCategories) == nil)
    }

    /// What an app's code reads from the push; nil if no cast or conversion in the code may fail for a value.
    private func failingReads(of app: App, besides externalCategories: [String]) -> PushReads? {
        let reads = PushReads(of: self, in: app, besides: externalCategories)
        return reads.mayFail ? reads : nil
    }

    /// The place of the finding that a pair is not sent: the campaign's requirement, else the key that is probably a
    /// misspelling of the missing one, else the place of all pairs.
    ///
    /// A requirement in the app's files has no place in the campaign.
    func place(ofMissing extra: RequiredExtra) -> SourcePlace {
        if extra.place.file === file { return extra.place }
        return place(ofMissingKey: extra.key) ?? push.category?.place ?? SourcePlace(wholeFile: file)
    }

    /// The place of the key that is probably a misspelling of a missing key, else the place of all pairs; nil if there
    /// are no pairs.
    func place(ofMissingKey key: String) -> SourcePlace? {
        let near = misspelling(of: key)
        return push.extras.first { $0.key.text == near }?.key.place ?? push.extrasPlace
    }

    /// Finds the key of a sent pair that is probably a misspelling of a missing key.
    ///
    /// - Parameters:
    ///   - key: the missing key.
    ///   - known: pairs whose keys are also known to be right, besides those that the campaign requires.
    /// - Returns: the key that is sent; nil if none is similar to the missing key.
    func misspelling(of key: String, known: [RequiredExtra] = []) -> String? {
        let right = Set(((requirements?.extras ?? []) + known).map(\.key))
        let keys = push.extras.map(\.key).filter { !$0.holdsLiquid && !right.contains($0.text) }
        return nearestName(to: key, in: keys.map(\.text)).flatMap { mayBeMisspelt(key, $0) ? $0 : nil }
    }
}

extension Diagnostic {
    fileprivate static func wider(
        _ message: String,
        _ own: RequiredExtra,
        _ extra: RequiredExtra,
        _ reading: String
    ) -> Diagnostic {
        Diagnostic(.extrasContract, message, at: own.place, related: [Diagnostic.Related(reading, at: extra.place)])
    }
}
