// SPDX-License-Identifier: MIT

import AppBundles
package import AppDeclarations
package import DiagnosticSources

/// An app that the files of a project declare.
package struct FoundApp: Sendable {
    /// The app in its release configuration, which campaigns are checked against.
    package var app: App

    /// The app in each configuration, for the rules about apps.
    package var variants: [App]

    /// The absolute paths of its property lists.
    package var lists: Set<String>

    /// The enclosure that the app belongs to; see ``AppModel/enclosure(of:)``.
    package var enclosure: String?

    /// The path of its declaration, for messages.
    package var path: String

    /// Why the app is checked only against campaigns that name it; nil if any campaign may be for it.
    package var exclusion: String?

    /// Describes an app.
    package init(
        _ app: App,
        variants: [App]? = nil,
        lists: Set<String>,
        enclosure: String?,
        path: String,
        exclusion: String? = nil
    ) {
        self.app = app
        self.variants = variants ?? [app]
        self.lists = lists
        self.enclosure = enclosure
        self.path = path
        self.exclusion = exclusion
    }

    /// The app with another name; campaigns may still use its own name.
    package func named(_ name: String) -> FoundApp {
        var named = self
        named.app.otherNames.append(app.name)
        named.app.name = name
        for index in named.variants.indices { named.variants[index].name = name }
        return named
    }
}

extension [FoundApp] {
    /// The apps with unique names: apps that share a name are named by the path of their declaration.
    ///
    /// If campaigns may be for only one of these apps, that app keeps its name.
    var withUniqueNames: [FoundApp] {
        let namesakes = Dictionary(grouping: self, by: \.app.name)
        return map { app in
            let others = namesakes[app.app.name] ?? []
            let isOnlyCandidate = app.exclusion == nil && others.count { $0.exclusion == nil } == 1
            return others.count > 1 && !isOnlyCandidate ? app.named(app.path) : app
        }
    }
}

/// Limits the number of values that all apps declare in all configurations.
///
/// One property list may belong to many apps, so small files could otherwise declare any number of values.
package struct AppBudget {
    private static let limit = 500_000

    private var valueCount = 0

    /// The place of the current app's declaration.
    package var place: SourcePlace?

    /// The finding that the limit was reached, if it was.
    package private(set) var diagnostics: [Diagnostic] = []

    /// Creates an unused budget.
    package init() {}

    /// Counts the property lists of another app, and returns whether the app may be read.
    ///
    /// - Parameter listCount: the number of its property lists.
    /// - Returns: false once the limit is exceeded.
    mutating func allows(_ listCount: Int) -> Bool {
        valueCount += listCount
        guard valueCount > Self.limit else { return true }
        if diagnostics.isEmpty, let place {
            diagnostics.append(Diagnostic(.tooManyValues(limit: Self.limit), at: place))
        }
        return false
    }

    /// Counts the values that an app declares.
    mutating func take(_ app: App) {
        valueCount += app.appGroups?.count ?? 0
        for candidate in app.extensions {
            valueCount += 1 + candidate.categories.count + (candidate.appGroups?.count ?? 0)
        }
    }
}
