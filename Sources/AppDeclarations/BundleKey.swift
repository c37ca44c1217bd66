// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The keys and values that Apple and Braze read from an app's property lists.
///
/// Apple: Information Property List, `NSExtensionAttributes`; Entitlements. Braze: Push Stories for Swift.
package enum BundleKey {
    package static let bundleIdentifier = "CFBundleIdentifier"
    package static let displayName = "CFBundleDisplayName"
    package static let name = "CFBundleName"
    package static let version = "CFBundleVersion"
    package static let shortVersion = "CFBundleShortVersionString"
    package static let packageType = "CFBundlePackageType"
    package static let backgroundModes = "UIBackgroundModes"
    package static let extensionDictionary = "NSExtension"
    package static let attributes = "NSExtensionAttributes"
    package static let pointIdentifier = "NSExtensionPointIdentifier"
    package static let storyboard = "NSExtensionMainStoryboard"
    package static let principalClass = "NSExtensionPrincipalClass"

    package static let contentPoint = "com.apple.usernotifications.content-extension"
    package static let servicePoint = "com.apple.usernotifications.service"

    package static let category = "UNNotificationExtensionCategory"
    package static let ratio = "UNNotificationExtensionInitialContentSizeRatio"
    package static let contentHidden = "UNNotificationExtensionDefaultContentHidden"
    static let overridesTitle = "UNNotificationExtensionOverridesDefaultTitle"
    package static let interaction = "UNNotificationExtensionUserInteractionEnabled"
    package static let notificationAttributes = [category, ratio, contentHidden, overridesTitle, interaction]
    package static let booleanAttributes = [contentHidden, overridesTitle, interaction]

    /// Apple's key that an unknown key probably means; nil if none is similar.
    ///
    /// The keys are compared without their common prefix, which would make all of them similar.
    package static func nearestNotificationAttribute(to key: String) -> String? {
        func stripped(_ name: String) -> String {
            let name = name.trimmed.lowercased()
            for prefix in ["unnotificationextension", "unnotification"] where name.hasPrefix(prefix) {
                return String(name.dropFirst(prefix.count))
            }
            return name
        }
        let wanted = stripped(key)
        let names = notificationAttributes.map(stripped)
        let near =
            names.firstIndex(of: wanted) ?? nearestName(to: wanted, in: names).flatMap { names.firstIndex(of: $0) }
        if let near { return notificationAttributes[near] }
        let holding = names.indices.filter { wanted.count >= 5 && names[$0].holds(wanted) }
        return holding.count == 1 ? notificationAttributes[holding[0]] : nil
    }

    package static let urlTypes = "CFBundleURLTypes"
    package static let urlSchemes = "CFBundleURLSchemes"
    package static let queriedSchemes = "LSApplicationQueriesSchemes"

    package static let apsEnvironment = "aps-environment"
    package static let timeSensitive = "com.apple.developer.usernotifications.time-sensitive"
    package static let criticalAlerts = "com.apple.developer.usernotifications.critical-alerts"
    package static let associatedDomains = "com.apple.developer.associated-domains"
    package static let appGroups = "com.apple.security.application-groups"
    package static let braze = "Braze"
    package static let brazeAppGroup = "AppGroup"
}
