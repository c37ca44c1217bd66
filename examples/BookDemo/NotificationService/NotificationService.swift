// SPDX-License-Identifier: MIT

import UniformTypeIdentifiers
import UserNotifications

/// Attaches the image of a rich push.
final class NotificationService: UNNotificationServiceExtension {
    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        guard let content = request.content.mutableCopy() as? UNMutableNotificationContent,
            let braze = content.userInfo["ab"] as? [String: Any], let image = braze["att"] as? [String: Any],
            let text = image["url"] as? String, let url = URL(string: text)
        else { return contentHandler(request.content) }
        // The file that is downloaded has no extension, by which the system would know its type.
        let type = (image["type"] as? String).flatMap { UTType(filenameExtension: $0) }
        let options = type.map { [UNNotificationAttachmentOptionsTypeHintKey: $0.identifier] }
        URLSession.shared.downloadTask(with: url) { file, _, _ in
            if let file,
                let attachment = try? UNNotificationAttachment(identifier: "image", url: file, options: options)
            {
                content.attachments = [attachment]
            }
            contentHandler(content)
        }.resume()
    }
}
