// SPDX-License-Identifier: MIT

public import DiagnosticSources

/// A path of a property list that only the build knows.
package struct UnresolvedPath: Sendable {
    /// The build setting that has the path.
    package var setting: String

    /// The path, with references to build settings whose values are not known.
    package var text: String

    /// The place of the target.
    package var place: SourcePlace

    package init(_ setting: String, _ text: String, at place: SourcePlace) {
        self.setting = setting
        self.text = text
        self.place = place
    }
}

extension App {
    /// A push extension that an app's target depends on or copies, but that is not in the app.
    package struct Unembedded: Sendable {
        /// Why an extension is not in an app.
        package enum Reason: Sendable, Hashable {
            /// No phase copies it.
            case notCopied
            /// A phase copies it to another destination.
            case copied(to: String)
            /// A `project.yml` has `embed: false` for it.
            case turnedOff
        }

        /// The name of the target that builds it.
        package var target: String

        /// Why it is not in the app.
        package var reason: Reason

        /// The place in the project that names it.
        package var place: SourcePlace

        /// What the extension declares.
        package var declared: Extension

        /// Describes an extension.
        package init(target: String, reason: Reason, place: SourcePlace, declared: Extension) {
            self.target = target
            self.reason = reason
            self.place = place
            self.declared = declared
        }

        /// The finding that the extension is not in an app, with what to change.
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

/// The declarations in an app's property lists about the pushes that it can show.
///
/// An app is read from a folder (`init(contentsOf:)`), from named files that together are one app
/// (`init(plists:)`), from memory (`init(files:name:)`), or created from its parts. Values with a build setting
/// such as `$(BUNDLE_ID)` are kept as written. They cannot be compared with other values; ``holdsBuildSetting(_:)``
/// recognizes them.
public struct App: Sendable {
    /// The value of `UNNotificationExtensionUserInteractionEnabled`.
    public enum Interaction: Sendable {
        /// The key is missing, which means false.
        case absent
        /// A boolean.
        case declared(Placed<Bool>)
        /// Something other than a boolean, as it is written.
        case malformed(Placed<String>)
    }

    /// One app extension.
    public struct Extension: Sendable {
        /// The extension point.
        public enum Kind: Sendable, Hashable {
            /// It draws the content of notifications.
            case content
            /// It changes notifications before they are shown, such as by attaching an image.
            case service
            /// Any other extension point, by its identifier.
            case other(String)
        }

        /// The extension point.
        public var kind: Kind

        /// The place of its declaration, `NSExtension`.
        public var place: SourcePlace?

        /// The key-value pairs that it reads; nil where they are not known.
        public var extras: [RequiredExtra]?

        /// Its bundle identifier; nil where it is missing or only the build knows it.
        public var bundleIdentifier: String?

        /// The notification categories that it claims.
        public var categories: [Placed<String>]

        /// Whether its view receives touches.
        public var interaction: Interaction

        /// An unknown key that is probably a misspelt `UNNotificationExtensionUserInteractionEnabled`.
        public var misspeltInteractionKey: Placed<String>?

        /// Its initial height divided by its width.
        public var initialContentSizeRatio: Placed<Double>?

        /// Whether the system hides its own view of the notification; nil where the value is not a boolean or the key
        /// is missing, which means false.
        public var defaultContentHidden: Placed<Bool>?

        /// The app groups in its entitlements; nil where no entitlements belong to it.
        public var appGroups: [Placed<String>]?

        /// The app group in its `Braze` dictionary.
        public var brazeAppGroup: Placed<String>?

        /// The name of its target or of its folder; nil where neither is known.
        package var name: String?

        /// Its principal class; nil if it has none, if only the build knows the name, or if its target may not be for
        /// iOS.
        package var principalClass: PrincipalClass?

        /// The oldest version of iOS that it runs on, such as `15.0`; nil where it is not known.
        package var deploymentTarget: String?

        /// What is known of its versions; empty where the build generates them.
        package var versions: [BundleVersion] = []

        /// The suffix of its bundle's folder, if its target sets one other than `appex`, the suffix of app extensions.
        package var otherWrapper: Placed<String>?

        /// Whether exactly one known target builds it.
        package var isOfOneTarget = false

        /// Whether the build may change its declarations, as with the C preprocessor.
        package var isUncertain = false

        /// What its code reads from pushes; nil where the code is not known.
        package var code: TargetCode? {
            get { bundleCode.value?.value }
            set { bundleCode = BundleCode(newValue.map(OnDemand.init)) }
        }

        /// Whether anything says which key-value pairs it reads: a declaration, or code that could be read.
        package var hasKnownReads: Bool {
            extras != nil || code.map { !$0.reads.isEmpty || $0.unknownReads.isEmpty } ?? false
        }

        /// The code, which may not have been read yet.
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
        /// The name, with build settings replaced.
        package var name: Placed<String>

        /// The name of the module that the target of the extension builds.
        package var ownModule: String

        /// Whether the module in the name is another target, or a product of a package, with which the extension may be
        /// linked.
        package var isOfKnownModule = false

        /// Whether the extension is linked with libraries that are not read, one of which may declare the class.
        package var mayBeOfLibrary = false

        /// Describes a class.
        package init(name: Placed<String>, ownModule: String) {
            self.name = name
            self.ownModule = ownModule
        }

        /// The name of the class without the module; nil if the class is not in ``ownModule``.
        package var nameInOwnModule: String? {
            name.value.hasPrefix(ownModule + ".") ? String(name.value.dropFirst(ownModule.count + 1)) : nil
        }

        /// The module in the name; nil where there is none.
        package var module: String? {
            name.value.lastIndex(of: ".").map { String(name.value[..<$0]) }
        }
    }

    /// The name of the app in messages: its target, folder or files.
    public var name: String

    /// The name that users see below its icon and on its notifications; nil where it is missing or only the build knows
    /// it.
    public var displayName: String?

    /// The place where its Info.plist begins.
    public var place: SourcePlace?

    /// Its bundle identifier; nil where it is missing or only the build knows it.
    public var bundleIdentifier: String?

    /// The app groups in its entitlements; nil where no entitlements belong to it.
    public var appGroups: [Placed<String>]?

    /// The oldest version of iOS that it runs on, such as `15.0`; nil where it is not known.
    public var deploymentTarget: String?

    /// What is known of its versions.
    package var versions: [BundleVersion] = []

    /// What it may do in the background, its `UIBackgroundModes`; nil where its Info.plist is not known.
    public var backgroundModes: [Placed<String>]?

    /// Whether a build setting lists background modes, which has no effect.
    package var hasIgnoredBackgroundModes = false

    /// Whether its entitlements are known.
    public var hasEntitlements: Bool

    /// The place where its entitlements begin; nil where it has none or they are not known.
    package var entitlementsPlace: SourcePlace?

    /// The configuration that it is built in; nil where that is not known.
    package var configuration: String?

    /// The push service that it registers with, `development` or `production`: `aps-environment` in its entitlements;
    /// nil where the entitlements do not have it or are not known.
    public var apsEnvironment: Placed<String>?

    /// For each key that time-sensitive and critical pushes need, whether the entitlements have it; nil where that is
    /// not known.
    package var pushEntitlements: [String: Bool]?

    /// The domains in its entitlements, such as `applinks:example.com`; nil where they are not known.
    package var associatedDomains: [Placed<String>]?

    /// The URL schemes that open it; nil where its Info.plist is not known.
    package var urlSchemes: [Placed<String>]?

    /// The URL schemes of other apps that it may open, its `LSApplicationQueriesSchemes`.
    package var queriedSchemes: [String] = []

    /// Its sounds and localized texts, which are read when they are first needed; nil where they are not known.
    package var resources = OnDemand<BundleResources?>(nil)

    /// Its extensions, in the order of their paths.
    public var extensions: [Extension]

    /// The paths of property lists with an unknown build setting in the path.
    package var unresolvedPaths: [UnresolvedPath] = []

    /// Other names by which campaigns may refer to the app, such as those in its Info.plist.
    package var otherNames: [String] = []

    /// Why it may have extensions that could not be read, with the places that say so; empty where all are known.
    package var gaps: [Placed<String>] = []

    /// The values that differ in build configurations that campaigns are not checked against.
    package var varyingValues: [VaryingValue] = []

    /// The build configuration in which the app is read; nil for the release configuration, and for the only one that
    /// is known.
    package var otherConfiguration: OtherConfiguration?

    /// Whether it may have extensions that could not be read.
    package var mayHaveMore: Bool { !gaps.isEmpty }

    /// The push extensions that its target names but does not embed.
    package var unembedded: [Unembedded] = []

    /// The errors about its property lists that could not be read.
    ///
    /// Such a list may contain further declarations.
    package var unread: [Diagnostic] = []

    /// The key-value pairs that the app itself reads; nil where they are not known.
    public var extras: [RequiredExtra]?

    /// What the app's own code reads from pushes, and the categories that it registers; nil for unknown code.
    package var code: TargetCode? {
        get { bundleCode.value?.value }
        set { bundleCode = BundleCode(newValue.map(OnDemand.init)) }
    }

    /// The code, which may not have been read yet.
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

    /// Its content extensions.
    public var contentExtensions: [Extension] { extensions.filter { $0.kind == .content } }

    /// The code of the app and of its extensions, where it is known.
    package var codes: [TargetCode] {
        // The files of the bundles are found in this order. If bundles share code, the findings about it belong to the
        // first one.
        OnDemand.values(([bundleCode] + extensions.map(\.bundleCode)).compactMap(\.value))
    }

    /// Whether it has a service extension, which rich pushes need.
    public var hasServiceExtension: Bool { extensions.contains { $0.kind == .service } }

    /// Whether the app's name or one of ``otherNames`` is the given one.
    package func isCalled(_ name: String) -> Bool {
        ([self.name] + otherNames).contains { $0.utf8.elementsEqual(name.utf8) }
    }

    /// Whether a value holds a build setting, `$(…)`, `${…}` or the older `$NAME`, which only a build replaces.
    ///
    /// Source: swift-build, `MacroExpressionParsing.swift`.
    public static func holdsBuildSetting(_ text: String) -> Bool { startOfBuildSetting(in: text) != nil }

    /// The first reference to a build setting in a value, as it is written; nil if there is none, or if its name
    /// contains other references.
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
    /// Whether the extension shows or changes notifications.
    package var takesPushes: Bool { kind == .content || kind == .service }
}

extension App.Extension.Kind {
    /// Creates the kind for the identifier of an extension point.
    package init(_ identifier: String) {
        switch identifier {
        case BundleKey.contentPoint: self = .content
        case BundleKey.servicePoint: self = .service
        default: self = .other(identifier)
        }
    }

    /// The identifier of the extension point; empty where there is none.
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
    /// Its key in the Info.plist.
    package var key: String

    /// The version; nil where the Info.plist has none.
    package var value: Placed<String>?

    /// Describes a version.
    package init(key: String, value: Placed<String>?) {
        self.key = key
        self.value = value
    }
}
