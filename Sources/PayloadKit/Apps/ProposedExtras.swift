// SPDX-License-Identifier: MIT

import AppBundles
package import AppDeclarations
import DiagnosticSources
import JSONTexts
import POSIXFiles

/// The contents of a `payloadgen.extras.yml`, derived from the code of an app or extension.
package struct ProposedExtras: Sendable {
    /// The path of the file, beside the Info.plist; nil if the build generates the Info.plist.
    package let path: String?

    /// The name of the app or extension in the file: preferably the app's bundle identifier, or the extension's target
    /// or folder.
    package let name: String

    /// The key-value pairs, in the order of their keys.
    package let extras: [RequiredExtra]

    /// Why the code may read more than ``extras``.
    package let gaps: [TargetCode.UnknownRead]

    /// The keys that the old file declares but that no known read uses.
    package let keptKeys: Set<String>

    /// The keys of ``extras`` that code of the app writes itself, so that campaigns need not send them.
    private let ownKeys: Set<String>

    /// For each key that has alternatives, the other keys; any one of them may be sent instead.
    private let alternatives: [String: [String]]

    /// Finds the pairs that an app and its extensions read; the app's own pairs come last.
    ///
    /// - Parameter app: the app with its code.
    /// - Returns: the pairs of each content or service extension whose code was found, then those of the app if its
    ///   code was found.
    package static func all(for app: App) -> [ProposedExtras] {
        let extensionExtras = app.extensions.compactMap { ProposedExtras($0, of: app) }
        let path = path(beside: app.place)
        // If the app and an extension have their Info.plists in one folder, the file there belongs to the extension.
        let isShared = path != nil && app.extensions.contains { Self.path(beside: $0.place) == path }
        guard let code = app.code, !isShared else { return extensionExtras }
        // Without an Xcode project, an app is named after its folder, whose name differs between checkouts.
        let name = app.bundleIdentifier ?? app.name
        let own = ProposedExtras(code, path: path, name: name, kind: nil, declared: app.extras ?? [], of: app)
        return extensionExtras + [own]
    }

    /// Finds the pairs that an extension reads; nil if it takes no pushes, or its code was not found.
    ///
    /// - Parameters:
    ///   - candidate: the extension with its code.
    ///   - app: the app of the extension.
    package init?(_ candidate: App.Extension, of app: App) {
        guard candidate.takesPushes, let code = candidate.code else { return nil }
        let path = Self.path(beside: candidate.place)
        let name = candidate.name ?? candidate.bundleIdentifier ?? path ?? "an extension"
        self.init(
            code, path: path, name: name, kind: candidate.kind, declared: candidate.extras ?? [], of: app)
    }

    /// The path of the file beside an Info.plist; nil if the build generates the Info.plist.
    private static func path(beside place: SourcePlace?) -> String? {
        guard let list = place?.file.path, list.fileName != XcodeProject.fileName else { return nil }
        return FolderWalk.path(App.extrasFileName, in: list.folder)
    }

    private init(
        _ code: TargetCode,
        path: String?,
        name: String,
        kind: App.Extension.Kind?,
        declared: [RequiredExtra],
        of app: App
    ) {
        self.path = path
        self.name = name
        gaps = code.unknownReads
        let declared = Dictionary(first: declared.map { ($0.key, $0) })
        let (added, written) = (app.keysWrittenByExtensions, app.writtenKeys)
        var alternatives: [String: [String]] = [:]
        var extras: [RequiredExtra] = []
        for read in code.reads where read.path.isEmpty && !read.isSystem && !added.contains(read.key) {
            if !read.alternatives.isEmpty { alternatives[read.key] = read.alternatives }
            var extra = RequiredExtra(key: read.key, type: ExtraType(read.sentType), place: read.place)
            // The declared type may be narrower: code that accepts any text may still be meant for a URL.
            if let own = declared[read.key], own.type.isNarrower(than: extra.type) { extra.type = own.type }
            if read.alternatives.isEmpty, !written.contains(read.key), read.isNeeded(by: kind) {
                extra.required = Placed(true, at: read.place)
            }
            guard let known = extras.firstIndex(where: { $0.key == extra.key }) else {
                extras.append(extra)
                continue
            }
            if extra.isRequired { extras[known] = extra }
        }
        let read = Set(extras.map(\.key))
        let kept = declared.values.filter { !read.contains($0.key) }
        extras += kept
        keptKeys = Set(kept.map(\.key))
        self.extras = extras.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        self.alternatives = alternatives
        ownKeys = written.intersection(read)
    }

    /// The contents of the file.
    ///
    /// - Parameter comments: the comments in the old file, which are kept.
    /// - Returns: the text.
    package func text(keeping comments: ExtrasComments = ExtrasComments()) -> String {
        var lines = [ExtrasComments.header(ShownText(name).text)]
        if !gaps.isEmpty {
            lines.append(ExtrasComments.gaps)
            var seen: Set<String> = []
            for gap in gaps {
                // The line number is left out, so that the file does not change with every change of the code.
                let line =
                    "\(ExtrasComments.gap)\(ShownText(gap.place.file.path.fileName).text): \(ShownText(gap.why).text)"
                if seen.insert(line).inserted { lines.append(line) }
            }
        }
        if !comments.top.isEmpty { lines += comments.top + [""] }
        for (index, extra) in extras.enumerated() {
            let own = comments.of(extra.key, isFirst: index == 0)
            lines += own.before
            if keptKeys.contains(extra.key) { lines.append(ExtrasComments.unread) }
            if ownKeys.contains(extra.key) { lines.append(ExtrasComments.written) }
            if let others = alternatives[extra.key] {
                let names = others.map { ShownText($0).text }.quoted()
                lines.append("\(ExtrasComments.alternatives)\(names) is enough.")
            }
            let required = extra.isRequired ? ", required: true" : ""
            lines.append("\(Self.yaml(extra.key)): {type: \(extra.type.rawValue)\(required)}\(own.after)")
        }
        lines += comments.end
        return lines.map { $0 + "\n" }.joined()
    }

    /// A text as YAML on one line: plain if YAML can only read it as that text, otherwise in double quotes.
    package static func yaml(_ text: String) -> String {
        let words = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
        let isWord = text.utf8.first?.isLetter ?? false
        if isWord, text.utf8.allSatisfy(\.isNameByte), !words.contains(text.lowercased()) { return text }
        var buffer = ByteBuffer()
        buffer.appendShownJSON(text)
        return buffer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}

extension TargetCode.Read {
    /// Whether an extension of this kind, or the app if `kind` is nil, needs the pair in every push to do its work.
    package func isNeeded(by kind: App.Extension.Kind?) -> Bool {
        condition == .always && severityWhenMissing(in: kind, runsService: true).map { $0 > .info } ?? false
    }
}

extension ExtraType {
    /// Creates the type that a pair is declared with, from the type that code reads.
    ///
    /// A text that code parses as JSON is declared as text, because `$json:` would not send a text. A dictionary or
    /// array is sent with `$json:`.
    package init(_ type: ReadType) {
        switch type {
        case .string, .any, .json: self = .string
        case .integer: self = .integer
        case .number: self = .number
        case .boolean: self = .boolean
        case .url: self = .url
        case .date: self = .date
        case .dictionary, .array: self = .json
        }
    }
}
