// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources

extension RuleMessage {
    fileprivate static func missing(_ key: String) -> RuleMessage {
        "the Info.plist of the extension has no \(key), which devices and the App Store need; expected that of the app"
    }
    fileprivate static func differs(_ key: String, _ own: String, _ app: String) -> RuleMessage {
        "the extension's \(key) is '\(own)', and that of its app '\(app)'; the App Store expects the same"
    }
    fileprivate static func tooNew(_ own: String, _ app: String) -> RuleMessage {
        """
        the extension's deployment target is iOS \(own), and that of its app \(app): users of a version in between get \
        plain pushes; expected \(app) or lower
        """
    }
    fileprivate static func wrapper(_ found: String) -> RuleMessage {
        "WRAPPER_EXTENSION of the extension is '\(found)', so the system does not find the extension; expected 'appex', the default"
    }
    fileprivate static func second(_ app: String) -> RuleMessage {
        "there is another service extension in \(app), and the system runs only one of the two; expected one that does the work of both"
    }
}

/// The rules about whether the targets of an app's extensions fit the app and each other.
extension Rule {
    static let extensionTargets: [Rule] = [
        extensionVersion, extensionDeploymentTarget, secondServiceExtension, extensionWrapper,
    ]

    private static let extensionVersion = Rule(
        RuleID("extension-version", .warning, "an extension without a version, or with a version other than its app's"),
        source: "https://github.com/woocommerce/woocommerce-ios/pull/16636",
        rationale: """
            Xcode and the App Store expect that an extension and its app have the same CFBundleVersion and \
            CFBundleShortVersionString. A device does not install an extension without a version. The settings \
            MARKETING_VERSION and CURRENT_PROJECT_VERSION of the project keep the versions the same. The rule is \
            silent where Xcode generates the Info.plist, and for values that only the build knows.
            """,
        failing: [
            [.app(versions: "2.0"), .contentExtension("Lab/Info.plist", root: RuleExample.File.versions("⟦1.0⟧"))]
        ],
        passing: [
            [.app(versions: "2.0"), .contentExtension("Lab/Info.plist", root: RuleExample.File.versions("2.0"))]
        ],
        .app { app in
            let known = Dictionary(first: app.versions.map { ($0.key, $0.value) })
            return app.pushExtensions.flatMap { candidate in
                candidate.versions.compactMap { version in
                    guard let expected = known[version.key] ?? nil else { return nil }
                    guard let own = version.value else { return Finding(.missing(version.key), at: candidate.place) }
                    guard expected.value != own.value else { return nil }
                    let related = [Diagnostic.Related].note("the app's version", at: expected.place)
                    return Finding(.differs(version.key, own.value, expected.value), at: own.place, related: related)
                }
            }
        }
    )

    private static let extensionDeploymentTarget = Rule(
        RuleID("extension-deployment-target", .warning, "an extension for newer systems than its app"),
        source: "https://github.com/OneSignal/OneSignal-iOS-SDK/issues/450",
        rationale: """
            Xcode gives a new target the newest deployment target. If the app runs on an older system, that system \
            ignores the extension, and nothing says so. The rule is silent where one of the two targets is not known.
            """,
        failing: [
            [
                .app(root: minimum("15.0")),
                .contentExtension("Lab/Info.plist", root: minimum("18.2"), extensionKey: "<key>⟦NSExtension⟧</key>"),
            ]
        ],
        passing: [[.app(root: minimum("15.0")), .contentExtension("Lab/Info.plist", root: minimum("15"))]],
        .app { app in
            guard let target = app.deploymentTarget, let expected = numbers(target) else { return [] }
            return app.pushExtensions.compactMap { candidate in
                guard let own = candidate.deploymentTarget, let found = numbers(own),
                    expected.lexicographicallyPrecedes(found)
                else { return nil }
                return Finding(.tooNew(own, target), at: candidate.place, related: .note("the app", at: app.place))
            }
        }
    )

    private static let secondServiceExtension = Rule(
        RuleID("second-service-extension", .warning, "two service extensions in one app"),
        source: "https://github.com/expo/expo/pull/11651",
        rationale: """
            The system gives a push to only one service extension of an app. If there are two, such as Braze's and \
            your own, one of them never runs. Let one class do the work of both.
            """,
        failing: [
            [
                .app(), service("Braze/Info.plist"),
                service("Images/Info.plist", extensionKey: "<key>⟦NSExtension⟧</key>"),
            ]
        ],
        passing: [[.app(), service("Braze/Info.plist")]],
        .app { app in
            let services = app.extensions.filter { $0.kind == .service }
            let related = [Diagnostic.Related].note("the first one", at: services.first?.place)
            return services.dropFirst().map { Finding(.second(app.name), at: $0.place, related: related) }
        }
    )

    private static let extensionWrapper = Rule(
        RuleID(
            "extension-wrapper", .error,
            "an extension that is built into a folder whose name does not end with .appex"),
        source: "https://developer.apple.com/documentation/xcode/build-settings-reference",
        rationale: """
            An app extension is a folder that ends with .appex. The build setting WRAPPER_EXTENSION can change the \
            ending, for example if the target was copied from an app. The system then does not recognize the \
            extension. The rule is silent where no Xcode project and no project.yml builds the extension.
            """,
        .app { app in
            app.pushExtensions.compactMap { candidate in
                candidate.otherWrapper.map { Finding(.wrapper($0.value), at: $0.place ?? candidate.place) }
            }
        }
    )

    /// The numbers of a version without trailing zeros; nil if the text is not a version.
    private static func numbers(_ version: String) -> [Int]? {
        var numbers: [Int] = []
        for part in version.split(separator: ".", omittingEmptySubsequences: false) {
            guard let number = Int(part) else { return nil }
            numbers.append(number)
        }
        while numbers.last == 0 { numbers.removeLast() }
        return numbers
    }

    private static func minimum(_ version: String) -> String {
        "<key>MinimumOSVersion</key>\n\t<string>\(version)</string>"
    }

    private static func service(_ path: String, extensionKey: String = "<key>NSExtension</key>") -> RuleExample.File {
        .contentExtension(
            path,
            category: "",
            ratio: "",
            identifier:
                "<key>NSExtensionPointIdentifier</key>\n\t\t<string>com.apple.usernotifications.service</string>",
            extensionKey: extensionKey
        )
    }
}

extension App {
    /// The extensions to which the system passes pushes.
    fileprivate var pushExtensions: [Extension] { extensions.filter(\.takesPushes) }
}

extension RuleExample.File {
    fileprivate static func app(versions: String) -> RuleExample.File {
        .app(root: self.versions(versions))
    }

    /// The members of an Info.plist for its two versions.
    fileprivate static func versions(_ short: String) -> String {
        """
        <key>CFBundleShortVersionString</key>
        \t<string>\(short)</string>
        \t<key>CFBundleVersion</key>
        \t<string>7</string>
        """
    }
}
