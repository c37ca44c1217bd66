// SPDX-License-Identifier: MIT

public import AppDeclarations
import DiagnosticSources
import JSONTexts
import POSIXFiles

extension App {
    /// The declarations of the app as pretty JSON, in version 3 of the format that `init(contentsOf:)` reads.
    ///
    /// The same app gives the same bytes. Extensions are in the order of their paths; categories and key-value pairs
    /// are in the order of their files.
    ///
    /// - Parameter folder: the folder that paths are relative to.
    /// - Returns: the JSON, with a line break at its end.
    public func json(relativeTo folder: String) -> [UInt8] {
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.member("version", 3)
        json.member("name", name)
        json.memberUnlessNil("display_name", displayName)
        json.memberUnlessNil("bundle_id", bundleIdentifier)
        json.memberUnlessNil("deployment_target", deploymentTarget)
        if code != nil || extensions.contains(where: { $0.code != nil }) {
            json.write(categoriesInCode, relativeTo: folder)
            let actions = (code?.actions ?? []) + extensions.flatMap { $0.code?.actions ?? [] }
            json.member("action_ids", Optional(Set(actions.map(\.text)).sorted()))
        }
        json.member("app_groups", groupsOfAll)
        let events = Set(codes.flatMap(\.events).map(\.text))
        if !events.isEmpty { json.member("events", Optional(events.sorted())) }
        json.member("background_modes", backgroundModes?.map(\.value))
        if hasEntitlements {
            json.key("aps_environment")
            if let apsEnvironment { json.string(apsEnvironment.value) } else { json.null() }
        }
        if let pushEntitlements {
            json.object("entitlements") { json in
                for (key, isGranted) in pushEntitlements.sorted(by: { $0.key < $1.key }) { json.member(key, isGranted) }
            }
        }
        json.member("url_schemes", urlSchemes?.map(\.value))
        if !queriedSchemes.isEmpty { json.member("queried_schemes", Optional(queriedSchemes)) }
        json.member("associated_domains", associatedDomains?.map(\.value))
        if let resources = resources.value { json.write(resources) }
        json.write(versions)
        if code?.registersForPushes == true { json.member("registers_for_pushes", true) }
        if mayHaveMore { json.member("may_have_more", Optional(gaps.map(\.value))) }
        json.array("extensions", extensions) { $0.write($1, of: self, relativeTo: folder) }
        if let extras { json.write(extras) }
        if let code { json.write(code, of: self, relativeTo: folder) }
        json.endObject()
        json.buffer.append("\n")
        return json.buffer.withUnsafeBytes { Array($0) }
    }
}

extension App {
    /// The categories that the code of the app and its extensions registers, each once.
    private var categoriesInCode: [TargetCode.Category] {
        var seen: Set<String> = []
        let all = (code?.categories ?? []) + extensions.flatMap { $0.code?.categories ?? [] }
        return all.filter { seen.insert($0.identifier).inserted }
    }

    /// The app groups of the entitlements and of the code; nil if neither is known.
    private var groupsOfAll: [String]? {
        let named = (code?.appGroups ?? []) + extensions.flatMap { $0.code?.appGroups ?? [] }
        var groups: [String] = []
        let all = (appGroups?.map(\.value) ?? []) + named.map(\.text)
        for name in all where !groups.contains(name) { groups.append(name) }
        return appGroups == nil && named.isEmpty ? nil : groups
    }

    /// The keys that code writes into pushes that it has received, so that campaigns need not send them.
    package var writtenKeys: Set<String> {
        Set(codes.flatMap { $0.writes.map(\.text) })
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ candidate: App.Extension, of app: App, relativeTo folder: String) {
        beginObject()
        memberUnlessNil("name", candidate.name)
        member("kind", candidate.kind.word)
        memberUnlessNil("bundle_id", candidate.bundleIdentifier)
        member("place", candidate.place, relativeTo: folder)
        if candidate.isUncertain { member("uncertain", true) }
        member("app_groups", candidate.appGroups?.map(\.value))
        memberUnlessNil("braze_app_group", candidate.brazeAppGroup?.value)
        memberUnlessNil("deployment_target", candidate.deploymentTarget)
        write(candidate.versions)
        if candidate.kind == .content {
            member("categories", candidate.categories.map(\.value))
            switch candidate.interaction {
            case .absent: member("user_interaction", false)
            case .declared(let declared): member("user_interaction", declared.value)
            case .malformed:
                key("user_interaction")
                null()
            }
            member("default_content_hidden", candidate.defaultContentHidden?.value ?? false)
            if let ratio = candidate.initialContentSizeRatio?.value, ratio.isFinite {
                key("ratio")
                double(ratio)
            }
        }
        if let extras = candidate.extras { write(extras) }
        if let code = candidate.code { write(code, of: app, relativeTo: folder) }
        endObject()
    }

    /// Writes the known versions, with null for a version that the Info.plist lacks.
    fileprivate mutating func write(_ versions: [BundleVersion]) {
        guard !versions.isEmpty else { return }
        object("versions") { json in
            for version in versions {
                json.key(version.key)
                if let value = version.value { json.string(value.value) } else { json.null() }
            }
        }
    }

    fileprivate mutating func write(_ resources: BundleResources) {
        if let sounds = resources.sounds {
            array("sounds", sounds) { json, sound in
                json.object { json in
                    json.member("name", sound.name)
                    json.memberUnlessNil("fault", sound.fault)
                }
            }
        }
        guard let strings = resources.strings else { return }
        object("strings") { json in
            for (name, count) in strings.sorted(by: { $0.key < $1.key }) { json.member(name, count) }
        }
    }

    fileprivate mutating func write(_ extras: [RequiredExtra]) {
        object("declared") { json in
            for extra in extras {
                json.object(extra.key) { json in
                    json.member("type", extra.type.rawValue)
                    if let required = extra.required { json.member("required", required.value) }
                }
            }
        }
    }

    fileprivate mutating func write(_ categories: [TargetCode.Category], relativeTo folder: String) {
        array("categories", categories) { json, category in
            json.object { json in
                json.member("identifier", category.identifier)
                json.array("actions", category.actions) { json, action in
                    json.object { json in
                        json.member("identifier", action.identifier)
                        json.member("text_input", action.isTextInput)
                    }
                }
                json.write(category.place, relativeTo: folder)
            }
        }
    }

    /// Writes what the code reads from pushes and writes into them.
    fileprivate mutating func write(_ code: TargetCode, of app: App, relativeTo folder: String) {
        let written = app.writtenKeys
        array("reads", code.reads) { json, read in
            json.object { json in
                json.member("key", read.key)
                json.member("path", Optional(read.path))
                json.member("type", read.type.rawValue)
                json.member("required", read.requirement.rawValue)
                json.write(read.place, relativeTo: folder)
                if !read.alternatives.isEmpty { json.member("one_of", Optional(read.alternatives)) }
                if read.isCast { json.member("cast", true) }
                if read.isGate { json.member("gate", true) }
                let categories = read.condition.categories
                if categories != .all {
                    json.member(
                        categories.isComplement ? "except_categories" : "categories",
                        Optional(categories.names.sorted()))
                }
                if !read.condition.keys.isEmpty { json.member("with", Optional(read.condition.keys.sorted())) }
                if read.condition.isOpen { json.member("conditional", true) }
                if read.isSystem { json.member("system", true) }
                if read.path.isEmpty, written.contains(read.key) { json.member("local", true) }
            }
        }
        array("unknown_reads", code.unknownReads) { json, gap in
            json.object { json in
                json.write(gap.place, relativeTo: folder)
                json.member("why", gap.why)
            }
        }
        member("writes", Optional(code.writes.map(\.text)))
    }

    private mutating func write(_ place: SourcePlace, relativeTo folder: String) {
        member("file", Self.shown(place, relativeTo: folder))
        member("line", place.start.line)
    }

    fileprivate mutating func memberUnlessNil(_ key: String, _ string: String?) {
        if let string { member(key, string) }
    }

    fileprivate mutating func member(_ key: String, _ strings: [String]?) {
        if let strings { array(key, strings) { $0.string($1) } }
    }

    private mutating func member(_ key: String, _ place: SourcePlace?, relativeTo folder: String) {
        guard let place else { return }
        member(key, "\(Self.shown(place, relativeTo: folder)):\(place.start.line):\(place.start.column)")
    }

    private static func shown(_ place: SourcePlace, relativeTo folder: String) -> String {
        let base = folder.absolutePath.standardizedPath
        let path = place.file.path.absolutePath.standardizedPath
        return path.path(relativeTo: base) ?? place.file.path
    }
}

extension App.Extension.Kind {
    /// The word for the kind in `app.json`; for a kind without a word, the identifier of the extension point.
    fileprivate var word: String {
        switch self {
        case .content: "content"
        case .service: "service"
        case .other(let identifier): identifier
        }
    }

    /// Creates the kind for a word in `app.json`.
    init(word: String) {
        switch word {
        case "content": self = .content
        case "service": self = .service
        default: self = Self(word)
        }
    }
}
