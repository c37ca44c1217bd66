// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// The path of a property list that contains build settings whose values only the build knows, so that it cannot be
/// read.
package struct UnresolvedPath: Sendable {
    /// The name of the build setting whose value is the path.
    package var setting: String

    /// The path, in which references to unknown build settings are left as they are written.
    package var text: String

    /// The place of the target in the project.
    package var place: SourcePlace

    package init(_ setting: String, _ text: String, at place: SourcePlace) {
        self.setting = setting
        self.text = text
        self.place = place
    }
}

extension App {
    /// A push extension that an app's target names, but that the build does not copy into the app.
    package struct Unembedded: Sendable {
        /// The reason why an extension is not in an app.
        package enum Reason: Sendable, Hashable {
            /// No build phase copies the extension.
            case notCopied
            /// A build phase copies the extension to a folder in which the system does not look for extensions.
            case copied(to: String)
            /// The `project.yml` of XcodeGen has `embed: false` for the extension.
            case turnedOff
        }

        /// The name of the target that builds the extension.
        package var target: String

        /// The reason why the extension is not in the app.
        package var reason: Reason

        /// The place in the project that names the extension.
        package var place: SourcePlace

        /// What the property lists of the extension declare.
        package var declared: Extension

        /// Describes an extension that is not in an app.
        package init(target: String, reason: Reason, place: SourcePlace, declared: Extension) {
            self.target = target
            self.reason = reason
            self.place = place
            self.declared = declared
        }

        /// The finding that the extension is not in the app with this name, and how to change that.
        package func finding(in app: String) -> Diagnostic {
            let message =
                switch reason {
                case .copied(let destination):
                    """
                    '\(app)' copies the extension '\(target)' to \(destination), where the system does not find it; \
                    expected the destination PlugIns
                    """
                case .notCopied:
                    """
                    '\(app)' depends on the extension '\(target)' and does not embed it, so it is not in the app; expected \
                    it in a Copy Files phase with the destination PlugIns
                    """
                case .turnedOff:
                    """
                    '\(app)' depends on the extension '\(target)' with 'embed: false', so it is not in the app; expected \
                    'embed: true', the default
                    """
                }
            let related = declared.place.map { [Diagnostic.Related("the extension", at: $0)] } ?? []
            return Diagnostic(.extensionNotEmbedded, message, at: place, related: related)
        }
    }
}

/// An app: what its property lists declare, its extensions, and what their code reads from pushes.
///
/// An app is read from a folder (`init(contentsOf:)`), from named files that together are one app (`init(plists:)`),
/// from memory (`init(files:name:)`), or created from its parts. Build settings such as `$(BUNDLE_ID)` that are not
/// known are kept in values as written. Such values cannot be compared with others; ``holdsBuildSetting(_:)``
/// recognizes them.
public struct App: Sendable {
    /// The value of `UNNotificationExtensionUserInteractionEnabled`.
    public enum Interaction: Sendable {
        /// The key is missing, which the system reads as false.
        case absent
        /// The value is a boolean.
        case declared(Placed<Bool>)
        /// The value is not a boolean; the associated value is what the file has instead.
        case malformed(Placed<String>)
    }

    /// An app extension, such as one that draws notifications.
    public struct Extension: Sendable {
        /// The extension point: the part of the system that an extension extends.
        public enum Kind: Sendable, Hashable {
            /// A notification content extension, which draws notifications.
            case content
            /// A notification service extension, which changes notifications before they are shown, for example by
            /// attaching an image.
            case service
            /// An extension of another kind, with the identifier of its extension point.
            case other(String)
        }

        /// The extension point, such as notification content.
        public var kind: Kind

        /// The place of `NSExtension` in the extension's Info.plist; nil if the extension was not read from a file.
        public var place: SourcePlace?

        /// The key-value pairs that the extension is declared to read; nil if nothing declares them.
        public var extras: [RequiredExtra]?

        /// The bundle identifier of the extension; nil if it is missing or only the build knows it.
        public var bundleIdentifier: String?

        /// The notification categories that the extension claims.
        public var categories: [Placed<String>]

        /// Whether the extension's view receives touches.
        public var interaction: Interaction

        /// A key in the extension's Info.plist that is probably a misspelling of
        /// `UNNotificationExtensionUserInteractionEnabled`.
        public var misspeltInteractionKey: Placed<String>?

        /// The initial height of the extension's view divided by the width.
        public var initialContentSizeRatio: Placed<Double>?

        /// Whether the system hides its own view of the notification; nil if the value is not a boolean or the key is
        /// missing, which means false.
        public var defaultContentHidden: Placed<Bool>?

        /// The app groups in the entitlements of the extension; nil if the entitlements are not known.
        public var appGroups: [Placed<String>]?

        /// The place where the entitlements of the extension begin; nil if it has none or they are not known.
        package var entitlementsPlace: SourcePlace?

        /// The app group in the dictionary `Braze` of the extension's Info.plist.
        public var brazeAppGroup: Placed<String>?

        /// The name of the target or folder of the extension; nil if neither is known.
        package var name: String?

        /// The principal class of the extension; nil if it has none, if it has a storyboard, if only the build knows
        /// the name, or if the target may not be for iOS.
        package var principalClass: PrincipalClass?

        /// The oldest version of iOS on which the extension runs, such as `15.0`; nil if it is not known.
        package var deploymentTarget: String?

        /// The version numbers in the extension's Info.plist; empty if the build generates them.
        package var versions: [BundleVersion] = []

        /// The suffix of the extension's bundle folder, if the target sets a suffix other than `appex`; the system then
        /// does not load the extension.
        package var otherWrapper: Placed<String>?

        /// Whether exactly one known target builds the extension.
        package var isOfOneTarget = false

        /// Whether the build may change the extension's declarations, for example with the C preprocessor.
        package var isUncertain = false

        /// What the extension's code reads from pushes; nil if the code is not known.
        package var code: TargetCode? {
            get { bundleCode.value?.value }
            set { bundleCode = BundleCode(newValue.map(OnDemand.init)) }
        }

        /// Whether it is known which key-value pairs the extension reads: from a declaration, or from code that could
        /// be read.
        package var hasKnownReads: Bool {
            extras != nil || code.map { !$0.reads.isEmpty || $0.unknownReads.isEmpty } ?? false
        }

        /// The code of the extension, which is read when it is first needed.
        package var bundleCode = BundleCode(nil)

        /// Creates an extension.
        public init(
            kind: Kind,
            place: SourcePlace? = nil,
            bundleIdentifier: String? = nil,
            categories: [Placed<String>] = [],
            interaction: Interaction = .absent,
            misspeltInteractionKey: Placed<String>? = nil,
            initialContentSizeRatio: Placed<Double>? = nil,
            defaultContentHidden: Placed<Bool>? = nil,
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
            self.defaultContentHidden = defaultContentHidden
            self.appGroups = appGroups
            self.brazeAppGroup = brazeAppGroup
        }
    }

    /// The principal class of an extension.
    package struct PrincipalClass: Sendable {
        /// The name of the class, in which build settings are replaced by their values.
        package var name: Placed<String>

        /// The name of the module that the extension's target builds.
        package var ownModule: String

        /// Whether the module in the class's name is another target, or a product of a package, with which the
        /// extension may be linked.
        package var isOfKnownModule = false

        /// Whether the extension is linked with libraries whose code is not read, one of which may declare the class.
        package var mayBeOfLibrary = false

        /// Describes a principal class.
        package init(name: Placed<String>, ownModule: String) {
            self.name = name
            self.ownModule = ownModule
        }

        /// The class's name without the module; nil if the class is in another module than ``ownModule``.
        package var nameInOwnModule: String? {
            name.value.hasPrefix(ownModule + ".") ? String(name.value.dropFirst(ownModule.count + 1)) : nil
        }

        /// The module that the class's name begins with; nil if there is none.
        package var module: String? {
            name.value.lastIndex(of: ".").map { String(name.value[..<$0]) }
        }
    }

    /// The name of the app in messages: the name of its target, folder or files.
    public var name: String

    /// The name that users see below the app's icon and on its notifications; nil if it is missing or only the build
    /// knows it.
    public var displayName: String?

    /// The place where the app's Info.plist begins, or else the place of its target; nil if the app was not read from
    /// files.
    public var place: SourcePlace?

    /// The bundle identifier of the app; nil if it is missing or only the build knows it.
    public var bundleIdentifier: String?

    /// The app groups in the app's entitlements; nil if the entitlements are not known.
    public var appGroups: [Placed<String>]?

    /// The oldest version of iOS on which the app runs, such as `15.0`; nil if it is not known.
    public var deploymentTarget: String?

    /// The version numbers in the app's Info.plist.
    package var versions: [BundleVersion] = []

    /// What the app may do in the background: `UIBackgroundModes` of its Info.plist; nil if the Info.plist is not
    /// known.
    public var backgroundModes: [Placed<String>]?

    /// Whether the project lists background modes in a build setting, which Xcode ignores.
    package var hasIgnoredBackgroundModes = false

    /// Whether the app's entitlements are known.
    public var hasEntitlements: Bool

    /// The place where the app's entitlements begin; nil if it has none or they are not known.
    package var entitlementsPlace: SourcePlace?

    /// The build configuration in which the app was read; nil if that is not known.
    package var configuration: String?

    /// The push service with which the app registers, `development` or `production`: `aps-environment` of its
    /// entitlements.
    ///
    /// Nil if the entitlements do not have the key or are not known.
    public var apsEnvironment: Placed<String>?

    /// Whether the entitlements have the keys that time-sensitive and critical pushes need, by key; nil if that is not
    /// known.
    package var pushEntitlements: [String: Bool]?

    /// The associated domains in the app's entitlements, such as `applinks:example.com`; nil if they are not known.
    package var associatedDomains: [Placed<String>]?

    /// The URL schemes that open the app; nil if its Info.plist is not known.
    package var urlSchemes: [Placed<String>]?

    /// The URL schemes of other apps that the app may look for: `LSApplicationQueriesSchemes` of its Info.plist.
    package var queriedSchemes: [String] = []

    /// The app's sounds and localized texts, read when they are first needed; the value is nil if they are not known.
    package var resources = OnDemand<BundleResources?>(nil)

    /// The extensions that the app contains, of every kind.
    public var extensions: [Extension]

    /// The property lists that were not read, because their paths contain unknown build settings.
    package var unresolvedPaths: [UnresolvedPath] = []

    /// Other names by which campaigns may name the app, such as those in its Info.plist.
    package var otherNames: [String] = []

    /// Reasons why the app may have extensions that could not be read, with their places; empty if all extensions are
    /// known.
    package var gaps: [Placed<String>] = []

    /// The values that are different in other build configurations.
    package var varyingValues: [VaryingValue] = []

    /// The build configuration in which the app was read, if it is not the release configuration; nil for the release
    /// configuration and for the only known one.
    package var otherConfiguration: OtherConfiguration?

    /// Whether the app may have extensions that could not be read.
    package var mayHaveMore: Bool { !gaps.isEmpty }

    /// The push extensions that the app's target names but does not embed.
    package var unembedded: [Unembedded] = []

    /// The errors about property lists of the app that could not be read.
    ///
    /// Such a list may contain more declarations.
    package var unread: [Diagnostic] = []

    /// The key-value pairs that the app itself is declared to read; nil if nothing declares them.
    public var extras: [RequiredExtra]?

    /// What the app's own code reads from pushes, and the categories that it registers; nil if the code is not known.
    package var code: TargetCode? {
        get { bundleCode.value?.value }
        set { bundleCode = BundleCode(newValue.map(OnDemand.init)) }
    }

    /// The code of the app itself, which is read when it is first needed.
    package var bundleCode = BundleCode(nil)

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
        hasEntitlements = appGroups != nil
        self.extensions = extensions
    }

    /// The content extensions of the app, which draw notifications.
    public var contentExtensions: [Extension] { extensions.filter { $0.kind == .content } }

    /// The code of the app and of its extensions, without code that is not known.
    package var codes: [TargetCode] {
        // If bundles share code, the findings about it belong to the first bundle in this order.
        OnDemand.values(([bundleCode] + extensions.map(\.bundleCode)).compactMap(\.value))
    }

    /// Whether the app has a service extension, which pushes with images need.
    public var hasServiceExtension: Bool { extensions.contains { $0.kind == .service } }

    /// Whether a name is that of the app, or one of ``otherNames``.
    package func isCalled(_ name: String) -> Bool {
        ([self.name] + otherNames).contains { $0.utf8.elementsEqual(name.utf8) }
    }

    /// Whether a value contains a reference to a build setting, `$(…)`, `${…}` or the older `$NAME`, which only a build
    /// replaces.
    ///
    /// Source: swift-build, `MacroExpressionParsing.swift`.
    public static func holdsBuildSetting(_ text: String) -> Bool { startOfBuildSetting(in: text) != nil }

    /// The first reference to a build setting in a value, as it is written; nil if there is none, or if the setting's
    /// name contains other references.
    package static func buildSetting(in text: String) -> String? {
        guard let start = startOfBuildSetting(in: text) else { return nil }
        let reference = text[start...]
        guard let opening = reference.dropFirst().first, let closing = ["(": ")", "{": "}"][opening] else {
            return String(reference.prefix { $0 == "$" || $0 == "_" || $0.isLetter || $0.isNumber })
        }
        guard let end = reference.firstIndex(where: { String($0) == closing }) else { return nil }
        return reference[...end].count { $0 == "$" } == 1 ? String(reference[...end]) : nil
    }

    private static func startOfBuildSetting(in text: String) -> String.Index? {
        var dollar: String.Index?
        for index in text.utf8.indices {
            let byte = text.utf8[index]
            if dollar != nil, "({".utf8.contains(byte) || byte.isWordStart { return dollar }
            dollar = byte == UInt8(ascii: "$") && dollar == nil ? index : nil
        }
        return nil
    }
}

extension App.Extension {
    /// Whether an extension of this kind shows or changes notifications.
    package var takesPushes: Bool { kind == .content || kind == .service }
}

extension App.Extension.Kind {
    /// Creates the kind from the identifier of an extension point, such as `com.apple.usernotifications.service`.
    package init(_ identifier: String) {
        switch identifier {
        case BundleKey.contentPoint: self = .content
        case BundleKey.servicePoint: self = .service
        default: self = .other(identifier)
        }
    }

    /// The identifier of the extension point; empty if the extension names none.
    package var identifier: String {
        switch self {
        case .content: BundleKey.contentPoint
        case .service: BundleKey.servicePoint
        case .other(let identifier): identifier
        }
    }
}

/// A version in the Info.plist of a bundle, such as its `CFBundleVersion`.
package struct BundleVersion: Sendable {
    /// The key of the version in the Info.plist.
    package var key: String

    /// The version number, in which build settings are replaced; nil if the Info.plist has none.
    package var value: Placed<String>?

    /// Describes a version number of a bundle.
    package init(key: String, value: Placed<String>?) {
        self.key = key
        self.value = value
    }
}
