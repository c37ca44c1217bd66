// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import DocumentFormats
import POSIXFiles
import PlistDocuments

extension BundleResources {
    /// The maximum number of bytes of a sound file that are read; a longer file counts as one without a fault.
    private static let soundLimit = 16 << 20

    private static let soundSuffixes = ["caf", "aiff", "aif", "aifc", "wav", "mp3", "m4a"]

    /// The names of the tables in which the system looks up the localization keys of pushes.
    private static let tables: Set<String> = [
        "Localizable.strings", "Localizable.stringsdict", "Localizable.xcstrings",
    ]

    /// Whether a file is a sound or a table of texts, by its name.
    static func isRead(_ name: String) -> Bool {
        tables.contains(name)
            || name.split(separator: ".").last.map { soundSuffixes.contains($0.lowercased()) } ?? false
    }

    /// Reads the resources of a target; nil if some of its files may be unknown.
    init?(of target: XcodeSources.Target, in root: ProjectRoot) {
        var paths = target.files.filter { Self.isRead($0.fileName) }
        for (folder, contents) in target.folders {
            var walk = FolderWalk(
                isWanted: Self.isRead, isExcluded: { contents.excludes($0, in: folder) }, entryLimit: 100_000)
            guard (try? root.resolve(folder)) != nil, let found = walk.files(under: folder), walk.unreadItems.isEmpty,
                walk.linkedFolders.isEmpty
            else { return nil }
            paths += found.filter { contents.includes($0, in: folder) }
        }
        let known = Set(paths).sorted()
        let sounds = known.filter { !Self.tables.contains($0.fileName) }.map { path in
            let bytes = try? OpenFile(path, in: root).bytes(limit: Self.soundLimit)
            return Sound(name: path.fileName, fault: bytes.flatMap { SoundFile($0).fault })
        }
        let tables = known.filter { Self.tables.contains($0.fileName) }.map { path in
            (try? SourceFile(contentsOf: path, in: root)).flatMap { StringTable.arguments(in: $0) }
        }
        let strings: [String: Int]? = tables.reduce([:]) { all, table in
            guard let all, let table else { return nil }
            return all.merging(table) { max($0, $1) }
        }
        self.init(sounds: sounds, strings: strings)
    }
}

/// Reads the tables of localized texts.
///
/// Source: Apple, "Localizing and varying text with a string catalog" and "Localizing strings that contain plurals".
enum StringTable {
    /// The number of arguments that the text of each key takes, in a table of any format; nil if the file cannot be
    /// read.
    static func arguments(in file: SourceFile) -> [String: Int]? {
        file.path.hasSuffix(".xcstrings") ? catalog(file) : list(file)
    }

    /// The number of arguments that the text of each key takes, in a `.strings` or `.stringsdict` file; nil if the file
    /// is broken.
    private static func list(_ file: SourceFile) -> [String: Int]? {
        let document = PlistDocument(file)
        guard !document.isBroken else { return nil }
        let nodes = document.root.map { document.children(of: $0) } ?? []
        let texts = nodes.compactMap { node -> (String, Int)? in
            let text = node.string ?? document[node, "NSStringLocalizedFormatKey"]?.string
            return node.key.map { ($0.text, text.map(argumentCount) ?? 0) }
        }
        return Dictionary(texts) { max($0, $1) }
    }

    private static func catalog(_ file: SourceFile) -> [String: Int]? {
        guard let root = try? DocumentNode.json(file, rule: .unreadFile) else { return nil }
        func texts(in node: DocumentNode) -> [String] {
            let unit = node["stringUnit"]?["value"]?.scalar.map { [$0.text] } ?? []
            let variations = node["variations"]?.members?.flatMap { $0.value.members ?? [] } ?? []
            return unit + variations.flatMap { texts(in: $0.value) }
        }
        let entries = (root["strings"]?.members ?? []).map { member in
            let localized = member.value["localizations"]?.members?.flatMap { texts(in: $0.value) } ?? []
            // The system shows a key that has no texts as if it were its own text.
            let texts = localized.isEmpty ? [member.name] : localized
            return (member.name, texts.reduce(0) { max($0, argumentCount(of: $1)) })
        }
        return Dictionary(entries) { max($0, $1) }
    }

    /// The number of arguments that a format string takes, such as 1 for `%@`.
    ///
    /// Source: Apple, "String format specifiers".
    static func argumentCount(of format: String) -> Int {
        var rest = Substring(format)
        var sequential = 0
        var highest = 0
        while let percent = rest.firstIndex(of: "%") {
            rest = rest[percent...].dropFirst()
            if rest.first == "%" {
                rest.removeFirst()
                continue
            }
            let digits = rest.prefix(while: \.isNumber)
            if rest.dropFirst(digits.count).first == "$", let position = Int(digits) {
                highest = max(highest, position)
                rest = rest.dropFirst(digits.count + 1)
            } else if rest.drop(while: { "#0- +.lhqzjt".contains($0) || $0.isNumber }).first.map(isConversion) ?? false
            {
                sequential += 1
            }
        }
        return max(sequential, highest)
    }

    private static func isConversion(_ character: Character) -> Bool { "@dDiuUxXoOfFeEgGaAcCsSp".contains(character) }
}
