// SPDX-License-Identifier: MIT

public import SourceText
package import SwiftSources

/// A value with the place where it is.
public struct Placed<Value: Sendable>: Sendable {
    /// The value.
    public var value: Value

    /// Where it is; nil where it was not read from a file.
    public var place: SourcePlace?

    /// Creates a value with its place.
    public init(_ value: Value, at place: SourcePlace? = nil) {
        self.value = value
        self.place = place
    }
}

/// What an app declares in its property lists about the pushes that it can show.
///
/// An app is read from a folder (``init(contentsOf:)``), from named files that together are one app
/// (``init(plists:)``), or put together from its parts. Values that hold a build setting such as `$(BUNDLE_ID)` are
/// kept as they are written; ``holdsBuildSetting(_:)`` tells them apart, as they cannot be compared with anything.
public struct App: Sendable {
    /// The value of `UNNotificationExtensionUserInteractionEnabled`.
    public enum Interaction: Sendable {
        /// The key is missing, which the system takes as false.
        case absent
        /// A boolean.
        case declared(Placed<Bool>)
        /// Something else than a boolean, as it is written.
        case malformed(Placed<String>)
    }

    /// One app extension.
    public struct Extension: Sendable {
        /// What the extension extends.
        public enum Kind: Sendable, Hashable {
            /// It draws the content of notifications.
            case content
            /// It changes notifications before they are shown, such as by attaching an image.
            case service
            /// It extends another point.
            case other(String)
        }

        /// What the extension extends.
        public var kind: Kind

        /// Where it is declared: its `NSExtension`.
        public var place: SourcePlace?

        /// The key-value pairs that it reads; nil where nobody says.
        public var extras: [RequiredExtra]?

        /// Its bundle identifier; nil where it is missing or made by the build.
        public var bundleIdentifier: String?

        /// The notification categories that it claims.
        public var categories: [Placed<String>]

        /// Whether touches reach its view.
        public var interaction: Interaction

        /// A key that was meant to be `UNNotificationExtensionUserInteractionEnabled`, which the system does not know.
        public var misspeltInteractionKey: Placed<String>?

        /// Its initial height divided by its width.
        public var initialContentSizeRatio: Placed<Double>?

        /// The app groups in its entitlements; nil where no entitlements belong to it.
        public var appGroups: [Placed<String>]?

        /// The app group in its `Braze` dictionary.
        public var brazeAppGroup: Placed<String>?

        /// What it is called: its target or its folder; nil where nobody says.
        package var name: String?

        /// What its code reads; nil where the code is not known.
        package var code: TargetCode?

        /// Creates an extension.
        public init(
            kind: Kind,
            place: SourcePlace? = nil,
            bundleIdentifier: String? = nil,
            categories: [Placed<String>] = [],
            interaction: Interaction = .absent,
            misspeltInteractionKey: Placed<String>? = nil,
            initialContentSizeRatio: Placed<Double>? = nil,
            appGroups: [Placed<String>]? = nil,
            brazeAppGroup: Placed<String>? = nil
        ) {
            self.kind = kind
            self.place = place
            self.bundleIdentifier = bundleIdentifier
            self.categories = categories
            self.interaction = interaction
            self.misspeltInteractionKey = misspeltInteractionKey
            self.initialContentSizeRatio = initialContentSizeRatio
            self.appGroups = appGroups
            self.brazeAppGroup = brazeAppGroup
        }
    }

    /// How the app is called: its target, its folder or its files.
    public var name: String

    /// Where its Info.plist begins.
    public var place: SourcePlace?

    /// Its bundle identifier; nil where it is missing or made by the build.
    public var bundleIdentifier: String?

    /// The app groups in its entitlements; nil where no entitlements belong to it.
    public var appGroups: [Placed<String>]?

    /// The oldest version of iOS that it runs on, such as `15.0`; nil where nothing says.
    public var deploymentTarget: String?

    /// Its extensions, in the order of their paths.
    public var extensions: [Extension]

    /// The paths of property lists that hold a build setting which nobody knows, so that an extension may be missing.
    package var unresolvedPaths: [Placed<String>] = []

    /// Its names in its Info.plist, by which people call it as well.
    package var otherNames: [String] = []

    /// Whether it may have extensions that could not be read.
    package var mayHaveMore = false

    /// What the code of the app itself reads and registers; nil where the code is not known.
    package var code: TargetCode?

    /// Creates an app.
    public init(
        name: String,
        place: SourcePlace? = nil,
        bundleIdentifier: String? = nil,
        appGroups: [Placed<String>]? = nil,
        extensions: [Extension] = []
    ) {
        self.name = name
        self.place = place
        self.bundleIdentifier = bundleIdentifier
        self.appGroups = appGroups
        self.extensions = extensions
    }

    /// Its content extensions.
    public var contentExtensions: [Extension] { extensions.filter { $0.kind == .content } }

    /// Whether it has a service extension, which rich pushes need.
    public var hasServiceExtension: Bool { extensions.contains { $0.kind == .service } }

    /// Whether people call it by a name.
    package func isCalled(_ name: String) -> Bool {
        ([self.name] + otherNames).contains { $0.utf8.elementsEqual(name.utf8) }
    }

    /// Whether a value holds a build setting, `$(…)` or `${…}`, which only a build replaces.
    public static func holdsBuildSetting(_ text: String) -> Bool {
        var isAfterDollar = false
        for byte in text.utf8 {
            if isAfterDollar, byte == UInt8(ascii: "(") || byte == UInt8(ascii: "{") { return true }
            isAfterDollar = byte == UInt8(ascii: "$")
        }
        return false
    }
}
