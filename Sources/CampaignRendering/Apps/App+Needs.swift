// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources

/// What a push needs from an app besides extensions: entitlements, URL schemes, sounds and localized texts.
extension App {
    /// The findings about what a push needs but the app lacks; a finding is info if it is not known whether the app
    /// lacks it.
    ///
    /// - Parameters:
    ///   - push: the message.
    ///   - text: returns a text of the message as it is sent; nil if it is known only after rendering.
    /// - Returns: the findings.
    func undeclaredNeeds(of push: PushMessage, as text: (TemplateText) -> String?) -> [Diagnostic] {
        entitlementFindings(push) + linkFindings(push, text) + soundFindings(push, text)
            + localizationFindings(push, text)
    }

    /// The finding that something is not checked because a part of the app is not known.
    private func gapFinding(_ rule: RuleID, _ checked: String, _ what: String, at place: SourcePlace?) -> Diagnostic {
        let isStored = self.place?.file.path.hasSuffix(".json") ?? false
        let advice = isStored ? "; 'payloadgen app' writes them" : ""
        return Diagnostic(
            rule, "\(checked) is not checked: the \(what) of \(name) are not known\(advice)", at: place, severity: .info
        )
    }

    private var related: [Diagnostic.Related] { place.map { [Diagnostic.Related("the app", at: $0)] } ?? [] }

    // MARK: - Entitlements

    private func entitlementFindings(_ push: PushMessage) -> [Diagnostic] {
        var needs: [(key: String, field: String, effect: String, place: SourcePlace?)] = []
        func add(_ key: String, _ field: String, _ effect: String, at place: SourcePlace?) {
            needs.append((key, field, effect, place))
        }
        let sound = "so a muted device stays silent; Apple grants the entitlement on request"
        if case .word(let level)? = push["interruption_level"] {
            let field = "'interruption_level: \(level.value)'"
            if level.value == "time-sensitive" {
                let effect = "so it arrives as 'active'; add the capability Time Sensitive Notifications in Xcode"
                add(BundleKey.timeSensitive, field, effect, at: level.place)
            } else if level.value == "critical" {
                add(BundleKey.criticalAlerts, field, sound, at: level.place)
            }
        }
        if needs.isEmpty, case .members(let members, let place)? = push["sound"], members.count > 1,
            case .flag(let flag)? = members[1], flag.value
        {
            add(BundleKey.criticalAlerts, "a critical sound", sound, at: flag.place ?? place)
        }
        return needs.compactMap { need in
            guard let granted = pushEntitlements?[need.key] else {
                return gapFinding(.entitlementMissing, need.field, "entitlements", at: need.place)
            }
            let message =
                "\(need.field) needs \(need.key), which the entitlements of \(name) do not have, \(need.effect)"
            let place = entitlementsPlace.map { [Diagnostic.Related("the entitlements of the app", at: $0)] }
            return granted ? nil : Diagnostic(.entitlementMissing, message, at: need.place, related: place ?? related)
        }
    }

    // MARK: - Links

    /// The URL schemes that the system or its own apps open.
    ///
    /// Source: Apple, "Apple URL Scheme Reference", and the apps of iOS.
    private static let systemSchemes: Set<String> = [
        "tel", "telprompt", "sms", "mailto", "facetime", "facetime-audio", "map", "maps", "music", "musics", "videos",
        "podcasts", "shortcuts", "calshow", "webcal", "app-settings", "prefs", "app-prefs", "message", "messages",
        "photos-redirect", "ibooks", "wallet", "shoebox", "contact", "clips", "findmy", "fmip1", "x-web-search",
        "javascript", "data", "file", "about", "blob", "ftp",
    ]

    private func linkFindings(_ push: PushMessage, _ text: (TemplateText) -> String?) -> [Diagnostic] {
        let buttons = push.buttons.filter { $0.action?.value.opensAddress ?? true }.compactMap(\.uri)
        return ([push.uri].compactMap(\.self) + buttons).compactMap { uri in
            let link = text(uri).map { $0[...] } ?? uri.textBeforeLiquid
            guard let colon = link.firstIndex(of: ":"), case let scheme = link[..<colon].lowercased(),
                scheme.first?.isLetter ?? false,
                scheme.utf8.allSatisfy({ $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) })
            else { return nil }
            if scheme == "https" || scheme == "http" { return domainFinding(link[colon...], push, at: uri.place) }
            guard !Self.systemSchemes.contains(scheme), !scheme.hasPrefix("itms"), !scheme.hasPrefix("x-apple"),
                !queriedSchemes.contains(where: { $0.lowercased() == scheme })
            else { return nil }
            guard let own = urlSchemes, !own.contains(where: { Self.holdsBuildSetting($0.value) }) else {
                return gapFinding(.schemeUnregistered, "the scheme '\(scheme)'", "URL schemes", at: uri.place)
            }
            if own.contains(where: { $0.value.lowercased() == scheme }) { return nil }
            if let written = own.first(where: { $0.value.lowercased().hasPrefix(scheme + ":") }) {
                return Diagnostic(
                    .schemeUnregistered,
                    """
                    the CFBundleURLTypes of \(name) have '\(written.value)' in place of the scheme '\(scheme)', so a tap does \
                    not open the app
                    """,
                    at: uri.place,
                    related: written.place.map { [Diagnostic.Related("expected '\(scheme)' here", at: $0)] } ?? related
                )
            }
            // A misspelt `http` or `https` is reported by the check of the address's form.
            if scheme.utf8.count > 3, nearestName(to: scheme, in: ["https", "http"]) != nil { return nil }
            let near = nearestName(to: scheme, in: own.map { $0.value.lowercased() })
            let names = own.map(\.value).quoted(atMost: 3)
            let advice = """
                expected \(own.isEmpty ? "it there" : "one of \(names)"), or the scheme in \(BundleKey.queriedSchemes) where \
                another app opens it
                """
            return Diagnostic(
                .schemeUnregistered,
                """
                the scheme '\(scheme)' is not in the CFBundleURLTypes of \(name), so a tap does not open the app\
                \(didYouMean(near, after: ";", else: "; \(advice)"))
                """,
                at: uri.place,
                related: related
            )
        }
    }

    /// The finding about a web link whose domain is similar to a domain whose links open the app.
    private func domainFinding(_ rest: Substring, _ push: PushMessage, at place: SourcePlace) -> Diagnostic? {
        let prefix = "applinks:"
        let domains = (associatedDomains ?? []).map(\.value).filter { $0.hasPrefix(prefix) }
            .map { String($0.dropFirst(prefix.count).prefix { $0 != "?" }).lowercased() }
        let host = String(rest.drop { ":/".contains($0) }.prefix { !"/?#:".contains($0) }).lowercased()
        let isOpened = domains.contains { domain in
            domain == host || domain.hasPrefix("*.") && host.hasSuffix(domain.dropFirst())
        }
        guard !host.isEmpty, !isOpened else { return nil }
        var near = nearestName(to: host, in: domains)
        // A link that opens in a web view need not open the app, so `www.` matters only for other links.
        if case .flag(let flag)? = push["use_webview"], !flag.value {
            near = near ?? domains.first { "www." + $0 == host || "www." + host == $0 }
        }
        guard let near else { return nil }
        return Diagnostic(
            .schemeUnregistered,
            "the entitlements of \(name) do not have the domain '\(host)', so the link opens a browser; did you mean '\(near)'?",
            at: place,
            related: related
        )
    }

    // MARK: - Sounds and texts

    private func soundFindings(_ push: PushMessage, _ text: (TemplateText) -> String?) -> [Diagnostic] {
        let source: TemplateText? =
            switch push["sound"] {
            case .text(let sound)?: sound
            case .members(let members, _)?: if case .text(let name)?? = members.first { name } else { nil }
            default: nil
            }
        // A text that is not the name of a sound file is reported by the check of its form.
        guard let source, let sound = text(source), sound != "default", !sound.contains("/"),
            ["caf", "aiff", "aif", "aifc", "wav"].contains(where: { sound.lowercased().hasSuffix("." + $0) })
        else { return [] }
        guard let sounds = resources.value?.sounds else {
            return [gapFinding(.soundMissing, "the sound '\(sound)'", "resources", at: source.place)]
        }
        guard let known = sounds.first(where: { $0.name == sound }) else {
            let near = nearestName(to: sound, in: sounds.map(\.name))
            let message = """
                no resource of \(name) is called '\(sound)', so iOS plays the default sound\
                \(didYouMean(near, after: ";", else: ", unless the app saves it in its Library/Sounds"))
                """
            return [Diagnostic(.soundMissing, message, at: source.place, related: related)]
        }
        return known.fault.map { fault in
            let message = "iOS plays the default sound for '\(sound)': \(fault)"
            return [Diagnostic(.soundMissing, message, at: source.place, related: related)]
        } ?? []
    }

    private func localizationFindings(_ push: PushMessage, _ text: (TemplateText) -> String?) -> [Diagnostic] {
        let fields = [
            ("title_loc_key", "title_loc_args"), ("subtitle_loc_key", "subtitle_loc_args"), ("loc_key", "loc_args"),
        ]
        return fields.compactMap { field, arguments in
            guard let source = push.text(field), let key = text(source), !key.isEmpty else { return nil }
            guard let strings = resources.value?.strings else {
                return gapFinding(.localizedKeyMissing, "the key '\(key)'", "localized texts", at: source.place)
            }
            var sent: [TemplateText] = []
            if case .texts(let texts, _)? = push[arguments] { sent = texts }
            guard let expected = strings[key] else {
                let near = nearestName(to: key, in: strings.keys.sorted())
                let message = """
                    the Localizable tables of \(name) do not have the key '\(key)', so people see the key\
                    \(didYouMean(near, after: ";"))
                    """
                return Diagnostic(.localizedKeyMissing, message, at: source.place, related: related)
            }
            guard expected != sent.count else { return nil }
            let message = """
                the text of '\(key)' takes \(expected) argument\(expected == 1 ? "" : "s"), and '\(arguments)' gives \
                \(sent.count)
                """
            return Diagnostic(
                .localizedKeyMissing, message, at: push[arguments]?.place ?? source.place, related: related)
        }
    }
}
