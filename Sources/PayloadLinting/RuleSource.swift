// SPDX-License-Identifier: MIT

/// Where a rule comes from: the page or the public report that shows what the rule finds, or the mistake itself.
public struct RuleSource: Sendable, Hashable, ExpressibleByStringLiteral {
    /// An address, or a mistake in words.
    public let text: String

    /// Creates a source from an address.
    public init(stringLiteral text: String) { self.text = text }

    /// Creates a source from a mistake that authors make in a format of this project, so that no page elsewhere
    /// describes it.
    package init(mistake: String) { text = "a mistake of campaign authors: " + mistake }
}

/// The pages that several rules follow.
extension RuleSource {
    package static let contentExtension = apple("usernotificationsui/unnotificationcontentextension")
    package static let extensionCategory = extensionAttribute("unnotificationextensioncategory")
    package static let sizeRatio = extensionAttribute("unnotificationextensioninitialcontentsizeratio")
    package static let userInteraction = extensionAttribute("unnotificationextensionuserinteractionenabled")
    package static let infoPlist = apple("bundleresources/information-property-list")
    package static let propertyListDTD: RuleSource = "http://www.apple.com/DTDs/PropertyList-1.0.dtd"
    package static let appGroups = apple("bundleresources/entitlements/com.apple.security.application-groups")
    package static let remotePayload = apple("usernotifications/generating-a-remote-notification")
    package static let backgroundPushes = apple("usernotifications/pushing-background-updates-to-your-app")
    package static let actionableTypes = apple("usernotifications/declaring-your-actionable-notification-types")
    package static let usingLiquid = personalization("liquid/using_liquid")
    package static let personalizationTags = personalization("liquid/supported_personalization_tags")
    package static let brazeFilters = personalization("liquid/filters")
    package static let conditionalLogic = personalization("liquid/conditional_logic")
    package static let abortingMessages = personalization("liquid/aborting_messages")
    package static let defaultValues = braze(
        "user_guide/personalization_and_dynamic_content/liquid/setting_default_values"
    )
    package static let connectedContent = personalization("connected_content/making_an_api_call")
    package static let contentBlocks = braze("user_guide/messaging/design_and_edit/content_blocks")
    package static let catalogs = braze("user_guide/data/activation/catalogs/use")
    package static let applePushObject = braze("api/objects_filters/messaging/apple_object")
    package static let keyValuePairs = braze("user_guide/personalization_and_dynamic_content/key_value_pairs")
    package static let userExport = braze("api/endpoints/export/user_data/post_users_segment")
    package static let pushStories = brazeDocs(
        "ac4dc208/_includes/developer_guide/swift/push_notifications/push_stories.md"
    )
    package static let pushGuide = brazeDocs(
        "f56b4590/_includes/developer_guide/swift/push_notifications/examples.md"
    )
    package static let translations = RuleSource(
        stringLiteral: "https://github.com/brazethatwallace/braze-docs/blob/0ef3d35/_docs/_user_guide/messaging/"
            + "messaging_fundamentals/localization/locales_in_messages.md"
    )
    package static let inAppTriggers = brazeDocs(
        "242f499d/_includes/developer_guide/swift/in_app_messages/triggering_messages.md"
    )
    package static let json: RuleSource = "https://www.rfc-editor.org/rfc/rfc8259"
    package static let yaml: RuleSource = "https://yaml.org/spec/1.2.2/"
    package static let dateFilter: RuleSource = "https://shopify.github.io/liquid/filters/date/"
    package static let notificationContent = apple("usernotifications/unnotificationcontent/userinfo")
    package static let buildSettings = apple("xcode/build-settings-reference")
    package static let trackEndpoint = braze("api/endpoints/user_data/post_user_track")
    /// A report about a linter that says nothing about files that it cannot read.
    package static let silentlyUnread: RuleSource = "https://github.com/DonIsaac/zlint/issues/370"
    /// A report about findings that are left out because of a limit.
    package static let findingLimit: RuleSource = "https://github.com/github/docs/issues/38085"

    package static func apple(_ page: String) -> RuleSource {
        RuleSource(stringLiteral: "https://developer.apple.com/documentation/" + page)
    }

    private static func extensionAttribute(_ key: String) -> RuleSource {
        apple("bundleresources/information-property-list/nsextension/nsextensionattributes/" + key)
    }

    package static func braze(_ page: String) -> RuleSource {
        RuleSource(stringLiteral: "https://www.braze.com/docs/" + page)
    }

    package static func personalization(_ page: String) -> RuleSource {
        braze("user_guide/messaging/design_and_edit/personalize/" + page)
    }

    /// A page in Braze's repository, at a certain commit.
    package static func brazeDocs(_ page: String) -> RuleSource {
        RuleSource(stringLiteral: "https://github.com/braze-inc/braze-docs/blob/" + page)
    }
}
