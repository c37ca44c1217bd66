// SPDX-License-Identifier: MIT

public import AppBundles
import Files
import JSON
import SourceText

extension App {
    /// What the app promises to campaigns, as pretty JSON: version 1 of the format that ``init(contentsOf:)`` reads.
    ///
    /// The same app gives the same bytes. Extensions stand in the order of their paths, categories and pairs in that of
    /// their files.
    ///
    /// - Parameter folder: the folder that paths are relative to.
    /// - Returns: the JSON, with a line break at its end.
    public func json(relativeTo folder: String) -> [UInt8] {
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.member("version", 1)
        json.member("name", name)
        json.memberUnlessNil("bundle_id", bundleIdentifier)
        json.memberUnlessNil("deployment_target", deploymentTarget)
        json.member("app_groups", appGroups?.map(\.value))
        json.key("extensions")
        json.beginArray()
        for candidate in extensions { json.write(candidate, relativeTo: folder) }
        json.endArray()
        json.endObject()
        json.buffer.append("\n")
        return json.buffer.withUnsafeBytes { Array($0) }
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ candidate: App.Extension, relativeTo folder: String) {
        beginObject()
        member("point", candidate.kind.identifier)
        memberUnlessNil("bundle_id", candidate.bundleIdentifier)
        member("place", candidate.place, relativeTo: folder)
        member("app_groups", candidate.appGroups?.map(\.value))
        memberUnlessNil("braze_app_group", candidate.brazeAppGroup?.value)
        if candidate.kind == .content {
            key("categories")
            beginArray()
            for category in candidate.categories { write(category, candidate.interaction, relativeTo: folder) }
            endArray()
        }
        if let extras = candidate.extras {
            key("extras")
            beginObject()
            for extra in extras {
                key(extra.key)
                beginObject()
                member("type", extra.type.rawValue)
                if let required = extra.required { member("required", required.value) }
                endObject()
            }
            endObject()
        }
        endObject()
    }

    private mutating func write(
        _ category: Placed<String>,
        _ interaction: App.Interaction,
        relativeTo folder: String
    ) {
        beginObject()
        member("name", category.value)
        switch interaction {
        case .absent: member("interaction", false)
        case .declared(let declared): member("interaction", declared.value)
        case .malformed:
            key("interaction")
            null()
        }
        member("place", category.place, relativeTo: folder)
        endObject()
    }

    fileprivate mutating func memberUnlessNil(_ key: String, _ string: String?) {
        if let string { member(key, string) }
    }

    fileprivate mutating func member(_ key: String, _ strings: [String]?) {
        guard let strings else { return }
        self.key(key)
        beginArray()
        for string in strings { self.string(string) }
        endArray()
    }

    private mutating func member(_ key: String, _ place: SourcePlace?, relativeTo folder: String) {
        guard let place else { return }
        let base = folder.absolutePath.standardizedPath
        let path = place.file.path.absolutePath.standardizedPath
        let shown = path.hasPrefix(base + "/") ? String(path.dropFirst(base.count + 1)) : place.file.path
        member(key, "\(shown):\(place.start.line):\(place.start.column)")
    }
}
