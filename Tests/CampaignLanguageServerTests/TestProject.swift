// SPDX-License-Identifier: MIT

import Foundation
import PayloadgenTestSupport

/// A small project in a temporary folder: an app with one extension, two campaigns, a content block and a profile.
struct TestProject {
    let folder: TemporaryFolder

    static let campaign = """
        version: 1
        content_blocks: blocks/
        push:
          title: "Hi {{ ${first_name} | default: 'you' }} 😀"
          body: "{{ content_blocks.${sign_off} }}"
          category: lab
          extras:
            level: "{{ custom_attribute.${level} | default: 1 }}"
        tests:
          - name: Ana
            profile: ../profiles/ana.json
            expect: {extras: {level: "1"}}

        """

    static let code = """
        import UserNotifications
        import UserNotificationsUI

        final class NotificationViewController: UIViewController, UNNotificationContentExtension {
            func didReceive(_ notification: UNNotification) {
                guard let level = notification.request.content.userInfo["level"] as? String else { return }
                print(level)
            }
        }

        """

    static let files: [String: String] = [
        ".payloadgen.yml": "version: 1\n",
        "ios/App/Info.plist": plist("<key>LSRequiresIPhoneOS</key>\n\t<true/>"),
        "ios/Lab/Info.plist": plist(
            """
            <key>NSExtension</key>
            \t<dict>
            \t\t<key>NSExtensionAttributes</key>
            \t\t<dict>
            \t\t\t<key>UNNotificationExtensionCategory</key>
            \t\t\t<string>lab</string>
            \t\t\t<key>UNNotificationExtensionInitialContentSizeRatio</key>
            \t\t\t<real>0.6</real>
            \t\t</dict>
            \t\t<key>NSExtensionPointIdentifier</key>
            \t\t<string>com.apple.usernotifications.content-extension</string>
            \t\t<key>NSExtensionPrincipalClass</key>
            \t\t<string>$(PRODUCT_MODULE_NAME).NotificationViewController</string>
            \t</dict>
            """),
        "ios/Lab/payloadgen.extras.yml": "level: {type: integer, required: true}\n",
        "ios/Lab/NotificationViewController.swift": code,
        "campaigns/a.campaign.yml": campaign,
        "campaigns/b.campaign.yml":
            "version: 1\ncontent_blocks: blocks/\npush: {title: Hi, body: \"{{ content_blocks.${sign_off} }}\"}\n",
        "campaigns/blocks/sign_off.liquid": "See you\n",
        "profiles/ana.json": #"{"external_id": "ana", "first_name": "Ana", "custom_attributes": {"level": 1}}"#,
    ]

    /// Writes the files of the project, and `more` files by their paths.
    init(_ more: [String: String] = [:]) throws {
        folder = try TemporaryFolder()
        for (path, text) in Self.files.merging(more, uniquingKeysWith: { $1 }) { try folder.write(text, to: path) }
    }

    /// The absolute path of a file in the project.
    func path(_ file: String) -> String { root + "/" + file }

    /// The absolute path of the project's folder.
    var root: String { folder.url.path }

    private static func plist(_ content: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \t\(content)
        </dict>
        </plist>

        """
    }
}
