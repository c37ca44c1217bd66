// SPDX-License-Identifier: MIT

/// A system of Apple that a target is built for.
package enum Platform: String, Sendable, Hashable {
    case iOS, macOS, tvOS, watchOS, visionOS

    /// The system for which build settings build; iOS if it is one of several, nil where they do not say.
    ///
    /// Source: Xcode, Build settings reference: `SDKROOT`, `SUPPORTED_PLATFORMS`, `…_DEPLOYMENT_TARGET`.
    init?(_ settings: BuildSettings) {
        if let named = settings.value(of: "SDKROOT").flatMap(Platform.init(sdk:)), named != .macOS {
            self = named
            return
        }
        let supported = (settings.value(of: "SUPPORTED_PLATFORMS") ?? "").split(separator: " ")
        let platforms = supported.compactMap { Platform(sdk: String($0)) }
        if let first = platforms.first {
            self = platforms.contains(.iOS) ? .iOS : first
            return
        }
        let targets: [(String, Platform)] = [
            ("IPHONEOS", .iOS), ("MACOSX", .macOS), ("TVOS", .tvOS), ("WATCHOS", .watchOS), ("XROS", .visionOS),
        ]
        let isForMac = settings.value(of: "SDKROOT").flatMap(Platform.init(sdk:)) == .macOS
        let target = targets.first { !(settings.value(of: $0.0 + "_DEPLOYMENT_TARGET") ?? "").isEmpty }?.1
        guard let platform = isForMac ? .macOS : target else { return nil }
        self = platform
    }

    /// The system of an SDK, such as `iphoneos` or `macosx14.0`; nil for `auto` and unknown ones.
    private init?(sdk name: String) {
        let platforms: [(String, Platform)] = [
            ("iphone", .iOS), ("macosx", .macOS), ("appletv", .tvOS), ("watch", .watchOS), ("xr", .visionOS),
        ]
        guard let found = platforms.first(where: { name.hasPrefix($0.0) })?.1 else { return nil }
        self = found
    }

    /// The SDK for its devices, without a version.
    var sdk: String {
        switch self {
        case .iOS: "iphoneos"
        case .macOS: "macosx"
        case .tvOS: "appletvos"
        case .watchOS: "watchos"
        case .visionOS: "xros"
        }
    }
}
