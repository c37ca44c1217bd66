// SPDX-License-Identifier: MIT

public import AppBundles
package import Documents
public import SourceText

extension App {
    /// Reads an app from the JSON that ``json(relativeTo:)`` wrote.
    ///
    /// The places in the app are those in the JSON.
    ///
    /// - Throws: `InputError` with every fault of the file.
    public init(json file: SourceFile) throws(InputError) {
        var reader = AppReader(file)
        reader.read(try DocumentNode.json(file, rule: .appSyntax))
        guard reader.document.diagnostics.isEmpty else { throw InputError(.invalid, reader.document.diagnostics) }
        self = reader.app
    }
}

/// Reads the nodes of an `app.json`.
private struct AppReader {
    private(set) var document: DocumentReader
    private(set) var app = App(name: "")

    init(_ file: SourceFile) {
        document = DocumentReader(file: file, syntaxRule: .appSyntax, unknownKeyRule: .appUnknownKey)
    }

    mutating func read(_ root: DocumentNode) {
        app.place = document.place(SourceRange(start: root.range.start, end: root.range.start))
        guard let root = document.checked(root, .app) else { return }
        app.name = root.text("name") ?? ""
        app.bundleIdentifier = root.text("bundle_id")
        app.deploymentTarget = root.text("deployment_target")
        app.appGroups = texts(root["app_groups"])
        app.extensions = root.elements("extensions").map { readExtension($0) }
    }

    private func readExtension(_ node: DocumentNode) -> App.Extension {
        var found = App.Extension(
            kind: App.Extension.Kind(node.text("point") ?? ""),
            place: document.place(node.range)
        )
        found.bundleIdentifier = node.text("bundle_id")
        found.appGroups = texts(node["app_groups"])
        found.brazeAppGroup = node["braze_app_group"].flatMap { text($0) }
        if let extras = node["extras"] { found.extras = document.requiredExtras(extras.members ?? []) }
        for category in node.elements("categories") {
            if let name = category["name"].flatMap({ text($0) }) { found.categories.append(name) }
            if let interaction = category["interaction"] { found.interaction = self.interaction(interaction) }
        }
        return found
    }

    /// `null` is for what the app declares and the system does not understand.
    private func interaction(_ node: DocumentNode) -> App.Interaction {
        let place = document.place(node.range)
        guard case .bool(let isOn)? = node.scalar?.value else { return .malformed(Placed("null", at: place)) }
        return .declared(Placed(isOn, at: place))
    }

    private func text(_ node: DocumentNode) -> Placed<String>? {
        node.scalar.map { Placed($0.text, at: document.place(node.range)) }
    }

    private func texts(_ node: DocumentNode?) -> [Placed<String>]? { node?.elements?.compactMap { text($0) } }
}

extension Format {
    /// What `payloadgen app` writes.
    package static let app = Format(
        name: "the app",
        summary: "What an app promises to campaigns, as 'payloadgen app' writes it.",
        [
            Key("version", .version(1), isRequired: true, "The version of the format."),
            Key("name", .text, isRequired: true),
            Key("bundle_id", .text, "Absent where only the build knows it."),
            Key("deployment_target", .text, "The oldest version of iOS that the app runs on."),
            Key("app_groups", .list(.text), groups),
            Key("extensions", .list(.object(appExtension)), isRequired: true),
        ]
    )

    private static let groups = "The app groups in the entitlements; absent where there are no entitlements."
    private static let place = "PATH:LINE:COLUMN in the sources of the app."

    private static let appExtension = Format(
        [
            Key("point", .text, isRequired: true, "NSExtensionPointIdentifier"),
            Key("bundle_id", .text),
            Key("place", .text, place),
            Key("app_groups", .list(.text), groups),
            Key("braze_app_group", .text, "AppGroup in the Braze dictionary of the Info.plist."),
            Key("categories", .list(.object(appCategory))),
            Key("extras", requiredExtras, "The key-value pairs that the extension reads; absent where nobody says."),
        ]
    )

    private static let appCategory = Format(
        [
            Key("name", .text, isRequired: true),
            Key(
                "interaction",
                .booleanOrNull,
                "Whether touches reach the view; null where the plist holds no boolean."
            ),
            Key("place", .text, place),
        ]
    )
}
