// SPDX-License-Identifier: MIT

import AppBundles
import AppDeclarations
import DiagnosticSources
import PlistDocuments

extension RuleMessage {
    fileprivate static let both: RuleMessage =
        "NSExtensionMainStoryboard and NSExtensionPrincipalClass together, expected one: the system does not load the extension"
    fileprivate static let none: RuleMessage =
        "neither NSExtensionMainStoryboard nor NSExtensionPrincipalClass, expected one: there is nothing to load"
    fileprivate static func unqualified(_ name: String) -> RuleMessage {
        "class '\(name)' without its module is found only if it is declared with @objc(\(name)), expected $(PRODUCT_MODULE_NAME).\(name)"
    }
    fileprivate static func swiftClass(_ name: String) -> RuleMessage {
        """
        class '\(name)' is written in Swift without @objc(\(name)), so the system does not find it without its module; \
        expected $(PRODUCT_MODULE_NAME).\(name)
        """
    }
    fileprivate static func objectiveCClass(_ name: String) -> RuleMessage {
        "class '\(name)' is written in Objective-C, whose classes have no module, so the system does not find it; expected \(name)"
    }
    fileprivate static func hardCoded(_ name: String, _ className: String) -> RuleMessage {
        "the module name in '\(name)' becomes wrong when the target is renamed, expected $(PRODUCT_MODULE_NAME).\(className)"
    }
    fileprivate static let noServiceClass: RuleMessage =
        "no NSExtensionPrincipalClass, expected the class that changes the push: there is nothing to load"
    fileprivate static func unknownClass(_ name: String, near: String?) -> RuleMessage {
        let advice = didYouMean(near, after: ";", else: ", so there is nothing to load")
        return "no file of the extension declares the class '\(name)'\(advice)"
    }
    fileprivate static func otherModule(_ name: String, near: String) -> RuleMessage {
        "no module of the project has the class '\(name)'; did you mean '\(near)'?"
    }
    fileprivate static func unknownModule(_ module: String) -> RuleMessage {
        "cannot verify the class: no target of the project builds the module '\(module)'"
    }
    fileprivate static func unreadModules(_ name: String) -> RuleMessage {
        "cannot verify the class '\(name)': its module is not analysed"
    }
    fileprivate static let noClassName: RuleMessage =
        "no class name after the name of the module, expected a text such as '$(PRODUCT_MODULE_NAME).NotificationViewController'"
    fileprivate static func noIdentifier(isContent: Bool) -> RuleMessage {
        "no NSExtensionPointIdentifier, expected \(isContent ? BundleKey.contentPoint : "the point that loads the extension")"
    }
    fileprivate static func nearIdentifier(_ found: String, _ near: String) -> RuleMessage {
        "unknown extension point '\(found)'; did you mean '\(near)'?"
    }
    fileprivate static func otherIdentifier(_ found: String) -> RuleMessage {
        """
        the extension point is '\(found)', and the keys here are those of a content extension; expected \
        \(BundleKey.contentPoint)
        """
    }
    fileprivate static func contentKeys(_ keys: [String]) -> RuleMessage {
        """
        a service extension gets every push with mutable-content, whatever its category; remove \(keys.quoted(atMost: 3)), \
        which only content extensions have
        """
    }
    fileprivate static func serviceClass(_ name: String) -> RuleMessage {
        """
        the class '\(name)' is a UNNotificationServiceExtension; a content extension needs a view controller with \
        UNNotificationContentExtension
        """
    }
    fileprivate static func contentClass(_ name: String) -> RuleMessage {
        """
        the class '\(name)' is a UNNotificationContentExtension; a service extension needs a subclass of \
        UNNotificationServiceExtension
        """
    }
    fileprivate static func plainClass(_ name: String, isContent: Bool) -> RuleMessage {
        isContent
            ? "the class '\(name)' does not conform to UNNotificationContentExtension, so it gets no notification"
            : "the class '\(name)' is not a subclass of UNNotificationServiceExtension, so it gets no push"
    }
    fileprivate static let noContentClass: RuleMessage =
        "no class of the extension conforms to UNNotificationContentExtension, so none gets a notification"
    fileprivate static func wrongType(_ key: String, _ kind: PlistNode.Kind, _ expected: String) -> RuleMessage {
        "\(key) is \(kind.article), expected \(expected)"
    }
}

extension Rule {
    static let entryPoints: [Rule] = [
        bothEntryPoints, noEntryPoint, unqualifiedPrincipalClass, hardCodedModule, unknownPrincipalClass,
        extensionClassKind, extensionPoint,
    ]

    private static let bothEntryPoints = Rule(
        RuleID("both-entry-points", .error, "an extension with both a storyboard and a principal class"),
        source: .contentExtension,
        rationale: "Apple's documentation says that the system does not load an extension with both keys.",
        failing: [
            [
                .withEntryPoint(
                    """
                    <key>NSExtensionMainStoryboard</key>
                    \t\t<string>MainInterface</string>
                    \t\t<key>⟦NSExtensionPrincipalClass⟧</key>
                    \t\t<string>$(PRODUCT_MODULE_NAME).NotificationViewController</string>
                    """
                )
            ]
        ],
        passing: [[.contentExtension()]],
        .propertyList { list in
            guard let dictionary = list.contentExtension,
                let storyboard = list.document[dictionary, BundleKey.storyboard],
                let principalClass = list.document[dictionary, BundleKey.principalClass]
            else { return [] }
            let isLater = principalClass.range.start > storyboard.range.start
            let (first, second) = isLater ? (storyboard, principalClass) : (principalClass, storyboard)
            let related = Diagnostic.Related("the other entry point", at: list.place(ofKeyOf: first))
            return [Finding(.both, at: list.place(ofKeyOf: second), related: [related])]
        }
    )

    private static let noEntryPoint = Rule(
        RuleID("no-entry-point", .error, "an extension with neither a storyboard nor a principal class"),
        source: .contentExtension,
        rationale: """
            The system has nothing to load, so it shows the push without the extension. A service extension has no \
            storyboard, so it needs the class. The values of both keys are texts. The rule is silent where a syntax \
            error hides values.
            """,
        failing: [[.contentExtension(entryPoint: "", extensionKey: "<key>⟦NSExtension⟧</key>")]],
        passing: [[.contentExtension()]],
        .propertyList { list in
            guard list.isComplete, let dictionary = list.plist.extensionDictionary else { return [] }
            let isService = list.plist.pointIdentifier?.string == BundleKey.servicePoint
            guard isService || list.contentExtension != nil else { return [] }
            let keys = isService ? [BundleKey.principalClass] : [BundleKey.storyboard, BundleKey.principalClass]
            let given = keys.compactMap { list.document[dictionary, $0] }
            let wrong = given.filter { $0.kind != .string }
            guard wrong.isEmpty else {
                return wrong.map { node in
                    Finding(.wrongType(node.key?.text ?? "", node.kind, "a string"), at: list.place(of: node))
                }
            }
            guard given.allSatisfy({ $0.text.trimmed.isEmpty }) else { return [] }
            return [Finding(isService ? .noServiceClass : .none, at: list.place(ofKeyOf: dictionary))]
        }
    )

    private static let unqualifiedPrincipalClass = Rule(
        RuleID("unqualified-principal-class", .info, "a principal class without its module"),
        source: "https://github.com/OneSignal/cli/pull/7",
        rationale: """
            The system finds a Swift class only under its module's name. A name without a module is right for \
            Objective-C and for @objc(Name) classes. The finding is an error if the code of a content or service \
            extension declares the class in Swift without @objc(Name).
            """,
        failing: [[.withClass("⟦NotificationViewController⟧")]],
        passing: [[.withClass("$(PRODUCT_MODULE_NAME).NotificationViewController")]],
        .app { app in
            app.loadedClasses.compactMap { principal, code in
                let name = principal.name.value
                guard code.swiftClassNames.contains(name), !code.objectiveCNames.contains(name) else { return nil }
                return Finding(.swiftClass(name), at: principal.name.place, severity: .error)
            }
        },
        .propertyList { list in
            guard let (node, name) = principalClass(list), !name.contains("."), !App.holdsBuildSetting(name),
                // The check of apps reports a Swift class without its module, with the severity error.
                list.code?.swiftClassNames.contains(name) != true, list.code?.objectiveCNames.contains(name) != true
            else { return [] }
            return [Finding(.unqualified(name), at: list.place(of: node))]
        }
    )

    private static let hardCodedModule = Rule(
        RuleID("hard-coded-module", .info, "a principal class whose module name is written out"),
        source: "https://github.com/OneSignal/cli/pull/7",
        rationale: """
            Such a name works until somebody renames the target or the product. $(PRODUCT_MODULE_NAME) keeps working. \
            The finding is an error if the class is declared in Objective-C, which has no modules in names. The rule \
            is silent for classes of modules that the target does not build, and for names that @objc gives. It is \
            also silent inside of .app and .appex, where the build has inserted the name.
            """,
        failing: [[.withClass("⟦Content.NotificationViewController⟧")]],
        passing: [[.withClass("$(PRODUCT_MODULE_NAME).NotificationViewController")]],
        .app { app in
            app.loadedClasses.compactMap { principal, code in
                guard let name = principal.nameInOwnModule, code.isOnlyObjectiveC(principal.name.value) else {
                    return nil
                }
                return Finding(.objectiveCClass(name), at: principal.name.place, severity: .error)
            }
        },
        .propertyList { list in
            guard let (node, name) = principalClass(list), let dot = name.lastIndex(of: "."),
                !App.holdsBuildSetting(name), !list.document.isBuilt, list.mayBuildModule(String(name[..<dot])),
                list.code.map({ !$0.objectiveCNames.contains(name) && !$0.isOnlyObjectiveC(name) }) ?? true
            else { return [] }
            return [Finding(.hardCoded(name, String(name[name.index(after: dot)...])), at: list.place(of: node))]
        }
    )

    private static let unknownPrincipalClass = Rule(
        RuleID("unknown-principal-class", .error, "a principal class that the extension's code does not declare"),
        source: "https://github.com/CleverTap/clevertap-react-native/issues/409",
        rationale: """
            The system loads the class by its name. If there is no such class, it shows the push without the \
            extension. The rule also reports, as an error, a class that the target itself declares, but that the \
            property list writes with another module, and a name without a module that is much like a class of the \
            target. Other names without a module are a warning if another class of the target gets the notifications. \
            Two cases are an info: a class of a module that no target builds, which a framework may declare; and a \
            name without a module that a class of the target inherits from, or that an imported or linked module which \
            is not read may have. The rule is silent for other names without a module, where no Xcode project or \
            several targets build the extension, and where some of its code is not read or a macro may declare the \
            class.
            """,
        .app { app in
            app.extensions.compactMap { candidate in
                guard candidate.isOfOneTarget, !candidate.isUncertain, let principal = candidate.principalClass else {
                    return nil
                }
                let place = principal.name.place
                guard let own = principal.nameInOwnModule else {
                    return candidate.code.flatMap { otherModuleFinding(principal, $0) }
                }
                guard let last = own.split(separator: ".").last.map(String.init) else {
                    return Finding(.noClassName, at: place)
                }
                guard let known = candidate.code?.typeNames, !known.contains(last) else { return nil }
                let near = nearestName(to: last, in: known.sorted())
                return Finding(.unknownClass(own, near: near), at: place)
            }
        }
    )

    /// The finding about a principal class whose name does not belong to the module of its target.
    ///
    /// A class that the target itself declares is in no other module, so a name with another module is wrong even if
    /// other modules are not known.
    private static func otherModuleFinding(_ principal: App.PrincipalClass, _ code: TargetCode) -> Finding? {
        let name = principal.name.value
        guard let known = code.typeNames, let own = code.ownTypeNames, !principal.isOfKnownModule else { return nil }
        if principal.module == nil, !name.hasPrefix(principal.ownModule), !known.contains(name) {
            guard code.declaresEntryPoint, !App.holdsBuildSetting(name), !name.isEmpty else { return nil }
            let near =
                nearestName(to: name, in: code.objectiveCNames.sorted())
                ?? nearestName(to: name, in: code.swiftClassNames.sorted()).map { "$(PRODUCT_MODULE_NAME)." + $0 }
            let isUnread = code.importsUnreadModules || principal.mayBeOfLibrary
            if code.inheritedNames.contains(name) || near == nil && isUnread {
                return Finding(.unreadModules(name), at: principal.name.place, severity: .info)
            }
            // An Objective-C library may declare the class, so the finding is a warning if no name is similar.
            return Finding(
                .unknownClass(name, near: near), at: principal.name.place, severity: near == nil ? .warning : nil)
        }
        let last: String
        if let module = principal.module {
            last = String(name.dropFirst(module.count + 1))
        } else if name.hasPrefix(principal.ownModule), !known.contains(name) {
            last = String(name.dropFirst(principal.ownModule.count))
        } else {
            return nil
        }
        if own.contains(last) {
            let near = code.objectiveCNames.contains(last) ? last : "$(PRODUCT_MODULE_NAME).\(last)"
            return Finding(.otherModule(name, near: near), at: principal.name.place)
        }
        guard let module = principal.module else { return nil }
        return Finding(.unknownModule(module), at: principal.name.place, severity: .info)
    }

    private static let extensionClassKind = Rule(
        RuleID("extension-class-kind", .error, "a class that is made for another kind of extension"),
        source: .contentExtension,
        rationale: """
            The system expects a class of the right kind: for a content extension, a view controller with \
            UNNotificationContentExtension; for a service extension, a subclass of UNNotificationServiceExtension. A \
            class of the other kind gets no push. The rule is silent where the class inherits from code that is not \
            read, and where the class is in another module.
            """,
        failing: [RuleExample(panel("⟦Panel⟧", ": UNNotificationServiceExtension"))],
        passing: [RuleExample(panel("Panel", ": UIViewController <UNNotificationContentExtension>"))],
        .app { app in
            app.extensions.compactMap { candidate in
                guard candidate.takesPushes, !candidate.isUncertain, let code = candidate.code else { return nil }
                let isContent = candidate.kind == .content
                guard let principal = candidate.principalClass else {
                    let isWhole = code.typeNames != nil && code.objectiveCNames.isEmpty && code.hasAllClassKinds
                    guard isContent, candidate.isOfOneTarget, code.declaresEntryPoint, isWhole,
                        !code.importsUnreadModules, !code.classKinds.values.contains(.content)
                    else { return nil }
                    return Finding(.noContentClass, at: candidate.place)
                }
                let own = principal.nameInOwnModule ?? (principal.module == nil ? principal.name.value : "")
                guard let name = own.split(separator: ".").last.map(String.init), let kind = code.classKinds[name]
                else { return nil }
                let message: RuleMessage
                switch kind {
                case .content where !isContent: message = .contentClass(name)
                case .service where isContent: message = .serviceClass(name)
                // Only Swift classes are certain: an Objective-C class may be declared in a header that is not read.
                case .neither where code.typeNames != nil && code.swiftClassNames.contains(name):
                    message = .plainClass(name, isContent: isContent)
                default: return nil
                }
                return Finding(message, at: principal.name.place)
            }
        }
    )

    /// An app with a content extension whose principal class is `Panel`, in Objective-C.
    private static func panel(_ name: String, _ inherited: String) -> [RuleExample.File] {
        [
            .app(),
            .contentExtension(
                "Lab/Info.plist", entryPoint: "<key>NSExtensionPrincipalClass</key>\n\t\t<string>\(name)</string>"),
            .file("Lab/Panel.m", "@interface Panel \(inherited)\n@end\n@implementation Panel\n@end\n"),
        ]
    }

    private static func principalClass(_ list: LintedPlist) -> (PlistNode, String)? {
        guard let dictionary = list.contentExtension,
            let node = list.document[dictionary, BundleKey.principalClass], let name = node.string, !name.isEmpty
        else { return nil }
        return (node, name)
    }

    private static let extensionPoint = Rule(
        RuleID("extension-point", .error, "a missing or misspelt NSExtensionPointIdentifier"),
        source: .contentExtension,
        rationale: """
            The system recognizes extensions by this identifier. An identifier is reported as misspelt if at most \
            three letters differ from one of the two points for notifications, or if it names notifications and is \
            neither of them. The finding is a warning if a plist with keys of a content extension has another \
            extension point. If the principal class is that of a service extension, the keys are the mistake, not the \
            extension point.
            """,
        failing: [
            [.contentExtension(identifier: "", extensionKey: "<key>⟦NSExtension⟧</key>")],
            [.withIdentifier("⟦com.apple.usernotification.content-extension⟧")],
            [.withIdentifier("⟦com.apple.widgetkit-extension⟧")],
        ],
        passing: [[.contentExtension()]],
        .propertyList { list in
            if let node = list.document[BundleKey.extensionDictionary], node.kind != .dictionary {
                return [
                    Finding(
                        .wrongType(BundleKey.extensionDictionary, node.kind, "a dictionary"),
                        at: list.place(of: node)
                    )
                ]
            }
            guard let dictionary = list.plist.extensionDictionary else { return [] }
            guard let node = list.plist.pointIdentifier, node.kind != .string || !node.text.isEmpty else {
                guard list.isComplete else { return [] }
                let message = RuleMessage.noIdentifier(isContent: list.plist.isContentExtension)
                return [Finding(message, at: list.place(ofKeyOf: dictionary))]
            }
            guard let identifier = node.string else {
                return [Finding(.wrongType(BundleKey.pointIdentifier, node.kind, "a string"), at: list.place(of: node))]
            }
            if let near = nearPoint(to: identifier) {
                return [Finding(.nearIdentifier(identifier, near), at: list.place(of: node))]
            }
            guard list.plist.isContentExtension, identifier != BundleKey.contentPoint,
                !App.holdsBuildSetting(identifier)
            else { return [] }
            let className = list.document[dictionary, BundleKey.principalClass]?.string ?? ""
            let isService = list.document[dictionary, BundleKey.storyboard] == nil && !className.hasSuffix("Controller")
            let keys = (list.plist.attributes.map { list.document.children(of: $0) } ?? []).filter {
                $0.key.map { BundleKey.notificationAttributes.contains($0.text) } ?? false
            }
            guard identifier == BundleKey.servicePoint, isService, !className.isEmpty, let first = keys.first else {
                return [Finding(.otherIdentifier(identifier), at: list.place(of: node), severity: .warning)]
            }
            let message = RuleMessage.contentKeys(keys.compactMap { $0.key?.text })
            return [Finding(message, at: list.place(ofKeyOf: first), severity: .warning)]
        }
    )

    /// The extension point for notifications that a misspelt identifier probably means.
    ///
    /// Source: Apple, `NSExtensionPointIdentifier`: none of Apple's other points has "notification" in its name.
    private static func nearPoint(to identifier: String) -> String? {
        let points = [BundleKey.contentPoint, BundleKey.servicePoint]
        if points.contains(identifier) || App.holdsBuildSetting(identifier) { return nil }
        if let near = points.first(where: { editDistance($0, identifier) <= 3 }) { return near }
        let name = identifier.lowercased()
        guard name.hasPrefix("com.apple."), name.holds("notification") else { return nil }
        return name.holds("content") ? BundleKey.contentPoint : BundleKey.servicePoint
    }
}

extension App {
    /// The principal classes of the app's extensions whose code is known, each with this code.
    fileprivate var loadedClasses: [(PrincipalClass, TargetCode)] {
        extensions.filter { !$0.isUncertain }.compactMap { candidate in
            guard let principal = candidate.principalClass, let code = candidate.code else { return nil }
            return (principal, code)
        }
    }
}

extension TargetCode {
    /// Whether a class name, without its module, is the name of a class that is declared only in Objective-C.
    func isOnlyObjectiveC(_ name: String) -> Bool {
        guard let last = name.split(separator: ".").last.map(String.init) else { return false }
        return objectiveCNames.contains(last) && !swiftClassNames.contains(last)
    }
}

extension LintedPlist {
    /// Whether the target of this property list may build a module.
    ///
    /// A class of another module has to be written with that module.
    fileprivate func mayBuildModule(_ name: String) -> Bool {
        let own = settings.map { $0.expand("$(PRODUCT_MODULE_NAME)") }
        return own.isEmpty || own.contains { $0 == name || App.holdsBuildSetting($0) }
    }
}

extension RuleExample.File {
    fileprivate static func withEntryPoint(_ entryPoint: String) -> RuleExample.File {
        .contentExtension(entryPoint: entryPoint)
    }
    fileprivate static func withClass(_ name: String) -> RuleExample.File {
        withEntryPoint("<key>NSExtensionPrincipalClass</key>\n\t\t<string>\(name)</string>")
    }
    fileprivate static func withIdentifier(_ identifier: String) -> RuleExample.File {
        .contentExtension(
            identifier: "<key>NSExtensionPointIdentifier</key>\n\t\t<string>\(identifier)</string>"
        )
    }
}
