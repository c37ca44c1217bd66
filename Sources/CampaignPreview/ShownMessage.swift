// SPDX-License-Identifier: MIT

package import PayloadKit

/// A message as a phone shows it, for pages.
package struct ShownMessage {
    /// The message; nil if the phone gets none.
    private let message: MessageDescription?

    /// The reason why the message does not pass its checks; nil if it does.
    private let error: String?

    /// The name of the app on the phone.
    private let app: String

    /// The words before the error of a message that Braze sends although it does not pass its checks.
    static let sentAnywayPrefix = "Braze sends the message anyway: "

    package init(_ message: MessageDescription?, error: String? = nil, app: String) {
        self.message = message?.size.isOverLimit == true ? nil : message
        self.error = message.flatMap { $0.size.isOverLimit ? Self.refusal(of: $0.size) : nil } ?? error
        self.app = app
    }

    private static func refusal(of size: SizeBudget) -> String {
        "APNs refuses \(RenderMessages.grouped(size.bytes)) bytes"
    }

    /// The values for a lock screen with the notification, without a time.
    package var lockScreen: PageModel {
        [
            "look": PageView.Look.lock.rawValue, "clock": nil as String?, "long": nil as String?,
            "notification": notification(.lock, nil, .now),
        ]
    }

    /// The error of a message that Braze sends although it does not pass its checks; nil for other messages.
    package var fault: String? { message == nil ? nil : error.map { Self.sentAnywayPrefix + $0 } }

    /// The values for the notification, or for the reason that there is none.
    func notification(_ look: PageView.Look, _ language: String?, _ seen: PageView.Seen) -> PageModel {
        guard let message else {
            return ["none": "No notification", "why": error ?? "The campaign cannot be rendered"]
        }
        guard message["title"] != nil || message["body"] != nil else {
            return ["none": "Nothing to see", "why": "The push has no alert: it only wakes the app"]
        }
        return [
            "none": nil as String?,
            "lines": look.bodyLines,
            "language": language,
            "letter": String(app.prefix(1)),
            "is_urgent": message["interruption_level"] == "time-sensitive",
            "title": ExactText(message["title"] ?? app),
            "stamp": seen.stamp,
            "subtitle": message["subtitle"].map(ExactText.init),
            "body": ExactText(message["body"] ?? ""),
            "image": (message.image?.url).map(ExactText.init),
            "image_type": message.image?.type,
        ]
    }
}
