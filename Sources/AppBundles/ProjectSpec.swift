// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import DocumentFormats
import POSIXFiles

/// The file `project.yml`, from which XcodeGen writes an Xcode project, merged with the files that it includes.
///
/// Source: XcodeGen, `Docs/ProjectSpec.md`.
struct ProjectSpec {
    /// A value in a `project.yml`.
    ///
    /// All paths in it have been made absolute.
    indirect enum Value: Sendable {
        case text(String)
        case list([Value])
        case table([String: Value])

        var text: String? { if case .text(let text) = self { text } else { nil } }
        var elements: [Value]? { if case .list(let elements) = self { elements } else { nil } }
        var table: [String: Value]? { if case .table(let table) = self { table } else { nil } }

        /// The texts of a list; the text alone if the value is a text.
        var texts: [String] { text.map { [$0] } ?? elements?.compactMap(\.text) ?? [] }

        subscript(key: String) -> Value? { table?[key] }

        /// The approximate number of bytes that the value takes in memory.
        var byteCount: Int {
            switch self {
            case .text(let text): 16 + text.utf8.count
            case .list(let elements): elements.reduce(16) { $0 + $1.byteCount }
            case .table(let table): table.reduce(16) { $0 + $1.key.utf8.count + $1.value.byteCount }
            }
        }
    }

    /// Replaces references such as `${target_name}` in values, as XcodeGen does in templates.
    ///
    /// References in the replacement texts are not replaced.
    struct References {
        /// The texts that replace references, by the names of the references.
        var values: [String: String]

        /// The maximum number of bytes of all texts with references together, after the replacement.
        ///
        /// Beyond it, texts are cut off, so a caller that sets a limit has to discard the result.
        let byteLimit: Int

        /// The number of bytes of all texts with references so far, after the replacement.
        private(set) var byteCount = 0

        init(values: [String: String], byteLimit: Int) {
            self.values = values
            self.byteLimit = byteLimit
        }

        mutating func replaced(in value: Value) -> Value {
            switch value {
            case .text(let text): .text(replaced(in: text))
            case .list(let elements): .list(elements.map { replaced(in: $0) })
            case .table(let table): .table(table.mapValues { replaced(in: $0) })
            }
        }

        private mutating func replaced(in text: String) -> String {
            guard text.utf8.contains(UInt8(ascii: "$")) else { return text }
            let pieces = text.split(separator: "}", omittingEmptySubsequences: false)
            var result = ""
            for piece in pieces.dropLast() where byteCount <= byteLimit {
                let before = result.utf8.count
                if let brace = piece.lastIndex(of: "{"), piece[..<brace].last == "$",
                    let value = values[String(piece[brace...].dropFirst())]
                {
                    result += piece[..<brace].dropLast() + value
                } else {
                    result += piece + "}"
                }
                byteCount += result.utf8.count - before
            }
            return result + (pieces.last ?? "")
        }
    }

    private enum Limit {
        static let files = 200
        static let depth = 16
        static let templates = 32
        static let targets = 1_000

        /// The maximum number of bytes of all targets together, once templates are merged into them.
        static let targetBytes = 64 << 20
    }

    /// The contents of all files, merged.
    private(set) var root: [String: Value] = [:]

    /// The place of each target, by its name.
    private(set) var places: [String: SourcePlace] = [:]

    /// The findings about included files, and parts of targets, that are not read.
    private(set) var diagnostics: [Diagnostic] = []

    private let read: ProjectFileReader
    private let spelling: FileSpelling
    private let shown: (String) -> String
    private var fileCount = 0
    private var merged: Set<String> = []

    /// Reads a file and the files that it includes; nil if the file does not describe a project.
    ///
    /// - Throws: the faults of a file that looks like the description of a project but cannot be read.
    init?(
        _ file: SourceFile,
        at path: String,
        spelling: FileSpelling,
        shown: @escaping (String) -> String,
        read: @escaping ProjectFileReader
    ) throws(InputError) {
        self.read = read
        self.spelling = spelling
        self.shown = shown
        let node: DocumentNode?
        do throws(InputError) {
            node = try DocumentNode.yaml(file, rule: .unreadFile)
        } catch {
            guard Self.isLikeSpec(file) else { return nil }
            throw error
        }
        guard let node, node["name"] != nil, node["targets"] != nil || node["include"] != nil else { return nil }
        merged.insert(path)
        root = contents(of: node, in: file, folder: path.folder, base: path.folder, prefix: path.folder, depth: 0)
        guard root["targets"]?.table != nil else { return nil }
        resolveTemplates()
    }

    private static func isLikeSpec(_ file: SourceFile) -> Bool {
        ["name:", "targets:"].allSatisfy(file.hasLine(startingWith:))
    }

    // MARK: - Files

    /// The contents of a file, merged over the contents of the files that it includes.
    ///
    /// - Parameters:
    ///   - node: the outermost value of the file.
    ///   - file: the file.
    ///   - folder: the folder to which its includes are relative.
    ///   - base: the folder to which its includes with `relativePaths: false` are relative.
    ///   - prefix: the folder to which paths in the file are relative.
    ///   - depth: the number of files that include it, directly or through others.
    /// - Returns: the contents.
    private mutating func contents(
        of node: DocumentNode,
        in file: SourceFile,
        folder: String,
        base: String,
        prefix: String,
        depth: Int
    ) -> [String: Value] {
        for member in node["targets"]?.members ?? [] {
            let name = Self.withoutSuffix(member.name)
            if places[name] == nil { places[name] = SourcePlace(file, member.keyRange) }
        }
        let fileContents = Self.value(node).flatMap { Self.resolving($0.table ?? [:], in: prefix) } ?? [:]
        var below: [String: Value] = [:]
        let included = node["include"].map { $0.elements ?? [$0] } ?? []
        for include in included {
            let path = include.scalar?.text ?? include["path"]?.scalar?.text ?? ""
            let isRelative = include["relativePaths"]?.scalar?.text != "false"
            guard !path.isEmpty, include["enable"]?.scalar?.text != "false" else { continue }
            let named = Self.absolute(path, in: isRelative ? folder : base)
            let absolute = spelling.path(named)
            let place = SourcePlace(file, include.range)
            guard merged.insert(absolute).inserted, let found = document(at: absolute, place, depth) else { continue }
            diagnostics += FileSpelling.changes(from: named, to: absolute).map { change in
                Diagnostic(.otherCase("include", shown(change.named), shown(change.real), .info), at: place)
            }
            let contents = contents(
                of: found.node,
                in: found.file,
                folder: absolute.folder,
                base: isRelative ? folder : base,
                prefix: isRelative ? Self.absolute(path, in: prefix).folder : prefix,
                depth: depth + 1
            )
            below = Self.merged(contents, over: below)
        }
        return Self.merged(fileContents, over: below)
    }

    private mutating func document(
        at path: String,
        _ place: SourcePlace,
        _ depth: Int
    ) -> (node: DocumentNode, file: SourceFile)? {
        fileCount += 1
        guard fileCount <= Limit.files, depth < Limit.depth else {
            diagnostics.append(Diagnostic(.tooManyIncludes(limit: Limit.files), at: place))
            return nil
        }
        do throws(FileError) {
            guard let file = try read(path) else {
                diagnostics.append(Diagnostic(.missingInclude(shown(path)), at: place))
                return nil
            }
            do throws(InputError) {
                return try DocumentNode.yaml(file, rule: .unreadFile).map { ($0, file) }
            } catch {
                let fault = error.diagnostics.first
                var finding = Diagnostic(.brokenInclude(shown(path), fault), at: place)
                finding.related = [fault?.place].compactMap(\.self).map { Diagnostic.Related("the fault", at: $0) }
                diagnostics.append(finding)
                return nil
            }
        } catch {
            diagnostics.append(Diagnostic(.unread(shown(path), error), at: place))
            return nil
        }
    }

    static func absolute(_ path: String, in folder: String) -> String {
        (path.hasPrefix("/") ? path : folder + "/" + path).standardizedPath
    }

    private static func value(_ node: DocumentNode) -> Value? {
        switch node.content {
        case .scalar(let scalar): return scalar.isNullMark ? nil : .text(scalar.text)
        case .sequence(let elements): return .list(elements.compactMap(value))
        case .mapping(let members):
            var table: [String: Value] = [:]
            for member in members { table[member.name] = value(member.value) }
            return .table(table)
        }
    }

    // MARK: - Merging

    private static let replaceSuffix = ":REPLACE"

    private static func withoutSuffix(_ key: String) -> String {
        key.hasSuffix(replaceSuffix) ? String(key.dropLast(replaceSuffix.count)) : key
    }

    private static func merged(_ over: [String: Value], over below: [String: Value]) -> [String: Value] {
        var result = below
        for (key, value) in over {
            let name = withoutSuffix(key)
            switch (value, key == name ? result[name] : nil) {
            case (.table(let upper), .table(let lower)?): result[name] = .table(merged(upper, over: lower))
            case (.list(let upper), .list(let lower)?): result[name] = .list(lower + upper)
            default: result[name] = value
            }
        }
        return result
    }

    /// A mapping in which all paths have been made absolute.
    private static func resolving(_ table: [String: Value], in folder: String) -> [String: Value] {
        func path(_ value: Value) -> Value { value.text.map { .text(absolute($0, in: folder)) } ?? value }
        func member(_ name: String, of value: Value) -> Value {
            guard var table = value.table, let found = table[name] else { return path(value) }
            table[name] = path(found)
            return .table(table)
        }
        func each(_ value: Value, _ change: (Value) -> Value) -> Value {
            switch value {
            case .text: change(value)
            case .list(let elements): .list(elements.map(change))
            case .table(let table): .table(table.mapValues(change))
            }
        }
        func target(_ value: Value) -> Value {
            guard let table = value.table else { return value }
            var changed = table
            for (key, value) in table {
                switch withoutSuffix(key) {
                case "sources":
                    changed[key] =
                        value["path"] == nil ? each(value) { member("path", of: $0) } : member("path", of: value)
                case "configFiles": changed[key] = each(value, path)
                case "info", "entitlements": changed[key] = member("path", of: value)
                default: break
                }
            }
            return .table(changed)
        }
        var changed = table
        for (key, value) in table {
            switch withoutSuffix(key) {
            case "configFiles", "localPackages": changed[key] = each(value, path)
            case "packages": changed[key] = each(value) { member("path", of: $0) }
            case "targets", "targetTemplates": changed[key] = each(value, target)
            default: break
            }
        }
        return changed
    }

    // MARK: - Templates

    private mutating func resolveTemplates() {
        guard let targets = root["targets"]?.table else { return }
        let templates = root["targetTemplates"]?.table ?? [:]
        let templateBytes = templates.mapValues(\.byteCount)
        var resolved: [String: Value] = [:]
        var bytes = 0
        // A file that was not read may declare more templates, so an unknown name is then not reported.
        let hasAllTemplates = diagnostics.isEmpty
        for (name, target) in targets.sorted(by: { $0.key < $1.key }) {
            guard let description = target.table, let place = places[name] else { continue }
            guard resolved.count < Limit.targets else {
                diagnostics.append(Diagnostic(.tooManySpecTargets(limit: Limit.targets), at: place))
                break
            }
            var names: [String] = []
            if !Self.collect(description, templates, into: &names) {
                diagnostics.append(Diagnostic(.tooManyTemplates(limit: Limit.templates), at: place))
            }
            if hasAllTemplates { noteUnknownTemplates(of: description, templates, at: place) }
            bytes += names.reduce(0) { $0 + (templateBytes[$1] ?? 0) }
            var below: [String: Value] = [:]
            if bytes <= Limit.targetBytes {
                for template in names { below = Self.merged(templates[template]?.table ?? [:], over: below) }
            }
            var table = Self.merged(description, over: below)
            if !names.isEmpty {
                var references = References(values: ["target_name": name], byteLimit: Limit.targetBytes)
                let attributes = references.replaced(in: table["templateAttributes"] ?? .table([:]))
                references.values.merge(attributes.table?.compactMapValues(\.text) ?? [:]) { first, _ in first }
                table = table.mapValues { references.replaced(in: $0) }
                bytes += references.byteCount
            }
            guard bytes <= Limit.targetBytes else {
                diagnostics.append(Diagnostic(.targetsTooLarge(limit: Limit.targetBytes), at: place))
                break
            }
            resolved[name] = .table(table)
        }
        root["targets"] = .table(resolved)
    }

    /// Reports templates that a target names but no file declares, which XcodeGen ignores.
    private mutating func noteUnknownTemplates(
        of target: [String: Value],
        _ templates: [String: Value],
        at place: SourcePlace
    ) {
        for name in target["templates"]?.texts ?? [] where templates[name] == nil && !name.contains("$") {
            let near = nearestName(to: name, in: templates.keys.sorted())
            diagnostics.append(Diagnostic(.unknownTemplate(name, near: near), at: place))
        }
    }

    /// Collects the templates of a target; a template comes after those that it uses.
    ///
    /// - Returns: false if there are more templates than the limit.
    private static func collect(
        _ table: [String: Value],
        _ templates: [String: Value],
        into names: inout [String]
    ) -> Bool {
        for name in table["templates"]?.texts ?? [] where !names.contains(name) {
            guard let template = templates[name]?.table else { continue }
            guard names.count < Limit.templates else { return false }
            var inner = names + [name]
            guard collect(template, templates, into: &inner) else { return false }
            inner.removeAll { names.contains($0) || $0 == name }
            names += inner + [name]
        }
        return true
    }
}
