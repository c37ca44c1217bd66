// SPDX-License-Identifier: MIT
// swift-format-ignore-file

// The signatures of UserNotifications that the examples use, as Apple documents them.

@_exported import Foundation

#if canImport(FoundationNetworking)
    // On Linux, what Apple's Foundation has for networks is a module of its own.
    @_exported import FoundationNetworking
#endif

open class UNNotificationContent: NSObject, @unchecked Sendable {
    open var userInfo: [AnyHashable: Any] { [:] }
}

open class UNMutableNotificationContent: UNNotificationContent, @unchecked Sendable {
    open var attachments: [UNNotificationAttachment] = []
}

open class UNNotificationRequest: NSObject {
    open var content: UNNotificationContent { UNNotificationContent() }
}

open class UNNotification: NSObject {
    open var request: UNNotificationRequest { UNNotificationRequest() }
}

open class UNNotificationResponse: NSObject {
    open var actionIdentifier: String { "" }
}

public let UNNotificationAttachmentOptionsTypeHintKey = "UNNotificationAttachmentOptionsTypeHintKey"

open class UNNotificationAttachment: NSObject {
    public init(identifier: String, url URL: URL, options: [AnyHashable: Any]? = nil) throws {}
}

open class UNNotificationServiceExtension: NSObject {
    open func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {}
}

public struct UNNotificationActionOptions: OptionSet, Sendable {
    public static let foreground = UNNotificationActionOptions(rawValue: 1 << 2)

    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
}

public struct UNNotificationCategoryOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
}

open class UNNotificationAction: NSObject {
    public init(identifier: String, title: String, options: UNNotificationActionOptions = []) {}
}

open class UNNotificationCategory: NSObject {
    public init(
        identifier: String,
        actions: [UNNotificationAction],
        intentIdentifiers: [String],
        options: UNNotificationCategoryOptions = []
    ) {}
}

open class UNUserNotificationCenter: NSObject {
    open class func current() -> UNUserNotificationCenter { UNUserNotificationCenter() }
    open func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {}
}
