// SPDX-License-Identifier: MIT

package import DiagnosticSources

extension App {
    /// A value of an app, such as its bundle identifier, that differs between build configurations and that campaigns
    /// are checked against.
    package struct VaryingValue: Sendable {
        /// The key of the value in the Info.plist.
        package var key: String

        /// The name of the target that has the value.
        package var target: String

        /// The value, in words for messages.
        package var value: String

        /// The name of the configuration that has this value.
        package var configuration: String

        /// The configurations that have a different value, and their values in words for messages.
        package fileprivate(set) var others: [(configuration: String, value: String)]

        /// The place of the value; if the value is missing, the place of the declaration that lacks it.
        package var place: SourcePlace?
    }

    /// A build configuration that is not the release configuration.
    package struct OtherConfiguration: Sendable {
        /// The name of the configuration.
        package var name: String

        /// The app groups that the app has in the release configuration; nil if they are not known.
        package var groupsOfRelease: [String]?

        /// The app groups of the app's extensions in the release configuration, by the names of the extensions.
        package var extensionGroupsOfRelease: [String: [String]] = [:]

        /// Describes a configuration.
        ///
        /// - Parameters:
        ///   - name: the name of the configuration.
        ///   - release: the app in the release configuration, whose app groups are kept.
        package init(_ name: String, release: App) {
            self.name = name
            groupsOfRelease = release.appGroups?.map(\.value)
            for found in release.extensions {
                guard let name = found.name, let groups = found.appGroups else { continue }
                extensionGroupsOfRelease[name] = groups.map(\.value)
            }
        }
    }

    /// The values of the app and its push extensions that differ between build configurations, and the push extensions
    /// that only some configurations have.
    ///
    /// - Parameters:
    ///   - configuration: the name of the configuration of this app.
    ///   - others: the app in the other configurations, by their names.
    /// - Returns: the differences; values that only the build knows are left out.
    package func varyingValues(
        in configuration: String,
        comparedWith others: [(configuration: String, app: App)]
    ) -> [VaryingValue] {
        let values = others.map { (configuration: $0.configuration, values: $0.app.comparedValues) }
        let differing = comparedValues.compactMap { compared -> VaryingValue? in
            let found = values.compactMap { other -> (configuration: String, value: String)? in
                let same = other.values.first { $0.key == compared.key && $0.target == compared.target }
                return same.flatMap { $0.value == compared.value ? nil : (other.configuration, $0.value) }
            }
            guard !found.isEmpty else { return nil }
            return VaryingValue(
                key: compared.key, target: compared.target, value: compared.value, configuration: configuration,
                others: found,
                place: compared.place)
        }
        return differing + varyingExtensions(in: configuration, comparedWith: others)
    }

    /// The push extensions that only some build configurations have.
    ///
    /// If some property lists of a configuration are not known, it counts as having every extension.
    private func varyingExtensions(
        in configuration: String,
        comparedWith others: [(configuration: String, app: App)]
    ) -> [VaryingValue] {
        let apps = [(configuration: configuration, app: self)] + others
        var names: [String] = []
        for (_, app) in apps {
            names += app.pushExtensions.keys.sorted().filter { !names.contains($0) }
        }
        return names.compactMap { name in
            let found = apps.map { _, app in app.pushExtensions[name] }
            func value(_ position: Int) -> String? {
                guard let declared = found[position] else { return apps[position].app.mayHaveMore ? nil : "none" }
                return "'\(declared.kind.identifier)'"
            }
            guard let thisValue = value(0) else { return nil }
            let differing = apps.indices.dropFirst().compactMap { position in
                value(position).flatMap {
                    $0 == thisValue ? nil : (configuration: apps[position].configuration, value: $0)
                }
            }
            guard !differing.isEmpty else { return nil }
            return VaryingValue(
                key: BundleKey.pointIdentifier, target: name, value: thisValue, configuration: configuration,
                others: differing, place: found.lazy.compactMap { $0?.place }.first)
        }
    }

    /// The push extensions by the names of their targets; if several have the same name, the first one.
    private var pushExtensions: [String: Extension] {
        let named = extensions.filter(\.takesPushes).compactMap { found in found.name.map { ($0, found) } }
        return Dictionary(named) { first, _ in first }
    }

    private struct ComparedValue {
        var key: String
        var target: String
        var value: String
        var place: SourcePlace?
    }

    private var comparedValues: [ComparedValue] {
        var values: [ComparedValue] = []
        func add(_ key: String, _ target: String, _ value: String?, at place: SourcePlace?) {
            guard let value, !App.holdsBuildSetting(value) else { return }
            values.append(ComparedValue(key: key, target: target, value: value, place: place))
        }
        func quoted(_ text: String) -> String { "'\(text)'" }
        add(BundleKey.bundleIdentifier, name, bundleIdentifier.map(quoted), at: place)
        for found in extensions where found.takesPushes {
            guard let name = found.name else { continue }
            add(BundleKey.bundleIdentifier, name, found.bundleIdentifier.map(quoted), at: found.place)
            guard found.kind == .content else { continue }
            // A missing category is reported as a separate error.
            let categories = found.categories.map(\.value).sorted().map(quoted)
            if !categories.isEmpty {
                add(BundleKey.category, name, categories.joined(separator: " and "), at: found.categories.first?.place)
            }
            switch found.interaction {
            case .absent: add(BundleKey.interaction, name, "false", at: found.place)
            case .declared(let value): add(BundleKey.interaction, name, "\(value.value)", at: value.place)
            case .malformed: break
            }
        }
        return values
    }
}
