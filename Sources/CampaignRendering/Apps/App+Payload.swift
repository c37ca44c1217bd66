// SPDX-License-Identifier: MIT

public import AppDeclarations
public import DiagnosticSources
import LiquidTemplates

extension App {
    /// Checks a rendered payload against what the app declares.
    ///
    /// Exactly one content extension must claim the category, and accept touches as the campaign requires. The
    /// key-value pairs that it reads must be sent, each with its type. An image needs a service extension. A pair that
    /// the campaign itself requires, at least as strictly as the extension, was already checked when the payload was
    /// rendered, and is not checked again. A pair that nothing declares must be sent if code of the app needs it.
    ///
    /// - Returns: the findings, with the default severities of the rules.
    public func check(_ payload: Payload) -> [Diagnostic] {
        // Braze may send a category that its API does not return.
        let isNotGiven = payload.campaign.isCategoryNotGiven
        var findings = isNotGiven ? [] : check(payload.categoryUse)
        if let image = payload.campaign.push.image, payload["image"] != nil, !hasServiceExtension {
            findings.append(.withoutService(self, at: image.url.place))
        }
        let sent = Set(payload.extraFields.map(\.key))
        let runsService = payload.campaign.push.mutableContent?.value == true || payload["image"] != nil
        let use = payload.categoryUse
        let meant = use.category.map { category(meantBy: $0, besides: use.externalCategories) }
        let categories = isNotGiven ? payload.campaign.categories(in: self) : [meant]
        // Findings of severity info are left to `lint`.
        let missing = categories.flatMap { category in
            missingReads(payload.campaign, category: category, sent: sent, runsService: runsService)
        }.map(\.finding).filter { $0.severity > .info }
        let needs = undeclaredNeeds(of: payload.campaign.push) { text in
            text.holdsLiquid ? payload.text(of: text.field) : text.text
        }.filter { $0.severity > .info }
        return findings + checkExtras(payload, category: meant) + missing + needs
    }

    private func checkExtras(_ payload: Payload, category: String?) -> [Diagnostic] {
        let required = extras(ofCategory: category, runsService: payload.campaign.push.runsService)
            .filter { !payload.campaign.requires($0) }
        if required.isEmpty { return [] }
        let sent = payload.extraFields
        return required.compactMap { extra in
            guard let index = sent.firstIndex(where: { $0.key.utf8.elementsEqual(extra.key.utf8) }) else {
                // The key may be one that Braze itself adds to the payload.
                guard extra.isRequired, payload.root[extra.key] == nil else { return nil }
                let near = payload.campaign.misspelling(of: extra.key, known: required)
                return .contract(ExtrasContract.missing(extra, near: near), extra, at: payload.categoryUse.place)
            }
            let value = payload.declaration(of: sent[index].field)?.value
            return fault(payload.text(of: sent[index].field), value, extra).map {
                .contract($0, extra, at: value?.place ?? payload.categoryUse.place)
            }
        }
    }

    /// What is wrong with a pair that is sent; nil if nothing is wrong.
    private func fault(_ text: String?, _ value: PushMessage.Extra.Value?, _ extra: RequiredExtra) -> String? {
        guard var text, value?.isJSON != true else {
            return extra.type == .json ? nil : ExtrasContract.wrongForm(extra, isJSON: true)
        }
        return text.withUTF8 { ExtrasContract(extra).fault($0, isJSON: false, key: extra.key) }
    }

    /// The key-value pairs that the handlers of a push read, each key once with its strictest declaration.
    ///
    /// The handlers are the content extension of the category, the service extensions if they run, and the app.
    ///
    /// - Parameters:
    ///   - category: the category; nil or empty for none.
    ///   - runsService: whether the push makes service extensions run.
    /// - Returns: the pairs.
    package func extras(ofCategory category: String?, runsService: Bool) -> [RequiredExtra] {
        let content = category.flatMap { contentExtensions(claiming: $0).first }
        let services = runsService ? extensions.filter { $0.kind == .service } : []
        var found: [RequiredExtra] = []
        // Keys are compared by their bytes, because `String` ignores in which code points a character is written.
        var indices: [[UInt8]: Int] = [:]
        for extra in ([content] + services).flatMap({ $0?.extras ?? [] }) + (extras ?? []) {
            guard let index = indices[Array(extra.key.utf8)] else {
                indices[Array(extra.key.utf8)] = found.count
                found.append(extra)
                continue
            }
            if extra.type.isNarrower(than: found[index].type) { found[index].type = extra.type }
            if extra.isRequired, !found[index].isRequired { found[index].required = extra.required }
        }
        return found
    }
}

extension PushMessage {
    /// Whether service extensions run for the push: it has an image, or its ``mutableContent`` is true.
    package var runsService: Bool { image != nil || mutableContent?.value == true }
}

extension Campaign {
    /// Whether rendering the campaign already checks everything that an extension requires of a pair.
    func requires(_ extra: RequiredExtra) -> Bool {
        (requirements?.extras ?? []).contains { own in
            own.key.utf8.elementsEqual(extra.key.utf8) && own.type.isNarrower(than: extra.type)
                && (own.isRequired || !extra.isRequired)
        }
    }
}

extension Diagnostic {
    /// The finding that a pair is missing, or that an extension or the app cannot use its value.
    static func contract(_ message: String, _ extra: RequiredExtra, at place: SourcePlace?) -> Diagnostic {
        Diagnostic(
            .extrasContract, message, at: place, related: [extra.related],
            subject: Payload.Field.extrasPrefix + extra.key)
    }
}
