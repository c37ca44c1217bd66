// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import POSIXFiles
import PlistDocuments

/// Reads the `.xcconfig` files of a project, which contain build settings; each file is read once.
///
/// Source: swift-build, `MacroConfigFileParser` and `MacroConfigFileLoader`.
struct ConfigurationFileReader {
    private enum Limit {
        static let depth = 16
        /// The maximum number of lines with settings or `#include`s, in all build configurations together.
        ///
        /// The lines of an included file count each time that it is included.
        static let lines = 200_000
        /// The maximum number of related places that one finding lists.
        static let related = 100
    }

    /// A line of an `.xcconfig`: a setting, an `#include`, or one that Xcode cannot read.
    private enum Line {
        case setting(name: String, conditions: [SettingCondition], value: String)
        case include(path: String, isOptional: Bool, place: SourcePlace)
        case unread(ProjectMessage, place: SourcePlace)
    }

    /// A path as it is written in an `#include`, and the folders in which the file is searched for.
    private struct Reference: Hashable {
        var path: String
        var folders: [String]
    }

    /// The folder of the project's sources, in which included files are searched for last; empty if it is not known.
    var sourceRoot = ""

    private let read: ProjectFileReader
    private let shown: (String) -> String
    private let spelling: FileSpelling
    private var files: [String: [Line]?] = [:]
    private var resolved: [Reference: String] = [:]
    private var layers: [String: BuildSettings.Layer] = [:]
    private var lineCount = 0

    /// The findings about files and lines that are not read, files named in the wrong case, and exceeded limits.
    private(set) var diagnostics: [Diagnostic] = []
    private var reported: Set<String> = []
    private var unreadable: Set<String> = []
    /// The index in ``diagnostics`` of the finding about each missing file, by the path of the file.
    private var missing: [String: Int] = [:]

    /// - Parameters:
    ///   - read: reads a file.
    ///   - spelling: finds files whose names differ in case.
    ///   - shown: returns the path of a file for messages.
    init(read: @escaping ProjectFileReader, spelling: FileSpelling, shown: @escaping (String) -> String) {
        self.read = read
        self.spelling = spelling
        self.shown = shown
    }

    /// Reads a file with the files that it includes.
    ///
    /// - Parameters:
    ///   - path: the absolute path.
    ///   - place: the place that names the file.
    /// - Returns: the settings; settings that a missing file may replace are unknown.
    mutating func layer(at path: String, namedAt place: SourcePlace) -> BuildSettings.Layer {
        if let known = layers[path] { return known }
        var layer = BuildSettings.Layer()
        add(path, namedAt: place, to: &layer, includedBy: [])
        layers[path] = layer
        return layer
    }

    /// Adds the settings of a file to a layer; adds a gap if the file is missing or cannot be read.
    ///
    /// A relative path is searched for in the folders of the files that include this one, the innermost first, and then
    /// in the folder of the project's sources. As in Xcode, a file that includes itself is skipped the second time.
    private mutating func add(
        _ path: String,
        namedAt place: SourcePlace,
        to layer: inout BuildSettings.Layer,
        includedBy including: [String],
        isOptional: Bool = false
    ) {
        // Files of CocoaPods contain no settings for the app's bundles, and the folder `Pods` is never entered.
        guard !path.split(separator: "/").contains("Pods") else { return }
        guard including.count < Limit.depth else {
            report(.includesTooDeep(limit: Limit.depth), at: place)
            return layer.addGap()
        }
        let folders = folders(of: including)
        guard let (file, lines) = found(path, in: folders, place, isOptional: isOptional) else {
            guard !isOptional else { return layer.noteMissingFile() }
            let candidates = Self.candidates(path, in: folders)
            // A file that cannot be read was reported when it was first read; only a missing one is reported here.
            if unreadable.isDisjoint(with: candidates.map(spelling.path)) {
                reportMissing(candidates.first ?? path, at: place)
            }
            return layer.addGap()
        }
        guard !including.contains(file) else { return report(.includeCycle(shown(file)), at: place) }
        for line in lines {
            lineCount += 1
            guard lineCount <= Limit.lines else {
                if lineCount == Limit.lines + 1 { report(.tooManySettings(limit: Limit.lines), at: place) }
                return layer.addGap()
            }
            switch line {
            case .setting(let name, let conditions, let value): layer.assign(value, to: name, if: conditions)
            case .include(let included, let isOptional, let place):
                add(included, namedAt: place, to: &layer, includedBy: [file] + including, isOptional: isOptional)
            case .unread(let message, let place): report(message, at: place)
            }
        }
    }

    /// The file to which a path refers, with its lines; nil if the file does not exist or cannot be read.
    private mutating func found(
        _ path: String,
        in folders: [String],
        _ place: SourcePlace,
        isOptional: Bool
    ) -> (path: String, lines: [Line])? {
        let reference = Reference(path: path, folders: folders)
        if let known = resolved[reference], let lines = files[known] ?? nil { return (known, lines) }
        for candidate in Self.candidates(path, in: folders) {
            let real = spelling.path(candidate)
            guard let lines = lines(of: real, place, isOptional: isOptional) else {
                if unreadable.contains(real) { return nil }
                continue
            }
            for change in FileSpelling.changes(from: candidate, to: real) {
                report(.otherCase("#include", shown(change.named), shown(change.real), .info), at: place)
            }
            resolved[reference] = real
            return (real, lines)
        }
        return nil
    }

    /// The folders to search for an included file: those of the files that include it, then that of the project's
    /// sources.
    private func folders(of files: [String]) -> [String] {
        let all = files.map(\.folder) + (sourceRoot.isEmpty ? [] : [sourceRoot])
        return all.reduce(into: []) { folders, folder in
            if !folders.contains(folder) { folders.append(folder) }
        }
    }

    /// The absolute paths that a path in an `#include` may mean.
    ///
    /// The extension `.xcconfig` may be left out.
    private static func candidates(_ path: String, in folders: [String]) -> [String] {
        let starts = path.hasPrefix("/") ? [""] : folders.map { $0 + "/" }
        let ends = path.fileName.contains(".") ? [""] : ["", ".xcconfig"]
        return starts.flatMap { start in ends.map { (start + path + $0).standardizedPath } }
    }

    private mutating func lines(of path: String, _ place: SourcePlace, isOptional: Bool) -> [Line]? {
        if let known = files[path] { return known }
        let lines: [Line]?
        do throws(FileError) {
            lines = try read(path).map(Self.lines)
        } catch {
            // An optional file with the settings of a single person is often outside the project and usually does not
            // exist, so it counts as missing.
            if isOptional, case .outside = error.reason {
                report(.unreadOptional(path, error), at: place)
            } else {
                report(.unread(path, error), at: place)
            }
            unreadable.insert(path)
            lines = nil
        }
        files[path] = .some(lines)
        return lines
    }

    private mutating func report(_ message: ProjectMessage, at place: SourcePlace) {
        // The lines of a file that is included several times are added each time, but its findings are reported once.
        guard reported.insert("\(place.file.path):\(place.range.start):\(message.text)").inserted else { return }
        diagnostics.append(Diagnostic(message, at: place))
    }

    /// Reports a missing file once, with all places that name it.
    private mutating func reportMissing(_ path: String, at place: SourcePlace) {
        let message = ProjectMessage.missingConfiguration(shown(path))
        guard let index = missing[path] else {
            missing[path] = diagnostics.count
            return report(message, at: place)
        }
        guard diagnostics[index].related.count < Limit.related,
            reported.insert("\(place.file.path):\(place.range.start):\(message.text)").inserted
        else { return }
        diagnostics[index].related.append(Diagnostic.Related("it is also named here", at: place))
    }

    // MARK: - Lines

    private static func lines(in file: SourceFile) -> [Line] {
        var lines: [Line] = []
        // The lines of a setting so far, if its value continues on the next line.
        var start: [String] = []
        let hasConflict = file.mergeConflict != nil
        for number in 1...file.lineCount {
            let bytes = file.line(number)
            let text = String(decoding: bytes, as: UTF8.self)
            let line = withoutComment(text)
            let offset = file.offset(ofLine: number)
            let place = SourcePlace(file, SourceRange(offset, offset + bytes.count))
            if hasConflict, let mark = ConflictMark(line: bytes) {
                if mark == .ours { lines.append(.unread(.conflictInConfiguration, place: place)) }
            } else if start.isEmpty, line.hasPrefix("#") {
                lines.append(include(text, place) ?? .unread(.unknownDirective(line), place: place))
            } else if line.hasSuffix("\\") {
                start.append(String(line.dropLast()).trimmed)
            } else {
                let text = (start + [line]).joined(separator: " ").trimmed
                if let setting = setting(in: text) {
                    lines.append(setting)
                } else if !text.isEmpty {
                    lines.append(.unread(.noSetting, place: place))
                }
                start = []
            }
        }
        if let setting = setting(in: start.joined(separator: " ")) { lines.append(setting) }
        return lines
    }

    /// Reads an `#include`; the file of an `#include?` may be missing.
    private static func include(_ line: String, _ place: SourcePlace) -> Line? {
        let parts = line.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        switch String(String(parts[0]).trimmed.dropFirst()).trimmed {
        case "include": return .include(path: String(parts[1]), isOptional: false, place: place)
        case "include?": return .include(path: String(parts[1]), isOptional: true, place: place)
        default: return nil
        }
    }

    /// A line without its comment and the white space around it.
    private static func withoutComment(_ line: String) -> String {
        let comment = line.utf8.indices.first { line.utf8[$0...].starts(with: "//".utf8) }
        return String(line[..<(comment ?? line.endIndex)]).trimmed
    }

    /// The setting in a line, `NAME[CONDITION] = VALUE;`.
    private static func setting(in line: String) -> Line? {
        guard let sign = equalsSign(in: line), let name = SettingCondition.read(String(line[..<sign]).trimmed),
            !name.name.isEmpty
        else { return nil }
        var value = String(line[line.index(after: sign)...]).trimmed
        if value.hasSuffix(";") { value = String(value.dropLast()).trimmed }
        return .setting(name: name.name, conditions: name.conditions, value: value)
    }

    /// The index of the equals sign after the name, ignoring those inside a condition.
    private static func equalsSign(in text: String) -> String.Index? {
        var isInCondition = false
        for index in text.utf8.indices {
            switch text.utf8[index] {
            case UInt8(ascii: "["): isInCondition = true
            case UInt8(ascii: "]"): isInCondition = false
            case UInt8(ascii: "=") where !isInCondition: return index
            default: break
            }
        }
        return nil
    }
}
