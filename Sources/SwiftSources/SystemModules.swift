// SPDX-License-Identifier: MIT

import AppDeclarations

/// The modules whose code need not be read: Apple's, and those of the Braze SDK, which reads only the keys that Braze
/// itself adds to a push.
enum SystemModules {
    /// Whether an import, as in ``CodeUnit/imports``, is of such a module, or of a header that Xcode generates.
    static func contains(_ name: String) -> Bool {
        names.contains(name) || name.hasPrefix("_") || name.hasSuffix("-Swift.h")
    }

    private static let names: Set<String> = [
        // The Braze SDK.
        "BrazeKit", "BrazeKitCompat", "BrazeLocation", "BrazeNotificationService", "BrazePushStory", "BrazeUI",
        "BrazeUICompat", "AppboyKit", "AppboyNotificationContentExtension", "AppboyPushStory", "AppboyUI",
        "Appboy_iOS_SDK", "AppboyKit.h", "Appboy-iOS-SDK",
        // The language and its library.
        "Swift", "Darwin", "Dispatch", "Distributed", "Observation", "ObjectiveC", "RegexBuilder", "Synchronization",
        "Testing", "XCTest", "std", "objc", "dispatch", "os", "sys", "mach", "malloc", "net", "netinet", "arpa",
        "libkern", "machine", "simd", "xpc", "zlib", "libxml", "libxml2", "sqlite3", "SQLite3", "CommonCrypto",
        // The frameworks of iOS.
        "ARKit", "AVFAudio", "AVFoundation", "AVKit", "AVRouting", "Accelerate", "Accessibility",
        "AccessorySetupKit", "Accounts", "ActivityKit", "AdAttributionKit", "AdServices", "AdSupport", "AddressBook",
        "AddressBookUI", "AlarmKit", "AppClip", "AppIntents", "AppTrackingTransparency", "AssetsLibrary",
        "AudioToolbox", "AudioUnit", "AuthenticationServices", "AutomaticAssessmentConfiguration", "BackgroundAssets",
        "BackgroundTasks", "BrowserEngineKit", "BusinessChat", "CFNetwork", "CallKit", "CarPlay", "Charts", "Cinematic",
        "ClassKit", "ClockKit", "CloudKit", "ColorSync", "Combine", "Contacts", "ContactsUI", "CoreAudio",
        "CoreAudioKit", "CoreAudioTypes", "CoreBluetooth", "CoreData", "CoreFoundation", "CoreGraphics", "CoreHaptics",
        "CoreImage", "CoreLocation", "CoreLocationUI", "CoreMIDI", "CoreML", "CoreMedia", "CoreMotion", "CoreNFC",
        "CoreServices", "CoreSpotlight", "CoreTelephony", "CoreText", "CoreTransferable", "CoreVideo", "CreateML",
        "CreateMLComponents", "CryptoKit", "CryptoTokenKit", "DeveloperToolsSupport", "DeviceActivity", "DeviceCheck",
        "DeviceDiscoveryExtension", "DockKit", "EventKit", "EventKitUI", "ExposureNotification", "ExtensionFoundation",
        "ExtensionKit", "ExternalAccessory", "FamilyControls", "FileProvider", "FileProviderUI", "FinanceKit",
        "FoundationModels", "Foundation", "GLKit", "GSS", "GameController", "GameKit", "GameplayKit", "GroupActivities",
        "HealthKit", "HealthKitUI", "HomeKit", "IOKit", "IOSurface", "IdentityLookup", "IdentityLookupUI",
        "ImageCaptureCore", "ImageIO", "ImagePlayground", "Intents", "IntentsUI", "JavaScriptCore",
        "JournalingSuggestions", "LinkPresentation", "LocalAuthentication", "LockedCameraCapture", "MLCompute",
        "ManagedSettings", "ManagedSettingsUI", "MapKit", "MarketplaceKit", "Matter", "MatterSupport",
        "MediaAccessibility", "MediaPlayer", "MediaSetup", "MediaToolbox", "MessageUI", "Messages", "Metal", "MetalFX",
        "MetalKit",
        "MetalPerformanceShaders", "MetalPerformanceShadersGraph", "MetricKit", "MobileCoreServices", "ModelIO",
        "MultipeerConnectivity", "MusicKit", "NaturalLanguage", "NearbyInteraction", "Network", "NetworkExtension",
        "NewsstandKit", "NotificationCenter", "OSLog", "OpenAL", "OpenGLES", "PDFKit", "PHASE", "PaperKit", "PassKit",
        "PencilKit", "Photos", "PhotosUI", "PlaygroundSupport", "ProximityReader", "PushKit", "PushToTalk",
        "QuartzCore", "QuickLook", "QuickLookThumbnailing", "RealityKit", "ReplayKit", "RoomPlan",
        "SafariServices", "SafetyKit", "SceneKit", "ScreenTime", "Security", "SensitiveContentAnalysis", "SensorKit",
        "SharedWithYou", "SharedWithYouCore", "ShazamKit", "Social", "SoundAnalysis", "Speech", "SpriteKit",
        "StickerKit", "StoreKit", "StoreKitTest", "SwiftData", "SwiftUI", "Symbols", "SystemConfiguration",
        "SystemExtensions", "TabularData", "ThreadNetwork", "TipKit", "Translation", "TranslationUIProvider",
        "TVMLKit", "TVUIKit", "Twitter", "UIKit", "UniformTypeIdentifiers", "UserNotifications", "UserNotificationsUI",
        "VideoSubscriberAccount", "VideoToolbox", "Vision", "VisionKit", "WatchConnectivity", "WatchKit", "WeatherKit",
        "WebKit", "WidgetKit", "WiFiAware", "WorkoutKit", "iAd",
        // Frameworks of macOS, which shared code may import.
        "AppKit", "Carbon", "Cocoa", "Quartz", "ServiceManagement",
    ]
}

extension SystemTypes {
    /// Whether a name is that of one of Apple's types or of the Braze SDK's.
    static func isKnown(_ name: String) -> Bool {
        let outer = String(name.prefix { $0 != "." })
        if SystemModules.contains(outer) || knownTypes.contains(outer) || ReadType(.named(outer, [])) != nil {
            return true
        }
        return knownPrefixes.contains { prefix in
            guard outer.hasPrefix(prefix) else { return false }
            let rest = outer.dropFirst(prefix.count)
            // Accepts `UNNotification`, but not `UNOFeed`.
            return rest.first?.isUppercase ?? false && rest.dropFirst().first?.isLowercase ?? true
                || knownAcronyms.contains { rest.hasPrefix($0) }
        }
    }

    private static let knownPrefixes = [
        "NS", "UI", "UN", "WK", "WC", "CF", "CK", "AV", "BG", "OS", "BRZ", "ABK",
    ]

    private static let knownAcronyms = ["URL", "JSON", "XML", "HTTP", "UUID"]

    private static let knownTypes: Set<String> = [
        "Braze", "Appboy",
        // The library of Swift.
        "Any", "AnyClass", "AnyHashable", "AnyIterator", "AnyObject", "AnySequence", "Array", "ArraySlice",
        "AsyncStream", "AsyncThrowingStream", "Character", "CheckedContinuation", "ContiguousArray", "Dictionary",
        "Error", "KeyValuePairs", "MainActor", "Mirror", "ObjectIdentifier", "Optional", "Result", "Sequence", "Set",
        "String", "Substring", "Task", "TaskGroup", "Unmanaged", "UnsafeContinuation", "Void", "Codable", "Comparable",
        "Decodable", "Encodable", "Equatable", "Hashable", "Identifiable", "Sendable", "CaseIterable",
        "CustomStringConvertible", "AsyncSequence", "Collection", "Never", "Regex", "SIMD2",
        // Foundation.
        "AttributedString", "Bundle", "Calendar", "Data", "DateFormatter", "DateInterval", "Dimension", "FileHandle",
        "FileManager", "Host", "ISO8601DateFormatter", "IndexPath", "IndexSet", "InputStream", "JSONDecoder",
        "JSONEncoder", "JSONSerialization", "Locale", "Measurement", "MessagePort", "Notification",
        "NotificationCenter", "NotificationQueue", "NumberFormatter", "Operation", "OperationQueue", "OutputStream",
        "ProcessInfo", "Progress", "PropertyListDecoder", "PropertyListEncoder", "PropertyListSerialization",
        "RunLoop", "Scanner", "Stream", "Thread", "TimeZone", "Timer", "URL", "URLComponents", "URLQueryItem",
        "URLRequest", "URLSession", "UUID", "UserDefaults", "DistributedNotificationCenter", "UndoManager",
        // Dispatch and logging.
        "DispatchGroup", "DispatchQueue", "DispatchSemaphore", "DispatchSource", "DispatchTime", "DispatchWorkItem",
        "Logger", "OSLog", "OSSignposter",
        // Combine and SwiftUI.
        "AnyCancellable", "AnyPublisher", "AnyView", "AppStorage", "Binding", "Bindable", "Button",
        "CurrentValueSubject", "Deferred", "Empty", "EmptyView", "Environment", "EnvironmentObject", "Fail", "ForEach",
        "Form", "Future", "Group", "HStack", "Image", "Just", "Label", "LazyHStack", "LazyVStack", "Link", "List",
        "Menu", "NavigationLink", "NavigationStack", "ObservableObject", "ObservedObject", "Optional", "OutlineGroup",
        "PassthroughSubject", "Picker", "Publishers", "Published", "Record", "ScrollView", "Section", "State",
        "StateObject", "Table", "Text", "VStack", "View", "ZStack",
        // Types whose values are passed to other devices, to search and to widgets.
        "Activity", "ActivityContent", "CSSearchableItem", "CSSearchableItemAttributeSet", "INInteraction",
        "INSendMessageIntent", "TimelineEntry", "WidgetCenter", "ModelContext", "Security", "LAContext",
    ]
}
