// SPDX-License-Identifier: MIT

import DiagnosticSources
import PlistDocuments

/// A condition of an assignment to a build setting, such as `sdk=iphoneos*` in `NAME[sdk=iphoneos*]`.
struct SettingCondition: Sendable, Hashable {
    /// The configuration and the SDK with which conditions are compared.
    struct Context: Sendable {
        /// The name of the build configuration; nil if it is not known.
        var configuration: String?

        /// The name of the SDK, without a version.
        var sdk = "iphoneos"
    }

    /// The property of the build that is compared, such as `sdk`.
    let parameter: String

    /// The pattern that the property must match; `*` matches any characters, `?` a single one.
    let pattern: String

    /// Splits the name of a setting and its conditions, as in `NAME[sdk=iphoneos*][arch=arm64]`.
    ///
    /// - Returns: the name and the conditions; nil if the text is not the name of a setting.
    static func read(_ text: String) -> (name: String, conditions: [SettingCondition])? {
        guard let bracket = text.utf8.firstIndex(of: UInt8(ascii: "[")) else { return (text, []) }
        var conditions: [SettingCondition] = []
        var rest = text[bracket...]
        while rest.utf8.first == UInt8(ascii: "[") {
            guard let end = rest.utf8.firstIndex(of: UInt8(ascii: "]")),
                let sign = rest.utf8.firstIndex(of: UInt8(ascii: "=")), sign < end
            else { return nil }
            let parameter = String(rest[rest.utf8.index(after: rest.startIndex)..<sign]).trimmed
            let pattern = String(rest[rest.utf8.index(after: sign)..<end]).trimmed
            conditions.append(SettingCondition(parameter: parameter, pattern: pattern))
            rest = rest[rest.utf8.index(after: end)...].drop { $0 == " " || $0 == "\t" }
        }
        return rest.isEmpty ? (String(text[..<bracket]).trimmed, conditions) : nil
    }

    /// Whether all conditions in a list are met; nil if that cannot be decided.
    static func hold(_ conditions: [SettingCondition], in context: Context) -> Bool? {
        var isDecided = true
        for condition in conditions {
            switch condition.holds(in: context) {
            case true?: break
            case false?: return false
            case nil: isDecided = false
            }
        }
        return isDecided ? true : nil
    }

    /// Whether the condition is met; nil if that depends on the version of the SDK, or on something that is not known
    /// here.
    private func holds(in context: Context) -> Bool? {
        if pattern == "*" { return true }
        // Only some versions of Xcode read a comma in one pair of brackets as a separator, so this cannot be decided.
        guard pattern.utf8.count <= 256, !pattern.contains(",") else { return nil }
        let names = NamePattern(pattern)
        switch parameter {
        case "sdk": return holds(ofSDK: context.sdk, names)
        case "config": return context.configuration.map(names.matches)
        case "variant": return names.matches("normal")
        // A bundle is built for all architectures at once, but current devices have only arm64.
        case "arch": return names.matches("arm64") ? nil : false
        default: return nil
        }
    }

    /// Whether the pattern matches an SDK with any version, as in `iphoneos18.0`; nil if it matches only some versions.
    private func holds(ofSDK sdk: String, _ names: NamePattern) -> Bool? {
        if pattern == sdk { return true }
        let matches = Self.versions.map { names.matches(sdk + $0) }
        if !matches.contains(false) { return true }
        let isVersion = pattern.hasPrefix(sdk) && pattern.dropFirst(sdk.count).allSatisfy { $0.isNumber || $0 == "." }
        return matches.contains(true) || isVersion ? nil : false
    }

    /// Versions of SDKs to try: a pattern that matches all of them does not depend on the version.
    private static let versions = ["9.3", "17.0", "18.5", "26.0"]
}
