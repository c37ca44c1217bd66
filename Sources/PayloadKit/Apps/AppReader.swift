// SPDX-License-Identifier: MIT

public import AppBundles
public import SourceText

extension App {
    /// Reads an app from the JSON that ``json(relativeTo:)`` wrote.
    ///
    /// The places in the app are those in the JSON.
    ///
    /// - Throws: `AppError` with every fault of the file.
    public init(json file: SourceFile) throws(AppError) {
        var reader = AppReader(file)
        do throws(DocumentError) {
            reader.read(try DocumentNode.json(file, rule: AppRule.syntax))
        } catch {
            throw AppError(.unreadable, error.diagnostics)
        }
        guard reader.document.diagnostics.isEmpty else { throw AppError(.unreadable, reader.document.diagnostics) }
        self = reader.app
    }
}

/// Reads the nodes of an `app.json`.
private struct AppReader {
    private(set) var document: DocumentReader
    private(set) var app = App(name: "")

    init(_ file: SourceFile) {
        document = DocumentReader(file: file, syntaxRule: AppRule.syntax, unknownKeyRule: AppRule.unknownKey)
    }

    mutating func read(_ root: DocumentNode) {
        let keys = ["version", "name", "bundle_id", "deployment_target", "app_groups", "extensions"]
        for member in document.members(of: root, name: "the app", owner: "the app", keys: keys) {
            let node = member.value
            switch member.name {
            case "version":
                if let version = document.integer(node, "version"), version != 1 {
                    document.report("found version \(version), expected 1", at: node.range)
                }
            case "name": app.name = document.text(node, "name")?.text ?? ""
            case "bundle_id": app.bundleIdentifier = document.text(node, "bundle_id")?.text
            case "deployment_target": app.deploymentTarget = document.text(node, "deployment_target")?.text
            case "app_groups": app.appGroups = texts(node, "app_groups")
            case "extensions":
                for (index, element) in document.elements(of: node, name: "extensions").enumerated() {
                    readExtension(element, "extensions[\(index)]")
                }
            default: break
            }
        }
        app.place = document.place(SourceRange(start: root.range.start, end: root.range.start))
        for key in ["version", "name", "extensions"] where root.members != nil && root[key] == nil {
            document.report(DocumentMessages.missingKey(key, of: "the app"), at: SourceRange(0, 0))
        }
    }

    private mutating func readExtension(_ node: DocumentNode, _ name: String) {
        let keys = ["point", "bundle_id", "place", "app_groups", "braze_app_group", "categories", "extras"]
        var found = App.Extension(kind: .other(""), place: document.place(node.range))
        for member in document.members(of: node, name: name, owner: "'\(name)'", keys: keys) {
            let node = member.value
            let name = name + "." + member.name
            switch member.name {
            case "point": found.kind = App.Extension.Kind(document.text(node, name)?.text ?? "")
            case "bundle_id": found.bundleIdentifier = document.text(node, name)?.text
            case "app_groups": found.appGroups = texts(node, name)
            case "braze_app_group": found.brazeAppGroup = text(node, name)
            case "categories": readCategories(node, name, of: &found)
            case "extras": found.extras = document.requiredExtras(node, name)
            default: break
            }
        }
        app.extensions.append(found)
    }

    private mutating func readCategories(_ node: DocumentNode, _ name: String, of found: inout App.Extension) {
        for (index, element) in document.elements(of: node, name: name).enumerated() {
            let owner = "\(name)[\(index)]"
            let keys = ["name", "interaction", "place"]
            for member in document.members(of: element, name: owner, owner: "'\(owner)'", keys: keys) {
                switch member.name {
                case "name":
                    if let category = text(member.value, owner + ".name") { found.categories.append(category) }
                case "interaction": found.interaction = interaction(member.value, owner + ".interaction")
                default: break
                }
            }
        }
    }

    /// `null` stands for what the app declares and the system does not understand.
    private mutating func interaction(_ node: DocumentNode, _ name: String) -> App.Interaction {
        let place = document.place(node.range)
        if node.scalar?.isNullMark ?? false { return .malformed(Placed("null", at: place)) }
        return document.bool(node, name).map { .declared(Placed($0, at: place)) } ?? .absent
    }

    private mutating func text(_ node: DocumentNode, _ name: String) -> Placed<String>? {
        let place = document.place(node.range)
        return document.text(node, name).map { Placed($0.text, at: place) }
    }

    private mutating func texts(_ node: DocumentNode, _ name: String) -> [Placed<String>] {
        var texts: [Placed<String>] = []
        for (index, element) in document.elements(of: node, name: name).enumerated() {
            if let text = text(element, "\(name)[\(index)]") { texts.append(text) }
        }
        return texts
    }
}
