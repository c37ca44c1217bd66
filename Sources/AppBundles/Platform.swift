// SPDX-License-Identifier: MIT

/// An Apple platform for which a target is built.
package enum Platform: String, Sendable, Hashable, CaseIterable {
    case iOS, macOS, tvOS, watchOS, visionOS

    /// The platform for which a target with these build settings is built: iOS if it is one of several; nil if the
    /// settings do not say.
    ///
    /// Source: Xcode, Build settings reference: `SDKROOT`, `SUPPORTED_PLATFORMS`, `…_DEPLOYMENT_TARGET`.
    package init?(_ settings: BuildSettings) {
        let root = settings.value(of: "SDKROOT").flatMap(Platform.init(sdk:))
        if let root, root != .macOS {
            self = root
            return
        }
        let supported = (settings.value(of: "SUPPORTED_PLATFORMS") ?? "").split(separator: " ")
        let platforms = supported.compactMap { Platform(sdk: String($0)) }
        if let first = platforms.first {
            self = platforms.contains(.iOS) ? .iOS : first
            return
        }
        let targeted = Platform.allCases.first { !(settings.value(of: $0.deploymentTarget) ?? "").isEmpty }
        guard let platform = root ?? targeted else { return nil }
        self = platform
    }

    /// Creates the platform of an SDK, such as `iphoneos` or `macosx14.0`; nil for `auto` and unknown SDKs.
    private init?(sdk name: String) {
        let found = Platform.allCases.first { $0.sdks.contains(where: name.hasPrefix) }
        guard let found else { return nil }
        self = found
    }

    /// The name of the SDK for the platform's devices, without a version, such as `iphoneos`.
    var sdk: String { sdks[0] }

    /// The names of the SDKs for the platform's devices and simulators, without a version.
    var sdks: [String] {
        switch self {
        case .iOS: ["iphoneos", "iphonesimulator"]
        case .macOS: ["macosx"]
        case .tvOS: ["appletvos", "appletvsimulator"]
        case .watchOS: ["watchos", "watchsimulator"]
        case .visionOS: ["xros", "xrsimulator"]
        }
    }

    /// The name of the build setting that gives the oldest supported version of the platform.
    var deploymentTarget: String {
        switch self {
        case .iOS: "IPHONEOS_DEPLOYMENT_TARGET"
        case .macOS: "MACOSX_DEPLOYMENT_TARGET"
        case .tvOS: "TVOS_DEPLOYMENT_TARGET"
        case .watchOS: "WATCHOS_DEPLOYMENT_TARGET"
        case .visionOS: "XROS_DEPLOYMENT_TARGET"
        }
    }
}
