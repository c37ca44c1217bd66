// SPDX-License-Identifier: MIT

import AppDeclarations
import BrazeLiquid
package import DiagnosticSources
import LiquidTemplates
import PlatformLibc

/// The rules about campaign files and the files of an app.
extension RuleID {
    package static let campaignSyntax = RuleID(
        "campaign-syntax", .error, "a file that is not a campaign", isAboutUnread: true
    )
    package static let campaignUnknownKey = RuleID(
        "campaign-unknown-key", .error, "a key that campaigns do not have"
    )
    package static let reservedKey = RuleID(
        "extras-reserved-key", .error, "a key-value pair with a key of the system or of Braze"
    )
    package static let buttonAction = RuleID("button-action", .error, "a button whose id or action is not allowed")
    package static let buttonWithoutCategory = RuleID(
        "button-without-category", .error, "buttons in a push without a category"
    )
    package static let backgroundWithAlert = RuleID(
        "background-with-alert", .error, "a background push with fields that only an alert may have"
    )
    package static let collapseIDLength = RuleID(
        "collapse-id-length", .error, "a collapse id of more than 64 bytes"
    )
    package static let relevanceScoreRange = RuleID(
        "relevance-score-range", .error, "a relevance score outside of 0 to 1"
    )
    package static let badgeValue = RuleID("badge-value", .error, "a badge that is not a whole number of 0 or more")
    package static let extrasContract = RuleID(
        "extras-contract", .error,
        "a required key-value pair that is not sent, or whose value cannot have the required type"
    )
    package static let payloadSize = RuleID("payload-size", .error, "a payload that is too large", scope: .lint)
    package static let richPushWithoutService = RuleID(
        "rich-push-without-service", .error, "a push with an image to an app without a service extension"
    )
    package static let entitlementMissing = RuleID(
        "entitlement-missing", .error, "a time-sensitive or critical push to an app without the entitlement for it"
    )
    package static let schemeUnregistered = RuleID(
        "scheme-unregistered", .warning, "a link with a scheme or domain that does not open the app"
    )
    package static let soundMissing = RuleID(
        "sound-missing", .warning, "a sound that the app does not have, or that iOS does not play"
    )
    package static let localizedKeyMissing = RuleID(
        "localized-key-missing", .warning,
        "a localization key that the app does not have, or whose text takes another number of arguments"
    )
    package static let appSyntax = RuleID(
        "app-syntax", .error, "an app.json or payloadgen.extras.yml that cannot be used", isAboutUnread: true
    )
    package static let appUnknownKey = RuleID(
        "app-unknown-key", .error, "a key in app.json or payloadgen.extras.yml that nothing reads"
    )
    package static let appNotFound = RuleID("app-not-found", .error, "a path where no app is found")
}

/// The rules about rendered messages.
extension RuleID {
    package static let renderWarning = RuleID(
        "render-warning", .warning, "a part of a template that does nothing when it is rendered"
    )
    package static let missingValue = RuleID(
        "missing-value", .warning, "a template that prints a variable or attribute that does not exist"
    )
    package static let textArithmetic = RuleID(
        "text-arithmetic", .warning, "a calculation with a text that is not a number"
    )
    package static let filterInput = RuleID(
        "filter-input", .warning, "a filter that gets a value or an argument on which it does not work"
    )
    package static let integerDivision = RuleID(
        "integer-division", .info, "a division of whole numbers whose fraction is needed"
    )
    package static let dateFormat = RuleID(
        "date-format", .warning, "a date, a format of 'date' or a time zone that does not mean what it seems to"
    )
    package static let dateReading = RuleID(
        "date-reading", .warning, "a value that 'date' reads as a different time than it looks like"
    )
    package static let valueComparison = RuleID(
        "value-comparison", .warning, "a comparison of values of different types, which is never true"
    )
    package static let extrasCast = RuleID(
        "extras-cast", .warning, "a key-value pair with a value for which a cast or conversion in code fails"
    )
    package static let blankField = RuleID(
        "blank-field", .warning, "a field that is not sent, as it renders to nothing but white space"
    )
    package static let addressForm = RuleID(
        "address-form", .warning, "an address that is not a URL, or that opens nothing on a phone"
    )
    package static let assetForm = RuleID("asset-form", .warning, "an image or sound that iOS does not accept")
    package static let severalDevices = RuleID(
        "several-devices", .info, "a template that reads the most recently used device of a user who has several"
    )
    package static let messagesSend = RuleID(
        "messages-send", .warning, "a message that Braze's POST /messages/send cannot send as it is"
    )
    package static let profileField = RuleID(
        "profile-field", .warning, "a field of a profile that Braze does not export"
    )
    package static let profileSyntax = RuleID(
        "profile-syntax", .error, "a text that is not a profile, context or set of properties", isAboutUnread: true,
        scope: .lint
    )
    package static let campaignWithoutApp = RuleID(
        "campaign-without-app", .warning, "a campaign that is not checked against an app although there are apps",
        reportsUncheckedPart: true
    )
    package static let extrasUnchecked = RuleID(
        "extras-unchecked", .info, "key-value pairs that are sent to an extension whose reads are not known",
        reportsUncheckedPart: true, scope: .message
    )
}

extension InputError {
    /// The error of a file that is not there or cannot be opened.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - rule: the rule of the finding if the file is there but cannot be opened.
    /// - Returns: the error.
    static func missing(_ path: String, _ rule: RuleID) -> InputError {
        let isThere = access(path, F_OK) == 0
        let finding = Diagnostic(
            isThere ? rule : .missingFile, isThere ? "cannot read '\(path)'" : "no file '\(path)'", at: nil)
        return InputError(.missing, [finding])
    }
}
