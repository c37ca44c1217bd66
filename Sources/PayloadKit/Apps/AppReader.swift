// SPDX-License-Identifier: MIT

public import AppDeclarations
public import DiagnosticSources
package import DocumentFormats

extension App {
    /// Reads an app from the JSON that ``json(relativeTo:)`` wrote.
    ///
    /// All places in the app are places in the JSON file.
    ///
    /// - Throws: `InputError` with every fault of the file.
    public init(json file: SourceFile) throws(InputError) {
        if ["<?xml", "<!DOCTYPE", "<plist", "bplist"].contains(where: { file.utf8.starts(with: $0.utf8) }) {
            let message = "a property list, expected the folder of the app, or an app.json of 'payloadgen app'"
            throw InputError(.invalid, [Diagnostic(.appSyntax, message, at: SourcePlace(wholeFile: file))])
        }
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
        app.displayName = root.text("display_name")
        app.bundleIdentifier = root.text("bundle_id")
        app.deploymentTarget = root.text("deployment_target")
        app.appGroups = texts(root["app_groups"])
        app.backgroundModes = texts(root["background_modes"])
        app.hasEntitlements = root["aps_environment"] != nil
        app.apsEnvironment = root["aps_environment"].flatMap { $0.scalar?.isNullMark == true ? nil : text($0) }
        app.pushEntitlements = root["entitlements"].map { node in
            Dictionary((node.members ?? []).map { ($0.name, node.bool($0.name) ?? false) }) { $1 }
        }
        app.urlSchemes = texts(root["url_schemes"])
        app.queriedSchemes = root.elements("queried_schemes").compactMap { $0.scalar?.text }
        app.associatedDomains = texts(root["associated_domains"])
        app.resources = OnDemand(resources(root))
        app.versions = versions(root["versions"])
        if let extras = root["declared"] { app.extras = document.requiredExtras(extras.members ?? []) }
        app.gaps = texts(root["may_have_more"]) ?? []
        app.extensions = root.elements("extensions").map { readExtension($0) }
        guard root["categories"] != nil || root["reads"] != nil else { return }
        var code = self.code(in: root) ?? TargetCode()
        code.categories = root.elements("categories").map { node in
            TargetCode.Category(
                identifier: node.text("identifier") ?? "",
                actions: node.elements("actions").map {
                    TargetCode.Action(
                        identifier: $0.text("identifier") ?? "",
                        isTextInput: $0.bool("text_input") ?? false
                    )
                },
                place: document.place(node.range)
            )
        }
        code.actions = root.elements("action_ids").compactMap(name)
        code.events = root.elements("events").compactMap(name)
        code.registersForPushes = root.bool("registers_for_pushes") ?? false
        app.code = code
    }

    private func resources(_ root: DocumentNode) -> BundleResources? {
        guard root["sounds"] != nil || root["strings"] != nil else { return nil }
        let sounds = root["sounds"]?.elements?.map {
            BundleResources.Sound(name: $0.text("name") ?? "", fault: $0.text("fault"))
        }
        let strings = root["strings"]?.members?.compactMap { member in
            member.value.scalar.flatMap { Int($0.text) }.map { (member.name, $0) }
        }
        return BundleResources(sounds: sounds, strings: strings.map { Dictionary($0) { $1 } })
    }

    private func versions(_ node: DocumentNode?) -> [BundleVersion] {
        (node?.members ?? []).map { member in
            BundleVersion(key: member.name, value: member.value.scalar?.isNullMark == true ? nil : text(member.value))
        }
    }

    /// What the code reads and writes, according to the file; nil if the file does not say.
    private func code(in node: DocumentNode) -> TargetCode? {
        guard node["reads"] != nil else { return nil }
        var code = TargetCode()
        code.reads = node.elements("reads").map { read in
            var found = TargetCode.Read(
                key: read.text("key") ?? "",
                path: read.elements("path").compactMap { $0.scalar?.text },
                type: read.choice("type") ?? .any,
                requirement: read.choice("required") ?? .optional,
                place: document.place(read.range)
            )
            found.alternatives = read.elements("one_of").compactMap { $0.scalar?.text }
            found.isCast = read.bool("cast") ?? false
            found.isGate = read.bool("gate") ?? false
            found.condition = condition(of: read)
            return found
        }
        code.unknownReads = node.elements("unknown_reads").map {
            TargetCode.UnknownRead(place: document.place($0.range), why: $0.text("why") ?? "")
        }
        code.writes = node.elements("writes").compactMap(name)
        return code
    }

    private func condition(of read: DocumentNode) -> ReadCondition {
        func texts(_ key: String) -> Set<String>? {
            read[key].map { Set(($0.elements ?? []).compactMap { $0.scalar?.text }) }
        }
        let categories = texts("categories").map { CategorySet($0) }
        let others = texts("except_categories").map { CategorySet($0, isComplement: true) }
        return ReadCondition(
            categories: categories ?? others ?? .all,
            keys: texts("with") ?? [],
            isOpen: read.bool("conditional") ?? false
        )
    }

    private func name(_ node: DocumentNode) -> TargetCode.Name? {
        node.scalar.map { TargetCode.Name(text: $0.text, place: document.place(node.range)) }
    }

    private func readExtension(_ node: DocumentNode) -> App.Extension {
        var found = App.Extension(
            kind: App.Extension.Kind(word: node.text("kind") ?? ""),
            place: document.place(node.range)
        )
        found.bundleIdentifier = node.text("bundle_id")
        found.appGroups = texts(node["app_groups"])
        found.brazeAppGroup = node["braze_app_group"].flatMap { text($0) }
        found.name = node.text("name")
        found.deploymentTarget = node.text("deployment_target")
        found.versions = versions(node["versions"])
        found.isUncertain = node.bool("uncertain") ?? false
        found.code = code(in: node)
        if let extras = node["declared"] { found.extras = document.requiredExtras(extras.members ?? []) }
        found.categories = node.elements("categories").compactMap { text($0) }
        if let interaction = node["user_interaction"] { found.interaction = self.interaction(interaction) }
        if let node = node["default_content_hidden"], case .bool(let isHidden)? = node.scalar?.value {
            found.defaultContentHidden = Placed(isHidden, at: document.place(node.range))
        }
        if let ratio = node["ratio"], let number = ratio.number {
            found.initialContentSizeRatio = Placed(number, at: document.place(ratio.range))
        }
        return found
    }

    /// In the JSON, `null` means that the value in the property list is not a boolean.
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
    /// The format of the JSON that `payloadgen app` writes.
    package static let app = Format(
        name: "the app",
        summary: "The declarations of an app, as 'payloadgen app' writes them.",
        [
            Key("version", .version(3, oldest: 2), isRequired: true, "The version of the format."),
            Key("name", .text, isRequired: true),
            Key("display_name", .text, "The name that users see; absent where only the build knows it."),
            Key("bundle_id", .text, "Absent where only the build knows it."),
            Key("deployment_target", .text, "The oldest version of iOS that the app runs on."),
            Key("categories", .list(.object(category)), "The notification categories that the code registers."),
            Key(
                "action_ids",
                .list(.text),
                "The actions that the code compares answers with, or registers in no known category."
            ),
            Key("app_groups", .list(.text), groups),
            Key("events", .list(.text), "The custom events that the code logs."),
            Key(
                "background_modes",
                .list(.text),
                "UIBackgroundModes in the Info.plist; absent where the Info.plist is not known."
            ),
            Key(
                "aps_environment",
                .textOrNull,
                "aps-environment in the entitlements; null where they do not have it, absent where they are not known."
            ),
            Key(
                "entitlements",
                .mapping(.boolean),
                "Whether the entitlements have each key that some pushes need; absent where they are not known."
            ),
            Key("url_schemes", .list(.text), "CFBundleURLSchemes; absent where the Info.plist is not known."),
            Key("queried_schemes", .list(.text), "LSApplicationQueriesSchemes, the schemes of other apps."),
            Key(
                "associated_domains",
                .list(.text),
                "The associated domains in the entitlements; absent where these are not known."
            ),
            Key(
                "sounds", .list(.object(sound)), "The sounds in the bundle of the app; absent where they are not known."
            ),
            Key(
                "strings",
                .mapping(.integer(0...Int.max)),
                "The keys of its Localizable tables with their numbers of arguments; absent where they are not known."
            ),
            Key("versions", .mapping(.textOrNull), versions),
            Key("registers_for_pushes", .boolean, "Whether the code registers for remote notifications."),
            Key(
                "may_have_more",
                .list(.text),
                "Why the app may have extensions that are not known; absent where all are."
            ),
            Key("extensions", .list(.object(appExtension)), isRequired: true),
            Key("declared", requiredExtras, "What the payloadgen.extras.yml of the app itself says."),
        ] + codeKeys
    )

    /// The keys for what the code of an app or an extension reads from pushes and writes into them.
    private static let codeKeys: [Key] = [
        Key("reads", .list(.object(read)), "The key-value pairs that code reads; absent where no code was read."),
        Key("unknown_reads", .list(.object(unknownRead)), "Reads whose keys cannot be determined from the source."),
        Key("writes", .list(.text), "The keys that the code writes itself."),
    ]

    private static let codePlace = [
        Key("file", .text, "The path of the source file."),
        Key("line", .integer(1...Int.max), "The line, from 1."),
    ]

    private static let read = Format(
        [
            Key("key", .text, isRequired: true),
            Key(
                "path",
                .list(.text),
                "The keys that lead to the value; '[]' is any element, and 'KEY{json}' the text of a key that is read as JSON."
            ),
            Key("type", choice(of: ReadType.self), isRequired: true, "What the value has to be."),
            Key("required", choice(of: ReadRequirement.self), isRequired: true, "What happens where it is missing."),
        ] + codePlace + [
            Key("one_of", .list(.text), "Other keys of which one is enough."),
            Key("cast", .boolean, "Whether the value is cast to the type, so a text is not accepted."),
            Key("gate", .boolean, "Whether a missing key skips only one feature."),
            Key("categories", .list(.text), "The categories of the pushes that 'required' is about; absent for all."),
            Key("except_categories", .list(.text), "The categories of the pushes that 'required' is not about."),
            Key("with", .list(.text), "The keys that a push has to have for 'required' to be about it."),
            Key(
                "conditional", .boolean,
                "Whether 'required' is about only some of these pushes, and it is not known which."),
            Key("system", .boolean, "Whether Apple or Braze sends the key."),
            Key("local", .boolean, "Whether code of the app itself writes the key."),
        ]
    )

    private static let unknownRead = Format(codePlace + [Key("why", .text)])

    private static let category = Format(
        [
            Key("identifier", .text, isRequired: true),
            Key(
                "actions",
                .list(
                    .object(Format([Key("identifier", .text, isRequired: true), Key("text_input", .boolean)]))
                )
            ),
        ] + codePlace
    )

    private static let sound = Format([
        Key("name", .text, isRequired: true),
        Key("fault", .text, "Why iOS does not play it."),
    ])

    private static let versions = "CFBundleVersion and CFBundleShortVersionString; null where the Info.plist lacks one."
    private static let groups = "The app groups in the entitlements; absent where there are no entitlements."
    private static let place = "PATH:LINE:COLUMN in the sources of the app."

    private static let appExtension = Format(
        [
            Key("name", .text, "The target, or the folder of the Info.plist."),
            Key("kind", .text, isRequired: true, "content, service, or another NSExtensionPointIdentifier."),
            Key("bundle_id", .text),
            Key("place", .text, place),
            Key("uncertain", .boolean, "Whether the build may change what its Info.plist declares."),
            Key("app_groups", .list(.text), groups),
            Key("braze_app_group", .text, "AppGroup in the Braze dictionary of the Info.plist."),
            Key("deployment_target", .text, "The oldest version of iOS that the extension runs on."),
            Key("versions", .mapping(.textOrNull), versions),
            Key("categories", .list(.text), "The categories that a content extension claims."),
            Key(
                "user_interaction",
                .booleanOrNull,
                "Whether touches reach the view; null where the plist has something other than a boolean."
            ),
            Key(
                "default_content_hidden",
                .boolean,
                "Whether the system leaves out its own view of the notification."
            ),
            Key("ratio", .number(nil), "UNNotificationExtensionInitialContentSizeRatio"),
            Key("declared", requiredExtras, "What payloadgen.extras.yml says; absent where there is none."),
        ] + codeKeys
    )
}
