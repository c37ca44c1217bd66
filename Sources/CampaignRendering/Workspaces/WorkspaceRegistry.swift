// SPDX-License-Identifier: MIT

import AppDeclarations
package import DiagnosticSources
import DocumentFormats
package import POSIXFiles

/// The custom attributes, catalogs and events of a Braze workspace, as `payloadgen pull` and braze-sync write them.
package struct WorkspaceRegistry: Sendable {
    /// A custom attribute.
    package struct Attribute: Sendable, Hashable {
        /// The name.
        package var name: String
        /// The type, as in the file: `string`, `number`, `boolean`, `time`, `array`, `object` or `object_array`.
        package var type: String?
        /// The description that people have written for it.
        package var description: String?
        /// Whether it is blocklisted, so that Braze no longer collects it.
        package var isBlocklisted: Bool

        package init(name: String, type: String?, description: String?, isBlocklisted: Bool) {
            self.name = name
            self.type = type
            self.description = description
            self.isBlocklisted = isBlocklisted
        }

        /// The type for rules about types; nil if it is not known.
        package var attributeType: AttributeType? {
            type == "object_array" ? .array : type.flatMap { AttributeType(rawValue: $0) }
        }
    }

    /// A catalog.
    package struct Catalog: Sendable, Hashable {
        /// The name.
        package var name: String
        /// The description that people have written for it.
        package var description: String?
        /// The fields.
        package var fields: [Field]
        /// The names of the selections; nil if they are not known.
        package var selections: [String]?

        /// A field of the items of a catalog.
        package struct Field: Sendable, Hashable {
            /// The name.
            package var name: String
            /// The type.
            package var type: String?

            package init(name: String, type: String?) {
                self.name = name
                self.type = type
            }
        }

        package init(name: String, description: String?, fields: [Field], selections: [String]?) {
            self.name = name
            self.description = description
            self.fields = fields
            self.selections = selections
        }
    }

    /// A custom event.
    package struct Event: Sendable, Hashable {
        /// The name.
        package var name: String

        package init(name: String) { self.name = name }
    }

    /// The custom attributes by their names; nil if the workspace has no registry of them.
    package private(set) var attributes: [String: Attribute]? {
        didSet { attributeTypes = attributes?.compactMapValues(\.attributeType) }
    }

    /// The types of the custom attributes; nil if the workspace has no registry of them.
    package private(set) var attributeTypes: [String: AttributeType]?

    /// The catalogs by their names; nil if the workspace has none.
    package private(set) var catalogs: [String: Catalog]?

    /// The names of the events; nil if the workspace has no registry of them.
    package private(set) var events: [String]?

    /// The paths of the files and folders of a workspace, relative to the workspace's folder.
    package enum Path {
        package static let attributes = "custom_attributes/registry.yaml"
        package static let events = "events/registry.yaml"
        package static let catalogs = "catalogs"
        package static let blocks = "content_blocks"

        package static func catalog(_ name: String) -> String { "\(catalogs)/\(name)/schema.yaml" }
    }

    package init() {}

    /// Adds custom attributes that a configuration names, if the workspace has a registry of them.
    package mutating func add(_ names: some Sequence<String>) {
        for name in names where attributes?[name] == nil {
            attributes?[name] = Attribute(name: name, type: nil, description: nil, isBlocklisted: false)
        }
    }

    /// Reads the registry of a workspace.
    ///
    /// - Parameters:
    ///   - folder: the absolute path of the workspace's folder.
    ///   - root: the root of the project; files outside it are not read.
    ///   - shown: returns the path of a file for messages.
    /// - Returns: the registry, and the findings about files that cannot be read.
    package static func read(
        in folder: String,
        root: ProjectRoot,
        shown: @escaping (String) -> String
    ) -> (WorkspaceRegistry, [Diagnostic]) {
        let file = root.reader(shown: shown)
        var unread: [Diagnostic] = []
        let catalogs = FolderWalk.names(in: folder + "/" + Path.catalogs) ?? []
        let (registry, faults) = read(catalogs: catalogs) { path in
            do throws(FileError) {
                return try file(folder + "/" + path)
            } catch {
                unread.append(Diagnostic(.configurationSyntax, error.description, at: SourcePlace(unread: error.path)))
                return nil
            }
        }
        return (registry, unread + faults)
    }

    /// Reads the registry of a workspace.
    ///
    /// - Parameters:
    ///   - names: the names of the folders of catalogs.
    ///   - file: reads a file at a path in the workspace; nil if there is none.
    /// - Returns: the registry, and the findings about files that cannot be read.
    package static func read(
        catalogs names: [String],
        file: (String) -> SourceFile?
    ) -> (WorkspaceRegistry, [Diagnostic]) {
        var registry = WorkspaceRegistry()
        var faults: [Diagnostic] = []
        func read<Part>(_ path: String, _ parse: (SourceFile) -> ([Part], [Diagnostic])) -> [Part]? {
            guard let file = file(path) else { return nil }
            let (parts, found) = parse(file)
            faults += found
            return parts
        }
        registry.attributes = read(Path.attributes, attributes).map {
            Dictionary($0.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        }
        registry.events = read(Path.events, events)?.map(\.name)
        for name in names {
            for catalog in read(Path.catalog(name), catalogs) ?? [] {
                registry.catalogs = registry.catalogs ?? [:]
                registry.catalogs?[catalog.name] = catalog
            }
        }
        return (registry, faults)
    }

    /// Reads `custom_attributes/registry.yaml`.
    package static func attributes(in file: SourceFile) -> ([Attribute], [Diagnostic]) {
        parts(in: file, .attributeRegistry, "attributes").map { node in
            Attribute(
                name: node.text("name") ?? "", type: node.text("type"), description: node.text("description"),
                isBlocklisted: node.bool("deprecated") ?? false)
        }
    }

    /// Reads `events/registry.yaml`.
    package static func events(in file: SourceFile) -> ([Event], [Diagnostic]) {
        parts(in: file, .eventRegistry, "events").map { Event(name: $0.text("name") ?? "") }
    }

    /// Reads `catalogs/NAME/schema.yaml`: one catalog, or none with findings.
    package static func catalogs(in file: SourceFile) -> ([Catalog], [Diagnostic]) {
        checked(file, .catalogSchema).map { node in
            Catalog(
                name: node.text("name") ?? "", description: node.text("description"),
                fields: node.elements("fields").map {
                    Catalog.Field(name: $0.text("name") ?? "", type: $0.text("type"))
                },
                selections: node["selections"]?.elements?.compactMap { $0.scalar?.text })
        }
    }

    private static func parts(in file: SourceFile, _ format: Format, _ key: String) -> Checked {
        let whole = checked(file, format)
        return Checked(nodes: whole.nodes.flatMap { $0.elements(key) }, faults: whole.faults)
    }

    private static func checked(_ file: SourceFile, _ format: Format) -> Checked {
        do throws(InputError) {
            guard let root = try DocumentNode.read(file, rule: .configurationSyntax) else {
                return Checked(nodes: [], faults: [])
            }
            var reader = DocumentReader(
                file: file, syntaxRule: .configurationSyntax, unknownKeyRule: .configurationSyntax)
            let node = reader.checked(root, format)
            return Checked(nodes: [node].compactMap(\.self), faults: reader.diagnostics)
        } catch {
            return Checked(nodes: [], faults: error.diagnostics)
        }
    }

    /// Nodes that were checked against a format, and the findings about them.
    private struct Checked {
        var nodes: [DocumentNode]
        var faults: [Diagnostic]

        func map<Part>(_ transform: (DocumentNode) -> Part) -> ([Part], [Diagnostic]) {
            (nodes.map(transform), faults)
        }
    }
}

extension RuleID {
    /// The rule for a configuration, or a registry that belongs to it, that cannot be used.
    package static let configurationSyntax = RuleID(
        "configuration-syntax", .error, "a .payloadgen.yml that cannot be used"
    )
}

/// The formats of the files, which accept unknown keys because other programs may add some.
extension Format {
    fileprivate static let attributeRegistry = Format(
        name: "the registry of custom attributes",
        traits: [.isOpen, .mayBeEmpty],
        [
            Key(
                "attributes",
                .list(
                    .object(
                        Format(
                            traits: .isOpen,
                            [
                                Key("name", .text, isRequired: true), Key("type", .textOrNull),
                                Key("description", .textOrNull), Key("deprecated", .boolean),
                            ]))),
                isRequired: true)
        ]
    )

    fileprivate static let eventRegistry = Format(
        name: "the registry of events",
        traits: [.isOpen, .mayBeEmpty],
        [
            Key(
                "events", .list(.object(Format(traits: .isOpen, [Key("name", .text, isRequired: true)]))),
                isRequired: true)
        ]
    )

    fileprivate static let catalogSchema = Format(
        name: "the schema of the catalog",
        traits: .isOpen,
        [
            Key("name", .text, isRequired: true), Key("description", .textOrNull),
            Key(
                "fields",
                .list(
                    .object(
                        Format(traits: .isOpen, [Key("name", .text, isRequired: true), Key("type", .textOrNull)]))),
                isRequired: true),
            Key("selections", .list(.text)),
        ]
    )
}
